/** How a controller writes a status that it alone keeps. Pure. */
import { equalJson, type KubeObject, nameOf, type Resource, uidOf } from '../api/index.ts';
import type { Operation } from './operation.ts';

/**
 * The merge patch that turns one status into another; undefined when they are equal. It can't fail for a change of the spec
 * meanwhile (`observedGeneration` tells what was seen), and not hit another object of the same name.
 * @param metadata more to write with it
 */
export function statusPatch<T extends KubeObject & { readonly status?: object }>(
  resource: Resource<T>,
  object: T,
  next: object,
  metadata?: object,
): Operation | undefined {
  const before = object.status ?? {};
  if (metadata === undefined && equalJson(before, next)) return undefined;
  const dropped = Object.keys(before).filter((name) => !Object.hasOwn(next, name));
  const { namespace } = object.metadata ?? {};
  return {
    verb: 'patch',
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name: nameOf(object),
    type: 'merge',
    patch: {
      metadata: { uid: uidOf(object), ...metadata },
      status: { ...next, ...Object.fromEntries(dropped.map((name) => [name, null])) },
    },
    subresource: 'status',
  };
}
