/** The derived schema, compiled type by type when first asked for: a server that knows 500 types uses a few dozen. */
import { type FieldDoc, OWN_DOCS } from './own-docs.ts';
import { OWN_KINDS, OWN_TYPES } from './own-schema.ts';
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
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'list'; readonly element: FieldShape }
  | { readonly kind: 'map'; readonly value: FieldShape }
  | { readonly kind: 'struct'; readonly type: string };

export interface FieldSchema {
  readonly shape: FieldShape;
  /** Of our own kinds alone. */
  readonly doc?: FieldDoc;
  readonly required: boolean;
  /** "merge", "replace", "retainKeys" and their combinations, as strategic merge patch reads them. */
  readonly patchStrategies: readonly string[];
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys: readonly string[];
}

export interface StructSchema {
  /** What it is; of our own kinds alone. */
  readonly text?: string;
  /** "core.v1.Container" */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

interface RawField {
  readonly type: string;
  readonly required?: boolean;
  readonly patchMergeKey?: string;
  readonly patchStrategy?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
}

const KINDS: Readonly<Record<string, string>> = { ...raw.kinds, ...OWN_KINDS };
const TYPES = { ...raw.types, ...OWN_TYPES } as unknown as Readonly<
  Record<string, { readonly fields: Readonly<Record<string, RawField>> }>
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
  const name = own(KINDS, `${apiVersion}/${kind}`) ?? own(KINDS, `meta.k8s.io/v1/${kind}`);
  return name === undefined ? undefined : structSchema(name);
}

/** The struct of a type name that the schema itself mentions. Throws for any other: a bug. */
export function structSchema(name: string): StructSchema {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const type = own(TYPES, name);
  if (type === undefined) throw new Error(`schema.json has no type ${name}`);
  const doc = own(OWN_DOCS, name);
  const struct = {
    name,
    ...(doc === undefined ? {} : { text: doc.text }),
    fields: new Map(
      Object.entries(type.fields).map(([field, value]) => [field, compileField(value, own(doc?.fields ?? {}, field))]),
    ),
  };
  compiled.set(name, struct);
  return struct;
}

function compileField(field: RawField, doc: FieldDoc | undefined): FieldSchema {
  return {
    shape: shapeOf(field.type),
    ...(doc === undefined ? {} : { doc }),
    required: field.required === true,
    patchStrategies: field.patchStrategy?.split(',') ?? [],
    ...(field.patchMergeKey === undefined ? {} : { patchMergeKey: field.patchMergeKey }),
    ...(field.listType === undefined ? {} : { listType: field.listType }),
    listMapKeys: field.listMapKeys ?? [],
  };
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
