/** How a controller writes a status that it alone keeps. Pure. */
import { apiVersionOf, type KubeObject, nameOf, type Resource, semanticallyEqualObjects, uidOf } from '../api/index.ts';
import type { Operation } from './operation.ts';

/** Whether two statuses mean the same: the server leaves zeroes out, and writes nulls where a controller wrote nothing. */
export function isSameStatus(resource: Resource<unknown>, one: object | undefined, other: object | undefined): boolean {
  const [a, b] = [{ status: one ?? {} }, { status: other ?? {} }];
  return semanticallyEqualObjects(apiVersionOf(resource), resource.kind, [a, b]);
}

/**
 * The merge patch that turns one status into another; undefined when they are equal. It can't fail for a change of the spec
 * meanwhile (`observedGeneration` says what was seen), and not hit another object of the same name.
 * @param metadata more to write with it
 */
export function statusPatch<T extends KubeObject & { readonly status?: object }>(
  resource: Resource<T>,
  object: T,
  next: object,
  metadata?: object,
): Operation | undefined {
  const before = object.status ?? {};
  if (metadata === undefined && isSameStatus(resource, before, next)) return undefined;
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
