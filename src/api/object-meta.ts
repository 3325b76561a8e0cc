/** Small tools for names, owners and deletion of any object. */
import { apiVersionOf, type KubeObject, type Resource } from './resource.ts';
import type { OwnerReference } from './types.gen.ts';

const SUFFIX_LENGTH = 5;
const MAX_GENERATED_LENGTH = 63;

/** "namespace/name", or "name" where there is no namespace. */
export function namespacedName(object: KubeObject): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function nameOf(object: KubeObject): string {
  return object.metadata?.name ?? '';
}

/** '' for an object that has none. */
export function namespaceOf(object: KubeObject): string {
  return object.metadata?.namespace ?? '';
}

export function uidOf(object: KubeObject): string {
  return object.metadata?.uid ?? '';
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** The one owner with `controller: true`. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = owner.metadata?.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

/** The reference that makes `owner` the controller of another object. */
export function controllerReference<T extends KubeObject>(resource: Resource<T>, owner: T): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: nameOf(owner),
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * A name from `generateName`: the prefix, shortened where needed, and five random characters.
 * @param suffix gives so many random characters of the alphabet for names (lib's `Random.suffix`)
 */
export function generateName(prefix: string, suffix: (length: number) => string): string {
  return prefix.slice(0, MAX_GENERATED_LENGTH - SUFFIX_LENGTH) + suffix(SUFFIX_LENGTH);
}
