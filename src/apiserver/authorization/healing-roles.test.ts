import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeText, type UserInfo } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
const ROLES = ['view', 'edit', 'admin', 'mendlet:pod-restarter'];
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const pods = '/api/v1/namespaces/default/pods';
const own = '/apis/mendlet.dev/v1alpha1/namespaces/default';

beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', pods, podManifest('web', { spec: { nodeName: 'n1' } }));
  // As the aggregation controller would.
  const { body } = await api.call('GET', `${rbac}/clusterroles`);
  const rulesOf = (name: string): unknown[] =>
    body.items
      .filter((role: { metadata: { labels?: Record<string, string> } }) => {
        return role.metadata.labels?.[`rbac.authorization.k8s.io/aggregate-to-${name}`] === 'true';
      })
      .flatMap((role: { metadata: { name: string }; rules: unknown[] | null }) =>
        role.rules !== null ? role.rules : rulesOf(role.metadata.name),
      );
  for (const name of ['view', 'edit', 'admin']) {
    const url = `${rbac}/clusterroles/${name}`;
    const { body: role } = await api.call('GET', url);
    await api.call('PUT', url, { ...role, rules: rulesOf(name) });
  }
  for (const name of ROLES) {
    await api.call('POST', `${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: name.replace(':', '-') },
      roleRef: { kind: 'ClusterRole', name, apiGroup: 'rbac.authorization.k8s.io' },
      subjects: [{ kind: 'User', name }],
    });
  }
});
afterAll(() => api.close());

async function as(user: UserInfo, method: string, url: string, body?: object): Promise<boolean> {
  const text = body === undefined ? {} : { body: encodeText(JSON.stringify(body)) };
  return (await api.server.as(user).request({ method, url, headers: {}, ...text })).status !== 403;
}

const restart = { metadata: { generateName: 'r-' }, spec: { podName: 'web' } };
const policy = { metadata: { generateName: 'p-' }, spec: { selector: {} } };

it.each<[string, string, object | undefined, ...boolean[]]>([
  ['GET', `${own}/podrestarts`, undefined, true, true, true, true],
  ['GET', `${own}/healingpolicies`, undefined, true, true, true, false],
  ['GET', `${own}/podrestarts/x/status`, undefined, true, true, true, false],
  ['GET', `${pods}/web/history`, undefined, true, true, true, false],
  ['GET', `${own}/workloaddays`, undefined, true, true, true, false],
  ['GET', '/apis/mendlet.dev/v1alpha1/workloaddays', undefined, false, false, false, false],
  ['POST', `${pods}/web/restart`, undefined, false, true, true, true],
  ['POST', `${own}/podrestarts`, restart, false, true, true, true],
  ['POST', `${own}/healingpolicies`, policy, false, true, true, false],
  ['DELETE', `${own}/podrestarts/x`, undefined, false, true, true, false],
  ['PUT', `${own}/podrestarts/x/status`, restart, false, false, false, false],
  ['GET', pods, undefined, true, true, true, false],
  ['DELETE', `${pods}/other`, undefined, false, true, true, false],
])('%s %s', async (method, url, body, ...allowed) => {
  const found: boolean[] = [];
  for (const name of ROLES) found.push(await as({ name, groups: [] }, method, url, body));
  expect(found).toEqual(allowed);
});
