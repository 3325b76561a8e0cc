/** The history of one owner: the ControllerRevisions that it controls, after adoption and release. */
import {
  CONTROLLER_REVISIONS,
  type ControllerRevision,
  type KubeObject,
  namespaceOf,
  type ParsedLabelSelector,
  type Resource,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient, Lister } from '../../client/index.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { claim } from '../ownership/claim.ts';
import type { ReconcileContext } from '../controller.ts';
import { sortRevisions } from './plan-history.ts';

export interface OwnedRevisionsOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly context: ReconcileContext;
  readonly lister: Lister<ControllerRevision>;
  readonly resource: Resource<T>;
  readonly owner: T;
  readonly selector: ParsedLabelSelector | undefined;
}

/** From the oldest on. `pending`: wait for the next reconcile, see `claim`. */
export async function ownedRevisions<T extends KubeObject>(
  options: OwnedRevisionsOptions<T>,
): Promise<{ readonly sorted: readonly ControllerRevision[]; readonly pending: boolean }> {
  const { client, context, lister, resource, owner, selector } = options;
  const orphans = lister.byIndex(BY_CONTROLLER, '').filter((revision) => namespaceOf(revision) === namespaceOf(owner));
  const { owned, pending } = await claim({
    client,
    context,
    ownerResource: resource,
    owner,
    selector,
    resource: CONTROLLER_REVISIONS,
    candidates: [...lister.byIndex(BY_CONTROLLER, uidOf(owner)), ...orphans],
  });
  return { sorted: sortRevisions(owned), pending };
}
