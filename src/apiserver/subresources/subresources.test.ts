import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, ConnectionError, encodeText, type HttpRequest } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { ADMIN, podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
let asked: HttpRequest[];
let answer: { status: number; body: string } | 'gone';

const node: Connection = {
  request: async (request) => {
    asked.push(request);
    if (answer === 'gone') throw new ConnectionError('connection refused');
    return { status: answer.status, headers: { 'content-type': 'text/plain' }, body: encodeText(answer.body) };
  },
  upgrade: async (request) => {
    asked.push(request);
    if (answer === 'gone') throw new ConnectionError('connection refused');
    return { upgraded: false, response: { status: answer.status, headers: {}, body: encodeText(answer.body) } };
  },
};

beforeEach(async () => {
  asked = [];
  answer = { status: 200, body: 'hello\n' };
  api = await startTestServer({
    clock: createManualClock(),
    nodeConnection: (name) => (name === 'n1' ? node : undefined),
  });
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const two = {
  containers: [
    { name: 'a', image: 'x' },
    { name: 'b', image: 'x' },
  ],
};

async function pod(name: string, spec: object = {}, metadata: object = {}): Promise<void> {
  const { status } = await api.call('POST', pods, podManifest(name, { spec, metadata }));
  expect(status).toBe(201);
}

describe('binding', () => {
  const binding = (name: string, more: object = {}) => ({
    metadata: { name },
    target: { kind: 'Node', name: 'n1' },
    ...more,
  });

  it.each([
    ['pods/binding', `${pods}/p/binding`],
    ['bindings', '/api/v1/namespaces/default/bindings'],
  ])('by %s gives the pod its node', async (_, url) => {
    await pod('p');
    const { status, body } = await api.call('POST', url, binding('p'));
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
    const bound = await api.call('GET', `${pods}/p`);
    expect(bound.body.spec.nodeName).toBe('n1');
    expect(bound.body.metadata.generation).toBe(1);
    expect(bound.body.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
  });

  it('happens once', async () => {
    await pod('p', { nodeName: 'n1' });
    const { status, body } = await api.call('POST', `${pods}/p/binding`, binding('p'));
    expect(status).toBe(409);
    expect(body.message).toBe(
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    );
  });

  it.each([
    ['p', { target: { kind: 'Pod', name: 'n1' } }, 422, /target.kind: Unsupported value: "Pod"/],
    ['p', { target: {} }, 422, /target.name: Required value/],
    ['p', { metadata: { name: 'p', uid: 'x' } }, 409, /Precondition failed: UID in precondition: x/],
    ['q', {}, 404, 'pods "q" not found'],
  ])('refuses %s %j', async (name, more, status, message) => {
    await pod('p');
    const result = await api.call('POST', `${pods}/${name}/binding`, binding(name, more));
    expect(result.body.message).toMatch(message);
    expect(result.status).toBe(status);
  });
});

it('evicts', async () => {
  await pod('p');
  const { status } = await api.call('POST', `${pods}/p/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'p' },
  });
  expect(status).toBe(201);
  expect((await api.call('GET', `${pods}/p`)).status).toBe(404);
});

describe('log', () => {
  it('comes from the node', async () => {
    await pod('p', { nodeName: 'n1' });
    const { status, body } = await api.call(
      'GET',
      `${pods}/p/log?follow=true&tailLines=5&sinceSeconds=3&timestamps=true&previous=false`,
    );
    expect(status).toBe(200);
    expect(body).toBe('hello\n');
    expect(asked[0]?.url).toBe('/containerLogs/default/p/main?follow=true&timestamps=true&sinceSeconds=3&tailLines=5');
  });

  it('is empty while the pod has no node', async () => {
    await pod('p');
    expect(await api.call('GET', `${pods}/p/log`)).toMatchObject({ status: 200, body: '' });
  });

  it.each([
    ['p', '', 400, 'a container name must be specified for pod p, choose one of: [a b]'],
    ['p', '?container=c', 400, 'container c is not valid for pod p'],
    ['p', '?container=a&tailLines=-1', 400, /tailLines/],
    [
      'p',
      '?container=a&sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
      400,
      'at most one of sinceTime or sinceSeconds may be specified',
    ],
    ['q', '', 404, 'pods "q" not found'],
  ])('of %s%s is refused', async (name, query, status, message) => {
    await pod('p', { nodeName: 'n1', ...two });
    const result = await api.call('GET', `${pods}/${name}/log${query}`);
    expect(result.body.message).toMatch(message);
    expect(result.status).toBe(status);
  });

  it('names the default container', async () => {
    await pod('p', { nodeName: 'n1', ...two }, { annotations: { 'kubectl.kubernetes.io/default-container': 'b' } });
    await api.call('GET', `${pods}/p/log`);
    expect(asked[0]?.url).toBe('/containerLogs/default/p/b');
  });

  it.each([
    [
      { status: 400, body: 'container "c" in pod "p" is waiting to start: ContainerCreating' },
      400,
      'BadRequest',
      'container "c" in pod "p" is waiting to start: ContainerCreating',
    ],
    [{ status: 404, body: 'no such log' }, 404, 'NotFound', 'no such log'],
    ['gone' as const, 500, 'InternalError', /error dialing backend: node "n1": connection refused/],
  ])('passes on %j', async (given, status, reason, message) => {
    await pod('p', { nodeName: 'n1' });
    answer = given;
    const result = await api.call('GET', `${pods}/p/log`);
    expect(result.body.message).toMatch(message);
    expect(result).toMatchObject({ status, body: { reason } });
  });

  it('says when a node is not connected', async () => {
    await pod('p', { nodeName: 'n2' });
    const { status, body } = await api.call('GET', `${pods}/p/log`);
    expect(status).toBe(500);
    expect(body.message).toContain('error dialing backend: node "n2" is not connected');
  });
});

describe('exec and its like', () => {
  const upgrade = (url: string) =>
    api.server
      .as(ADMIN)
      .upgrade({ method: 'POST', url, headers: { upgrade: 'SPDY/3.1', authorization: 'Bearer secret' } });

  it.each([
    [
      'exec?command=sh&command=-c&command=a%20b&stdin=true&stdout=true&tty=true',
      '/exec/default/p/main?input=1&output=1&tty=1&command=sh&command=-c&command=a+b',
    ],
    ['attach?stdout=1&stderr=1', '/attach/default/p/main?output=1&error=1'],
    ['portforward?ports=80', '/portForward/default/p?ports=80'],
  ])('%s', async (query, url) => {
    await pod('p', { nodeName: 'n1' });
    await upgrade(`${pods}/p/${query}`);
    expect(asked[0]?.url).toBe(url);
    expect(asked[0]?.headers).toEqual({ upgrade: 'SPDY/3.1' });
  });

  it('needs a node, a living pod, an upgrade, and leave', async () => {
    await pod('p');
    const refused = await upgrade(`${pods}/p/exec?command=ls`);
    expect(refused).toMatchObject({ upgraded: false, response: { status: 400 } });
    await pod('q', { nodeName: 'n1' });
    const plain = await api.call('POST', `${pods}/q/exec?command=ls`);
    expect(plain).toMatchObject({ status: 400, body: { message: 'Upgrade request required' } });
    const stranger = await api.server.connection.upgrade({ method: 'POST', url: `${pods}/q/exec`, headers: {} });
    expect(stranger).toMatchObject({ upgraded: false, response: { status: 401 } });
    expect(asked).toEqual([]);
  });
});

it('proxies to a node', async () => {
  const { body } = await api.call('GET', '/api/v1/nodes/n1/proxy/stats/summary?x=1');
  expect(body).toBe('hello\n');
  expect(asked[0]?.url).toBe('/stats/summary?x=1');
});

it('scale is printed with what is wanted and what is there', async () => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const body = { metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: labels }, template } };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  await api.call('POST', deployments, body);
  const table = await api.call('GET', `${deployments}/web/scale`, undefined, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  });
  expect(table.body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
    'Name',
    'Desired',
    'Available',
    'Age',
  ]);
  expect(table.body.rows[0].cells).toEqual(['web', 3, 0, '0s']);
  expect((await api.call('GET', `${deployments}/web/scale`)).body).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 3 },
  });
});
