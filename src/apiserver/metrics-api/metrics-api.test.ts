import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, ConnectionError, encodeText, type HttpResponse } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, podManifest, startTestServer, type TestServer } from '../test-server.ts';
import { readSummary } from './node-figures.ts';

const TIME = '2026-01-01T00:00:00Z';
const use = (cpu: number | undefined, memory: number) => ({
  cpu: { time: TIME, ...(cpu !== undefined && { usageNanoCores: cpu }), usageCoreNanoSeconds: 5e9 },
  memory: { time: TIME, workingSetBytes: memory },
});

let api: TestServer;
let asked: string[];
/** What each node answers; absent: it is not connected. */
let answers: Record<string, () => Promise<HttpResponse>>;

const summaryOf = (node: object, pods: readonly object[]) => async (): Promise<HttpResponse> => ({
  status: 200,
  headers: {},
  body: encodeText(JSON.stringify({ node, pods })),
});

const connectionOf = (name: string): Connection => ({
  request: async ({ url }) => {
    asked.push(`${name} ${url}`);
    return (answers[name] ?? (() => Promise.reject(new ConnectionError('connection refused'))))();
  },
  upgrade: () => Promise.reject(new ConnectionError('not here')),
});

beforeEach(async () => {
  asked = [];
  answers = {};
  const names = ['n1', 'n2', 'n3'];
  api = await startTestServer({
    clock: createManualClock(),
    nodeConnection: (name) => (names.includes(name) ? connectionOf(name) : undefined),
  });
});
afterEach(() => api.close());

/** A pod that runs; returns its UID. */
async function runningPod(name: string, node: string, labels: Record<string, string>, ns = 'default'): Promise<string> {
  const made = await api.call(
    'POST',
    `/api/v1/namespaces/${ns}/pods`,
    podManifest(name, { metadata: { labels }, spec: { nodeName: node } }),
  );
  expect(made.status).toBe(201);
  const patch = { status: { phase: 'Running' } };
  const type = { 'content-type': 'application/merge-patch+json' };
  expect((await api.call('PATCH', `/api/v1/namespaces/${ns}/pods/${name}/status`, patch, type)).status).toBe(200);
  return made.body.metadata.uid;
}

const list = async (path: string): Promise<Loose> =>
  (await api.call('GET', `/apis/metrics.k8s.io/v1beta1${path}`)).body;
const names = (body: Loose): readonly string[] => body.items.map((item: Loose) => item.metadata.name);

