/** Which kinds may own and be owned, and where an owner reference leads. Pure. */
import {
  apiVersionOf,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type ResourceRow,
} from '../../api/index.ts';

/** The kinds whose objects are collected, by what the server serves. */
export interface CollectedKinds {
  /** One row for each kind, in its preferred version. The same kind is the same value for as long as it is served. */
  readonly rows: readonly ResourceRow[];
  /** The row of any served version of a kind: "GROUP/VERSION KIND". */
  readonly byKind: ReadonlyMap<string, ResourceRow>;
}

/**
 * Every kind that is stored and can be deleted, but for events: they own nothing, and end by themselves.
 *
 * @param before rows that stay the same values where their kind is still served
 */
export function collectedKinds(served: readonly ResourceRow[], before: readonly ResourceRow[]): CollectedKinds {
  const rows = new Map<string, ResourceRow>();
  const byKind = new Map<string, ResourceRow>();
  for (const row of served) {
    if (!isCollected(row)) continue;
    const key = `${row.group}/${row.resource}`;
    const chosen = rows.get(key) ?? before.find((each) => isSame(each, row)) ?? row;
    rows.set(key, chosen);
    byKind.set(kindKey(row.group, row.version, row.kind), chosen);
  }
  return { rows: [...rows.values()], byKind };
}

function isCollected({ verbs, kind }: ResourceRow): boolean {
  const needed = ['get', 'list', 'watch', 'delete'] as const;
  return kind !== 'Event' && needed.every((verb) => verbs.includes(verb));
}

function isSame(a: ResourceRow, b: ResourceRow): boolean {
  const names = ['group', 'version', 'resource', 'kind', 'namespaced'] as const;
  return names.every((name) => a[name] === b[name]);
}

function kindKey(group: string, version: string, kind: string): string {
  return `${group}/${version} ${kind}`;
}

export type OwnerPlace =
  /** The place where the owner is, if it exists. */
  | { readonly kind: 'at'; readonly row: ResourceRow; readonly namespace: string | undefined }
  /** No such kind is served here, so it cannot be found out whether the owner exists. */
  | { readonly kind: 'unknown' }
  /** Something of no namespace cannot be owned by something in one. */
  | { readonly kind: 'impossible' };

/** An owner in a namespace is looked for in the namespace of its dependent, whatever its UID is. */
export function placeOfOwner(kinds: CollectedKinds, reference: OwnerReference, dependent: KubeObject): OwnerPlace {
  const { group, version } = parseApiVersion(reference.apiVersion);
  const row = kinds.byKind.get(kindKey(group, version, reference.kind));
  if (row === undefined) return { kind: 'unknown' };
  if (!row.namespaced) return { kind: 'at', row, namespace: undefined };
  const namespace = dependent.metadata?.namespace;
  return namespace === undefined || namespace === '' ? { kind: 'impossible' } : { kind: 'at', row, namespace };
}

/** Whether `dependent` names exactly this object, in its place, as an owner. */
export function isOwnedBy(kinds: CollectedKinds, dependent: KubeObject, row: ResourceRow, owner: KubeObject): boolean {
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
