/** Patterns, in linear time by re2js: `matches`, `find`, `findAll`. Pure. */
import { RE2JS } from 're2js';
import { ArrayList, EMPTY_LIST } from '../values/containers.ts';
import { CelError, type Value } from '../values/value.ts';
import { type Overload, overload, Work } from './overload.ts';

const compiled = new Map<string, RE2JS>();
/** Patterns that are kept ready. */
const MAX_COMPILED = 256;
/** Code points of a pattern: a longer one takes long to compile. */
const MAX_PATTERN = 4096;
/** Steps of a compiled pattern; a match may take as many for each character of a text. */
const MAX_STEPS = 10_000;

/**
 * Steps times characters of one search, which nothing can interrupt: re2js may take every step at every character, about 50 ms for so many.
 * A usual pattern of 25 steps may look through 160,000 characters.
 */
export const MAX_SEARCH = 4_000_000;

/**
 * The pattern ready for this text, or why it is not looked through.
 * @param lead the words before a problem of the pattern
 */
function patternFor(text: string, pattern: string, lead = ''): RE2JS | CelError {
  const regex = compilePattern(pattern);
  if (regex instanceof CelError) return new CelError(`${lead}${regex.message}`);
  if (regex.programSize() * text.length <= MAX_SEARCH) return regex;
  return new CelError(`a text of ${text.length} characters is too long for this pattern`);
}

/** A pattern ready for use, or what is wrong with it, in Go's words where re2js has them. */
export function compilePattern(pattern: string): RE2JS | CelError {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > MAX_PATTERN) return new CelError(`pattern is longer than ${MAX_PATTERN} characters`);
  try {
    const regex = RE2JS.compile(pattern);
    if (regex.programSize() > MAX_STEPS) return new CelError('pattern is too large: it repeats too much');
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(pattern, regex);
    return regex;
  } catch (error) {
    return new CelError(error instanceof Error ? error.message : String(error));
  }
}

function matches(text: string, pattern: string): Value | CelError {
  const regex = patternFor(text, pattern);
  return regex instanceof CelError ? regex : regex.matcher(text).find();
}

function find(text: string, pattern: string): Value | CelError {
  const regex = patternFor(text, pattern, 'Illegal regex: ');
  if (regex instanceof CelError) return regex;
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** Matches that are looked for at once. */
const MATCHES_OF_PIECE = 256;

function findAll(text: string, pattern: string, limit = -1n): Value | CelError | Work {
  const regex = patternFor(text, pattern, 'Illegal regex: ');
  if (regex instanceof CelError) return regex;
  if (limit === 0n) return EMPTY_LIST;
  return new Work(matchesOf(regex, text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)));
}

function* matchesOf(regex: RE2JS, text: string, most: number): Generator<void, Value> {
  const found: Value[] = [];
  const matcher = regex.matcher(text);
  while (found.length < most && matcher.find()) {
    found.push(matcher.group() ?? '');
    if (found.length % MATCHES_OF_PIECE === 0) yield;
  }
  return new ArrayList(found);
}

export const REGEX: readonly Overload[] = [
  overload('matches', 'matches(string, string): bool', matches),
  overload('matches_string', '<string>.matches(string): bool', matches),
  overload('string_find_string', '<string>.find(string): string', find),
  overload('string_find_all_string', '<string>.findAll(string): list(string)', findAll),
  overload('string_find_all_string_int', '<string>.findAll(string, int): list(string)', findAll),
];
