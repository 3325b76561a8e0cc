/**
 * Structure of request bodies: walks a decoded value by the schema, drops unknown fields (and reports them), checks types,
 * and normalises scalars (quantities, times, base64). The result is a fresh copy that later steps may trust by type.
 */
import { goTypeName } from './go-type-name.ts';
import { jsonTypeOf, readScalar } from './scalar.ts';
import { type FieldShape, type StructSchema, structOfKind, structSchema } from './schema.ts';
import { setOwn } from './set-own.ts';

/** The treatment of unknown fields that a request asks for (`fieldValidation`). */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface Structure {
  /** A pruned, normalised copy. */
  readonly object: Record<string, unknown>;
  /** One line per unknown field: `unknown field "spec.containers[0].imagee"`. */
  readonly unknownFields: readonly string[];
}

/** A value that doesn't fit its field's type; the message is Go's decoder's. */
export class StructureError extends Error {
  override readonly name = 'StructureError';
}

/** More problems than this are not reported: an answer stays small whatever is sent. */
export const MAX_UNKNOWN_FIELDS = 100;

interface Walk {
  readonly unknown: string[];
}

/**
 * The structure of a value as an object of this kind; `undefined` when the schema doesn't know the kind.
 * Throws `StructureError` at the first value of a wrong type.
 */
export function readStructure(apiVersion: string, kind: string, value: unknown): Structure | undefined {
  const struct = structOfKind(apiVersion, kind);
  return struct === undefined ? undefined : readStruct(struct, value);
}

/** The same for a struct that is known. Throws `StructureError`. */
export function readStruct(struct: StructSchema, value: unknown): Structure {
  const walk: Walk = { unknown: [] };
  if (!isObject(value)) {
    const type = goTypeName({ kind: 'struct', type: struct.name });
    throw new StructureError(`json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${type}`);
  }
  return { object: walkStruct(struct, value, { path: '', go: '' }, walk), unknownFields: walk.unknown };
}

/**
 * The same for a part of an object, by the name of its type ("meta.v1.ObjectMeta"). `path`: where the part stands. Throws
 * `StructureError` at the first value of a wrong type.
 */
export function readPart(type: string, value: unknown, path: string): Structure {
  const walk: Walk = { unknown: [] };
  if (!isObject(value)) {
    const shape = { kind: 'struct', type } as const;
    throw new StructureError(
      `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field .${path} of type ${goTypeName(shape)}`,
    );
  }
  return { object: walkStruct(structSchema(type), value, { path, go: path }, walk), unknownFields: walk.unknown };
}

interface Place {
  /** With indexes, for unknown fields. */
  readonly path: string;
  /** Without, and led by the struct's name, as Go's type errors have it. */
  readonly go: string;
}

function walkStruct(
  struct: StructSchema,
  value: Readonly<Record<string, unknown>>,
  place: Place,
  walk: Walk,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const field = struct.fields.get(name);
    if (field === undefined) {
      if (walk.unknown.length < MAX_UNKNOWN_FIELDS) walk.unknown.push(`unknown field "${path}"`);
      continue;
    }
    const child = value[name];
    if (child === null || child === undefined) continue;
    const go = place.go === '' ? name : `${place.go}.${name}`;
    result[name] = walkValue(field.shape, child, { path, go }, struct.name, walk);
  }
  return result;
}

function walkValue(shape: FieldShape, value: unknown, place: Place, owner: string, walk: Walk): unknown {
  switch (shape.kind) {
    case 'scalar': {
      if (shape.or !== undefined) return walkEither(shape.or, value, place, walk);
      const read = readScalar(shape.scalar, value);
      if (read.ok) return read.value;
      if ('error' in read) throw new StructureError(`${place.path}: ${read.error}`);
      throw typeError(read.found, place, owner, shape);
    }
    case 'struct':
      if (!isObject(value)) throw typeError(jsonTypeOf(value), place, owner, shape);
      return walkStruct(structSchema(shape.type), value, place, walk);
    case 'list':
      if (!Array.isArray(value)) throw typeError(jsonTypeOf(value), place, owner, shape);
      return value.map((element, position) =>
        walkElement(shape.element, element, { path: `${place.path}[${position}]`, go: place.go }, owner, walk),
      );
    case 'map':
      if (!isObject(value)) throw typeError(jsonTypeOf(value), place, owner, shape);
      return walkMap(shape.value, value, place, owner, walk);
  }
}

/** An object is of the type; a list holds such objects; anything else stays. */
function walkEither(type: string, value: unknown, place: Place, walk: Walk): unknown {
  if (isObject(value)) return walkStruct(structSchema(type), value, place, walk);
  if (!Array.isArray(value)) return value;
  return value.map((item, position) =>
    walkEither(type, item, { path: `${place.path}[${position}]`, go: place.go }, walk),
  );
}

function walkMap(
  shape: FieldShape,
  value: Readonly<Record<string, unknown>>,
  place: Place,
  owner: string,
  walk: Walk,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    setOwn(result, key, walkElement(shape, value[key], { path: `${place.path}.${key}`, go: place.go }, owner, walk));
  }
  return result;
}

/** In lists and maps null is the zero value, not absence. */
function walkElement(shape: FieldShape, value: unknown, place: Place, owner: string, walk: Walk): unknown {
  if (value !== null && value !== undefined) return walkValue(shape, value, place, owner, walk);
  if (shape.kind === 'struct' || shape.kind === 'map') return {};
  if (shape.kind === 'list') return [];
  return shape.scalar === 'any' ? null : (ZERO[shape.scalar] ?? '');
}

const ZERO: Readonly<Record<string, unknown>> = {
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
  intOrString: 0,
  quantity: '0',
};

function typeError(found: string, place: Place, owner: string, shape: FieldShape): StructureError {
  const struct = owner.slice(owner.lastIndexOf('.') + 1);
  return new StructureError(
    `json: cannot unmarshal ${found} into Go struct field ${struct}.${place.go} of type ${goTypeName(shape)}`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
