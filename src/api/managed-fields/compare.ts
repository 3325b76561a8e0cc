/** What differs between two states of an object, by the topology of its schema (upstream: typed/compare.go). */
import { emptySet, type FieldSet, insert, isEmptySet, recursiveDifference, type Step } from './field-set.ts';
import { elementOfItem, isSameOrder, itemsByElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import type { ListPlace, MapPlace, Place } from './place.ts';
import { type Fields, isFields, memberOf, sameJson, type Shape, shapeAt } from './value.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Pure. Parts that both states share by reference are not looked at. */
export function compareObjects(before: unknown, after: unknown, place: Place): Comparison {
  const found = { added: emptySet(), modified: emptySet(), removed: emptySet() };
  if (before !== after) compare({ before, after, place, path: [] }, found);
  return found;
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
}

/** The comparison without the fields of `ignored` and what lies below them. */
export function withoutFields({ added, modified, removed }: Comparison, ignored: FieldSet): Comparison {
  return {
    added: recursiveDifference(added, ignored),
    modified: recursiveDifference(modified, ignored),
    removed: recursiveDifference(removed, ignored),
  };
}

interface Pair {
  /** Undefined: it is not there, while null is. At most one of both is undefined. */
  readonly before: unknown;
  readonly after: unknown;
  readonly place: Place;
  readonly path: Step[];
}

function compare(pair: Pair, found: Comparison): void {
  const { before, after, place, path } = pair;
  if (before === after) return;
  const was = shapeAt(place, before);
  const is = shapeAt(place, after);
  let isLeaf: boolean;
  if (after === undefined) isLeaf = compareAs(was, pair, found);
  else if (before === undefined || was === is) isLeaf = compareAs(is, pair, found);
  else {
    // Another shape: all that was there is gone, and what came is new.
    compareAs(was, pair, found);
    isLeaf = compareAs(is, pair, found);
  }
  if (isLeaf) return;
  if (before === undefined) insert(found.added, path);
  else if (after === undefined) insert(found.removed, path);
}

/** @returns whether it is a leaf, which has been compared as one */
function compareAs(shape: Shape, pair: Pair, found: Comparison): boolean {
  switch (shape) {
    case 'scalar':
      compareLeaf(pair, found);
      return true;
    case 'list':
      return pair.place.list === undefined || compareLists(pair, pair.place.list, found);
    case 'map':
      return pair.place.map === undefined || compareMaps(pair, pair.place.map, found);
  }
}

function compareLeaf({ before, after, path }: Pair, { added, modified, removed }: Comparison): void {
  if (before === undefined) insert(added, path);
  else if (after === undefined) insert(removed, path);
  else if (!sameJson(before, after)) insert(modified, path);
}

function compareMaps(pair: Pair, map: MapPlace, found: Comparison): boolean {
  const before = isFields(pair.before) ? pair.before : undefined;
  const after = isFields(pair.after) ? pair.after : undefined;
  // An empty one is a leaf, so that it is told from none.
  if (map.isAtomic || (isEmptyMap(before) && isEmptyMap(after))) {
    compareLeaf(pair, found);
    return true;
  }
  for (const name in before) compareField(pair, map, name, found, [before, after]);
  for (const name in after) {
    if (memberOf(before, name) === undefined) compareField(pair, map, name, found, [before, after]);
  }
  return false;
}

function compareField(
  { path }: Pair,
  map: MapPlace,
  name: string,
  found: Comparison,
  [left, right]: readonly [Fields | undefined, Fields | undefined],
): void {
  const before = memberOf(left, name);
  const after = memberOf(right, name);
  if (before === after) return;
  const place = map.child(name);
  if (place === undefined) return;
  path.push(() => fieldElement(name));
  compare({ before, after, place, path }, found);
  path.pop();
}

function isEmptyMap(fields: Fields | undefined): boolean {
  for (const _ in fields) return false;
  return true;
}

function compareLists(pair: Pair, list: ListPlace, found: Comparison): boolean {
  const before = Array.isArray(pair.before) ? (pair.before as unknown[]) : [];
  const after = Array.isArray(pair.after) ? (pair.after as unknown[]) : [];
  if (list.type === 'atomic' || (before.length === 0 && after.length === 0)) {
    compareLeaf(pair, found);
    return true;
  }
  if (isSameOrder(list, before, after)) {
    for (const [position, item] of before.entries()) compareItem(pair.path, list, [item, after[position]], found);
    return false;
  }
  const left = itemsByElement(list, before);
  const right = itemsByElement(list, after);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    compareItems([...pair.path, element], list, [left.get(element) ?? [], right.get(element) ?? []], found);
  }
  return false;
}

/** An item that has its place in both lists: which one it is matters only if it differs. */
function compareItem(
  path: Step[],
  list: ListPlace,
  [before, after]: readonly [unknown, unknown],
  found: Comparison,
): void {
  if (before === after) return;
  path.push(() => {
    const named = elementOfItem(list, after);
    return 'element' in named ? named.element : '';
  });
  compare({ before, after, place: list.element, path }, found);
  path.pop();
}

/** The items of one element: one on each side at most, but in lists that hold the same key twice. */
function compareItems(
  path: Step[],
  list: ListPlace,
  [left, right]: readonly [readonly unknown[], readonly unknown[]],
  found: Comparison,
): void {
  if (left.length <= 1 && right.length <= 1) {
    compare({ before: left[0], after: right[0], place: list.element, path }, found);
    return;
  }
  if (sameJson(left, right)) return;
  const { added, modified, removed } = found;
  if (left.length === 0) insert(added, path);
  else if (right.length === 0) insert(removed, path);
  else insert(modified, path);
}
