/** Tests that no log, however hostile, takes long, breaks the finder, or brings control characters or secrets into its answer. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';
import { readLog } from './read-log.ts';

const ESC = String.fromCharCode(27);
const pieces = fc.constantFrom(
  'Error: ',
  'at a (b.js:1:2)',
  '    at x',
  'Caused by: ',
  '{"level":"error","msg":"',
  '{"a":',
  '[',
  ']',
  '"',
  '\\',
  '=',
  ':',
  '/',
  '@',
  ' ',
  '\t',
  'Traceback (most recent call last):',
  '  File "/a.py", line 3',
  'password=',
  '://',
  '2026-01-31 12:00:00 ',
  '[ERROR] ',
  'level=',
  '\u0000',
  `${ESC}[31m`,
  `${ESC}]0;`,
  'goroutine 1 [',
  '.go:1',
  'a.b.c.',
  '^^^^',
  '    ',
  'E0131 ',
  'FATAL: ',
  'DETAIL: ',
  'ready',
  '#0 ',
  '::',
  '-----BEGIN ',
  "'",
  '(',
  ')',
  '{',
  '}',
  '\uD800',
);
const line = fc.array(fc.oneof(pieces, fc.string({ maxLength: 12 })), { maxLength: 30 }).map((parts) => parts.join(''));

it('any lines: the same answer each time, bounded and visible', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const { decisive } = readLog(lines);
      expect(readLog(lines).decisive).toEqual(decisive);
      if (decisive === undefined) return;
      expect(decisive.line.length).toBeLessThanOrEqual(400);
      expect(decisive.line).not.toMatch(/\p{Cc}/u);
      expect(lines[decisive.index]).toBeDefined();
    }),
    { numRuns: 500 },
  );
});

const MEBIBYTE = 1024 * 1024;
it.each<[string, string]>([
  ['one character', 'a'],
  ['NUL', '\u0000'],
  ['escapes', `${ESC}[`],
  ['titles that never end', `${ESC}]`],
  ['braces', '{"a":'],
  ['fields', 'password='],
  ['words of keys', 'pass-word_'],
  ['quotes', 'password="\\'],
  ['URLs', 'a://'],
  ['peers behind a proxy', 'upstream backend refused '],
  ['places in a source', 'a.c:1: connection peer '],
  ['addresses with names', '10.1.2.3:80 (a) bind '],
  ['users', 'a:b@'],
  ['classes', 'a.b.Error'],
  ['colons', '::1:'],
  ['dots', '1.1.'],
  ['blanks', ' '],
  ['carets', '^'],
  ['dashes', '-----BEGIN '],
  ['paths', '/a'],
  ['times', '2026-01-31 12:00:00 '],
  ['base64', 'QUJD'],
  ['boxes', '─'],
  ['boxes and words', '│ a '],
  ['options', '--a-'],
  ['offers', 'offering a '],
  ['places of Ruby', '/a.rb:1:in `'],
])('a line of 1 MiB of %s', (_, piece) => {
  const text = piece.repeat(Math.ceil(MEBIBYTE / piece.length));
  const { decisive } = readLog([
    text,
    `Error: ${text}`,
    `{"level":"error","msg":"${text}"}`,
    `level=error msg=${text}`,
  ]);
  expect((decisive?.line ?? '').length).toBeLessThanOrEqual(400);
});

it.each([
  'a',
  'password=',
  'pass-word_',
  'token: ',
  'a://b:',
  '"api_key":"',
  'x@',
  '-----BEGIN A-----',
  '-',
  'a:b@',
  'eyJ',
  '\\"',
])('masks a long text of %s', (piece) => {
  const text = piece.repeat(Math.ceil(MEBIBYTE / piece.length));
  expect(maskSecrets(text).length).toBeLessThanOrEqual(2 * text.length);
});

it('a row of carets costs what its length is, not the square of it', () => {
  const took = (characters: number): number => {
    const lines = Array.from({ length: 400 }, () => `${'^'.repeat(characters)} x`);
    const runs = Array.from({ length: 8 }, () => {
      // Not the time on the clock, of which a busy machine gives a long run less than a short one.
      const begun = process.cpuUsage();
      readLog(lines);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    });
    return Math.min(...runs);
  };
  took(100);
  // Ten times the length: 10 when it is linear, 100 when each character is looked at for each other one.
  expect(took(990) / took(99)).toBeLessThan(40);
});
