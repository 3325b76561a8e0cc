/** Which item of a list is which: by its keys or its value (upstream: typed/helpers.go). */
import type { ListPlace } from './place.ts';
import { keyElement, type PathElement, textKeyElement, valueElement } from './path-element.ts';
import { type Fields, isFields } from './value.ts';

/** An item of a list that has items with owners, or why it is none. */
export type ItemElement = { readonly element: PathElement } | { readonly problem: string };

/** How an item is told apart in a list that is a "set" or a "map". */
export function elementOfItem(list: ListPlace, item: unknown): ItemElement {
  if (list.type === 'set') return elementOfMember(item);
  if (item === null || item === undefined) return { problem: 'associative list with keys may not have a null element' };
  if (!isFields(item)) return { problem: 'associative list with keys may not have non-map elements' };
  const only = list.keys.length === 1 ? elementOfText(list, item) : undefined;
  if (only !== undefined) return { element: only };
  const keys: Record<string, unknown> = {};
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    const key = value === undefined ? list.defaultOf(name) : value;
    if (key !== undefined) keys[name] = key;
  }
  if (Object.keys(keys).length > 0) return { element: keyElement(keys) };
  const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
  return {
    problem: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

/** Of an item with one key that is text, as nearly all have; undefined: a closer look is due. */
function elementOfText(list: ListPlace, item: Fields): PathElement | undefined {
  const [name = ''] = list.keys;
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  const key = value === undefined ? list.defaultOf(name) : value;
  return typeof key === 'string' ? textKeyElement(name, key) : undefined;
}

function elementOfMember(item: unknown): ItemElement {
  if (Array.isArray(item)) return { problem: 'not supported: associative list with lists as elements' };
  if (isFields(item)) return { problem: "associative list without keys has an element that's a map type" };
  if (item === null || item === undefined)
    return { problem: "associative list without keys has an element that's an explicit null" };
  return { element: valueElement(item) };
}

/** The items of a list by their elements, in its order; those that cannot be told apart are left out. */
export function itemsByElement(list: ListPlace, items: readonly unknown[]): Map<PathElement, unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const named = elementOfItem(list, item);
    if ('problem' in named) continue;
    const same = found.get(named.element);
    if (same === undefined) found.set(named.element, [item]);
    else same.push(item);
  }
  return found;
}

/**
 * Whether two lists have the same items, told apart by their keys, in the same order, and none twice; the items may differ in all
 * else. Quick for nearly all lists; false says nothing.
 */
export function isSameOrder(list: ListPlace, a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  const seen = a.length > 1 ? new Set<unknown>() : undefined;
  for (let at = 0; at < a.length; at++) {
    const key = plainKey(list, a[at]);
    if (key === undefined || key !== plainKey(list, b[at])) return false;
    seen?.add(key);
  }
  return seen === undefined || seen.size === a.length;
}

/** What tells an item apart, for texts and numbers; undefined: it takes a closer look. */
function plainKey(list: ListPlace, item: unknown): string | number | undefined {
  if (list.type === 'set') return plain(item);
  if (!isFields(item)) return undefined;
  const [first = '', ...others] = list.keys;
  let key = keyOf(list, item, first);
  for (const name of others) {
    const value = keyOf(list, item, name);
    // The separator is in no key that is valid; a wrong guess only takes the longer way, or compares what is one item.
    key = key === undefined || value === undefined ? undefined : `${key}\u0000${typeof value} ${value}`;
  }
  return key;
}

function keyOf(list: ListPlace, item: Fields, name: string): string | number | undefined {
  return plain(Object.hasOwn(item, name) ? item[name] : list.defaultOf(name));
}

function plain(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
