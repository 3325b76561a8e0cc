/** Every namespace has its `default` ServiceAccount: pods run under it unless they name another. */
import { type Namespace, SERVICE_ACCOUNTS, type ServiceAccount } from '../../api/index.ts';
import type { Operation } from '../operation.ts';

export const DEFAULT_SERVICE_ACCOUNT = 'default';

/** Pure. `namespace`: `undefined` when it is gone. */
export function reconcileServiceAccount(
  namespace: Namespace | undefined,
  existing: ServiceAccount | undefined,
): readonly Operation[] {
  const name = namespace?.metadata?.name;
  if (namespace === undefined || name === undefined) return [];
  const ending = namespace.metadata?.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating';
  if (ending || existing !== undefined) return [];
  const object = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: name, name: DEFAULT_SERVICE_ACCOUNT },
  };
  return [{ verb: 'create', resource: SERVICE_ACCOUNTS, object }];
}
