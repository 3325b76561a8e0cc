/**
 * SyncLoop: every cause (config, PLEG, probes, timers, outcomes) only marks a UID dirty; the pod workers do the rest.
 * Housekeeping finds pods that no cause marks: those that only the runtime or the disk has. It is never urgent.
 */
import { type Clock, errorMessage, type Logger, type WorkQueue } from '../lib/index.ts';
import type { DesiredPods } from './config/desired-pods.ts';
import { removeLeftCgroups } from './pods/left-cgroups.ts';
import type { PodWorkers } from './pod-workers/pod-workers.ts';
import type { Cgroups } from './ports.ts';
import type { MarkDirty, Pleg, PodUID } from './types.ts';

/** Upstream: housekeepingPeriod. */
export const HOUSEKEEPING_PERIOD_MS = 2000;
/** Leftovers on disk are looked for this often. */
const DISK_PERIOD_MS = 60_000;
/** Upstream: /healthz/syncloop fails after five minutes without a loop. */
const LOOP_THRESHOLD_MS = 300_000;

export interface SyncLoopOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: WorkQueue<PodUID>;
  readonly desired: DesiredPods;
  readonly pleg: Pleg;
  readonly workers: PodWorkers;
  readonly cgroups: Pick<Cgroups, 'list' | 'remove' | 'processes'>;
  /** UIDs of pods with notes or files. */
  readonly onDisk: () => Promise<readonly PodUID[]>;
}

/** The one way to a worker. Causes are for the log. */
export function createMarkDirty(queue: WorkQueue<PodUID>, logger: Logger): MarkDirty {
  return (uid, cause) => {
    logger.debug('dirty', { uid, cause });
    queue.add(uid);
  };
}

export class SyncLoop {
  readonly #options: SyncLoopOptions;
  #lastLoopAt: number | undefined;
  #lastDiskAt = Number.NEGATIVE_INFINITY;

  constructor(options: SyncLoopOptions) {
    this.#options = options;
    options.desired.onSynced(() => this.#markAll());
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#options.workers.run(signal), this.#housekeepingLoop(signal)]);
  }

  /** `undefined` when the loop lives, else why not. */
  health(): string | undefined {
    const { clock, queue } = this.#options;
    const now = clock.now().mono;
    if (this.#lastLoopAt === undefined) return 'the sync loop has not started';
    if (now - this.#lastLoopAt > LOOP_THRESHOLD_MS) return 'sync Loop took longer than expected';
    for (const [uid, since] of queue.inFlight) {
      if (now - since > LOOP_THRESHOLD_MS)
        return `the worker of pod ${uid} has not answered for ${Math.round((now - since) / 1000)} s`;
    }
    return undefined;
  }

  async #housekeepingLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#lastLoopAt = this.#options.clock.now().mono;
      try {
        await this.#housekeeping();
      } catch (error) {
        this.#options.logger.error('housekeeping broke', { error: errorMessage(error) });
      }
      await this.#options.clock.sleep(HOUSEKEEPING_PERIOD_MS, signal).catch(() => {});
    }
  }

  async #housekeeping(): Promise<void> {
    const { clock, logger, queue, desired, pleg, workers, cgroups, onDisk } = this.#options;
    if (!desired.synced() || !pleg.synced()) return;
    const unknown = (uid: PodUID): boolean => desired.get(uid) === undefined && !workers.has(uid);
    for (const uid of pleg.uids()) if (unknown(uid)) queue.add(uid);
    workers.observed(pleg.uids());
    const now = clock.now().mono;
    if (now - this.#lastDiskAt < DISK_PERIOD_MS) return;
    this.#lastDiskAt = now;
    const found = new Set(await onDisk());
    for (const uid of found) if (unknown(uid)) queue.add(uid);
    const isKnown = (uid: PodUID): boolean => !unknown(uid) || found.has(uid) || [...pleg.uids()].includes(uid);
    await removeLeftCgroups(cgroups, isKnown, logger);
  }

  #markAll(): void {
    const { desired, pleg, queue } = this.#options;
    for (const uid of [...desired.uids(), ...pleg.uids()]) queue.add(uid);
  }
}
