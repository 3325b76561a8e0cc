/** What Kubernetes' functions answer, by table. */
import { describe, expect, it } from 'vitest';
import { compile, evaluate, isFailure } from '../program.ts';
import { CelError } from '../values/value.ts';
import { KUBERNETES } from './functions.ts';

function answerOf(source: string): unknown {
  const program = compile(source, { variables: {} });
  if (isFailure(program)) return program.text;
  const { value } = evaluate(program, () => undefined);
  return value instanceof CelError ? `error: ${value.message}` : value;
}

const TRUE: Readonly<Record<string, readonly string[]>> = {
  lists: [
    '[1, 2, 2, 3].isSorted()',
    "!['b', 'a'].isSorted()",
    '[1, 2, 3].sum() == 6',
    '[1.5, 2.5].sum() == 4.0',
    "[duration('1m'), duration('30s')].sum() == duration('90s')",
    '[].isSorted()',
    "['c', 'a', 'b'].min() == 'a'",
    '[1, 3, 2].max() == 3',
    "['a', 'b', 'b'].indexOf('b') == 1",
    "['a', 'b', 'b'].lastIndexOf('b') == 2",
    "['a'].indexOf('x') == -1",
    '[1, 2, 3, 4].slice(1, 3) == [2, 3]',
    '[[1], [2, 3]].flatten() == [1, 2, 3]',
    '[1, 2, 2, 1].distinct() == [1, 2]',
    "['b', 'a'].sort() == ['a', 'b']",
    "['bbb', 'a', 'cc'].sortBy(x, size(x)) == ['a', 'cc', 'bbb']",
    'lists.range(3) == [0, 1, 2]',
    '[1, 2, 3].reverse() == [3, 2, 1]',
    '[1, 2].first().value() == 1',
    '[1, 2].last() == optional.of(2)',
    '![].first().hasValue()',
  ],
  sets: ['sets.contains([1, 2, 3], [3, 1])', 'sets.equivalent([1, 2, 2], [2, 1])', '!sets.intersects([1], [2])'],
  regex: [
    "'abc 123'.find('[0-9]+') == '123'",
    "'abc'.find('[0-9]+') == ''",
    "'1 22 333'.findAll('[0-9]+') == ['1', '22', '333']",
    "'1 22 333'.findAll('[0-9]+', 2) == ['1', '22']",
    "'ABC'.matches('(?i)^abc$')",
    "'x'.matches('^[[:alpha:]]\\\\z')",
  ],
  strings: [
    "'tacocat'.charAt(3) == 'o'",
    "'a,b,c'.split(',', 2) == ['a', 'b,c']",
    "'hello'.replace('l', 'L', 1) == 'heLlo'",
    "['a', 'b'].join('-') == 'a-b'",
    "'%s is %d'.format(['x', dyn(3)]) == 'x is 3'",
    "'  x '.trim() == 'x'",
    "'ab'.replace('', '-') == '-a-b-'",
    "'ab'.replace('', '-', 2) == '-a-b'",
    "'ab'.replace('', '-', 1) == '-ab'",
    "''.replace('', '-') == '-'",
    "'😁a'.replace('', '-') == '-😁-a-'",
    "'abc'.reverse() == 'cba' && '😁a'.reverse() == 'a😁'",
    "'żółw'.size() == 4",
    "'😁b'.indexOf('b') == 1",
    `strings.quote('say "x"') == '"say \\\\"x\\\\""'`,
  ],
  urls: [
    "isURL('https://user@example.com:8080/a/b?x=1&x=2')",
    "url('https://example.com:80/').getHost() == 'example.com:80'",
    "url('https://example.com:80/').getHostname() == 'example.com'",
    "url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://[::1]:80/').getPort() == '80'",
    "url('https://example.com/a b').getEscapedPath() == '/a%20b'",
    "url('https://example.com/?k=1&k=2').getQuery() == {'k': ['1', '2']}",
    "url('/path').getScheme() == ''",
    "!isURL('../relative')",
    "!isURL('https://a:b:c/')",
  ],
  ip: [
    "isIP('10.0.0.1')",
    "!isIP('10.0.0.256')",
    "!isIP('::ffff:1.2.3.4')",
    "!isIP('fe80::1%eth0')",
    "ip('::1').family() == 6",
    "ip('127.0.0.1').isLoopback()",
    "ip('169.254.1.1').isLinkLocalUnicast()",
    "ip('224.0.0.1').isLinkLocalMulticast()",
    "ip('192.168.0.1').isGlobalUnicast()",
    "!ip('255.255.255.255').isGlobalUnicast()",
    "ip.isCanonical('2001:db8::abcd')",
    "!ip.isCanonical('2001:DB8::ABCD')",
    "string(ip('2001:db8:0:0:0:0:0:1')) == '2001:db8::1'",
    "ip('1.2.3.4') == ip('1.2.3.4')",
    "type(ip('1.2.3.4')) == net.IP",
  ],
  cidr: [
    "isCIDR('192.168.0.0/16')",
    "!isCIDR('192.168.0.0')",
    "cidr('192.168.0.0/16').containsIP('192.168.1.1')",
    "!cidr('192.168.0.0/16').containsIP(ip('10.0.0.1'))",
    "cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')",
    "!cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/16'))",
    "cidr('192.168.1.5/16').masked() == cidr('192.168.0.0/16')",
    "cidr('192.168.1.5/16').prefixLength() == 16",
    "string(cidr('192.168.1.5/16').ip()) == '192.168.1.5'",
  ],
  quantity: [
    "isQuantity('1.5Gi')",
    "!isQuantity('1.5GiX')",
    "quantity('500m').isLessThan(quantity('1'))",
    "quantity('1k').add(quantity('1')).compareTo(quantity('1001')) == 0",
    "quantity('50k').sub(20) == quantity('49980')",
    "quantity('-1').sign() == -1",
    "!quantity('500m').isInteger()",
    "quantity('1Ki').asInteger() == 1024",
    "quantity('1.5').asApproximateFloat() == 1.5",
  ],
  semver: [
    "isSemver('1.2.3')",
    "!isSemver('v1.2.3')",
    "isSemver('v1.2', true)",
    "semver('1.2.3').major() == 1",
    "semver('1.0.0-alpha').isLessThan(semver('1.0.0'))",
    "semver('1.0.0-alpha.2').compareTo(semver('1.0.0-alpha.10')) == -1",
    "semver('01.01.01', true) == semver('1.1.1')",
  ],
  format: [
    "!format.dns1123Label().validate('my-name').hasValue()",
    "format.dns1123Label().validate('Not_a_name').hasValue()",
    "format.named('dns1035Label').value().validate('1x').hasValue()",
    "!format.named('unknown').hasValue()",
    "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
    "format.byte().validate('a').value() == ['invalid base64']",
    "!format.date().validate('2021-01-01').hasValue()",
    "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue()",
    "!format.uri().validate('https://example.com').hasValue()",
  ],
  times: [
    "timestamp('2023-01-01T00:00:00Z').getHours('America/New_York') == 19",
    "timestamp('2023-07-01T12:00:00Z').getHours('Europe/Berlin') == 14",
    "timestamp('2023-01-01T00:00:00Z').getDate('-08:00') == 31",
    "timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365",
    "duration('1h30m').getMinutes() == 90",
    "timestamp('2023-01-01T00:00:00Z') + duration('24h') == timestamp('2023-01-02T00:00:00Z')",
    "string(duration('90s')) == '90s'",
  ],
  optionals: [
    "{'a': 1}.?a.orValue(2) == 1",
    "{'a': 1}.?b.orValue(2) == 2",
    '[1][?3].orValue(7) == 7',
    "{'a': {'b': 1}}.?a.?b == optional.of(1)",
    'optional.of(2).optMap(x, x * 2).value() == 4',
    '[?optional.none(), 1] == [1]',
    "{?'a': optional.of(1)} == {'a': 1}",
  ],
};

