/** Costs by the numbers that upstream's tests expect (apiserver/pkg/cel/library, cel-go's interpreter). */
import { describe, expect, it } from 'vitest';
import { costsOf } from './costs.testing.ts';
import { INT, listOf, mapOf, STRING, type CelType, DYN, BOOL, TIMESTAMP } from './types/type.ts';
import { valueOfAnyJson } from './values/json.ts';
import type { Value } from './values/value.ts';

const INTS = '[1, 2, 3, 4, 5]';
const UINTS = '[uint(1), uint(2), uint(3), uint(4), uint(5)]';
const DOUBLES = '[1.0, 2.0, 3.0, 4.0, 5.0]';
const BOOLS = '[false, true, false, true, false]';
const TEXTS = `[${Array.from({ length: 5 }, () => "'012345678901'").join(', ')}]`;
const BYTES = `[${Array.from({ length: 5 }, () => "bytes('012345678901')").join(', ')}]`;
const DURATIONS = `[${[1, 2, 3, 4, 5].map((count) => `duration('${count}s')`).join(', ')}]`;
const TIMES = `[${[1, 2, 3, 4, 5].map((day) => `timestamp('2011-01-0${day}T00:00:00.000+01:00')`).join(', ')}]`;

/** Expression, least and most of the estimate, and what it costs. */
type Row = readonly [source: string, min: number, max: number, actual: number];

const SUMS: readonly Row[] = [
  [`${INTS}.sum()`, 15, 15, 15],
  [`${UINTS}.sum()`, 20, 20, 20],
  [`${DOUBLES}.sum()`, 15, 15, 15],
  [`${DURATIONS}.sum()`, 20, 20, 20],
];

const EXTREMES: readonly Row[] = ['isSorted', 'max', 'min'].flatMap((fn): Row[] => [
  [`${INTS}.${fn}()`, 15, 15, 15],
  [`${UINTS}.${fn}()`, 20, 20, 20],
  [`${DOUBLES}.${fn}()`, 15, 15, 15],
  [`${BOOLS}.${fn}()`, 15, 15, 15],
  [`${TEXTS}.${fn}()`, 15, 25, 15],
  [`${BYTES}.${fn}()`, 25, 35, 25],
  [`${DURATIONS}.${fn}()`, 20, 20, 20],
  [`${TIMES}.${fn}()`, 20, 20, 20],
]);

const POSITIONS: readonly Row[] = ['indexOf', 'lastIndexOf'].flatMap((fn): Row[] => [
  [`${INTS}.${fn}(3)`, 15, 15, 15],
  [`${UINTS}.${fn}(uint(3))`, 21, 21, 21],
  [`${DOUBLES}.${fn}(3.0)`, 15, 15, 15],
  [`${BOOLS}.${fn}(true)`, 15, 15, 15],
  [`${TEXTS}.${fn}('x')`, 15, 25, 15],
  [`${BYTES}.${fn}(bytes('x'))`, 26, 36, 26],
  [`${DURATIONS}.${fn}(duration('3s'))`, 21, 21, 21],
  [`${TIMES}.${fn}(timestamp('2011-01-03T00:00:00.000+01:00'))`, 21, 21, 21],
  [`'01234567890123456789012345678901234567890123456789'.${fn}('123')`, 5, 5, 5],
]);

const URLS: readonly Row[] = ['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'].map(
  (fn): Row => [`url('https:://kubernetes.io/').${fn}()`, 4, 4, 4],
);

const V6 = '2001:db8:3333:4444:5555:6666:7777:8888';
const IPS: readonly Row[] = [
  ["ip('192.168.0.1')", 2, 2, 2],
  [`ip('${V6}')`, 4, 4, 4],
  ...['family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'].flatMap(
    (fn): Row[] => [
      [`ip('192.168.0.1').${fn}()`, 3, 3, 3],
      [`ip('${V6}').${fn}()`, 5, 5, 5],
    ],
  ),
  ["ip.isCanonical('192.168.0.1')", 3, 3, 3],
  [`ip.isCanonical('${V6}')`, 8, 8, 8],
  ["ip.isCanonical('2001:db8::abcd')", 3, 3, 3],
];

