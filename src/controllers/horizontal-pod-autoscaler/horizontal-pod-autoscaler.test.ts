/** An autoscaler on the real API server, with the rights of the controllers and metrics that the test makes up. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  type Event,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  HORIZONTAL_POD_AUTOSCALERS_V1,
  type HorizontalPodAutoscaler,
  type Pod,
  PODS,
  StatusError,
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
/** By API group: what an adapter answers to a question, values or whole items. Empty: none is served. */
let adapters: Record<string, (asked: string) => readonly (string | object)[]>;
const stop = { controller: new AbortController(), done: Promise.resolve() as Promise<unknown> };

beforeEach(async () => {
  api = await createInMemoryApi();
  used = 100;
  adapters = {};
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

async function autoscale(spec: object = {}, name = 'web'): Promise<void> {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  await api.client.create(HORIZONTAL_POD_AUTOSCALERS, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, namespace: 'default' },
    spec: { scaleTargetRef, maxReplicas: 10, ...spec },
  });
}

/** Metrics of the pods that are there. */
function measuring(client: KubeClient): KubeClient {
  const list = async (...[resource, query, signal]: Parameters<KubeClient['list']>) => {
    const adapter = adapters[resource.group];
    if (adapter !== undefined) {
      const asked = `${resource.version} ${resource.resource} ${JSON.stringify(query)}`;
      const items = adapter(asked).map((value) => (typeof value === 'object' ? value : { value }));
      return { items, resourceVersion: '' };
    }
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

const pods = (averageValue = '10'): object => ({
  type: 'Pods',
  pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue } },
});
const described = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' };
const object = (target: object): object => ({
  type: 'Object',
  object: { describedObject: described, metric: { name: 'hits' }, target },
});
const external = (target: object): object => ({
  type: 'External',
  external: { metric: { name: 'queue', selector: { matchLabels: { q: 'a' } } }, target },
});
const VALUE = { type: 'Value', value: '10' };
const AVERAGE = { type: 'AverageValue', averageValue: '10' };
const NO_CUSTOM =
  'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
const SELECTOR = '&LabelSelector{MatchLabels:map[string]string{q: a,},MatchExpressions:[]LabelSelectorRequirement{},}';
const NO_EXTERNAL = `unable to get external metric default/queue/${SELECTOR}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)`;

describe('metrics of adapters that are not there', () => {
  it.each([
    ['FailedGetPodsMetric', pods(), `unable to get metric requests: ${NO_CUSTOM}`, 'failed to get pods metric value: '],
    [
      'FailedGetObjectMetric',
      object(VALUE),
      `unable to get metric hits on Ingress default/main: ${NO_CUSTOM}`,
      'failed to get object metric value: ',
    ],
    [
      'FailedGetObjectMetric',
      object(AVERAGE),
      `unable to get metric hits on Ingress default/main: ${NO_CUSTOM}`,
      'failed to get object metric value: failed to get hits object metric: ',
    ],
    [
      'FailedGetExternalMetric',
      external(VALUE),
      NO_EXTERNAL,
      'failed to get queue external metric value: failed to get external metric queue: ',
    ],
    [
      'FailedGetExternalMetric',
      external(AVERAGE),
      NO_EXTERNAL,
      'failed to get queue external metric value: failed to get queue external metric: ',
    ],
  ])('%s %#', async (reason, metric, text, around) => {
    await deploy(2);
    await run('a');
    await autoscale({ metrics: [metric] });
    await start();
    await until(async () => (await events()).length > 1, 'its events');
    const told = (await scaler()).status?.conditions?.find(({ type }) => type === 'ScalingActive');
    const message = `the HPA was unable to compute the replica count: ${text}`;
    expect(told).toMatchObject({ status: 'False', reason, message });
    expect((await events()).toSorted()).toEqual([
      `Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: ${around}${text}`,
      `Warning ${reason}: ${text}`,
    ]);
    expect(await replicas()).toBe(2);
  });

  it('do not keep others from adding pods, and keep them from taking any away', async () => {
    await deploy(2);
    for (const name of ['a', 'b']) await run(name);
    used = 200;
    await autoscale({ metrics: [resource(50), external(VALUE)] });
    await start();
    await until(async () => (await replicas()) === 4, 'four pods');
    await until(async () => (await conditions()).includes('ScalingActive=True ValidMetricFound'), 'its condition');
    for (const name of ['c', 'd']) await run(name);
    used = 10;
    await api.clock.advance(10 * 60_000);
    expect(await conditions()).toContain('ScalingActive=False FailedGetExternalMetric');
    expect(await replicas()).toBe(4);
  });
});

