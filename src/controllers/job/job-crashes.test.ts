/** Each ended pod is counted exactly once, whichever two writes of the controller a crash comes between. */
import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  isDeleting,
  isJobFinished,
  type Job,
  JOBS,
  type JobSpec,
  nameOf,
  NAMESPACES,
  PODS,
  SERVICE_ACCOUNTS,
  uidOf,
} from '../../api/index.ts';
import { createEventRecorder, Informers } from '../../client/index.ts';
import { ConnectionError, createMetrics, formatTime, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { CONTROLLER_INDEXES } from '../indexes.ts';
import { runController } from '../run-controller.ts';
import { jobController } from './job-controller.ts';
import { createJobMetrics } from './job-metrics.ts';
import { jobOrphansController } from './job-orphans-controller.ts';

type Crash = 'before' | 'after';

interface Life {
  stop(): Promise<void>;
  readonly crashed: () => boolean;
}

/** The controllers, until they end with their write number `crashAt`, before or after the server did it. */
function live({ client, clock }: InMemoryApi, crashAt: number, crash: Crash): Life {
  const stop = new AbortController();
  let writes = 0;
  const dying = (): boolean => {
    writes += 1;
    return writes >= crashAt;
  };
  const end = (): never => {
    stop.abort(new Error('crashed'));
    throw new ConnectionError('crashed');
  };
  const guarded = async <T>(write: () => Promise<T>): Promise<T> => {
    if (!dying()) return write();
    if (crash === 'after' && writes === crashAt) await write();
    return end();
  };
  const mortal = new Proxy(client, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      if (typeof method !== 'function') return method;
      if (!['create', 'update', 'patch', 'delete'].includes(String(name))) return method.bind(target);
      return (...args: unknown[]) => guarded(() => method.apply(target, args));
    },
  });
  const metrics = createMetrics();
  const shared = { clock, logger: silentLogger, metrics };
  const informers = new Informers({
    ...shared,
    client,
    random: seededRandom('informers'),
    indexes: CONTROLLER_INDEXES,
  });
  const events = createEventRecorder({
    ...shared,
    client,
    random: seededRandom('events'),
    component: 'job-controller',
  });
  const controllers = [
    jobController({ informers, client: mortal, clock, events, metrics: createJobMetrics(metrics) }),
    jobOrphansController(informers, mortal),
  ];
  const running = Promise.all([
    informers.run(stop.signal),
    events.run(stop.signal),
    ...controllers.map((each) => runController(each, { ...shared, client: mortal, informers }, stop.signal)),
  ]);
  return {
    crashed: () => stop.signal.aborted,
    stop: async () => {
      stop.abort(new Error('enough'));
      await running.catch(() => {});
    },
  };
}

interface Outcome {
  readonly job: Job;
  readonly ended: { succeeded: number; failed: number };
}

/** The whole life of a job; the n-th pod that is seen to run ends with the n-th of `codes`, then with 0. */
async function runJob(
  spec: Partial<JobSpec>,
  codes: readonly number[],
  nextLife: (life: number) => readonly [number, Crash],
): Promise<Outcome> {
  const api = await createInMemoryApi();
  const { client, clock } = api;
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'team', name: 'default' } };
  await client.create(SERVICE_ACCOUNTS, account);
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } };
  await client.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'team', name: 'work' },
    spec: { template, ...spec },
  });
  const ended = new Map<string, number>();
  let lives = 0;
  const born = (): Life => live(api, ...nextLife(lives++));
  let life = born();
  for (let turn = 0; turn < 400; turn += 1) {
    for (let i = 0; i < 15; i += 1) await settle();
    if (life.crashed()) {
      await life.stop();
      life = born();
      continue;
    }
    const job = await client.get(JOBS, 'team', 'work');
    if (isJobFinished(job)) {
      await life.stop();
      const values = [...ended.values()];
      return {
        job,
        ended: {
          succeeded: values.filter((code) => code === 0).length,
          failed: values.filter((code) => code !== 0).length,
        },
      };
    }
    const { items } = await client.list(PODS, { namespace: 'team' });
    const pod = items.find((each) => !isDeleting(each) && !ended.has(uidOf(each)));
    if (pod === undefined) {
      await clock.advance(5_000);
      continue;
    }
    const exitCode = codes[ended.size] ?? 0;
    ended.set(uidOf(pod), exitCode);
    const finishedAt = formatTime(clock.now().wall);
    const container = { name: 'c', image: 'b', imageID: '', ready: false, restartCount: 0 };
    const status = {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [{ ...container, state: { terminated: { exitCode, finishedAt } } }],
    };
    await client.patch(PODS, 'team', nameOf(pod), 'strategic', { status }, 'status');
  }
  throw new Error('the job never finished');
}

const FOREVER = Number.POSITIVE_INFINITY;
const SHAPES: readonly (readonly [string, Partial<JobSpec>, readonly number[]])[] = [
  ['plain', { completions: 2, parallelism: 1, backoffLimit: 6 }, [1, 0]],
  ['failing', { completions: 2, parallelism: 1, backoffLimit: 1 }, [1, 1]],
  ['indexed', { completionMode: 'Indexed', completions: 2, parallelism: 1 }, [1, 0]],
  [
    'limits for each index',
    { completionMode: 'Indexed', completions: 2, parallelism: 1, backoffLimitPerIndex: 1 },
    [1, 1, 0],
  ],
];

describe.each(SHAPES)('%s', (_, spec, codes) => {
  it.each(['before', 'after'] as const)('a crash %s any one write', async (crash) => {
    // All at once: most of their time is waiting for each other's promises.
    const crashes = Array.from({ length: 14 }, (_unused, position) => position + 1);
    const outcomes = crashes.map((crashAt) =>
      runJob(spec, codes, (life) => (life === 0 ? [crashAt, crash] : [FOREVER, crash])),
    );
    for (const [position, { job, ended }] of (await Promise.all(outcomes)).entries()) {
      const { succeeded = 0, failed = 0, uncountedTerminatedPods } = job.status ?? {};
      expect({ crashAt: position + 1, succeeded, failed }).toEqual({ crashAt: position + 1, ...ended });
      expect(uncountedTerminatedPods).toEqual({});
    }
  });

  it('a crash after each write', async () => {
    const { job, ended } = await runJob(spec, codes, () => [1, 'after']);
    const { succeeded = 0, failed = 0 } = job.status ?? {};
    expect({ succeeded, failed }).toEqual(ended);
  });
});
