/** What becomes of a volume whose folder a node has: a pure function of it. */
import {
  GIVE_UP_ANNOTATION,
  GIVEN_UP_CLAIM_ANNOTATION,
  isDeleting,
  isLocalVolume,
  LOCAL_VOLUME_FINALIZER,
  type PersistentVolume,
} from '../../api/index.ts';

export type Deletion =
  /** It is in use, or kept. */
  | 'keep'
  /** Its claim is gone, and its policy is Delete: the object is deleted first, so that nobody is given it any more. */
  | 'delete'
  /** Nobody can be given it any more: the node removes the folder, then the object goes. */
  | 'remove-folder'
  /** The object goes and the folder stays: its policy is Retain, or a person gave it up. */
  | 'let-go';

export function planDeletion(volume: PersistentVolume): Deletion {
  if (!isLocalVolume(volume)) return 'keep';
  const { spec, status, metadata } = volume;
  // Its claim is to be made anew first, and the volume has the note of it.
  if (metadata?.annotations?.[GIVEN_UP_CLAIM_ANNOTATION] !== undefined) return 'keep';
  const isDeleted = spec?.persistentVolumeReclaimPolicy === 'Delete';
  if (!isDeleting(volume)) return isDeleted && status?.phase === 'Released' ? 'delete' : 'keep';
  if (!(metadata?.finalizers ?? []).includes(LOCAL_VOLUME_FINALIZER) || status?.phase === 'Bound') return 'keep';
  return isDeleted && !isGivenUp(volume) ? 'remove-folder' : 'let-go';
}

export function isGivenUp({ metadata }: PersistentVolume): boolean {
  const given = metadata?.annotations?.[GIVE_UP_ANNOTATION] ?? '';
  return given !== '' && given !== 'false';
}
