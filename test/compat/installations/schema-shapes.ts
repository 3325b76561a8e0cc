/** Structural schemas as generators of code write them, of any size, each with a value that it accepts. */
import { numbers, prose } from './manifest.ts';

export interface Shape {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

type Next = (below: number) => number;
type Make = (next: Next) => Shape;

const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const text: Make = () => ({ schema: { type: 'string' }, value: 'some text' });
const named = (fields: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape => ({
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  },
  value: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
});
const list = (items: Shape, more: object = {}): Shape => ({
  schema: { type: 'array', items: items.schema, ...more },
  value: [items.value],
});

/** One shape for each way in which definitions describe a field. */
const LEAVES: readonly Make[] = [
  text,
  () => ({ schema: { type: 'boolean', default: true }, value: false }),
  () => ({ schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 65_535 }, value: 8080 }),
  () => ({ schema: { type: 'integer', format: 'int64' }, value: 9_007_199_254_740_991 }),
  () => ({ schema: { type: 'number' }, value: 0.25 }),
  () => ({
    schema: { type: 'string', enum: ['', 'Always', 'Never', 'IfNotPresent'], default: 'Always' },
    value: 'Never',
  }),
  () => ({ schema: { type: 'string', enum: Array.from({ length: 60 }, (_, at) => `value-${at}`) }, value: 'value-59' }),
  () => ({
    schema: { type: 'string', pattern: '^(0|(([0-9]+)y)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?)$' },
    value: '1h30m',
  }),
  () => ({ schema: { type: 'string', minLength: 1, maxLength: 253 }, value: 'x' }),
  () => ({ schema: { type: 'string', format: 'date-time' }, value: '2026-01-02T03:04:05Z' }),
  () => ({ schema: { type: 'string', format: 'byte' }, value: 'aGVsbG8=' }),
  () => ({ schema: { type: 'string', format: 'duration' }, value: '10m0s' }),
  () => ({ schema: { 'x-kubernetes-int-or-string': true }, value: '25%' }),
  () => ({
    schema: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    value: 3,
  }),
  () => ({ schema: { type: 'string', nullable: true }, value: 'not null' }),
  () => ({
    schema: {
      type: 'object',
      additionalProperties: {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: QUANTITY,
        'x-kubernetes-int-or-string': true,
      },
    },
    value: { cpu: '500m', memory: '1Gi', 'example.com/device': 1 },
  }),
  () => ({
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    value: { 'app.kubernetes.io/name': 'x', empty: '' },
  }),
  () => ({
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    value: { anything: [1, { goes: 'in' }] },
  }),
  () => ({ schema: { 'x-kubernetes-preserve-unknown-fields': true }, value: ['a', { b: 2 }] }),
  () => ({
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inner' }, data: { a: 'b' } },
  }),
  () => list({ schema: { type: 'string' }, value: 'one' }, { 'x-kubernetes-list-type': 'set', maxItems: 20 }),
  () => list({ schema: { type: 'string' }, value: 'one' }, { 'x-kubernetes-list-type': 'atomic' }),
  () => list({ schema: { type: 'integer', format: 'int32' }, value: 1 }, { minItems: 1 }),
  () =>
    list(
      named(
        {
          type: { schema: { type: 'string', maxLength: 316 }, value: 'Ready' },
          status: { schema: { type: 'string', enum: ['True', 'False', 'Unknown'] }, value: 'True' },
        },
        ['status', 'type'],
      ),
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
    ),
  () =>
    list(
      named(
        {
          containerPort: { schema: { type: 'integer', format: 'int32' }, value: 80 },
          protocol: { schema: { type: 'string', default: 'TCP' }, value: 'UDP' },
        },
        ['containerPort'],
      ),
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['containerPort', 'protocol'] },
    ),
  () => {
    const { schema, value } = named(
      { key: text(() => 0), name: { schema: { type: 'string', default: '' }, value: 'x' } },
      ['key'],
    );
    return { schema: { ...schema, 'x-kubernetes-map-type': 'atomic' }, value };
  },
  () => {
    const { schema, value } = named({
      a: { schema: { type: 'string' }, value: 'x' },
      b: { schema: { type: 'integer' }, value: undefined },
    });
    return { schema: { ...schema, oneOf: [{ required: ['a'] }, { required: ['b'] }] }, value };
  },
];

/** A structure with a rule. Within lists without bounds, rules soon cost more than a definition may. */
const ruled: Make = () => {
  const { schema, value } = named({
    one: { schema: { type: 'string', maxLength: 64 }, value: 'x' },
    other: { schema: { type: 'string', maxLength: 64 }, value: 'y' },
  });
  const rule = { rule: '!has(self.one) || size(self.one) > 0', message: 'one must not be empty' };
  return { schema: { ...schema, 'x-kubernetes-validations': [rule] }, value };
};

/** How deep generated definitions go: a pod template within a template is at about this depth. */
const MAX_DEPTH = 9;
/** One of so many fields is a structure of its own. */
const FIELDS_OF_ONE_STRUCTURE = 4;

/**
 * A structure of about `bytes` of JSON, descriptions included.
 *
 * @param wordiness words of a description, on average; 0 for none
 */
export function structure(seed: number, bytes: number, wordiness = 24): Shape {
  const next = numbers(seed);
  return grow(bytes, 0, { next, wordiness, isInList: false });
}

interface Style {
  readonly next: Next;
  readonly wordiness: number;
  readonly isInList: boolean;
}

function described({ schema, value }: Shape, { next, wordiness }: Style): Shape {
  if (wordiness === 0) return { schema, value };
  return { schema: { description: prose(next, 3 + next(2 * wordiness)), ...schema }, value };
}

function grow(bytes: number, depth: number, style: Style): Shape {
  const fields: Record<string, Shape> = {};
  let left = bytes;
  for (let at = 0; left > 0; at += 1) {
    const isStructure = depth < MAX_DEPTH && left > 2000 && at % FIELDS_OF_ONE_STRUCTURE === 3;
    const leaf = LEAVES[style.next(LEAVES.length + 1)] ?? (style.isInList ? text : ruled);
    const field = described(isStructure ? nested(left, depth, style) : leaf(style.next), style);
    fields[`field${String.fromCharCode(65 + (at % 26))}${Math.floor(at / 26) || ''}`] = field;
    left -= JSON.stringify(field.schema).length + 12;
  }
  return named(fields);
}

/** A structure, or a list of structures by name, with half of the bytes that are left. */
function nested(left: number, depth: number, style: Style): Shape {
  if (style.next(3) > 0) return grow(left / 2, depth + 1, style);
  const inner = grow(left / 2, depth + 1, { ...style, isInList: true });
  const properties = { name: { type: 'string' }, ...(inner.schema['properties'] as object) };
  return list(
    { schema: { ...inner.schema, properties, required: ['name'] }, value: { name: 'a', ...(inner.value as object) } },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  );
}
