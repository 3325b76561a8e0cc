/** Compares for each kind, verb, subresource and role the result of a real request with Kubernetes' documentation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ResourceRow, RESOURCES } from '../../src/api/index.ts';
import { METRICS_ROWS } from '../../src/apiserver/metrics-api/rows.ts';
import type { UserInfo } from '../../src/lib/index.ts';
import { collectionOf, fullName } from './access/manifests.ts';
import {
  ADMIN,
  BASIC,
  CONTROLLER_MANAGER,
  EDIT,
  mayBy,
  type Rights,
  SCHEDULER,
  VIEW,
} from './access/upstream-roles.ts';
import { type AccessWorld, createAccessWorld, type Sent } from './access/world.ts';

/** The kinds of upstream. */
const KINDS: readonly ResourceRow[] = [...RESOURCES, ...METRICS_ROWS].filter(({ group }) => group !== 'mendlet.dev');
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;
type Verb = (typeof VERBS)[number];
/** Subresources that upstream does not have. */
const OURS = new Set(['history', 'restart']);
const ROLE_KIND = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };

let world: AccessWorld;
beforeAll(async () => {
  world = await createAccessWorld();
  for (const role of ['admin', 'edit', 'view']) {
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `${role}-of-t1` }];
    const binding = { metadata: { name: role }, roleRef: { ...ROLE_KIND, name: role }, subjects };
    const answer = await world.api.call(
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/t1/rolebindings',
      binding,
    );
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    const cluster = { ...binding, subjects: [{ ...subjects[0], name: `${role}-of-all` }] };
    await world.api.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', cluster);
  }
  await aggregated();
});
afterAll(() => world.close());

/** Fills the rules of aggregating roles, because no controller runs here. */
async function aggregated(): Promise<void> {
  const url = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const { body } = await world.api.call('GET', url);
  for (const role of ['view', 'edit', 'admin']) {
    const label = `rbac.authorization.k8s.io/aggregate-to-${role}`;
    const parts = (await world.api.call('GET', url)).body.items.filter(
      (item: { metadata: { labels?: Record<string, string> } }) => item.metadata.labels?.[label] === 'true',
    );
    const rules = parts.flatMap((item: { rules?: object[] }) => item.rules ?? []);
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await world.api.call('PATCH', `${url}/${role}`, { rules }, type)).status).toBe(200);
  }
  expect(body.items.length).toBeGreaterThan(10);
}

/** The request of a verb on a missing object, so that only the authorizer can answer 403. */
function requestOf(
  row: ResourceRow,
  verb: Verb,
  namespace: string | undefined,
  subresource?: string,
): Sent | undefined {
  const collection = collectionOf(row, row.namespaced ? namespace : undefined);
  const name = row.resource === 'namespaces' && namespace !== undefined ? namespace : 'nobody';
  const object = subresource === undefined ? `${collection}/${name}` : `${collection}/${name}/${subresource}`;
  switch (verb) {
    case 'get':
      return { method: 'GET', url: object };
    case 'list':
      return subresource === undefined ? { method: 'GET', url: collection } : undefined;
    case 'watch':
      return subresource === undefined ? { method: 'GET', url: `${collection}?watch=1` } : undefined;
    case 'create':
      return { method: 'POST', url: subresource === undefined ? collection : object, body: '{' };
    case 'update':
      return { method: 'PUT', url: object, body: '{' };
    case 'patch':
      return { method: 'PATCH', url: object, body: '{', headers: { 'content-type': 'application/merge-patch+json' } };
    case 'delete':
      // The namespace exists, and the next tests need it.
      return { method: 'DELETE', url: `${object}?dryRun=All` };
    case 'deletecollection':
      return subresource === undefined ? { method: 'DELETE', url: `${collection}?labelSelector=no=one` } : undefined;
  }
}

interface Role {
  readonly user: UserInfo;
  /** The namespace of its rights; "" means all. */
  readonly place: string;
  readonly rights: Rights | 'all';
  /** Cluster-scoped rights of the same roles, bound in the whole cluster. */
  readonly everywhere?: Rights;
}

