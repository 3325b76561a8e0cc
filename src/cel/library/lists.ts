/** Functions of lists: Kubernetes' own (apiserver/pkg/cel/library/lists), and upstream's ext/lists. Pure. */
import { ArrayList, EntryMap, itemsOf } from '../values/containers.ts';
import { compareValues, equalValues } from '../values/equality.ts';
import { durationOf } from '../values/time.ts';
import {
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  MAX_INT,
  MAX_UINT,
  MIN_INT,
  typeNameOf,
  Uint,
  type Value,
} from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

export const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

function isSorted(list: ListValue): Value | CelError {
  for (let index = 1; index < list.size; index++) {
    const order = compareValues(list.get(index - 1), list.get(index));
    if (order === undefined) return new CelError('no such overload');
    if (order > 0) return false;
  }
  return true;
}

function extreme(fn: 'min' | 'max', wins: (order: number) => boolean): (list: ListValue) => Value | CelError {
  return (list) => {
    if (list.size === 0) return new CelError(`${fn} called on empty list`);
    let best = list.get(0);
    for (let index = 1; index < list.size; index++) {
      const order = compareValues(list.get(index), best);
      if (order === undefined) return new CelError('no such overload');
      if (wins(order)) best = list.get(index);
    }
    return best;
  };
}

function sumOfInts(list: ListValue): Value | CelError {
  let sum = 0n;
  for (const item of itemsOf(list)) {
    if (typeof item !== 'bigint') return new CelError('no such overload');
    sum += item;
    if (sum > MAX_INT || sum < MIN_INT) return new CelError('integer overflow');
  }
  return sum;
}

function sumOfUints(list: ListValue): Value | CelError {
  let sum = 0n;
  for (const item of itemsOf(list)) {
    if (!(item instanceof Uint)) return new CelError('no such overload');
    sum += item.value;
    if (sum > MAX_UINT) return new CelError('unsigned integer overflow');
  }
  return new Uint(sum);
}

function sumOfDoubles(list: ListValue): Value | CelError {
  let sum = 0;
  for (const item of itemsOf(list)) {
    if (typeof item !== 'number') return new CelError('no such overload');
    sum += item;
  }
  return sum;
}

function sumOfDurations(list: ListValue): Value | CelError {
  let sum = 0n;
  for (const item of itemsOf(list)) {
    if (!(item instanceof Duration)) return new CelError('no such overload');
    sum += item.nanos;
  }
  return durationOf(sum);
}

function indexOf(list: ListValue, value: Value): Value {
  for (let index = 0; index < list.size; index++) if (equalValues(list.get(index), value)) return BigInt(index);
  return -1n;
}

function lastIndexOf(list: ListValue, value: Value): Value {
  for (let index = list.size - 1; index >= 0; index--) if (equalValues(list.get(index), value)) return BigInt(index);
  return -1n;
}

const OF_KUBERNETES: readonly Overload[] = [
  ...COMPARABLE.flatMap((type) => [
    overload(`list_${type}_is_sorted_bool`, `<list(${type})>.isSorted(): bool`, isSorted),
    overload(
      `list_${type}_min_self`,
      `<list(${type})>.min(): ${type}`,
      extreme('min', (order) => order < 0),
    ),
    overload(
      `list_${type}_max_self`,
      `<list(${type})>.max(): ${type}`,
      extreme('max', (order) => order > 0),
    ),
  ]),
  overload('list_int_sum_int', '<list(int)>.sum(): int', sumOfInts),
  overload('list_uint_sum_uint', '<list(uint)>.sum(): uint', sumOfUints),
  overload('list_double_sum_double', '<list(double)>.sum(): double', sumOfDoubles),
  overload('list_duration_sum_duration', '<list(duration)>.sum(): duration', sumOfDurations),
  overload('list_a_index_of_int', '<list(A)>.indexOf(A): int', indexOf),
  overload('list_a_last_index_of_int', '<list(A)>.lastIndexOf(A): int', lastIndexOf),
];

function slice(list: ListValue, start: bigint, end: bigint): Value | CelError {
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return new CelError(`${what}, negative indexes not supported`);
  if (start > end) return new CelError(`${what}, start index must be less than or equal to end index`);
  if (end > BigInt(list.size)) return new CelError(`${what}, list is length ${list.size}`);
  const items: Value[] = [];
  for (let index = Number(start); index < Number(end); index++) items.push(list.get(index));
  return new ArrayList(items);
}

function flatten(list: ListValue, depth = 1n): Value | CelError {
  if (depth < 0n) return new CelError('level must be non-negative');
  const items: Value[] = [];
  const walk = (inner: ListValue, left: bigint): void => {
    for (const item of itemsOf(inner)) {
      if (left > 0n && isList(item)) walk(item, left - 1n);
      else items.push(item);
    }
  };
  walk(list, depth);
  return new ArrayList(items);
}