describe.each(Object.entries(TRUE))('%s', (_, sources) => {
  it.each(sources)('%s', (source) => {
    expect(answerOf(source)).toBe(true);
  });
});

describe('errors', () => {
  it.each([
    ["{'a': 1}['b'] == 1", 'error: no such key: b'],
    ['[1][dyn(5)] == 1', 'error: index out of bounds: 5'],
    ['1 / dyn(0) == 1', 'error: division by zero'],
    ['1 % dyn(0) == 1', 'error: modulus by zero'],
    ['9223372036854775807 + dyn(1) == 1', 'error: integer overflow'],
    ["dyn('a') + dyn(1) == 'a1'", 'error: no such overload: _+_(string, int)'],
    ['dyn([]).min() == 1', 'error: min called on empty list'],
    [
      "ip('x' + 'y').family() == 4",
      'error: IP Address "xy" parse error during conversion from string: ParseAddr("xy"): unable to parse IP',
    ],
    [
      "quantity('1' + 'x') == quantity('1')",
      "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ["timestamp('2023-01-01T00:00:00Z').getHours('Nowhere/Land') == 1", 'error: unknown time zone Nowhere/Land'],
    ['lists.range(-1) == []', 'error: lists.range: size must be non-negative, got -1'],
  ])('%s: %s', (source, message) => {
    expect(answerOf(source)).toBe(message);
  });

  it.each([
    ["['a', 1] == []", "ERROR: <input>:1:7: expected type 'string' but found 'int'\n | ['a', 1] == []\n | ......^"],
    [
      "duration('x') == duration('1s')",
      "ERROR: <input>:1:10: invalid duration argument\n | duration('x') == duration('1s')\n | .........^",
    ],
    ["'a'.matches('(')", "ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('(')\n | ............^"],
    [
      "'a'.startsWith(1)",
      "ERROR: <input>:1:15: found no matching overload for 'startsWith' applied to 'string.(int)'\n | 'a'.startsWith(1)\n | ..............^",
    ],
  ])('%s is refused', (source, text) => {
    expect(answerOf(source)).toBe(text);
  });
});

describe('what upstream offers elsewhere only', () => {
  it.each(['math.greatest(1, 2) == 2', "base64.encode(b'x') == 'eA=='", 'authorizer.path("/").check("get").allowed()'])(
    '%s is unknown',
    (source) => {
      expect(answerOf(source)).toMatch(/undeclared reference/);
    },
  );
});

describe('every function', () => {
  const odd = [
    'null',
    '-1',
    '9223372036854775807',
    '18446744073709551615u',
    "double('NaN')",
    "double('-inf')",
    "''",
    "'😁'",
    "b'\\xff'",
    '[]',
    '[1, null]',
    "[['a'], {}]",
    "{'a': null}",
    "timestamp('0001-01-01T00:00:00Z')",
    "duration('-2540400h')",
    'optional.none()',
    'optional.of(null)',
    'int',
    "ip('::1')",
    "cidr('::/0')",
    "quantity('1Gi')",
    "url('/a')",
    "semver('1.2.3')",
    'format.uri()',
  ];
  const rows = [...KUBERNETES.values()].flat().filter(({ fn }) => /^[a-z]/i.test(fn) && !fn.includes('@'));

  it.each(rows)('$id throws nothing, whatever it is given', ({ fn, isMethod, params }) => {
    for (const [index, first] of odd.entries()) {
      for (const wrap of [(text: string) => text, (text: string) => `dyn(${text})`]) {
        const args = params.map((_, position) =>
          wrap(position === 0 ? first : (odd[(index * 7 + position * 5) % odd.length] ?? '')),
        );
        const source = isMethod ? `${args[0]}.${fn}(${args.slice(1).join(', ')})` : `${fn}(${args.join(', ')})`;
        const program = compile(`'%s'.format([${source}]) == string(${source})`, {
          variables: {},
          mixedLiterals: true,
        });
        if (!isFailure(program)) expect(evaluate(program, () => undefined).cost).toBeGreaterThanOrEqual(0);
        const bare = compile(source, { variables: {}, mixedLiterals: true });
        if (!isFailure(bare)) expect(evaluate(bare, () => undefined).cost).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

/** What a server of Kubernetes 1.36 offers to the rules of definitions, by library and by the version that brought it (its environment/base.go). */
const OFFERED: Readonly<Record<string, string>> = {
  'URLs (1.25)': 'isURL url getScheme getHost getHostname getPort getEscapedPath getQuery',
  'regex (1.25)': 'find findAll matches',
  'lists (1.25)': 'isSorted sum min max indexOf lastIndexOf',
  'quantity (1.28)':
    'isQuantity quantity sign isInteger asInteger asApproximateFloat add sub isLessThan isGreaterThan compareTo',
  'optionals (1.28)':
    'optional.of optional.ofNonZeroValue optional.none optional.unwrap unwrapOpt hasValue value or orValue',
  'strings 2 (1.29)':
    'charAt format indexOf join lastIndexOf lowerAscii strings.quote replace split substring trim upperAscii',
  'sets (1.29)': 'sets.contains sets.equivalent sets.intersects',
  'IP (1.30)':
    'isIP ip ip.isCanonical family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast',
  'CIDR (1.30)': 'isCIDR cidr containsIP containsCIDR ip masked prefixLength',
  'format (1.31)':
    'format.named validate format.dns1123Label format.dns1123Subdomain format.dns1035Label format.qualifiedName format.dns1123LabelPrefix format.dns1123SubdomainPrefix format.dns1035LabelPrefix format.labelValue format.uri format.uuid format.byte format.date format.datetime',
  'semver (1.33)': 'isSemver semver major minor patch isLessThan isGreaterThan compareTo',
  'lists 3 (1.34)': 'slice flatten sort lists.range distinct reverse first last',
};

it.each(Object.entries(OFFERED))('offers all of %s', (_, names) => {
  expect(names.split(' ').filter((name) => !KUBERNETES.has(name))).toEqual([]);
});

it.each([
  ['has', 'has({"a": 1}.a)'],
  ['all', '[1].all(x, x > 0)'],
  ['exists', '[1].exists(x, x > 0)'],
  ['exists_one', '[1].exists_one(x, x > 0)'],
  ['map', '[1].map(x, x + 1) == [2]'],
  ['map of some', '[1, 2].map(x, x > 1, x) == [2]'],
  ['filter', '[1, 2].filter(x, x > 1) == [2]'],
  ['optMap', 'optional.of(1).optMap(x, x + 1).value() == 2'],
  ['optFlatMap', 'optional.of(1).optFlatMap(x, optional.of(x)).value() == 1'],
  ['sortBy', '[2, 1].sortBy(x, x) == [1, 2]'],
  // Two variables (1.32).
  ['all of two', '{"a": 1}.all(k, v, k == "a" && v == 1)'],
  ['exists of two', '[5].exists(i, v, i == 0 && v == 5)'],
  ['existsOne', '[5, 6].existsOne(i, v, v == 5)'],
  ['transformList', '[5].transformList(i, v, i + v) == [5]'],
  ['transformList of some', '{"a": 1, "b": 2}.transformList(k, v, v > 1, k) == ["b"]'],
  ['transformMap', '{"a": 1}.transformMap(k, v, v + 1) == {"a": 2}'],
  ['transformMap of some', '{"a": 1}.transformMap(k, v, v > 1, v) == {}'],
  ['transformMapEntry', '{"a": "b"}.transformMapEntry(k, v, {v: k}) == {"b": "a"}'],
  ['transformMapEntry of some', '[1, 2].transformMapEntry(i, v, v > 1, {v: i}) == {2: 1}'],
])('offers the macro %s', (_, source) => {
  expect(answerOf(source)).toBe(true);
});
