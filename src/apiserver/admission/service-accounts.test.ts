import { afterEach, beforeEach, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const pods = '/api/v1/namespaces/default/pods';
const accounts = '/api/v1/namespaces/default/serviceaccounts';

it('calls a pod that is still to be named by the beginning of its name', async () => {
  const { metadata: _, ...pod } = podManifest('p', { spec: { serviceAccountName: 'builder' } });
  const { body } = await api.call('POST', pods, { ...pod, metadata: { generateName: 'web-' } });
  expect(body.message).toBe(
    'pods "web-" is forbidden: error looking up service account default/builder: serviceaccount "builder" not found',
  );
});

it('refuses a pod whose service account does not exist, and takes it once it does', async () => {
  const pod = podManifest('p', { spec: { serviceAccountName: 'builder' } });
  const { status, body } = await api.call('POST', pods, pod);
  expect(status).toBe(403);
  expect(body.message).toBe(
    'pods "p" is forbidden: error looking up service account default/builder: serviceaccount "builder" not found',
  );
  await api.call('POST', accounts, { metadata: { name: 'builder' } });
  expect((await api.call('POST', pods, pod)).status).toBe(201);
});

it('does not wait for the default account', async () => {
  expect((await api.call('POST', pods, podManifest('p'))).status).toBe(201);
});

it('gives a pod its account’s pull secrets, unless it has its own', async () => {
  await api.call('POST', accounts, { metadata: { name: 'default' }, imagePullSecrets: [{ name: 'registry' }] });
  const plain = await api.call('POST', pods, podManifest('plain'));
  expect(plain.body.spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
  const own = await api.call('POST', pods, podManifest('own', { spec: { imagePullSecrets: [{ name: 'mine' }] } }));
  expect(own.body.spec.imagePullSecrets).toEqual([{ name: 'mine' }]);
});
