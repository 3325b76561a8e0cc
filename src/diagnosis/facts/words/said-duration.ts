/** How long a program says that its start takes. Pure. */

/** "this takes 60 s", "waiting 2 minutes", "ETA: 90s", "up to 5 min". */
const DURATION =
  /\b(?:takes?|needs?|wait(?:ing|s)?|sleep(?:ing|s)?|for|about|around|approximately|eta|expected|up to|within|in)\b[ :=~]{1,3}(?:(?:about|around|approximately|up to|another|for|~) ?)?(\d{1,4}(?:\.\d)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b/i;
const MS: Readonly<Record<string, number>> = { m: 60_000, s: 1000, ms: 1 };
/** A program that says more is not believed. */
const MAX_MS = 60 * 60_000;

/** Ms; undefined: the line says no duration. */
export function saidDurationMs(line: string): number | undefined {
  const [, figure, unit = ''] = DURATION.exec(line) ?? [];
  if (figure === undefined) return undefined;
  const scale = /^(?:ms|milli)/i.test(unit) ? MS['ms'] : MS[unit.charAt(0).toLowerCase()];
  const ms = Number(figure) * (scale ?? 0);
  return ms > 0 && ms <= MAX_MS ? ms : undefined;
}
