/** The operators and standard functions of the language (upstream: common/stdlib). Pure. */
import { compareValues, equalValues, isNumeric } from '../values/equality.ts';
import { concatenate, formatKey, listContains } from '../values/containers.ts';
import { joinBytes } from '../values/bytes.ts';
import { mergeLists } from '../values/json.ts';
import { durationOf, timestampOf } from '../values/time.ts';
import {
  CelError,
  type Duration,
  type ListValue,
  type MapValue,
  MAX_INT,
  MAX_UINT,
  MIN_INT,
  NO_OVERLOAD,
  type Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../values/value.ts';
import { countCodePoints } from '../syntax/lexer.ts';
import { type Overload, overload } from './overload.ts';

const INT_OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');

function int(value: bigint): bigint | CelError {
  return value > MAX_INT || value < MIN_INT ? INT_OVERFLOW : value;
}

function uint(value: bigint): Uint | CelError {
  return value > MAX_UINT || value < 0n ? UINT_OVERFLOW : new Uint(value);
}

/** Types that have an order, as signatures name them, and as upstream's names of overloads do. */
const ORDERED: readonly (readonly [string, string])[] = [
  ['bool', 'bool'],
  ['int', 'int64'],
  ['uint', 'uint64'],
  ['double', 'double'],
  ['string', 'string'],
  ['bytes', 'bytes'],
  ['timestamp', 'timestamp'],
  ['duration', 'duration'],
];
const NUMERIC = new Set(['int', 'uint', 'double']);

function relations(fn: string, id: string, holds: (order: number) => boolean): readonly Overload[] {
  const run = (one: Value, other: Value): Value | CelError => {
    const order = compareValues(one, other);
    return order === undefined ? NO_OVERLOAD : holds(order);
  };
  const rows: Overload[] = [];
  for (const [left, leftId] of ORDERED) {
    rows.push(overload(`${id}_${leftId}`, `${fn}(${left}, ${left}): bool`, run));
  }
  for (const [left, leftId] of ORDERED) {
    for (const [right, rightId] of ORDERED) {
      if (left === right || !NUMERIC.has(left) || !NUMERIC.has(right)) continue;
      rows.push(overload(`${id}_${leftId}_${rightId}`, `${fn}(${left}, ${right}): bool`, run));
    }
  }
  return rows;
}

const COMPARISONS: readonly Overload[] = [
  overload('equals', '_==_(A, A): bool', (one: Value, other: Value) => equalValues(one, other)),
  overload('not_equals', '_!=_(A, A): bool', (one: Value, other: Value) => !equalValues(one, other)),
  ...relations('_<_', 'less', (order) => order < 0),
  ...relations('_<=_', 'less_equals', (order) => order <= 0),
  ...relations('_>_', 'greater', (order) => order > 0),
  ...relations('_>=_', 'greater_equals', (order) => order >= 0),
];

const LOGIC: readonly Overload[] = [
  // These run in the machine itself, since they take errors; the checker and the estimator need their signatures.
  overload('logical_and', '_&&_(bool, bool): bool', (one: boolean, other: boolean) => one && other),
  overload('logical_or', '_||_(bool, bool): bool', (one: boolean, other: boolean) => one || other),
  overload('conditional', '_?_:_(bool, A, A): A', (test: boolean, one: Value, other: Value) => (test ? one : other)),
  overload('not_strictly_false', '@not_strictly_false(bool): bool', (value: boolean) => value),
  overload('logical_not', '!_(bool): bool', (value: boolean) => !value),
];

function addLists(one: ListValue, other: ListValue): Value | CelError {
  return mergeLists(one, other) ?? concatenate(one, other);
}

const SUMS: readonly Overload[] = [
  overload('add_int64', '_+_(int, int): int', (one: bigint, other: bigint) => int(one + other)),
  overload('add_uint64', '_+_(uint, uint): uint', (one: Uint, other: Uint) => uint(one.value + other.value)),
  overload('add_double', '_+_(double, double): double', (one: number, other: number) => one + other),
  overload('add_string', '_+_(string, string): string', (one: string, other: string) => one + other),
  overload('add_bytes', '_+_(bytes, bytes): bytes', (one: Uint8Array, other: Uint8Array) => joinBytes([one, other])),
  overload('add_list', '_+_(list(A), list(A)): list(A)', addLists),
  overload('add_timestamp_duration', '_+_(timestamp, duration): timestamp', (one: Timestamp, other: Duration) =>
    timestampOf(one.nanos + other.nanos),
  ),
  overload('add_duration_timestamp', '_+_(duration, timestamp): timestamp', (one: Duration, other: Timestamp) =>
    timestampOf(one.nanos + other.nanos),
  ),
  overload('add_duration_duration', '_+_(duration, duration): duration', (one: Duration, other: Duration) =>
    durationOf(one.nanos + other.nanos),
  ),
  overload('subtract_int64', '_-_(int, int): int', (one: bigint, other: bigint) => int(one - other)),
  overload('subtract_uint64', '_-_(uint, uint): uint', (one: Uint, other: Uint) => uint(one.value - other.value)),
  overload('subtract_double', '_-_(double, double): double', (one: number, other: number) => one - other),
  overload('subtract_timestamp_timestamp', '_-_(timestamp, timestamp): duration', (one: Timestamp, other: Timestamp) =>
    durationOf(one.nanos - other.nanos),
  ),
  overload('subtract_timestamp_duration', '_-_(timestamp, duration): timestamp', (one: Timestamp, other: Duration) =>
    timestampOf(one.nanos - other.nanos),
  ),
  overload('subtract_duration_duration', '_-_(duration, duration): duration', (one: Duration, other: Duration) =>
    durationOf(one.nanos - other.nanos),
  ),
];

const BY_ZERO = new CelError('division by zero');
const MODULUS_BY_ZERO = new CelError('modulus by zero');

const PRODUCTS: readonly Overload[] = [
  overload('multiply_int64', '_*_(int, int): int', (one: bigint, other: bigint) => int(one * other)),
  overload('multiply_uint64', '_*_(uint, uint): uint', (one: Uint, other: Uint) => uint(one.value * other.value)),
  overload('multiply_double', '_*_(double, double): double', (one: number, other: number) => one * other),
  overload('divide_int64', '_/_(int, int): int', (one: bigint, other: bigint) =>
    other === 0n ? BY_ZERO : int(one / other),
  ),
  overload('divide_uint64', '_/_(uint, uint): uint', (one: Uint, other: Uint) =>
    other.value === 0n ? BY_ZERO : uint(one.value / other.value),
  ),
  overload('divide_double', '_/_(double, double): double', (one: number, other: number) => one / other),
  overload('modulo_int64', '_%_(int, int): int', (one: bigint, other: bigint) => {
    if (other === 0n) return MODULUS_BY_ZERO;
    return one === MIN_INT && other === -1n ? INT_OVERFLOW : one % other;
  }),
  overload('modulo_uint64', '_%_(uint, uint): uint', (one: Uint, other: Uint) =>
    other.value === 0n ? MODULUS_BY_ZERO : uint(one.value % other.value),
  ),
  overload('negate_int64', '-_(int): int', (value: bigint) => int(-value)),
  overload('negate_double', '-_(double): double', (value: number) => -value),
];

/** A number as the index of a list: an int, or another number with an integer's value. */
function indexOf(value: Value): bigint | undefined {
  if (!isNumeric(value)) return undefined;
  if (value instanceof Uint) return value.value;
  if (typeof value === 'bigint') return value;
  return Number.isInteger(value) ? BigInt(value) : undefined;
}

export function itemAt(list: ListValue, index: Value): Value | CelError {
  const position = indexOf(index);
  if (position === undefined) return new CelError(`unsupported index type '${typeNameOf(index)}' in list`);
  if (position < 0n || position >= BigInt(list.size)) return new CelError(`index out of bounds: ${position}`);
  return list.get(Number(position));
}

export function entryAt(map: MapValue, key: Value): Value | CelError {
  const value = map.get(key);
  return value === undefined ? new CelError(`no such key: ${formatKey(key)}`) : value;
}

const CONTAINERS: readonly Overload[] = [
  overload('index_list', '_[_](list(A), int): A', itemAt),
  overload('index_map', '_[_](map(A, B), A): B', entryAt),
  overload('in_list', '@in(A, list(A)): bool', (value: Value, list: ListValue) => listContains(list, value)),
  overload('in_map', '@in(A, map(A, B)): bool', (key: Value, map: MapValue) => map.get(key) !== undefined),
  ...['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type) => {
    const name = type.replace(/\(.*/, '');
    return [
      overload(`size_${name}`, `size(${type}): int`, sizeOf),
      overload(`${name}_size`, `<${type}>.size(): int`, sizeOf),
    ];
  }),
];

function sizeOf(value: string | Uint8Array | ListValue | MapValue): Value {
  if (typeof value === 'string') return BigInt(countCodePoints(value));
  return BigInt(value instanceof Uint8Array ? value.length : value.size);
}

const TYPES: readonly Overload[] = [
  overload('type', 'type(A): type(A)', (value: Value) => new TypeValue(typeNameOf(value))),
  overload('to_dyn', 'dyn(A): dyn', (value: Value) => value),
];

export const STANDARD: readonly Overload[] = [...COMPARISONS, ...LOGIC, ...SUMS, ...PRODUCTS, ...CONTAINERS, ...TYPES];
