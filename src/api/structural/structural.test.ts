import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldError, printFieldError } from '../field-error.ts';
import { checkValue } from './check.ts';
import { defaultObject } from './default.ts';
import { hasFormat } from './formats.ts';
import type { Fields, JsonSchema } from './json-schema.ts';
import { checkListTypes } from './list-types.ts';
import { isTooLongFor, matchesPattern, patternProblem } from './patterns.ts';
import { placeOfSchema, type StructuralPlace } from './place.ts';
import { pruneObject } from './prune.ts';
import { hasRules } from './rules.ts';
import { schemaErrors } from './schema-errors.ts';
import { StructuralSchema } from './structural-schema.ts';

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const string: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...more });
const preserve: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const texts = (errors: readonly FieldError[]): string[] => errors.map(printFieldError);

describe('prune', () => {
  it.each<[string, JsonSchema, Fields, Fields, string[]]>([
    ['unknown fields', object({ a: string }), { a: 'x', b: 1, c: {} }, { a: 'x' }, ['b', 'c']],
    [
      'apiVersion, kind and metadata, which every resource has',
      object({}),
      { apiVersion: 'v1', kind: 'A', metadata: { a: 1 } },
      { apiVersion: 'v1', kind: 'A', metadata: { a: 1 } },
      [],
    ],
    ['those of a part that is no resource', object({ a: object({}) }), { a: { kind: 'A' } }, { a: {} }, ['a.kind']],
    [
      'an embedded resource',
      object({ a: { ...object({ spec: object({}) }), 'x-kubernetes-embedded-resource': true } }),
      { a: { kind: 'A', spec: { x: 1 }, y: 1 } },
      { a: { kind: 'A', spec: {} } },
      ['a.spec.x', 'a.y'],
    ],
    [
      'members of lists and maps',
      object({ l: list(object({ a: string })), m: { type: 'object', additionalProperties: object({ a: string }) } }),
      { l: [{ a: 'x', b: 1 }], m: { k: { b: 1 } } },
      { l: [{ a: 'x' }], m: { k: {} } },
      ['l[0].b', 'm.k.b'],
    ],
    [
      'nothing of what is preserved',
      object({ a: preserve }),
      { a: { x: { y: [{ z: 1 }] } } },
      { a: { x: { y: [{ z: 1 }] } } },
      [],
    ],
    [
      'what is named below what is preserved',
      object({ a: { ...preserve, properties: { b: object({}) } } }),
      { a: { b: { c: 1 }, d: 1 } },
      { a: { b: {}, d: 1 } },
      ['a.b.c'],
    ],
    [
      'a list without a schema for its members',
      object({ a: { type: 'array' } }),
      { a: [{ b: 1 }] },
      { a: [{}] },
      ['a[0].b'],
    ],
  ])('drops or keeps %s', (_, schema, value, wanted, dropped) => {
    const unknown: string[] = [];
    expect(pruneObject(schema, value, unknown)).toEqual(wanted);
    expect(unknown).toEqual(dropped);
  });

  it('copies nothing when nothing is unknown, and names a hundred at most', () => {
    const value = { a: { b: 'x' } };
    expect(pruneObject(object({ a: object({ b: string }) }), value)).toBe(value);
    const unknown: string[] = [];
    pruneObject(object({}), Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, 1])), unknown);
    expect(unknown).toHaveLength(100);
  });

  it('sees "__proto__" as a name like others', () => {
    const sent = JSON.parse('{"a":{"__proto__":{"b":1},"c":{"x":1}}}') as Fields;
    const schema = object({ a: { type: 'object', additionalProperties: object({ b: integer }) } });
    expect(JSON.stringify(pruneObject(schema, sent))).toBe('{"a":{"__proto__":{"b":1},"c":{}}}');
    expect(({} as Record<string, unknown>)['b']).toBeUndefined();
  });
});

