/** Gives each namespace its default service account. */
import { nameOf, NAMESPACES, namespaceOf, SERVICE_ACCOUNTS } from '../../api/index.ts';
import { type Informers, METADATA } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';
import { DEFAULT_SERVICE_ACCOUNT, reconcileServiceAccount } from './reconcile-service-account.ts';

/** That it is there is all that counts; so one source serves this and the garbage collector. */
const PRESENCE = { form: METADATA };

/** Keys are namespace names. */
export function serviceAccountController(informers: Informers): Controller {
  const namespaces = informers.lister(NAMESPACES);
  const accounts = informers.lister(SERVICE_ACCOUNTS, PRESENCE);
  return {
    name: 'serviceaccount',
    sources: [
      source(NAMESPACES, (change) => [change.key]),
      source(
        SERVICE_ACCOUNTS,
        ({ object }) => (nameOf(object) === DEFAULT_SERVICE_ACCOUNT ? [namespaceOf(object)] : []),
        PRESENCE,
      ),
    ],
    reconcile: (key, context) =>
      context.perform(reconcileServiceAccount(namespaces.getByKey(key), accounts.get(key, DEFAULT_SERVICE_ACCOUNT))),
  };
}
