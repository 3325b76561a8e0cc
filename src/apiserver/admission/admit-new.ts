/** Admission of new objects as far as it depends on other objects: reads those, and leaves the decisions to pure functions. */
import type { ApiObject } from '../registry/object.ts';
import type { Call } from '../verbs/call.ts';
import { readCurrent } from '../verbs/read-current.ts';
import { mountToken } from './service-account-token.ts';
import { accountOf, admitServiceAccount } from './service-accounts.ts';

const TOKEN_SUFFIX_LENGTH = 5;

/** Throws 403 for what may not be. */
export async function admitNew(call: Call, object: ApiObject): Promise<ApiObject> {
  const { group, resource } = call.registration.row;
  return group === '' && resource === 'pods' ? withAccount(call, object) : object;
}

/** A new pod as its service account leaves it. */
async function withAccount({ server }: Call, object: ApiObject): Promise<ApiObject> {
  const name = accountOf(object);
  if (name === undefined) return object;
  const account = await readCurrent(server, 'serviceaccounts', object.metadata.namespace, name);
  const admitted = admitServiceAccount(object, name, account);
  // Without a key nobody could fill the volume, and the pod would wait for it for ever.
  if (server.tokens === undefined) return admitted;
  return mountToken(admitted, account, server.random.suffix(TOKEN_SUFFIX_LENGTH));
}
