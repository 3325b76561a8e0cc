/** Compares lines by their words, as what is told of a line is masked, and differs from the line itself in numbers and signs. Pure. */
import { maskSecrets } from './mask-secrets.ts';

/** How many of the lines have the words of the one, secrets masked. */
export function timesIn(lines: readonly string[], one: string): number {
  const wanted = bareWords(one);
  return wanted === '' ? 0 : lines.filter((line) => bareWords(line).includes(wanted)).length;
}

/** The words of a line, secrets masked, without what differs from one time to the next. */
export function bareWords(line: string): string {
  return maskSecrets(line)
    .replaceAll(/[\d\W]+/g, ' ')
    .trim();
}
