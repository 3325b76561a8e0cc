/** Durations as Go writes them (time.ParseDuration): "100ms", "1h30m", "1.5s". */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g;

/** Milliseconds; undefined for what is no duration, or a negative one. */
export function durationMs(text: string): number | undefined {
  if (text === '0') return 0;
  let total = 0;
  let read = 0;
  for (const [part, number = '', unit = ''] of text.matchAll(PART)) {
    total += Number(number) * (UNIT_MS[unit] ?? 0);
    read += part.length;
  }
  return read === text.length && read > 0 && Number.isFinite(total) ? total : undefined;
}

/** "1h30m0s", "5m0s", "250ms": as kubectl prints them. */
export function formatDurationMs(ms: number): string {
  if (ms < 1000) return ms === 0 ? '0s' : `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 100) / 10;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Math.round((seconds % 60) * 10) / 10}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