const NETWORKS: readonly Row[] = [
  ["cidr('192.168.0.0/16')", 2, 2, 2],
  ["cidr('2001:db8::/32')", 2, 2, 2],
  ...['ip', 'prefixLength', 'masked'].map((fn): Row => [`cidr('192.168.0.0/16').${fn}()`, 3, 3, 3]),
  ["cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/30'))", 7, 11, 7],
  ["cidr('192.168.0.0/16').containsCIDR('192.0.0.0/30')", 7, 11, 7],
  ["cidr('192.168.0.0/16').containsIP(ip('192.0.0.1'))", 4, 7, 4],
  ["cidr('192.168.0.0/16').containsIP(ip('192.169.0.1'))", 5, 8, 5],
  ["cidr('192.168.0.0/16').containsIP('192.0.0.1')", 4, 7, 4],
  ["cidr('192.168.0.0/16').containsIP('192.169.0.1')", 5, 8, 5],
  ["cidr('2001:db8::/32').containsCIDR(cidr('2001:db8::/126'))", 7, 11, 7],
  ["cidr('2001:db8::/32').containsCIDR('2001:db8::/126')", 7, 11, 7],
  [`cidr('2001:db8::/32').containsIP(ip('${V6}'))`, 7, 10, 7],
  ["cidr('2001:db8::/32').containsIP('2001:db8::1')", 5, 8, 5],
];

const TEXT = "'ABCDEFGHIJ abcdefghij'";
const TEN = "['aa', 'bb', 'cc', 'd', 'e', 'f', 'g', 'h', 'i', 'j']";
const STRINGS: readonly Row[] = [
  [`${TEXT}.lowerAscii()`, 3, 3, 3],
  [`${TEXT}.lowerAscii() == 'abcdefghij ABCDEFGHIJ'.lowerAscii()`, 7, 9, 9],
  [`${TEXT}.upperAscii()`, 3, 3, 3],
  [`strings.quote(${TEXT})`, 3, 3, 3],
  [`strings.quote(${TEXT}) == strings.quote(${TEXT})`, 7, 11, 9],
  ["'abc 123 def 123'.replace('123', '456')", 3, 3, 3],
  ["'abc 123 def 123'.replace('', 'x')", 3, 3, 3],
  ["'abc 123 def 123'.replace('123', '')", 3, 3, 3],
  ["'abc 123 def 123'.replace('123', '456', 1)", 3, 3, 3],
  ["'abc 123 def 123'.split(' ')", 3, 3, 3],
  ["'abc 123 def 123'.split(' ', 1)", 3, 3, 3],
  ["'abc 123 def 123'.substring(5)", 2, 2, 2],
  ["'abc 123 def 123'.substring(5, 8)", 2, 2, 2],
  ["'  abc 123 def 123  '.trim()", 2, 2, 2],
  [`${TEN}.join(' ')`, 11, 23, 15],
  [`${TEN}.join()`, 10, 22, 13],
  ["'abc 123 def 123'.find('123')", 2, 2, 2],
  ["'abc 123 def 123'.findAll('123')", 2, 2, 2],
  ["'abc 123 def 123'.findAll('123', 1)", 2, 2, 2],
];

const QUANTITIES: readonly Row[] = [
  ['quantity("12Mi")', 1, 1, 1],
  ['isQuantity("20")', 1, 1, 1],
  ['quantity("50M").isLessThan(quantity("50Mi"))', 3, 3, 3],
  ['quantity("200M").compareTo(quantity("0.2G")) > 0', 4, 4, 4],
  ['quantity("200M") == quantity("200M")', 3, 3, 3],
  ['quantity("50k").add(20).sub(quantity("100k")).asInteger() > 0', 6, 6, 6],
  ['quantity("50k").add(20).sub(quantity("100k")).sub(-50000).asInteger() > 0', 7, 7, 7],
  ['quantity("50").isInteger()', 2, 2, 2],
  ['quantity("50.703k").asApproximateFloat() > 0.0', 3, 3, 3],
];

const SETS: readonly Row[] = [
  ['sets.contains([], [])', 21, 21, 21],
  ['sets.contains([1], [1, 1])', 23, 23, 23],
  ['sets.contains([1, 2, 3, 4], [2, 3])', 29, 29, 29],
  ['sets.contains([1, 2.0, 3u], [1.0, 2u, 3])', 30, 30, 30],
  ['sets.contains([[1], [2, 3]], [[2, 3.0]])', 53, 53, 53],
  ['!sets.contains([1], ["1", 1])', 24, 24, 24],
  ['sets.equivalent([], [])', 21, 21, 21],
  ['sets.equivalent([1], [1u, 1.0])', 25, 25, 25],
  ['sets.equivalent([1, 2, 3], [3u, 2.0, 1])', 39, 39, 39],
  ['sets.equivalent([[1.0], [2, 3]], [[1], [2, 3.0]])', 69, 69, 69],
  ['!sets.equivalent([1, 2], [2u, 2, 2.0])', 34, 34, 34],
  ['sets.intersects([1, 2], [2u, 2, 2.0])', 27, 27, 27],
  ['!sets.intersects([1], [])', 22, 22, 22],
];

