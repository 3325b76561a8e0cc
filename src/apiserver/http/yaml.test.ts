import { load } from 'js-yaml';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

it('answers in YAML for those who prefer it', async () => {
  const accept = { accept: 'application/yaml' };
  const { status, headers, body } = await api.call('GET', '/api/v1/namespaces/default', undefined, accept);
  expect([status, headers['content-type']]).toEqual([200, 'application/yaml']);
  expect(body).toContain('kind: Namespace\n');
  const both = await api.call('GET', '/api/v1/namespaces/default', undefined, {
    accept: 'application/json, application/yaml',
  });
  expect(both.body.kind).toBe('Namespace');
});

it('answers lists and large objects in YAML that says the same as JSON', async () => {
  const odd = '\u007f\u0085\u2028\ufeff\uffff "quoted": - # & \t\n é 𝄞 ';
  const maps = '/api/v1/namespaces/default/configmaps';
  for (const [name, size] of [
    ['small', 10],
    ['large', 100_000],
  ] as const)
    await api.call('POST', maps, { metadata: { name }, data: { odd, text: 'x '.repeat(size) } });
  for (const url of [maps, `${maps}/large`, `${maps}?limit=1`, `${maps}?labelSelector=none`]) {
    const plain = await api.call('GET', url);
    const { headers, body } = await api.call('GET', url, undefined, { accept: 'application/yaml' });
    expect(headers['content-type']).toBe('application/yaml');
    expect(load(body)).toEqual(plain.body);
  }
});

it('warns of what is deprecated or odd', async () => {
  const listed = await api.call('GET', '/api/v1/namespaces/default/endpoints');
  expect(listed.headers['warning']).toBe(
    '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
  );
  const pod = podManifest('p', { spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } });
  const made = await api.call('POST', '/api/v1/namespaces/default/pods', pod);
  expect(made.headers['warning']).toContain('spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14');
});
