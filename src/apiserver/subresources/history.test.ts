import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, ConnectionError, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, podManifest, startTestServer, type TestClock, type TestServer } from '../test-server.ts';

type Said = { readonly status: number; readonly body: string } | 'gone' | 'silent';

const UID = '00000000-0000-4000-8000-000000000001';
const item = (node: string, uid = UID) => ({
  kind: 'PodHistory',
  metadata: { namespace: 'default', name: 'web', uid },
  nodeName: node,
});
const knows = (node: string, uid = UID): Said => ({
  status: 200,
  body: JSON.stringify({ kind: 'PodHistoryList', items: [item(node, uid)] }),
});
const NONE: Said = { status: 200, body: '{"kind":"PodHistoryList","items":[]}' };
const UNKNOWN: Said = { status: 404, body: '{"kind":"Status","code":404}' };
const FOREIGN: Said = { status: 404, body: '404 page not found' };

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
  clock = createManualClock();
  api = await startTestServer({ clock, nodeConnection: (name) => (name === 'n9' ? undefined : connection(name)) });
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const history = (query = ''): Promise<Answer> => api.call('GET', `${pods}/web/history${query}`);

async function node(name: string, ready = 'True'): Promise<void> {
  await api.call('POST', '/api/v1/nodes', {
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
}

async function pod(nodeName: string): Promise<string> {
  return (await api.call('POST', pods, podManifest('web', { spec: { nodeName } }))).body.metadata.uid;
}

describe('the history of a pod that is there', () => {
  it('is asked of its node alone', async () => {
    for (const name of ['n1', 'n2']) await node(name);
    const uid = await pod('n1');
    said = { n1: knows('n1', uid) };
    const { status, body } = await history('?container=main&death=3&else=x');
    expect(status).toBe(200);
    expect(body).toEqual({ apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodHistoryList', items: [item('n1', uid)] });
    expect(asked).toEqual(['n1 /mendlet/v1/history?namespace=default&pod=web&container=main&death=3']);
  });

  it('is that of a pod in which nothing has died, and of those that had its name', async () => {
    const uid = await pod('n1');
    said = { n1: knows('n1') };
    const { body } = await history();
    expect(body.items).toEqual([
      {
        apiVersion: 'mendlet.dev/v1alpha1',
        kind: 'PodHistory',
        metadata: { namespace: 'default', name: 'web', uid },
        nodeName: 'n1',
        containers: [],
      },
      { ...item('n1'), goneAt: new Date(clock.now().wall).toISOString() },
    ]);
  });

  it.each<[string, Said, number, string]>([
    ['no deaths', NONE, 200, ''],
    ['nothing of it', UNKNOWN, 200, ''],
    [
      'nothing at all, ever',
      FOREIGN,
      503,
      'node "n1" does not tell what it remembers: its agent keeps no history of deaths',
    ],
    ['nothing we understand', { status: 200, body: '{"items":[1]}' }, 503, 'its answer is no list of histories'],
    ['of its troubles', { status: 500, body: 'disk' }, 503, 'it answers with status 500: disk'],
    ['no word', 'gone', 503, 'connection refused'],
  ])('when the node tells %s', async (_, answer, code, problem) => {
    await pod('n1');
    said = { n1: answer };
    const { status, body } = await history();
    expect(status).toBe(code);
    if (code === 200) expect(body.items).toMatchObject([{ nodeName: 'n1', containers: [] }]);
    else expect(body.message).toContain(problem);
  });

  it('is empty without a node', async () => {
    await api.call('POST', pods, podManifest('web'));
    expect((await history()).body.items).toEqual([]);
  });

  it('ends waiting for a node that does not answer', async () => {
    await pod('n1');
    said = { n1: 'silent' };
    const answer = history();
    while (asked.length === 0) await Promise.resolve();
    await clock.advance(5_000);
    expect((await answer).body.message).toContain('it does not answer in time');
  });

  it.each(['0', '-1', 'x', '1.5'])('is not of death %s', async (death) => {
    expect((await history(`?death=${death}`)).status).toBe(400);
  });
});

describe('the history of a pod that is gone', () => {
  const goneNow = () => ({ goneAt: new Date(clock.now().wall).toISOString() });

  it('is what any node remembers', async () => {
    for (const name of ['n1', 'n2', 'n3']) await node(name);
    said = { n1: UNKNOWN, n2: knows('n2'), n3: 'gone' };
    const { status, body, headers } = await history();
    expect(status).toBe(200);
    expect(body.items).toEqual([{ ...item('n2'), ...goneNow() }]);
    expect(headers['warning']).toContain('n3');
    expect(body.notAsked).toEqual([{ node: 'n3', problem: 'connection refused' }]);
    expect(asked).toHaveLength(3);
  });

  it('is asked of nodes that are not ready, too', async () => {
    await node('n1');
    await node('n2', 'Unknown');
    said = { n1: UNKNOWN, n2: knows('n2') };
    const { body } = await history();
    expect([body.items.length, body.notAsked]).toEqual([1, undefined]);
  });

  it('waits only a moment for them, and says whom it did not hear', async () => {
    await node('n1');
    for (const name of ['n2', 'n3']) await node(name, 'False');
    await node('n9', 'Unknown');
    said = { n1: knows('n1'), n2: 'silent', n3: 'silent' };
    const answer = history();
    while (asked.length < 3) await Promise.resolve();
    await clock.advance(2_000);
    const { status, body } = await answer;
    expect([status, body.items.length]).toEqual([200, 1]);
    expect(body.notAsked).toEqual([
      { node: 'n2', problem: 'it is not ready: it does not answer in time' },
      { node: 'n3', problem: 'it is not ready: it does not answer in time' },
      { node: 'n9', problem: 'it is not ready: it is not connected' },
    ]);
  });

  it('waits no longer for many of them than for one', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `m${n}`);
    for (const name of names) await node(name, 'False');
    said = Object.fromEntries(names.map((name) => [name, 'silent']));
    const answer = history();
    while (asked.length < 32) await Promise.resolve();
    await clock.advance(2_000);
    const { status, body } = await answer;
    expect(status).toBe(503);
    expect(body.message).toContain('does not answer in time (and 39 more nodes)');
  });

  it('is that of the UID asked for, though another pod has its name now', async () => {
    for (const name of ['n1', 'n2']) await node(name);
    await pod('n1');
    said = { n1: UNKNOWN, n2: knows('n2') };
    expect((await history('?uid=old')).body.items).toEqual([{ ...item('n2'), ...goneNow() }]);
  });

  it('is unknown when nobody remembers', async () => {
    await node('n1');
    said = { n1: UNKNOWN };
    expect((await history()).body).toMatchObject({ code: 404, message: 'pods "web" not found' });
  });

  it('may be somewhere when somebody does not answer', async () => {
    for (const name of ['n1', 'n9']) await node(name);
    said = { n1: UNKNOWN };
    const { status, body } = await history();
    expect(status).toBe(503);
    expect(body.message).toBe('node "n9" does not tell what it remembers: it is not connected');
  });
});
