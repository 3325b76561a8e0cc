/** Whether two objects of a kind have the same fields, whatever the values of those are. Pure. */
import type { ListPlace, MapPlace, Place } from './place.ts';
import { type Fields, isFields, memberOf, sameJson, shapeAt } from './value.ts';

/**
 * Whether a creation of `a` and one of `b` give their creator the same fields (see `newFieldsText`). False says nothing: objects with
 * the same fields in another order take a closer look.
 * @param before what objects of the kind are before they are created
 */
export function haveSameFields(a: unknown, b: unknown, before: unknown, place: Place): boolean {
  if (a === b) return true;
  const shape = shapeAt(place, a);
  if (shape !== shapeAt(place, b)) return false;
  if (shape === 'list' && place.list !== undefined && place.list.type !== 'atomic') return sameItems(a, b, place.list);
  if (shape === 'map' && place.map?.isAtomic === false) return sameMembers(a, b, before, place.map);
  // A leaf is owned where there was nothing, or something else.
  return before === undefined || sameJson(a, before) === sameJson(b, before);
}

function sameItems(a: unknown, b: unknown, list: ListPlace): boolean {
  // Empty ones are leaves.
  if (!Array.isArray(a) || !Array.isArray(b) || a.length === 0 || a.length !== b.length) return false;
  return a.every((item, at) => isSameItem(item, b[at], list));
}

function isSameItem(a: unknown, b: unknown, list: ListPlace): boolean {
  if (list.type === 'set') return isPlain(a) && a === b;
  if (!isFields(a) || !isFields(b)) return false;
  return list.keys.every((key) => isSameKey(a, b, key)) && haveSameFields(a, b, undefined, list.element);
}

function isSameKey(a: Fields, b: Fields, key: string): boolean {
  const value = memberOf(a, key);
  return value === memberOf(b, key) && (value === undefined || isPlain(value));
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function sameMembers(a: unknown, b: unknown, before: unknown, map: MapPlace): boolean {
  if (!isFields(a) || !isFields(b)) return false;
  const left = isFields(before) ? before : undefined;
  const names = Object.keys(a);
  const others = Object.keys(b);
  // Empty ones are leaves.
  if (names.length !== others.length || names.length === 0) return false;
  return names.every((name, at) => name === others[at] && isSameMember([a, b], name, memberOf(left, name), map));
}

function isSameMember([a, b]: readonly [Fields, Fields], name: string, before: unknown, map: MapPlace): boolean {
  const place = map.child(name);
  if (place === undefined) return true;
  if ((a[name] === undefined) !== (b[name] === undefined)) return false;
  return haveSameFields(a[name], b[name], before, place);
}