function user(name: string, ...groups: string[]): UserInfo {
  return { name, groups: [...groups, 'system:authenticated'] };
}

const METRICS_OF_NODES = 'get list watch: nodes.metrics.k8s.io';

const ROLES: Readonly<Record<string, Role>> = {
  'cluster-admin': { user: user('root', 'system:masters'), place: '', rights: 'all' },
  'admin of t1': { user: user('admin-of-t1'), place: 't1', rights: ADMIN },
  'edit of t1': { user: user('edit-of-t1'), place: 't1', rights: EDIT },
  'view of t1': { user: user('view-of-t1'), place: 't1', rights: VIEW },
  'admin of all': { user: user('admin-of-all'), place: '', rights: [...ADMIN, METRICS_OF_NODES] },
  'edit of all': { user: user('edit-of-all'), place: '', rights: [...EDIT, METRICS_OF_NODES] },
  'view of all': { user: user('view-of-all'), place: '', rights: [...VIEW, METRICS_OF_NODES] },
  'kube-scheduler': { user: user('system:kube-scheduler'), place: '', rights: SCHEDULER },
  'kube-controller-manager': { user: user('system:kube-controller-manager'), place: '', rights: CONTROLLER_MANAGER },
  nobody: { user: user('nobody'), place: '', rights: [] },
};

/** The controller manager has more rights than upstream's, because all controllers act as it, and their roles are bound to it. */
function isKnownDifference(role: string): boolean {
  return role === 'kube-controller-manager';
}

async function isLetIn(who: UserInfo, request: Sent): Promise<boolean> {
  const { status, text } = await world.send(who, request);
  world.seen.written.length = 0;
  expect([status >= 500, status === 401], `${request.method} ${request.url}: ${text}`).toEqual([false, false]);
  return status !== 403;
}

describe.each(Object.entries(ROLES))('%s', (name, { user: who, place, rights }) => {
  it.each(['t1', 't2', undefined])('may in %s what Kubernetes documents, and nothing else', async (namespace) => {
    const wrong: string[] = [];
    let allowed = 0;
    for (const row of KINDS) {
      const subresources = [undefined, ...row.subresources.map((each) => each.name).filter((each) => !OURS.has(each))];
      for (const subresource of subresources) {
        for (const verb of VERBS) {
          const isNamespace = row.resource === 'namespaces' && row.group === '';
          const isThere = row.namespaced ? namespace !== undefined : isNamespace || namespace === undefined;
          // A request for an object of a namespaced kind needs a namespace.
          const request =
            isThere || verb === 'list' || verb === 'watch' ? requestOf(row, verb, namespace, subresource) : undefined;
          if (request === undefined) continue;
          const onNamespace = isNamespace && !['list', 'watch', 'create', 'deletecollection'].includes(verb);
          const scope = row.namespaced || onNamespace ? namespace : undefined;
          const reaches = place === '' || place === scope;
          const full = `${row.resource}${subresource === undefined ? '' : `/${subresource}`}${row.group === '' ? '' : `.${row.group}`}`;
          const expected =
            rights === 'all' ||
            mayBy(BASIC, verb, full) ||
            (reaches && mayBy(rights, verb, full) && streamFits(rights, verb, full));
          const got = await isLetIn(who, request);
          if (got) allowed += 1;
          if (got === expected || (got && isKnownDifference(name))) continue;
          wrong.push(`${verb} ${full}: ${got ? 'let in' : 'refused'}`);
        }
      }
    }
    expect([...new Set(wrong)]).toEqual([]);
    if (place === '' && rights.length > 0) expect(allowed).toBeGreaterThan(0);
  });
});

/** GET on a stream needs the right to POST, too. */
function streamFits(rights: Rights, verb: string, full: string): boolean {
  return verb === 'create' || !/^pods\/(exec|attach|portforward)$/.test(full) || mayBy(rights, 'create', full);
}

