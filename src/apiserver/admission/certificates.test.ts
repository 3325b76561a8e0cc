import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText, encodeText, readAll, type UserInfo } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { createCertificateRequest } from '../edge/certificate-request.node.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
let request: string;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
  request = await requestFor('bob', 'devs');
});
afterEach(() => api.close());

const url = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const bob: UserInfo = { name: 'bob', uid: '7', groups: ['system:bootstrappers', 'system:authenticated'] };
const certificate = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64');
const approved = { type: 'Approved', status: 'True', reason: 'Tested' };

async function requestFor(commonName: string, ...organizations: string[]): Promise<string> {
  const { csrPem } = await createCertificateRequest({ commonName, organizations, dnsNames: [], ipAddresses: [] });
  return Buffer.from(csrPem).toString('base64');
}

async function as(
  user: UserInfo,
  method: string,
  path: string,
  body: object,
): Promise<{ status: number; body: Loose }> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await api.server
    .as(user)
    .request({ method, url: path, headers: { 'content-type': type }, body: encodeText(JSON.stringify(body)) });
  return { status: answer.status, body: JSON.parse(decodeText(await readAll(answer.body, 1024 * 1024))) };
}

const ask = (spec: object = {}, name = 'r'): object => ({
  metadata: { name },
  spec: { request, signerName: CLIENT, usages: ['client auth'], ...spec },
});
const patch = (part: string, status: object, user?: UserInfo): Promise<{ status: number; body: Loose }> =>
  as(user ?? { name: 'admin', groups: ['system:masters'] }, 'PATCH', `${url}/r${part}`, { status });

describe('a request for a certificate', () => {
  it('is that of its sender, whatever he says', async () => {
    const { status, body } = await as(
      bob,
      'POST',
      url,
      ask({ username: 'admin', groups: ['system:masters'], extra: { a: ['b'] } }),
    );
    expect(status).toBe(201);
    expect(body.spec).toMatchObject({ username: 'bob', uid: '7', groups: bob.groups });
    expect(body.spec.extra).toBeUndefined();
    const changed = await api.call(
      'PATCH',
      `${url}/r`,
      { spec: { username: 'eve', signerName: 'a.b/c' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(changed.body.spec).toMatchObject({ username: 'bob', signerName: CLIENT });
  });

  it.each([
    ['without usages', { usages: [] }, 'spec.usages: Required value'],
    ['with strange usages', { usages: ['root'] }, 'spec.usages[0]: Unsupported value: "root"'],
    ['with a usage twice', { usages: ['client auth', 'client auth'] }, 'spec.usages[1]: Duplicate value'],
    ['for the signer of old', { signerName: 'kubernetes.io/legacy-unknown' }, 'the legacy signerName is not allowed'],
    ['for no signer', { signerName: '' }, 'spec.signerName: Required value'],
    ['for half a signer', { signerName: 'kubernetes.io' }, 'must be a fully qualified domain and path'],
    ['for a moment', { expirationSeconds: 599 }, 'may not specify a duration less than 600 seconds'],
    [
      'with nothing in it',
      { request: Buffer.from('x').toString('base64') },
      'PEM block type must be CERTIFICATE REQUEST',
    ],
  ])('is refused %s', async (_, spec, text) => {
    const { status, body } = await api.call('POST', url, ask(spec));
    expect(status).toBe(422);
    expect(body.message).toContain(text);
  });

  it('never makes a master', async () => {
    request = await requestFor('bob', 'devs', 'system:masters');
    const { status, body } = await api.call('POST', url, ask());
    expect(status).toBe(403);
    expect(body.message).toContain(`use of ${CLIENT} signer with system:masters group is not allowed`);
  });
});

describe('a decision', () => {
  beforeEach(async () => {
    await as(bob, 'POST', url, ask());
  });

  it('may be annotated by who makes it', async () => {
    const { body } = await api.call(
      'PATCH',
      `${url}/r/approval`,
      { metadata: { annotations: { why: 'asked nicely' } }, status: { conditions: [approved] } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(body.metadata.annotations).toEqual({ why: 'asked nicely' });
  });

  it('is made by approval alone, and stays', async () => {
    expect((await patch('/status', { conditions: [approved] })).status).toBe(422);
    expect((await patch('', { conditions: [approved] })).body.status).toEqual({});
    const { body } = await patch('/approval', { conditions: [approved], certificate });
    expect(body.status.certificate).toBeUndefined();
    expect(body.status.conditions[0]).toMatchObject({ type: 'Approved', reason: 'Tested' });
    expect(body.status.conditions[0].lastUpdateTime).toMatch(/^\d{4}-/);
    expect((await patch('/approval', { conditions: [{ ...approved, type: 'Denied' }] })).status).toBe(422);
    expect((await patch('/approval', { conditions: [] })).status).toBe(422);
    expect((await patch('/status', { certificate })).body.status.certificate).toBe(certificate);
    expect((await patch('/status', { certificate: null })).status).toBe(422);
    const other = Buffer.from('-----BEGIN CERTIFICATE-----\nBBBB\n-----END CERTIFICATE-----\n').toString('base64');
    expect((await patch('/status', { certificate: other })).status).toBe(422);
  });

  it('needs the right for its signer', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const rule = (verbs: string[], resources: string[], resourceNames?: string[]): object => ({
      verbs,
      apiGroups: ['certificates.k8s.io'],
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    });
    const change = rule(
      ['update', 'patch'],
      ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    );
    await api.call('POST', `${rbac}/clusterroles`, { metadata: { name: 'x' }, rules: [change] });
    const roleRef = { kind: 'ClusterRole', name: 'x' };
    await api.call('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'x' },
      roleRef,
      subjects: [{ kind: 'User', name: 'bob' }],
    });
    expect((await patch('/approval', { conditions: [approved] }, bob)).body.message).toContain(
      `user not permitted to approve requests with signerName "${CLIENT}"`,
    );
    const merge = { 'content-type': 'application/merge-patch+json' };
    const rights = [change, rule(['approve'], ['signers'], ['kubernetes.io/*'])];
    await api.call('PATCH', `${rbac}/clusterroles/x`, { rules: rights }, merge);
    expect((await patch('/approval', { conditions: [approved] }, bob)).status).toBe(200);
    expect((await patch('/status', { certificate }, bob)).body.message).toContain(
      'user not permitted to sign requests',
    );
    const all = [...rights, rule(['sign'], ['signers'], [CLIENT])];
    await api.call('PATCH', `${rbac}/clusterroles/x`, { rules: all }, merge);
    expect((await patch('/status', { certificate }, bob)).status).toBe(200);
  });

  it('is printed', async () => {
    await patch('/approval', { conditions: [approved] });
    await patch('/status', { certificate });
    const { body } = await api.call('GET', url, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(body.columnDefinitions.map(({ name }: Loose) => name)).toEqual([
      'Name',
      'Age',
      'SignerName',
      'Requestor',
      'RequestedDuration',
      'Condition',
    ]);
    expect(body.rows[0].cells.slice(2)).toEqual([CLIENT, 'bob', '<none>', 'Approved,Issued']);
  });
});
