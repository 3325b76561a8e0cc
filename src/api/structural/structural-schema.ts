/** A structural schema as the schema of a kind: what a server does with the bodies and the stored objects of custom resources. Pure. */
import type { FieldError } from '../field-error.ts';
import type { KubeObject } from '../kube-object.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { type Place, placeOfKind } from '../managed-fields/place.ts';
import type { ObjectSchema, PrunedObject, SchemaReader } from '../object-schema.ts';
import { canonicalPart } from '../schema/canonical.ts';
import { structSchema } from '../schema/schema.ts';
import { equalByStruct } from '../schema/semantic-equality.ts';
import { readPart } from '../schema/structure.ts';
import { setOwn } from '../schema/set-own.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/object-meta.ts';
import { sizeErrors } from '../validation/object-size.ts';
import { checkValue } from './check.ts';
import { defaultObject } from './default.ts';
import {
  additionalOf,
  type Fields,
  fieldPath,
  isEmbedded,
  isFields,
  itemsOf,
  type JsonSchema,
  nodesOf,
  propertyOf,
} from './json-schema.ts';
import { checkListTypes } from './list-types.ts';
import { placeOfSchema } from './place.ts';
import { pruneObject } from './prune.ts';

const META = 'meta.v1.ObjectMeta';
/** A type that has nothing but what every resource has. */
const ONLY_META = 'meta.v1.PartialObjectMetadata';

/** A schema (undefined: it knows nothing, and keeps all), and whether its objects are in a namespace. */
export class StructuralSchema implements ObjectSchema {
  readonly root: JsonSchema | undefined;
  readonly #namespaced: boolean;
  #hasEmbedded: boolean | undefined;
  #place: Place | undefined;

  constructor(root: JsonSchema | undefined, namespaced: boolean) {
    this.root = root;
    this.#namespaced = namespaced;
  }

  prune(given: Fields): PrunedObject {
    const unknown: string[] = [];
    let object = pruneObject(this.root, given, unknown);
    const problems = unknown.map((path) => `unknown field "${path}"`);
    object = withMetadata(object, '', problems);
    if (this.root !== undefined && this.hasEmbedded) object = coerceEmbedded(this.root, object, '', problems) as Fields;
    return { object, unknownFields: problems };
  }

  setDefaults(object: Fields): Fields {
    return defaultObject(this.root, object);
  }

  /** What lies in the store, as it is today: its metadata was read when it came. */
  readStored(object: Fields): Fields {
    return defaultObject(this.root, pruneObject(this.root, object));
  }

  /** Without fields that the schema does not know. */
  readConverted(object: Fields): Fields {
    return pruneObject(this.root, object);
  }

  /** Only metadata: of all else the schema says how large it may be, and the size of bodies is bounded for every kind. */
  checkSize(body: Fields): readonly FieldError[] {
    return sizeErrors(structSchema(ONLY_META), body, undefined);
  }

  checkNew(object: KubeObject): readonly FieldError[] {
    const tooLarge = sizeErrors(structSchema(ONLY_META), object, undefined);
    if (tooLarge.length > 0) return tooLarge;
    const errors = validateObjectMeta(object.metadata, this.#namespaced, checkDns1123Subdomain);
    if (this.root === undefined) return errors;
    return [...errors, ...checkValue(this.root, object), ...checkListTypes(this.root, object)];
  }

  checkChanged(object: KubeObject, old: KubeObject): readonly FieldError[] {
    const tooLarge = sizeErrors(structSchema(ONLY_META), object, old);
    if (tooLarge.length > 0) return tooLarge;
    const errors = validateObjectMetaUpdate(object.metadata, old.metadata);
    if (this.root === undefined) return errors;
    const repeats = checkListTypes(this.root, object);
    // A list that had members twice before is not held against the change.
    const isNew = repeats.length > 0 && checkListTypes(this.root, old).length === 0;
    return [...errors, ...checkValue(this.root, object, old), ...(isNew ? repeats : [])];
  }

  /** Objects stay as they were sent. */
  canonical<T extends object>(object: T): T {
    return object;
  }

  equal(objects: readonly [object, object], ignored: ReadonlySet<string>): boolean {
    return equalByStruct(undefined, objects, ignored);
  }

  get place(): Place {
    this.#place ??= placeOfSchema(this.root, placeOfCommon);
    return this.#place;
  }

  describe<T>(to: SchemaReader<T>): T {
    return to.json(this.root);
  }

  get hasEmbedded(): boolean {
    this.#hasEmbedded ??= this.root !== undefined && nodesOf(this.root).some(isEmbedded);
    return this.#hasEmbedded;
  }
}

/** The places of what every resource has: those of a kind whose type says them, and whose other fields do not matter. */
function placeOfCommon(name: string): Place | undefined {
  if (name !== 'apiVersion' && name !== 'kind' && name !== 'metadata') return undefined;
  return placeOfKind('v1', 'ConfigMap')?.map?.child(name);
}

/** Metadata is read as that of any kind. A wrong type in it is an error; what it does not know is dropped. */
function withMetadata(object: Fields, path: string, problems: string[]): Fields {
  const given = object['metadata'];
  if (given === undefined || given === null) return object;
  const { object: read, unknownFields } = readPart(META, given, fieldPath(path, 'metadata'));
  problems.push(...unknownFields);
  return { ...object, metadata: canonicalPart(META, read) };
}

function coerceEmbedded(schema: JsonSchema, value: unknown, path: string, problems: string[]): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined) return value;
    return value.map((item, position) => coerceEmbedded(items, item, `${path}[${position}]`, problems));
  }
  if (!isFields(value)) return value;
  const additional = additionalOf(schema);
  const own = isEmbedded(schema) ? withMetadata(value, path, problems) : value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(own)) {
    const known = propertyOf(schema, name) ?? additional;
    const isMetadata = name === 'metadata' && (isEmbedded(schema) || path === '');
    const after =
      known === undefined || isMetadata ? own[name] : coerceEmbedded(known, own[name], fieldPath(path, name), problems);
    setOwn(copy, name, after);
  }
  return copy;
}
