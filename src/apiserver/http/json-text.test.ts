import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateFields, shapeOfJson } from './json-text.ts';

const endless = { depth: Infinity, entries: Infinity, widest: Infinity };

describe('duplicateFields', () => {
  it.each([
    ['{}', []],
    ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', []],
    ['{"a":1,"a":2}', ['duplicate field "a"']],
    ['{"a":{"b":1,"c":[],"b":2}}', ['duplicate field "a.b"']],
    ['{"l":[{"x":1},{"x":1,"x":{}}]}', ['duplicate field "l[1].x"']],
    ['{"a":"a","b":"a","c":["a","a"]}', []],
    [String.raw`{"a\"":"{\"a\":1,\"a\":2}","b":{}}`, []],
    ['[[{"k":1,"k":1}]]', ['duplicate field "[0][0].k"']],
    [String.raw`{"a":1,"\u0061":2}`, ['duplicate field "a"']],
    [String.raw`{"a\\":1,"a\\":2,"b":{"c":[]}}`, [String.raw`duplicate field "a\\"`]],
    ['{"a":{"x":[1,{"y":2}],"z":3},"a":{"x":1}}', ['duplicate field "a"']],
    // A name that replaces a whole object takes its members along: these are missing, too.
    ['{"a":{"b":1,"c":2},"d":3,"a":4}', ['duplicate field "a"']],
    ['{"__proto__":1,"__proto__":2}', ['duplicate field "__proto__"']],
  ])('%s', (text, expected) => {
    expect(duplicateFields(text, JSON.parse(text), shapeOfJson(text, endless))).toEqual(expected);
  });

  it('tells some of very many, with paths that are cut', () => {
    const text = `{"${'x'.repeat(100_000)}":{${Array.from({ length: 60_000 }, () => '"a":1').join(',')}}}`;
    const told = duplicateFields(text, JSON.parse(text), shapeOfJson(text, endless));
    expect(told).toHaveLength(20);
    expect(told.join('').length).toBeLessThan(20_000);
  });

  it('finds none in what was never written twice', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(duplicateFields(text, JSON.parse(text), shapeOfJson(text, endless))).toEqual([]);
      }),
    );
  });
});

function naive(value: unknown): { depth: number; entries: number; widest: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, entries: 0, widest: 0, members: 0 };
  const children = Object.values(value).map(naive);
  const own = children.length;
  return {
    depth: 1 + Math.max(0, ...children.map(({ depth }) => depth)),
    entries: own + children.reduce((sum, { entries }) => sum + entries, 0),
    widest: Math.max(own, ...children.map(({ widest }) => widest)),
    members: (Array.isArray(value) ? 0 : own) + children.reduce((sum, { members }) => sum + members, 0),
  };
}

describe('shapeOfJson', () => {
  it('sees what a parser would', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t\r\n '), (json, space) => {
        const value: unknown = JSON.parse(json);
        expect(shapeOfJson(JSON.stringify(value, null, space), endless)).toEqual(naive(value));
      }),
    );
  });

  it.each([
    ['depth', '['.repeat(2_000_000), { ...endless, depth: 500 }, 501],
    ['depth', '{"a":'.repeat(400_000), { ...endless, depth: 500 }, 501],
    ['entries', `[${'{},'.repeat(900_000)}`, { ...endless, entries: 1000 }, 1001],
    ['widest', `{"a":[${'1,'.repeat(900_000)}`, { ...endless, widest: 1000 }, 1001],
  ] as const)('stops at the limit of %s', (what, text, limits, expected) => {
    expect(shapeOfJson(text, limits)[what]).toBe(expected);
  });

  it.each(['', '"', '"\\', '{"a":"\\"', ']]]]', ',,,', '{]', ':'])('makes something of %j', (text) => {
    expect(shapeOfJson(text, endless).depth).toBeLessThan(3);
  });
});
