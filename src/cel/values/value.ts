/**
 * The values that expressions work with. int is a bigint, double a number, string a string, bytes a Uint8Array; everything else is a class.
 * Pure.
 */
import type { CelType } from '../types/type.ts';

export const MAX_INT = 2n ** 63n - 1n;
export const MIN_INT = -(2n ** 63n);
export const MAX_UINT = 2n ** 64n - 1n;

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A moment: nanoseconds since 1970, UTC. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A length of time, nanoseconds. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none: Optional = new Optional(undefined);
  /** `undefined` when there is none. */
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A type as a value: what `type(x)` answers and names like `int` stand for. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A list; items may be made only when they are asked for. */
export interface ListValue {
  readonly isList: true;
  readonly size: number;
  /** `index` is within the list. */
  get(index: number): Value;
  /** What makes lists of a schema equal; undefined for others. */
  readonly identity?: ListIdentity | undefined;
}

export interface ListIdentity {
  readonly kind: 'set' | 'map';
  /** A text that is the same for items that are the same by the list's keys. */
  keyOf(index: number): string;
}

/** A map, or an object with declared fields. */
export interface MapValue {
  readonly isMap: true;
  readonly size: number;
  /** `undefined` for a key that is missing. Keys of declared objects are field names as expressions write them. */
  get(key: Value): Value | undefined;
  keys(): Iterable<Value>;
  /** The name of a declared object's type; undefined for maps. */
  readonly typeName?: string | undefined;
}

/** Values of the libraries: quantities, addresses and so on. */
export interface OpaqueValue {
  readonly isOpaque: true;
  readonly typeName: string;
  equals(other: OpaqueValue): boolean;
  /** What `string(x)` answers, for types that it takes, and what messages show. */
  toString(): string;
  /** What costs count; 1 for most. */
  readonly size?: number;
  /** What a library needs to know of it. */
  readonly inner: unknown;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | Optional
  | TypeValue
  | ListValue
  | MapValue
  | OpaqueValue;

/** An evaluation that failed. It is a value while an expression runs, since `false && error` is false. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export const NO_OVERLOAD = new CelError('no such overload');

export type ValueKind = Exclude<CelType['kind'], 'parameter' | 'dyn' | 'error' | 'object'>;

export function kindOf(value: Value): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    default:
      return value === null ? 'null' : kindOfObject(value);
  }
}

function kindOfObject(value: Exclude<Value, null | boolean | bigint | number | string>): ValueKind {
  if (isList(value)) return 'list';
  if (isMap(value)) return 'map';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  if (value instanceof Optional) return 'optional';
  return value instanceof TypeValue ? 'type' : 'opaque';
}

export function isList(value: Value): value is ListValue {
  return typeof value === 'object' && value !== null && 'isList' in value;
}

export function isMap(value: Value): value is MapValue {
  return typeof value === 'object' && value !== null && 'isMap' in value;
}

export function isOpaque(value: Value): value is OpaqueValue {
  return typeof value === 'object' && value !== null && 'isOpaque' in value;
}

const TYPE_NAMES: Readonly<Record<Exclude<ValueKind, 'opaque' | 'map'>, string>> = {
  null: 'null_type',
  bool: 'bool',
  int: 'int',
  uint: 'uint',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  list: 'list',
  optional: 'optional_type',
  type: 'type',
};

/** The name of a value's type at run time, without parameters. */
export function typeNameOf(value: Value): string {
  if (isOpaque(value)) return value.typeName;
  if (isMap(value)) return value.typeName ?? 'map';
  return TYPE_NAMES[kindOf(value) as Exclude<ValueKind, 'opaque' | 'map'>];
}
