/**
 * Finds the objects that a change of an object concerns: itself, its owners and its dependents. Most changes (a status, a
 * label) concern none, and cost nothing. Pure.
 */
import { equalJson, type KubeObject, type OwnerReference } from '../../api/index.ts';
import type { Change } from '../../client/index.ts';
import { isDeletingDependents, isOrphaning } from './plan-collection.ts';

export interface Concerned {
  readonly itself: boolean;
  /** References to owners that may have waited for this. */
  readonly owners: readonly OwnerReference[];
  /** All that name it as their owner. */
  readonly dependents: boolean;
}

export function concernedBy({ type, object, ...change }: Change<KubeObject>): Concerned {
  const previous = 'previous' in change ? change.previous : undefined;
  if (type === 'delete') return { itself: false, owners: referencesOf(object), dependents: true };
  const referencesChanged = !equalJson(previous?.metadata?.ownerReferences, object.metadata?.ownerReferences);
  const beganForeground = isDeletingDependents(object) && (previous === undefined || !isDeletingDependents(previous));
  const beganOrphaning = isOrphaning(object) && (previous === undefined || !isOrphaning(previous));
  return {
    itself: beganForeground || beganOrphaning || (referencesChanged && referencesOf(object).length > 0),
    owners: referencesChanged
      ? [...referencesOf(object), ...(previous === undefined ? [] : referencesOf(previous))]
      : [],
    dependents: beganForeground,
  };
}

function referencesOf(object: KubeObject): readonly OwnerReference[] {
  return object.metadata?.ownerReferences ?? [];
}
