/** Jobs and cron jobs through the API: what a client sees of them. */
import { expect, it } from 'vitest';
import { createInMemoryApi } from '../../test/support/in-memory-api.ts';
import { CRON_JOBS, type Job, JOBS, NAMESPACES, uidOf } from '../api/index.ts';
import { cronJobTable, jobTable } from './tables/jobs.ts';
import type { ApiObject } from './registry/object.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1);
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } };
const meta = (name: string): ApiObject => ({
  metadata: { name, namespace: 'team', creationTimestamp: '2026-01-01T00:00:00Z' },
});

it('a job gets its selector, and drops the status that it came with', async () => {
  const { client } = await createInMemoryApi();
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const given: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'team', name: 'work' },
    spec: { template },
    status: { succeeded: 3 },
  };
  const job = await client.create(JOBS, given);
  expect(job.status).toEqual({});
  expect(job.metadata?.generation).toBe(1);
  expect(job.spec?.selector?.matchLabels).toEqual({ 'batch.kubernetes.io/controller-uid': uidOf(job) });
  expect(job.metadata?.labels).toEqual(job.spec?.template.metadata?.labels);
  const found = await client.list(JOBS, { namespace: 'team', fieldSelector: 'status.successful=0' });
  expect(found.items).toHaveLength(1);
  const none = await client.list(JOBS, { namespace: 'team', fieldSelector: 'status.successful=1' });
  expect(none.items).toHaveLength(0);
  const taken = { ...given, metadata: { namespace: 'team', name: 'other' }, spec: { template, manualSelector: true } };
  await expect(client.create(JOBS, taken)).rejects.toThrow('spec.selector: Required value');
  await expect(client.patch(JOBS, 'team', 'work', 'merge', { spec: { completions: 4 } })).rejects.toThrow(
    'spec.completions: Invalid value: 4: field is immutable',
  );
  const changed = await client.patch(JOBS, 'team', 'work', 'merge', { spec: { parallelism: 4 } });
  expect(changed.metadata?.generation).toBe(2);
  const cronJob = await client.create(CRON_JOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { namespace: 'team', name: 'tick' },
    spec: { schedule: '@hourly', jobTemplate: { spec: { template } } },
  });
  expect(cronJob.spec).toMatchObject({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  expect(cronJob.spec?.jobTemplate.spec?.completions).toBeUndefined();
});

it.each<[string, object, readonly unknown[]]>([
  ['new', { spec: { completions: 1, template } }, ['work', 'Running', '0/1', '', '60s', 'c', 'busybox', '<none>']],
  [
    'running',
    { spec: { parallelism: 3, template }, status: { startTime: '2026-01-01T00:00:30Z' } },
    ['work', 'Running', '0/1 of 3', '30s', '60s', 'c', 'busybox', '<none>'],
  ],
  [
    'complete',
    {
      spec: { completions: 2, selector: { matchLabels: { a: 'b' } }, template },
      status: {
        startTime: '2026-01-01T00:00:30Z',
        completionTime: '2026-01-01T00:00:42Z',
        succeeded: 2,
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    ['work', 'Complete', '2/2', '12s', '60s', 'c', 'busybox', 'a=b'],
  ],
  [
    'suspended',
    { spec: { completions: 2, template }, status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
    ['work', 'Suspended', '0/2', '', '60s', 'c', 'busybox', '<none>'],
  ],
])('the line of a job that is %s', (_, job, expected) => {
  expect(jobTable.cells({ ...meta('work'), ...job }, NOW)).toEqual(expected);
});

it('the line of a cron job', () => {
  const spec = { schedule: '@daily', timeZone: 'Etc/UTC', suspend: true, jobTemplate: { spec: { template } } };
  const status = { active: [{}], lastScheduleTime: '2026-01-01T00:00:10Z' };
  const cells = cronJobTable.cells({ ...meta('tick'), spec, status }, NOW);
  expect(cells).toEqual(['tick', '@daily', 'Etc/UTC', 'True', 1, '50s', '60s', 'c', 'busybox', '<none>']);
});
