import { describe, expect, it } from 'vitest';
import { compile, evaluate, isFailure } from '../program.ts';
import { STRING } from '../types/type.ts';
import { CelError } from '../values/value.ts';
import { MAX_SEARCH } from './regex.ts';

/** The answer of `source` for a text `t` of so many characters, of which each matches `[a-z]`. */
function answerFor(source: string, characters: number): unknown {
  const program = compile(source, { variables: { t: { type: STRING } } });
  if (isFailure(program)) throw new Error(program.text);
  const { value } = evaluate(program, (name) => (name === 't' ? 'ab'.repeat(characters / 2) : undefined));
  return value instanceof CelError ? value.message : value;
}

describe('a search in a long text', () => {
  const tooLong = (characters: number): string => `a text of ${characters} characters is too long for this pattern`;
  it.each([
    ["t.matches('^[a-z]+$')", 100_000, true],
    ["t.matches('^[a-z]+$')", MAX_SEARCH, tooLong(MAX_SEARCH)],
    ["t.matches('([ab]{1,30}a){1,30}$')", 2000, false],
    ["t.matches('([ab]{1,30}a){1,30}$')", 20_000, tooLong(20_000)],
    ["t.find('([ab]{1,30}a){1,30}$')", 20_000, tooLong(20_000)],
    ["t.findAll('([ab]{1,30}a){1,30}$').size() == 0", 20_000, tooLong(20_000)],
    ["t.find('(')", 10, 'Illegal regex: error parsing regexp: missing closing ): `(`'],
  ])('is refused when it could hold the loop: %s of %d', (source, characters, expected) => {
    expect(answerFor(source, characters)).toBe(expected);
  });
});
