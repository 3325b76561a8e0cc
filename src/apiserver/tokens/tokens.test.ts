import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText, encodeText, readAll } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, podManifest, startTestServer, type TestServer } from '../test-server.ts';
import { createPlainTokenSigner } from './plain-token-signer.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock(), tokens: createPlainTokenSigner('test') });
  await api.call('POST', accounts, { metadata: { name: 'builder' } });
});
afterEach(() => api.close());

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const pods = '/api/v1/namespaces/default/pods';
const url = `${accounts}/builder/token`;
const ISSUER = 'https://kubernetes.default.svc.cluster.local';

const request = (spec: object = {}) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });

async function newToken(spec: object = {}): Promise<string> {
  const { status, body } = await api.call('POST', url, request(spec));
  expect(status).toBe(201);
  return body.status.token;
}

/** A request in memory with nothing but a token. */
async function withToken(token: string, method = 'GET', path = '/api', body?: object): Promise<Answer> {
  const response = await api.server.connection.request({
    method,
    url: path,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
  const text = decodeText(await readAll(response.body, 1024 * 1024));
  return { status: response.status, headers: response.headers, body: JSON.parse(text) };
}

async function boundPod(name: string, nodeName = ''): Promise<Answer['body']> {
  const manifest = podManifest(name, { spec: { serviceAccountName: 'builder', ...(nodeName && { nodeName }) } });
  return (await api.call('POST', pods, manifest)).body;
}

describe('TokenRequest', () => {
  it('answers with a token, its audience and its end', async () => {
    const { body } = await api.call('POST', url, request({ expirationSeconds: 1200 }));
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'builder', namespace: 'default' },
      spec: { audiences: [ISSUER], expirationSeconds: 1200 },
    });
    const end = Date.parse(body.status.expirationTimestamp);
    expect(end - Math.floor(api.clock.now().wall / 1000) * 1000).toBe(1_200_000);
  });

  it.each([
    [{ expirationSeconds: 599 }, 422, 'may not specify a duration less than 10 minutes'],
    [{ expirationSeconds: 2 ** 32 + 1 }, 422, 'may not specify a duration larger than 2^32 seconds'],
    [{ boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } }, 400, 'cannot bind token'],
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'missing' } }, 404, 'pods "missing" not found'],
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'other' } }, 400, 'different serviceaccount name'],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own', uid: 'wrong' } },
      409,
      'does not match the UID in record',
    ],
  ])('refuses %j', async (spec, status, text) => {
    await api.call('POST', pods, podManifest('other'));
    await boundPod('own');
    const answer = await api.call('POST', url, request(spec));
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(text);
  });

  it('knows no token for an account that is not there', async () => {
    expect((await api.call('POST', `${accounts}/nobody/token`, request())).status).toBe(404);
  });
});

