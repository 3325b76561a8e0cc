import { describe, expect, it } from 'vitest';
import { expand } from './expand.ts';

const values: Record<string, string> = { A: 'a', B: 'b', EMPTY: '', REF: '$(A)', 'x.y': 'dotted' };
const lookup = (name: string): string | undefined => values[name];

describe('expand', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['$(A)', 'a'],
    ['$(A)-$(B)', 'a-b'],
    ['x$(A)y', 'xay'],
    ['$(EMPTY)', ''],
    ['$(x.y)', 'dotted'],
    ['$(MISSING)', '$(MISSING)'],
    ['$()', '$()'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$a'],
    ['$$$$(A)', '$$(A)'],
    ['$', '$'],
    ['a$', 'a$'],
    ['$$', '$'],
    ['$(A', '$(A'],
    ['$A', '$A'],
    ['$($(A))', '$($(A))'],
    ['$(REF)', '$(A)'],
    ['$(A)$', 'a$'],
    ['$(A$(B)', '$(A$(B)'],
  ])('%s becomes %s', (text, expected) => {
    expect(expand(text, lookup)).toBe(expected);
  });
});
