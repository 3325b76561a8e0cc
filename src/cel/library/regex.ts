/** Patterns, in linear time by re2js: `matches`, `find`, `findAll`. Pure. */
import { RE2JS } from 're2js';
import { ArrayList, EMPTY_LIST } from '../values/containers.ts';
import { CelError, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const compiled = new Map<string, RE2JS>();
/** Patterns that are kept ready. */
const MAX_COMPILED = 256;
/** Code points of a pattern: a longer one takes long to compile. */
const MAX_PATTERN = 4096;
/** Steps of a compiled pattern; a match may take as many for each character of a text. */
const MAX_STEPS = 10_000;

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
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? regex : regex.matcher(text).find();
}

function find(text: string, pattern: string): Value | CelError {
  const regex = compilePattern(pattern);
  if (regex instanceof CelError) return noPattern(regex);
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: string, pattern: string, limit = -1n): Value | CelError {
  const regex = compilePattern(pattern);
  if (regex instanceof CelError) return noPattern(regex);
  if (limit === 0n) return EMPTY_LIST;
  const found: Value[] = [];
  const matcher = regex.matcher(text);
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? '');
  return new ArrayList(found);
}

function noPattern(error: CelError): CelError {
  return new CelError(`Illegal regex: ${error.message}`);
}

export const REGEX: readonly Overload[] = [
  overload('matches', 'matches(string, string): bool', matches),
  overload('matches_string', '<string>.matches(string): bool', matches),
  overload('string_find_string', '<string>.find(string): string', find),
  overload('string_find_all_string', '<string>.findAll(string): list(string)', findAll),
  overload('string_find_all_string_int', '<string>.findAll(string, int): list(string)', findAll),
];
