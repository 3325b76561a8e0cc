/** Plans the next step for one volume: a pure function of it and the claim that it is for. */
import {
  isDeleting,
  nameOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PROVISIONED_BY,
  uidOf,
} from '../../api/index.ts';
import { BOUND_BY_CONTROLLER, patchVolume, type VolumePlan } from './plan-claim.ts';

/** @param claim the claim that its claimRef names, whatever the UID; undefined: the server has none */
export function planVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const reference = volume.spec?.claimRef;
  if (reference === undefined || !reference.uid) return phase(volume, 'Available');
  if (claim === undefined || uidOf(claim) !== reference.uid) return release(volume);
  if (claim.spec?.volumeName === nameOf(volume)) return { operations: [] };
  // The claim has another volume. One that was made for it is of no use to anybody.
  if (isMade(volume) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete')
    return claim.spec?.volumeName ? release(volume) : { operations: [] };
  // This one was given to it by us, in a race, and is free again.
  const ours = volume.metadata?.annotations?.[BOUND_BY_CONTROLLER] !== undefined;
  if (!claim.spec?.volumeName || !ours) return { operations: [] };
  const free = { metadata: { annotations: { [BOUND_BY_CONTROLLER]: null } }, spec: { claimRef: null } };
  return { operations: [patchVolume(volume, free)] };
}

/** Whoever made it for a claim also deletes it (upstream: AnnDynamicallyProvisioned). */
function isMade({ metadata }: PersistentVolume): boolean {
  return (metadata?.annotations?.[PROVISIONED_BY] ?? '') !== '';
}

/** Its claim is gone. Its data stays here: who made it may delete it, and nobody deletes or recycles what a person made. */
function release(volume: PersistentVolume): VolumePlan {
  const policy = volume.spec?.persistentVolumeReclaimPolicy ?? 'Retain';
  const isLeftToMaker = policy === 'Delete' && isMade(volume);
  if (policy === 'Retain' || isLeftToMaker || isDeleting(volume)) return phase(volume, 'Released');
  if (volume.status?.phase === 'Failed') return { operations: [] };
  const [verb, reason] = policy === 'Delete' ? ['delet', 'VolumeFailedDelete'] : ['recycl', 'VolumeFailedRecycle'];
  const message = `error getting ${verb}er volume plugin for volume "${nameOf(volume)}": no ${verb}able volume plugin matched`;
  return {
    operations: [patchVolume(volume, { status: { phase: 'Failed', reason, message } }, 'status', true)],
    note: { type: 'Warning', reason, message },
  };
}

function phase(volume: PersistentVolume, wanted: string): VolumePlan {
  if (volume.status?.phase === wanted) return { operations: [] };
  const status = { phase: wanted, reason: null, message: null };
  return { operations: [patchVolume(volume, { status }, 'status', true)] };
}
