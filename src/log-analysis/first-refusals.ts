/** Leaves out what a server said in its first moments of requests that it could not pass on, and never again. Pure. */
import { saysAgain } from './bare-words.ts';
import { parseLine } from './parse-line.ts';

/** A proxy's word about one request or one connection: the next one would have it said again. */
const OF_REQUEST =
  /\bwhile connecting to upstream\b|, upstream: "|\bAH0(?:1114|0957|1102)\b|\b(?:backend|upstream|proxy)\b.{0,120}\b(?:refused|unreachable|no live|unavailable|reset)\b|\brequest: "/i;
const REFUSED = /\brefused\b|\bno such file\b|\bunreachable\b|\breset\b|\bno live\b|\bunavailable\b|\bnot resolve/i;

/** Those whom it passes requests on to start beside it, ms. */
const FIRST_MS = 5000;
/** Many lines have whole seconds. */
const ROUNDING_MS = 1000;
const DAY_MS = 86_400_000;

/** How long after a moment a line was written, by its time of day, which is taken for UTC; undefined: it has none. */
export function msAfter(line: string, momentMs: number): number | undefined {
  const { atMs } = parseLine(line, 0)[0] ?? {};
  return atMs === undefined ? undefined : (((atMs - momentMs) % DAY_MS) + DAY_MS) % DAY_MS;
}

/**
 * The lines without these. They are kept where the same is said later, and where no line has a time.
 *
 * @param startedAtMs when the program started, wall ms; its lines' times of day are taken for UTC
 */
export function withoutFirstRefusals(lines: readonly string[], startedAtMs: number): readonly string[] {
  const isFirst = (line: string): boolean => {
    if (!OF_REQUEST.test(line) || !REFUSED.test(line)) return false;
    const laterMs = msAfter(line, startedAtMs - ROUNDING_MS);
    return laterMs !== undefined && laterMs <= FIRST_MS + ROUNDING_MS;
  };
  const first = lines.filter((line) => isFirst(line));
  if (first.length === 0) return lines;
  const later = lines.filter((line) => !first.includes(line));
  const isOver = (line: string): boolean =>
    !later.some((each) => REFUSED.test(each) && saysAgain(each, withoutTime(line)));
  return lines.filter((line) => !first.includes(line) || !isOver(line));
}

function withoutTime(line: string): string {
  return parseLine(line, 0)[0]?.said ?? line;
}
