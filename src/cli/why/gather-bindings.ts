/** Gathers the RoleBindings beside a right that a pod's service account lacks. */
import { ROLE_BINDINGS } from '../../api/index.ts';
import type { PodEvidence, RefusedRight } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED } from './limits.ts';

/** undefined: they could not be read, which is noted. */
export function gatherBindings(asker: Asker, { namespace, account }: RefusedRight): Promise<PodEvidence['bindings']> {
  const where = namespace ?? account.namespace;
  return asker.listAll(`rolebindings in namespace ${where}`, ROLE_BINDINGS, { namespace: where, limit: MAX_LISTED });
}
