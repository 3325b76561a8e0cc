/** Makes foreign texts ready for the page: masked as in `why`, without control characters, bounded. Pure. */
import { visibleLine, visibleText } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import { MAX_LINE_CHARACTERS, MAX_TEXT } from '../limits.ts';

export function shownText(text: string): string {
  return visibleLine(maskSecrets(text)).slice(0, MAX_TEXT);
}

/** The last lines of a text that may have many. */
export function shownLines(text: string, count: number): readonly string[] {
  const lines = visibleText(maskSecrets(withoutEscapes(text)))
    .trimEnd()
    .split('\n');
  return lines.slice(-count).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
}

// oxlint-disable-next-line no-control-regex -- the pattern is about control characters
const ESCAPES = /\u001b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Colours and movements of a terminal; what is left of a broken one is made visible later. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, '');
}
