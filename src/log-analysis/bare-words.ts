/** Compares lines by their words, as what is told of a line is masked, and differs from the line itself in numbers and signs. Pure. */
import { maskSecrets } from './mask-secrets.ts';
import { parseLine } from './parse-line.ts';

/** How many of the lines say what was told of one. */
export function timesIn(lines: readonly string[], one: string): number {
  return lines.filter((line) => saysAgain(line, one)).length;
}

/** The words of a line, secrets masked, without what differs from one time to the next. */
export function bareWords(line: string): string {
  return maskSecrets(line)
    .replaceAll(/[\d\W]+/g, ' ')
    .trim();
}

/** Shorter texts begin others by accident. */
const MIN_BEGIN = 8;
/** What is told of a long line lacks its middle. */
const MAX_BEGIN = 120;

/**
 * Whether a line of a log says what was told of another one. Of a structured line message and cause are told together, and stand in
 * fields of their own.
 */
export function saysAgain(line: string, told: string): boolean {
  const wanted = bareWords(told);
  if (wanted === '') return false;
  if (bareWords(line).includes(wanted)) return true;
  if (!/[{=]/.test(line)) return false;
  const said = bareWords(parseLine(line, 0)[0]?.said ?? '').slice(0, MAX_BEGIN);
  return said.length >= MIN_BEGIN && wanted.startsWith(said);
}
