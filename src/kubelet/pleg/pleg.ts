/**
 * PLEG, the pod lifecycle event generator: what the runtime has of our pods, and who must look because it changed.
 *
 *   relist each second ─► rows of all pods ─► unlike the cache? ─► inspect that pod ─┐
 *   runtime event ─► status of that one container ──────────────────────────────────┼─► cache ─► diff ─► markDirty(uid)
 *   inspect(uid), after a sync that did something ──────────────────────────────────┘
 */
import { RuntimeError } from '../../cri/index.ts';
import {
  type Clock,
  type DeadlineResult,
  type Logger,
  type MetricsRegistry,
  type Random,
  withDeadline,
} from '../../lib/index.ts';
import type { DirtyCause, MarkDirty, Pleg, PodObservation, PodUID } from '../types.ts';
import { Activity } from './activity.ts';
import { sameSnapshot, snapshotOf } from './diff.ts';
import { EventReader } from './event-reader.ts';
import { watchEvents } from './event-stream.ts';
import { InspectionPool } from './inspection-pool.ts';
import { INSPECT_TIMEOUT_MS, LIST_TIMEOUT_MS, RELIST_PERIOD_MS } from './limits.ts';
import { type PlegMetrics, plegMetrics } from './pleg-metrics.ts';
import { PodCache } from './pod-cache.ts';
import { listPod, listPods, type PodRows, readPod } from './pod-reader.ts';
import type { PlegRuntime } from './pleg-runtime.ts';

export interface PlegOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly runtime: PlegRuntime;
  readonly instanceId: string;
  readonly markDirty: MarkDirty;
  /** `false`: the relist alone. */
  readonly runtimeEvents?: boolean;
}

/** When a read began: its number orders reads, mono ms tells others. */
interface Moment {
  readonly seq: number;
  readonly at: number;
}

/** One pod's rows in a list of all pods. */
interface Listed {
  readonly rows: PodRows;
  readonly moment: Moment;
}

export function createPleg(options: PlegOptions): Pleg {
  return new GenericPleg(options);
}

class GenericPleg implements Pleg {
  readonly #options: PlegOptions;
  readonly #metrics: PlegMetrics;
  readonly #activity: Activity;
  readonly #cache = new PodCache();
  readonly #pool = new InspectionPool();
  readonly #events: EventReader;
  /** The last inspection failed: the old record stands, and every relist tries again (upstream: podsToReinspect). */
  readonly #podsToReinspect = new Set<PodUID>();
  /** UIDs of the last relist. */
  #listed: ReadonlySet<PodUID> = new Set();
  #seq = 0;
  #synced = false;
  #relistBeganAt: number | undefined;
  #wake: (() => void) | undefined;
  #wakeWanted = false;

