/** Tests that a line is known again by what was told of it. */
import { expect, it } from 'vitest';
import { readLog } from './read-log.ts';
import { saysAgain } from './bare-words.ts';

const told = (line: string): string => readLog([line], { livedMs: 0 }).decisive?.line ?? '';

it.each<[string, string, string, boolean]>([
  [
    'a plain line at another time',
    '2026-01-31 12:00:00 ERROR cannot reach db:5432',
    '2026-01-31 12:00:05 ERROR cannot reach db:5432',
    true,
  ],
  [
    'a structured line, whose message and cause stand in two fields',
    '{"t":1,"lvl":"E","m":"check failed","up":"geo","x":"host geo: certificate has expired"}',
    '{"t":2,"lvl":"E","m":"check failed","up":"geo","x":"host geo: certificate has expired"}',
    true,
  ],
  [
    'with a name from a field',
    '{"level":"error","req":"8fa","msg":"store away","err":"refused","peer":"a:1"}',
    '{"level":"error","req":"9be","msg":"store away","err":"refused","peer":"a:1"}',
    true,
  ],
  [
    'another cause of the same message',
    '{"level":"error","msg":"check failed","err":"refused"}',
    '{"level":"error","msg":"check failed","err":"no such host"}',
    false,
  ],
  ['another line', 'ERROR cannot reach db:5432', 'INFO reached db:5432', false],
  ['a short word in the other', 'ERROR no x', '{"level":"error","msg":"no"}', false],
])('%s', (_what, line, other, isSame) => {
  expect(saysAgain(other, told(line))).toBe(isSame);
});
