/**
 * Tests jobs and cron jobs on real containers by sig-apps conformance: all jobs are created at once, one per test; the one cron
 * job that needs a minute is created first and checked last.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inShort, itInWhole } from './extent.ts';
import { Mendlet, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 167 });

const container = (script: string, more: object = {}): object => ({
  name: 'main',
  image: 'docker.io/library/busybox:latest',
  imagePullPolicy: 'IfNotPresent',
  command: ['/bin/sh', '-c', script],
  ...more,
});

function jobSpec(script: string, spec: object = {}, pod: object = {}): object {
  return {
    ...spec,
    template: {
      spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container(script)], ...pod },
    },
  };
}

const job = (name: string, script: string, spec: object = {}, pod: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: jobSpec(script, spec, pod),
});

const FOREVER = 'trap "exit 143" TERM; sleep 36000 & wait';
const indexed = (completions: number, more: object = {}): object => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
  ...more,
});
const onCode = (action: string, code: number): object => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [code] } }] },
});
const RESTARTED = {
  restartPolicy: 'OnFailure',
  volumes: [{ name: 'd', emptyDir: {} }],
  containers: [
    container('if [ -f /d/x ]; then exit 0; fi; touch /d/x; exit 1', {
      volumeMounts: [{ name: 'd', mountPath: '/d' }],
    }),
  ],
};

/** Jobs of tests of the whole form. */
const MORE_JOBS = [
  job('success', `test $JOB_COMPLETION_INDEX = 0 && exit 0; ${FOREVER}`, {
    ...indexed(2),
    successPolicy: { rules: [{ succeededIndexes: '0' }] },
  }),
  job('suspended', 'true', { suspend: true, completions: 2 }),
  job('disrupted', FOREVER, {
    backoffLimit: 0,
    podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
  }),
  job('patient', FOREVER, { podReplacementPolicy: 'Failed' }),
  job('orphans', FOREVER, { completions: 2, parallelism: 2 }),
];

const JOBS = [
  job('plain', 'echo done', { completions: 3, parallelism: 2 }),
  job('restarted', '', { completions: 2, parallelism: 2 }, RESTARTED),
  job('indexed', 'echo $(hostname) $JOB_COMPLETION_INDEX', indexed(3)),
  job('per-index', 'test $JOB_COMPLETION_INDEX != 1', indexed(3, { backoffLimitPerIndex: 0 })),
  job('too-many', 'exit 1', indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 })),
  job('fail-job', 'exit 5', { completions: 2, parallelism: 2, ...onCode('FailJob', 5) }),
  job('limit', 'exit 1', { backoffLimit: 0 }),
  job('deadline', FOREVER, { activeDeadlineSeconds: 3 }),
  job('fleeting', 'true', { ttlSecondsAfterFinished: 2 }),
  job('queue', `test -f /none || ${FOREVER}`, { parallelism: 2, completions: 4 }),
];

const cronJob = (name: string, spec: object): object => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name },
  spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec('echo tick') }, ...spec },
});

