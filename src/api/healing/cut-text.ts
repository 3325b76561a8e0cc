/** Cuts texts to a size in JSON, so that an annotation has a bound whatever its texts are. */
import { byteLength } from '../validation/messages.ts';
import { MAX_QUOTED_REASON_LENGTH } from './limits.ts';

const ELLIPSIS = '…';

/** A user's reason as events quote it: in one line, and cut if it is long. */
export function quotedReason(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim();
  const signs = Array.from(line);
  if (signs.length <= MAX_QUOTED_REASON_LENGTH) return line;
  return `${signs.slice(0, MAX_QUOTED_REASON_LENGTH - 1).join('')}${ELLIPSIS}`;
}

/** The text, or its beginning and an ellipsis: at most `maxBytes` as a JSON string without its quotes. */
export function cutText(text: string, maxBytes: number): string {
  if (jsonBytes(text) <= maxBytes) return text;
  let room = maxBytes - byteLength(ELLIPSIS);
  if (room <= 0) return '';
  let end = 0;
  for (const sign of text) {
    room -= jsonBytes(sign);
    if (room < 0) break;
    end += sign.length;
  }
  return `${text.slice(0, end)}${ELLIPSIS}`;
}

function jsonBytes(text: string): number {
  return byteLength(JSON.stringify(text)) - 2;
}
