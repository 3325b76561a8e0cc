/** Durations as Go writes and reads them ("1h30m", "500ms", "1.5s"). Pure. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In ms; `undefined`: no duration. */
export function parseGoDuration(text: string): number | undefined {
  const [, sign, rest = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0;
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let ms = 0;
  for (const [, number, unit] of rest.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    ms += Number(number) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  }
  return sign === '-' ? -ms : ms;
}
