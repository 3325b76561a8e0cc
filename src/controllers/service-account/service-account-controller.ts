/** Gives each namespace its default service account. */
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';
import { DEFAULT_SERVICE_ACCOUNT, reconcileServiceAccount } from './reconcile-service-account.ts';

const OURS = { fieldSelector: `metadata.name=${DEFAULT_SERVICE_ACCOUNT}` };

/** Keys are namespace names. */
export function serviceAccountController(informers: Informers): Controller {
  const namespaces = informers.lister(NAMESPACES);
  const accounts = informers.lister(SERVICE_ACCOUNTS, OURS);
  return {
    name: 'serviceaccount',
    sources: [
      source(NAMESPACES, (change) => [change.key]),
      source(SERVICE_ACCOUNTS, ({ object }) => [object.metadata?.namespace ?? ''], OURS),
    ],
    reconcile: (key, context) =>
      context.perform(reconcileServiceAccount(namespaces.getByKey(key), accounts.get(key, DEFAULT_SERVICE_ACCOUNT))),
  };
}
