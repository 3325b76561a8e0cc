/**
 * How much of what was sent comes back in a refusal: begin and end of a value, a name, a message, and how much was left out between.
 * Upstream repeats all of it, so that a megabyte that is refused costs several on its way back, and in each log that tells it. Pure.
 */
import type { Status, StatusCause, StatusDetails } from './types.gen.ts';

/** Of one value or name; no valid name is longer (253). */
export const MAX_ECHO_CHARACTERS = 256;
/** Of what one cause says, and of the field that it names. */
export const MAX_CAUSE_CHARACTERS = 1024;
/** Of all causes of an answer. */
const MAX_CAUSES_CHARACTERS = 32 * 1024;
/** Of the message of an answer. */
export const MAX_MESSAGE_CHARACTERS = 32 * 1024;

/** Of what is kept of a text that is too long, its begin; the rest is its end, where a message says what is wrong. */
const BEGIN_SHARE = 0.75;

/** `text`, or begin and end of it, with the number of characters that were left out between them. */
export function shorten(text: string, maxCharacters = MAX_ECHO_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  // The mark counts, too: what was shortened once is not shortened again.
  const kept = Math.max(0, maxCharacters - mark(text.length).length);
  const begin = Math.ceil(kept * BEGIN_SHARE);
  const end = text.length - (kept - begin);
  // A pair of surrogates is left out as a whole.
  const before = isSecondHalf(text, begin) ? begin - 1 : begin;
  const after = isSecondHalf(text, end) ? end + 1 : end;
  return `${text.slice(0, before)}${mark(after - before)}${text.slice(after)}`;
}

/**
 * A status whose answer is small, whatever it was made of. What is no text where text is due (another server's answer) stays as
 * it is.
 */
export function shortenStatus(status: Status): Status {
  const message = short(status.message, MAX_MESSAGE_CHARACTERS);
  const { details } = status;
  return {
    ...status,
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details: shortenDetails(details) }),
  };
}

function shortenDetails(details: StatusDetails): StatusDetails {
  const short: StatusDetails = { ...details };
  for (const field of ['name', 'group', 'kind'] as const) {
    const text = details[field];
    if (isText(text)) short[field] = shorten(text);
  }
  if (Array.isArray(details.causes)) short.causes = shortenCauses(details.causes);
  return short;
}

/** As many as there is room for, and the first in any case. */
function shortenCauses(causes: readonly StatusCause[]): StatusCause[] {
  let left = MAX_CAUSES_CHARACTERS;
  const told: StatusCause[] = [];
  for (const given of causes) {
    const cause: StatusCause = { ...given };
    for (const field of ['reason', 'message', 'field'] as const) {
      const text = cause[field];
      if (!isText(text)) continue;
      cause[field] = shorten(text, MAX_CAUSE_CHARACTERS);
      left -= cause[field].length;
    }
    if (left < 0 && told.length > 0) break;
    told.push(cause);
  }
  return told;
}

function short<T>(value: T, maxCharacters: number): T | string {
  return isText(value) ? shorten(value, maxCharacters) : value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function mark(leftOut: number): string {
  return `…(${leftOut} characters left out)…`;
}

function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
