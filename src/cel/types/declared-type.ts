/** Declared types: the types of variables, with what a schema says of the sizes of their values. Pure. */

interface Sized {
  /** The most characters, bytes, items or entries that a value can have; 0 for what has no size, as upstream counts it. */
  readonly maxElements: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly minBytes: number;
}

export interface ScalarType extends Sized {
  readonly kind: 'bool' | 'int' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration' | 'dyn';
  /** Of timestamps: a day is written `2006-01-02`. */
  readonly isDate?: boolean;
}

export interface ListType extends Sized {
  readonly kind: 'list';
  readonly items: DeclaredType;
  /** What makes two lists equal: of sets and map-lists the order does not matter (x-kubernetes-list-type). */
  readonly listType: 'atomic' | 'set' | 'map';
  /** The fields that tell items of a map-list apart, as JSON names them. */
  readonly mapKeys: readonly string[];
}

export interface MapType extends Sized {
  readonly kind: 'map';
  readonly values: DeclaredType;
}

export interface ObjectField {
  /** The field's name in JSON; expressions use it escaped. */
  readonly jsonName: string;
  readonly type: DeclaredType;
}

/** An object with declared fields. The name is for messages. */
export interface ObjectType extends Sized {
  readonly kind: 'object';
  readonly name: string;
  /** Escaped name → field. */
  readonly fields: ReadonlyMap<string, ObjectField>;
}

export type DeclaredType = ScalarType | ListType | MapType | ObjectType;

/** A value of any type and of any size that a request can have; of its parts nothing is known. */
export const ANY_VALUE: ScalarType = { kind: 'dyn', maxElements: 3 * 1024 * 1024 - 2, minBytes: 1 };
