/**
 * Makes foreign text harmless for a terminal: control characters (C0, C1, and so escape sequences) and overrides of the text
 * direction are printed as numbers, `\u001b`. JSON uses the same notation, so JSON stays valid and equal. Pure.
 */

// All control characters except tab and newline, and except a carriage return before a newline; separators of lines and
// paragraphs; embeddings, overrides and isolates of direction; lone surrogates.
const DRIVING =
  // oxlint-disable-next-line no-control-regex -- the pattern is about control characters
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]|\r(?!\n)/gu;
// oxlint-disable-next-line no-control-regex
const WHITE_CONTROLS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** Makes lines of text visible; newlines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(DRIVING, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** Makes a part of a line visible: breaks and tabs become blanks, and blanks at its ends are removed. */
export function visibleLine(text: string): string {
  return visibleText(text.replace(WHITE_CONTROLS, ' ')).trim();
}

const CARRIAGE_RETURN = 13;
const NONE = new Uint8Array();

/** Decodes bytes that come in pieces to visible text; invalid UTF-8 is printed byte by byte, `\xff`. */
export class VisibleDecoder {
  readonly #strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The beginning of a character, or a carriage return whose newline may follow. */
  #held: Uint8Array = NONE;

  add(chunk: Uint8Array): string {
    const bytes = joined(this.#held, chunk);
    const end = bytes.length - heldBack(bytes);
    this.#held = bytes.slice(end);
    return this.#text(bytes.subarray(0, end));
  }

  /** The rest of the text at the end. */
  end(): string {
    const rest = this.#held;
    this.#held = NONE;
    return this.#text(rest);
  }

  #text(bytes: Uint8Array): string {
    const text = this.#decoded(bytes);
    return text === undefined ? visibleText(this.#piecewise(bytes)) : visibleText(text);
  }

  #decoded(bytes: Uint8Array): string | undefined {
    try {
      return this.#strict.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #piecewise(bytes: Uint8Array): string {
    let out = '';
    for (let at = 0; at < bytes.length; ) {
      const byte = bytes[at] ?? 0;
      const length = lengthOf(byte);
      const text = length === 0 ? undefined : this.#decoded(bytes.subarray(at, at + length));
      out += text ?? `\\x${byte.toString(16).padStart(2, '0')}`;
      at += text === undefined ? 1 : length;
    }
    return out;
  }
}

/** The length in bytes of a character with this first byte; 0: no character begins with it. */
function lengthOf(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc2 || byte > 0xf4) return 0;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/** The number of bytes at the end whose meaning depends on the next bytes. */
function heldBack(bytes: Uint8Array): number {
  if (bytes.at(-1) === CARRIAGE_RETURN) return 1;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const length = lengthOf(bytes[bytes.length - back] ?? 0);
    if (length > 1) return length > back ? back : 0;
    if (length === 1) return 0;
  }
  return 0;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
