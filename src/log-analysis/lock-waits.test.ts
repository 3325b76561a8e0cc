import { describe, expect, it } from 'vitest';
import { lockHolder } from './lock-waits.ts';

const line = (process: number, words: string, session = ''): string =>
  `2026-03-03 10:20:01.528 UTC [${process}] ${session}${words}`;
const waits = (process: number, mode: string, holder: string, queue: string, sql: string, session = ''): string[] => [
  line(
    process,
    `LOG:  process ${process} still waiting for ${mode} on relation 16387 of database 16385 after 1000.254 ms`,
    session,
  ),
  line(process, `DETAIL:  Process holding the lock: ${holder}. Wait queue: ${queue}.`, session),
  line(process, `STATEMENT:  ${sql}`, session),
];

describe('lockHolder', () => {
  it.each<[what: string, lines: readonly string[], expected: object | undefined]>([
    ['nobody waits', [line(12, 'LOG:  checkpoint starting: time')], undefined],
    [
      'only the number of the holder is known',
      waits(122, 'AccessShareLock', '60', '122', 'select 1'),
      { process: '60', waits: { process: '122', statement: 'select 1' } },
    ],
    [
      'a change of the table waits before the others, for a session that was named as it came',
      [
        line(
          60,
          'LOG:  connection authorized: user=shop database=shop application_name=report',
          'shop@shop app=[unknown] ',
        ),
        line(60, 'LOG:  statement: BEGIN', 'shop@shop '),
        ...waits(106, 'AccessExclusiveLock', '60', '106', 'ALTER TABLE orders ADD note text', 'shop@shop app=migrate '),
        ...waits(122, 'AccessShareLock', '60', '106, 122', 'select id from orders', 'shop@shop app=front '),
      ],
      {
        process: '60',
        session: 'user=shop database=shop application_name=report',
        statement: 'BEGIN',
        ahead: {
          process: '106',
          mode: 'AccessExclusiveLock',
          session: 'shop@shop app=migrate',
          statement: 'ALTER TABLE orders ADD note text',
        },
      },
    ],
    [
      'a holder that waits itself is passed',
      [
        ...waits(7, 'ShareLock', '5', '7', 'update a set x = 1'),
        ...waits(9, 'ShareLock', '7, 5', '9', 'update a set x = 2'),
      ],
      { process: '5', waits: { process: '9', statement: 'update a set x = 2' } },
    ],
    [
      'a password is masked',
      [
        line(60, "LOG:  statement: alter role shop password 'hunter2'"),
        ...waits(122, 'AccessShareLock', '60', '122', 'select 1'),
      ],
      {
        process: '60',
        statement: "alter role shop password '***'",
        waits: { process: '122', statement: 'select 1' },
      },
    ],
  ])('%s', (_what, lines, expected) => {
    expect(lockHolder(lines)).toEqual(expected);
  });
});
