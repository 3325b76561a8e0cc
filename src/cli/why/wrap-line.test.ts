import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapLine } from './wrap-line.ts';

describe('wrapLine', () => {
  it.each<[what: string, text: string, columns: number | undefined, lines: readonly string[]]>([
    ['no terminal', 'a '.repeat(60).trim(), undefined, ['a '.repeat(60).trim()]],
    ['a narrow terminal', 'a '.repeat(60).trim(), 40, ['a '.repeat(60).trim()]],
    ['a line that fits', 'short', 80, ['short']],
    ['a line that is too long', `${'a'.repeat(50)} ${'b'.repeat(10)} c`, 60, ['a'.repeat(50), `${'b'.repeat(10)} c`]],
    ['a word that is too long', `x ${'a'.repeat(90)} y`, 60, ['x', 'a'.repeat(90), 'y']],
  ])('%s', (_what, text, columns, lines) => {
    expect(wrapLine(text, 4, columns)).toEqual(lines);
  });
  it('loses no word, and no line is too long that has several', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { maxLength: 60 }),
        fc.integer({ min: 60, max: 200 }),
        (words, columns) => {
          const lines = wrapLine(words.join(' '), 4, columns);
          expect(lines.join(' ')).toBe(words.join(' '));
          for (const line of lines) expect(line.length <= columns - 4 || !line.includes(' ')).toBe(true);
        },
      ),
    );
  });
});
