/**
 * PLEG, the pod lifecycle event generator: observes our pods in the runtime, and marks those that changed as dirty.
 *
 *   relist ─► rows of all pods ─► unlike the cache? ─► inspect that pod ─┐
 *   runtime event ─► status of that one container ──────────────────────┼─► cache ─► diff ─► markDirty(uid)
 *   inspect(uid), after a sync that did something ──────────────────────┘
 *
 * It has two modes. Evented: a stream is open and has not missed a change; the relist is the safety net, every 10 s. Generic:
 * there is no such stream; the relist finds everything, every second. Any doubt (a broken stream, a pod that could not be read,
 * an event without room, a failed relist) brings the next relist within the shorter period.
 */
import { RuntimeError } from '../../cri/index.ts';
import {
  type Clock,
  type DeadlineResult,
  type Logger,
  type MetricsRegistry,
  type Random,
  type Timer,
  withDeadline,
} from '../../lib/index.ts';
import type { DirtyCause, MarkDirty, Pleg, PodObservation, PodUID } from '../types.ts';
import { Activity, relistThresholdMs } from './activity.ts';
import { diffSnapshots, sameSnapshot, snapshotOf } from './diff.ts';
import { EventReader } from './event-reader.ts';
import { EventStream, type EventStreamMode, type ModeChange } from './event-stream.ts';
import { InspectionPool } from './inspection-pool.ts';
import { INSPECT_TIMEOUT_MS, LIST_TIMEOUT_MS } from './limits.ts';
import { type PlegMetrics, plegMetrics } from './pleg-metrics.ts';
import { PodCache } from './pod-cache.ts';
import { listPod, listPods, type PodRows, readPod } from './pod-reader.ts';
import type { PlegRuntime } from './pleg-runtime.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import type { FoundChange } from './silence-watch.ts';
import { hasEnding, type PodRecord, singlesSince } from './observation.ts';

export interface PlegPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly runtime: PlegRuntime;
}

export interface PlegConfig {
  /** Only sandboxes labelled with it are ours. */
  readonly instanceId: string;
  /** Mode and periods; default: `DEFAULT_SETTINGS`. */
  readonly settings?: Pick<KubeletSettings, 'pleg'>;
  /** `false`: Generic, whatever the settings say. */
  readonly runtimeEvents?: boolean;
}

/** Hints of the event stream: only routing acts on them before they are read. */
export interface StopHints {
  announced(uid: PodUID, id: string): void;
  denied(id: string): void;
}

export interface PlegListener {
  readonly markDirty: MarkDirty;
  /** The runtime says that a process of this container was killed for memory. A hint, and only while events come. */
  readonly onOutOfMemory?: (containerId: string) => void;
  /** The end of a container or sandbox is announced, or such an announcement is denied. Absent: nobody acts on hints. */
  readonly hints?: StopHints;
  /** The mode changed; the first one comes with no `before`. */
  readonly onModeChange?: (change: ModeChange) => void;
}

/** The beginning of a read: its number orders reads, mono ms is for others. */
interface Moment {
  readonly seq: number;
  readonly at: number;
}

/** One pod's rows in a list of all pods. */
interface Listed {
  readonly rows: PodRows;
  readonly moment: Moment;
}

export function createPleg(ports: PlegPorts, config: PlegConfig, listener: PlegListener): Pleg {
  return new RelistingPleg(ports, config, listener);
}

class RelistingPleg implements Pleg {
  readonly #ports: PlegPorts;
  readonly #instanceId: string;
  readonly #listener: PlegListener;
  readonly #metrics: PlegMetrics;
  readonly #activity: Activity;
  readonly #cache = new PodCache();
  readonly #pool = new InspectionPool();
  readonly #events: EventReader;
  /** The last inspection failed: the old record stands, and every relist tries again (upstream: podsToReinspect). */
  readonly #podsToReinspect = new Set<PodUID>();
  readonly #settings: KubeletSettings['pleg'];
  readonly #stream: EventStream | undefined;
  /** UIDs of the last relist, but for those that a read has since found gone. */
  #listed = new Set<PodUID>();
  #signal: AbortSignal = new AbortController().signal;
  #seq = 0;
  #synced = false;
  #relistFailed = false;
  #relistBeganAt: number | undefined;
  /** Mono ms of the next relist. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Looks at `#dueAt` again. */
  #rearm: (() => void) | undefined;

