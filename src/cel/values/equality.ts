/** Equality and order of values (upstream: common/types). Numbers of different types are equal when their values are. Pure. */
import { compareBytes } from './bytes.ts';
import {
  Duration,
  isList,
  isMap,
  isOpaque,
  type ListIdentity,
  type ListValue,
  type MapValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

export function equalValues(one: Value, other: Value): boolean {
  if (isNumeric(one) && isNumeric(other)) return compareNumbers(one, other) === 0;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (isList(one)) return isList(other) && equalLists(one, other);
  if (isMap(one)) return isMap(other) && equalMaps(one, other);
  if (isOpaque(one)) return isOpaque(other) && one.typeName === other.typeName && one.equals(other);
  if (one instanceof Uint8Array) return other instanceof Uint8Array && compareBytes(one, other) === 0;
  if (one instanceof Timestamp) return other instanceof Timestamp && one.nanos === other.nanos;
  if (one instanceof Duration) return other instanceof Duration && one.nanos === other.nanos;
  if (one instanceof TypeValue) return other instanceof TypeValue && one.name === other.name;
  return one instanceof Optional && other instanceof Optional && equalOptionals(one, other);
}

function equalOptionals(one: Optional, other: Optional): boolean {
  if (one.value === undefined || other.value === undefined) return one.value === other.value;
  return equalValues(one.value, other.value);
}

function equalLists(one: ListValue, other: ListValue): boolean {
  if (one.size !== other.size) return false;
  const identity = one.identity ?? other.identity;
  if (identity !== undefined && one.identity !== undefined && other.identity !== undefined) {
    return equalUnordered(one, other, [one.identity, other.identity]);
  }
  for (let index = 0; index < one.size; index++) if (!equalValues(one.get(index), other.get(index))) return false;
  return true;
}

/** Sets and map-lists: the same items by their keys, in any order; items of map-lists are equal besides. */
function equalUnordered(
  one: ListValue,
  other: ListValue,
  [mine, theirs]: readonly [ListIdentity, ListIdentity],
): boolean {
  const positions = new Map<string, number>();
  for (let index = 0; index < other.size; index++) positions.set(theirs.keyOf(index), index);
  for (let index = 0; index < one.size; index++) {
    const position = positions.get(mine.keyOf(index));
    if (position === undefined || !equalValues(one.get(index), other.get(position))) return false;
  }
  return true;
}

function equalMaps(one: MapValue, other: MapValue): boolean {
  if (one.size !== other.size) return false;
  for (const key of one.keys()) {
    const mine = one.get(key);
    const theirs = other.get(key);
    if (mine === undefined || theirs === undefined || !equalValues(mine, theirs)) return false;
  }
  return true;
}

export function isNumeric(value: Value): value is bigint | number | Uint {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** Negative, zero or positive; NaN when one of them is no number. */
export function compareNumbers(one: bigint | number | Uint, other: bigint | number | Uint): number {
  const [left, right] = comparable(one instanceof Uint ? one.value : one, other instanceof Uint ? other.value : other);
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

/** An integer beside a double becomes a double, which may round it: upstream does, too. */
function comparable(one: bigint | number, other: bigint | number): readonly [bigint | number, bigint | number] {
  return typeof one === typeof other ? [one, other] : [Number(one), Number(other)];
}

/** Compares by code points, as upstream compares the bytes of UTF-8. */
export function compareTexts(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index++) {
    const left = one.charCodeAt(index);
    const right = other.charCodeAt(index);
    if (left === right) continue;
    // Halves of surrogate pairs stand above all other characters, though their numbers do not.
    const isPair = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
    if (isPair(left) !== isPair(right)) return isPair(left) ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

/** Negative, zero or positive (NaN for numbers that are none); `undefined` for values that have no order. */
export function compareValues(one: Value, other: Value): number | undefined {
  if (isNumeric(one)) return isNumeric(other) ? compareNumbers(one, other) : undefined;
  if (typeof one === 'string') return typeof other === 'string' ? compareTexts(one, other) : undefined;
  if (typeof one === 'boolean') return typeof other === 'boolean' ? Number(one) - Number(other) : undefined;
  if (one instanceof Uint8Array) return other instanceof Uint8Array ? compareBytes(one, other) : undefined;
  const sameKind =
    (one instanceof Timestamp && other instanceof Timestamp) || (one instanceof Duration && other instanceof Duration);
  if (!sameKind) return undefined;
  if (one.nanos < other.nanos) return -1;
  return one.nanos > other.nanos ? 1 : 0;
}
