/** Patterns of schemas, in Go's syntax, matched in linear time: no text and no pattern can hold the loop. */
import { RE2JS } from 're2js';

/** Compiled patterns that are kept. */
const MAX_KEPT = 500;
/** Longest pattern: longer ones take long to compile. */
export const MAX_PATTERN_CHARACTERS = 4096;
/**
 * Most instructions that a pattern may compile to. A match may take as many steps for each character, and a request's texts have
 * millions.
 */
const MAX_INSTRUCTIONS = 10_000;

/**
 * Instructions times characters of one match, which nothing can interrupt: about 50 ms. A usual pattern of 25 instructions may look
 * through 160,000 characters.
 */
const MAX_WORK = 4_000_000;

interface Pattern {
  readonly instructions: number;
  readonly matches: (text: string) => boolean;
}

const kept = new Map<string, Pattern>();

/** The reason why a text is no pattern; undefined: it is one. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compiled(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether the pattern matches some part of the text. A pattern that is none matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  try {
    return compiled(pattern).matches(text);
  } catch {
    return false;
  }
}

/** Whether it could take too long to hold this text against the pattern. False for what is no pattern. */
export function isTooLongFor(pattern: string, text: string): boolean {
  try {
    return compiled(pattern).instructions * text.length > MAX_WORK;
  } catch {
    return false;
  }
}

function compiled(pattern: string): Pattern {
  const known = kept.get(pattern);
  if (known !== undefined) {
    // The last one used is the last in order.
    kept.delete(pattern);
    kept.set(pattern, known);
    return known;
  }
  if (pattern.length > MAX_PATTERN_CHARACTERS)
    throw new RangeError(`a pattern may not be longer than ${MAX_PATTERN_CHARACTERS} characters`);
  const expression = RE2JS.compile(pattern);
  if (expression.programSize() > MAX_INSTRUCTIONS)
    throw new RangeError('the pattern is too large: it repeats too much');
  const made = { instructions: expression.programSize(), matches: (text: string) => expression.test(text) };
  kept.set(pattern, made);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return made;
}
