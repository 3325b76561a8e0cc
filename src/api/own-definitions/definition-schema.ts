/** One of our types (`schema/own-schema.ts`) as a CustomResourceDefinition needs it: structural, without references. Pure. */
import { type FieldSchema, type FieldShape, type Scalar, structSchema } from '../schema/schema.ts';
import type { JsonSchema } from '../structural/json-schema.ts';
import type { FieldDoc } from '../schema/field-doc.ts';
import { CEL_RULES, type CelRule } from './cel-rules.ts';

/** Go's durations without a sign. They are bounded so that a server can compute the cost of its checks. */
// Not a raw text: the bundle holds ASCII alone, and an escape in a raw text stays what it is.
const DURATION = '^(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h))+)$';
const MAX_DURATION_LENGTH = 32;

const SCALARS: Readonly<Record<Scalar, JsonSchema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number' },
  bytes: { type: 'string', format: 'byte' },
  quantity: { 'x-kubernetes-int-or-string': true },
  intOrString: { 'x-kubernetes-int-or-string': true },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string', pattern: DURATION, maxLength: MAX_DURATION_LENGTH },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
};

/** The schema of a type and of all that it is made of. */
export function definitionSchema(type: string): JsonSchema {
  const { text, fields } = structSchema(type);
  const entries = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const needed = entries.filter(([, field]) => field.required || field.doc?.needed === true).map(([name]) => name);
  return {
    type: 'object',
    ...(text === undefined ? {} : { description: text }),
    ...(needed.length === 0 ? {} : { required: needed }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(type, name, field)])),
    ...(type === 'meta.v1.LabelSelector' ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...validations(CEL_RULES[type]),
  };
}

function fieldSchema(type: string, name: string, { shape, doc, ...field }: FieldSchema): JsonSchema {
  // The server's own; a definition that says more of it is refused.
  if (shape.kind === 'struct' && shape.type === 'meta.v1.ObjectMeta') return { type: 'object' };
  const base = withValues(shapeSchema(shape), doc ?? {});
  const listType = doc?.isSet === true ? 'set' : field.listType;
  return {
    ...base,
    ...(doc === undefined ? {} : { description: doc.text }),
    ...(doc?.fill === undefined ? {} : { default: doc.fill }),
    ...bounds(doc ?? {}),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    ...(field.listMapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    ...validations(CEL_RULES[`${type}.${name}`]),
  };
}

const BOUNDS = ['minimum', 'maximum', 'maxLength', 'minItems', 'maxItems'] as const;

function bounds(doc: Partial<Record<(typeof BOUNDS)[number], number>>): JsonSchema {
  return Object.fromEntries(BOUNDS.flatMap((name) => (doc[name] === undefined ? [] : [[name, doc[name]]])));
}

function validations(rules: readonly CelRule[] | undefined): JsonSchema {
  return rules === undefined ? {} : { 'x-kubernetes-validations': rules };
}

function shapeSchema(shape: FieldShape): JsonSchema {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'list':
      return { type: 'array', items: shapeSchema(shape.element) };
    case 'map':
      return { type: 'object', additionalProperties: shapeSchema(shape.value) };
    case 'struct':
      return definitionSchema(shape.type);
  }
}

const MAX_ITEM_LENGTH = 253;

/** The values that a text, or each member of a list of texts, may have. Members get a bound in any case. */
function withValues(schema: JsonSchema, { oneOf, pattern }: Pick<Partial<FieldDoc>, 'oneOf' | 'pattern'>): JsonSchema {
  const values = { ...(oneOf === undefined ? {} : { enum: oneOf }), ...(pattern === undefined ? {} : { pattern }) };
  if (schema.type !== 'array') return { ...schema, ...values };
  const items = schema.items as JsonSchema;
  if (items.type !== 'string') return schema;
  return { ...schema, items: { ...items, ...values, ...(oneOf === undefined ? { maxLength: MAX_ITEM_LENGTH } : {}) } };
}
