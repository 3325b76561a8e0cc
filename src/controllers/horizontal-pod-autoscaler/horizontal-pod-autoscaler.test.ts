/** An autoscaler on the real API server, with the rights of the controllers and metrics that the test makes up. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import {
  DEPLOYMENTS,
  type Event,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  HORIZONTAL_POD_AUTOSCALERS_V1,
  type HorizontalPodAutoscaler,
  type Pod,
  PODS,
} from '../../api/index.ts';
import { createEventRecorder, createKubeClient, Informers, type KubeClient } from '../../client/index.ts';
import { createMetrics, formatTime, seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { CONTROLLER_INDEXES } from '../indexes.ts';
import { runController } from '../run-controller.ts';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler-controller.ts';

let api: InMemoryApi;
/** Thousandths of a core that each pod uses; absent: nothing is measured. */
let used: number | undefined;
const stop = { controller: new AbortController(), done: Promise.resolve() as Promise<unknown> };

beforeEach(async () => {
  api = await createInMemoryApi();
  used = 100;
});
afterEach(async () => {
  stop.controller.abort(new Error('enough'));
  await stop.done;
});

const LABELS = { app: 'web' };

async function deploy(replicas: number): Promise<void> {
  const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas, selector: { matchLabels: LABELS }, template };
  const metadata = { name: 'web', namespace: 'default' };
  const made = await api.client.create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
  await api.client.update(DEPLOYMENTS, { ...made, status: { replicas } }, 'status');
}

/** Ready for an hour. */
async function run(name: string): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '200m' } } }] };
  const metadata = { name, namespace: 'default', labels: LABELS };
  const pod = await api.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const long = formatTime(api.clock.now().wall - 3_600_000);
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: long };
  const status = { phase: 'Running', startTime: long, conditions: [ready] };
  await api.client.update(PODS, { ...pod, status }, 'status');
}

async function autoscale(spec: object = {}): Promise<void> {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await api.client.create(HORIZONTAL_POD_AUTOSCALERS, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'default' },
    spec: { scaleTargetRef, maxReplicas: 10, ...spec },
  });
}

/** Metrics of the pods that are there. */
function measuring(client: KubeClient): KubeClient {
  const list = async (...[resource, query, signal]: Parameters<KubeClient['list']>) => {
    if (resource.group !== 'metrics.k8s.io') return client.list(resource, query, signal);
    const { items, ...rest } = await client.list(PODS, query, signal);
    const timestamp = formatTime(api.clock.now().wall);
    const cpu = `${used}m`;
    const of = ({ metadata }: Pod) => ({
      metadata,
      timestamp,
      window: '15s',
      containers: [{ name: 'c', usage: { cpu } }],
    });
    return { ...rest, items: used === undefined ? [] : items.map(of) };
  };
  return { ...client, list: list as KubeClient['list'] };
}

async function start(): Promise<void> {
  const connection = api.as({ name: 'system:kube-controller-manager', groups: ['system:authenticated'] });
  const client = measuring(createKubeClient(connection, { clock: api.clock }));
  const options = { client, clock: api.clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
  const informers = new Informers({ ...options, indexes: CONTROLLER_INDEXES });
  const events = createEventRecorder({ ...options, component: 'horizontal-pod-autoscaler' });
  const controller = horizontalPodAutoscalerController({ ...options, informers, events });
  stop.controller = new AbortController();
  const { signal } = stop.controller;
  stop.done = Promise.all([
    informers.run(signal),
    events.run(signal),
    runController(controller, { ...options, informers }, signal),
  ]);
  await settle();
}

const replicas = async (): Promise<number> =>
  (await api.client.get(DEPLOYMENTS, 'default', 'web')).spec?.replicas ?? -1;
const scaler = (): Promise<HorizontalPodAutoscaler> => api.client.get(HORIZONTAL_POD_AUTOSCALERS, 'default', 'web');

async function conditions(): Promise<readonly string[]> {
  return ((await scaler()).status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

async function events(): Promise<readonly string[]> {
  const { items } = await api.client.list<Event>(EVENTS, { namespace: 'default' });
  return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

it('adds pods when they use too much, and takes them away after a while', async () => {
  await deploy(2);
  for (const name of ['a', 'b']) await run(name);
  used = 200;
  await autoscale({ metrics: [resource(50)] });
  await start();
  await until(async () => (await replicas()) === 4, 'four pods');
  await until(async () => (await conditions()).length === 3, 'its conditions');
  expect(await conditions()).toEqual([
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ]);
  const { status } = await scaler();
  expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 4 });
  expect(status?.currentMetrics).toMatchObject([
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '200m' } } },
  ]);
  await until(async () => (await events()).length > 0, 'its event');
  expect(await events()).toEqual([
    'Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ]);
  for (const name of ['c', 'd']) await run(name);
  used = 10;
  await api.clock.advance(60_000);
  expect(await replicas()).toBe(4);
  expect(await conditions()).toContain('AbleToScale=True ScaleDownStabilized');
  await api.clock.advance(6 * 60_000);
  await until(async () => (await replicas()) === 1, 'one pod');
});

it('says what it cannot know, and leaves the pods alone', async () => {
  await deploy(2);
  await run('a');
  used = undefined;
  await autoscale({ metrics: [resource(50)] });
  await start();
  await until(async () => (await conditions()).length > 1, 'its conditions');
  expect(await conditions()).toEqual([
    'AbleToScale=True SucceededGetScale',
    'ScalingActive=False FailedGetResourceMetric',
  ]);
  await until(async () => (await events()).length > 1, 'its events');
  expect(new Set((await events()).map((text) => text.split(':')[0]))).toEqual(
    new Set(['Warning FailedComputeMetricsReplicas', 'Warning FailedGetResourceMetric']),
  );
  expect(await replicas()).toBe(2);
});

it('keeps to its bounds without any metric, and to zero when somebody has set that', async () => {
  await deploy(20);
  used = undefined;
  await autoscale();
  await start();
  await until(async () => (await replicas()) === 10, 'the most');
  await api.client.patch(DEPLOYMENTS, 'default', 'web', 'merge', { spec: { replicas: 0 } });
  await api.clock.advance(30_000);
  await until(async () => (await conditions()).includes('ScalingActive=False ScalingDisabled'), 'its condition');
  expect(await replicas()).toBe(0);
});

it('says that there is nothing to scale', async () => {
  await autoscale();
  await start();
  await until(async () => (await conditions()).length > 0, 'its condition');
  expect(await conditions()).toEqual(['AbleToScale=False FailedGetScale']);
});

it('is the same object in its first version', async () => {
  await autoscale({
    metrics: [
      resource(50),
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    ],
  });
  const first = await api.client.get(HORIZONTAL_POD_AUTOSCALERS_V1, 'default', 'web');
  expect(first.spec).toMatchObject({ targetCPUUtilizationPercentage: 50, maxReplicas: 10, minReplicas: 1 });
  expect(JSON.parse(first.metadata?.annotations?.['autoscaling.alpha.kubernetes.io/metrics'] ?? '')).toMatchObject([
    { type: 'Resource', resource: { name: 'memory' } },
  ]);
  await api.client.update(HORIZONTAL_POD_AUTOSCALERS_V1, {
    ...first,
    spec: { ...first.spec, targetCPUUtilizationPercentage: 70 },
  } as typeof first);
  const { spec, metadata } = await scaler();
  expect(spec?.metrics).toMatchObject([
    { resource: { name: 'memory' } },
    { resource: { name: 'cpu', target: { averageUtilization: 70 } } },
  ]);
  expect(metadata?.annotations).toBeUndefined();
});

function resource(averageUtilization: number): object {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}
