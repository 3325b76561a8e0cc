/** Rules that a real server took: mendlet's own definitions for other clusters, and rules of the shapes that widely used projects have. */
import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import {
  BOOL,
  cardinalityOf,
  cardinalityWithout,
  CelError,
  compile,
  declaredTypeOf,
  ESTIMATE_PER_DEFINITION,
  ESTIMATE_PER_RULE,
  evaluate,
  isFailure,
  type SchemaOfValues,
  valueOfJson,
} from './index.ts';

interface Schema extends SchemaOfValues {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

interface Rule {
  readonly rule: string;
  readonly schema: Schema;
  readonly isRoot: boolean;
  readonly counts: readonly (number | undefined)[];
}

function rulesIn(schema: Schema, counts: Rule['counts'] = [], isRoot = true): readonly Rule[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => ({ rule, schema, isRoot, counts }));
  const inside = Object.values(schema.properties ?? {}).flatMap((property) => rulesIn(property, counts, false));
  const below = [...counts, cardinalityOf(schema)];
  const items = schema.items === undefined ? [] : rulesIn(schema.items, below, false);
  const values =
    typeof schema.additionalProperties === 'object' ? rulesIn(schema.additionalProperties, below, false) : [];
  return [...own, ...inside, ...items, ...values];
}

interface Definition {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
}

const text = readFileSync(new URL('../../deploy/crds.yaml', import.meta.url), 'utf8');
const definitions = (loadAll(text) as Definition[]).filter(({ kind }) => kind === 'CustomResourceDefinition');

describe.each(definitions)('$metadata.name', ({ spec }) => {
  const rules = spec.versions.flatMap(({ schema }) => rulesIn(schema.openAPIV3Schema));

  function costOf({ rule, schema, isRoot, counts }: Rule): number {
    const declared = declaredTypeOf(schema, isRoot);
    if (declared === undefined) throw new Error('no type');
    const program = compile(rule, { variables: { self: { declared }, oldSelf: { declared } }, result: BOOL });
    if (isFailure(program)) throw new Error(program.text);
    const isUnbounded = counts.includes(undefined);
    return (
      program.estimate.max *
      (isUnbounded ? cardinalityWithout(declared) : counts.reduce<number>((all, count) => all * (count ?? 1), 1))
    );
  }

  it.each(rules)('$rule', (rule) => {
    expect(costOf(rule)).toBeLessThanOrEqual(ESTIMATE_PER_RULE);
  });

  it('costs no more than a definition may', () => {
    expect(rules.reduce((sum, rule) => sum + costOf(rule), 0)).toBeLessThanOrEqual(ESTIMATE_PER_DEFINITION);
  });
});

const string = { type: 'string', maxLength: 253 };
const port = { 'x-kubernetes-int-or-string': true };
const listener: SchemaOfValues = {
  type: 'object',
  required: ['name', 'port', 'protocol'],
  properties: {
    name: string,
    port: { type: 'integer', format: 'int32' },
    protocol: string,
    hostname: string,
    tls: { type: 'object', properties: { mode: string, options: { type: 'object', additionalProperties: string } } },
  },
};
const listeners: SchemaOfValues = {
  type: 'array',
  maxItems: 64,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: listener,
};
const requirement: SchemaOfValues = {
  type: 'object',
  properties: { key: string, operator: string, values: { type: 'array', items: string, maxItems: 50 } },
};

/** Rule, schema, a value that keeps it and one that breaks it. */
const SHAPES: readonly (readonly [string, SchemaOfValues, unknown, unknown])[] = [
  [
    "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
    listeners,
    [{ name: 'a', port: 80, protocol: 'HTTP' }],
    [{ name: 'a', port: 80, protocol: 'HTTP', tls: {} }],
  ],
  [
    "self.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (l.tls.mode == '' || l.tls.mode == 'Terminate') : true)",
    listeners,
    [{ name: 'a', port: 443, protocol: 'HTTPS', tls: { mode: 'Terminate' } }],
    [{ name: 'a', port: 443, protocol: 'HTTPS', tls: { mode: 'Passthrough' } }],
  ],
  ['self.all(l1, self.exists_one(l2, l1.name == l2.name))', listeners, [{ name: 'a' }], [{ name: 'a' }, { name: 'a' }]],
  [
    'self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))',
    listeners,
    [
      { name: 'a', port: 80, protocol: 'HTTP', hostname: 'x' },
      { name: 'b', port: 80, protocol: 'HTTP', hostname: 'y' },
    ],
    [
      { name: 'a', port: 80, protocol: 'HTTP' },
      { name: 'b', port: 80, protocol: 'HTTP' },
    ],
  ],
  [
    String.raw`self.matches(r"""^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$""")`,
    { ...string, maxLength: 1024 },
    '/a/b%20c',
    '/a b',
  ],
  [
    "self.key in ['topology.kubernetes.io/zone', 'kubernetes.io/arch'] || !self.key.find('^([^/]+)').endsWith('example.sh')",
    requirement,
    { key: 'a.io/b' },
    { key: 'x.example.sh/b' },
  ],
  [
    "self.operator in ['In', 'NotIn'] ? size(self.values) > 0 : true",
    requirement,
    { operator: 'In', values: ['a'] },
    { operator: 'In', values: [] },
  ],
  ['self.values.all(v, int(v) >= 0)', requirement, { values: ['1'] }, { values: ['-1'] }],
  ["type(self) == string ? self.endsWith('%') : self >= 0", port, '5%', -1],
  ["self == '' || isIP(self) || isCIDR(self)", string, '10.0.0.0/8', 'x'],
  ["isURL(self) && url(self).getScheme() in ['https', 'oci']", string, 'https://a.example', 'http://a.example'],
  ["quantity(self).isGreaterThan(quantity('0'))", string, '1Gi', '0'],
  ["self.split(':').size() == 2 && self.split(':')[1].matches('^[0-9]+$')", string, 'host:80', 'host'],
  ['self.lowerAscii() == self && !format.dns1123Label().validate(self).hasValue()', string, 'name', 'Name'],
  ['(has(self.tls) ? 1 : 0) + (has(self.hostname) ? 1 : 0) <= 1', listener, { tls: {} }, { tls: {}, hostname: 'x' }],
  [
    "self.tls.options.all(k, k.size() < 10 && self.tls.options[k] != '')",
    listener,
    { tls: { options: { a: 'b' } } },
    { tls: { options: { a: '' } } },
  ],
  ['[has(self.tls), has(self.hostname)].exists_one(x, x)', listener, { tls: {} }, {}],
  ["self.?tls.?mode.orValue('Terminate') == 'Terminate'", listener, {}, { tls: { mode: 'Passthrough' } }],
];

describe('rules of widely used shapes', () => {
  it.each(SHAPES)('%s', (rule, schema, good, bad) => {
    const declared = declaredTypeOf(schema);
    if (declared === undefined) throw new Error('no type');
    const program = compile(rule, { variables: { self: { declared } }, result: BOOL });
    if (isFailure(program)) throw new Error(program.text);
    expect(program.estimate.max).toBeLessThanOrEqual(ESTIMATE_PER_RULE);
    const verdictOn = (value: unknown): unknown => {
      const answer = evaluate(program, () => valueOfJson(value, declared)).value;
      return answer instanceof CelError ? answer.message : answer;
    };
    expect([verdictOn(good), verdictOn(bad)]).toEqual([true, false]);
  });
});
