import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText, encodeText, readAll, type UserInfo } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roles = `${rbac}/namespaces/default/roles`;
const bindings = `${rbac}/namespaces/default/rolebindings`;
const pods = '/api/v1/namespaces/default/pods';
const bob: UserInfo = { name: 'bob', groups: ['devs', 'system:authenticated'] };
const subjectBob = { kind: 'User', name: 'bob' };

async function as(
  user: UserInfo,
  method: string,
  url: string,
  body?: object,
): Promise<{ status: number; body: Loose }> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = body === undefined ? {} : { body: encodeText(JSON.stringify(body)) };
  const answer = await api.server.as(user).request({ method, url, headers: { 'content-type': type }, ...text });
  return { status: answer.status, body: JSON.parse(decodeText(await readAll(answer.body, 4 * 1024 * 1024))) };
}

const rule = (verbs: string, resources: string, more: object = {}): object => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...more,
});

async function grant(rules: object[], subject: object = subjectBob): Promise<void> {
  await api.call('POST', roles, { metadata: { name: 'r' }, rules });
  const roleRef = { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' };
  const { status } = await api.call('POST', bindings, { metadata: { name: 'b' }, roleRef, subjects: [subject] });
  if (status !== 201) throw new Error(`not bound: ${status}`);
}

describe('a role', () => {
  it('allows what it says, where it is bound, from the moment on', async () => {
    expect((await as(bob, 'GET', pods)).body.message).toBe(
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    await grant([rule('list', 'pods')]);
    expect((await as(bob, 'GET', pods)).status).toBe(200);
    expect((await as(bob, 'GET', `${pods}/x`)).status).toBe(403);
    expect((await as(bob, 'GET', '/api/v1/namespaces/kube-system/pods')).status).toBe(403);
    expect((await as(bob, 'GET', '/api/v1/pods')).status).toBe(403);
    await api.call('DELETE', `${bindings}/b`);
    expect((await as(bob, 'GET', pods)).status).toBe(403);
  });

  it('counts as it is now', async () => {
    await grant([rule('list', 'pods')]);
    await api.call('PUT', `${roles}/r`, { metadata: { name: 'r' }, rules: [rule('get', 'pods')] });
    expect((await as(bob, 'GET', pods)).status).toBe(403);
    expect((await as(bob, 'GET', `${pods}/x`)).status).toBe(404);
    await api.call('DELETE', `${roles}/r`);
    expect((await as(bob, 'GET', `${pods}/x`)).body.message).toMatch(
      /: RBAC: role\.rbac\.authorization\.k8s\.io "r" not found$/,
    );
  });

  it.each([
    ['a group', { kind: 'Group', name: 'devs' }, bob],
    [
      'a service account of the same namespace',
      { kind: 'ServiceAccount', name: 'builder' },
      { name: 'system:serviceaccount:default:builder', groups: [] },
    ],
    [
      'a service account of another',
      { kind: 'ServiceAccount', name: 'builder', namespace: 'a' },
      { name: 'system:serviceaccount:a:builder', groups: [] },
    ],
  ])('is for %s', async (_, subject, user) => {
    await grant([rule('list', 'pods')], subject);
    expect((await as(user, 'GET', pods)).status).toBe(200);
    expect((await as({ name: 'eve', groups: ['system:authenticated'] }, 'GET', pods)).status).toBe(403);
    expect((await as({ name: 'devs', groups: ['bob'] }, 'GET', pods)).status).toBe(403);
  });

  it('of the cluster may be bound in one namespace', async () => {
    const roleRef = { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' };
    await api.call('POST', `${rbac}/clusterroles`, {
      metadata: { name: 'reader' },
      rules: [rule('list', 'pods nodes')],
    });
    await api.call('POST', bindings, {
      metadata: { name: 'c' },
      roleRef: { ...roleRef, name: 'reader' },
      subjects: [subjectBob],
    });
    expect((await as(bob, 'GET', pods)).status).toBe(200);
    expect((await as(bob, 'GET', '/api/v1/nodes')).status).toBe(403);
  });

  it('with names lets through what is narrowed to them', async () => {
    await grant([rule('list watch delete deletecollection', 'secrets', { resourceNames: ['mine'] })]);
    const secrets = '/api/v1/namespaces/default/secrets';
    for (const name of ['mine', 'other']) await api.call('POST', secrets, { metadata: { name } });
    expect((await as(bob, 'GET', secrets)).status).toBe(403);
    const narrowed = await as(bob, 'GET', `${secrets}?fieldSelector=metadata.name%3Dmine`);
    expect(narrowed.body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['mine']);
    // A second requirement cannot widen the first, nor a second selector.
    const both = `${secrets}?fieldSelector=metadata.name%3Dmine,metadata.name%3Dother`;
    expect((await as(bob, 'GET', both)).body.items).toEqual([]);
    const twice = `${secrets}?fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dother`;
    expect((await as(bob, 'GET', twice)).body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['mine']);
    expect((await as(bob, 'DELETE', `${secrets}?fieldSelector=metadata.name%3Dmine`)).status).toBe(403);
    expect((await as(bob, 'DELETE', `${secrets}/other`)).status).toBe(403);
    expect((await as(bob, 'DELETE', `${secrets}/mine`)).status).toBe(200);
  });

  it('to change is not one to create, where a change would', async () => {
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
    await grant([{ ...leases, verbs: ['update'] }]);
    const url = '/apis/coordination.k8s.io/v1/namespaces/default/leases/x';
    const lease = { metadata: { name: 'x', resourceVersion: '1' }, spec: {} };
    const { body } = await as(bob, 'PUT', url, lease);
    expect(body.message).toContain('User "bob" cannot create resource "leases"');
    await api.call('PUT', `${roles}/r`, {
      metadata: { name: 'r' },
      rules: [{ ...leases, verbs: ['update', 'create'] }],
    });
    expect((await as(bob, 'PUT', url, lease)).status).toBe(201);
  });

  it('is not stretched by how a path is written', async () => {
    await grant([rule('get list', 'pods')]);
    await api.call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    const tricks = [
      '/api/v1/namespaces/default/pods/../secrets/s',
      '/api/v1/namespaces/default/pods/%2e%2e/secrets/s',
      '/api/v1/namespaces/default/pods%2f..%2fsecrets/s',
      '/api/v1/namespaces/default/pods/..%2fsecrets%2fs',
      '/api/v1/namespaces/default%2fpods/secrets/s',
      '/api/v1/namespaces/default/%73ecrets/s',
      '/api/v1//namespaces/default//secrets/s',
      '/api/v1/namespaces/default/secrets/s/',
      '/api/v1/watch/namespaces/default/secrets',
      '/api/v1/namespaces/default/SECRETS/s',
      '/API/v1/namespaces/default/secrets/s',
      '/api/v1/namespaces/default/secrets/s?x=/api/v1/namespaces/default/pods',
      '/api/v1/namespaces/default/secrets/s#/pods',
    ];
    for (const url of tricks) {
      const { status, body } = await as(bob, 'GET', url);
      expect([url, status === 403 || status === 404 || status === 400]).toEqual([url, true]);
      expect(JSON.stringify(body)).not.toContain('"kind":"Secret"');
    }
  });
});

describe('nobody grants what he does not hold', () => {
  const manage = { verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] };
  const secretReader = { metadata: { name: 'n' }, rules: [rule('get', 'secrets')] };
  const bindAdmin = {
    metadata: { name: 'n' },
    roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [subjectBob],
  };

  it('neither by a role nor by a binding', async () => {
    await grant([{ ...manage, verbs: ['create', 'update', 'patch', 'get'] }, rule('get list', 'pods')]);
    const { body } = await as(bob, 'POST', roles, secretReader);
    expect(body.code).toBe(403);
    expect(body.message).toBe(
      'roles.rbac.authorization.k8s.io "n" is forbidden: user "bob" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
    const own = { ...secretReader, rules: [rule('get', 'pods')] };
    expect((await as(bob, 'POST', roles, own)).status).toBe(201);
    expect((await as(bob, 'PUT', `${roles}/n`, secretReader)).status).toBe(403);
    expect((await as(bob, 'PATCH', `${roles}/r`, { rules: [rule('*', '*')] })).status).toBe(403);
    expect((await as(bob, 'POST', bindings, bindAdmin)).body.message).toContain('not currently held');
    const ref = { ...bindAdmin.roleRef, name: 'no-such' };
    expect((await as(bob, 'POST', bindings, { ...bindAdmin, roleRef: ref })).status).toBe(404);
    const ownRole = { kind: 'Role', name: 'n' };
    expect((await as(bob, 'POST', bindings, { ...bindAdmin, roleRef: ownRole })).status).toBe(201);
    expect((await as(bob, 'POST', `${rbac}/clusterrolebindings`, bindAdmin)).status).toBe(403);
  });

  it('but by the verbs for it', async () => {
    await grant([manage, { verbs: ['bind'], apiGroups: [manage.apiGroups[0]], resources: ['clusterroles'] }]);
    // "*" has "escalate" and "bind" in it.
    expect((await as(bob, 'POST', roles, secretReader)).status).toBe(201);
    expect((await as(bob, 'POST', bindings, bindAdmin)).status).toBe(201);
    expect((await as(bob, 'GET', '/api/v1/namespaces/default/secrets')).status).toBe(200);
    expect((await as(bob, 'GET', '/api/v1/namespaces/kube-system/secrets')).status).toBe(403);
  });

  it('nor gathers what others write', async () => {
    const editor = { kind: 'ClusterRole', name: 'editor', apiGroup: 'rbac.authorization.k8s.io' };
    const rules = [{ verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'] }];
    await api.call('POST', `${rbac}/clusterroles`, { metadata: { name: 'editor' }, rules });
    await api.call('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: 'e' },
      roleRef: editor,
      subjects: [subjectBob],
    });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const { body } = await as(bob, 'POST', `${rbac}/clusterroles`, { metadata: { name: 'x' }, aggregationRule });
    expect(body.message).toContain('must have cluster-admin privileges to use the aggregationRule');
  });

  it('and a binding keeps its role', async () => {
    await grant([rule('get', 'pods')]);
    const { status, body } = await api.call(
      'PATCH',
      `${bindings}/b`,
      { roleRef: { name: 'other' } },
      {
        'content-type': 'application/merge-patch+json',
      },
    );
    expect(status).toBe(422);
    expect(body.message).toContain('cannot change roleRef');
  });
});

describe('a node', () => {
  const node = (name: string): UserInfo => ({
    name: `system:node:${name}`,
    groups: ['system:nodes', 'system:authenticated'],
  });
  const spec = (nodeName: string, name: string): object => ({
    nodeName,
    serviceAccountName: 'default',
    imagePullSecrets: [{ name: `${name}-pull` }],
    containers: [
      {
        name: 'main',
        image: 'x',
        env: [{ name: 'E', valueFrom: { secretKeyRef: { name: `${name}-env`, key: 'k' } } }],
        envFrom: [{ configMapRef: { name: `${name}-from` } }],
      },
    ],
    volumes: [
      { name: 'a', secret: { secretName: `${name}-secret` } },
      { name: 'b', projected: { sources: [{ configMap: { name: `${name}-projected` } }] } },
      { name: 'c', persistentVolumeClaim: { claimName: `${name}-claim` } },
    ],
  });
  beforeEach(async () => {
    for (const name of ['n1', 'n2']) {
      await api.call('POST', '/api/v1/nodes', { metadata: { name } });
      const { status } = await api.call('POST', pods, podManifest(`of-${name}`, { spec: spec(name, name) }));
      if (status !== 201) throw new Error(`no pod: ${status}`);
    }
  });
  const read = (...paths: string[]): string[] => paths.map((path) => `GET /api/v1/namespaces/default/${path}`);
  const named = (name: string): string[] => [
    ...read(...[`${name}-pull`, `${name}-env`, `${name}-secret`].map((secret) => `secrets/${secret}`)),
    ...read(...[`${name}-from`, `${name}-projected`].map((map) => `configmaps/${map}`)),
    ...read(`persistentvolumeclaims/${name}-claim`, `configmaps?watch=1&fieldSelector=metadata.name%3D${name}-from`),
    ...read(`pods/of-${name}`),
    `GET /api/v1/pods?fieldSelector=spec.nodeName%3D${name}`,
  ];
  const status = async (user: UserInfo, text: string): Promise<number> => {
    const [method = '', url = ''] = text.split(' ');
    const stop = new AbortController();
    const answer = await api.server.as(user).request({ method, url, headers: {}, signal: stop.signal });
    stop.abort();
    return answer.status;
  };

  it.each(named('n1'))('reads what its pods name: %s', async (text) => {
    expect([200, 404]).toContain(await status(node('n1'), text));
  });

  it.each([
    ...named('n2'),
    'GET /api/v1/pods',
    'GET /api/v1/pods?watch=1',
    'GET /api/v1/pods?fieldSelector=spec.nodeName!%3Dn1',
    'GET /api/v1/pods?fieldSelector=status.phase%3DPending',
    'GET /api/v1/secrets',
    'GET /api/v1/namespaces/default/secrets',
    'GET /api/v1/namespaces/default/secrets?fieldSelector=metadata.name!%3Dn1-env',
    'GET /api/v1/namespaces/kube-system/secrets/n1-env',
    'GET /api/v1/namespaces/default/serviceaccounts',
    'DELETE /api/v1/namespaces/default/secrets/n1-env',
    'GET /api/v1/namespaces/default/pods/of-n1/log',
    'DELETE /api/v1/nodes/n2',
    'PATCH /api/v1/namespaces/default/services/kubernetes',
    'GET /api/v1/namespaces/default/services/kubernetes/proxy/',
    'POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    'DELETE /api/v1/namespaces/default/pods',
    'DELETE /api/v1/namespaces/default/pods/of-n2',
    'GET /apis/apps/v1/deployments',
    'GET /apis/rbac.authorization.k8s.io/v1/clusterroles',
    'GET /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2',
    'GET /metrics',
  ])('of another name reads none of it: %s', async (text) => {
    expect(await status(node('n1'), text)).toBe(403);
  });

  it('takes its own node with it when it leaves', async () => {
    expect(await status(node('n1'), 'DELETE /api/v1/nodes/n1')).toBe(200);
  });

  it('reads a secret no longer than a pod names it', async () => {
    const url = 'GET /api/v1/namespaces/default/secrets/n1-env';
    expect(await status(node('n1'), url)).toBe(404);
    await api.call('DELETE', `${pods}/of-n1?gracePeriodSeconds=0`);
    expect(await status(node('n1'), url)).toBe(403);
  });

  it('learns nothing by a mirror pod', async () => {
    const { body } = await api.call('GET', '/api/v1/nodes/n1');
    const metadata = {
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: body.metadata.uid, controller: true }],
    };
    const thief = podManifest('thief', { metadata, spec: spec('n1', 'n2') });
    expect((await as(node('n1'), 'POST', pods, thief)).status).toBe(403);
    // Even if somebody else makes it.
    await api.call('POST', pods, thief);
    expect(await status(node('n1'), 'GET /api/v1/namespaces/default/secrets/n2-env')).toBe(403);
  });

  it('reads the volume of a claim of its pods', async () => {
    const volume = {
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/tmp/x' },
        claimRef: { namespace: 'default', name: 'n1-claim' },
      },
    };
    expect((await api.call('POST', '/api/v1/persistentvolumes', volume)).status).toBe(201);
    expect(await status(node('n1'), 'GET /api/v1/persistentvolumes/v')).toBe(200);
    expect(await status(node('n2'), 'GET /api/v1/persistentvolumes/v')).toBe(403);
  });

  it.each([
    'GET /api/v1/services',
    'GET /api/v1/services?watch=1',
    'GET /apis/discovery.k8s.io/v1/endpointslices',
    'GET /apis/discovery.k8s.io/v1/endpointslices?watch=1',
    'GET /api/v1/nodes',
    'GET /api/v1/nodes/n1',
    'GET /api/v1/nodes/n2',
  ])('reads what routes to services need: %s', async (text) => {
    expect(await status(node('n1'), text)).toBe(200);
  });

  it('says who it is', async () => {
    const stranger = { name: 'system:node:', groups: ['system:nodes', 'system:authenticated'] };
    expect(await status(stranger, 'GET /api/v1/pods?fieldSelector=spec.nodeName%3D')).toBe(403);
    // The name alone is none: the group comes with the certificate.
    const fake = { name: 'system:node:n1', groups: ['system:authenticated'] };
    expect(await status(fake, 'GET /api/v1/nodes/n1')).toBe(403);
    const other = { name: 'n1', groups: ['system:nodes', 'system:authenticated'] };
    expect(await status(other, 'GET /api/v1/namespaces/default/pods/of-n1')).toBe(403);
  });
});

describe('the bootstrap policy', () => {
  it('is there, marked as such', async () => {
    const { body } = await api.call('GET', `${rbac}/clusterroles/system:kube-scheduler`);
    expect(body.metadata).toMatchObject({
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    });
    expect((await api.call('GET', `${rbac}/clusterroles/edit`)).body.aggregationRule).toEqual({
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
    });
    const url = `${rbac}/namespaces/kube-system/rolebindings/system:controller:token-cleaner`;
    expect((await api.call('GET', url)).body.roleRef.name).toBe('system:controller:token-cleaner');
  });

  it('is completed at the next start, where that is not forbidden', async () => {
    const url = `${rbac}/clusterroles/system:basic-user`;
    const merge = { 'content-type': 'application/merge-patch+json' };
    const own = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    await api.call('PATCH', url, { rules: [own] }, merge);
    const off = { metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } }, rules: [own] };
    await api.call('PATCH', `${rbac}/clusterroles/system:discovery`, off, merge);
    await api.call(
      'PATCH',
      `${rbac}/clusterrolebindings/cluster-admin`,
      { subjects: [{ ...subjectBob, apiGroup: 'rbac.authorization.k8s.io' }] },
      merge,
    );
    await api.call('DELETE', `${rbac}/clusterroles/system:monitoring`);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await api.call('DELETE', `${rbac}/clusterrolebindings/system:monitoring`);
    await api.call('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'system:monitoring' }, roleRef });
    const second = await startTestServer({ clock: api.clock, store: api.store });
    const rules = async (name: string): Promise<Loose> =>
      (await second.call('GET', `${rbac}/clusterroles/${name}`)).body.rules;
    expect(await rules('system:basic-user')).toHaveLength(3);
    expect((await rules('system:basic-user'))[0]).toEqual(own);
    expect(await rules('system:discovery')).toEqual([own]);
    expect(await rules('system:monitoring')).toHaveLength(1);
    const admins = (await second.call('GET', `${rbac}/clusterrolebindings/cluster-admin`)).body.subjects;
    expect(admins.map(({ name }: Loose) => name)).toEqual(['bob', 'system:masters']);
    expect((await second.call('GET', `${rbac}/clusterrolebindings/system:monitoring`)).body.roleRef.name).toBe(
      'system:monitoring',
    );
    await second.server.close();
  });

  it('writes nothing when nothing is missing', async () => {
    const versions = async (server: TestServer): Promise<string[]> =>
      (await server.call('GET', `${rbac}/clusterroles`)).body.items.map(
        ({ metadata }: Loose) => `${metadata.name} ${metadata.resourceVersion}`,
      );
    const before = await versions(api);
    const second = await startTestServer({ clock: api.clock, store: api.store });
    expect(await versions(second)).toEqual(before);
    await second.server.close();
  });

  it.each([
    ['system:kube-scheduler', 'POST', `${pods}/x/binding`, true],
    ['system:kube-scheduler', 'POST', pods, false],
    ['system:kube-scheduler', 'GET', '/api/v1/secrets', false],
    ['system:kube-controller-manager', 'POST', pods, true],
    ['system:kube-controller-manager', 'POST', `${pods}/x/exec`, false],
    ['bob', 'GET', '/apis', true],
    ['bob', 'GET', '/metrics', false],
  ])('%s: %s %s: %s', async (name, method, url, may) => {
    const { status } = await as(
      { name, groups: ['system:authenticated'] },
      method,
      url,
      method === 'POST' ? {} : undefined,
    );
    expect(status !== 403).toBe(may);
  });
});

it('the server itself may ask kubelets, and no more', async () => {
  const review = async (resourceAttributes: object): Promise<boolean> => {
    const spec = { user: 'kube-apiserver-kubelet-client', groups: ['system:authenticated'], resourceAttributes };
    return (await api.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })).body.status.allowed;
  };
  const node = { resource: 'nodes', name: 'n1' };
  for (const subresource of ['proxy', 'log', 'stats', 'metrics', 'healthz', 'pods', 'configz'])
    expect([subresource, await review({ ...node, verb: 'create', subresource })]).toEqual([subresource, true]);
  expect(await review({ ...node, verb: 'update' })).toBe(false);
  expect(await review({ resource: 'secrets', verb: 'get', namespace: 'default' })).toBe(false);
});

it('counts those whom it refused', async () => {
  await as(bob, 'GET', pods);
  const { body } = await api.call('GET', '/metrics');
  expect(body).toContain('authorization_attempts_total{result="denied"} 1');
});
