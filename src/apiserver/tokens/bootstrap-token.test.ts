import { afterEach, beforeEach, expect, it } from 'vitest';
import { bootstrapTokenSecret } from '../../api/index.ts';
import { decodeText, encodeText, formatTime, readAll } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
  const expiration = formatTime(api.clock.now().wall + 60_000);
  const secret = bootstrapTokenSecret({ id: 'abcdef', secret: '0123456789abcdef', expiration });
  await api.call('POST', SECRETS, secret);
});
afterEach(() => api.close());

const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const TOKEN = 'abcdef.0123456789abcdef';

async function whoami(token: string): Promise<{ status: number; body: Loose }> {
  const response = await api.server.connection.request({
    method: 'POST',
    url: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { authorization: `Bearer ${token}` },
    body: encodeText('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'),
  });
  return { status: response.status, body: JSON.parse(decodeText(await readAll(response.body, 65_536))) };
}

it('stands for a bootstrapper, until it ends', async () => {
  expect((await whoami(TOKEN)).body.status.userInfo).toEqual({
    username: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
  });
  expect((await whoami('abcdef.0123456789abcdee')).status).toBe(401);
  expect((await whoami('ghijkl.0123456789abcdef')).status).toBe(401);
  await api.clock.advance(60_000);
  expect((await whoami(TOKEN)).status).toBe(401);
});

it('ends with its secret', async () => {
  await api.call('DELETE', `${SECRETS}/bootstrap-token-abcdef`);
  expect((await whoami(TOKEN)).status).toBe(401);
});

it('is known to the edge and to reviews, for this server alone', async () => {
  expect(await api.server.authenticateToken(TOKEN)).toMatchObject({ name: 'system:bootstrap:abcdef' });
  const url = '/apis/authentication.k8s.io/v1/tokenreviews';
  const review = await api.call('POST', url, { spec: { token: TOKEN } });
  expect(review.body.status).toMatchObject({ authenticated: true, user: { username: 'system:bootstrap:abcdef' } });
  const other = await api.call('POST', url, { spec: { token: TOKEN, audiences: ['vault'] } });
  expect(other.body.status.authenticated).toBeUndefined();
});
