/** The Wilson score interval of a share. Pure. */

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 95 % interval of `hits` of `all`; from 0 to 1. Nothing is known of no trials. */
export function wilson(hits: number, all: number): Interval {
  if (all === 0) return { low: 0, high: 1 };
  const z = 1.96;
  const share = hits / all;
  const middle = share + (z * z) / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const scale = 1 + (z * z) / all;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}
