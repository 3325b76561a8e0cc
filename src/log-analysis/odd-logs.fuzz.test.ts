/** Fuzz test: a log of any kind holds nobody up who looks for what its program keeps failing at. Its program may be a stranger's. */
import { expect, it } from 'vitest';
import { complainsOf, doneThough, keepsFailing, requestsFail, standingFault } from './index.ts';

const LONG = 400;
const SHORT = LONG / 8;
const WIDTH = 2000;
/** Eight times the lines: up to 8 when it is linear, up to 64 when each is compared with each. */
const MORE_THAN_LINEAR = 24;

const took = (piece: string, count: number): number => {
  // Different failures, some of which come again: each is compared with what came between.
  const lines = Array.from({ length: count }, (_, at) =>
    `${at % 2 === 0 ? 'ERROR lost' : 'INFO did'} ${'abcdefghijklmnopqrstuvwxyz'[at % 26] ?? ''}${at % 7} of it: ${piece.repeat(Math.ceil(WIDTH / piece.length))}`.slice(
      0,
      WIDTH,
    ),
  );
  const runs = Array.from({ length: 3 }, () => {
    const begun = process.cpuUsage();
    keepsFailing(lines);
    standingFault(lines);
    requestsFail(lines);
    doneThough(lines);
    complainsOf(lines, ['orders.created', 'web-1']);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  });
  return Math.min(...runs);
};

it.each([
  'a-',
  'a.',
  '/a',
  ' a',
  '"',
  "'",
  '[',
  '<',
  'a=',
  'GET /',
  'status=',
  'WARNING a',
  'a::',
  "thread '",
  '@',
  'at a',
  '{"a":',
])('lines of %j cost what their number is, not the square of it', (piece) => {
  took(piece, 20);
  expect(took(piece, LONG) / took(piece, SHORT)).toBeLessThan(MORE_THAN_LINEAR);
});