describe('a node', () => {
  const n1 = user('system:node:n1', 'system:nodes');
  const n2 = user('system:node:n2', 'system:nodes');
  const pod = (extra: object): object => ({
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'x' }], ...extra },
  });

  it.each<[string, string, boolean, boolean]>([
    // Verb and path, and whether n1 (the pod's node) and n2 (another node) may.
    // As kube-proxy reads them: by system:node-proxier, to which mendlet binds nodes.
    ['GET', '/api/v1/nodes/n1', true, true],
    ['GET', '/api/v1/nodes', true, true],
    ['GET', '/apis/discovery.k8s.io/v1/endpointslices', true, true],
    ['GET', '/apis/networking.k8s.io/v1/servicecidrs', true, true],
    ['GET', '/apis/networking.k8s.io/v1/ipaddresses', false, false],
    ['GET', '/api/v1/namespaces/t1/pods/of-n1', true, false],
    ['GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', true, false],
    ['GET', '/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1', true, false],
    ['GET', '/api/v1/pods', false, false],
    ['GET', '/api/v1/namespaces/t1/secrets/named', true, false],
    ['GET', '/api/v1/namespaces/t1/secrets?fieldSelector=metadata.name%3Dnamed', true, false],
    ['GET', '/api/v1/namespaces/t1/secrets/other', false, false],
    ['GET', '/api/v1/namespaces/t1/secrets', false, false],
    ['GET', '/api/v1/secrets', false, false],
    ['GET', '/api/v1/namespaces/t2/secrets/named', false, false],
    ['GET', '/api/v1/namespaces/t1/configmaps/named', true, false],
    ['GET', '/api/v1/namespaces/t1/configmaps', false, false],
    ['DELETE', '/api/v1/namespaces/t1/secrets/named', false, false],
    ['POST', '/api/v1/namespaces/t1/serviceaccounts/runner/token', true, false],
    ['POST', '/api/v1/namespaces/t1/serviceaccounts/other/token', false, false],
    ['GET', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1', true, false],
    ['GET', '/apis/coordination.k8s.io/v1/namespaces/t1/leases/n1', false, false],
    ['DELETE', '/api/v1/nodes/n1/proxy/pods', false, false],
    ['GET', '/api/v1/nodes/n1/proxy/pods', false, false],
    ['POST', '/api/v1/namespaces/t1/pods/of-n1/exec', false, false],
    ['GET', '/api/v1/namespaces/t1/pods/of-n1/log', false, false],
    ['GET', '/api/v1/namespaces/t1/nodes', false, false],
    ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles', false, false],
    ['GET', '/apis/metrics.k8s.io/v1beta1/nodes', false, false],
    ['GET', '/api/v1/services', true, true],
    ['GET', '/apis/node.k8s.io/v1/runtimeclasses', true, true],
    ['PATCH', '/apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval', false, false],
  ])('%s %s: its own %s, another %s', async (method, url, own, other) => {
    const volumes = [
      { name: 's', secret: { secretName: 'named' } },
      { name: 'c', configMap: { name: 'named' } },
    ];
    await world.api.call('POST', '/api/v1/namespaces/t1/serviceaccounts', { metadata: { name: 'runner' } });
    const body = { metadata: { name: 'of-n1' }, ...pod({ volumes, serviceAccountName: 'runner' }) };
    const made = await world.api.call('POST', '/api/v1/namespaces/t1/pods', body);
    expect([201, 409]).toContain(made.status);
    const isIn = async (who: UserInfo): Promise<boolean> => {
      const { status } = await world.send(who, { method, url, body: '{' });
      return status !== 403 && !(status === 404 && url.includes('/t1/nodes'));
    };
    expect([await isIn(n1), await isIn(n2)]).toEqual([own, other]);
  });
});

it('every kind is in the table', () => {
  expect(new Set(KINDS.map((row) => `${fullName(row)} ${row.version}`)).size).toBe(KINDS.length);
});
