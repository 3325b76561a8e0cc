/** Carries out claims: see `planClaims`. */
import {
  isDeleting,
  isNotFound,
  type KubeObject,
  nameOf,
  type ParsedLabelSelector,
  type Resource,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { ReconcileContext } from '../controller.ts';
import { planClaims } from './plan-claims.ts';

export interface ClaimOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly context: ReconcileContext;
  readonly ownerResource: Resource<KubeObject>;
  readonly owner: KubeObject;
  readonly selector: ParsedLabelSelector | undefined;
  readonly resource: Resource<T>;
  /** Objects of `resource` in the owner's namespace. */
  readonly candidates: readonly T[];
  /** See `planClaims`. */
  readonly finalizer?: string;
}

/**
 * Adopts and releases objects, and returns the owner's own. `pending`: something was adopted or released; the reconcile runs
 * again when the listers show it, and until then the owner must neither create nor delete.
 */
export async function claim<T extends KubeObject>(
  options: ClaimOptions<T>,
): Promise<{ readonly owned: readonly T[]; readonly pending: boolean }> {
  const { client, context, ownerResource, owner, selector, resource, candidates } = options;
  const { finalizer } = options;
  const claims = planClaims(ownerResource, owner, selector, resource, candidates, finalizer);
  const { owned, adoptions, releases } = claims;
  const adopted =
    adoptions.length > 0 && (await mayAdopt(client, ownerResource, owner, context.signal)) ? adoptions : [];
  await context.perform([...releases, ...adopted]);
  return { owned, pending: releases.length + adopted.length > 0 };
}

/** Asks the server itself: an owner that is going, or is another object by now, must not take orphans. */
async function mayAdopt(
  client: KubeClient,
  resource: Resource<KubeObject>,
  owner: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const fresh = await client.get(resource, owner.metadata?.namespace, nameOf(owner), signal, { metadataOnly: true });
    return uidOf(fresh) === uidOf(owner) && !isDeleting(fresh);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
