import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  CRON_JOBS,
  type CronJob,
  type CronJobSpec,
  EVENTS,
  isControlledBy,
  isDeleting,
  type Job,
  JOBS,
  nameOf,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { cronJobController } from './cron-job-controller.ts';

let cluster: WorkloadCluster;
beforeEach(async () => {
  cluster = await startWorkloads(({ informers, client, clock, events }) => [
    cronJobController({ informers, client, clock, events: events('cronjob-controller') }),
  ]);
});
afterEach(() => cluster.stop());

const JOB_TEMPLATE = {
  metadata: { labels: { app: 'report' } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } } },
};
const MINUTE = 60_000;

async function create(spec: Partial<CronJobSpec> = {}): Promise<CronJob> {
  const created = await cluster.client.create(CRON_JOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { namespace: 'team', name: 'report' },
    spec: { schedule: '* * * * *', jobTemplate: JOB_TEMPLATE, ...spec },
  });
  await cluster.rest();
  return created;
}

async function pass(ms: number): Promise<void> {
  await cluster.clock.advance(ms);
  await cluster.rest();
}

const get = (): Promise<CronJob> => cluster.client.get(CRON_JOBS, 'team', 'report');

async function jobs(): Promise<readonly Job[]> {
  const { items } = await cluster.client.list(JOBS, { namespace: 'team' });
  return items.filter((job) => !isDeleting(job));
}

async function finish(job: Job, type: 'Complete' | 'Failed' = 'Complete'): Promise<void> {
  const now = formatTime(cluster.clock.now().wall);
  const announced = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [announced, type].map((each) => ({ type: each, status: 'True', lastTransitionTime: now }));
  const status = { startTime: now, conditions, ...(type === 'Complete' ? { completionTime: now } : {}) };
  await cluster.client.patch(JOBS, 'team', nameOf(job), 'merge', { status }, 'status');
  await cluster.rest();
}

async function reasons(): Promise<readonly string[]> {
  await cluster.rest();
  return (await cluster.client.list(EVENTS, { namespace: 'team' })).items.map(({ reason }) => reason ?? '');
}

const minutes = (): number => Math.floor(cluster.clock.now().wall / MINUTE);