describe('defaults', () => {
  const withDefault = (value: unknown, type: JsonSchema): JsonSchema => ({ ...type, default: value });
  it.each<[string, JsonSchema, Fields, Fields]>([
    ['what is missing', object({ a: withDefault('x', string), b: string }), {}, { a: 'x' }],
    ['not what is there', object({ a: withDefault('x', string) }), { a: '' }, { a: '' }],
    ['nothing below what is missing', object({ a: object({ b: withDefault('x', string) }) }), {}, {}],
    [
      'what a default lacks',
      object({ a: withDefault({}, object({ b: withDefault('x', string) })) }),
      {},
      { a: { b: 'x' } },
    ],
    ['a null that may not be', object({ a: withDefault('x', string) }), { a: null }, { a: 'x' }],
    ['no null that may be', object({ a: withDefault('x', { ...string, nullable: true }) }), { a: null }, { a: null }],
    ['nothing for a null without a default, which goes', object({ a: string }), { a: null }, {}],
    [
      'members of lists',
      object({ a: list(object({ b: withDefault(1, integer) })) }),
      { a: [{}, { b: 2 }] },
      { a: [{ b: 1 }, { b: 2 }] },
    ],
    ['a null in a list', object({ a: list(withDefault('x', string)) }), { a: [null, 'y'] }, { a: ['x', 'y'] }],
    [
      'values of maps',
      object({ a: { type: 'object', additionalProperties: object({ b: withDefault(1, integer) }) } }),
      { a: { k: {} } },
      { a: { k: { b: 1 } } },
    ],
  ])('fill in %s', (_, schema, value, wanted) => {
    expect(defaultObject(schema, value)).toEqual(wanted);
  });

  it('are never shared by two objects', () => {
    const schema = object({ a: withDefault({ b: [] }, preserve) });
    expect(defaultObject(schema, {})['a']).not.toBe(defaultObject(schema, {})['a']);
  });
});

