/**
 * Reads a large YAML text in steps, so that others have their turn: maps and lists in block style are taken apart at their
 * indentation, and each part is parsed by itself. Whatever cannot be taken apart is one step. Pure.
 */
import { parseYamlText } from './yaml.ts';

/** About the most characters of one step. */
export const YAML_STEP_CHARACTERS = 16 * 1024;
/** Each level of a text looks at all lines of its block: what is deeper is read as it is. */
const MAX_LEVELS = 24;
/** A longer line is no key. */
const MAX_KEY_LINE = 1024;

/** A text that means something else in parts, or may: an alias of another part, a key twice. */
export class NotInStepsError extends Error {}

export interface YamlStep {
  /** What is parsed next. */
  readonly text: string;
}

/**
 * Yields before each part is parsed; returns the value.
 * @throws NotInStepsError; YAMLException for a part that cannot be parsed by itself
 */
export function* yamlSteps(text: string): Generator<YamlStep, unknown> {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => !isBlank(line));
  if (/^---\s*$/.test(lines[first] ?? '')) lines[first] = '';
  if (lines.some((line) => /^(?:---|\.\.\.|%)/.test(line))) throw new NotInStepsError('more than one document');
  return yield* block(lines, 0);
}

/** A blank line, or a comment. */
function isBlank(line: string): boolean {
  return /^\s*(?:#|$)/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const isItem = (line: string, indent: number): boolean => /^-(?:\s|$)/.test(line.slice(indent));

function* block(lines: readonly string[], level: number): Generator<YamlStep, unknown> {
  const length = sizeOf(lines);
  const first = lines.find((line) => !isBlank(line));
  if (length <= YAML_STEP_CHARACTERS || level > MAX_LEVELS || first === undefined) return yield* whole(lines);
  const indent = indentOf(first);
  if (first.slice(0, indent).includes('\t')) return yield* whole(lines);
  // All lines are looked at: others have their turn before the next level does that again.
  yield { text: '' };
  if (isItem(first, indent)) return yield* list(lines, indent, level);
  return keyOf(first) === undefined ? yield* whole(lines) : yield* map(lines, indent, level);
}

/** The key of a line, as it is written, and what follows it there. */
function keyOf(line: string): readonly [key: string, after: string] | undefined {
  if (line.length > MAX_KEY_LINE) return undefined;
  const [, key, after = ''] = KEY.exec(line) ?? [];
  return key === undefined ? undefined : [key, after];
}

function* whole(lines: readonly string[]): Generator<YamlStep, unknown> {
  const text = lines.join('\n');
  yield { text };
  return parseYamlText(text);
}

/** The lines of each entry: from a line that begins one to the next. */
function entriesOf(lines: readonly string[], indent: number, begins: (line: string) => boolean): readonly string[][] {
  const entries: string[][] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    if (isBlank(line)) {
      last?.push(line);
      continue;
    }
    const at = indentOf(line);
    if (at < indent) throw new NotInStepsError('a line stands further left than its block');
    if (at === indent && begins(line)) entries.push([line]);
    else if (last === undefined) throw new NotInStepsError('a block begins in the middle');
    else last.push(line);
  }
  return entries;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function* list(lines: readonly string[], indent: number, level: number): Generator<YamlStep, unknown[]> {
  const result: unknown[] = [];
  for (const part of inParts(entriesOf(lines, indent, (line) => isItem(line, indent)))) {
    if (part.length > 1 || sizeOf(part[0] ?? []) <= YAML_STEP_CHARACTERS) {
      const items = yield* whole(part.flat());
      if (!Array.isArray(items)) throw new NotInStepsError('a part of a list is none');
      for (const item of items) result.push(item);
      continue;
    }
    const [first = '', ...rest] = part[0] ?? [];
    // The item as a block of its own: its first line stands where its content begins.
    const content = `${first.slice(0, indent)} ${first.slice(indent + 1)}`;
    result.push(yield* block([content, ...rest], level + 1));
  }
  return result;
}

/** A key and what follows it on its line. */
const KEY = /^\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#?:,[\]{}&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*))?$/;

function* map(lines: readonly string[], indent: number, level: number): Generator<YamlStep, object> {
  const result = {};
  const add = (key: string, value: unknown): void => {
    if (Object.hasOwn(result, key)) throw new NotInStepsError(`the key ${key} stands there twice`);
    Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
  };
  // Items at the indentation of their key belong to it.
  const begins = (line: string): boolean => !isItem(line, indent);
  for (const part of inParts(entriesOf(lines, indent, begins))) {
    const [entry = []] = part;
    const [first = '', ...rest] = entry;
    const [key, after] = keyOf(first) ?? ['', ''];
    const isBlock = key !== '' && /^(?:#.*)?$/.test(after);
    if (part.length > 1 || sizeOf(entry) <= YAML_STEP_CHARACTERS || !isBlock) {
      const fields = yield* whole(part.flat());
      if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
        throw new NotInStepsError('a part of a map is none');
      for (const [name, value] of Object.entries(fields)) add(name, value);
      continue;
    }
    const [name = ''] = Object.keys(parseYamlText(`${key}: 0`) as object);
    add(name, yield* block(rest, level + 1));
  }
  return result;
}

/** Entries that are parsed together; a long one is alone. */
function* inParts(entries: readonly string[][]): Generator<readonly string[][]> {
  let part: string[][] = [];
  let size = 0;
  for (const entry of entries) {
    const length = sizeOf(entry);
    if (part.length > 0 && size + length > YAML_STEP_CHARACTERS) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(entry);
    size += length;
  }
  if (part.length > 0) yield part;
}
