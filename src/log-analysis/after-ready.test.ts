/** Tests which errors of a program that worked already count as its end: what it says of it, what follows, and the times of its life. */
import { describe, expect, it } from 'vitest';
import type { Life } from './after-ready.ts';
import { readLog } from './read-log.ts';

const READY = 'INFO listening on :80';
const REFUSED = 'ERROR store at db:5432 refused the connection';
const TRACE = ['Error: no plan 7', '    at price (/app/server.js:3:33)', '    at next (/app/server.js:9:1)'];

interface Row {
  readonly what: string;
  readonly lines: readonly string[];
  readonly life?: Life;
  /** The decisive line; absent: none. */
  readonly decides?: string;
  /** The last error that is told instead. */
  readonly last?: string;
}

const refused = REFUSED.slice(6);

describe('an error of a program that worked already', () => {
  const rows: readonly Row[] = [
    { what: 'is not its end where nothing says so', lines: [READY, REFUSED], last: refused },
    { what: 'decides when it never worked', lines: ['INFO loading', REFUSED], decides: refused },
    { what: 'decides when an end follows', lines: [READY, REFUSED, 'INFO shutting down'], decides: refused },
    {
      what: 'decides when it says so',
      lines: [READY, 'ERROR store is away, giving up'],
      decides: 'store is away, giving up',
    },
    { what: 'decides when it is fatal', lines: [READY, 'FATAL store is away'], decides: 'store is away' },
    {
      what: 'does not decide when it is a fatal one of a helper, after which work goes on',
      lines: [READY, 'FATAL: pinger: no socket', 'checked 3 objects'],
      last: 'FATAL: pinger: no socket',
    },
    {
      what: 'decides when no logger wrote it and it is the last word',
      lines: [READY, '2026/01/31 12:00:00 dial tcp 10.0.0.1:6379: connection refused'],
      decides: 'dial tcp 10.0.0.1:6379: connection refused',
    },
    {
      what: 'does not decide when it is repeated all the time',
      lines: [READY, ...Array.from({ length: 4 }, (_, n) => `network unreachable resolving a: 10.0.0.${n}#53`)],
      last: 'network unreachable resolving a: 10.0.0.3#53',
    },
    { what: 'does not decide when somebody caught it', lines: [READY, ...TRACE], last: 'Error: no plan 7' },
    {
      what: 'decides when nobody caught it',
      lines: [READY, ...TRACE, '', 'Node.js v24.0.0'],
      decides: 'Error: no plan 7',
    },
    {
      what: 'decides within the moment in which it got ready',
      lines: ['12:00:00.100 INFO listening on :80', '12:00:00.900 ERROR no tenant "a"'],
      decides: 'no tenant "a"',
    },
    {
      what: 'does not decide later',
      lines: ['12:00:00.100 INFO listening on :80', '12:00:04.900 ERROR no tenant "a"'],
      last: 'no tenant "a"',
    },
    {
      what: 'does not decide when it is about a session',
      lines: [
        'a[1]: standalone mode STARTUP',
        'a[2]: session opened',
        'a[2]: USER b: Incorrect password',
        'a[2]: session closed',
      ],
      last: 'a[2]: USER b: Incorrect password',
    },
    { what: 'decides after a short life', lines: [READY, REFUSED], life: { livedMs: 4000 }, decides: refused },
    { what: 'does not after a long one', lines: [READY, REFUSED], life: { livedMs: 40_000 }, last: refused },
    {
      what: 'decides when it was written right before the end',
      lines: [READY, REFUSED],
      life: { livedMs: 3_600_000, agesMs: [3_599_000, 300] },
      decides: refused,
    },
    {
      what: 'does not when that is long ago',
      lines: [READY, REFUSED],
      life: { livedMs: 3_600_000, agesMs: [3_599_000, 30_000] },
      last: refused,
    },
    {
      what: 'does not decide as a last word that was long ago',
      lines: [READY, 'cannot reach db:5432'],
      life: { livedMs: 3_600_000, agesMs: [3_599_000, 600_000] },
      last: 'cannot reach db:5432',
    },
  ];
  it.each(rows)('$what', ({ lines, life, decides, last }) => {
    const { decisive, lastError } = readLog(lines, life);
    expect({ decides: decisive?.line, last: lastError?.line }).toEqual({ decides, last });
  });

  it('is no cause that a rule may find in the other lines', () => {
    expect(readLog([READY, REFUSED, ...TRACE]).live).toEqual([]);
  });
});
