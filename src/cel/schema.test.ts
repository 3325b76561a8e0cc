/** Rules over values of structural schemas: names, sizes, equality, costs and messages. */
import { describe, expect, it } from 'vitest';
import {
  BOOL,
  cardinalityOf,
  cardinalityWithout,
  CelError,
  compile,
  type DeclaredType,
  declaredTypeOf,
  escapeFieldName,
  ESTIMATE_PER_RULE,
  estimateProblem,
  evaluate,
  isFailure,
  Optional,
  type Program,
  type SchemaOfValues,
  valueOfJson,
} from './index.ts';

function typeOf(schema: SchemaOfValues, isRoot = false): DeclaredType {
  const type = declaredTypeOf(schema, isRoot);
  if (type === undefined) throw new Error('no type');
  return type;
}

function programOf(rule: string, type: DeclaredType, isOptional = false): Program {
  const variables = {
    self: { declared: type },
    oldSelf: isOptional ? { declared: type, isOptional } : { declared: type },
  };
  const program = compile(rule, { variables, result: BOOL });
  if (isFailure(program)) throw new Error(program.text);
  return program;
}

function holds(rule: string, schema: SchemaOfValues, self: unknown, old?: unknown): unknown {
  const type = typeOf(schema);
  const program = programOf(rule, type);
  const { value } = evaluate(program, (name) => {
    if (name === 'self') return valueOfJson(self, type);
    return old === undefined ? undefined : valueOfJson(old, type);
  });
  return value instanceof CelError ? value.message : value;
}

const string = { type: 'string' };
const integer = { type: 'integer' };
const SPEC: SchemaOfValues = {
  type: 'object',
  properties: {
    replicas: integer,
    minReplicas: integer,
    name: string,
    'with-dash': string,
    'with.dot': string,
    'with/slash': string,
    under__scores: string,
    in: string,
    port: { 'x-kubernetes-int-or-string': true },
    labels: { type: 'object', additionalProperties: string },
    created: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    data: { type: 'string', format: 'byte' },
    ratio: { type: 'number' },
    set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: string, v: integer } },
    },
    plain: { type: 'array', items: integer },
  },
};

