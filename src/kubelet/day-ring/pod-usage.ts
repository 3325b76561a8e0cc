/** What pods used between two looks at their cgroups. */
import { type Clock, type Now, parseTime } from '../../lib/index.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';
import type { Cgroups } from '../ports.ts';
import type { PodDirectory, PodUID, PodView } from '../types.ts';
import { PODS_PER_TURN } from './limits.ts';

export type PodMeter = Pick<Cgroups, 'figures'>;

/** Thousandths of a core since the look before; undefined: not known. Bytes in the working set. */
export interface Used {
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

const NANOSECONDS_PER_MS = 1_000_000;
const MILLI = 1000;

export class PodUsage {
  readonly #clock: Clock;
  readonly #cgroups: PodMeter;
  /** By pod: CPU time, nanoseconds, at the look before. */
  #before = new Map<PodUID, number>();
  #lookedAt: Now;

  constructor(clock: Clock, cgroups: PodMeter) {
    this.#clock = clock;
    this.#cgroups = cgroups;
    this.#lookedAt = clock.now();
  }

  /** One look at each pod that has containers. A group that cannot be read is left out. */
  async measure(directory: PodDirectory): Promise<ReadonlyMap<PodUID, Used>> {
    const found = new Map<PodUID, Used>();
    const looks = new Map<PodUID, number>();
    const now = this.#clock.now();
    for (const [index, view] of directory.pods().filter(hasSandbox).entries()) {
      if (index > 0 && index % PODS_PER_TURN === 0) await this.#clock.sleep(0);
      const uid = view.pod.metadata?.uid ?? '';
      const figures = await this.#cgroups.figures({ path: podCgroupPath(view.pod) }).catch(() => undefined);
      const nanoseconds = figures?.cpu?.usageNanoseconds;
      if (nanoseconds !== undefined) looks.set(uid, nanoseconds);
      const memory = figures?.memory?.workingSetBytes;
      found.set(uid, { cpu: this.#milliCores(view, nanoseconds, now), memory });
    }
    this.#before = looks;
    this.#lookedAt = now;
    return found;
  }

  #milliCores({ pod, status }: PodView, nanoseconds: number | undefined, now: Now): number | undefined {
    const startedAt = parseTime(status?.startTime ?? undefined);
    // What began since the last look began with nothing.
    const isNew = startedAt !== undefined && startedAt >= this.#lookedAt.wall;
    const before = this.#before.get(pod.metadata?.uid ?? '') ?? (isNew ? 0 : undefined);
    const elapsedMs = now.mono - this.#lookedAt.mono;
    if (nanoseconds === undefined || before === undefined || nanoseconds < before || elapsedMs <= 0) return undefined;
    return ((nanoseconds - before) / NANOSECONDS_PER_MS / elapsedMs) * MILLI;
  }
}

function hasSandbox({ observation }: PodView): boolean {
  return observation?.sandboxes.some(({ state }) => state === 'ready') === true;
}
