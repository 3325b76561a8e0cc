import { describe, expect, it } from 'vitest';
import { mostConnections } from './held-connections.ts';

const came = (process: number, user: string, application = ''): string =>
  `2026-01-31 10:00:00.276 UTC [${process}] ${user}@crm/[unknown] LOG:  connection authorized: user=${user} database=crm${application === '' ? '' : ` application_name=${application}`}`;
const left = (process: number): string =>
  `2026-01-31 10:00:09.276 UTC [${process}] api@crm/api LOG:  disconnection: session time: 0:00:09.276 user=api database=crm host=10.4.0.3 port=55582`;

describe('mostConnections', () => {
  it.each<[what: string, lines: readonly string[], most: object | undefined]>([
    [
      'by user and application',
      [1, 2, 3, 4]
        .map((process) => came(process, 'reporter', 'tenant-report'))
        .concat(came(9, 'api'), came(8, 'api'), left(8)),
      { who: 'user reporter, application tenant-report', count: 4 },
    ],
    [
      'without an application',
      [left(9), ...[1, 2, 3].map((process) => came(process, 'reporter'))],
      { who: 'user reporter', count: 3 },
    ],
    ['without those who left', [came(1, 'api'), left(1), came(2, 'api'), left(2), came(3, 'api')], undefined],
    ['of nobody who is told to have left', [1, 2, 3, 4].map((process) => came(process, 'reporter')), undefined],
    ['of few', [came(1, 'api')], undefined],
    ['of another log', ['INFO order 1 handled'], undefined],
  ])('%s', (_what, lines, most) => {
    expect(mostConnections(lines)).toEqual(most);
  });
});
