/**
 * Values of a declared type out of JSON, made only as far as an expression looks at them (upstream: apiserver/pkg/cel/common,
 * UnstructuredToVal). Pure.
 */
import type { DeclaredType, ListType, MapType, ObjectType, ScalarType } from '../types/declared-type.ts';
import { parseDate, parseDuration, parseTimestamp } from './time.ts';
import type { ListIdentity, ListValue, MapValue, Value } from './value.ts';

/** An evaluation that cannot go on since a value is not of its declared type; ends up as the evaluation's error. */
export class NotOfType extends Error {}

/** `json` is a part of a parsed document; it is not copied and must not change while the value is in use. */
export function valueOfJson(json: unknown, type: DeclaredType): Value {
  if (json === null || json === undefined) return null;
  switch (type.kind) {
    case 'list':
      if (!Array.isArray(json)) throw mismatch(json, 'a list');
      return new JsonList(json, type);
    case 'map':
      if (!isObject(json)) throw mismatch(json, 'a map');
      return new JsonMap(json, type);
    case 'object':
      if (!isObject(json)) throw mismatch(json, 'an object');
      return new JsonObject(json, type);
    case 'dyn':
      return valueOfAnyJson(json);
    default:
      return scalarOf(json, type);
  }
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function mismatch(json: unknown, wanted: string): NotOfType {
  const kind = Array.isArray(json) ? 'a list' : `a value of type ${typeof json}`;
  return new NotOfType(`invalid data, expected ${wanted} but got ${kind}`);
}

function scalarOf(json: unknown, type: ScalarType): Value {
  switch (type.kind) {
    case 'bool':
      if (typeof json === 'boolean') return json;
      break;
    case 'int':
      if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
      if (typeof json === 'bigint') return json;
      break;
    case 'double':
      if (typeof json === 'number') return json;
      break;
    case 'bytes':
      if (typeof json === 'string') return bytesOf(json);
      break;
    case 'timestamp':
      if (typeof json === 'string') return timeOf(json, type.isDate === true ? parseDate(json) : parseTimestamp(json));
      break;
    case 'duration':
      if (typeof json === 'string') return timeOf(json, parseDuration(json));
      break;
    default:
      if (typeof json === 'string') return json;
  }
  throw mismatch(json, type.kind);
}

function bytesOf(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new NotOfType(`invalid data, could not decode ${JSON.stringify(text.slice(0, 64))} as base64`);
  }
}

function timeOf(text: string, value: Value | undefined): Value {
  if (value === undefined) throw new NotOfType(`invalid data, could not parse ${JSON.stringify(text.slice(0, 64))}`);
  return value;
}

/** JSON without a declared type: whole numbers are ints, objects are maps. */
export function valueOfAnyJson(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === 'boolean' || typeof json === 'string') return json;
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new JsonList(json, ANY_LIST);
  if (isObject(json)) return new JsonMap(json, ANY_MAP);
  throw mismatch(json, 'JSON');
}

const ANY: ScalarType = { kind: 'dyn', maxElements: 0, minBytes: 1 };
const ANY_LIST: ListType = {
  kind: 'list',
  items: ANY,
  listType: 'atomic',
  mapKeys: [],
  maxElements: 0,
  minBytes: 2,
};
const ANY_MAP: MapType = { kind: 'map', values: ANY, maxElements: 0, minBytes: 2 };

class JsonList implements ListValue {
  readonly isList = true;
  /** The document's own list: two values over the same one are equal without a look. */
  get source(): unknown {
    return this.#items;
  }

  readonly #items: readonly unknown[];
  readonly #type: ListType;

  constructor(items: readonly unknown[], type: ListType) {
    this.#items = items;
    this.#type = type;
  }

  get size(): number {
    return this.#items.length;
  }

  get(index: number): Value {
    return valueOfJson(this.#items[index], this.#type.items);
  }

  get identity(): ListIdentity | undefined {
    const { listType, mapKeys } = this.#type;
    if (listType === 'atomic') return undefined;
    return {
      kind: listType,
      keyOf: (index) => keyTextOf(this.#items[index], listType === 'map' ? mapKeys : undefined),
    };
  }

  /**
   * Lists of sets and map-lists joined as their merge would join them (upstream: `+` of such lists): items of the right one take the
   * place of those with the same key, and others follow.
   */
  merge(other: ListValue): ListValue | undefined {
    if (!(other instanceof JsonList) || this.#type.listType === 'atomic') return undefined;
    const keys = this.#type.listType === 'map' ? this.#type.mapKeys : undefined;
    const merged = new Map<string, unknown>();
    for (const item of [...this.#items, ...other.#items]) merged.set(keyTextOf(item, keys), item);
    return new JsonList([...merged.values()], this.#type);
  }
}

/** Two lists of a schema that `+` merges by their keys; undefined for lists that it appends. */
export function mergeLists(one: ListValue, other: ListValue): ListValue | undefined {
  return one instanceof JsonList ? one.merge(other) : undefined;
}

function keyTextOf(item: unknown, keys: readonly string[] | undefined): string {
  if (keys === undefined) return JSON.stringify(item) ?? 'null';
  return JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
}

class JsonMap implements MapValue {
  readonly isMap = true;
  get source(): unknown {
    return this.#entries;
  }

  readonly #entries: Readonly<Record<string, unknown>>;
  readonly #type: MapType;
  #keys: readonly string[] | undefined;

  constructor(entries: Readonly<Record<string, unknown>>, type: MapType) {
    this.#entries = entries;
    this.#type = type;
  }

  get size(): number {
    return this.#names().length;
  }

  #names(): readonly string[] {
    this.#keys ??= Object.keys(this.#entries);
    return this.#keys;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#entries, key)) return undefined;
    return valueOfJson(this.#entries[key], this.#type.values);
  }

  keys(): Iterable<Value> {
    return this.#names();
  }
}

class JsonObject implements MapValue {
  readonly isMap = true;
  get source(): unknown {
    return this.#entries;
  }

  readonly typeName: string;
  readonly #entries: Readonly<Record<string, unknown>>;
  readonly #type: ObjectType;

  constructor(entries: Readonly<Record<string, unknown>>, type: ObjectType) {
    this.#entries = entries;
    this.#type = type;
    this.typeName = type.name;
  }

  /** The fields that are set and known; others are invisible to expressions. */
  get size(): number {
    let count = 0;
    for (const { jsonName } of this.#type.fields.values()) if (Object.hasOwn(this.#entries, jsonName)) count += 1;
    return count;
  }

  get(key: Value): Value | undefined {
    const field = typeof key === 'string' ? this.#type.fields.get(key) : undefined;
    if (field === undefined || !Object.hasOwn(this.#entries, field.jsonName)) return undefined;
    return valueOfJson(this.#entries[field.jsonName], field.type);
  }

  *keys(): Iterable<Value> {
    for (const [name, { jsonName }] of this.#type.fields) if (Object.hasOwn(this.#entries, jsonName)) yield name;
  }
}
