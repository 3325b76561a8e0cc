/** People with little rights: service accounts, their tokens, and kubeconfigs that carry these. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageCluster } from './page-cluster.ts';

export interface Person {
  readonly token: string;
  readonly kubeconfig: string;
}

/** A service account that has a ClusterRole ("view", "edit") in some namespaces alone. */
export async function newPerson(
  cluster: PageCluster,
  name: string,
  role: string,
  namespaces: readonly string[],
): Promise<Person> {
  await cluster.api.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } });
  for (const namespace of namespaces) {
    await cluster.api.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: `${name}-${role}`, namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  }
  const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
  const { body } = await cluster.api.send('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 7200 },
  });
  const { token } = (body as { status: { token: string } }).status;
  const admin = readFileSync(cluster.kubeconfig, 'utf8');
  const field = (key: string): string => new RegExp(`^\\s*${key}: (\\S+)$`, 'm').exec(admin)?.[1] ?? '';
  const kubeconfig = join(cluster.folder, `${name}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: name } }],
    clusters: [
      {
        name: 'c',
        cluster: { server: field('server'), 'certificate-authority-data': field('certificate-authority-data') },
      },
    ],
    users: [{ name, user: { token } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return { token, kubeconfig };
}