/** Items of a range: what a rule's budget could go through. */
const MAX_RANGE = 10_000_000n;

function range(count: bigint): Value | CelError {
  if (count < 0n) return new CelError(`lists.range: size must be non-negative, got ${count}`);
  if (count > MAX_RANGE) {
    return new CelError(`lists.range: size ${count} exceeds maximum allowed (${MAX_RANGE})`);
  }
  return new RangeList(Number(count));
}

/** The numbers from 0, which take no memory. */
class RangeList implements ListValue {
  readonly isList = true;
  readonly size: number;
  constructor(size: number) {
    this.size = size;
  }
  get(index: number): Value {
    return BigInt(index);
  }
}

function distinct(list: ListValue): Value {
  const kept: Value[] = [];
  for (const item of itemsOf(list)) if (!kept.some((other) => equalValues(item, other))) kept.push(item);
  return new ArrayList(kept);
}

function sortByKeys(list: ListValue, keys: ListValue): Value | CelError {
  if (list.size !== keys.size) {
    const sizes = `${list.size} and ${keys.size} elements respectively`;
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  if (list.size === 0) return list;
  const pairs = itemsOf(list).map((item, index) => ({ item, key: keys.get(index) }));
  const [first] = pairs;
  if (first === undefined || compareValues(first.key, first.key) === undefined) {
    return new CelError('list elements must be comparable');
  }
  const type = typeNameOf(first.key);
  if (pairs.some(({ key }) => typeNameOf(key) !== type)) return new CelError('list elements must have the same type');
  pairs.sort((one, other) => compareValues(one.key, other.key) || 0);
  return new ArrayList(pairs.map(({ item }) => item));
}

const EXTENDED: readonly Overload[] = [
  overload('list_slice', '<list(T)>.slice(int, int): list(T)', slice),
  overload('list_flatten', '<list(list(T))>.flatten(): list(T)', flatten),
  overload('list_flatten_int', '<list(dyn)>.flatten(int): list(dyn)', flatten),
  ...COMPARABLE.flatMap((type) => [
    overload(`list_${type}_sort`, `<list(${type})>.sort(): list(${type})`, (list: ListValue) => sortByKeys(list, list)),
    overload(
      `list_${type}_sortByAssociatedKeys`,
      `<list(T)>.@sortByAssociatedKeys(list(${type})): list(T)`,
      sortByKeys,
    ),
  ]),
  overload('lists_range', 'lists.range(int): list(int)', range),
  overload(
    'list_reverse',
    '<list(T)>.reverse(): list(T)',
    (list: ListValue) => new ArrayList(itemsOf(list).toReversed()),
  ),
  overload('list_distinct', '<list(T)>.distinct(): list(T)', distinct),
];

function contains(list: ListValue, part: ListValue): boolean {
  const items = itemsOf(list);
  return itemsOf(part).every((wanted) => items.some((item) => equalValues(item, wanted)));
}

function intersects(one: ListValue, other: ListValue): boolean {
  const items = itemsOf(other);
  return itemsOf(one).some((wanted) => items.some((item) => equalValues(item, wanted)));
}

const SETS: readonly Overload[] = [
  overload('list_sets_contains_list', 'sets.contains(list(T), list(T)): bool', contains),
  overload(
    'list_sets_equivalent_list',
    'sets.equivalent(list(T), list(T)): bool',
    (one: ListValue, other: ListValue) => contains(one, other) && contains(other, one),
  ),
  overload('list_sets_intersects_list', 'sets.intersects(list(T), list(T)): bool', intersects),
];

function insertEntry(map: Value, key: Value, value: Value): Value | CelError {
  return map instanceof EntryMap ? map.insert(key, value) : new CelError('no such overload');
}

function insertAll(map: Value, entries: Value): Value | CelError {
  let result: Value | CelError = map;
  if (!isMap(entries)) return new CelError('no such overload');
  for (const key of entries.keys()) {
    if (!(result instanceof EntryMap)) return new CelError('no such overload');
    result = result.insert(key, entries.get(key) ?? null);
    if (result instanceof CelError) return result;
  }
  return result;
}

/** What the two-variable macros make maps with. */
const INSERTIONS: readonly Overload[] = [
  overload('@mapInsert_map_key_value', 'cel.@mapInsert(map(K, V), K, V): map(K, V)', insertEntry),
  overload('@mapInsert_map_map', 'cel.@mapInsert(map(K, V), map(K, V)): map(K, V)', insertAll),
];

export const LISTS: readonly Overload[] = [...OF_KUBERNETES, ...EXTENDED, ...SETS, ...INSERTIONS];