  constructor(options: PlegOptions) {
    this.#options = options;
    this.#metrics = plegMetrics(options.metrics);
    this.#activity = new Activity(options.clock);
    this.#events = new EventReader({
      ...options,
      cache: this.#cache,
      discarded: this.#metrics.discarded,
      onChange: (uid) => options.markDirty(uid, 'runtime-event'),
      inspect: async (uid) => {
        try {
          await this.#readNow(uid, 'runtime-event');
        } catch (error) {
          options.logger.debug('inspecting a pod after its event failed; left to the relist', { uid, error });
        }
      },
      reinspect: (uid) => void this.#podsToReinspect.add(uid),
    });
  }

  observation(uid: PodUID): PodObservation | undefined {
    return this.#cache.get(uid)?.observation;
  }

  uids(): readonly PodUID[] {
    return [...new Set([...this.#listed, ...this.#cache.uids()])];
  }

  synced(): boolean {
    return this.#synced;
  }

  known(uid: PodUID): boolean {
    return this.#synced && (this.#cache.get(uid) !== undefined || !this.#listed.has(uid));
  }

  unhealthy(): string | undefined {
    return this.#activity.unhealthy();
  }

  async inspect(uid: PodUID): Promise<PodObservation | undefined> {
    await this.#readNow(uid, 'pleg');
    return this.observation(uid);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#activity.start(signal);
    const loops = [this.#relistLoop(signal)];
    if (this.#options.runtimeEvents !== false) loops.push(this.#eventLoop(signal));
    await Promise.all(loops);
  }

  async #eventLoop(signal: AbortSignal): Promise<void> {
    await watchEvents(
      {
        ...this.#options,
        metrics: this.#metrics,
        onEvent: (event) => this.#events.handle(event, signal),
        onConnected: () => this.#relistSoon(),
      },
      signal,
    );
  }

  async #relistLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wakeWanted = false;
      await this.#relist(signal);
      if (!this.#wakeWanted) await this.#pause(signal);
    }
  }

  #relistSoon(): void {
    this.#wakeWanted = true;
    this.#wake?.();
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#options.clock.setTimer(RELIST_PERIOD_MS, end);
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
      if (signal.aborted) end();
    });
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const begun = clock.now().mono;
    const seq = this.#nextSeq();
    if (this.#relistBeganAt !== undefined) {
      this.#metrics.relistInterval.observe((begun - this.#relistBeganAt) / 1000);
    }
    this.#relistBeganAt = begun;
    try {
      const pods = await this.#withDeadline(LIST_TIMEOUT_MS, signal, (callSignal) =>
        listPods(this.#options.runtime, this.#options.instanceId, { signal: callSignal, timeoutMs: LIST_TIMEOUT_MS }),
      );
      this.#activity.seen();
      this.#metrics.lastSeen.set(clock.now().wall / 1000);
      const inspections = this.#compare(pods, { seq, at: begun }, signal);
      // Only the first relist waits: nobody may act before the whole node was looked at once.
      if (!this.#synced) await Promise.all(inspections);
      this.#synced = true;
      this.#countRunning();
    } catch (error) {
      if (!signal.aborted) logger.warn('PLEG relist failed', { error });
    }
    this.#metrics.relistDuration.observe((clock.now().mono - begun) / 1000);
  }

  /** Starts the inspection of every pod whose rows differ from the cache; drops what is gone. */
  #compare(pods: ReadonlyMap<PodUID, PodRows>, moment: Moment, signal: AbortSignal): Promise<void>[] {
    this.#listed = new Set(pods.keys());
    for (const uid of this.#podsToReinspect) if (!pods.has(uid)) this.#podsToReinspect.delete(uid);
    for (const uid of this.#cache.uids()) {
      if (pods.has(uid)) continue;
      this.#report(uid, this.#cache.putPod(uid, undefined, moment.at, moment.seq), 'pleg');
    }
    const inspections: Promise<void>[] = [];
    for (const [uid, rows] of pods) {
      const known = this.#cache.get(uid);
      // A read that began after this list knows better; the next relist compares again.
      if (known !== undefined && known.seq > moment.seq) continue;
      const suspect = this.#podsToReinspect.has(uid);
      const same = known !== undefined && sameSnapshot(known.snapshot, snapshotOf(rows.sandboxes, rows.containers));
      if (same && !suspect) continue;
      inspections.push(this.#pool.add(uid, suspect, () => this.#inspectRows(uid, { rows, moment }, signal)));
    }
    return inspections;
  }

  /** An inspection for the relist: never rejects; a failure is tried again with the next relist. */
  async #inspectRows(uid: PodUID, listed: Listed, signal: AbortSignal): Promise<void> {
    const suspect = this.#podsToReinspect.has(uid);
    try {
      // A suspect's rows may be as old as its wait for a place was long; it is listed anew.
      await this.#read(uid, suspect ? undefined : listed, 'pleg', signal);
    } catch (error) {
      if (signal.aborted) return;
      const { logger } = this.#options;
      const message = 'inspecting a pod failed; its last known state stands';
      if (suspect) logger.debug(message, { uid, error });
      else logger.warn(message, { uid, error });
    }
  }

  async #readNow(uid: PodUID, cause: DirtyCause): Promise<void> {
    const begun = this.#options.clock.now().mono;
    try {
      await this.#read(uid, undefined, cause, undefined);
    } finally {
      this.#metrics.podRelistDuration.observe((this.#options.clock.now().mono - begun) / 1000);
    }
  }

  /** `listed`: rows that were read already; what they show is as old as their list. */
  async #read(
    uid: PodUID,
    listed: Listed | undefined,
    cause: DirtyCause,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { clock, runtime, instanceId } = this.#options;
    const { seq, at } = listed?.moment ?? { seq: this.#nextSeq(), at: clock.now().mono };
    try {
      const reads = await this.#withDeadline(INSPECT_TIMEOUT_MS, signal, async (callSignal) => {
        const call = { signal: callSignal, timeoutMs: INSPECT_TIMEOUT_MS };
        const rows = listed?.rows ?? (await listPod(runtime, instanceId, uid, call));
        return readPod(runtime, rows, this.observation(uid), call);
      });
      this.#podsToReinspect.delete(uid);
      this.#report(uid, this.#cache.putPod(uid, reads, at, seq), cause);
    } catch (error) {
      this.#podsToReinspect.add(uid);
      throw error;
    }
  }

  #report(uid: PodUID, worthy: boolean, cause: DirtyCause): void {
    if (worthy) this.#options.markDirty(uid, cause);
  }

  #nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  async #withDeadline<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options;
    const result: DeadlineResult<T> = await withDeadline({ clock, timeoutMs, ...(signal && { signal }) }, work);
    if (result.kind === 'done') return result.value;
    throw new RuntimeError('DeadlineExceeded', `no answer from the runtime within ${timeoutMs} ms`);
  }

  #countRunning(): void {
    let pods = 0;
    const containers = { created: 0, running: 0, exited: 0, unknown: 0 };
    for (const { observation } of this.#cache.records()) {
      if (observation.sandboxes.some(({ state }) => state === 'ready')) pods += 1;
      for (const { state } of observation.containers) containers[state] += 1;
    }
    this.#metrics.runningPods.set(pods);
    for (const [state, count] of Object.entries(containers)) {
      this.#metrics.runningContainers.set(count, { container_state: state });
    }
  }
}
