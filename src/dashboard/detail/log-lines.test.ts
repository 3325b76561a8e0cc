import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LINE_CHARACTERS } from '../limits.ts';
import { LogLines } from './log-lines.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const all = (...chunks: string[]): string => {
  const log = new LogLines();
  return chunks.map((chunk) => log.add(bytes(chunk))).join('') + log.end();
};

describe('lines of a log', () => {
  it.each([
    ['colours and movements', '\u001b[31mred\u001b[0m \u001b[2J\u001b]0;title\u0007x\n', 'red x\n'],
    ['other control characters', 'a\u0000b\u0085c\u202e\n', 'a\\u0000b\\u0085c\\u202e\n'],
    ['carriage returns', 'a\r\nb\rc\n', 'a\nb\\u000dc\n'],
    ['secrets', 'password=hunter2 x\n', 'password=*** x\n'],
    ['no end', 'a\nb', 'a\nb\n'],
    ['HTML, which is text', '<script>alert(1)</script>\n', '<script>alert(1)</script>\n'],
  ])('have no harm: %s', (_, text, expected) => {
    expect(all(text)).toBe(expected);
  });

  it('of a key are left out, however they come', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n';
    const text = all('before\n', key.slice(0, 40), key.slice(40), 'after\n');
    expect(text).toBe('before\n-----BEGIN PRIVATE KEY-----***\nafter\n');
  });

  it('are cut where they are too long', () => {
    const text = all(`${'x'.repeat(3 * MAX_LINE_CHARACTERS)}\nnext\n`);
    const [long = '', next] = text.split('\n');
    expect([long.length, next]).toEqual([MAX_LINE_CHARACTERS + 1, 'next']);
    const slowly = all(...Array.from({ length: 100 }, () => 'y'.repeat(1000)), '\nnext\n').split('\n');
    expect(slowly.map((line) => line.length)).toEqual([MAX_LINE_CHARACTERS + 1, 4, 0]);
  });

  it('are the same however they are cut into pieces', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/[\n\r]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(100), { maxLength: 6 }), (lines, cuts) => {
        const whole = bytes(lines.map((each) => `${each}\n`).join(''));
        const log = new LogLines();
        let out = '';
        let from = 0;
        for (const cut of [...cuts.map((at) => Math.min(at, whole.length)).toSorted((a, b) => a - b), whole.length]) {
          out += log.add(whole.subarray(from, cut));
          from = cut;
        }
        expect(out + log.end()).toBe(new LogLines().add(whole));
      }),
      { numRuns: 200 },
    );
  });
});
