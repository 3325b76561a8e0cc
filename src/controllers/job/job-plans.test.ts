/** Tables for the small decisions; whole lives are in jobs.test.ts. */
import { describe, expect, it } from 'vitest';
import { type Job, type JobSpec, type JobStatus, jobIndexesOf, type Pod, type PodStatus } from '../../api/index.ts';
import { remainingBackOffMs } from './back-off.ts';
import { type JobMemory, remember } from './job-memory.ts';
import { endOfPod } from './job-pods.ts';
import { planJob } from './plan-job.ts';
import { judgeFailure } from './pod-failure-policy.ts';
import { meetsSuccessPolicy } from './success-policy.ts';

const NOW = { wall: Date.UTC(2026, 0, 1, 1), mono: 5_000_000 };
const TIME = '2026-01-01T00:59:50Z';
const TRACKED = { finalizers: ['batch.kubernetes.io/job-tracking'] };

function pod(uid: string, status: PodStatus, metadata: object = TRACKED): Pod {
  return { metadata: { name: uid, namespace: 'team', uid, ...metadata }, status };
}

const exited = (exitCode: number, name = 'c'): PodStatus => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [
    {
      name,
      image: '',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, finishedAt: TIME } },
    },
  ],
});

const job = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job => ({
  metadata: { name: 'work', namespace: 'team', uid: 'u1' },
  spec: { template: {}, completions: 1, parallelism: 1, backoffLimit: 6, ...spec },
  status,
});

const MEMORY: JobMemory = { uid: 'u1', failures: new Map() };

describe('judgeFailure', () => {
  const codes = (operator: string, values: number[], containerName?: string) => ({
    operator,
    values,
    ...(containerName === undefined ? {} : { containerName }),
  });
  const disrupted = { phase: 'Failed', conditions: [{ type: 'DisruptionTarget', status: 'True' }] };
  it.each<[string, object, PodStatus, string]>([
    ['a code that is meant', { onExitCodes: codes('In', [1, 42]) }, exited(42), 'FailJob'],
    ['another', { onExitCodes: codes('In', [1]) }, exited(42), 'Count'],
    ['any but these', { onExitCodes: codes('NotIn', [1]) }, exited(42), 'FailJob'],
    ['one of these after all', { onExitCodes: codes('NotIn', [42]) }, exited(42), 'Count'],
    ['success is no failure', { onExitCodes: codes('NotIn', [42]) }, exited(0), 'Count'],
    ["another container's", { onExitCodes: codes('In', [42], 'side') }, exited(42), 'Count'],
    ['its own', { onExitCodes: codes('In', [42], 'side') }, exited(42, 'side'), 'FailJob'],
    ['a condition', { onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }, disrupted, 'FailJob'],
    ['its opposite', { onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] }, disrupted, 'Count'],
  ])('%s', (_, rule, status, expected) => {
    expect(judgeFailure({ rules: [{ action: 'FailJob', ...rule }] }, pod('p', status)).action).toBe(expected);
  });

  it('the first rule that fits', () => {
    const rules = [
      { action: 'Ignore', onExitCodes: codes('In', [42]) },
      { action: 'FailJob', onExitCodes: codes('NotIn', [1]) },
    ];
    expect(judgeFailure({ rules }, pod('p', exited(42))).action).toBe('Ignore');
    expect(judgeFailure({ rules }, pod('p', exited(7)))).toEqual({
      action: 'FailJob',
      message: 'Container c for pod team/p failed with exit code 7 matching FailJob rule at index 1',
    });
  });
});

it.each<[string, object, number[], string | undefined]>([
  ['none yet', { succeededCount: 0 }, [], undefined],
  ['a number', { succeededCount: 2 }, [0, 4], 'Matched rules at index 0'],
  ['too few', { succeededCount: 3 }, [0, 4], undefined],
  ['these', { succeededIndexes: '0,2-3' }, [0, 1, 2, 3], 'Matched rules at index 0'],
  ['these, but for one', { succeededIndexes: '0,2-3' }, [0, 1, 3], undefined],
  ['a number of these', { succeededIndexes: '0,2-3', succeededCount: 1 }, [1, 3], 'Matched rules at index 0'],
])('success by %s', (_, rule, succeeded, expected) => {
  expect(meetsSuccessPolicy({ rules: [rule] }, jobIndexesOf(succeeded), 5)).toBe(expected);
});

