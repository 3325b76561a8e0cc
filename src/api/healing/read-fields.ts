/**
 * Reads a plain value (decoded JSON or YAML) by the schema of one of our types, with every problem at its path. Stricter than
 * a server is with objects: an unknown field is an error, since the writer of an annotation would not learn of it otherwise.
 */
import { child, type FieldError, forbiddenField, index, invalidValue, required, typeInvalid } from '../field-error.ts';
import { readScalar, type ScalarResult } from '../schema/scalar.ts';
import { type FieldShape, type Scalar, structSchema } from '../schema/schema.ts';

export interface ReadFields {
  readonly value: Record<string, unknown>;
  readonly errors: readonly FieldError[];
}

/** Deeper than any of our types, label selectors included. */
const MAX_DEPTH = 16;
/** Values in all, each counted as often as it is referred to: a text of YAML may name the same one a billion times. */
const MAX_VALUES = 20_000;

/** @param type of the schema: "mendlet.v1alpha1.HealingPolicySpec" */
export function readFields(type: string, value: unknown, path: string): ReadFields {
  const errors: FieldError[] = [];
  if (isTooMuch(value)) return { value: {}, errors: [invalidValue(path, '', 'is too large, or nested too deep')] };
  const read = readShape({ kind: 'struct', type }, value, path, errors);
  return { value: (read ?? {}) as Record<string, unknown>, errors };
}

function isTooMuch(value: unknown): boolean {
  const waiting = [{ value, depth: 0 }];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const members: readonly unknown[] = Object.values(next.value);
    count += members.length;
    if (count > MAX_VALUES || next.depth >= MAX_DEPTH) return true;
    for (const member of members) waiting.push({ value: member, depth: next.depth + 1 });
  }
  return false;
}

/** Undefined after an error. */
function readShape(shape: FieldShape, value: unknown, path: string, errors: FieldError[]): unknown {
  switch (shape.kind) {
    case 'scalar':
      return readScalarAt(shape.scalar, value, path, errors);
    case 'list':
      if (!Array.isArray(value)) return refuse(errors, path, value, 'must be a list');
      return value.map((element, position) => readShape(shape.element, element, index(path, position), errors));
    case 'map':
      if (!isObject(value)) return refuse(errors, path, value, 'must be an object');
      return Object.fromEntries(
        Object.entries(value).map(([name, element]) => [
          name,
          readShape(shape.value, element, child(path, name), errors),
        ]),
      );
    case 'struct':
      if (!isObject(value)) return refuse(errors, path, value, 'must be an object');
      return readStruct(shape.type, value, path, errors);
  }
}

function readStruct(type: string, value: Readonly<Record<string, unknown>>, path: string, errors: FieldError[]) {
  const { fields } = structSchema(type);
  for (const [name, field] of fields) {
    if (field.required && (value[name] ?? null) === null) errors.push(required(child(path, name)));
  }
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const field = fields.get(name);
    if (field === undefined) errors.push(forbiddenField(child(path, name), 'unknown field'));
    else if (member !== null && member !== undefined)
      result[name] = readShape(field.shape, member, child(path, name), errors);
  }
  return result;
}

const WORDS: Readonly<Record<Scalar, string>> = {
  string: 'a string',
  boolean: 'true or false',
  int32: 'an integer of 32 bits',
  int64: 'an integer',
  double: 'a number',
  bytes: 'a string of base64',
  quantity: 'a quantity',
  intOrString: 'an integer or a string',
  time: 'a time as of RFC 3339, such as "2026-01-02T15:04:05Z"',
  microTime: 'a time as of RFC 3339, such as "2026-01-02T15:04:05Z"',
  duration: 'a duration such as "30s" or "1h30m"',
  any: 'a value',
};

function readScalarAt(scalar: Scalar, value: unknown, path: string, errors: FieldError[]): unknown {
  if (value === null) return refuse(errors, path, value, `must be ${WORDS[scalar]}`);
  const read: ScalarResult = readScalar(scalar, value);
  if (read.ok) return read.value;
  if ('found' in read) return refuse(errors, path, value, `must be ${WORDS[scalar]}`);
  errors.push(invalidValue(path, value, `must be ${WORDS[scalar]}`));
  return undefined;
}

function refuse(errors: FieldError[], path: string, value: unknown, detail: string): undefined {
  errors.push(typeInvalid(path, value ?? null, detail));
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
