import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', '/api/v1/nodes', { metadata: { name: 'n2' } });
  await api.call('POST', pods, podManifest('mine', { spec: { nodeName: 'n1' } }));
  await api.call('POST', pods, podManifest('other', { spec: { nodeName: 'n2' } }));
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const kubelet = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

async function asKubelet(method: string, url: string, body?: object): Promise<number> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = body === undefined ? {} : { body: encodeText(JSON.stringify(body)) };
  return (await api.server.as(kubelet).request({ method, url, headers: { 'content-type': type }, ...text })).status;
}

it.each<[number, string, string, object?]>([
  [201, 'POST', '/api/v1/nodes', { metadata: { name: 'n1' } }],
  [403, 'POST', '/api/v1/nodes', { metadata: { name: 'n3' } }],
  [403, 'PATCH', '/api/v1/nodes/n2/status', { status: {} }],
  [200, 'PATCH', `${pods}/mine/status`, { status: { phase: 'Running' } }],
  [403, 'PATCH', `${pods}/other/status`, { status: { phase: 'Running' } }],
  [200, 'DELETE', `${pods}/mine`],
  [403, 'DELETE', `${pods}/other`],
  [403, 'POST', `${pods}/other/eviction`, { metadata: { name: 'other' } }],
  [403, 'POST', pods, podManifest('new', { spec: { nodeName: 'n1' } })],
  [403, 'POST', pods, podManifest('new', { metadata: mirror, spec: { nodeName: 'n2' } })],
  [201, 'POST', pods, podManifest('new', { metadata: mirror, spec: { nodeName: 'n1' } })],
  [201, 'POST', leases, { metadata: { name: 'n1' }, spec: {} }],
  [403, 'POST', leases, { metadata: { name: 'n2' }, spec: {} }],
])('%d for a kubelet: %s %s %j', async (status, method, url, body) => {
  expect(await asKubelet(method, url, body)).toBe(status);
});
