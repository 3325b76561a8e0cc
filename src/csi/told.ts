/** Texts of plugins in errors, events and logs. Pure. */
import { visibleLine } from '../lib/index.ts';

/** Longest text of a plugin's own that is repeated, in characters. */
export const MAX_TOLD_LENGTH = 1024;

/** What a plugin says, as one line of bounded length without control characters. */
export function told(text: string): string {
  // One character becomes six at most.
  const line = visibleLine(text.slice(0, MAX_TOLD_LENGTH));
  return text.length > MAX_TOLD_LENGTH || line.length > MAX_TOLD_LENGTH
    ? `${line.slice(0, MAX_TOLD_LENGTH - 1)}…`
    : line;
}
