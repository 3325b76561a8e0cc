/** Every namespace has the CA of the API server, so that its pods can verify the server they talk to. */
import { CONFIG_MAPS, type ConfigMap, type Namespace } from '../../api/index.ts';
import type { Operation } from '../operation.ts';

export const ROOT_CA_CONFIG_MAP = 'kube-root-ca.crt';
const KEY = 'ca.crt';

/** Pure. `caCertificate`: PEM. */
export function reconcileRootCa(
  namespace: Namespace | undefined,
  existing: ConfigMap | undefined,
  caCertificate: string,
): readonly Operation[] {
  const name = namespace?.metadata?.name;
  if (namespace === undefined || name === undefined) return [];
  if (namespace.metadata?.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating') return [];
  const data = { [KEY]: caCertificate };
  if (existing === undefined) {
    const annotations = { 'kubernetes.io/description': "Verifies this cluster's API server, and nothing else." };
    const metadata = { namespace: name, name: ROOT_CA_CONFIG_MAP, annotations };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    return [{ verb: 'create', resource: CONFIG_MAPS, object }];
  }
  const same = Object.keys(existing.data ?? {}).length === 1 && existing.data?.[KEY] === caCertificate;
  return same ? [] : [{ verb: 'update', resource: CONFIG_MAPS, object: { ...existing, data } as ConfigMap }];
}
