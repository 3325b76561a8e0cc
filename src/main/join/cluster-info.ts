/**
 * The ConfigMap in which kubeadm's clusters publish their server's address and authority (kube-public/cluster-info). `mendlet
 * token create` prints it, and machines that join may read it.
 */
import { CONFIG_MAPS, isAlreadyExists, isNotFound, NAMESPACES } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { parseDocument, splitDocuments } from '../../lib/index.ts';

export const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' };
const KEY = 'kubeconfig';

export interface ClusterInfo {
  /** "https://192.0.2.1:6443" */
  readonly server: string;
  readonly authorityPem: string;
}

/** @param info absent: no other machine reaches the server (any more) */
export async function publishClusterInfo(client: KubeClient, info: ClusterInfo | undefined): Promise<void> {
  const { namespace, name } = CLUSTER_INFO;
  if (info === undefined) {
    await client.delete(CONFIG_MAPS, namespace, name).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    return;
  }
  const cluster = {
    server: info.server,
    'certificate-authority-data': Buffer.from(info.authorityPem).toString('base64'),
  };
  // JSON is YAML.
  const kubeconfig = { apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster }], contexts: [], users: [] };
  const data = { [KEY]: `${JSON.stringify(kubeconfig, undefined, 2)}\n` };
  const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await client.create(NAMESPACES, namespaceObject).catch(unlessThere);
  try {
    await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.patch(CONFIG_MAPS, namespace, name, 'merge', { data });
  }
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}

/** The parsed text of the ConfigMap; `undefined`: it cannot be read. */
export function readClusterInfo(data: Readonly<Record<string, string>> | undefined): ClusterInfo | undefined {
  let parsed: unknown;
  try {
    const [document] = splitDocuments(data?.[KEY] ?? '');
    parsed = document && parseDocument(document);
  } catch {
    return undefined;
  }
  const [entry] =
    (parsed as { clusters?: readonly { cluster?: Record<string, unknown> }[] } | undefined)?.clusters ?? [];
  const server = entry?.cluster?.['server'];
  const authority = entry?.cluster?.['certificate-authority-data'];
  if (typeof server !== 'string' || typeof authority !== 'string') return undefined;
  return { server, authorityPem: Buffer.from(authority, 'base64').toString('utf8') };
}
