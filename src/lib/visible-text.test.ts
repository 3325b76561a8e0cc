import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VisibleDecoder, visibleLine, visibleText } from './visible-text.ts';

const ESC = '\u001b';
// oxlint-disable-next-line no-control-regex
const DANGEROUS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/;
const utf8 = (text: string) => new TextEncoder().encode(text);

function decoded(...chunks: Uint8Array[]): string {
  const decoder = new VisibleDecoder();
  return chunks.map((chunk) => decoder.add(chunk)).join('') + decoder.end();
}

describe('visibleText', () => {
  it.each([
    ['a colour', `${ESC}[31mred${ESC}[0m`, '\\u001b[31mred\\u001b[0m'],
    ['a title', `${ESC}]0;root@host\u0007`, '\\u001b]0;root@host\\u0007'],
    ['a clipboard', `${ESC}]52;c;cm0gLXJmIC8=${ESC}\\`, '\\u001b]52;c;cm0gLXJmIC8=\\u001b\\'],
    ['the other kind of controls', '\u009b31m\u009dx\u009c', '\\u009b31m\\u009dx\\u009c'],
    ['a device question', `${ESC}[6n${ESC}Z\u0005`, '\\u001b[6n\\u001bZ\\u0005'],
    ['what hides what was said', 'secret\rharmless\b\b\u007f', 'secret\\u000dharmless\\u0008\\u0008\\u007f'],
    ['NUL', 'a\0b', 'a\\u0000b'],
    ['an override of direction', 'user\u202e\u2066nimda\u2069', 'user\\u202e\\u2066nimda\\u2069'],
    ['half a pair', 'a\ud800b', 'a\\ud800b'],
    ['a separator', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
  ])('shows %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(decoded(utf8(text))).toBe(text.includes('\ud800') ? 'a\ufffdb' : shown);
  });

  it.each(['plain', 'tab\tand\nnewline\n', 'windows\r\nline\r\n', 'ä€𝄞 👩‍👩‍👧 שלום العربية', ''])(
    'leaves %j alone',
    (text) => {
      expect(visibleText(text)).toBe(text);
      expect(decoded(utf8(text))).toBe(text);
    },
  );

  it('never lets anything through, and changes no JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visibleText(text)).not.toMatch(DANGEROUS);
        expect(visibleLine(text)).not.toMatch(/[\n\t\r]/);
        expect(visibleLine(text)).not.toMatch(DANGEROUS);
        expect(JSON.parse(visibleText(JSON.stringify({ text })))).toEqual({ text });
      }),
    );
  });
});

describe('VisibleDecoder', () => {
  it('shows bytes that are no text', () => {
    expect(decoded(Uint8Array.of(0x61, 0xff, 0xfe, 0x62))).toBe('a\\xff\\xfeb');
    // An overlong encoding of ESC, half a surrogate pair, and a code point beyond the last character.
    expect(decoded(Uint8Array.of(0xc0, 0x9b, 0xed, 0xa0, 0x80, 0xf5))).toBe('\\xc0\\x9b\\xed\\xa0\\x80\\xf5');
    // A C1 control character as a single byte, which some terminals obey.
    expect(decoded(Uint8Array.of(0x9b, 0x33, 0x31, 0x6d))).toBe('\\x9b31m');
    expect(decoded(utf8('€').subarray(0, 2))).toBe('\\xe2\\x82');
  });

  it('says the same however the bytes are parted', () => {
    const chunks = fc.uint8Array({ max: 255, maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(chunks, fc.string({ unit: 'binary' }).map(utf8)), fc.nat(), fc.nat(), (bytes, a, b) => {
        const [from = 0, to = 0] = [a % (bytes.length + 1), b % (bytes.length + 1)].toSorted((x, y) => x - y);
        const parted = decoded(bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to));
        expect(parted).toBe(decoded(bytes));
        expect(parted).not.toMatch(DANGEROUS);
      }),
    );
  });
});
