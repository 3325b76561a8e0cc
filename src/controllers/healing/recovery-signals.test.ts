/** Dependencies and those in a back-off who name them: the controllers and the server together. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { type RunningControllers, startControllers } from '../../../test/support/running-controllers.ts';
import { DEPENDS_ON, NAMESPACES, NODES, type Pod, PODS, type PodStatus, RECOVERY, SERVICES } from '../../api/index.ts';
import { createMetrics, formatTime } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';

let cluster: RunningControllers;
/** Before the controllers run. */
const stopped = { metrics: createMetrics(), stop: () => Promise.resolve() };
beforeEach(async () => {
  cluster = await startControllers(async (api) => {
    cluster = { ...api, ...stopped };
    await makeNamespaces();
  });
});
afterEach(() => cluster.stop());

async function makeNamespaces(): Promise<void> {
  const { client } = cluster;
  for (const name of ['shop', 'data']) {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  await client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'data', name: 'db' },
    spec: { selector: { app: 'db' }, ports: [{ name: 'sql', port: 5432 }] },
  });
}

async function makePod(namespace: string, name: string, app: string, dependsOn?: string): Promise<void> {
  await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      labels: { app },
      ...(dependsOn === undefined ? {} : { annotations: { [DEPENDS_ON]: dependsOn } }),
    },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'busybox' }] },
  });
}

/** Seconds from now by the server's clock. */
const time = (seconds = 0): string => formatTime(cluster.clock.now().wall + seconds * 1000);

async function report(namespace: string, name: string, status: PodStatus): Promise<void> {
  await cluster.client.patch(PODS, namespace, name, 'merge', { status }, 'status');
  await settle();
}

const ready = (value: boolean): Promise<void> =>
  report('data', 'db-0', {
    phase: 'Running',
    podIP: '10.0.0.9',
    podIPs: [{ ip: '10.0.0.9' }],
    conditions: [{ type: 'Ready', status: value ? 'True' : 'False', lastTransitionTime: time() }],
  });

/** Its container lived until `ended` seconds from now, for a second, and is in a back-off. */
const crashed = (name: string, ended = 0): Promise<void> =>
  report('shop', name, {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'main',
        image: 'busybox',
        imageID: '',
        ready: false,
        restartCount: 1,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1, startedAt: time(ended - 1), finishedAt: time(ended) } },
      },
    ],
  });

async function signalOf(name: string): Promise<{ id: string; cause: string } | undefined> {
  const pod: Pod = await cluster.client.get(PODS, 'shop', name);
  const text = pod.metadata?.annotations?.[RECOVERY];
  return text === undefined ? undefined : (JSON.parse(text) as { id: string; cause: string });
}

const told = (name: string): Promise<unknown> =>
  until(async () => (await signalOf(name)) !== undefined, `${name} is told`);

describe('pods in a back-off', () => {
  it('are told when the service that they name gets an endpoint, and nobody else is', async () => {
    await makePod('data', 'db-0', 'db');
    await makePod('shop', 'web', 'web', 'service/db.data:5432');
    await makePod('shop', 'other', 'web', 'service/mq');
    await makePod('shop', 'nobody', 'web');
    for (const name of ['web', 'other', 'nobody']) await crashed(name);
    await cluster.clock.advance(5000);
    expect(await signalOf('web')).toBeUndefined();
    await ready(true);
    await told('web');
    expect((await signalOf('web'))?.cause).toBe('service/db.data:5432 became ready');
    expect(await signalOf('other')).toBeUndefined();
    expect(await signalOf('nobody')).toBeUndefined();
  });

  it('are told of a pod, and of what became ready while they ran into it', async () => {
    await makePod('shop', 'cache', 'cache');
    await makePod('shop', 'web', 'web', 'pod/cache');
    await report('shop', 'cache', { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] });
    await report('shop', 'web', { phase: 'Running' });
    await report('shop', 'cache', {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time() }],
    });
    expect(await signalOf('web')).toBeUndefined();
    await cluster.clock.advance(3000);
    await report('shop', 'web', {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'main',
          image: 'busybox',
          imageID: '',
          ready: false,
          restartCount: 1,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, startedAt: time(-4), finishedAt: time() } },
        },
      ],
    });
    await told('web');
  });

  it('are told once for each time, and not for ever of what comes and goes', async () => {
    await makePod('data', 'db-0', 'db');
    await makePod('shop', 'web', 'web', 'service/db.data');
    const ids = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      await ready(false);
      await crashed('web');
      await cluster.clock.advance(5000);
      await ready(true);
      await cluster.clock.advance(5000);
      const signal = await signalOf('web');
      if (signal !== undefined) ids.add(signal.id);
      // It crashes again, of something else.
      await crashed('web');
      await cluster.clock.advance(1000);
      expect((await signalOf('web'))?.id).toBe(signal?.id);
    }
    expect(ids.size).toBeGreaterThanOrEqual(20);
    expect(ids.size).toBeLessThan(40);
  });

  it('are told by a controller that was away when it happened', async () => {
    await cluster.stop();
    cluster = await startControllers(async (api) => {
      cluster = { ...api, ...stopped };
      await makeNamespaces();
      await makePod('data', 'db-0', 'db');
      await makePod('shop', 'web', 'web', 'pod/cache');
      await makePod('shop', 'later', 'web', 'pod/cache');
      await makePod('shop', 'cache', 'cache');
      await crashed('web', -20);
      await crashed('later', -2);
      await report('shop', 'cache', {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time(-10) }],
      });
    });
    await told('web');
    expect(await signalOf('later')).toBeUndefined();
  });
});
