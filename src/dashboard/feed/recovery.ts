/**
 * How often and how fast pods healed, over a span of time, where no node's ring of days tells it: from the deaths that are known. As
 * there, a container that dies again soon after it was back had not healed. Pure.
 */
import type { Recovery } from '../../page/index.ts';
import type { KnownDeath } from './deaths.ts';

export const DAY_MS = 24 * 3600_000;
export const WEEK_MS = 7 * DAY_MS;

/** As `STAYS_UP_MS` of the agent. */
const STAYS_UP_MS = 60_000;

/** @param pods the deaths of each pod @param from wall ms */
export function recoveryOf(pods: Iterable<readonly KnownDeath[]>, from: number): Recovery {
  const times = [...pods].flatMap((deaths) => {
    const containers = new Set(deaths.map(({ container }) => container));
    return [...containers].flatMap((name) =>
      outagesOf(
        deaths.filter(({ container }) => container === name),
        from,
      ),
    );
  });
  const healed = times.length;
  if (healed === 0) return { healed, healedAlone: 0 };
  times.sort((a, b) => a - b);
  const meanMs = Math.round(times.reduce((sum, each) => sum + each, 0) / times.length);
  const p90Ms = times[Math.ceil(times.length * 0.9) - 1] ?? 0;
  return { healed, healedAlone: healed, meanMs, p90Ms };
}

/** How long each outage of one container took, that is over. @param deaths the oldest first */
function outagesOf(deaths: readonly KnownDeath[], from: number): readonly number[] {
  const times: number[] = [];
  let since: number | undefined;
  for (const [index, { at, healedMs, isWished }] of deaths.entries()) {
    since ??= isWished ? undefined : at;
    if (since === undefined || healedMs === undefined) continue;
    const back = at + healedMs;
    if ((deaths[index + 1]?.at ?? Infinity) - back < STAYS_UP_MS) continue;
    if (back >= from) times.push(back - since);
    since = undefined;
  }
  return times;
}
