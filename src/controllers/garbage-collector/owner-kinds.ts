/** Which kinds may own and be owned, and where an owner reference leads. Pure. */
import {
  apiVersionOf,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  RESOURCES,
  type ResourceRow,
} from '../../api/index.ts';

/** Every kind that is stored and can be deleted, but for events: they own nothing, and end by themselves. */
export const COLLECTED: readonly ResourceRow[] = RESOURCES.filter(
  ({ verbs, kind }) =>
    kind !== 'Event' && (['get', 'list', 'watch', 'delete'] as const).every((verb) => verbs.includes(verb)),
);

/** Which kinds there are. */
export interface KindFinder {
  /** The row of a kind whose objects can be collected; undefined: there is none of that name. */
  find(group: string, version: string, kind: string): ResourceRow | undefined;
}

export type OwnerPlace =
  /** The place where the owner is, if it exists. */
  | { readonly kind: 'at'; readonly row: ResourceRow; readonly namespace: string | undefined }
  /** No such kind is served here, so it cannot be found out whether the owner exists. */
  | { readonly kind: 'unknown' }
  /** Something of no namespace cannot be owned by something in one. */
  | { readonly kind: 'impossible' };

/** An owner in a namespace is looked for in the namespace of its dependent, whatever its UID is. */
export function placeOfOwner(kinds: KindFinder, reference: OwnerReference, dependent: KubeObject): OwnerPlace {
  const { group, version } = parseApiVersion(reference.apiVersion);
  const row = kinds.find(group, version, reference.kind);
  if (row === undefined) return { kind: 'unknown' };
  if (!row.namespaced) return { kind: 'at', row, namespace: undefined };
  const namespace = dependent.metadata?.namespace;
  return namespace === undefined || namespace === '' ? { kind: 'impossible' } : { kind: 'at', row, namespace };
}

/** Whether `dependent` names exactly this object, in its place, as an owner. */
export function isOwnedBy(kinds: KindFinder, dependent: KubeObject, row: ResourceRow, owner: KubeObject): boolean {
  return (dependent.metadata?.ownerReferences ?? []).some((reference) => {
    if (reference.uid !== owner.metadata?.uid || reference.name !== owner.metadata?.name) return false;
    const place = placeOfOwner(kinds, reference, dependent);
    return (
      place.kind === 'at' && place.row === row && (!row.namespaced || place.namespace === owner.metadata?.namespace)
    );
  });
}

/** An owner reference in messages. */
export function describeReference(reference: OwnerReference, namespace: string): string {
  const { apiVersion, kind, name, uid } = reference;
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** Names one owner once and for all: UIDs are never used twice. */
export function absenceKey(reference: OwnerReference, row: ResourceRow, namespace: string | undefined): string {
  return [apiVersionOf(row), row.kind, namespace ?? '', reference.name, reference.uid].join(' ');
}
