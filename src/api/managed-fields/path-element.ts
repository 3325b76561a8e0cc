/**
 * One step of a path into an object, as text: `f:name` a field, `k:{…}` an item of a list by its keys, `v:…` an item of a set by
 * its value, `i:0` an item by its position. The text is that of FieldsV1 (upstream: structured-merge-diff, fieldpath).
 */

export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** @param keys its keys and their values; their order does not matter */
export function keyElement(keys: Readonly<Record<string, unknown>>): PathElement {
  return `k:${sortedJson(keys)}`;
}

/** The same as `keyElement({ [name]: value })`, for less work. */
export function textKeyElement(name: string, value: string): PathElement {
  return `k:{${JSON.stringify(name)}:${JSON.stringify(value)}}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${sortedJson(value)}`;
}

/** The name that a field's element holds; undefined for other elements. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/**
 * An element that a client wrote, in the one spelling that it has here.
 * @returns undefined for a kind of element that is not known, which a later version may have made
 * @throws SyntaxError for one that cannot be read
 */
export function readElement(text: string): PathElement | undefined {
  const rest = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'v:':
      return valueElement(JSON.parse(rest));
    case 'i:': {
      if (!/^-?\d+$/.test(rest)) throw new SyntaxError(`${JSON.stringify(text)} is no position`);
      return `i:${Number(rest)}`;
    }
    case 'k:': {
      const keys: unknown = JSON.parse(rest);
      if (!isRecord(keys)) throw new SyntaxError(`${JSON.stringify(text)} has no keys`);
      return keyElement(keys);
    }
    default:
      return undefined;
  }
}

const RANKS: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** The order in which elements are written: fields, keys, values, positions, and each of them by its content. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charAt(0);
  if (kind !== b.charAt(0)) return (RANKS[kind] ?? 9) - (RANKS[b.charAt(0)] ?? 9);
  switch (kind) {
    case 'k':
      return compareKeys(keysOf(a), keysOf(b));
    case 'v':
      return compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)));
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return compareText(a, b);
  }
}

/** Sorting asks for the same few again and again. */
const parsedKeys = new Map<PathElement, Readonly<Record<string, unknown>>>();
const MAX_PARSED_KEYS = 1000;
const MAX_PARSED_CHARACTERS = 256;

function keysOf(element: PathElement): Readonly<Record<string, unknown>> {
  const known = parsedKeys.get(element);
  if (known !== undefined) return known;
  const keys = JSON.parse(element.slice(2)) as Readonly<Record<string, unknown>>;
  if (element.length > MAX_PARSED_CHARACTERS) return keys;
  if (parsedKeys.size >= MAX_PARSED_KEYS) parsedKeys.clear();
  parsedKeys.set(element, keys);
  return keys;
}

/** An element as upstream's messages print it: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case 'k': {
      const keys = JSON.parse(rest) as Record<string, unknown>;
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${rest}]`;
    case 'i':
      return `[${rest}]`;
    default:
      return `.${rest}`;
  }
}

export function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join('');
}

/** JSON with the fields of all objects in order. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort(compareText);
  return `{${fields.map((name) => `${JSON.stringify(name)}:${sortedJson(value[name])}`).join(',')}}`;
}

/** By code points, as Go compares strings; JavaScript's own order differs beyond the basic plane. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return afterSurrogates(x) - afterSurrogates(y);
  }
  return a.length - b.length;
}

function afterSurrogates(code: number): number {
  if (code < 0xd800) return code;
  return code >= 0xe000 ? code - 0x800 : code + 0x2000;
}

function compareKeys(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [[name = '', value] = [], [other = '', against] = []] = [left[at], right[at]];
    const order = compareText(name, other) || compareValues(value, against);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers before texts before booleans before lists before objects before null. */
function compareValues(a: unknown, b: unknown): number {
  const order = rankOf(a) - rankOf(b);
  if (order !== 0) return order;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return compareText(sortedJson(a), sortedJson(b));
}

function rankOf(value: unknown): number {
  if (value === null || value === undefined) return 5;
  if (Array.isArray(value)) return 3;
  return { number: 0, string: 1, boolean: 2 }[typeof value as string] ?? 4;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