interface Observed {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly completions?: number };
  readonly status: {
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly ready?: number;
    readonly terminating?: number;
    readonly startTime?: string;
    readonly completedIndexes?: string;
    readonly failedIndexes?: string;
    readonly uncountedTerminatedPods?: object;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

const read = (name: string): Promise<Observed> => mendlet.read<Observed>(`jobs/${name}`);

const untilJob = (name: string, what: string, wanted: (job: Observed) => boolean): Promise<Observed> =>
  until<Observed>(`job ${name}: ${what}`, async () => {
    const found = await read(name);
    return wanted(found) ? { value: found } : { last: JSON.stringify(found.status) };
  });

const ended = (name: string, type: 'Complete' | 'Failed'): Promise<Observed> =>
  untilJob(name, type, ({ status }) => status.conditions?.some((each) => each.type === type) === true);

const reasonOf = ({ status }: Observed): string | undefined => status.conditions?.at(-1)?.reason;

const podsOf = async (name: string): Promise<readonly string[]> =>
  (await mendlet.read<{ items: { metadata: { name: string } }[] }>('pods', { selector: `job-name=${name}` })).items.map(
    ({ metadata }) => `pod/${metadata.name}`,
  );

const eventsOf = (name: string, kind = 'Job'): Promise<string> => {
  const selector = `involvedObject.name=${name},involvedObject.kind=${kind}`;
  return mendlet.kubectl(['get', 'events', '--field-selector', selector, '-o', 'jsonpath={.items[*].reason}']);
};

beforeAll(async () => {
  await mendlet.up();
  await mendlet.create(
    cronJob('tick', { successfulJobsHistoryLimit: 1 }),
    cronJob('asleep', { suspend: true, timeZone: 'Asia/Kolkata' }),
    ...JOBS,
    ...inShort([], MORE_JOBS),
  );
});
afterAll(() => mendlet.down());

describe('jobs', () => {
  it('end when all their pods have succeeded', async () => {
    await mendlet.kubectl(['wait', '--for=condition=complete', 'job/plain', '--timeout=300s']);
    const { status } = await read('plain');
    expect(status).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(await eventsOf('plain')).toContain('Completed');
    expect(await mendlet.kubectl(['get', 'job', 'plain'])).toMatch(/plain +Complete +3\/3/);
    expect(await mendlet.kubectl(['get', 'jobs', '--field-selector', 'status.successful=3', '-o', 'name'])).toContain(
      'job.batch/plain',
    );
    expect(await mendlet.kubectl(['describe', 'job', 'plain'])).toMatch(
      /0 Active \(0 Ready\) \/ 3 Succeeded \/ 0 Failed/,
    );
    expect((await ended('restarted', 'Complete')).status).toMatchObject({ succeeded: 2 });
  });

  it('give each index its number and its host name', async () => {
    expect((await ended('indexed', 'Complete')).status.completedIndexes).toBe('0-2');
    const logs = await mendlet.kubectl(['logs', '-l', 'job-name=indexed']);
    expect(logs.split('\n').filter(Boolean).toSorted()).toEqual(['indexed-0 0', 'indexed-1 1', 'indexed-2 2']);
  });

  it('fail as they were told to', async () => {
    const perIndex = await ended('per-index', 'Failed');
    expect(perIndex.status).toMatchObject({ completedIndexes: '0,2', failedIndexes: '1', failed: 1, succeeded: 2 });
    expect(reasonOf(perIndex)).toBe('FailedIndexes');
    expect(reasonOf(await ended('too-many', 'Failed'))).toBe('MaxFailedIndexesExceeded');
    expect(reasonOf(await ended('fail-job', 'Failed'))).toBe('PodFailurePolicy');
    expect(reasonOf(await ended('limit', 'Failed'))).toBe('BackoffLimitExceeded');
    expect(reasonOf(await ended('deadline', 'Failed'))).toBe('DeadlineExceeded');
    expect(await eventsOf('deadline')).toContain('DeadlineExceeded');
  });

  itInWhole('succeed when enough has succeeded', async () => {
    const { status } = await ended('success', 'Complete');
    expect(status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
    expect(status.failed).toBeUndefined();
  });

  itInWhole('are suspended, changed, and resumed', async () => {
    const waiting = await untilJob('suspended', 'Suspended', ({ status }) => status.conditions?.[0]?.status === 'True');
    expect(waiting.status.startTime).toBeUndefined();
    const label = { spec: { template: { metadata: { annotations: { queue: 'left' } } } } };
    await mendlet.kubectl(['patch', 'job', 'suspended', '-p', JSON.stringify(label)]);
    await mendlet.kubectl(['patch', 'job', 'suspended', '-p', '{"spec":{"suspend":false}}']);
    await ended('suspended', 'Complete');
    expect(await eventsOf('suspended')).toMatch(/Suspended.*Resumed|Resumed.*Suspended/);
    const late = await mendlet.tryKubectl([
      'patch',
      'job',
      'suspended',
      '-p',
      JSON.stringify({ spec: { completions: 9 } }),
    ]);
    expect(late.stderr).toContain('field is immutable');
  });

  itInWhole('replace a pod that was sent away, which is no failure', async () => {
    await untilJob('disrupted', 'ready', ({ status }) => status.ready === 1);
    const [pod = ''] = await podsOf('disrupted');
    const name = pod.replace('pod/', '');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
    await mendlet.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(eviction));
    const again = await until<string>('another pod', async () => {
      const other = (await podsOf('disrupted')).find((each) => each !== pod);
      return other === undefined ? { last: await mendlet.kubectl(['get', 'job', 'disrupted']) } : { value: other };
    });
    expect(again).not.toBe(pod);
    expect((await read('disrupted')).status.failed).toBeUndefined();
  });

  itInWhole('wait for the end of a pod before they replace it, when asked to', async () => {
    await untilJob('patient', 'ready', ({ status }) => status.ready === 1);
    const [pod = ''] = await podsOf('patient');
    await mendlet.kubectl(['delete', pod]);
    const { status } = await untilJob('patient', 'counted and replaced', ({ status: now }) => {
      return now.failed === 1 && now.active === 1;
    });
    expect(status).toMatchObject({ terminating: 0 });
  });

  itInWhole('take in orphans, and let go of pods that are theirs no more', async () => {
    await untilJob('orphans', 'ready', ({ status }) => status.ready === 2);
    const [pod = ''] = await podsOf('orphans');
    const owner = async (): Promise<string> =>
      mendlet.kubectl(['get', pod, '-o', 'jsonpath={.metadata.ownerReferences[0].name}{.metadata.finalizers}']);
    await mendlet.kubectl([
      'patch',
      pod,
      '--type',
      'json',
      '-p',
      '[{"op":"remove","path":"/metadata/ownerReferences"}]',
    ]);
    await until('the adoption', async () => {
      const now = await owner();
      return now.startsWith('orphans') && now.includes('job-tracking') ? { value: now } : { last: now };
    });
    const labels = ['job-name', 'controller-uid', 'batch.kubernetes.io/job-name', 'batch.kubernetes.io/controller-uid'];
    await mendlet.kubectl(['label', pod, ...labels.map((label) => `${label}-`)]);
    await until('the release', async () => {
      const now = await owner();
      return now === '' ? { value: true } : { last: now };
    });
    await mendlet.kubectl(['delete', pod, '--wait=false']);
  });

  it('go on where they were when the server is killed', async () => {
    await untilJob('queue', 'ready', ({ status }) => status.ready === 2);
    const before = await podsOf('queue');
    await mendlet.end('SIGKILL');
    await mendlet.up();
    expect(await podsOf('queue')).toEqual(before);
    await mendlet.kubectl(['delete', before[0] ?? '']);
    await untilJob('queue', 'counted', ({ status }) => status.failed === 1);
    await mendlet.kubectl(['delete', 'job', 'queue']);
    await until('their pods to go', async () => {
      const left = await podsOf('queue');
      return left.length === 0 ? { value: true } : { last: left.join(' ') };
    });
  });

  it('go when their time is over', async () => {
    await until('the end of it', async () => {
      const { items } = await mendlet.read<{ items: { metadata: { name: string } }[] }>('jobs');
      const found = items.find(({ metadata }) => metadata.name === 'fleeting');
      return found === undefined ? { value: true } : { last: JSON.stringify(found) };
    });
  });
});

describe('cron jobs', () => {
  it('make jobs by hand, too', async () => {
    await mendlet.kubectl(['create', 'job', 'by-hand', '--from=cronjob/asleep']);
    await ended('by-hand', 'Complete');
    const refused = await mendlet.tryKubectl(['create', 'cronjob', 'bad', '--schedule=61 * * * *', '--image=x']);
    expect(refused.stderr).toContain('end of range (61) above maximum (59)');
  });

  it('make one each minute, and see it end', async () => {
    await until('its first success', async () => {
      const { status } = await mendlet.read<{ status: { lastSuccessfulTime?: string } }>('cronjobs/tick');
      const { lastSuccessfulTime: time } = status;
      return time === undefined ? { last: JSON.stringify(status) } : { value: time };
    });
    const events = await eventsOf('tick', 'CronJob');
    expect(events).toContain('SuccessfulCreate');
    expect(events).toContain('SawCompletedJob');
    expect(await mendlet.kubectl(['get', 'cronjobs'])).toMatch(
      /asleep +\* \* \* \* \* +Asia\/Kolkata +True +0 +<none>/,
    );
    const names = (await mendlet.kubectl(['get', 'jobs', '-o', 'name'])).split('\n');
    expect(names.filter((name) => /\/tick-\d+$/.test(name)).length).toBeGreaterThan(0);
    expect(names.some((name) => name.includes('/asleep-'))).toBe(false);
  });
});
