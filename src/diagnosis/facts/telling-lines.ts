/** Picks the significant last lines of a log: a stack trace ends with frames, and its error stands above them. */

/** Java, Node.js, .NET; Python; Go. */
const TRACES = /^\s+at \S|^\s+File "|^goroutine \d+ /;
const FRAMES: readonly RegExp[] = [
  /^\s+at \S/,
  /^\s+File "/,
  /^\s*\.\.\. \d+ (?:more|common frames)/,
  /^goroutine \d+ /,
  /^\s+\S+\.go:\d+/,
  /^(?:created by )?[\w./*()-]+\(.*\)$/,
  // Lines around the frames.
  /^\[signal SIG|^exit status \d+$|^Node\.js v\d|^[\s{}[\](),;]+$/,
];
const HEADLINE = /^(?:panic|fatal(?: error)?)\b|(?:Error|Exception)\b|^Caused by:/;

/**
 * At most `count` of a log's lines, in their order: the last lines, or for a stack trace its error and the last line that is
 * not a frame.
 */
export function tellingLines(lines: readonly string[], count: number): readonly string[] {
  if (!lines.some((line) => TRACES.test(line))) return lines.slice(-count);
  const words = lines.filter((line) => !FRAMES.some((frame) => frame.test(line)));
  const headlines = words.filter((line) => HEADLINE.test(line)).slice(-count);
  if (headlines.length === 0) return (words.length === 0 ? lines : words).slice(-count);
  const last = words.at(-1) ?? '';
  return headlines.length === count || headlines.includes(last) ? headlines : [...headlines, last];
}
