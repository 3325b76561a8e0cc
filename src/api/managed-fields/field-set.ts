/**
 * Sets of paths into an object, as trees: who owns what. A node that is `owned` is a member of the set; whether its children are
 * is their own business. Sets are values: no function here changes one that it was given, but `insert`, which builds new ones.
 */
import { compareElements, fieldNameOf, type PathElement } from './path-element.ts';
import type { Place } from './place.ts';

export interface FieldSet {
  owned: boolean;
  /** Absent: none. */
  children?: Map<PathElement, FieldSet>;
}

export function emptySet(): FieldSet {
  return { owned: false };
}

/** A step of a path, or how to work it out when it is needed. */
export type Step = PathElement | (() => PathElement);

/** Adds a path to a set that is still being made. The empty path, the object itself, is never a member. */
export function insert(set: FieldSet, path: readonly Step[]): void {
  if (path.length === 0) return;
  let node = set;
  for (const step of path) node = childOf(node, typeof step === 'string' ? step : step());
  node.owned = true;
}

function childOf(node: FieldSet, element: PathElement): FieldSet {
  node.children ??= new Map();
  const known = node.children.get(element);
  if (known !== undefined) return known;
  const child: FieldSet = { owned: false };
  node.children.set(element, child);
  return child;
}

export function setOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const set = emptySet();
  for (const path of paths) insert(set, path);
  return set;
}

export function isEmptySet(set: FieldSet): boolean {
  if (set.owned) return false;
  for (const child of set.children?.values() ?? []) if (!isEmptySet(child)) return false;
  return true;
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.children?.get(element);
  return node?.owned === true;
}

/** The very `a` when it has all of `b`. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.children === undefined) return b.owned && !a.owned ? withOwned(a) : a;
  if (a.children === undefined) return a.owned && !b.owned ? withOwned(b) : b;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, right] of b.children) {
    const left = a.children.get(element);
    const child = left === undefined ? right : union(left, right);
    if (child === left) continue;
    children ??= new Map(a.children);
    children.set(element, child);
  }
  if (children === undefined) return b.owned && !a.owned ? withOwned(a) : a;
  return { owned: a.owned || b.owned, children };
}

function withOwned(set: FieldSet): FieldSet {
  return { ...set, owned: true };
}

/** The members of `a` that are no members of `b`; what lies below a member of `b` stays. The very `a` when nothing goes. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const owned = a.owned && !b.owned;
  if (a.children === undefined || b.children === undefined) return owned === a.owned ? a : { ...a, owned };
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, right] of b.children) {
    const left = a.children.get(element);
    const child = left === undefined ? undefined : difference(left, right);
    if (child === left || child === undefined) continue;
    children ??= new Map(a.children);
    if (isEmptySet(child)) children.delete(element);
    else children.set(element, child);
  }
  if (children === undefined) return owned === a.owned ? a : { ...a, owned };
  return children.size === 0 ? { owned } : { owned, children };
}

/** The members of both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const owned = a.owned && b.owned;
  if (a.children === undefined || b.children === undefined) return { owned };
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, right] of b.children) {
    const left = a.children.get(element);
    const child = left === undefined ? undefined : intersection(left, right);
    if (child === undefined || isEmptySet(child)) continue;
    children ??= new Map();
    children.set(element, child);
  }
  return children === undefined ? { owned } : { owned, children };
}

/** `a` without the members of `b` and all that lies below them. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (b.owned) return emptySet();
  if (a.children === undefined || b.children === undefined) return a;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, left] of a.children) {
    const right = b.children.get(element);
    const child = right === undefined ? left : recursiveDifference(left, right);
    if (isEmptySet(child)) continue;
    children ??= new Map();
    children.set(element, child);
  }
  return children === undefined ? { owned: a.owned } : { owned: a.owned, children };
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return isEmptySet(difference(a, b)) && isEmptySet(difference(b, a));
}

/** All members in the order in which they are written. */
export function pathsOf(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = [];
  const walk = (node: FieldSet, path: PathElement[]): void => {
    if (node.owned && path.length > 0) paths.push(path);
    for (const element of sortedElements(node.children)) {
      const child = node.children?.get(element);
      if (child !== undefined) walk(child, [...path, element]);
    }
  };
  walk(set, []);
  return paths;
}

/** The set with each field of a struct as a member that has members below it: whole structs are removed with it, not only their parts. */
export function withStructFields(set: FieldSet, place: Place | undefined): FieldSet {
  if (set.children === undefined) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const name = fieldNameOf(element);
    const isField = name !== undefined && place?.map?.isField(name) === true;
    const inner = name === undefined ? place?.list?.element : place?.map?.child(name);
    const below = withStructFields(child, inner);
    children.set(element, isField && below.children !== undefined ? { ...below, owned: true } : below);
  }
  return { owned: set.owned, children };
}

/** The elements of a node in the order in which they are written. */
export function sortedElements(children: ReadonlyMap<PathElement, unknown> | undefined): PathElement[] {
  return children === undefined ? [] : [...children.keys()].sort(compareElements);
}