describe('the end of a pod', () => {
  it.each<[string, Pod, string]>([
    ['its containers', pod('p', exited(1)), TIME],
    [
      'no longer ready',
      pod('p', { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:05Z' }] }),
      '2026-01-01T00:00:05Z',
    ],
    [
      'its deletion',
      pod('p', {}, { deletionTimestamp: '2026-01-01T00:00:40Z', deletionGracePeriodSeconds: 30 }),
      '2026-01-01T00:00:10Z',
    ],
    ['its creation', pod('p', {}, { creationTimestamp: '2026-01-01T00:00:01Z' }), '2026-01-01T00:00:01Z'],
  ])('%s', (_, given, expected) => {
    expect(endOfPod(given)).toBe(Date.parse(expected));
  });
});

describe('back-off', () => {
  const failures = (count: number): Pod[] => Array.from({ length: count }, (_, at) => pod(`p${at}`, exited(1)));
  it.each([
    [0, 0],
    [1, 0],
    [2, 10_000],
    [3, 30_000],
    [7, 590_000],
    [40, 590_000],
  ])('%i failures ten seconds ago: wait %i ms', (count, expected) => {
    expect(remainingBackOffMs(remember(undefined, job(), failures(count), NOW), NOW.mono)).toBe(expected);
  });

  it('is kept in mind when the pods are gone, and is over with a success', () => {
    const first = remember(undefined, job(), failures(4), NOW);
    const gone = remember(first, job(), [], NOW);
    expect(remainingBackOffMs(gone, NOW.mono)).toBe(70_000);
    const later = { wall: NOW.wall + 60_000, mono: NOW.mono + 60_000 };
    const success = exited(0);
    expect(remainingBackOffMs(remember(gone, job(), [pod('s', success)], later), later.mono)).toBe(0);
    const other = { ...job(), metadata: { uid: 'u2' } };
    expect(remainingBackOffMs(remember(first, other, [], NOW), NOW.mono)).toBe(0);
  });

  it('pods that were given up are no failures', () => {
    const going = { deletionTimestamp: TIME };
    expect(remember(undefined, job(), [pod('p', { phase: 'Running' }, going)], NOW).failures.size).toBe(0);
    expect(remember(undefined, job(), [pod('p', exited(143), going)], NOW).failures.size).toBe(0);
    expect(
      remember(undefined, job(), [pod('p', { phase: 'Running' }, { ...going, ...TRACKED })], NOW).failures.size,
    ).toBe(1);
  });
});

describe('planJob', () => {
  const named = { uncountedTerminatedPods: { succeeded: ['a'] }, startTime: TIME };
  it('names, lets go, counts', () => {
    const started = planJob(job({ completions: 2 }, { startTime: TIME }), [pod('a', exited(0))], MEMORY, NOW);
    expect(started.status.uncountedTerminatedPods).toEqual({ succeeded: ['a'] });
    expect(started.status.succeeded).toBeUndefined();
    expect(started.release).toHaveLength(1);
    const again = planJob(job({ completions: 2 }, named), [pod('a', exited(0))], MEMORY, NOW);
    expect(again.status.uncountedTerminatedPods).toEqual({ succeeded: ['a'] });
    expect(again.release).toHaveLength(1);
    const counted = planJob(job({ completions: 2 }, named), [pod('a', exited(0), {})], MEMORY, NOW);
    expect(counted.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
    const gone = planJob(job({ completions: 2 }, named), [], MEMORY, NOW);
    expect(gone.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
  });

  it('names no more than a status holds', () => {
    const pods = Array.from({ length: 700 }, (_, at) => pod(`p${at}`, exited(0)));
    const plan = planJob(job({ completions: 1000, parallelism: 5 }, { startTime: TIME }), pods, MEMORY, NOW);
    expect(plan.status.uncountedTerminatedPods?.succeeded).toHaveLength(500);
    expect(plan.release).toHaveLength(500);
  });

  it('creates no more than 500 at once', () => {
    const plan = planJob(job({ completions: 2000, parallelism: 2000 }), [], MEMORY, NOW);
    expect(plan.create).toHaveLength(500);
  });

  it('of two pods of an index one goes', () => {
    const index = { annotations: { 'batch.kubernetes.io/job-completion-index': '1' }, ...TRACKED };
    const pods = ['a', 'b'].map((uid) => pod(uid, { phase: 'Running' }, index));
    const spec = { completionMode: 'Indexed', completions: 4, parallelism: 4 };
    expect(planJob(job(spec, { startTime: TIME }), pods, MEMORY, NOW).giveUp).toHaveLength(1);
  });

  it('waits for what is on its way out before it calls itself finished', () => {
    const status: JobStatus = {
      startTime: TIME,
      conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: 'm' }],
    };
    const going = pod('a', { phase: 'Running' }, { deletionTimestamp: TIME });
    expect(planJob(job({}, status), [going], MEMORY, NOW).finished).toBeUndefined();
    expect(planJob(job({}, status), [], MEMORY, NOW).status.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'DeadlineExceeded',
    });
  });

  it('ends no earlier than it began, whatever the clock did', () => {
    const status: JobStatus = {
      startTime: '2026-01-01T05:00:00Z',
      succeeded: 1,
      conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }],
    };
    expect(planJob(job({}, status), [], MEMORY, NOW).status.completionTime).toBe('2026-01-01T05:00:00Z');
  });
});
