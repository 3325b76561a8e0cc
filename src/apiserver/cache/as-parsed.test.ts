import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asParsed } from './as-parsed.ts';

/** As parsers make objects. */
const plain = { noNullPrototype: true };
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, '', 'a', 0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1', '__proto__'), fc.option(tie('tree'), { nil: undefined }), plain),
  ),
}));

describe('asParsed', () => {
  it('gives what a parser would', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tree, plain), (value) => {
        expect(asParsed(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
  it('gives null for what a list does not have', () => {
    expect(asParsed([undefined, 1])).toStrictEqual([null, 1]);
  });
  it('copies nothing that stays as it is', () => {
    const spec = { a: [{ b: 1 }] };
    const value = { spec, status: { c: undefined } };
    expect(asParsed(spec)).toBe(spec);
    expect(asParsed(value)).toStrictEqual({ spec, status: {} });
    expect(asParsed(value).spec).toBe(spec);
  });
});
