import { describe, expect, it } from 'vitest';
import { NODES } from '../api/index.ts';
import { ADMIN, podManifest, startTestServer, type TestServer } from '../apiserver/test-server.ts';
import { createKubeClient } from '../client/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { RemoteNodes } from './remote-nodes.node.ts';

const PODS = '/api/v1/namespaces/default/pods';

/** A server that reaches nodes as the real one does. */
async function withNode(node: object | undefined, run: (api: TestServer) => Promise<void>): Promise<void> {
  const clock = createManualClock();
  let nodes: RemoteNodes | undefined;
  const api = await startTestServer({ clock, nodeConnection: (name) => nodes?.connection(name) });
  const client = createKubeClient(api.server.as(ADMIN), { clock });
  nodes = new RemoteNodes({
    clock,
    authorityPem: '',
    client: { certificatePem: '', keyPem: '' },
    nodeOf: (name, signal) => client.get(NODES, undefined, name, signal),
  });
  if (node !== undefined) {
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, ...node };
    expect((await api.call('POST', '/api/v1/nodes', object)).status).toBe(201);
    expect((await api.call('PUT', '/api/v1/nodes/n1/status', object)).status).toBe(200);
  }
  expect((await api.call('POST', PODS, podManifest('p', { spec: { nodeName: 'n1' } }))).status).toBe(201);
  await run(api);
  nodes.close();
  await api.close();
}

/** Each way through the API server to a node. */
async function askAll(api: TestServer): Promise<readonly (readonly [string, number, string | undefined, string])[]> {
  const answers: (readonly [string, number, string | undefined, string])[] = [];
  for (const url of [`${PODS}/p/log`, '/api/v1/nodes/n1/proxy/pods']) {
    const { status, body } = await api.call('GET', url);
    answers.push([url, status, body.reason, body.message]);
  }
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
  for (const what of ['exec?command=a&stdout=1', 'attach?stdout=1', 'portforward?ports=80']) {
    const answer = await api.server.as(ADMIN).upgrade({ method: 'POST', url: `${PODS}/p/${what}`, headers });
    if (answer.upgraded) throw new Error('nobody is there');
    const { status, body } = answer.response;
    const told = JSON.parse(new TextDecoder().decode(body as Uint8Array)) as { reason?: string; message: string };
    answers.push([what, status, told.reason, told.message]);
  }
  return answers;
}

describe('the way to the kubelet of a node', () => {
  it.each<[string, object, string]>([
    ['that tells nothing', {}, '[]'],
    ['that tells no addresses', { status: { addresses: [] } }, '[]'],
    [
      'that tells only addresses of other kinds',
      { status: { addresses: [{ type: 'InternalDNS', address: 'n1.example' }] } },
      '[{InternalDNS n1.example}]',
    ],
  ])("%s: upstream's words, 500 without a reason", async (_, node, known) => {
    await withNode(node, async (api) => {
      for (const [what, status, reason, message] of await askAll(api))
        expect([what, status, reason, message]).toEqual([
          what,
          500,
          undefined,
          `node "n1": no preferred addresses found; known addresses: ${known}`,
        ]);
    });
  });

  it('that is not registered: 404 of the node, as upstream', async () => {
    await withNode(undefined, async (api) => {
      for (const [what, status, reason, message] of await askAll(api))
        expect([what, status, reason, message]).toEqual([what, 404, 'NotFound', 'nodes "n1" not found']);
    });
  });
});
