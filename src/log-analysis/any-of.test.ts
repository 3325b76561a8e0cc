import { expect, test } from 'vitest';
import { anyOf, beginning, firstWords, fromWord, whole, words } from './any-of.ts';

test.each([
  ['anyOf', anyOf, 'xaby', true],
  ['words: not within a word', words, 'xab', false],
  ['words', words, 'x ab y', true],
  ['fromWord: not within a word', fromWord, 'xab', false],
  ['fromWord: the word may go on', fromWord, 'x aby', true],
  ['firstWords: not later', firstWords, 'x ab', false],
  ['firstWords: the word may not go on', firstWords, 'aby', false],
  ['beginning: the word may go on', beginning, 'aby', true],
  ['beginning: not later', beginning, 'x ab', false],
  ['whole: nothing else', whole, 'ab c', false],
  ['whole', whole, 'AB', true],
])('%s', (_, join, text, is) => {
  expect(join(/cd/i, /ab/i).test(text)).toBe(is);
});

test('the parts have the same flags', () => {
  expect(() => anyOf(/a/i, /b/)).toThrow('different flags');
});
