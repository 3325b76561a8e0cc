/** The derived schema, compiled type by type when first asked for: a server that knows 500 types uses a few dozen. */
import { APIEXTENSIONS_KINDS, APIEXTENSIONS_TYPES } from './apiextensions-schema.ts';
import type { FieldDoc } from './field-doc.ts';
import { OWN_DOCS } from './own-docs.ts';
import { OWN_TYPES } from './own-schema.ts';
import raw from './schema.json' with { type: 'json' };

export type Scalar =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'any';

export type FieldShape =
  /** `or`: an object in the place of an "any" is of this type, as are objects in a list there. */
  | { readonly kind: 'scalar'; readonly scalar: Scalar; readonly or?: string }
  | { readonly kind: 'list'; readonly element: FieldShape }
  | { readonly kind: 'map'; readonly value: FieldShape }
  | { readonly kind: 'struct'; readonly type: string };

export interface FieldSchema {
  readonly shape: FieldShape;
  /** Only for our own types. */
  readonly doc?: FieldDoc;
  readonly required: boolean;
  /** "merge", "replace", "retainKeys" and their combinations, as strategic merge patch reads them. */
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys: readonly string[];
  /** "atomic": the map, or the struct behind the field, has one owner. */
  readonly mapType?: string;
  readonly nullable: boolean;
  readonly absence: Absence;
}

/**
 * The text that an encoder writes for a field that is absent or zero, by its Go type and json tag.
 * - kept: a pointer with omitempty. Absence stays absence, and a zero value is a value.
 * - omitted: a value with omitempty, or any with omitzero. A zero value is absence.
 * - null: a pointer, list, map or time that is always written, as null when there is none.
 * - zero: any other value that is always written.
 */
export type Absence = 'kept' | 'omitted' | 'null' | 'zero';

export interface StructSchema {
  /** Its description; only for our own types. */
  readonly text?: string;
  /** "core.v1.Container" */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** The fields that are always written. */
  readonly written: readonly (readonly [name: string, field: FieldSchema])[];
  /** "atomic": its fields have one owner. */
  readonly structType?: string;
}

interface RawField {
  readonly type: string;
  readonly required?: boolean;
  readonly patchMergeKey?: string;
  readonly patchStrategy?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly pointer?: boolean;
  readonly omitempty?: boolean;
  readonly omitzero?: boolean;
  readonly nullable?: boolean;
  readonly or?: string;
}

const KINDS: Readonly<Record<string, string>> = { ...raw.kinds, ...APIEXTENSIONS_KINDS };
const TYPES = { ...raw.types, ...APIEXTENSIONS_TYPES, ...OWN_TYPES } as unknown as Readonly<
  Record<string, { readonly structType?: string; readonly fields: Readonly<Record<string, RawField>> }>
>;
const SCALARS: ReadonlySet<string> = new Set<Scalar>([
  'string',
  'boolean',
  'int32',
  'int64',
  'double',
  'bytes',
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'duration',
  'any',
]);

const compiled = new Map<string, StructSchema>();

/** The struct behind a kind ("v1", "Pod"); `undefined` for one that the schema doesn't have. */
export function structOfKind(apiVersion: string, kind: string): StructSchema | undefined {
  const name = KINDS_BY_VERSION.get(apiVersion)?.get(kind) ?? KINDS_BY_VERSION.get('meta.k8s.io/v1')?.get(kind);
  return name === undefined ? undefined : structSchema(name);
}

/** Asked several times for each write: no text is put together for it. */
const KINDS_BY_VERSION: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  [...Map.groupBy(Object.entries(KINDS), ([id]) => id.slice(0, id.lastIndexOf('/')))].map(([version, kinds]) => [
    version,
    new Map(kinds.map(([id, type]) => [id.slice(id.lastIndexOf('/') + 1), type])),
  ]),
);

/** The struct of a type name that the schema itself mentions. Throws for any other: a bug. */
export function structSchema(name: string): StructSchema {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const type = own(TYPES, name);
  if (type === undefined) throw new Error(`schema.json has no type ${name}`);
  const doc = own(OWN_DOCS, name);
  const fields = new Map(
    Object.entries(type.fields).map(([field, value]) => [field, compileField(value, own(doc?.fields ?? {}, field))]),
  );
  const struct = {
    name,
    ...(doc === undefined ? {} : { text: doc.text }),
    ...(type.structType === undefined ? {} : { structType: type.structType }),
    fields,
    written: [...fields].filter(([, { absence }]) => absence === 'null' || absence === 'zero'),
  };
  compiled.set(name, struct);
  return struct;
}

function compileField(field: RawField, doc: FieldDoc | undefined): FieldSchema {
  const shape: FieldShape =
    field.or === undefined ? shapeOf(field.type) : { kind: 'scalar', scalar: 'any', or: field.or };
  return {
    shape,
    absence: absenceOf(field, shape),
    nullable: field.nullable === true,
    ...(doc === undefined ? {} : { doc }),
    required: field.required === true,
    patchStrategies: field.patchStrategy?.split(',') ?? [],
    ...(field.patchMergeKey === undefined ? {} : { patchMergeKey: field.patchMergeKey }),
    ...(field.listType === undefined ? {} : { listType: field.listType }),
    listMapKeys: field.listMapKeys ?? [],
    ...(field.mapType === undefined ? {} : { mapType: field.mapType }),
  };
}

/** Scalars that are structs in Go: without omitzero they are always written. */
const STRUCT_SCALARS: ReadonlySet<Scalar> = new Set<Scalar>([
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'duration',
  'any',
]);
/** Scalars that have no other zero than null. */
const NULL_SCALARS: ReadonlySet<Scalar> = new Set<Scalar>(['time', 'microTime', 'bytes', 'any']);

function absenceOf({ pointer, omitempty, omitzero }: RawField, shape: FieldShape): Absence {
  if (pointer === true) return omitempty === true ? 'kept' : 'null';
  if (omitzero === true) return 'omitted';
  const isStruct = shape.kind === 'struct' || (shape.kind === 'scalar' && STRUCT_SCALARS.has(shape.scalar));
  if (omitempty === true && !isStruct) return 'omitted';
  if (shape.kind === 'list' || shape.kind === 'map') return 'null';
  return shape.kind === 'scalar' && NULL_SCALARS.has(shape.scalar) ? 'null' : 'zero';
}

function shapeOf(type: string): FieldShape {
  if (type.startsWith('[]')) return { kind: 'list', element: shapeOf(type.slice(2)) };
  if (type.startsWith('{}')) return { kind: 'map', value: shapeOf(type.slice(2)) };
  if (SCALARS.has(type)) return { kind: 'scalar', scalar: type as Scalar };
  return { kind: 'struct', type };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
