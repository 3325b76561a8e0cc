/**
 * What a schema says of one place in an object, as far as ownership of fields is concerned. Two schemas give places: that of the
 * kinds that are built in, here, and that of custom resources. A place is asked lazily, so recursive types need no special care.
 */
import {
  type FieldSchema,
  type FieldShape,
  type Scalar,
  type StructSchema,
  structOfKind,
  structSchema,
} from '../schema/schema.ts';

export interface Place {
  /** Absent: no list may be here. */
  readonly list?: ListPlace;
  /** Absent: no object may be here. */
  readonly map?: MapPlace;
  /** Absent: no text, number or boolean may be here. */
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped';
}

export interface ListPlace {
  /** "atomic": one owner for all of it. "set": each value has owners. "map": each item has owners, and fields within it. */
  readonly type: 'atomic' | 'set' | 'map';
  /** The fields that tell the items of a "map" apart. */
  readonly keys: readonly string[];
  /** The value of a key that an item does not have; undefined: none. */
  defaultOf(key: string): unknown;
  readonly element: Place;
}

export interface MapPlace {
  /** One owner for all of it. */
  readonly isAtomic: boolean;
  /** Whether this is a field of a struct, which is owned with what lies in it, and not a key that is owned for itself. */
  isField(name: string): boolean;
  /** Undefined: the schema has no field of that name. */
  child(name: string): Place | undefined;
}

const NO_DEFAULT = (): undefined => undefined;

/** Of unknown parts: objects have an owner for each field, lists one for all (upstream: the deduced schema). */
export const DEDUCED: Place = {
  scalar: 'untyped',
  get list(): ListPlace {
    return { type: 'atomic', keys: [], defaultOf: NO_DEFAULT, element: ATOMIC };
  },
  map: { isAtomic: false, isField: () => false, child: () => DEDUCED },
};

/** Anything, with one owner. */
export const ATOMIC: Place = {
  scalar: 'untyped',
  get list(): ListPlace {
    return { type: 'atomic', keys: [], defaultOf: NO_DEFAULT, element: ATOMIC };
  },
  map: { isAtomic: true, isField: () => false, child: () => ATOMIC },
};

/** The place of an object of a kind; undefined when the schema does not have it. */
export function placeOfKind(apiVersion: string, kind: string): Place | undefined {
  const struct = structOfKind(apiVersion, kind);
  return struct === undefined ? undefined : placeOfStruct(struct);
}

const structs = new WeakMap<StructSchema, Place>();
const fields = new WeakMap<FieldSchema, Place>();

/** The same of a struct that is known. */
export function placeOfStruct(struct: StructSchema): Place {
  const known = structs.get(struct);
  if (known !== undefined) return known;
  const place = { map: mapOfStruct(struct, struct.structType === 'atomic') };
  structs.set(struct, place);
  return place;
}

function mapOfStruct(struct: StructSchema, isAtomic: boolean): MapPlace {
  return {
    isAtomic,
    isField: (name) => struct.fields.has(name),
    child: (name) => {
      const field = struct.fields.get(name);
      return field === undefined ? undefined : placeOfField(struct, field);
    },
  };
}

function placeOfField(struct: StructSchema, field: FieldSchema): Place {
  const known = fields.get(field);
  if (known !== undefined) return known;
  const place = describe(struct, field);
  fields.set(field, place);
  return place;
}

function describe(struct: StructSchema, field: FieldSchema): Place {
  const { shape, listType, listMapKeys, mapType } = field;
  if (shape.kind === 'list' && (listType === 'map' || listType === 'set'))
    return { list: listPlace(shape.element, listType, listMapKeys) };
  if (shape.kind === 'map' && mapType === 'atomic') return { map: mapPlace(shape.value, true) };
  // The field's own word outweighs that of its type.
  if (shape.kind === 'struct' && mapType !== undefined)
    return { map: mapOfStruct(structSchema(shape.type), mapType === 'atomic') };
  // The revisions of a workload are opaque to all but their controller.
  if (shape.kind === 'scalar' && shape.scalar === 'any' && struct.name === 'apps.v1.ControllerRevision') return ATOMIC;
  return placeOfShape(shape);
}

function placeOfShape(shape: FieldShape): Place {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'struct':
      return placeOfStruct(structSchema(shape.type));
    case 'list':
      return { list: listPlace(shape.element, 'atomic', []) };
    case 'map':
      return { map: mapPlace(shape.value, false) };
  }
}

function listPlace(element: FieldShape, type: ListPlace['type'], keys: readonly string[]): ListPlace {
  const place = placeOfShape(element);
  return { type, keys, defaultOf: defaultsOf(element), element: place };
}

/** Upstream marks one key with a default: the protocol of ports. */
function defaultsOf(element: FieldShape): (key: string) => unknown {
  if (element.kind !== 'struct' || !PORTS.has(element.type)) return NO_DEFAULT;
  return (key) => (key === 'protocol' ? 'TCP' : undefined);
}

const PORTS: ReadonlySet<string> = new Set(['core.v1.ContainerPort', 'core.v1.ServicePort']);

function mapPlace(value: FieldShape, isAtomic: boolean): MapPlace {
  const place = placeOfShape(value);
  return { isAtomic, isField: () => false, child: () => place };
}

const STRING: Place = { scalar: 'string' };
const NUMERIC: Place = { scalar: 'numeric' };
const UNTYPED: Place = { scalar: 'untyped' };

const SCALARS: Readonly<Record<Scalar, Place>> = {
  string: STRING,
  bytes: STRING,
  boolean: { scalar: 'boolean' },
  int32: NUMERIC,
  int64: NUMERIC,
  double: NUMERIC,
  quantity: UNTYPED,
  intOrString: UNTYPED,
  time: UNTYPED,
  microTime: UNTYPED,
  duration: UNTYPED,
  any: DEDUCED,
};
