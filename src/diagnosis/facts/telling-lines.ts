/** The last lines that tell something: a trace ends with frames, and what happened stands above them. */

/** Java, Node.js, .NET; Python; Go. */
const TRACES = /^\s+at \S|^\s+File "|^goroutine \d+ /;
const FRAMES: readonly RegExp[] = [
  /^\s+at \S/,
  /^\s+File "/,
  /^\s*\.\.\. \d+ (?:more|common frames)/,
  /^goroutine \d+ /,
  /^\s+\S+\.go:\d+/,
  /^(?:created by )?[\w./*()-]+\(.*\)$/,
  // What stands around them.
  /^\[signal SIG|^exit status \d+$|^Node\.js v\d|^[\s{}[\](),;]+$/,
];
const HEADLINE = /^(?:panic|fatal(?: error)?)\b|(?:Error|Exception)\b|^Caused by:/;

/**
 * At most `count` of a log's lines, in their order: the last ones; of a trace what was thrown, and the last line that is no
 * frame of it.
 */
export function tellingLines(lines: readonly string[], count: number): readonly string[] {
  if (!lines.some((line) => TRACES.test(line))) return lines.slice(-count);
  const words = lines.filter((line) => !FRAMES.some((frame) => frame.test(line)));
  const headlines = words.filter((line) => HEADLINE.test(line)).slice(-count);
  if (headlines.length === 0) return (words.length === 0 ? lines : words).slice(-count);
  const last = words.at(-1) ?? '';
  return headlines.length === count || headlines.includes(last) ? headlines : [...headlines, last];
}
