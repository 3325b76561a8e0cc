/** Lists and maps that expressions make. Pure. */
import { equalValues } from './equality.ts';
import { CelError, Duration, type ListValue, type MapValue, Timestamp, Uint, type Value } from './value.ts';

/** A list over the first items of an array, which a longer list may share: appending to the longest costs one step. */
export class ArrayList implements ListValue {
  readonly isList = true;
  readonly size: number;
  readonly #items: Value[];

  constructor(items: Value[], size: number = items.length) {
    this.#items = items;
    this.size = size;
  }

  get(index: number): Value {
    return this.#items[index] as Value;
  }

  append(item: Value): ArrayList {
    if (this.size > 0 && this.size === this.#items.length) {
      this.#items.push(item);
      return new ArrayList(this.#items, this.size + 1);
    }
    return new ArrayList([...this.#items.slice(0, this.size), item]);
  }
}

/** A list that no longer list shares: a constant of an expression, which lives longer than an evaluation. */
export class FixedList implements ListValue {
  readonly isList = true;
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  get(index: number): Value {
    return this.#items[index] as Value;
  }
}

export const EMPTY_LIST: ListValue = new ArrayList([]);

/** Lists one after another; neither is copied, so that doubling a list takes no memory. */
class JoinedList implements ListValue {
  readonly isList = true;
  readonly size: number;
  readonly #left: ListValue;
  readonly #right: ListValue;

  constructor(left: ListValue, right: ListValue) {
    this.#left = left;
    this.#right = right;
    this.size = left.size + right.size;
  }

  get(index: number): Value {
    let [list, here] = this.#step(index);
    while (list instanceof JoinedList) [list, here] = list.#step(here);
    return list.get(here);
  }

  /** The list that has the item, and its place there. */
  #step(index: number): [ListValue, number] {
    const { size } = this.#left;
    return index < size ? [this.#left, index] : [this.#right, index - size];
  }
}

/** Items that a list may have; only doubling again and again makes more. */
const MAX_LIST = 2 ** 31;

export function concatenate(left: ListValue, right: ListValue): ListValue | CelError {
  if (right.size === 0) return left;
  if (left.size === 0) return right instanceof ArrayList ? new ArrayList(itemsOf(right)) : right;
  if (left instanceof ArrayList && right.size === 1) return left.append(right.get(0));
  if (left.size + right.size > MAX_LIST) return new CelError('list is too long');
  return new JoinedList(left, right);
}

export function itemsOf(list: ListValue): Value[] {
  const items: Value[] = [];
  for (let index = 0; index < list.size; index++) items.push(list.get(index));
  return items;
}

export function listContains(list: ListValue, value: Value): boolean {
  for (let index = 0; index < list.size; index++) if (equalValues(list.get(index), value)) return true;
  return false;
}

/** A text that is the same for equal keys of maps, whatever their type of number; `undefined` for what can be no key. */
export function keyText(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'bigint':
      return `n${key}`;
    case 'boolean':
      return `b${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
    default:
      return key instanceof Uint ? `n${key.value}` : undefined;
  }
}

interface Entry {
  readonly key: Value;
  readonly value: Value;
  readonly position: number;
}

/** A map over entries by their key's text, in the order in which they were put in; a longer map may share them. */
export class EntryMap implements MapValue {
  readonly isMap = true;
  readonly size: number;
  readonly #entries: Map<string, Entry>;

  private constructor(entries: Map<string, Entry>, size: number) {
    this.#entries = entries;
    this.size = size;
  }

  static of(pairs: Iterable<readonly [Value, Value]>): EntryMap | CelError {
    let map: EntryMap | CelError = new EntryMap(new Map(), 0);
    for (const [key, value] of pairs) {
      map = map.insert(key, value);
      if (map instanceof CelError) return map;
    }
    return map;
  }

  get(key: Value): Value | undefined {
    const text = keyText(key);
    const entry = text === undefined ? undefined : this.#entries.get(text);
    return entry === undefined || entry.position >= this.size ? undefined : entry.value;
  }

  *keys(): Iterable<Value> {
    for (const { key, position } of this.#entries.values()) {
      if (position >= this.size) return;
      yield key;
    }
  }

  /** A map with one entry more; an error for a key that is there, or that can be none. */
  insert(key: Value, value: Value): EntryMap | CelError {
    const text = keyText(key);
    if (text === undefined || typeof key === 'number') return new CelError('unsupported key type');
    if (this.get(key) !== undefined) return new CelError(`insert failed: key ${formatKey(key)} already exists`);
    const isNewest = this.size > 0 && this.#entries.size === this.size;
    const entries = isNewest ? this.#entries : new Map([...this.#entries].slice(0, this.size));
    entries.set(text, { key, value, position: this.size });
    return new EntryMap(entries, this.size + 1);
  }
}

/** A key, an index or another small value as messages show it. */
export function formatKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  if (key instanceof Timestamp || key instanceof Duration) return `${key.nanos}ns`;
  return typeof key === 'object' && key !== null && !('isOpaque' in key) ? 'of unsupported type' : String(key);
}
