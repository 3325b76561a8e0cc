/**
 * Scans a JSON text in one pass over its characters before it is parsed: how deep it nests, how many entries it has, and
 * which fields it names twice (`JSON.parse` keeps the last one and says nothing). Deep and crowded texts cost a parser
 * hundreds of times what they cost to send.
 */

export interface JsonShape {
  /** Lists and objects inside each other; 1 for `{}`. */
  readonly depth: number;
  /** Members and elements of all objects and lists together. */
  readonly entries: number;
  /** The most in one of them. */
  readonly widest: number;
  /** Members of objects. */
  readonly members: number;
}

export interface ShapeLimits {
  readonly depth: number;
  readonly entries: number;
  readonly widest: number;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The position of the quote that ends the string whose first character is at `from`; the length when nothing ends it. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH && end - 1 - backslashes >= from) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/**
 * The shape of `text`, which need not be valid JSON: then it is the shape of what the text seems to be. Stops at the first
 * limit that is passed, with a shape that passes it.
 */
export function shapeOfJson(text: string, limits: ShapeLimits): JsonShape {
  /** Entries of each container that is open, the innermost last. */
  const open: number[] = [];
  let [depth, entries, widest, members] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COLON) members += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open.pop();
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      let next = at + 1;
      while (isBlank(text.charCodeAt(next))) next += 1;
      const isEmpty = text.charCodeAt(next) === code + 2;
      open.push(isEmpty ? 0 : 1);
      entries += isEmpty ? 0 : 1;
      widest = Math.max(widest, isEmpty ? 0 : 1);
      depth = Math.max(depth, open.length);
      if (depth > limits.depth || entries > limits.entries) break;
      at = next - 1;
    } else if (code === COMMA && open.length > 0) {
      entries += 1;
      const count = (open.at(-1) ?? 0) + 1;
      open[open.length - 1] = count;
      if (count > widest) widest = count;
      if (count > limits.widest || entries > limits.entries) break;
    }
  }
  return { depth, entries, widest, members };
}

/** How many members the objects in `value` have, all together. */
function countMembers(value: unknown): number {
  let members = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) members += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) waiting.push(child);
  }
  return members;
}

const MAX_REPORTED = 20;
/** Characters of a path in messages. */
const MAX_PATH = 512;

/**
 * Upstream's message for each repeated field, with its path: `duplicate field "spec.a"`.
 * @param text valid JSON with this `shape` and this `value`; the search runs only if fields are missing in the value
 */
export function duplicateFields(text: string, value: unknown, shape: Pick<JsonShape, 'members'>): string[] {
  return countMembers(value) === shape.members ? [] : findDuplicates(text);
}

interface Frame {
  readonly parent: Frame | undefined;
  /** For an object the names seen so far; undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The member or element that is being read. */
  name: string;
  index: number;
}

function findDuplicates(text: string): string[] {
  const found: string[] = [];
  let frame: Frame | undefined;
  let isName = false;
  for (let at = 0; at < text.length && found.length < MAX_REPORTED; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at + 1);
      if (isName && frame?.names !== undefined) {
        frame.name = nameOf(text, at, end);
        if (frame.names.has(frame.name)) found.push(`duplicate field ${JSON.stringify(pathOf(frame))}`);
        frame.names.add(frame.name);
        isName = false;
      }
      at = end;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      isName = code === OPEN_OBJECT;
      frame = { parent: frame, names: isName ? new Set() : undefined, name: '', index: 0 };
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      frame = frame?.parent;
      isName = false;
    } else if (code === COMMA && frame !== undefined) {
      isName = frame.names !== undefined;
      frame.index += 1;
    }
  }
  return found;
}

function nameOf(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end);
  return plain.includes('\\') ? (JSON.parse(text.slice(start, end + 1)) as string) : plain;
}

function pathOf(frame: Frame): string {
  const parts: string[] = [];
  for (let each: Frame | undefined = frame; each !== undefined; each = each.parent)
    parts.push(each.names === undefined ? `[${each.index}]` : `.${each.name.slice(0, MAX_PATH)}`);
  const path = parts.toReversed().join('').replace(/^\./, '');
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}