describe('metrics of adapters', () => {
  const asked: string[] = [];
  /** In the first version only. */
  const custom = (path: string, items: readonly (string | object)[]): void => {
    adapters['custom.metrics.k8s.io'] = (question) => {
      asked.push(question);
      const code = 404;
      const message = 'the server could not find the requested resource';
      if (!question.startsWith(`v1beta1 ${path} `)) throw new StatusError({ code, reason: 'NotFound', message });
      return items;
    };
  };
  beforeEach(() => {
    asked.length = 0;
  });

  it.each([
    [
      'of pods',
      pods(),
      () =>
        custom(
          'pods/*/requests',
          ['a', 'b'].map((name) => ({ describedObject: { name }, value: '20' })),
        ),
      { pods: { metric: { name: 'requests' }, current: { averageValue: '20' } } },
      'pods metric requests',
    ],
    [
      'of an object as a whole',
      object(VALUE),
      () => custom('ingresses.networking.k8s.io/main/hits', ['20']),
      { object: { describedObject: described, metric: { name: 'hits' }, current: { value: '20' } } },
      'Ingress metric hits',
    ],
    [
      'of an object for each pod',
      object(AVERAGE),
      () => custom('ingresses.networking.k8s.io/main/hits', ['40']),
      { object: { current: { averageValue: '20' } } },
      'external metric hits(nil)',
    ],
    [
      'from outside as a whole',
      external(VALUE),
      () => (adapters['external.metrics.k8s.io'] = () => ['15', '5']),
      { external: { metric: { name: 'queue' }, current: { value: '20' } } },
      `external metric queue(${SELECTOR})`,
    ],
    [
      'from outside for each pod',
      external(AVERAGE),
      () => (adapters['external.metrics.k8s.io'] = () => ['15', '25']),
      { external: { current: { averageValue: '20' } } },
      `external metric queue(${SELECTOR})`,
    ],
  ])('%s', async (_, metric, serve, current, name) => {
    serve();
    await deploy(2);
    for (const each of ['a', 'b']) await run(each);
    await autoscale({ metrics: [metric] });
    await start();
    await until(async () => (await replicas()) === 4, 'four pods');
    await until(async () => (await events()).length > 0, 'its event');
    expect(await events()).toEqual([`Normal SuccessfulRescale: New size: 4; reason: ${name} above target`]);
    expect((await scaler()).status?.currentMetrics).toMatchObject([current]);
  });

  it('are asked for with both selectors, and say when a metric is unknown', async () => {
    custom('pods/*/other', []);
    adapters['external.metrics.k8s.io'] = () => [];
    await deploy(2);
    await run('a');
    const spec = { metric: { name: 'other', selector: { matchLabels: { verb: 'get' } } }, target: AVERAGE };
    await autoscale({ metrics: [{ type: 'Pods', pods: spec }, external(VALUE)] });
    await start();
    await until(async () => (await events()).length > 2, 'its events');
    expect(asked[1]).toBe(
      'v1beta1 pods/*/other {"namespace":"default","labelSelector":"app=web","metricLabelSelector":"verb=get"}',
    );
    expect((await events()).filter((text) => text.includes('FailedGet')).toSorted()).toEqual([
      `Warning FailedGetExternalMetric: unable to get external metric default/queue/${SELECTOR}: no metrics returned from external metrics API`,
      'Warning FailedGetPodsMetric: unable to get metric other: no metrics returned from custom metrics API',
    ]);
    const message = 'the server could not find the metric other for pods';
    adapters['custom.metrics.k8s.io'] = () => {
      throw new StatusError({ code: 404, reason: 'NotFound', message });
    };
    await api.clock.advance(15_000);
    const text = `unable to get metric other: unable to fetch metrics from custom metrics API: ${message}`;
    await until(async () => (await events()).includes(`Warning FailedGetPodsMetric: ${text}`), 'its words');
  });
});

it('does nothing for pods that another autoscaler has, too', async () => {
  await deploy(2);
  for (const name of ['a', 'b']) await run(name);
  await autoscale({ metrics: [resource(50)] });
  await autoscale({ metrics: [resource(50)] }, 'web-too');
  await start();
  await api.clock.advance(30_000);
  const text = 'pods by selector app=web are controlled by more than one HPA (e.g. [{web default} {web-too default}])';
  await until(async () => (await conditions()).includes('ScalingActive=False AmbiguousSelector'), 'its condition');
  expect(await events()).toContain(`Warning AmbiguousSelector: ${text}`);
  await api.client.delete(HORIZONTAL_POD_AUTOSCALERS, 'default', 'web-too');
  await api.clock.advance(30_000);
  await until(async () => (await conditions()).includes('ScalingActive=True ValidMetricFound'), 'its own pods');
});

it('scales a custom kind by its scale subresource', async () => {
  const WORKERS = { ...DEPLOYMENTS, group: 'example.com', resource: 'workers', kind: 'Worker' };
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'workers.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'workers', kind: 'Worker' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.size',
              statusReplicasPath: '.status.size',
              labelSelectorPath: '.status.selector',
            },
          },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  const worker = { apiVersion: 'example.com/v1', kind: 'Worker', metadata: { name: 'web', namespace: 'default' } };
  const make = (): Promise<unknown> => api.client.create(WORKERS, { ...worker, spec: { size: 2 } } as never);
  await until(
    () =>
      make().then(
        () => true,
        () => false,
      ),
    'its kind',
  );
  await api.client.patch(WORKERS, 'default', 'web', 'merge', { status: { size: 2, selector: 'app=web' } }, 'status');
  for (const name of ['a', 'b']) await run(name);
  used = 200;
  await autoscale({
    scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Worker', name: 'web' },
    metrics: [resource(50)],
  });
  await start();
  const size = async (): Promise<unknown> =>
    ((await api.client.get(WORKERS, 'default', 'web')).spec as { size?: unknown } | undefined)?.size;
  await until(async () => (await size()) === 4, 'four');
  expect(await conditions()).toContain('AbleToScale=True SucceededRescale');
});

it.each([
  ['apps/v1', 'Deployment', 'deployments.apps "web" not found'],
  ['apps/v1', 'Nothing', 'no matches for kind "Nothing" in group "apps"'],
  ['batch/v1', 'Job', 'the server could not find the requested resource'],
])('says why there is no scale: %s %s', async (apiVersion, kind, problem) => {
  await autoscale({ scaleTargetRef: { apiVersion, kind, name: 'web' } });
  await start();
  await until(async () => (await events()).length > 0, 'its event');
  expect(await events()).toEqual([`Warning FailedGetScale: ${problem}`]);
  const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
  expect((await scaler()).status?.conditions).toMatchObject([
    { type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message },
  ]);
});

function resource(averageUtilization: number): object {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}
