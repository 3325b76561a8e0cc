import { expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, evidence, pod } from '../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../evidence/pod-evidence.ts';
import { exhaustedService, withHolders } from './connection-holders.ts';

const DB: ServiceEvidence = {
  namespace: 'shop',
  name: 'db',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [5432],
  ready: 1,
  notReady: 0,
  selector: { app: 'db' },
};
const pool = (name: string, url: string, size: string, status: object = {}): ReturnType<typeof pod> =>
  pod({
    name,
    container: {
      env: [
        { name: 'DSN', value: url },
        { name: 'DB_POOL_SIZE', value: size },
      ],
    },
    status,
  });
const says = (why: string): PodEvidence =>
  evidence({
    pod: pool('shop-1', 'postgres://db:5432/shop', '4', { state: { running: { startedAt: ago(300) } } }),
    logs: {
      web: {
        current: Array.from(
          { length: 6 },
          () => `ERROR connection to server at "db" (10.96.0.9), port 5432 failed: ${why}`,
        ),
      },
    },
    services: [DB],
  });
const FULL = says('FATAL: sorry, too many clients already');
const told = (given: PodEvidence, ...others: readonly ReturnType<typeof pod>[]): string | undefined =>
  withHolders(diagnosePod(given), given, [given.pod, ...others]).findings[0]?.says;

it('names those who use the same server with a pool, the largest first', () => {
  expect(
    told(FULL, pool('mail-1', 'postgres://db:5432/mail', '2'), pool('report-1', 'host=db dbname=shop', '20')),
  ).toMatch(
    /too many clients already.*; pod report-1 may hold 20 of them \(its variable DB_POOL_SIZE\), and pod mail-1 may hold 2 of them/,
  );
});

it.each<[string, PodEvidence, ReturnType<typeof pod>]>([
  ['of another server', FULL, pool('report-1', 'host=other-db', '20')],
  ['of another finding', says('FATAL: database "shop" does not exist'), pool('report-1', 'host=db', '20')],
  ['of the server itself', FULL, pool('db-0', 'host=db', '20')],
  ['without a number', FULL, pool('report-1', 'host=db', 'auto')],
  [
    'of a service that only a log speaks of',
    says('FATAL: sorry, too many clients already behind service other has 1'),
    pool('report-1', 'host=other', '20'),
  ],
])('names nobody %s', (_what, given, other) => {
  expect(told(given, other)).toBe(diagnosePod(given).findings[0]?.says);
});

it('knows of which service', () => {
  expect(exhaustedService(FULL)).toBe('db');
  expect(exhaustedService(says('FATAL: database "shop" does not exist'))).toBeUndefined();
});

it('tells who has them by the log of the server', () => {
  const left = '2026-01-31 10:00:00 UTC [9] LOG:  disconnection: session time: 0:00:09.276 user=api database=crm';
  const came = [1, 2, 3, 4].map(
    (process) =>
      `2026-01-31 10:00:00 UTC [${process}] LOG:  connection authorized: user=reporter database=crm application_name=tenant-report`,
  );
  const given = says('FATAL: sorry, too many clients already');
  const evidenceWithLog = {
    ...given,
    services: [{ ...DB, server: { pod: pod({ name: 'db-0' }), lines: [left, ...came] } }],
  };
  expect(withHolders(diagnosePod(evidenceWithLog), evidenceWithLog, []).findings[0]?.says).toMatch(
    /; user reporter, application tenant-report, has 4 of them open, as its log tells$/,
  );
});
