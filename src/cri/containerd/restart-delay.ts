/** How long to wait before containerd is started again. Pure. */
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;

/** A containerd that lived this long died of something new. */
export const QUICK_DEATH_MS = 10_000;

/** `quickDeaths`: how often in a row it died soon after its start. The first time it is started at once. */
export function restartDelayMs(quickDeaths: number): number {
  return quickDeaths === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (quickDeaths - 1));
}
