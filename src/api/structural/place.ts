/** What a structural schema says of places in an object, for whoever follows who owns which field (server-side apply). Pure. */
import { additionalOf, isIntOrString, itemsOf, type JsonSchema, preservesUnknown, propertyOf } from './json-schema.ts';

/** One place; each part is absent where no value of that form may be. */
export interface StructuralPlace {
  readonly list?: {
    readonly type: 'atomic' | 'set' | 'map';
    /** The fields that tell the items of a "map" apart. */
    readonly keys: readonly string[];
    /** The value of a key that an item does not have; undefined: none. */
    defaultOf(key: string): unknown;
    readonly element: StructuralPlace;
  };
  readonly map?: {
    /** One owner for all of it. */
    readonly isAtomic: boolean;
    /** Whether this is a field of an object, which is owned with what lies in it, and not a key that is owned for itself. */
    isField(name: string): boolean;
    /** Undefined: the schema has no field of that name. */
    child(name: string): StructuralPlace | undefined;
  };
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped';
}

/** Anything with one owner: what a list without a schema for its items holds. */
const ONE_OWNER: StructuralPlace = {
  scalar: 'untyped',
  get list(): StructuralPlace['list'] {
    return { type: 'atomic', keys: [], defaultOf: () => undefined, element: ONE_OWNER };
  },
  map: { isAtomic: true, isField: () => false, child: () => ONE_OWNER },
};

/** Anything, with an owner for each of its fields: parts that the schema says nothing of. */
const ANYTHING: StructuralPlace = {
  scalar: 'untyped',
  list: { type: 'atomic', keys: [], defaultOf: () => undefined, element: ONE_OWNER },
  map: { isAtomic: false, isField: () => false, child: () => ANYTHING },
};

const places = new WeakMap<JsonSchema, StructuralPlace>();

/**
 * The place of the objects of a schema.
 * @param own the places of apiVersion, kind and metadata, which every resource has
 */
export function placeOfSchema(
  schema: JsonSchema | undefined,
  own: (name: string) => StructuralPlace | undefined,
): StructuralPlace {
  const root = schema === undefined ? ANYTHING : placeOf(schema);
  const { map } = root;
  if (map === undefined) return root;
  return {
    ...root,
    map: {
      ...map,
      isField: (name) => own(name) !== undefined || map.isField(name),
      child: (name) => own(name) ?? map.child(name),
    },
  };
}

function placeOf(schema: JsonSchema): StructuralPlace {
  const known = places.get(schema);
  if (known !== undefined) return known;
  const made = describe(schema);
  places.set(schema, made);
  return made;
}

function describe(schema: JsonSchema): StructuralPlace {
  if (isIntOrString(schema)) return { scalar: 'untyped' };
  switch (schema.type ?? '') {
    case 'array':
      return { list: listOf(schema) };
    case 'object':
      return { map: mapOf(schema) };
    case 'string':
      return { scalar: 'string' };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return ANYTHING;
  }
}

function listOf(schema: JsonSchema): StructuralPlace['list'] {
  const items = itemsOf(schema);
  const declared = schema['x-kubernetes-list-type'];
  return {
    type: declared === 'set' || declared === 'map' ? declared : 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    defaultOf: (key) => (items === undefined ? undefined : propertyOf(items, key)?.default),
    element: items === undefined ? ONE_OWNER : placeOf(items),
  };
}

function mapOf(schema: JsonSchema): StructuralPlace['map'] {
  const additional = additionalOf(schema);
  const isOpen = preservesUnknown(schema) || schema.additionalProperties === true;
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    isField: (name) => propertyOf(schema, name) !== undefined,
    child: (name) => {
      const known = propertyOf(schema, name) ?? additional;
      if (known !== undefined) return placeOf(known);
      return isOpen ? ANYTHING : undefined;
    },
  };
}
