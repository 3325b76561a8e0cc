/** The types of expressions, and how upstream prints them. Pure. */
import type { ObjectType } from './declared-type.ts';

type SimpleKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration';

export interface SimpleType {
  readonly kind: SimpleKind;
}

/** A parameter of a function's signature (`T`), or with a number what the checker has yet to find out. */
export interface ParameterType {
  readonly kind: 'parameter';
  readonly name: string;
}

export type CelType =
  | SimpleType
  | ParameterType
  | { readonly kind: 'list'; readonly elem: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly elem: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'object'; readonly object: ObjectType };

const simple = (kind: SimpleKind): SimpleType => Object.freeze({ kind });

export const DYN = simple('dyn');
export const ERROR = simple('error');
export const NULL = simple('null');
export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const TIMESTAMP = simple('timestamp');
export const DURATION = simple('duration');

export const listOf = (elem: CelType): CelType => ({ kind: 'list', elem });
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const optionalOf = (elem: CelType): CelType => ({ kind: 'optional', elem });
export const opaque = (name: string): CelType => ({ kind: 'opaque', name });

export const QUANTITY = opaque('kubernetes.Quantity');
export const URL_TYPE = opaque('kubernetes.URL');
export const IP_TYPE = opaque('net.IP');
export const CIDR_TYPE = opaque('net.CIDR');
export const SEMVER_TYPE = opaque('kubernetes.Semver');
export const FORMAT_TYPE = opaque('kubernetes.NamedFormat');

const SIMPLE_NAMES: Readonly<Record<SimpleKind, string>> = {
  dyn: 'dyn',
  error: '!error!',
  null: 'null',
  bool: 'bool',
  int: 'int',
  uint: 'uint',
  double: 'double',
  string: 'string',
  bytes: 'bytes',
  timestamp: 'timestamp',
  duration: 'duration',
};

/** The type as messages name it. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${formatType(type.elem)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'optional':
      return `optional_type(${formatType(type.elem)})`;
    case 'type':
      return `type(${formatType(type.of)})`;
    case 'opaque':
    case 'parameter':
      return type.name;
    case 'object':
      return type.object.name;
    default:
      return SIMPLE_NAMES[type.kind];
  }
}

/** Types whose values are all of one size (upstream: isScalar). */
export function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.elem);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}

export function equalTypes(one: CelType, other: CelType): boolean {
  if (one === other) return true;
  return one.kind === other.kind && formatType(one) === formatType(other);
}
