/** Which Job may have been meant to make what is not there. */
import { describe, expect, it } from 'vitest';
import { wantedJob } from '../../cause-of-pod.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { configMap, evidence, pod } from '../../evidence.fixtures.ts';
import { endedWith } from '../../rules/cases/cases.fixtures.ts';
import type { CronJob, Deployment, Job } from '../../../api/index.ts';
import { databaseNamed } from './peer-name.ts';
import { renewerOf, asleepWriter, jobWanted, meantJob } from './failed-jobs.ts';

const job = (name: string, status: NonNullable<Job['status']>): Job => ({ metadata: { name }, status });
const given = (name: string): Job => job(name, { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] });
const trying = (name: string): Job => job(name, { failed: 2 });
const well = (name: string): Job =>
  job(name, { failed: 1, succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] });

const suspended = (name: string): Job => ({ metadata: { name }, spec: { suspend: true, template: {} } });

it.each<[string, readonly Job[], string | undefined]>([
  ['none', [], undefined],
  ['the only one that has given up', [given('report'), well('migrate')], 'report'],
  ['one that fails so far', [trying('load')], 'load'],
  ['the one whose name says so', [given('report'), given('db-migrate-4')], 'db-migrate-4'],
  ['two whose names say so', [given('seed'), trying('migrate')], undefined],
  ['two whose names say nothing', [given('report'), given('mail')], undefined],
  ['one that is done, so that its data may be lost', [well('migrate'), well('report')], 'migrate'],
  ['one that is suspended, whose name says so', [suspended('migrate'), well('report')], 'migrate'],
  ['one that is suspended, and prepares nothing', [suspended('report')], undefined],
  ['one that is done, and prepares nothing', [well('report')], undefined],
])('%s', (_, jobs, name) => {
  expect(meantJob(jobs)?.job.metadata?.name).toBe(name);
});

const active = (name: string, ready: number): Job => job(name, { active: 1, ready });

it.each<[string, string, readonly Job[], string | undefined]>([
  ['a stem', 'wait-db waiting for migrations', [given('migrate'), given('report')], 'migrate failed'],
  ['another stem', 'wait the schema is not there yet', [given('shop-schema-v3')], 'shop-schema-v3 failed'],
  ['its name', 'wait kubectl wait --for=condition=complete job/load', [given('load'), given('seed')], 'load failed'],
  [
    'a query',
    'wait until psql -c "select 1 from users"; do sleep 1; done',
    [given('create-users')],
    'create-users failed',
  ],
  ['one that tries again', 'waiting for seed data', [job('seed', { failed: 1, active: 1 })], 'seed trying'],
  ['one that is suspended', 'waiting for seed data', [suspended('seed')], 'seed suspended'],
  ['one that does not start', 'waiting for seed data', [active('seed', 0)], 'seed unfinished'],
  ['one that works', 'waiting for seed data', [active('seed', 1)], undefined],
  ['one that has no part in it', 'wait until nc -z pg.example 5432; do sleep 1; done', [given('migrate')], undefined],
  ['one that nothing names', 'waiting for the broker', [given('report')], undefined],
  ['one that is done', 'waiting for migrations', [well('migrate')], undefined],
])('for what waits: %s', (_, waits, jobs, said) => {
  const meant = meantJob(jobs, { waits });
  expect(meant && `${meant.job.metadata?.name} ${meant.state}`).toBe(said);
});

