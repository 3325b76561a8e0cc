/** Patterns, in linear time by re2js: `matches`, `find`, `findAll`. Pure. */
import { RE2JS } from 're2js';
import { ArrayList, EMPTY_LIST } from '../values/containers.ts';
import { CelError, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const compiled = new Map<string, RE2JS>();
/** Patterns that are kept ready. */
const MAX_COMPILED = 256;
/** Longer patterns are not kept. */
const MAX_KEPT_LENGTH = 4096;

/** A pattern ready for use, or what is wrong with it, in Go's words where re2js has them. */
export function compilePattern(pattern: string): RE2JS | CelError {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  try {
    const regex = RE2JS.compile(pattern);
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    if (pattern.length <= MAX_KEPT_LENGTH) compiled.set(pattern, regex);
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
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? '');
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
