/**
 * Sets that were written when the schema said otherwise: what has become atomic is owned as a whole, what has become granular is
 * owned with all that lies in it (upstream: typed/reconcile_schema.go).
 */
import { type FieldSet, insert, recursiveDifference, setOf, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { fieldNameOf, type PathElement } from './path-element.ts';
import { DEDUCED, type Place } from './place.ts';

/**
 * The set by today's schema; the very same when nothing differs. Pure.
 * @param live the object as it is
 */
export function reconcileSet(set: FieldSet, place: Place, live: unknown): FieldSet {
  if (place === DEDUCED || fits.get(set) === place) return set;
  const drop = setOf();
  const add: PathElement[][] = [];
  const collapsed: PathElement[][] = [];
  visit(set, place, [], { collapsed, expanded: add });
  if (collapsed.length === 0 && add.length === 0) {
    fits.set(set, place);
    return set;
  }
  for (const path of collapsed) insert(drop, path);
  let result = union(recursiveDifference(set, drop), drop);
  const whole = add.length === 0 ? undefined : fieldsOf(live, place);
  for (const path of add) {
    const below = whole === undefined ? undefined : nodeAt(whole, path);
    if (below !== undefined) result = union(result, rooted(path, below));
  }
  return result;
}

/** The schema that a set is known to fit. */
const fits = new WeakMap<FieldSet, Place>();

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

function nodeAt(set: FieldSet, path: readonly PathElement[]): FieldSet | undefined {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.children?.get(element);
  return node?.children === undefined ? undefined : node;
}

function rooted(path: readonly PathElement[], node: FieldSet): FieldSet {
  return path.reduceRight(
    (below: FieldSet, element) => ({ owned: false, children: new Map([[element, below]]) }),
    node,
  );
}
