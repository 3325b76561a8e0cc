/**
 * The form that upstream's Go types give an object when they read and write it (JSON in, storage, JSON out). Pointers and
 * json tags alone decide what is absent, what is zero and what is always written. Custom resources have no Go types and stay
 * as sent.
 */
import { canonicalAmountOf, canonicalScalar, hasSpellings } from './scalar.ts';
import { type FieldSchema, type FieldShape, type StructSchema, structOfKind, structSchema } from './schema.ts';
import { setOwn } from './set-own.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The canonical form of an object of this kind. Parts that are canonical already are not copied: the result is the object
 * itself if nothing changes. Kinds without a Go type are never changed.
 * @param known a canonical object: its very own parts need not be looked at
 */
export function canonicalObject<T extends object>(apiVersion: string, kind: string, object: T, known?: object): T {
  const struct = structOfKind(apiVersion, kind);
  return struct === undefined ? object : (canonicalStruct(struct, object as Fields, known as Fields | undefined) as T);
}

/** The same of an object whose struct is known. */
export function canonicalOfStruct<T extends object>(struct: StructSchema, object: T, known?: object): T {
  return canonicalStruct(struct, object as Fields, known as Fields | undefined) as T;
}

/** The same for a part of an object, by the name of its type ("core.v1.PodTemplateSpec"). */
export function canonicalPart<T extends object>(type: string, part: T): T {
  return canonicalStruct(structSchema(type), part as Fields) as T;
}

function canonicalStruct(struct: StructSchema, value: Fields, known?: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const field = struct.fields.get(name);
    const before = value[name];
    if (field === undefined || (known !== undefined && known[name] === before)) continue;
    const after = canonicalField(field, before);
    if (after === before) continue;
    copy ??= { ...value };
    if (after === undefined) delete copy[name];
    else copy[name] = after;
  }
  for (const [name, field] of struct.written) {
    if (value[name] !== undefined) continue;
    copy ??= { ...value };
    copy[name] = absent(field);
  }
  return copy ?? value;
}

/** undefined: it is not written. */
function canonicalField(field: FieldSchema, value: unknown): unknown {
  if (value === undefined || value === null) return value === undefined ? undefined : absent(field);
  const { absence, shape } = field;
  const after = canonicalValue(shape, value);
  if (absence === 'kept' || !isZero(shape, after)) return after;
  return absence === 'omitted' || shape.kind === 'list' || shape.kind === 'map' ? absent(field) : after;
}

/** The value that stands for absence: undefined when the field is left out. */
function absent({ absence, shape }: FieldSchema): unknown {
  if (absence === 'null') return null;
  return absence === 'zero' ? zeroOf(shape) : undefined;
}

/**
 * Whether an encoder takes it for empty. A struct never is, but times, the only ones with omitzero, are absent when they are
 * zero.
 */
function isZero(shape: FieldShape, value: unknown): boolean {
  switch (shape.kind) {
    case 'list':
      return (value as readonly unknown[]).length === 0;
    case 'map':
      for (const _ in value as object) return false;
      return true;
    case 'struct':
      return false;
    case 'scalar':
      return value === '' || value === 0 || value === false;
  }
}

/** A fresh one each time: callers fill it. */
function zeroOf(shape: FieldShape): unknown {
  if (shape.kind === 'struct') return canonicalStruct(structSchema(shape.type), {});
  if (shape.kind !== 'scalar') return null;
  switch (shape.scalar) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'any':
    case 'bytes':
    case 'time':
    case 'microTime':
      return null;
  }
}

function canonicalValue(shape: FieldShape, value: unknown): unknown {
  switch (shape.kind) {
    case 'scalar':
      if (shape.or !== undefined) return canonicalEither(shape.or, value);
      return canonicalScalar(shape.scalar, value);
    case 'struct':
      return isFields(value) ? canonicalStruct(structSchema(shape.type), value) : value;
    case 'list':
      return Array.isArray(value) ? canonicalList(shape.element, value) : value;
    case 'map':
      return isFields(value) ? canonicalMap(shape.value, value) : value;
  }
}

function canonicalEither(type: string, value: unknown): unknown {
  if (isFields(value)) return canonicalStruct(structSchema(type), value);
  return Array.isArray(value) ? value.map((item) => canonicalEither(type, item)) : value;
}

function canonicalList(element: FieldShape, list: readonly unknown[]): readonly unknown[] {
  if (isPlain(element)) return list;
  let copy: unknown[] | undefined;
  for (const [position, before] of list.entries()) {
    const after = canonicalValue(element, before);
    if (after === before) continue;
    copy ??= [...list];
    copy[position] = after;
  }
  return copy ?? list;
}

function canonicalMap(shape: FieldShape, map: Fields): Fields {
  if (isPlain(shape)) return map;
  const isAmount = shape.kind === 'scalar' && shape.scalar === 'quantity';
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(map)) {
    const after = isAmount ? canonicalAmountOf(map[key]) : canonicalValue(shape, map[key]);
    if (after === map[key]) continue;
    copy ??= { ...map };
    setOwn(copy, key, after);
  }
  return copy ?? map;
}

/** Members that have only one form: they need not be looked at one by one. */
function isPlain(shape: FieldShape): boolean {
  return shape.kind === 'scalar' && !hasSpellings(shape.scalar);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
