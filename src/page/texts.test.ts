import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible, visibleLine } from './visible-text.ts';
import {
  ageWords,
  agoWords,
  coreWords,
  countdownWords,
  instantWords,
  machineInstant,
  memoryWords,
  spanWords,
} from './words.ts';

describe('figures in words', () => {
  it.each([
    [0, 'under 1 s'],
    [2, '0.01 s'],
    [114, '0.11 s'],
    [994, '0.99 s'],
    [996, '1.0 s'],
    [4_230, '4.2 s'],
    [9_949, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [125_000, '2 min 5 s'],
    [3_599_900, '60 min'],
    [3_840_000, '1 h 4 min'],
    [180_000_000, '2 d 2 h'],
    [-5, 'under 1 s'],
  ])('a span of %d ms is %s', (ms, words) => {
    expect(spanWords(ms)).toBe(words);
  });

  it.each([
    [-4_000, 'now'],
    [1, 'in 1 s'],
    [38_000, 'in 38 s'],
    [59_001, 'in 1:00 min'],
    [125_000, 'in 2:05 min'],
    [3_840_000, 'in 1:04 h'],
  ])('a timer with %d ms left shows %s', (ms, words) => {
    expect(countdownWords(ms)).toBe(words);
  });

  it('ages name their largest unit', () => {
    expect([1_000, 12_300, 200_000, 7_300_000, 400_000_000].map(agoWords)).toEqual([
      'just now',
      '12 s ago',
      '3 min ago',
      '2 h ago',
      '4 d ago',
    ]);
    expect(ageWords(-1)).toBe('0 s');
  });

  it('memory and cores are written as quantities', () => {
    expect([0, 900, 536_870_912, 1_610_612_736, 5_368_709].map(memoryWords)).toEqual([
      '0 B',
      '900 B',
      '512 Mi',
      '1.5 Gi',
      '5.1 Mi',
    ]);
    expect([0, 0.0421, 0.25, 1, 12.4].map(coreWords)).toEqual([
      '0 cores',
      '0.042 cores',
      '0.25 cores',
      '1 core',
      '12 cores',
    ]);
  });

  it('an instant that is none is told and not thrown', () => {
    expect(instantWords(1_700_000_000_000)).toBe('2023-11-14 22:13:20 UTC');
    expect([Number.NaN, Infinity, 9e15].map(machineInstant)).toEqual([undefined, undefined, undefined]);
    expect(instantWords(Number.NaN)).toBe('at a time that is none');
  });
});

describe('texts from outside', () => {
  it.each([
    ['a\u202eb', 'a⟨202E⟩b'],
    ['\u001b[31mred\u0007', '⟨1B⟩[31mred⟨07⟩'],
    ['x\u200b\u2066y\ufeff', 'x⟨200B⟩⟨2066⟩y⟨FEFF⟩'],
    ['half \ud800 of a pair', 'half ⟨D800⟩ of a pair'],
    ['tag \u{e0041}', 'tag ⟨E0041⟩'],
    ['größer 変 👍🏽', 'größer 変 👍🏽'],
    ['one\r\ntwo\rthree', 'one\ntwo⟨0D⟩three'],
  ])('%j is shown as %s', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('a line stays one line', () => {
    expect(visibleLine('pods healthy\n1 gave up')).toBe('pods healthy⟨0A⟩1 gave up');
  });

  it('a long text is cut, and says so', () => {
    expect(visible('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}…`);
  });

  it('whatever comes, nothing invisible is left', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x2fff }), { maxLength: 60 }), (codes) => {
        const text = String.fromCodePoint(...codes);
        // oxlint-disable-next-line no-control-regex
        expect(visibleLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 300 },
    );
  });
});