describe('who may renew data that is too old', () => {
  const cron = (name: string, suspend: boolean): CronJob => ({
    metadata: { name },
    spec: { suspend, schedule: '@daily', jobTemplate: {} },
  });

  it.each<[string, string, readonly CronJob[], string | undefined]>([
    [
      'the one that it names',
      'rates are 9 days old, written by rates',
      [cron('rates', true), cron('mail', true)],
      'rates',
    ],
    ['the only one', 'price list is stale', [cron('prices', true), cron('mail', false)], 'prices'],
    ['one that is called alike', 'price list is stale', [cron('prices', true), cron('mail', true)], 'prices'],
    ['none of several', 'price list is stale', [cron('reports', true), cron('mail', true)], undefined],
    [
      'one whose job does not end',
      'price list is stale',
      [
        {
          ...cron('prices', false),
          status: { active: [{ name: 'prices-1' }], lastScheduleTime: '2026-01-31T03:00:00Z' },
        },
      ],
      'prices',
    ],
    ['none that runs', 'price list is stale', [cron('prices', false)], undefined],
  ])('is %s', (_, stale, crons, name) => {
    expect(renewerOf(stale, { cronJobs: crons })?.name).toBe(name);
  });

  const writing = (name: string, text: string): { readonly spec: { readonly containers: readonly object[] } } => ({
    spec: { containers: [{ name, command: ['sh', '-c', text] }] },
  });
  const stopped = (name: string, text: string): Deployment =>
    ({ metadata: { name }, spec: { replicas: 0, template: writing(name, text) } }) as unknown as Deployment;
  const cronWith = (name: string, text: string): CronJob =>
    ({
      metadata: { name },
      spec: { suspend: true, schedule: '@daily', jobTemplate: { spec: { template: writing(name, text) } } },
    }) as unknown as CronJob;

  it.each<[string, string, readonly CronJob[], readonly Deployment[], string | undefined]>([
    [
      'a CronJob that writes the key which is gone',
      'prices:current not found in redis',
      [cronWith('refresh', 'redis-cli set prices:current 1'), cronWith('mail', 'send')],
      [],
      'cronjob/refresh suspended',
    ],
    [
      'a deployment without replicas that writes it',
      'rates/eur.json not found in the store',
      [cronWith('mail', 'send')],
      [stopped('feeder', 'put rates/eur.json'), stopped('old-web', 'serve')],
      'deployment/feeder stopped',
    ],
    [
      'one of its name',
      'price list is stale, written by feeder',
      [],
      [stopped('feeder', 'x')],
      'deployment/feeder stopped',
    ],
    ['none that has nothing to do with it', 'session:9 not found in redis', [cronWith('mail', 'send')], [], undefined],
    [
      'none that only uses the same server',
      'session:a not found in redis (redis:6379) at app.py',
      [cronWith('mail', 'python3 app.py --redis redis:6379'), cronWith('sweep', 'true')],
      [],
      undefined,
    ],
    ['none of another deployment', 'price list is stale', [], [stopped('old-web', 'serve')], undefined],
  ])('is %s', (_, stale, cronJobs, deployments, told) => {
    const found = renewerOf(stale, { cronJobs, deployments });
    expect(found && `${found.kind ?? 'job'}/${found.name} ${found.state}`).toBe(told);
  });

  it('is told with its remedy where an entry is gone', () => {
    const given = {
      pod: pod({ status: { state: { running: { startedAt: '2026-01-31T11:50:00Z' } } } }),
      logs: { web: { current: Array.from({ length: 6 }, () => 'ERROR front: prices:current not found in redis') } },
    };
    expect(wantedJob(evidence(given))).toMatchObject({ stale: expect.stringContaining('prices:current') as unknown });
    const failedJob = { kind: 'deployment' as const, name: 'feeder', state: 'stopped' as const };
    const [first] = diagnosePod(evidence({ ...given, failedJob })).findings;
    expect(first?.says).toMatch(/; deployment\/feeder, which may be meant to renew it, is scaled to 0$/);
    expect(first?.try[0]).toContain('scale deployment/feeder --replicas=1');
  });

  it('is told once with what says so', () => {
    const line = 'ERROR [quotes] StaleRates: exchange rates are 139 h old (limit 24 h)';
    const given = {
      pod: pod({ status: { state: { running: { startedAt: '2026-01-31T11:50:00Z' } } } }),
      logs: { web: { current: Array.from({ length: 6 }, () => line) } },
    };
    expect(wantedJob(evidence(given))).toMatchObject({ stale: expect.stringContaining('139 h old') as unknown });
    const failedJob = { kind: 'cronjob' as const, name: 'rates', state: 'suspended' as const };
    const [first] = diagnosePod(evidence({ ...given, failedJob })).findings;
    expect(first?.says).toMatch(/139 h old .*; cronjob\/rates, which may be meant to renew it, is suspended$/);
    expect(first?.try[0]).toContain('patch cronjob/rates');
  });
});