describe('schedule', () => {
  it('makes a job a minute, named by the minute, and writes it down', async () => {
    const cronJob = await create();
    expect(await jobs()).toEqual([]);
    await pass(MINUTE + 500);
    const [job] = (await jobs()) as [Job];
    expect(nameOf(job)).toBe(`report-${minutes()}`);
    expect(isControlledBy(job, cronJob)).toBe(true);
    expect(job.metadata?.labels).toMatchObject({ app: 'report' });
    expect(job.metadata?.annotations).toEqual({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:01:00Z',
    });
    expect((await get()).status).toMatchObject({
      active: [{ kind: 'Job', name: nameOf(job), apiVersion: 'batch/v1', namespace: 'team' }],
      lastScheduleTime: '2026-01-01T00:01:00Z',
    });
    await finish(job);
    expect((await get()).status).toEqual({
      lastScheduleTime: '2026-01-01T00:01:00Z',
      lastSuccessfulTime: '2026-01-01T00:01:00Z',
    });
    expect(await reasons()).toEqual(expect.arrayContaining(['SuccessfulCreate', 'SawCompletedJob']));
    await pass(MINUTE);
    expect(await jobs()).toHaveLength(2);
  });

  it('a time zone', async () => {
    await create({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' });
    await pass(MINUTE);
    expect(await jobs()).toEqual([]);
    await pass(24 * 60 * MINUTE);
    expect((await jobs())[0]?.metadata?.annotations).toEqual({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-02T05:30:00+05:30',
    });
  });

  it('nothing while it is suspended; then the last time that was missed', async () => {
    await create({ suspend: true });
    await pass(10 * MINUTE);
    expect(await jobs()).toEqual([]);
    await cluster.client.patch(CRON_JOBS, 'team', 'report', 'merge', { spec: { suspend: false } });
    await cluster.rest();
    expect((await jobs()).map(nameOf)).toEqual([`report-${minutes()}`]);
  });

  it('a new schedule has no past', async () => {
    await create({ schedule: '0 12 * * *' });
    await pass(10 * MINUTE);
    await cluster.client.patch(CRON_JOBS, 'team', 'report', 'merge', { spec: { schedule: '5 * * * *' } });
    await pass(MINUTE);
    expect(await jobs()).toEqual([]);
    await pass(56 * MINUTE);
    expect(await jobs()).toHaveLength(1);
  });

  it('what was missed by more than its deadline is told, not started', async () => {
    await create({ suspend: true, schedule: '0 * * * *', startingDeadlineSeconds: 60 });
    await pass(90 * MINUTE);
    await cluster.client.patch(CRON_JOBS, 'team', 'report', 'merge', { spec: { suspend: false } });
    await pass(3 * MINUTE);
    expect(await jobs()).toEqual([]);
    expect((await reasons()).filter((reason) => reason === 'MissSchedule')).toHaveLength(1);
    await pass(30 * MINUTE);
    expect(await jobs()).toHaveLength(1);
  });

  it('more than a hundred missed are told, and the last one is made up for', async () => {
    await create({ suspend: true });
    await pass(3 * 60 * MINUTE);
    await cluster.client.patch(CRON_JOBS, 'team', 'report', 'merge', { spec: { suspend: false } });
    await cluster.rest();
    expect(await jobs()).toHaveLength(1);
    expect(await reasons()).toContain('TooManyMissedTimes');
  });
});

describe('clock', () => {
  it('put forward: the times between are missed but for the last, within a minute', async () => {
    await create({ schedule: '0 * * * *' });
    cluster.clock.stepWall(150 * MINUTE);
    await pass(MINUTE + 500);
    expect((await jobs()).map(nameOf)).toEqual([`report-${Date.UTC(2026, 0, 1, 2) / MINUTE}`]);
  });

  it('put back: nothing twice, and it is told', async () => {
    await create({ schedule: '0 * * * *' });
    await pass(61 * MINUTE);
    expect(await jobs()).toHaveLength(1);
    cluster.clock.stepWall(-30 * MINUTE);
    await pass(30 * MINUTE);
    expect(await jobs()).toHaveLength(1);
    expect(await reasons()).toContain('ClockSetBack');
    await pass(61 * MINUTE);
    expect(await jobs()).toHaveLength(2);
  });

  it('wrong by years, then set right: the schedule goes on', async () => {
    await create({ schedule: '0 * * * *' });
    cluster.clock.stepWall(3650 * 24 * 60 * MINUTE);
    await pass(2 * MINUTE);
    expect(await jobs()).toHaveLength(1);
    cluster.clock.stepWall(-3650 * 24 * 60 * MINUTE);
    await pass(61 * MINUTE);
    expect(await jobs()).toHaveLength(2);
  });
});

describe('concurrency', () => {
  it('Allow: beside each other', async () => {
    await create();
    await pass(3 * MINUTE);
    expect(await jobs()).toHaveLength(3);
    expect((await get()).status?.active).toHaveLength(3);
  });

  it('Forbid: only when the one before has ended', async () => {
    await create({ concurrencyPolicy: 'Forbid' });
    await pass(3 * MINUTE + 500);
    const [job] = (await jobs()) as [Job];
    expect(await jobs()).toHaveLength(1);
    expect(await reasons()).toContain('JobAlreadyActive');
    await finish(job);
    expect((await jobs()).map(nameOf)).toContain(`report-${minutes()}`);
  });

  it('Replace: instead of the one before', async () => {
    await create({ concurrencyPolicy: 'Replace' });
    await pass(2 * MINUTE + 500);
    expect((await jobs()).map(nameOf)).toEqual([`report-${minutes()}`]);
    expect((await get()).status?.active).toMatchObject([{ name: `report-${minutes()}` }]);
    expect(await reasons()).toContain('SuccessfulDelete');
  });
});

it('keeps as much history as it should', async () => {
  await create({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
  for (let turn = 0; turn < 6; turn += 1) {
    await pass(MINUTE);
    const running = (await jobs()).find(({ status }) => status?.conditions === undefined);
    await finish(running as Job, turn % 2 === 0 ? 'Complete' : 'Failed');
  }
  expect(await jobs()).toHaveLength(3);
});

it('a job of its own that it did not make is told', async () => {
  const cronJob = await create({ schedule: '0 0 1 1 *' });
  await cluster.client.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: 'team',
      name: 'by-hand',
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: cronJob.metadata?.uid ?? '', controller: true },
      ],
    },
    spec: JOB_TEMPLATE.spec,
  });
  expect(await reasons()).toEqual(['UnexpectedJob']);
});

it('a job made before a crash is found again', async () => {
  const cronJob = await create({ suspend: true });
  await pass(MINUTE + 500);
  const name = `report-${minutes()}`;
  await cluster.client.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: 'team',
      name,
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: cronJob.metadata?.uid ?? '', controller: true },
      ],
    },
    spec: JOB_TEMPLATE.spec,
  });
  await cluster.client.patch(CRON_JOBS, 'team', 'report', 'merge', { spec: { suspend: false } });
  await cluster.rest();
  expect((await get()).status).toMatchObject({ active: [{ name }], lastScheduleTime: '2026-01-01T00:01:00Z' });
  expect(await jobs()).toHaveLength(1);
});
