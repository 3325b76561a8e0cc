/**
 * Sets that were written when the schema said otherwise: what has become atomic is owned as a whole, what has become granular is
 * owned with all that lies in it (upstream: typed/reconcile_schema.go).
 */
import { type FieldSet, recursiveDifference, setOf, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { fieldNameOf, type PathElement } from './path-element.ts';
import { elementOfItem } from './list-items.ts';
import { DEDUCED, type ListPlace, type Place } from './place.ts';
import { isFields, memberOf } from './value.ts';

/**
 * The set by today's schema; the very same when nothing differs. Pure.
 * @param live the object as it is
 */
export function reconcileSet(set: FieldSet, place: Place, live: unknown): FieldSet {
  if (place === DEDUCED) return set;
  const { collapsed, expanded } = doubtfulParts(set, place);
  let result = set;
  if (collapsed.length > 0) {
    const whole = setOf(...collapsed);
    result = union(recursiveDifference(set, whole), whole);
  }
  for (const path of expanded) {
    const found = partAt(live, place, path);
    if (found === undefined) continue;
    const below = fieldsOf(found.value, found.place);
    if (below.children !== undefined) result = union(result, rooted(path, below));
  }
  return result;
}

/** By set and schema: sets of many objects are the same. */
const doubtful = new WeakMap<FieldSet, { readonly place: Place; readonly found: Found }>();

/** The parts of a set that may not fit its schema any more. */
function doubtfulParts(set: FieldSet, place: Place): Found {
  const known = doubtful.get(set);
  if (known?.place === place) return known.found;
  const found: Found = { collapsed: [], expanded: [] };
  visit(set, place, [], found);
  doubtful.set(set, { place, found });
  return found;
}

interface Found {
  /** Paths of parts that have become atomic. */
  readonly collapsed: PathElement[][];
  /** Paths of parts that have become granular. */
  readonly expanded: PathElement[][];
}

function visit(node: FieldSet, place: Place, path: PathElement[], found: Found): void {
  const { children } = node;
  const { list, map } = place;
  // Open places have no topology of their own: only the value says which it is.
  if (place.scalar !== undefined || (list === undefined && map === undefined)) return;
  const isAtomic = list?.type === 'atomic' || map?.isAtomic === true;
  if (isAtomic && children !== undefined && path.length > 0) {
    found.collapsed.push(path);
    return;
  }
  if (!isAtomic && node.owned && children === undefined) found.expanded.push(path);
  for (const [element, child] of children ?? []) {
    const name = fieldNameOf(element);
    const inner = name === undefined ? list?.element : map?.child(name);
    if (inner !== undefined) visit(child, inner, [...path, element], found);
  }
}

/** A part of an object that is neither missing nor empty, with what the schema says of it. */
function partAt(
  live: unknown,
  root: Place,
  path: readonly PathElement[],
): { readonly value: unknown; readonly place: Place } | undefined {
  let value = live;
  let place: Place | undefined = root;
  for (const element of path) {
    const name = fieldNameOf(element);
    if (name === undefined) {
      const list: ListPlace | undefined = place.list;
      if (list === undefined || !Array.isArray(value)) return undefined;
      value = value.find((item) => isElement(list, item, element));
      place = list.element;
    } else {
      value = isFields(value) ? memberOf(value, name) : undefined;
      place = place.map?.child(name);
    }
    if (place === undefined || value === undefined) return undefined;
  }
  const isFull = Array.isArray(value) ? value.length > 0 : isFields(value) && Object.keys(value).length > 0;
  return isFull ? { value, place } : undefined;
}

function isElement(list: ListPlace, item: unknown, element: PathElement): boolean {
  const named = elementOfItem(list, item);
  return 'element' in named && named.element === element;
}

function rooted(path: readonly PathElement[], node: FieldSet): FieldSet {
  return path.reduceRight(
    (below: FieldSet, element) => ({ owned: false, children: new Map([[element, below]]) }),
    node,
  );
}
