import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connection, ConnectionError, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { startTestServer, type TestClock, type TestServer } from '../test-server.ts';

type Said = { readonly status: number; readonly body: string } | 'gone' | 'silent';

const own = '/apis/mendlet.dev/v1alpha1';
const none = { owners: [], pods: [], first: 10, states: 'oo', restarts: [], deaths: [], recoveries: [] };
const day = (name: string, more: object = {}) => ({ kind: 'Deployment', namespace: 'shop', name, ...none, ...more });
const list = (...items: readonly object[]): Said => ({
  status: 200,
  body: JSON.stringify({ kind: 'WorkloadDayList', items }),
});

let api: TestServer;
let clock: TestClock;
let said: Record<string, Said>;
let asked: string[];

function connection(name: string): Connection {
  const request: Connection['request'] = async ({ url }) => {
    asked.push(`${name} ${url}`);
    const answer = said[name] ?? 'gone';
    if (answer === 'gone') throw new ConnectionError('connection refused');
    if (answer === 'silent') return new Promise(() => {});
    return { status: answer.status, headers: {}, body: encodeText(answer.body) };
  };
  return { request, upgrade: () => Promise.reject(new Error('no')) };
}

beforeEach(async () => {
  asked = [];
  said = {};
  clock = createManualClock();
  api = await startTestServer({ clock, nodeConnection: connection });
});
afterEach(() => api.close());

async function node(name: string, ready = 'True'): Promise<void> {
  const status = { conditions: [{ type: 'Ready', status: ready }] };
  await api.call('POST', '/api/v1/nodes', { metadata: { name }, status });
}

it('the days of one workload on several nodes are one', async () => {
  for (const name of ['n1', 'n2']) await node(name);
  said = {
    n1: list(day('api', { restarts: [[0, 1]] }), day('web')),
    n2: list(day('api', { states: 'ox', restarts: [[0, 2]] })),
  };
  const { status, body } = await api.call('GET', `${own}/workloaddays`);
  expect(status).toBe(200);
  expect(body).toEqual({
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'WorkloadDayList',
    items: [day('api', { states: 'ox', restarts: [[0, 3]] }), day('web')],
  });
  expect(asked.toSorted()).toEqual(['n1 /mendlet/v1/days?', 'n2 /mendlet/v1/days?']);
});

it('a namespace gets its own workloads alone, whatever a node says', async () => {
  await node('n1');
  said = { n1: list(day('api'), day('secret', { namespace: 'bank' })) };
  const { body } = await api.call(
    'GET',
    `${own}/namespaces/shop/workloaddays?kind=Deployment&name=api&series=true&else=x`,
  );
  expect(body.items).toEqual([day('api')]);
  expect(asked).toEqual(['n1 /mendlet/v1/days?namespace=shop&kind=Deployment&name=api&series=true']);
});

it('nodes that do not answer are named, and cost the others nothing', async () => {
  for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) await node(name);
  await node('n6', 'False');
  said = {
    n1: list(day('api')),
    n2: { status: 404, body: '404 page not found' },
    n3: { status: 200, body: '[]' },
    n4: 'gone',
    n5: { status: 500, body: 'disk' },
    n6: 'silent',
  };
  const answer = api.call('GET', `${own}/workloaddays`);
  await expect.poll(() => asked.length).toBe(6);
  await clock.advance(2000);
  const { status, body } = await answer;
  expect(status).toBe(200);
  expect(body.items).toEqual([day('api')]);
  expect(body.notAsked).toEqual([
    { node: 'n2', problem: 'its agent remembers no days' },
    { node: 'n3', problem: 'its answer is no list of days' },
    { node: 'n4', problem: expect.stringContaining('connection refused') },
    { node: 'n5', problem: 'it answers with status 500: disk' },
    { node: 'n6', problem: 'it is not ready: it does not answer in time' },
  ]);
});

it('what nodes leave out is counted', async () => {
  await node('n1');
  said = { n1: { status: 200, body: JSON.stringify({ kind: 'WorkloadDayList', items: [day('api'), 7], leftOut: 2 }) } };
  expect((await api.call('GET', `${own}/workloaddays`)).body.leftOut).toBe(3);
});

it.each([
  ['GET', `${own}/workloaddays?series=maybe`, 400],
  ['GET', `${own}/workloaddays?series=true`, 400],
  ['GET', `${own}/namespaces/shop/workloaddays/api`, 405],
  ['GET', `${own}/workloaddays?watch=true`, 405],
  ['DELETE', `${own}/namespaces/shop/workloaddays`, 405],
  ['POST', `${own}/namespaces/shop/workloaddays`, 405],
  ['GET', `${own}/namespaces/shop/workloaddays/api/status`, 404],
])('%s %s: %d', async (method, url, status) => {
  expect((await api.call(method, url)).status).toBe(status);
  expect(asked).toEqual([]);
});

it('discovery does not name it', async () => {
  const { body } = await api.call('GET', own);
  expect(JSON.stringify(body)).not.toContain('workloadday');
});
