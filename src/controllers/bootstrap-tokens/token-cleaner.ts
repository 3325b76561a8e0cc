/** Deletes bootstrap tokens when they end (upstream: tokencleaner). */
import { BOOTSTRAP_TOKEN_NAMESPACE, BOOTSTRAP_TOKEN_TYPE, bootstrapTokenEnd, SECRETS, uidOf } from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import { type Controller, source } from '../controller.ts';

const TOKENS = { fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}` };

/** Keys are secrets. */
export function tokenCleaner(informers: Informers, clock: Clock): Controller {
  const secrets = informers.lister(SECRETS, TOKENS);
  return {
    name: 'token-cleaner',
    sources: [
      source(
        SECRETS,
        ({ type, key, object }) =>
          type === 'apply' && object.metadata?.namespace === BOOTSTRAP_TOKEN_NAMESPACE ? [key] : [],
        TOKENS,
      ),
    ],
    reconcile: async (key, context) => {
      const secret = secrets.getByKey(key);
      const end = secret && bootstrapTokenEnd(secret);
      if (secret === undefined || end === undefined) return undefined;
      // A token with an unreadable end admits nobody: it counts as expired.
      const leftMs = end === 'unreadable' ? 0 : end - clock.now().wall;
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      const { namespace = '', name = '' } = secret.metadata ?? {};
      const options = { uid: uidOf(secret) };
      await context.perform([{ verb: 'delete', resource: SECRETS, namespace, name, options }]);
      return undefined;
    },
  };
}
