/** Tests at what a program stands that does not come on. */
import { expect, it } from 'vitest';
import { standsAt } from './stands-at.ts';

const again = (line: string, times: number): readonly string[] => Array.from({ length: times }, () => line);

it.each<[string, readonly string[], string | undefined, RegExp]>([
  [
    'it waits, at level info',
    [
      '{"level":30,"msg":"database connected"}',
      ...again('{"level":30,"msg":"waiting for schema version 42, current is 41"}', 4),
      '{"level":30,"msg":"SIGTERM received, closing"}',
    ],
    'waits',
    /^waiting for schema version 42, current is 41$/,
  ],
  [
    'somebody else holds what it needs',
    ['INFO starting, acquiring lock jobs:boot', 'INFO lock jobs:boot is held by worker-7, waiting'],
    'waits',
    /held by worker-7/,
  ],
  [
    'a complaint about a request of its own, with its fields',
    [
      '{"lvl":"info","m":"archiver started"}',
      ...again('{"lvl":"warn","m":"segment not stored","status":507,"url":"http://nas:8080/a.ts"}', 4),
    ],
    'repeats',
    /^segment not stored \(.*http:\/\/nas:8080\/a\.ts\)$/,
  ],
  [
    'a structured complaint, and not the last line of its detail',
    again(
      String.raw`{"level":"error","event":"db.failed","detail":"no such database: shop\n\n(Background on this error at: https://sqlalche.me/e/14/e3q8)"}`,
      4,
    ),
    'repeats',
    /^db\.failed: no such database: shop$/,
  ],
  [
    'workers that end, with the complaint before the figures',
    ['* Listening on http://0.0.0.0:9292', ...again('Early termination of worker', 4)],
    'repeats',
    /^Early termination of worker$/,
  ],
  [
    'its last word before it fell silent',
    ['INFO portal starting', 'INFO binding to directory ldaps://ldap:636'],
    'silent',
    /ldaps:\/\/ldap:636/,
  ],
  [
    'a server at its work',
    ['INFO starting', 'INFO listening on :8080', 'INFO waiting for connections'],
    undefined,
    /^$/,
  ],
  ['ticks of a worker are told as what they are', again('INFO poll cycle 12 took 3 ms', 4), 'repeats', /^poll cycle/],
  ['nothing', [], undefined, /^$/],
])('%s', (_what, lines, how, said) => {
  const found = standsAt(lines);
  expect(found?.how).toBe(how);
  expect(found?.said.line ?? '').toMatch(said);
});

it('quotes no secrets', () => {
  expect(standsAt(['waiting for postgres://app:hunter22@db:5432/shop'])?.said.line).not.toContain('hunter22');
});