describe('pods', () => {
  beforeEach(async () => {
    await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    const web = await runningPod('web', 'n1', { app: 'web' });
    const db = await runningPod('db', 'n2', { app: 'db' }, 'other');
    const fresh = await runningPod('fresh', 'n1', { app: 'web' });
    answers['n1'] = summaryOf(use(1e9, 1e9), [
      {
        podRef: { name: 'web', namespace: 'default', uid: web },
        containers: [
          { name: 'main', ...use(250_000_001, 20 * 1024 * 1024 + 5) },
          { name: 'side', ...use(0, 4096) },
        ],
      },
      {
        podRef: { name: 'fresh', namespace: 'default', uid: fresh },
        containers: [
          { name: 'main', ...use(5, 4096) },
          { name: 'new', ...use(undefined, 4096) },
        ],
      },
    ]);
    answers['n2'] = summaryOf(use(1, 1), [
      { podRef: { name: 'db', namespace: 'other', uid: db }, containers: [{ name: 'main', ...use(7, 1024) }] },
    ]);
  });

  it('tell what each container uses', async () => {
    expect(await list('/namespaces/default/pods/web')).toEqual({
      kind: 'PodMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: {
        name: 'web',
        namespace: 'default',
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { app: 'web' },
      },
      timestamp: TIME,
      window: '10s',
      containers: [
        { name: 'main', usage: { cpu: '250000001n', memory: '20Mi' } },
        { name: 'side', usage: { cpu: '0', memory: '4Ki' } },
      ],
    });
    expect(asked).toEqual(['n1 /stats/summary?only_cpu_and_memory=true']);
  });

  it.each([
    ['/pods', ['web', 'db']],
    ['/namespaces/default/pods', ['web']],
    ['/namespaces/other/pods', ['db']],
    ['/pods?labelSelector=app%3Ddb', ['db']],
    ['/pods?labelSelector=app+notin+(db)', ['web']],
    ['/pods?fieldSelector=metadata.name%3Dweb', ['web']],
    ['/namespaces/empty/pods', []],
  ])('list %s', async (path, expected) => {
    const body = await list(path);
    expect(body).toMatchObject({ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {} });
    expect(names(body)).toEqual(expected);
  });

  it.each([
    ['a pod with a container that is not measured yet', 'fresh', 'podmetrics.metrics.k8s.io "default/fresh" not found'],
    ['a pod that is not there', 'none', 'podmetrics.metrics.k8s.io "default/none" not found'],
  ])('404 for %s', async (_, name, message) => {
    const { status, body } = await api.call('GET', `/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/${name}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ reason: 'NotFound', message });
  });

  it('come without those of a node that does not answer', async () => {
    delete answers['n2'];
    expect(names(await list('/pods'))).toEqual(['web']);
  });

  it('come without those of a node that does not answer in time', async () => {
    answers['n2'] = () => new Promise(() => {});
    const found = list('/pods');
    await api.clock.advance(5_000);
    expect(names(await found)).toEqual(['web']);
  });

  it('are asked for again soon while something is not measured yet', async () => {
    await list('/pods');
    await api.clock.advance(2_000);
    await list('/pods');
    expect(asked.map((line) => line.split(' ')[0])).toEqual(['n1', 'n2', 'n1']);
  });

  it('are asked for once in ten seconds', async () => {
    answers['n1'] = answers['n2'] ?? (() => Promise.reject(new ConnectionError('gone')));
    await Promise.all([list('/pods'), list('/pods')]);
    await api.clock.advance(9_000);
    await list('/pods');
    expect(asked).toHaveLength(2);
    await api.clock.advance(1_001);
    await list('/pods');
    expect(asked).toHaveLength(4);
  });

  it('print as a table', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { body } = await api.call('GET', '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods', undefined, {
      accept,
    });
    expect(body.kind).toBe('Table');
    expect(body.rows.map((row: Loose) => row.cells)).toEqual([['web', '250000001n', '20484Ki', '10s']]);
  });
});

describe('nodes', () => {
  beforeEach(async () => {
    for (const name of ['n1', 'n2', 'far']) {
      const labels = { zone: name === 'n2' ? 'b' : 'a' };
      await api.call('POST', '/api/v1/nodes', { metadata: { name, labels } });
    }
    answers['n1'] = summaryOf(use(1_500_000_000, 3 * 1024 ** 3), []);
    answers['n2'] = summaryOf(use(1, 1024), []);
  });

  it('tell what they use; one that is not connected is left out', async () => {
    const body = await list('/nodes');
    expect(names(body)).toEqual(['n1', 'n2']);
    expect(body.items[0]).toMatchObject({
      kind: 'NodeMetrics',
      usage: { cpu: '1500000000n', memory: '3Gi' },
      metadata: { labels: { zone: 'a' } },
    });
    expect(names(await list('/nodes?labelSelector=zone%3Db'))).toEqual(['n2']);
    expect(await list('/nodes/n2')).toMatchObject({ kind: 'NodeMetrics', usage: { cpu: '1n', memory: '1Ki' } });
    expect(await list('/nodes/far')).toMatchObject({ message: 'nodemetrics.metrics.k8s.io "far" not found' });
  });

  it.each([
    ['no JSON', 200, 'oops'],
    ['a refusal', 401, 'Unauthorized'],
    ['something else', 200, '[1,{"node":7}]'],
  ])('leave out one whose kubelet answers with %s', async (_, status, text) => {
    answers['n2'] = async () => ({ status, headers: {}, body: encodeText(text) });
    expect(names(await list('/nodes'))).toEqual(['n1']);
  });
});

it('is in discovery', async () => {
  expect(await list('')).toMatchObject({
    groupVersion: 'metrics.k8s.io/v1beta1',
    resources: [
      { name: 'nodes', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
      { name: 'pods', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
    ],
  });
  const { body } = await api.call('GET', '/apis');
  expect(body.groups.map((group: Loose) => group.name)).toContain('metrics.k8s.io');
});

it.each([
  ['DELETE', '/pods', 405],
  ['POST', '/namespaces/default/pods', 405],
  ['GET', '/pods?watch=true', 405],
  ['GET', '/namespaces/default/pods/web/status', 404],
  ['GET', '/deployments', 404],
])('%s %s is refused', async (method, path, status) => {
  expect((await api.call(method, `/apis/metrics.k8s.io/v1beta1${path}`)).status).toBe(status);
});

it.each([undefined, null, 7, 'x', [], { pods: 'x' }, { pods: [{ podRef: {}, containers: [{}] }] }])(
  'reads %j as nothing',
  (value) => {
    expect(readSummary(value).pods.size).toBe(0);
  },
);
