/**
 * Decides about an object after its owners were looked up. Pure. Upstream: garbagecollector.attemptToDeleteItem.
 *
 *   an owner is there ────────────► it stays; references to owners that are gone, or only wait for it, go
 *   one waits for it to be gone ──► deleted; before its own dependents, if it has any, in the foreground
 *   none is there ────────────────► deleted
 */
import type { KubeObject, OwnerReference } from '../../api/index.ts';

export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

/** The state of one owner: "waiting" means that it is being deleted in the foreground, and waits for its dependents. */
export type OwnerState = 'solid' | 'waiting' | 'absent';

export interface OwnerVerdict {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type CollectionStep =
  | { readonly kind: 'keep' }
  /** References to these UIDs go. */
  | { readonly kind: 'detach'; readonly uids: readonly string[] }
  | {
      readonly kind: 'delete';
      readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan';
      /** First let go of its owners, which wait for it in a circle. */
      readonly unblock: boolean;
    };

/**
 * @param object as the server has it
 * @param verdicts one per owner reference
 * @param dependents objects that name `object` as their owner
 */
export function planCollection(
  object: KubeObject,
  verdicts: readonly OwnerVerdict[],
  dependents: readonly KubeObject[],
): CollectionStep {
  const uidsOf = (state: OwnerState): readonly string[] =>
    verdicts.filter((verdict) => verdict.state === state).map(({ reference }) => reference.uid);
  if (verdicts.length === 0) return { kind: 'keep' };
  const waiting = uidsOf('waiting');
  if (uidsOf('solid').length > 0) {
    const uids = [...uidsOf('absent'), ...waiting];
    return uids.length === 0 ? { kind: 'keep' } : { kind: 'detach', uids };
  }
  if (waiting.length > 0 && dependents.length > 0) {
    // A dependent that itself waits for its dependents is one of a circle, in which each would wait for the next.
    return { kind: 'delete', propagationPolicy: 'Foreground', unblock: dependents.some(isDeletingDependents) };
  }
  return { kind: 'delete', propagationPolicy: policyOf(object), unblock: false };
}

/** The treatment of its dependents that its finalizers ask for. */
function policyOf(object: KubeObject): 'Foreground' | 'Background' | 'Orphan' {
  if (hasFinalizer(object, ORPHAN_FINALIZER)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

export function hasFinalizer(object: KubeObject, name: string): boolean {
  return object.metadata?.finalizers?.includes(name) === true;
}

/** Being deleted in the foreground. */
export function isDeletingDependents(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined && hasFinalizer(object, FOREGROUND_FINALIZER);
}

/** It is being deleted, and its dependents are to stay. */
export function isOrphaning(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined && hasFinalizer(object, ORPHAN_FINALIZER);
}

/** Whether the end of its owner `uid` has to wait for it. */
export function blocksOwner(object: KubeObject, uid: string): boolean {
  return (object.metadata?.ownerReferences ?? []).some(
    (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
  );
}

/** References to the owners with these UIDs go, or owners may end before the object. */
export type OwnersChange = { readonly detach: readonly string[] } | 'unblock';

/** The change as a strategic merge patch. */
export function ownersPatch(object: KubeObject, change: OwnersChange): object {
  const ownerReferences =
    change === 'unblock'
      ? (object.metadata?.ownerReferences ?? [])
          .filter(({ blockOwnerDeletion }) => blockOwnerDeletion)
          .map(({ uid }) => ({ uid, blockOwnerDeletion: false }))
      : change.detach.map((uid) => ({ $patch: 'delete', uid }));
  return { metadata: { uid: object.metadata?.uid, ownerReferences } };
}

/** The same as a merge patch, which replaces the list: it holds for the version that was seen. */
export function ownersMergePatch(object: KubeObject, change: OwnersChange): object {
  const { uid, resourceVersion, ownerReferences = [] } = object.metadata ?? {};
  const left =
    change === 'unblock'
      ? ownerReferences.map((reference) =>
          reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
        )
      : ownerReferences.filter((reference) => !change.detach.includes(reference.uid));
  return { metadata: { uid, resourceVersion, ownerReferences: left.length === 0 ? null : left } };
}
