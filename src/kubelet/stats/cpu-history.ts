/** CPU rates from the counters of before: the last few samples of each group. */
import { MAX_RATE_WINDOW_MS, MAX_SAMPLES, MIN_RATE_WINDOW_MS } from './limits.ts';

/** `at`: mono ms. */
export interface CpuSample {
  readonly at: number;
  readonly nanoseconds: number;
}

const MS_PER_SECOND = 1000;

export class CpuHistory {
  readonly #samples = new Map<string, readonly CpuSample[]>();

  note(key: string, sample: CpuSample): void {
    this.#samples.set(key, withSample(this.#samples.get(key) ?? [], sample));
  }

  /**
   * Billionths of a core between the newest sample that is old enough and `sample`. `begin`: when the counter was 0 (a
   * container's start), for one that nothing is remembered of. `undefined`: not known yet.
   */
  nanoCores(key: string, sample: CpuSample, begin?: number): number | undefined {
    const known = nanoCores(this.#samples.get(key) ?? [], sample);
    if (known !== undefined || begin === undefined) return known;
    return nanoCores([{ at: begin, nanoseconds: 0 }], sample);
  }

  /** Forgets all but these. */
  retain(keys: ReadonlySet<string>): void {
    for (const key of this.#samples.keys()) if (!keys.has(key)) this.#samples.delete(key);
  }
}

/** Newest first. One that comes right after another is not kept: a row of these would push the old enough ones out. */
export function withSample(samples: readonly CpuSample[], sample: CpuSample): readonly CpuSample[] {
  const [newest] = samples;
  if (newest !== undefined && sample.nanoseconds < newest.nanoseconds) return [sample];
  if (newest !== undefined && sample.at - newest.at < MIN_RATE_WINDOW_MS) return samples;
  return [sample, ...samples.filter(({ at }) => sample.at - at <= MAX_RATE_WINDOW_MS)].slice(0, MAX_SAMPLES);
}

/** A counter that fell was reset: no rate. */
export function nanoCores(samples: readonly CpuSample[], now: CpuSample): number | undefined {
  const before = samples.find(({ at }) => now.at - at >= MIN_RATE_WINDOW_MS);
  if (before === undefined || now.at - before.at > MAX_RATE_WINDOW_MS || now.nanoseconds < before.nanoseconds) {
    return undefined;
  }
  return Math.round(((now.nanoseconds - before.nanoseconds) * MS_PER_SECOND) / (now.at - before.at));
}
