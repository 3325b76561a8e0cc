/**
 * Decides which objects belong to an owner. Objects that it controls and its selector matches are its own; objects that it
 * controls but does not match any more are released; matching objects without a controller are adopted. Pure. Upstream:
 * BaseControllerRefManager.ClaimObject.
 */
import {
  controllerOf,
  controllerReference,
  isDeleting,
  type KubeObject,
  matchesLabels,
  nameOf,
  type ParsedLabelSelector,
  type Resource,
  uidOf,
} from '../../api/index.ts';
import type { Operation } from '../operation.ts';

export interface Claims<T> {
  /** Those it controls, in the order of the candidates; an adoption counts from the next look. */
  readonly owned: readonly T[];
  /** To be done only after the owner itself was read from the server and is not being deleted (see `mayAdopt`). */
  readonly adoptions: readonly Operation[];
  readonly releases: readonly Operation[];
}

/**
 * @param owner with its UID
 * @param ownerResource the owner's kind
 * @param selector matches nothing when undefined
 * @param candidates objects of `resource` in the owner's namespace
 * @param finalizer the finalizer that its objects carry for the owner: added by an adoption and removed by a release
 */
export function planClaims<T extends KubeObject>(
  ownerResource: Resource<KubeObject>,
  owner: KubeObject,
  selector: ParsedLabelSelector | undefined,
  resource: Resource<T>,
  candidates: readonly T[],
  finalizer?: string,
): Claims<T> {
  const owned: T[] = [];
  const adoptions: Operation[] = [];
  const releases: Operation[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    const matches = selector !== undefined && matchesLabels(selector, object.metadata?.labels);
    if (controller !== undefined) {
      if (controller.uid !== uidOf(owner)) continue;
      if (matches) owned.push(object);
      else if (!isDeleting(owner)) {
        const without = finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] };
        releases.push(patchOf(resource, object, [{ $patch: 'delete', uid: uidOf(owner) }], without));
      }
    } else if (matches && !isDeleting(owner) && !isDeleting(object)) {
      const withFinalizer = finalizer === undefined ? {} : { finalizers: [finalizer] };
      adoptions.push(patchOf(resource, object, [controllerReference(ownerResource, owner)], withFinalizer));
    }
  }
  return { owned, adoptions, releases };
}

function patchOf(
  resource: Resource<KubeObject>,
  object: KubeObject,
  ownerReferences: readonly object[],
  more: object,
): Operation {
  const { namespace } = object.metadata ?? {};
  return {
    verb: 'patch',
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name: nameOf(object),
    type: 'strategic',
    patch: { metadata: { uid: uidOf(object), ownerReferences, ...more } },
  };
}
