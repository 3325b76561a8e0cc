/**
 * Samples how CPU limits throttle containers while they live. The cgroup of a container that was killed for being slow is
 * gone when somebody asks why. So its counters are read periodically, and at once when a probe of it fails, because it may be
 * killed for that.
 */
import type { CpuThrottling } from '../../api/index.ts';
import { BoundedMap, type Clock, type Logger } from '../../lib/index.ts';
import type { Cgroups } from '../ports.ts';
import { beginning, type CpuReading, lastStretch, withReading } from './cpu-stretch.ts';
import { MAX_CPU_CONTAINERS } from './limits.ts';
import { groupOf, type LivingContainer } from './living-containers.ts';
import { inTurns, sampleOften } from './sampling.ts';

export interface CpuWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cgroups: Pick<Cgroups, 'cpuPeriods'>;
  readonly living: () => readonly LivingContainer[];
}

interface Watched {
  readonly readings: readonly CpuReading[];
  /** As it was at the last one. */
  readonly limitMillicores: number;
}

export class CpuWatch {
  readonly #options: CpuWatchOptions;
  readonly #watched = new BoundedMap<string, Watched>(MAX_CPU_CONTAINERS);

  constructor(options: CpuWatchOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await sampleOften({ ...this.#options, what: 'CPU limits' }, () => this.sample(), signal);
  }

  /** One look at all containers that have a limit. */
  async sample(): Promise<void> {
    const { clock, living } = this.#options;
    await inTurns(clock, living().filter(isLimited), (container) => this.#read(container));
  }

  /** A probe of this container failed. Never blocks, never throws. */
  hint(containerId: string): void {
    const { living, logger } = this.#options;
    const broke = (error: unknown): void => logger.error('the watch over CPU limits broke', { containerId, error });
    try {
      const container = living().find(({ id }) => id === containerId);
      if (container !== undefined && isLimited(container)) this.#read(container).catch(broke);
    } catch (error) {
      broke(error);
    }
  }

  /** The counts of the last stretch of a life; `undefined`: none. */
  of(containerId: string): CpuThrottling | undefined {
    const watched = this.#watched.get(containerId);
    const stretch = watched && lastStretch(watched.readings);
    return stretch && { ...stretch, limitMillicores: watched.limitMillicores };
  }

  /** Its end is recorded. */
  forget(containerId: string): void {
    this.#watched.delete(containerId);
  }

  async #read(container: LimitedContainer): Promise<void> {
    const { clock, cgroups } = this.#options;
    const counted = await cgroups.cpuPeriods(groupOf(container));
    // The last reading stays when the group is gone.
    if (counted === undefined) return;
    const { id, startedAt, limitMillicores } = container;
    const now = clock.now();
    const readings = this.#watched.get(id)?.readings ?? beginning(startedAt, now);
    this.#watched.set(id, { readings: withReading(readings, { ...counted, at: now.mono }), limitMillicores });
  }
}

type LimitedContainer = LivingContainer & { readonly limitMillicores: number };

/** A limit of 0 is none. */
function isLimited(container: LivingContainer): container is LimitedContainer {
  return (container.limitMillicores ?? 0) > 0;
}