  constructor(ports: PlegPorts, { instanceId, settings, runtimeEvents }: PlegConfig, listener: PlegListener) {
    this.#ports = ports;
    this.#instanceId = instanceId;
    this.#listener = listener;
    this.#metrics = plegMetrics(ports.metrics);
    this.#settings = (settings ?? DEFAULT_SETTINGS).pleg;
    const { mode, genericRelistPeriodMs, eventedRelistPeriodMs } = this.#settings;
    const generic = mode === 'generic' || runtimeEvents === false;
    const longestMs = generic ? genericRelistPeriodMs : Math.max(genericRelistPeriodMs, eventedRelistPeriodMs);
    this.#activity = new Activity(ports.clock, relistThresholdMs(longestMs));
    const records = { cache: this.#cache, discarded: this.#metrics.discarded, nextSeq: () => this.#nextSeq() };
    this.#events = new EventReader({ ...ports, instanceId }, records, {
      onChange: (uid) => listener.markDirty(uid, 'runtime-event'),
      inspect: async (uid) => {
        try {
          await this.#readNow(uid, 'runtime-event');
        } catch (error) {
          ports.logger.debug('inspecting a pod after its event failed; left to the relist', { uid, error });
        }
      },
      onStopAnnounced: (uid, id) => listener.hints?.announced(uid, id),
      onStopDenied: (id) => listener.hints?.denied(id),
      leave: (uid) => {
        if (uid !== undefined) this.#podsToReinspect.add(uid);
        this.#relistWithin(genericRelistPeriodMs);
      },
    });
    this.#stream = generic ? undefined : this.#createStream(mode === 'evented' ? 'evented' : 'auto');
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
    this.#signal = signal;
    this.#activity.start(signal);
    if (this.#stream === undefined) this.#onMode({ mode: 'generic', reason: 'as configured', failed: false });
    await Promise.all([this.#relistLoop(signal), this.#stream?.run(signal)]);
  }

  #createStream(mode: EventStreamMode): EventStream {
    return new EventStream(this.#ports, this.#metrics, mode, {
      onEvent: (event) => {
        if (event.kind === 'oom') this.#listener.onOutOfMemory?.(event.id);
        this.#events.handle(event, this.#signal);
      },
      onTurn: () => this.#relistWithin(0),
      onMode: (change) => this.#onMode(change),
    });
  }

