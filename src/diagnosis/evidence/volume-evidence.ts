/** The evidence about a PersistentVolume, with that of its claim. An absent field was not read. */
import type { Event, PersistentVolume } from './kinds.ts';
import type { ClaimSubjectEvidence } from './object-evidence.ts';
import type { StorageEvidence } from './storage-evidence.ts';

export interface VolumeSubjectEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly volume: PersistentVolume;
  readonly events: readonly Event[];
  /** The claim that it is bound to. */
  readonly claim?: ClaimSubjectEvidence;
  readonly claimMissing?: boolean;
  readonly storage?: StorageEvidence;
  readonly notLookedAt: readonly string[];
}
