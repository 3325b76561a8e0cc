import { expect, it } from 'vitest';
import { exhaustedService, withHolders } from './connection-holders.ts';
import { pod } from './evidence.fixtures.ts';
import type { Diagnosis } from './finding.ts';

const given = (id: string): Diagnosis => ({
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'Diagnosis',
  subject: { kind: 'pod', name: 'shop-1' },
  state: 'Running',
  asWanted: true,
  findings: [
    {
      id,
      severity: 'warning',
      says: 'it gets none; statefulset/db behind service db has max_connections 12',
      evidence: [],
      try: [],
    },
  ],
  notLookedAt: [],
});
const uses = (name: string, url: string, size: string): ReturnType<typeof pod> =>
  pod({
    name,
    container: {
      env: [
        { name: 'DSN', value: url },
        { name: 'DB_POOL_SIZE', value: size },
      ],
    },
  });
const own = uses('shop-1', 'host=db port=5432', '4');

it('names those who use the same server with a pool, the largest first', () => {
  const others = [uses('mail-1', 'postgres://db:5432/mail', '2'), uses('report-1', 'host=db dbname=shop', '20')];
  expect(withHolders(given('connections-exhausted'), own, [own, ...others]).findings[0]?.says).toMatch(
    /max_connections 12; pod report-1 may hold 20 of them \(its variable DB_POOL_SIZE\), and pod mail-1 may hold 2 of them/,
  );
});

it.each<[string, Diagnosis, ReturnType<typeof pod>]>([
  ['of another server', given('connections-exhausted'), uses('report-1', 'host=other-db', '20')],
  ['of another finding', given('fails-again'), uses('report-1', 'host=db', '20')],
  ['of the server itself', given('connections-exhausted'), uses('db-0', 'host=db', '20')],
  ['without a number', given('connections-exhausted'), uses('report-1', 'host=db', 'auto')],
])('names nobody %s', (_what, diagnosis, other) => {
  expect(withHolders(diagnosis, own, [own, other])).toEqual(diagnosis);
});

it('knows of which service', () => {
  expect(exhaustedService(given('connections-exhausted'))).toBe('db');
  expect(exhaustedService(given('fails-again'))).toBeUndefined();
});
