/** Functions of strings (upstream: standard library, and ext/strings). Positions count code points. Pure. */
import { ArrayList, EMPTY_LIST, itemsOf } from '../values/containers.ts';
import { CelError, type ListValue, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';
import { countCodePoints } from '../syntax/lexer.ts';
import { formatString } from './string-format.ts';

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

/** Whether positions in the text are those of its code points: no surrogate pairs. */
function isPlain(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

function charactersOf(text: string): string | readonly string[] {
  return isPlain(text) ? text : Array.from(text);
}

function charAt(text: string, index: bigint): Value | CelError {
  const characters = charactersOf(text);
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

/** The position in code points of a position in UTF-16. */
function positionOf(text: string, unit: number): bigint {
  return unit <= 0 ? BigInt(unit) : BigInt(countCodePoints(text.slice(0, unit)));
}

/** The position in UTF-16 of a position in code points; undefined beyond the end. */
function unitOf(text: string, position: number): number | undefined {
  if (isPlain(text)) return position > text.length ? undefined : position;
  const characters = Array.from(text);
  return position > characters.length ? undefined : characters.slice(0, position).join('').length;
}

function indexOf(text: string, part: string, from = 0n): Value | CelError {
  if (from < 0n) return part === '' ? from : outOfRange(from);
  const start = from > BigInt(text.length) ? undefined : unitOf(text, Number(from));
  if (start === undefined) return part === '' ? from : -1n;
  return positionOf(text, text.indexOf(part, start));
}

function lastIndexOf(text: string, part: string, from?: bigint): Value | CelError {
  if (from === undefined) return positionOf(text, text.lastIndexOf(part));
  if (from < 0n) return outOfRange(from);
  const start = from > BigInt(text.length) ? text.length : (unitOf(text, Number(from)) ?? text.length);
  return positionOf(text, text.lastIndexOf(part, start));
}

function substring(text: string, start: bigint, end?: bigint): Value | CelError {
  const characters = charactersOf(text);
  const length = BigInt(characters.length);
  const stop = end ?? length;
  if (start < 0n || start > length) return outOfRange(start);
  if (stop < 0n || stop > length) return outOfRange(stop);
  if (start > stop) return new CelError(`invalid substring range. start: ${start}, end: ${stop}`);
  const part = characters.slice(Number(start), Number(stop));
  return typeof part === 'string' ? part : part.join('');
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return EMPTY_LIST;
  if (limit === 1n) return new ArrayList([text]);
  const all = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0n || BigInt(all.length) <= limit) return new ArrayList(all);
  const kept = all.slice(0, Number(limit) - 1);
  return new ArrayList([...kept, all.slice(Number(limit) - 1).join(separator)]);
}

/** Characters of one result; only replacements within replacements within replacements make more. */
const MAX_RESULT = 64 * 1024 * 1024;

function replace(text: string, part: string, by: string, limit = -1n): Value | CelError {
  if (limit === 0n) return text;
  if (part === '') return surround(text, by, limit);
  const pieces = text.split(part);
  const count = limit < 0n || limit > BigInt(pieces.length - 1) ? pieces.length - 1 : Number(limit);
  if (text.length + count * by.length > MAX_RESULT) return new CelError('string is too long');
  const head = pieces.slice(0, count + 1).join(by);
  const tail = pieces.slice(count + 1);
  return tail.length === 0 ? head : `${head}${part}${tail.join(part)}`;
}

/** Go puts the replacement of nothing before each character, and at the end. */
function surround(text: string, by: string, limit: bigint): Value | CelError {
  const characters = Array.from(text);
  const count = limit < 0n || limit > BigInt(characters.length) ? characters.length + 1 : Number(limit);
  if (text.length + count * by.length > MAX_RESULT) return new CelError('string is too long');
  const parts = characters.map((character, index) => (index < count ? `${by}${character}` : character));
  return parts.join('') + (count > characters.length ? by : '');
}

function join(list: ListValue, separator = ''): Value | CelError {
  const items: string[] = [];
  for (const item of itemsOf(list)) {
    if (typeof item !== 'string') return new CelError('no such overload');
    items.push(item);
  }
  return items.join(separator);
}

/** What Unicode calls white space, as Go's TrimSpace takes it (a byte order mark is none). */
function trim(text: string): string {
  return text.replace(/^[\p{White_Space}]+/u, '').replace(/[\p{White_Space}]+$/u, '');
}

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '\\': '\\\\',
  '"': String.raw`\"`,
};

function quoteText(text: string): string {
  const escaped = text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- control characters are what is escaped
    .replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (character) => QUOTED[character] ?? character);
  return `"${escaped}"`;
}

const STANDARD_STRINGS: readonly Overload[] = [
  overload('contains_string', '<string>.contains(string): bool', (text: string, part: string) => text.includes(part)),
  overload('starts_with_string', '<string>.startsWith(string): bool', (text: string, part: string) =>
    text.startsWith(part),
  ),
  overload('ends_with_string', '<string>.endsWith(string): bool', (text: string, part: string) => text.endsWith(part)),
];

export const STRINGS: readonly Overload[] = [
  ...STANDARD_STRINGS,
  overload('string_char_at_int', '<string>.charAt(int): string', charAt),
  overload('string_format', '<string>.format(list(dyn)): string', formatString),
  overload('strings_quote', 'strings.quote(string): string', quoteText),
  overload('string_index_of_string', '<string>.indexOf(string): int', indexOf),
  overload('string_index_of_string_int', '<string>.indexOf(string, int): int', indexOf),
  overload('string_last_index_of_string', '<string>.lastIndexOf(string): int', lastIndexOf),
  overload('string_last_index_of_string_int', '<string>.lastIndexOf(string, int): int', lastIndexOf),
  overload('list_join', '<list(string)>.join(): string', join),
  overload('list_join_string', '<list(string)>.join(string): string', join),
  overload('string_lower_ascii', '<string>.lowerAscii(): string', (text: string) =>
    text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()),
  ),
  overload('string_upper_ascii', '<string>.upperAscii(): string', (text: string) =>
    text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase()),
  ),
  overload('string_replace_string_string', '<string>.replace(string, string): string', replace),
  overload('string_replace_string_string_int', '<string>.replace(string, string, int): string', replace),
  overload('string_split_string', '<string>.split(string): list(string)', split),
  overload('string_split_string_int', '<string>.split(string, int): list(string)', split),
  overload('string_substring_int', '<string>.substring(int): string', substring),
  overload('string_substring_int_int', '<string>.substring(int, int): string', substring),
  overload('string_trim', '<string>.trim(): string', trim),
  overload('string_reverse', '<string>.reverse(): string', (text: string) => Array.from(text).toReversed().join('')),
];