describe('values of schemas', () => {
  it('that are no base64, as an old object may hold them, end the evaluation with an error', () => {
    expect(holds("self == b'a'", { type: 'string', format: 'byte' }, 'YQ==')).toBe(true);
    expect(holds("self == b'a'", { type: 'string', format: 'byte' }, '*')).toContain('could not decode "*" as base64');
  });

  it.each<[string, unknown]>([
    ['self.replicas >= self.minReplicas', { replicas: 3, minReplicas: 1 }],
    ["self.__in__ == 'x' && self.with__dash__dash == 'd'", { in: 'x', 'with-dash': 'd' }],
    ["self.with__dot__dot == '.' && self.with__slash__slash == '/'", { 'with.dot': '.', 'with/slash': '/' }],
    ["self.under__underscores__scores == 'u'", { under__scores: 'u' }],
    ['has(self.name) && !has(self.labels)', { name: 'n' }],
    ["type(self.port) == int ? self.port > 1024 : self.port == 'http'", { port: 8080 }],
    ["type(self.port) == string && self.port == 'http'", { port: 'http' }],
    ["self.labels.all(k, k.startsWith('a')) && self.labels['a'] == 'b'", { labels: { a: 'b' } }],
    ["self.created < timestamp('2024-01-01T00:00:00Z')", { created: '2023-05-05T05:05:05Z' }],
    ["self.wait == duration('90s')", { wait: '1m30s' }],
    ["self.data == b'hi'", { data: 'aGk=' }],
    ['self.ratio > 0.5 && self.ratio < 2', { ratio: 1 }],
    ["self.keyed.exists(e, e.k == 'a' && e.v == 1)", { keyed: [{ k: 'a', v: 1 }] }],
    ['self.plain.sum() == 6', { plain: [1, 2, 3] }],
    ['self.?labels.?a.orValue("none") == "none"', {}],
  ])('%s holds', (rule, self) => {
    expect(holds(rule, SPEC, self)).toBe(true);
  });

  it('compares sets and map-lists whatever their order, and other lists in order', () => {
    const lists = {
      set: ['a', 'b'],
      keyed: [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
      plain: [1, 2],
    };
    const other = {
      set: ['b', 'a'],
      keyed: [
        { k: 'b', v: 2 },
        { k: 'a', v: 1 },
      ],
      plain: [2, 1],
    };
    expect(holds('self.set == oldSelf.set && self.keyed == oldSelf.keyed', SPEC, lists, other)).toBe(true);
    expect(holds('self.plain == oldSelf.plain', SPEC, lists, other)).toBe(false);
    const changed = {
      ...other,
      keyed: [
        { k: 'b', v: 2 },
        { k: 'a', v: 9 },
      ],
    };
    expect(holds('self.keyed == oldSelf.keyed', SPEC, lists, changed)).toBe(false);
  });

  it('joins sets and map-lists as a merge does', () => {
    const self = { keyed: [{ k: 'a', v: 1 }] };
    const old = {
      keyed: [
        { k: 'b', v: 2 },
        { k: 'a', v: 5 },
      ],
    };
    expect(holds("(oldSelf.keyed + self.keyed).exists_one(e, e.k == 'a' && e.v == 1)", SPEC, self, old)).toBe(true);
    expect(holds('(oldSelf.keyed + self.keyed).size() == 2', SPEC, self, old)).toBe(true);
  });

  it('tells errors as upstream does', () => {
    expect(holds("self.name == 'x'", SPEC, {})).toBe('no such key: name');
    expect(holds("self.labels['gone'] == 'x'", SPEC, { labels: {} })).toBe('no such key: gone');
    expect(holds('self.port > 5', SPEC, { port: 'http' })).toBe('no such overload: _>_(string, int)');
    expect(holds('self.plain[3] == 1', SPEC, { plain: [] })).toBe('index out of bounds: 3');
  });

  it('has an optional former value when the rule asks for it', () => {
    const type = typeOf(integer);
    const program = programOf('!oldSelf.hasValue() || self > oldSelf.value()', type, true);
    expect([...program.variables]).toEqual(['oldSelf', 'self']);
    const self = valueOfJson(3, type);
    const now = evaluate(program, (name) => (name === 'self' ? self : Optional.none));
    const later = evaluate(program, (name) => (name === 'self' ? self : new Optional(valueOfJson(5, type))));
    expect([now.value, later.value]).toEqual([true, false]);
  });

  it('always shows the names of a resource', () => {
    const type = typeOf({ type: 'object', properties: {} }, true);
    expect(
      programOf("self.metadata.name.startsWith('a') && self.kind != '' && self.apiVersion != ''", type),
    ).toBeDefined();
    expect(() => programOf('self.metadata.labels.size() > 0', type)).toThrow(/undefined field 'labels'/);
  });

  it('names the place and the reason of a mistake', () => {
    expect(() => programOf('self.gone == 1', typeOf(SPEC))).toThrow(
      "ERROR: <input>:1:5: undefined field 'gone'\n | self.gone == 1\n | ....^",
    );
    expect(() => programOf('self.replicas', typeOf(SPEC))).toThrow('must evaluate to bool');
  });
});

describe('names of fields', () => {
  it.each<[string, string | undefined]>([
    ['plain', 'plain'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['namespace', '__namespace__'],
    ['1a', undefined],
    ['a b', undefined],
    ['', undefined],
    ['-a', '__dash__a'],
  ])('%s is %s', (name, escaped) => {
    expect(escapeFieldName(name)).toBe(escaped);
  });
});

describe('estimates', () => {
  const text = (maxLength?: number): SchemaOfValues => (maxLength === undefined ? string : { ...string, maxLength });
  const list = (items: SchemaOfValues, maxItems?: number): SchemaOfValues =>
    maxItems === undefined ? { type: 'array', items } : { type: 'array', items, maxItems };
  const most = (rule: string, schema: SchemaOfValues): number => programOf(rule, typeOf(schema)).estimate.max;

  it('take a text without bounds as large as a request', () => {
    // One for the name, the text by tenths, and the pattern by quarters.
    expect(most("self.matches('abcd')", string)).toBe(1 + Math.ceil((3 * 1024 * 1024 - 2 + 1) * 0.1));
    expect(most("self.matches('abcd')", text(10))).toBe(1 + Math.ceil(41 * 0.1));
  });

  it('take the longest text of an enumeration', () => {
    expect(most("self == 'abcdefghijklmnop'", { ...string, enum: ['a', 'abcdefghij'] })).toBe(2);
  });

  it('count the items of lists', () => {
    expect(most('self.all(x, x > 0)', list(integer, 10))).toBe(1 + 10 * (2 + 1 + 2) + 1);
    const unbounded = Math.floor((3 * 1024 * 1024 - 2) / 2);
    expect(most('self.all(x, x > 0)', list(integer))).toBe(1 + unbounded * 5 + 1);
  });

  it('multiply within nested lists', () => {
    const nested = list(list(text(5), 10), 10);
    const flat = most("self.all(x, x == 'a')", list(text(5), 10));
    const deep = most("self.all(y, y.all(x, x == 'a'))", nested);
    expect(deep).toBeGreaterThan(9 * flat);
    expect(deep).toBeLessThan(12 * flat);
  });

  it('are refused by upstream words beyond the limit', () => {
    const estimate = most('self.all(y, self.all(z, y == z))', list(string));
    expect(estimateProblem('estimated rule cost', estimate, ESTIMATE_PER_RULE)).toBe(
      'estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule(s), or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    );
    expect(estimateProblem('estimated rule cost', ESTIMATE_PER_RULE * 1.25, ESTIMATE_PER_RULE)).toContain(
      'factor of 1.250000x',
    );
    expect(estimateProblem('estimated rule cost', ESTIMATE_PER_RULE * 50, ESTIMATE_PER_RULE)).toContain(
      'factor of 50.0x',
    );
    expect(estimateProblem('estimated rule cost', ESTIMATE_PER_RULE, ESTIMATE_PER_RULE)).toBeUndefined();
  });

  it('know how often rules below lists may run', () => {
    expect(cardinalityOf(list(string, 7))).toBe(7);
    expect(cardinalityOf(list(string))).toBeUndefined();
    expect(cardinalityOf(string)).toBe(1);
    expect(cardinalityOf({ type: 'object', additionalProperties: string, maxProperties: 3 })).toBe(3);
    expect(cardinalityWithout(typeOf(string))).toBe(Math.floor((3 * 1024 * 1024) / 3));
  });
});