describe('values', () => {
  const one = (schema: JsonSchema, value: unknown): string[] => texts(checkValue(object({ a: schema }), { a: value }));
  it.each<[string, JsonSchema, unknown, string]>([
    ['a type', string, 1, 'a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ['a whole number', integer, 1.5, 'a: Invalid value: "number": a in body must be of type integer: "number"'],
    ['null', string, null, 'a: Invalid value: "null": a in body must be of type string: "null"'],
    ['an enumeration', { ...string, enum: ['x', 'y'] }, 'z', 'a: Unsupported value: "z": supported values: "x", "y"'],
    ['a pattern', { ...string, pattern: '^x+$' }, 'y', `a: Invalid value: "y": a in body should match '^x+$'`],
    ['a greatest length', { ...string, maxLength: 1 }, 'xy', 'a: Too long: may not be more than 1 byte'],
    [
      'a least length',
      { ...string, minLength: 3 },
      'xy',
      'a: Invalid value: "xy": a in body should be at least 3 chars long',
    ],
    ['a format', { ...string, format: 'ipv4' }, 'x', 'a: Invalid value: "x": a in body must be of type ipv4: "x"'],
    ['a minimum', { ...integer, minimum: 1 }, 0, 'a: Invalid value: 0: a in body should be greater than or equal to 1'],
    [
      'an exclusive maximum',
      { ...integer, maximum: 1, exclusiveMaximum: true },
      1,
      'a: Invalid value: 1: a in body should be less than 1',
    ],
    ['a factor', { ...integer, multipleOf: 2 }, 3, 'a: Invalid value: 3: a in body should be a multiple of 2'],
    ['most members', list(string, { maxItems: 1 }), ['x', 'y'], 'a: Too many: 2: must have at most 1 item'],
    [
      'fewest members',
      list(string, { minItems: 1 }),
      [],
      'a: Invalid value: 0: a in body should have at least 1 items',
    ],
    [
      'a member',
      list(string),
      ['x', 1],
      'a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"',
    ],
    ['a required field', object({ b: string }, { required: ['b'] }), {}, 'a.b: Required value'],
    [
      'most fields',
      { type: 'object', additionalProperties: string, maxProperties: 1 },
      { x: '', y: '' },
      'a: Too many: 2: must have at most 1 item',
    ],
    [
      'a value of a map',
      { type: 'object', additionalProperties: integer },
      { x: 'y' },
      'a.x: Invalid value: "string": a.x in body must be of type integer: "string"',
    ],
    [
      'a number or a text',
      { 'x-kubernetes-int-or-string': true },
      true,
      'a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"',
    ],
    [
      'one of several',
      { ...integer, oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      5,
      'a: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      'none of it',
      { ...integer, not: { minimum: 1 } },
      5,
      'a: Invalid value: "": "a" must not validate the schema (not)',
    ],
    [
      'identity of what is embedded',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { kind: 'A' },
      'a.apiVersion: Required value: must not be empty',
    ],
  ])('are refused for %s', (_, schema, value, text) => {
    expect(one(schema, value)).toEqual([text]);
  });

  it('tell the closest of several alternatives', () => {
    const schema = object({ b: string, c: string }, { anyOf: [{ required: ['b'] }, { required: ['c', 'd'] }] });
    expect(one(schema, {})).toEqual([
      'a: Invalid value: "": "a" must validate at least one schema (anyOf)',
      'a.b: Required value',
    ]);
  });

  it.each<[JsonSchema, unknown]>([
    [{ ...string, nullable: true }, null],
    [{ type: 'number' }, 1],
    [integer, 2.0],
    [{ ...string, maxLength: 2 }, '😀😀'],
    [{ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, '80%'],
    [{ type: 'number', multipleOf: 0.1 }, 0.3],
    [{ ...string, format: 'something-else' }, 'x'],
  ])('%j takes %j', (schema, value) => expect(one(schema, value)).toEqual([]));

  it('that did not change are not held against a new rule', () => {
    const schema = object({
      a: { ...integer, maximum: 5 },
      l: list(object({ k: string, v: { ...integer, maximum: 5 } }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      }),
      p: list({ ...integer, maximum: 5 }),
    });
    const old = { a: 9, l: [{ k: 'x', v: 9 }], p: [9] };
    expect(checkValue(schema, { ...old, b: 1 }, old)).toEqual([]);
    expect(texts(checkValue(schema, { ...old, a: 8 }, old))).toHaveLength(1);
    // Members of a map are known by their keys, whatever their place; those of other lists are not.
    expect(
      checkValue(
        schema,
        {
          ...old,
          l: [
            { k: 'y', v: 1 },
            { k: 'x', v: 9 },
          ],
        },
        old,
      ),
    ).toEqual([]);
    expect(texts(checkValue(schema, { ...old, p: [9, 1] }, old))).toHaveLength(1);
  });

  it('have a hundred errors at most', () => {
    expect(
      checkValue(object({ a: list(string) }), { a: Array.from({ length: 5000 }, () => 1) }).length,
    ).toBeLessThanOrEqual(100);
  });
});

it.each<[JsonSchema, unknown, string[]]>([
  [list(string, { 'x-kubernetes-list-type': 'set' }), ['x', 'y', 'x'], ['a[2]: Duplicate value: "x"']],
  [
    list(object({ k: string }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
    [{ k: 'x' }, { k: 'x', v: 1 }, {}, {}],
    ['a[1]: Duplicate value: {"k":"x"}', 'a[3]: Duplicate value: {}'],
  ],
  [list(string), ['x', 'x'], []],
])('members of %j are told apart', (schema, value, wanted) => {
  expect(texts(checkListTypes(object({ a: schema }), { a: value }))).toEqual(wanted);
});

describe('formats', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['date-time', ['2024-02-29T01:02:03Z', '2024-01-01T01:02:03.5+02:00'], ['2023-02-29T01:02:03Z', 'x']],
    ['date', ['2024-02-29'], ['2024-02-30', '2024-2-1']],
    ['ipv6', ['::1'], ['127.0.0.1', ':::']],
    ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
    ['hostname', ['a.example.com'], ['-a', 'a_b', '']],
    ['byte', ['aGk=', ''], ['a']],
    ['mac', ['00:11:22:33:44:55'], ['00:11']],
    ['uri', ['https://a.example/b?c', '/path'], ['a b', 'x']],
    ['duration', ['1h30m', '5s'], ['x']],
    ['email', ['a@b.example'], ['a']],
    ['isbn', ['0-306-40615-2', '978-0-306-40615-7'], ['0-306-40615-3']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['hexcolor', ['#fff', 'A0B0C0'], ['#ffff']],
  ])('%s', (format, good, bad) => {
    for (const text of good) expect(hasFormat(format, text), text).toBe(true);
    for (const text of bad) expect(hasFormat(format, text), text).toBe(false);
  });
});

describe('patterns', () => {
  it('match in linear time what holds others for ever', () => {
    expect(matchesPattern('^(a+)+$', `${'a'.repeat(100_000)}b`)).toBe(false);
    expect(matchesPattern('(x+x+)+y', 'x'.repeat(50_000))).toBe(false);
  });

  it.each([
    ['^[a-z]+$', 100_000, false],
    ['^[a-z]+$', 3_000_000, true],
    ['([ab]{1,30}a){1,30}$', 2000, false],
    ['([ab]{1,30}a){1,30}$', 20_000, true],
    ['(', 3_000_000, false],
  ])('are not held against texts that could take too long: %s, %d characters', (pattern, characters, expected) => {
    const text = 'a'.repeat(characters);
    expect(isTooLongFor(pattern, text)).toBe(expected);
    const schema = { type: 'string', pattern };
    const [found = ''] = texts(checkValue(schema, text, undefined, 'f'));
    expect(found.includes('too long for its pattern')).toBe(expected);
  });

  it.each(['(a', '[z-a]', 'a{2,1}', '(?=a)', `(${'a'.repeat(5000)})`, '(((a{100}){100}){100})'])(
    '%s is none',
    (pattern) => {
      expect(patternProblem(pattern)).toBeDefined();
      expect(matchesPattern(pattern, 'a')).toBe(false);
    },
  );

  it.each<[string, string]>([
    ['(?i)ABC', 'xabcx'],
    ['\\pL\\z', 'é'],
    ['[[:alpha:]]', 'a'],
    ['(?P<n>a)', 'a'],
  ])('%s is as Go reads it', (pattern, text) => {
    expect(matchesPattern(pattern, text)).toBe(true);
  });
});

describe('a schema', () => {
  const errorsOf = (schema: JsonSchema): string[] => texts(schemaErrors(schema, 's'));
  it.each<[string, JsonSchema, string]>([
    ['without a type', {}, 's.type: Required value: must not be empty at the root'],
    ['of another type', string, 's.type: Invalid value: "string": must be object at the root'],
    ['of no known type', object({ a: { type: 'text' } }), 's.properties[a].type: Unsupported value: "text"'],
    [
      'with a field without a type',
      object({ a: {} }),
      's.properties[a].type: Required value: must not be empty for specified object fields',
    ],
    [
      'with members without a type',
      object({ a: list({}) }),
      's.properties[a].items.type: Required value: must not be empty for specified array items',
    ],
    [
      'with two lists of fields',
      object({ a: string }, { additionalProperties: string }),
      's.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [
      'that closes itself',
      { type: 'object', additionalProperties: false },
      's.additionalProperties: Forbidden: additionalProperties cannot be set to false',
    ],
    ['with a reference', object({ a: { $ref: '#/x' } }), 's.properties[a].$ref: Forbidden: $ref is not supported'],
    [
      'with several schemas for members',
      object({ a: { type: 'array', items: [string] } }),
      's.properties[a].items: Forbidden: items must be a schema object and not an array',
    ],
    [
      'with unique members',
      object({ a: list(string, { uniqueItems: true }) }),
      's.properties[a].uniqueItems: Forbidden',
    ],
    [
      'of type null',
      object({ a: { type: 'null' } }),
      's.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative',
    ],
    [
      'with a bad pattern',
      object({ a: { ...string, pattern: '(' } }),
      's.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t',
    ],
    [
      'with a type in an alternative',
      object({ a: { ...string, anyOf: [{ type: 'string' }] } }),
      's.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    [
      'with a default in an alternative',
      object({ a: { ...string, allOf: [{ default: 'x' }] } }),
      's.properties[a].allOf[0].default: Forbidden: must be undefined to be structural',
    ],
    [
      'with a field in an alternative alone',
      object({ a: string }, { oneOf: [{ properties: { b: {} } }] }),
      's.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]',
    ],
    [
      'with its own metadata',
      object({ metadata: object({ labels: string }) }),
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName',
    ],
    [
      'with a kind that is a number',
      object({ kind: integer }),
      's.properties[kind].type: Invalid value: "integer": must be string',
    ],
    [
      'with a map without keys',
      object({ a: list(object({}), { 'x-kubernetes-list-type': 'map' }) }),
      's.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty',
    ],
    [
      'with keys that are no fields',
      object({ a: list(object({}), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }) }),
      'entries must all be names of item properties',
    ],
    [
      'with keys that may be missing',
      object({
        a: list(object({ k: string }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
      }),
      'so it must have a default or be a required property',
    ],
    [
      'with a list type for no list',
      object({ a: { ...string, 'x-kubernetes-list-type': 'set' } }),
      'must be array if x-kubernetes-list-type is specified',
    ],
    [
      'with an unknown list type',
      object({ a: list(string, { 'x-kubernetes-list-type': 'bag' }) }),
      's.properties[a].x-kubernetes-list-type: Unsupported value: "bag"',
    ],
    [
      'with a default of another type',
      object({ a: { ...string, default: 1 } }),
      's.properties[a].default: Invalid value: "integer"',
    ],
    [
      'with a default of unknown fields',
      object({ a: { ...object({}), default: { b: 1 } } }),
      's.properties[a].default: Invalid value: {"b":1}: must not have unknown fields',
    ],
    [
      'that is embedded and says nothing',
      object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
      's.properties[a].properties: Required value',
    ],
    [
      'that is a number or a text, and a text',
      object({ a: { ...string, 'x-kubernetes-int-or-string': true } }),
      'must be empty if x-kubernetes-int-or-string is true',
    ],
  ])('%s is refused', (_, schema, text) => {
    expect(errorsOf(schema).join('\n')).toContain(text);
  });

  it.each<[string, JsonSchema]>([
    ['of everything', preserve],
    [
      'with what is of two types',
      object({
        a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^x' },
      }),
    ],
    ['with the name in its metadata', object({ metadata: object({ name: { ...string, maxLength: 5 } }) })],
    [
      'with alternatives of its fields',
      object(
        { a: string, b: list(object({ c: string })) },
        { oneOf: [{ required: ['a'] }, { properties: { b: { items: { properties: { c: { pattern: 'x' } } } } } }] },
      ),
    ],
    [
      'with a map by keys',
      object({
        a: list(object({ k: string }, { required: ['k'] }), {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        }),
      }),
    ],
    ['that takes a null by default', object({ a: { ...string, nullable: true } })],
  ])('%s is taken', (_, schema) => expect(errorsOf(schema)).toEqual([]));

  it('of too many parts is refused', () => {
    const wide = object(Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`f${at}`, string])));
    expect(errorsOf(wide)).toEqual(['s: Forbidden: must have at most 50000 schemas within it']);
  });

  it('says whether it has rules anywhere, and which lists are maps', () => {
    const ruled = { ...string, 'x-kubernetes-validations': [{ rule: 'true' }] };
    const more = object({}, { additionalProperties: ruled });
    for (const schema of [ruled, object({ a: ruled }), object({ a: list(ruled) }), more]) {
      expect(hasRules(schema)).toBe(true);
    }
    expect(hasRules(object({ a: list(string) }))).toBe(false);
    const known = new StructuralSchema(
      object({
        a: list(object({ k: string }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
        b: list(string),
      }),
      true,
    );
    const listAt = (name: string): unknown => known.place.map?.child(name)?.list;
    expect(listAt('a')).toMatchObject({ type: 'map', keys: ['k'] });
    expect(listAt('b')).toMatchObject({ type: 'atomic', keys: [] });
    expect(listAt('c')).toBeUndefined();
  });
});

describe('whatever the schema and the value', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'kind', 'metadata', '__proto__');
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'boolean', 'number'),
          default: scalar,
          nullable: fc.boolean(),
          maxLength: fc.nat(3),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          type: fc.constant('array'),
          items: tie('schema'),
          'x-kubernetes-list-type': fc.constantFrom('set', 'map', 'atomic'),
          'x-kubernetes-list-map-keys': fc.array(names, { maxLength: 2 }),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 4 }),
          required: fc.array(names, { maxLength: 2 }),
          default: value,
          'x-kubernetes-preserve-unknown-fields': fc.boolean(),
          'x-kubernetes-embedded-resource': fc.boolean(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('object'),
          additionalProperties: tie('schema'),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
          not: tie('schema'),
        },
        { requiredKeys: ['type'] },
      ),
    ) as fc.Arbitrary<JsonSchema>,
  }));
  const fields = fc.dictionary(names, value);

  it('pruning and defaults do nothing the second time', () => {
    fc.assert(
      fc.property(schema, fields, (of, given) => {
        const pruned = pruneObject(of, given);
        expect(pruneObject(of, pruned)).toBe(pruned);
        if (schemaErrors(object({ s: of }), '').length > 0) return;
        const filled = defaultObject(of, pruned);
        expect(defaultObject(of, filled)).toEqual(filled);
      }),
    );
  });

  it('every check ends with errors or none', () => {
    fc.assert(
      fc.property(schema, value, value, (of, given, old) => {
        expect(Array.isArray(schemaErrors(object({ s: of }), 's'))).toBe(true);
        expect(checkValue(of, given, old).length).toBeLessThanOrEqual(1000);
        checkListTypes(of, given);
      }),
    );
  });
});

it('a schema says who may own what', () => {
  const metadata = { map: { isAtomic: false, isField: () => true, child: () => undefined } };
  const place = placeOfSchema(
    object({
      l: list(object({ k: { ...string, default: 'x' } }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      }),
      a: { ...preserve, 'x-kubernetes-map-type': 'atomic' },
      m: { type: 'object', additionalProperties: integer },
      e: { 'x-kubernetes-int-or-string': true },
    }),
    (name) => (name === 'metadata' ? metadata : undefined),
  );
  const child = (...names: string[]): StructuralPlace | undefined =>
    names.reduce<StructuralPlace | undefined>((at, name) => at?.map?.child(name), place);
  expect(child('metadata')).toBe(metadata);
  expect([child('l')?.list?.type, child('l')?.list?.keys, child('l')?.list?.defaultOf('k')]).toEqual([
    'map',
    ['k'],
    'x',
  ]);
  expect([child('a')?.map?.isAtomic, child('a', 'b', 'c')?.scalar]).toEqual([true, 'untyped']);
  expect([child('m')?.map?.isField('x'), child('m', 'x')?.scalar]).toEqual([false, 'numeric']);
  expect([child('e')?.scalar, child('nope')]).toEqual(['untyped', undefined]);
});