describe('costs of libraries', () => {
  const rows = [SUMS, EXTREMES, POSITIONS, URLS, IPS, NETWORKS, STRINGS, QUANTITIES, SETS].flat();
  it.each(rows)('%s: %d to %d, %d in fact', (source, min, max, actual) => {
    const costs = costsOf(source);
    expect({ ...costs.estimate, actual: costs.actual }).toEqual({ min, max, actual });
  });
});

const ITEMS = listOf(DYN);
const NESTED = mapOf(STRING, mapOf(STRING, DYN));

/** Expression, types and values of its variables, and what it costs. */
const IN_FACT: readonly (readonly [
  string,
  Readonly<Record<string, CelType>>,
  Readonly<Record<string, unknown>>,
  number,
])[] = [
  ['"Hello World!"', {}, {}, 0],
  ['input', { input: ITEMS }, { input: [1, 2] }, 1],
  ["input['key']", { input: mapOf(STRING, STRING) }, { input: { key: 'v' } }, 2],
  ['input[0]', { input: ITEMS }, { input: ['v'] }, 2],
  ['input.field', { input: mapOf(STRING, INT) }, { input: { field: 1 } }, 2],
  ["input['ke' + 'y']", { input: mapOf(STRING, STRING) }, { input: { key: 'v' } }, 3],
  ['input[3-3]', { input: ITEMS }, { input: ['v'] }, 3],
  ['has(input.field)', { input: mapOf(STRING, INT) }, { input: { field: 1 } }, 1],
  ['has(input.outer.inner)', { input: NESTED }, { input: { outer: { inner: 1 } } }, 2],
  ['[1, 2, 3]', {}, {}, 10],
  ['{"a": 1, "b": 2, "c": 3}', {}, {}, 30],
  ['input.all(x, true)', { input: ITEMS }, { input: [] }, 2],
  ['[1, 2, 3].all(x, true)', {}, {}, 20],
  ["input.matches('[0-9]')", { input: STRING }, { input: 'x'.repeat(500) }, 103],
  ["'123'.matches('[0-9]')", {}, {}, 2],
  ['true || false', {}, {}, 0],
  ['a || b || c || d', { a: BOOL, b: BOOL, c: BOOL, d: BOOL }, { a: false, b: false, c: false, d: false }, 4],
  ['a && b && c && d', { a: BOOL, b: BOOL, c: BOOL, d: BOOL }, { a: true, b: true, c: true, d: true }, 4],
  ['1 < 2', {}, {}, 1],
  ['2 in [1, 2, 3]', {}, {}, 13],
  ['1 % 1', {}, {}, 1],
  ['true ? 1 : 2', {}, {}, 0],
  ["'12345678901234567890' == '123456789012345678901234567890'", {}, {}, 2],
  ['bytes(input)', { input: STRING }, { input: 'x'.repeat(500) }, 51],
  ['string(1)', {}, {}, 1],
  ['input.contains(other)', { input: STRING, other: STRING }, { input: 'x'.repeat(500), other: 'y'.repeat(500) }, 2502],
  ["input.matches('\\\\d+a\\\\d+b')", { input: STRING }, { input: 'x'.repeat(500) }, 103],
  ['input.startsWith(other)', { input: STRING, other: STRING }, { input: 'idc', other: 'y'.repeat(500) }, 3],
  ['size(input)', { input: STRING }, { input: '500' }, 2],
  ['(x > 2 ? one : other).all(y, true)', { x: INT, one: ITEMS, other: ITEMS }, { x: 1, one: [{}], other: [{}] }, 6],
  ['false ? false : 1 > 3', {}, {}, 1],
  ['input.all(k, input[k].field > 3)', { input: NESTED }, { input: { val: { field: 0 } } }, 9],
  ['input.getFullYear()', { input: TIMESTAMP }, {}, 2],
];

describe('costs in fact', () => {
  it.each(IN_FACT)('%s', (source, types, json, cost) => {
    const values: Record<string, Value> = {};
    for (const [name, value] of Object.entries(json)) values[name] = valueOfAnyJson(value);
    expect(costsOf(source, { types, values }).actual).toBe(cost);
  });
});
