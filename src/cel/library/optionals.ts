/** Optional values: `optional.of(x)`, `a.?b`, `m[?k]`, `x.orValue(y)` (upstream: cel/library.go, optional types). Pure. */
import { ArrayList, itemsOf } from '../values/containers.ts';
import {
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values/value.ts';
import { type Overload, overload } from './overload.ts';
import { itemAt } from './standard.ts';

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos === 0n;
  if (value instanceof Optional) return value.value === undefined || isZero(value.value);
  return typeof value === 'object' && (isList(value) || isMap(value)) && value.size === 0;
}

const NO_VALUE = new CelError('optional.none() dereference');

function wrap(value: Value | CelError | undefined): Value {
  return value === undefined || value instanceof CelError ? Optional.none : new Optional(value);
}

/** `x[?k]` and `x.?f`, also where x is optional itself. */
function chooseItem(list: ListValue, index: bigint): Value {
  return wrap(itemAt(list, index));
}

function chooseEntry(map: MapValue, key: Value): Value {
  return wrap(map.get(key));
}

/** The part of an optional container; none where there is no container. */
function within(choose: (container: never, key: never) => Value): (container: Optional, key: Value) => Value {
  return ({ value }, key) => (value === undefined ? Optional.none : choose(value as never, key as never));
}

export function selectOptional(operand: Value, field: Value): Value | CelError {
  if (operand instanceof Optional) {
    return operand.value === undefined ? Optional.none : selectOptional(operand.value, field);
  }
  if (isMap(operand)) return wrap(operand.get(field));
  return new CelError('no such overload');
}

function values(list: ListValue): Value {
  const items = itemsOf(list);
  return new ArrayList(
    items.flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  );
}

function firstOf(list: ListValue): Value {
  return list.size === 0 ? Optional.none : new Optional(list.get(0));
}

function lastOf(list: ListValue): Value {
  return list.size === 0 ? Optional.none : new Optional(list.get(list.size - 1));
}

export const OPTIONALS: readonly Overload[] = [
  overload('optional_of', 'optional.of(V): optional(V)', (value: Value) => new Optional(value)),
  overload('optional_ofNonZeroValue', 'optional.ofNonZeroValue(V): optional(V)', (value: Value) =>
    isZero(value) ? Optional.none : new Optional(value),
  ),
  overload('optional_none', 'optional.none(): optional(V)', () => Optional.none),
  overload('optional_value', '<optional(V)>.value(): V', ({ value }: Optional) =>
    value === undefined ? NO_VALUE : value,
  ),
  overload('optional_hasValue', '<optional(V)>.hasValue(): bool', ({ value }: Optional) => value !== undefined),
  overload('optional_or_optional', '<optional(V)>.or(optional(V)): optional(V)', (one: Optional, other: Optional) =>
    one.value === undefined ? other : one,
  ),
  overload('optional_orValue_value', '<optional(V)>.orValue(V): V', ({ value }: Optional, other: Value) =>
    value === undefined ? other : value,
  ),
  overload('optional_unwrap', 'optional.unwrap(list(optional(V))): list(V)', values),
  overload('optional_unwrapOpt', '<list(optional(V))>.unwrapOpt(): list(V)', values),
  overload('list_first', '<list(V)>.first(): optional(V)', firstOf),
  overload('list_last', '<list(V)>.last(): optional(V)', lastOf),
  overload('select_optional_field', '_?._(dyn, string): optional(V)', selectOptional),
  overload('list_optindex_optional_value', '_[?_](list(V), int): optional(V)', chooseItem),
  overload('optional_list_optindex_optional_value', '_[?_](optional(list(V)), int): optional(V)', within(chooseItem)),
  overload('map_optindex_optional_value', '_[?_](map(K, V), K): optional(V)', chooseEntry),
  overload('optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K): optional(V)', within(chooseEntry)),
  overload('optional_list_index_int', '_[_](optional(list(V)), int): optional(V)', within(chooseItem)),
  overload('optional_map_index_value', '_[_](optional(map(K, V)), K): optional(V)', within(chooseEntry)),
];