describe('a bearer token', () => {
  it('stands for its service account and pod', async () => {
    await api.call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    const pod = await boundPod('own', 'n1');
    const token = await newToken({
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own', uid: pod.metadata.uid },
    });
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { status, body } = await withToken(token, 'POST', path, {});
    expect(status).toBe(201);
    expect(body.status.userInfo).toMatchObject({
      username: 'system:serviceaccount:default:builder',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/pod-name': ['own'],
        'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
        'authentication.kubernetes.io/node-name': ['n1'],
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
      },
    });
  });

  it('may discover, and no more', async () => {
    const token = await newToken();
    expect((await withToken(token)).status).toBe(200);
    expect((await withToken(token, 'GET', '/openid/v1/jwks')).status).toBe(200);
    expect((await withToken(token, 'GET', '/.well-known/openid-configuration')).body.issuer).toBe(ISSUER);
    expect((await withToken(token, 'GET', pods)).status).toBe(403);
  });

  it('ends with its time', async () => {
    const token = await newToken({ expirationSeconds: 600 });
    await api.clock.advance(601_000);
    expect((await withToken(token)).status).toBe(401);
  });

  it('lives on past 3607 seconds when it is a pod’s own', async () => {
    await boundPod('own');
    const token = await newToken({
      expirationSeconds: 3607,
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own' },
    });
    await api.clock.advance(4_000_000);
    expect((await withToken(token)).status).toBe(200);
  });

  it('ends with its pod', async () => {
    await boundPod('own');
    const token = await newToken({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own' } });
    expect((await withToken(token)).status).toBe(200);
    await api.call('DELETE', `${pods}/own`);
    await boundPod('own');
    expect((await withToken(token)).status).toBe(401);
  });

  it('ends with its account', async () => {
    const token = await newToken();
    await api.call('DELETE', `${accounts}/builder`);
    await api.call('POST', accounts, { metadata: { name: 'builder' } });
    expect((await withToken(token)).status).toBe(401);
  });

  it('is for its audience alone', async () => {
    expect((await withToken(await newToken({ audiences: ['vault'] }))).status).toBe(401);
  });

  it.each(['', 'x', 'plain-00.00', 'plain-74657374.7b7d'])('is refused when it is %j', async (token) => {
    expect((await withToken(token || '-')).status).toBe(401);
  });
});

describe('a node', () => {
  const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
  const ask = async (spec: object): Promise<number> => {
    const body = encodeText(JSON.stringify(request(spec)));
    return (await api.server.as(node).request({ method: 'POST', url, headers: {}, body })).status;
  };

  it('gets tokens for pods that are bound to it, for the audiences that they name', async () => {
    const uids = {
      here: (await boundPod('here', 'n1')).metadata.uid,
      there: (await boundPod('there', 'n2')).metadata.uid,
    };
    const reference = (name: 'here' | 'there', uid = uids[name]) => ({
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
    });
    expect(await ask(reference('here'))).toBe(201);
    expect(await ask(reference('here', ''))).toBe(403);
    expect(await ask(reference('there'))).toBe(403);
    expect(await ask({})).toBe(403);
    expect(await ask({ ...reference('here'), audiences: ['vault'] })).toBe(403);
  });
});

describe('the volume with the token', () => {
  const main = { name: 'main', image: 'x' };
  const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
  const admitted = async (spec: object, metadata: object = {}): Promise<Answer['body']> =>
    (await api.call('POST', pods, podManifest('p', { spec, metadata }))).body.spec;

  it('is mounted into every container', async () => {
    const spec = await admitted({ containers: [main], initContainers: [{ name: 'first', image: 'x' }] });
    const [volume] = spec.volumes;
    expect(volume.name).toMatch(/^kube-api-access-.{5}$/);
    expect(volume.projected).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    });
    const mount = { name: volume.name, readOnly: true, mountPath };
    expect(spec.containers[0].volumeMounts).toEqual([mount]);
    expect(spec.initContainers[0].volumeMounts).toEqual([mount]);
  });

  it('is not there when the pod says so, whatever its account says', async () => {
    await api.call('POST', accounts, { metadata: { name: 'default' }, automountServiceAccountToken: true });
    expect((await admitted({ automountServiceAccountToken: false })).volumes).toBeUndefined();
  });

  it('is not there when the account says so', async () => {
    await api.call('POST', accounts, { metadata: { name: 'default' }, automountServiceAccountToken: false });
    expect((await admitted({})).volumes).toBeUndefined();
  });

  it('stays away from a container that has something there', async () => {
    const volumeMounts = [{ name: 'own', mountPath }];
    const spec = await admitted({
      containers: [{ ...main, volumeMounts }],
      volumes: [{ name: 'own', emptyDir: {} }],
    });
    expect(spec.volumes).toHaveLength(1);
  });

  it('is not for mirror pods', async () => {
    const spec = await admitted({ nodeName: 'n1' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    expect(spec.volumes).toBeUndefined();
  });
});
