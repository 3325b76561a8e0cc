/** How often and how fast pods healed, over a span of time. Pure. */
import type { Recovery } from '../../page/index.ts';
import type { KnownDeath } from './deaths.ts';

export const DAY_MS = 24 * 3600_000;
export const WEEK_MS = 7 * DAY_MS;

/** @param from wall ms */
export function recoveryOf(deaths: Iterable<KnownDeath>, from: number): Recovery {
  const times: number[] = [];
  let healed = 0;
  let healedAlone = 0;
  for (const { at, healedMs, isWished } of deaths) {
    if (at < from || healedMs === undefined) continue;
    if (isWished) continue;
    healed += 1;
    healedAlone += 1;
    times.push(healedMs);
  }
  if (times.length === 0) return { healed, healedAlone };
  times.sort((a, b) => a - b);
  const meanMs = Math.round(times.reduce((sum, each) => sum + each, 0) / times.length);
  const p90Ms = times[Math.ceil(times.length * 0.9) - 1] ?? 0;
  return { healed, healedAlone, meanMs, p90Ms };
}
