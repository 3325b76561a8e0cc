/** Texts that kubectl users know are formatted by Go: durations ("1m30.5s") and quoted strings. Pure. */

/** Like Go's `time.Duration.String()` for a duration in ms, to the microsecond: "0s", "850ms", "1.2s", "3m5s", "1h0m0s". */
export function formatDuration(ms: number): string {
  const negative = ms < 0;
  const micros = Math.round(Math.abs(ms) * 1000);
  if (micros === 0) return '0s';
  const sign = negative ? '-' : '';
  if (micros < 1000) return `${sign}${micros}µs`;
  if (micros < 1_000_000) return `${sign}${trimmed(micros / 1000)}ms`;
  const totalSeconds = micros / 1_000_000;
  const hours = Math.floor(totalSeconds / 3600);
  const minutes = Math.floor((totalSeconds - hours * 3600) / 60);
  const seconds = (micros - (hours * 3600 + minutes * 60) * 1_000_000) / 1_000_000;
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : '';
  return `${sign}${head}${trimmed(seconds)}s`;
}

/** Cut to whole ms, as upstream does in events. */
export function formatDurationMs(ms: number): string {
  return formatDuration(Math.trunc(ms));
}

function trimmed(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '');
}

const SHORT: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Like Go's `%q`. */
export function quote(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (SHORT[char] !== undefined) out += SHORT[char];
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (/[\p{C}\p{Zl}\p{Zp}]|[^\S ]/u.test(char))
      out += code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
    else out += char;
  }
  return `${out}"`;
}