  #onMode(change: ModeChange): void {
    const { logger } = this.#ports;
    const { onModeChange } = this.#listener;
    const { mode, before, reason } = change;
    this.#metrics.modeChanges.inc({ mode });
    for (const each of ['evented', 'generic'] as const) this.#metrics.mode.set(each === mode ? 1 : 0, { mode: each });
    if (mode === 'evented') logger.info('Evented PLEG: changes come as runtime events', { before });
    else if (!change.failed) logger.info('Generic PLEG: changes are found by the relist', { reason });
    else logger.warn('Generic PLEG: the event stream fails; changes are found by the relist', { reason });
    onModeChange?.(change);
    this.#relistWithin(0);
  }

  async #relistLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#dueAt = Number.POSITIVE_INFINITY;
      await this.#relist(signal);
      this.#relistWithin(this.#periodMs());
      await this.#untilDue(signal);
    }
  }

  /** The longer period only while nothing is in doubt. */
  #periodMs(): number {
    const { genericRelistPeriodMs, eventedRelistPeriodMs } = this.#settings;
    const sure = this.#stream?.reliedOn() === true && !this.#relistFailed && this.#podsToReinspect.size === 0;
    return sure ? eventedRelistPeriodMs : genericRelistPeriodMs;
  }

  /** The next relist begins in `delayMs` at the latest. */
  #relistWithin(delayMs: number): void {
    const at = this.#ports.clock.now().mono + delayMs;
    if (at >= this.#dueAt) return;
    this.#dueAt = at;
    this.#rearm?.();
  }

  #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        this.#rearm = undefined;
        resolve();
      };
      const arm = (): Timer => clock.setTimer(this.#dueAt - clock.now().mono, end);
      let timer = arm();
      this.#rearm = () => {
        timer.cancel();
        timer = arm();
      };
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports;
    const begun = clock.now().mono;
    const seq = this.#nextSeq();
    if (this.#relistBeganAt !== undefined) {
      this.#metrics.relistInterval.observe((begun - this.#relistBeganAt) / 1000);
    }
    const before = this.#relistBeganAt ?? begun;
    this.#relistBeganAt = begun;
    try {
      const pods = await this.#withDeadline(LIST_TIMEOUT_MS, signal, (callSignal) =>
        listPods(this.#ports.runtime, this.#instanceId, { signal: callSignal, timeoutMs: LIST_TIMEOUT_MS }),
      );
      this.#activity.seen();
      this.#metrics.lastSeen.set(clock.now().wall / 1000);
      const changes: FoundChange[] = [];
      const inspections = this.#compare(pods, { seq, at: begun }, changes, signal);
      this.#stream?.relisted(begun, before, changes);
      // Only the first relist waits: no part may act before the whole node was looked at once.
      if (!this.#synced) await Promise.all(inspections);
      this.#synced = true;
      this.#relistFailed = false;
      this.#countRunning();
    } catch (error) {
      this.#relistFailed = true;
      if (!signal.aborted) logger.warn('PLEG relist failed', { error });
    }
    this.#metrics.relistDuration.observe((clock.now().mono - begun) / 1000);
  }

  /**
   * Starts the inspection of every pod whose rows differ from the cache, and drops pods that are gone. Adds the changes that
   * it found to `changes`.
   */
  #compare(
    pods: ReadonlyMap<PodUID, PodRows>,
    moment: Moment,
    changes: FoundChange[],
    signal: AbortSignal,
  ): Promise<void>[] {
    this.#listed = new Set(pods.keys());
    for (const uid of this.#podsToReinspect) if (!pods.has(uid)) this.#podsToReinspect.delete(uid);
    for (const uid of this.#cache.uids()) {
      if (pods.has(uid)) continue;
      if (this.#knownWell(uid, moment)) changes.push(...foundChanges(this.#cache.get(uid), undefined));
      this.#report(uid, this.#cache.putPod(uid, undefined, moment.at, moment.seq), 'pleg');
    }
    const inspections: Promise<void>[] = [];
    for (const [uid, rows] of pods) {
      const known = this.#cache.get(uid);
      // A read that began after this list knows better; the next relist compares again.
      if (known !== undefined && known.seq > moment.seq) continue;
      const suspect = this.#podsToReinspect.has(uid);
      const same = known !== undefined && sameSnapshot(known.snapshot, snapshotOf(rows.sandboxes, rows.containers));
      if (same && !suspect && !hasEnding(known.observation)) continue;
      if (this.#knownWell(uid, moment)) changes.push(...foundChanges(known, rows));
      inspections.push(this.#pool.add(uid, suspect, () => this.#inspectRows(uid, { rows, moment }, signal)));
    }
    return inspections;
  }

  /** Whether the cache is as the last relist left it, or newer: not when a read of the pod is pending, or failed. */
  #knownWell(uid: PodUID, moment: Moment): boolean {
    const known = this.#cache.get(uid);
    if (known === undefined || known.seq > moment.seq || singlesSince(known, moment.seq).size > 0) return false;
    return !this.#podsToReinspect.has(uid) && !this.#pool.has(uid);
  }

  /** An inspection for the relist: never rejects; a failure is tried again with the next relist. */
  async #inspectRows(uid: PodUID, listed: Listed, signal: AbortSignal): Promise<void> {
    const suspect = this.#podsToReinspect.has(uid);
    try {
      // The rows of a suspect pod may be as old as its wait for a place was long; so it is listed again.
      await this.#read(uid, suspect ? undefined : listed, 'pleg', signal);
    } catch (error) {
      if (signal.aborted) return;
      const { logger } = this.#ports;
      const message = 'inspecting a pod failed; its last known state stands';
      if (suspect) logger.debug(message, { uid, error });
      else logger.warn(message, { uid, error });
    }
  }

  async #readNow(uid: PodUID, cause: DirtyCause): Promise<void> {
    const begun = this.#ports.clock.now().mono;
    try {
      await this.#read(uid, undefined, cause, undefined);
    } finally {
      this.#metrics.podRelistDuration.observe((this.#ports.clock.now().mono - begun) / 1000);
    }
  }

  /** `listed`: rows that were read already; their content is as old as their list. */
  async #read(
    uid: PodUID,
    listed: Listed | undefined,
    cause: DirtyCause,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { clock, runtime } = this.#ports;
    const { seq, at } = listed?.moment ?? { seq: this.#nextSeq(), at: clock.now().mono };
    try {
      const reads = await this.#withDeadline(INSPECT_TIMEOUT_MS, signal, async (callSignal) => {
        const call = { signal: callSignal, timeoutMs: INSPECT_TIMEOUT_MS };
        const rows = listed?.rows ?? (await listPod(runtime, this.#instanceId, uid, call));
        return readPod(runtime, rows, this.observation(uid), call);
      });
      this.#podsToReinspect.delete(uid);
      const worthy = this.#cache.putPod(uid, reads, at, seq);
      if (this.#cache.get(uid) === undefined) this.#listed.delete(uid);
      this.#report(uid, worthy, cause);
    } catch (error) {
      this.#podsToReinspect.add(uid);
      this.#relistWithin(this.#settings.genericRelistPeriodMs);
      throw error;
    }
  }

  #report(uid: PodUID, worthy: boolean, cause: DirtyCause): void {
    if (worthy) this.#listener.markDirty(uid, cause);
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
    const { clock } = this.#ports;
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

/**
 * The differences between the cache and a list. Dead containers do not come back: a list that shows them alive is older than
 * the cache.
 */
function foundChanges(known: PodRecord | undefined, rows: PodRows | undefined): readonly FoundChange[] {
  const before = known?.snapshot;
  const after = rows && snapshotOf(rows.sandboxes, rows.containers);
  const parents = new Map(
    [...(known?.observation.containers ?? []), ...(rows?.containers ?? [])].map((each) => [each.id, each.sandboxId]),
  );
  return diffSnapshots(before, after)
    .filter(
      ({ id, type }) => type !== 'ContainerChanged' && !(type === 'ContainerStarted' && before?.get(id) === 'exited'),
    )
    .map(({ id, type }) => ({ id, type, sandboxId: parents.get(id) ?? id }));
}