describe('who may write a file that is missing in a claim', () => {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'shared' } }];
  const cron = (name: string, suspend: boolean, own: object = { volumes }): CronJob => {
    const made: unknown = {
      metadata: { name },
      spec: {
        schedule: '* * * * *',
        suspend,
        jobTemplate: { spec: { template: { spec: { containers: [], ...own } } } },
      },
    };
    return made as CronJob;
  };
  const reader = pod({
    name: 'report-1',
    metadata: {
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'report-1', uid: 'u', controller: true }],
    },
  });

  it.each<[string, readonly CronJob[], string | undefined]>([
    ['a CronJob that is suspended', [cron('export', true), cron('report', false)], 'export'],
    ['one that runs', [cron('export', false)], undefined],
    ['one with another volume', [cron('export', true, {})], undefined],
    ['its own', [cron('report', true)], undefined],
    ['two', [cron('export', true), cron('import', true)], undefined],
  ])('%s', (_, cronJobs, name) => {
    expect(asleepWriter('shared', reader, { jobs: [], cronJobs })?.name).toBe(name);
  });

  it('is asked for where a file is missing there', () => {
    const given = endedWith(
      {
        container: { volumeMounts: [{ name: 'v', mountPath: '/shared' }] },
        spec: { volumes },
      },
      ["FileNotFoundError: [Errno 2] No such file or directory: '/shared/daily.csv'"],
    );
    expect(wantedJob(evidence(given))).toEqual({ claim: 'shared' });
    const told = diagnosePod(evidence({ ...given, failedJob: { kind: 'cronjob', name: 'export', state: 'suspended' } }))
      .findings[0];
    expect(told?.says).toMatch(
      /\/shared\/daily\.csv in volume v \(claim shared\).*; cronjob\/export, which may be meant to make it, is suspended$/,
    );
    expect(told?.try[0]).toContain('patch cronjob/export');
    expect(jobWanted(evidence(), [])).toBeUndefined();
  });
});

describe('a Job that made the data in another database', () => {
  const lacks = (database: string) => ({
    ...endedWith({ container: { env: [{ name: 'DB_NAME', value: 'billing' }] } }, [
      'psycopg2.errors.UndefinedTable: relation "invoice_lines" does not exist',
    ]),
    failedJob: { name: 'migrate', state: 'done' as const, doneAt: '2026-01-31T11:00:00Z', database },
  });

  it('is named with it', () => {
    const [first] = diagnosePod(evidence(lacks('billing_staging'))).findings;
    expect(first?.says).toMatch(
      /; job\/migrate, which may have made it, is done, but in database billing_staging, and not in billing$/,
    );
    expect(diagnosePod(evidence(lacks('billing'))).findings[0]?.says).not.toContain('job/migrate');
  });

  it.each([
    ['an INI file', '[database]\nhost = db\nport = 5432\nname = billing_staging\n'],
    ['code that reads it', 'psycopg2.connect(dbname=cfg["name"])\ndb = connect("dbname=billing_staging")'],
    ['YAML', 'database:\n  host: db\n  name: "billing_staging"\n'],
    ['a URL', 'url = postgresql://u@db:5432/billing_staging?sslmode=disable'],
  ])('names it in %s', (_, text) => {
    const migrating = evidence({
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/conf' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'conf' } }] },
      }),
      configs: [configMap('conf', { 'migrate.conf': text })],
    });
    expect(databaseNamed(migrating)).toBe('billing_staging');
  });
});
