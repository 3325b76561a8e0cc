/**
 * What drivers say of the volumes that pods have: how full they are, and whether something is wrong with them. Asked at most once
 * a minute (upstream: volumeStatsAggPeriod), and only when somebody wants to know; nobody waits long for a driver.
 */
import type { VolumeStats } from '../../csi/index.ts';
import { type Clock, errorMessage, type Logger, withDeadline } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { STATS_MAX_AGE_MS, STATS_WAIT_MS } from './limits.ts';

export type PodVolumeStats = ReadonlyMap<string, VolumeStats>;

export interface DriverStatsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Known {
  /** Mono ms; when they were asked for. */
  at: number;
  stats: PodVolumeStats;
  asking: Promise<void> | undefined;
}

const NONE: PodVolumeStats = new Map();

export class DriverStats {
  readonly #ports: DriverStatsPorts;
  readonly #ask: (uid: PodUID) => Promise<PodVolumeStats>;
  readonly #known = new Map<PodUID, Known>();

  /** @param ask asks the drivers of a pod's volumes; by the volume's name in the pod */
  constructor(ports: DriverStatsPorts, ask: (uid: PodUID) => Promise<PodVolumeStats>) {
    this.#ports = ports;
    this.#ask = ask;
  }

  /**
   * By the volume's name in the pod; what a driver says too late is there the next time.
   * @param onStats called with each new answer, early or late
   */
  async of(uid: PodUID, onStats: (stats: PodVolumeStats) => void): Promise<PodVolumeStats> {
    const { clock } = this.#ports;
    const now = clock.now().mono;
    const known = this.#known.get(uid) ?? { at: Number.NEGATIVE_INFINITY, stats: NONE, asking: undefined };
    this.#known.set(uid, known);
    if (known.asking === undefined && now - known.at >= STATS_MAX_AGE_MS) {
      known.at = now;
      known.asking = this.#look(uid, known, onStats).finally(() => {
        known.asking = undefined;
      });
    }
    const { asking } = known;
    if (asking !== undefined) await withDeadline({ clock, timeoutMs: STATS_WAIT_MS }, () => asking);
    return known.stats;
  }

  forget(uid: PodUID): void {
    this.#known.delete(uid);
  }

  async #look(uid: PodUID, known: Known, onStats: (stats: PodVolumeStats) => void): Promise<void> {
    try {
      known.stats = await this.#ask(uid);
      onStats(known.stats);
    } catch (error) {
      this.#ports.logger.debug('a driver does not say how its volumes are', { uid, error: errorMessage(error) });
    }
  }
}
