/** Which Job may have been meant to make what is not there. */
import { expect, it } from 'vitest';
import type { Job } from '../../api/index.ts';
import { failedJobMeant } from './failed-jobs.ts';

const job = (name: string, status: NonNullable<Job['status']>): Job => ({ metadata: { name }, status });
const given = (name: string): Job => job(name, { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] });
const trying = (name: string): Job => job(name, { failed: 2 });
const well = (name: string): Job =>
  job(name, { failed: 1, succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] });

it.each<[string, readonly Job[], string | undefined]>([
  ['none', [], undefined],
  ['the only one that has given up', [given('report'), well('migrate')], 'report'],
  ['one that fails so far', [trying('load')], 'load'],
  ['the one whose name says so', [given('report'), given('db-migrate-4')], 'db-migrate-4'],
  ['two whose names say so', [given('seed'), trying('migrate')], undefined],
  ['two whose names say nothing', [given('report'), given('mail')], undefined],
  ['one that succeeded after a failure', [well('migrate')], undefined],
])('%s', (_, jobs, name) => {
  expect(failedJobMeant(jobs)?.metadata?.name).toBe(name);
});
