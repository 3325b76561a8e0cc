import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  HEALING_STATE,
  isDeleting,
  JOB_COMPLETION_INDEX,
  JOB_TRACKING_FINALIZER,
  JOBS,
  nameOf,
  type Pod,
  PODS,
  uidOf,
} from '../../api/index.ts';
import { type JobCluster, startJobs, TEMPLATE } from '../../../test/support/job-cluster.ts';

let cluster: JobCluster;
beforeEach(async () => {
  cluster = await startJobs();
});
afterEach(() => cluster.stop());

const indexOf = (pod: Pod): number => Number(pod.metadata?.annotations?.[JOB_COMPLETION_INDEX]);
const failPolicy = (action: string, extra: object): object => ({
  podFailurePolicy: { rules: [{ action, ...extra }] },
});

async function endAll(exitCode: number): Promise<void> {
  for (const pod of await cluster.active()) await cluster.end(pod, exitCode);
}

describe('completion', () => {
  it('one pod, once', async () => {
    await cluster.createJob({});
    expect(await cluster.status()).toMatchObject({ active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    const [pod] = await cluster.active();
    expect(pod?.metadata?.finalizers).toEqual([JOB_TRACKING_FINALIZER]);
    await endAll(0);
    const status = await cluster.status();
    expect(status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.active).toBeUndefined();
    expect(status.completionTime).toBeDefined();
    expect(await cluster.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(status.conditions?.[1]).toMatchObject({
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
    });
    expect((await cluster.pods())[0]?.metadata?.finalizers).toBeUndefined();
    expect((await cluster.events()).toSorted()).toEqual([
      'Completed Job completed',
      `SuccessfulCreate Created pod: ${nameOf(pod as Pod)}`,
    ]);
  });

  it('five of them, two at a time', async () => {
    await cluster.createJob({ completions: 5, parallelism: 2 });
    const running: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const [pod] = await cluster.active();
      running.push((await cluster.active()).length);
      if (pod !== undefined) await cluster.end(pod, 0);
    }
    expect(running).toEqual([2, 2, 2, 2, 1]);
    expect(await cluster.status()).toMatchObject({ succeeded: 5 });
    expect(await cluster.conditions()).toContain('Complete');
  });

  it('none is complete at once', async () => {
    await cluster.createJob({ completions: 0 });
    expect(await cluster.conditions()).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(await cluster.pods()).toEqual([]);
  });

  it('a work queue ends with its last worker, and nobody begins after the first success', async () => {
    await cluster.createJob({ parallelism: 3 });
    expect(await cluster.active()).toHaveLength(3);
    const [one, two, three] = (await cluster.active()) as [Pod, Pod, Pod];
    await cluster.end(one, 0);
    await cluster.end(two, 1);
    expect(await cluster.active()).toHaveLength(1);
    expect(await cluster.conditions()).toEqual([]);
    await cluster.end(three, 0);
    expect(await cluster.status()).toMatchObject({ succeeded: 2, failed: 1 });
    expect(await cluster.conditions()).toContain('Complete');
  });

  it('parallelism changes as it goes', async () => {
    await cluster.createJob({ completions: 6, parallelism: 1 });
    await cluster.patchJob({ spec: { parallelism: 4 } });
    expect(await cluster.active()).toHaveLength(4);
    await cluster.patchJob({ spec: { parallelism: 0 } });
    expect(await cluster.active()).toHaveLength(0);
    expect(await cluster.status()).toMatchObject({ ready: 0 });
    expect((await cluster.status()).failed).toBeUndefined();
    await cluster.patchJob({ spec: { parallelism: 2 } });
    expect(await cluster.active()).toHaveLength(2);
  });
});

describe('failure', () => {
  it('backs off ever longer, and starts again after a success', async () => {
    await cluster.createJob({ completions: 3, backoffLimit: 9 });
    await endAll(1);
    await cluster.clock.advance(9_000);
    expect(await cluster.active()).toHaveLength(0);
    await cluster.clock.advance(2_000);
    await cluster.rest();
    expect(await cluster.active()).toHaveLength(1);
    await endAll(1);
    await cluster.clock.advance(19_000);
    expect(await cluster.active()).toHaveLength(0);
    await cluster.clock.advance(2_000);
    await cluster.rest();
    await endAll(0);
    expect(await cluster.active()).toHaveLength(1);
    await cluster.clock.advance(1_000);
    await endAll(1);
    await cluster.clock.advance(10_000);
    await cluster.rest();
    expect(await cluster.active()).toHaveLength(1);
    expect(await cluster.status()).toMatchObject({ failed: 3, succeeded: 1 });
  });

  it('a step of the clock shortens no back-off and passes no deadline', async () => {
    await cluster.createJob({ backoffLimit: 5, activeDeadlineSeconds: 3600 });
    await endAll(1);
    cluster.clock.stepWall(7_200_000);
    await cluster.clock.advance(5_000);
    expect(await cluster.active()).toHaveLength(0);
    expect(await cluster.conditions()).toEqual([]);
    cluster.clock.stepWall(-14_400_000);
    await cluster.clock.advance(6_000);
    await cluster.rest();
    expect(await cluster.active()).toHaveLength(1);
    await endAll(0);
    expect(await cluster.conditions()).toContain('Complete');
  });

  it('fails at its limit, and takes the others along', async () => {
    await cluster.createJob({ completions: 3, parallelism: 3, backoffLimit: 1 });
    const [one, two] = (await cluster.active()) as [Pod, Pod];
    await cluster.end(one, 1);
    await cluster.clock.advance(11_000);
    await cluster.rest();
    expect(await cluster.active()).toHaveLength(3);
    await cluster.runPods();
    await cluster.end(two, 1);
    expect(await cluster.conditions()).toEqual(['FailureTarget']);
    expect((await cluster.pods()).filter(isDeleting)).toHaveLength(2);
    await cluster.reap();
    const status = await cluster.status();
    expect(await cluster.conditions()).toEqual(['FailureTarget', 'Failed']);
    expect(status.conditions?.at(-1)).toMatchObject({
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    });
    expect(status).toMatchObject({ failed: 4, ready: 0, terminating: 0 });
    expect(await cluster.events()).toContain('BackoffLimitExceeded Job has reached the specified backoff limit');
  });

  it('restarts in place count as failures', async () => {
    await cluster.createJob({
      backoffLimit: 2,
      template: { spec: { ...TEMPLATE.spec, restartPolicy: 'OnFailure' } },
    });
    const [pod] = (await cluster.active()) as [Pod];
    const restarted = { name: 'c', image: 'busybox', imageID: '', ready: false, restartCount: 2, state: {} };
    const status = { phase: 'Running', containerStatuses: [restarted] };
    await cluster.client.patch(PODS, 'team', nameOf(pod), 'strategic', { status }, 'status');
    await cluster.rest();
    await cluster.reap();
    expect(await cluster.conditions()).toEqual(['FailureTarget', 'Failed']);
  });

  it('those that no end of its own led to do not: somebody asked for them', async () => {
    await cluster.createJob({
      backoffLimit: 2,
      template: { spec: { ...TEMPLATE.spec, restartPolicy: 'OnFailure' } },
    });
    const [pod] = (await cluster.active()) as [Pod];
    const tell = async (restartCount: number, cleanRestarts: number): Promise<void> => {
      const container = { name: 'c', image: 'busybox', imageID: '', ready: false, restartCount, state: {} };
      const status = { phase: 'Running', containerStatuses: [container] };
      const metadata = { annotations: { [HEALING_STATE]: JSON.stringify({ cleanRestarts }) } };
      await cluster.client.patch(PODS, 'team', nameOf(pod), 'strategic', { metadata, status }, 'status');
      await cluster.rest();
    };
    await tell(4, 3);
    expect(await cluster.conditions()).toEqual([]);
    await tell(5, 3);
    await cluster.reap();
    expect(await cluster.conditions()).toEqual(['FailureTarget', 'Failed']);
  });

  it('its deadline passes', async () => {
    await cluster.createJob({ activeDeadlineSeconds: 30 });
    await cluster.clock.advance(29_000);
    await cluster.rest();
    expect(await cluster.conditions()).toEqual([]);
    await cluster.clock.advance(1_000);
    await cluster.rest();
    await cluster.reap();
    expect((await cluster.status()).conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
  });

  it('a deleted pod is replaced at once, or only when it is gone', async () => {
    await cluster.createJob({});
    await cluster.runPods();
    const [pod] = (await cluster.active()) as [Pod];
    await cluster.client.delete(PODS, 'team', nameOf(pod));
    await cluster.rest();
    expect(await cluster.status()).toMatchObject({ failed: 1 });
    await cluster.clock.advance(11_000);
    await cluster.rest();
    expect(await cluster.active()).toHaveLength(1);

    await cluster.createJob({ podReplacementPolicy: 'Failed' }, 'patient');
    await cluster.runPods();
    const own = (await cluster.active()).find((each) => nameOf(each).startsWith('patient')) as Pod;
    await cluster.client.delete(PODS, 'team', nameOf(own));
    await cluster.rest();
    expect(await cluster.status('patient')).toMatchObject({ terminating: 1 });
    await cluster.clock.advance(30_000);
    await cluster.rest();
    expect((await cluster.status('patient')).active).toBeUndefined();
    await cluster.end(own, 137);
    await cluster.clock.advance(30_000);
    await cluster.rest();
    expect(await cluster.status('patient')).toMatchObject({ active: 1, failed: 1, terminating: 0 });
  });
});

describe('pod failure policy', () => {
  const codes = { onExitCodes: { operator: 'In', values: [42] } };

  it('FailJob ends the job with the first such pod', async () => {
    await cluster.createJob({ parallelism: 2, completions: 2, ...failPolicy('FailJob', codes) });
    const [pod] = (await cluster.active()) as [Pod];
    await cluster.end(pod, 42);
    await cluster.reap();
    expect((await cluster.status()).conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'PodFailurePolicy',
      message: `Container c for pod team/${nameOf(pod)} failed with exit code 42 matching FailJob rule at index 0`,
    });
  });

  it('Ignore counts nothing, and replaces', async () => {
    const disrupted = { onPodConditions: [{ type: 'DisruptionTarget' }] };
    await cluster.createJob({ backoffLimit: 0, ...failPolicy('Ignore', disrupted) });
    await cluster.end((await cluster.active())[0] as Pod, 137, {
      conditions: [{ type: 'DisruptionTarget', status: 'True' }],
    });
    await cluster.clock.advance(11_000);
    await cluster.rest();
    const status = await cluster.status();
    expect(status).toMatchObject({ active: 1 });
    expect(status.failed).toBeUndefined();
    await endAll(0);
    expect(await cluster.conditions()).toContain('Complete');
  });

  it('Count goes on to the limit', async () => {
    await cluster.createJob({ backoffLimit: 0, ...failPolicy('Count', codes) });
    await endAll(42);
    expect((await cluster.status()).conditions?.at(-1)).toMatchObject({ reason: 'BackoffLimitExceeded' });
  });
});

describe('indexed', () => {
  it('each index once, with its name and number', async () => {
    await cluster.createJob({ completionMode: 'Indexed', completions: 4, parallelism: 2 });
    const [pod] = (await cluster.active()) as [Pod];
    expect(pod.spec?.hostname).toBe('work-0');
    expect(nameOf(pod)).toMatch(/^work-0-[a-z0-9]{5}$/);
    expect(pod.metadata?.labels?.[JOB_COMPLETION_INDEX]).toBe('0');
    expect(pod.spec?.containers[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${JOB_COMPLETION_INDEX}']` } },
      },
    ]);
    await endAll(0);
    expect(await cluster.status()).toMatchObject({ completedIndexes: '0,1', succeeded: 2, active: 2 });
    await endAll(0);
    expect(await cluster.status()).toMatchObject({ completedIndexes: '0-3', succeeded: 4 });
    expect(await cluster.conditions()).toContain('Complete');
  });

  it('grows and shrinks', async () => {
    await cluster.createJob({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
    await cluster.end((await cluster.active()).find((pod) => indexOf(pod) === 2) as Pod, 0);
    await cluster.patchJob({ spec: { completions: 2, parallelism: 2 } });
    const status = await cluster.status();
    expect(status.completedIndexes).toBeUndefined();
    expect(await cluster.active()).toHaveLength(2);
    await cluster.patchJob({ spec: { completions: 4, parallelism: 4 } });
    expect((await cluster.active()).map(indexOf).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  });

  it('limits for each index: one fails for good, the others go on', async () => {
    await cluster.createJob({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 2,
    });
    expect((await cluster.job()).spec?.backoffLimit).toBe(2147483647);
    const fail = async (index: number): Promise<void> => {
      const pod = (await cluster.active()).find((each) => indexOf(each) === index);
      await cluster.end(pod as Pod, 1);
    };
    await fail(1);
    await cluster.clock.advance(5_000);
    expect((await cluster.active()).map(indexOf).toSorted((a, b) => a - b)).toEqual([0, 2]);
    await cluster.clock.advance(6_000);
    await cluster.rest();
    const replacement = (await cluster.active()).find((pod) => indexOf(pod) === 1);
    expect(replacement?.metadata?.annotations?.['batch.kubernetes.io/job-index-failure-count']).toBe('1');
    await fail(1);
    expect(await cluster.status()).toMatchObject({ failedIndexes: '1', failed: 2, active: 2 });
    await endAll(0);
    expect(await cluster.status()).toMatchObject({ failedIndexes: '1', completedIndexes: '0,2' });
    expect((await cluster.status()).conditions?.at(-1)).toMatchObject({ type: 'Failed', reason: 'FailedIndexes' });
  });

  it('FailIndex, and too many of them', async () => {
    await cluster.createJob({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 5,
      maxFailedIndexes: 1,
      ...failPolicy('FailIndex', { onExitCodes: { operator: 'In', values: [42] } }),
    });
    await cluster.end((await cluster.active())[0] as Pod, 42);
    expect(await cluster.status()).toMatchObject({ failedIndexes: '0' });
    await cluster.end((await cluster.active())[0] as Pod, 42);
    await cluster.reap();
    expect((await cluster.status()).conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'MaxFailedIndexesExceeded',
    });
  });

  it('a success policy is met before all have succeeded', async () => {
    await cluster.createJob({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      successPolicy: { rules: [{ succeededIndexes: '1,2', succeededCount: 1 }] },
    });
    await cluster.runPods();
    await cluster.end((await cluster.active()).find((pod) => indexOf(pod) === 0) as Pod, 0);
    expect(await cluster.conditions()).toEqual([]);
    await cluster.end((await cluster.active()).find((pod) => indexOf(pod) === 2) as Pod, 0);
    expect(await cluster.conditions()).toEqual(['SuccessCriteriaMet']);
    await cluster.reap();
    const status = await cluster.status();
    expect(status.conditions?.at(-1)).toMatchObject({
      type: 'Complete',
      reason: 'SuccessPolicy',
      message: 'Matched rules at index 0',
    });
    expect(status).toMatchObject({ succeeded: 2, completedIndexes: '0,2' });
    expect(status.failed).toBeUndefined();
  });
});

describe('suspension', () => {
  it('begins suspended, runs, is suspended again, and resumes with a new start', async () => {
    await cluster.createJob({ suspend: true, completions: 2, parallelism: 2 });
    expect(await cluster.pods()).toEqual([]);
    expect(await cluster.conditions()).toEqual(['Suspended']);
    expect((await cluster.status()).startTime).toBeUndefined();
    await cluster.patchJob({ spec: { suspend: false } });
    const first = (await cluster.status()).startTime;
    expect(first).toBeDefined();
    expect(await cluster.conditions()).toEqual([]);
    expect(await cluster.active()).toHaveLength(2);
    await cluster.runPods();
    await cluster.patchJob({ spec: { suspend: true } });
    expect(await cluster.active()).toHaveLength(0);
    await cluster.reap();
    const status = await cluster.status();
    expect(status.failed).toBeUndefined();
    expect(status.startTime).toBeUndefined();
    await cluster.clock.advance(60_000);
    await cluster.patchJob({ spec: { suspend: false } });
    expect(await cluster.active()).toHaveLength(2);
    expect((await cluster.status()).startTime).not.toBe(first);
    expect((await cluster.status()).conditions).toMatchObject([
      { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
    ]);
    const events = await cluster.events();
    expect(events).toContain('Suspended Job suspended');
    expect(events).toContain('Resumed Job resumed');
    await endAll(0);
    expect(await cluster.conditions()).toContain('Complete');
  });
});

describe('whose pods', () => {
  it('a pod without a controller that fits is taken in; one whose labels change is let go', async () => {
    const labels = { app: 'mine' };
    await cluster.createJob({
      manualSelector: true,
      selector: { matchLabels: labels },
      parallelism: 1,
      completions: 1,
      template: { ...TEMPLATE, metadata: { labels } },
    });
    const [pod] = (await cluster.active()) as [Pod];
    await cluster.client.patch(PODS, 'team', nameOf(pod), 'merge', { metadata: { labels: { app: 'free' } } });
    await cluster.rest();
    const released = await cluster.client.get(PODS, 'team', nameOf(pod));
    expect(released.metadata?.ownerReferences).toBeUndefined();
    expect(released.metadata?.finalizers).toBeUndefined();
    expect(await cluster.active()).toHaveLength(2);
    await cluster.client.patch(PODS, 'team', nameOf(pod), 'merge', { metadata: { labels } });
    await cluster.rest();
    const taken = await cluster.pods('app=mine');
    expect(taken.filter((each) => !isDeleting(each))).toHaveLength(1);
    expect((await cluster.status()).active).toBe(1);
  });

  it('pods of a job that is deleted lose its finalizer', async () => {
    await cluster.createJob({ parallelism: 2, completions: 2 });
    await cluster.client.delete(JOBS, 'team', 'work', { propagationPolicy: 'Background' });
    await cluster.rest();
    for (const pod of await cluster.pods()) expect(pod.metadata?.finalizers).toBeUndefined();
    expect(await cluster.pods()).toHaveLength(2);
  });

  it('a job that somebody else manages is left alone', async () => {
    await cluster.createJob({ managedBy: 'example.com/queue' });
    expect(await cluster.pods()).toEqual([]);
    expect(await cluster.status()).toEqual({});
  });

  it('its pods are its own alone', async () => {
    const job = await cluster.createJob({});
    expect(job.spec?.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uidOf(job) } });
    expect(job.spec?.template.metadata?.labels).toEqual({
      'batch.kubernetes.io/controller-uid': uidOf(job),
      'controller-uid': uidOf(job),
      'batch.kubernetes.io/job-name': 'work',
      'job-name': 'work',
    });
  });
});

it('a finished job goes when its time is over', async () => {
  await cluster.createJob({ ttlSecondsAfterFinished: 60 });
  await endAll(0);
  await cluster.clock.advance(59_000);
  await cluster.rest();
  expect(await cluster.conditions()).toContain('Complete');
  await cluster.clock.advance(2_000);
  await cluster.rest();
  const left = await cluster.client.get(JOBS, 'team', 'work').catch(() => undefined);
  expect(left === undefined || isDeleting(left)).toBe(true);
});
