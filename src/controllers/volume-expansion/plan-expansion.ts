/** Says of a claim that asks for more room than it has who gives it. Pure. Upstream: pkg/controller/volume/expand. */
import {
  compareQuantities,
  isDeleting,
  type PersistentVolume,
  type PersistentVolumeClaim,
  uidOf,
} from '../../api/index.ts';

export interface ExpansionNote {
  readonly type: 'Normal';
  readonly reason: string;
  readonly message: string;
}

/**
 * What to tell of the claim; undefined: nothing. No volume is expanded here: the resizer of its CSI driver does that, and the node.
 * @param volume the one that the claim names; undefined: there is none
 */
export function planExpansion(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): ExpansionNote | undefined {
  if (isDeleting(claim) || volume === undefined || volume.spec?.claimRef?.uid !== uidOf(claim)) return undefined;
  const asked = claim.spec?.resources?.requests?.['storage'] ?? '0';
  if (compareQuantities(asked, claim.status?.capacity?.['storage'] ?? '0') <= 0) return undefined;
  const message = 'waiting for an external controller to expand this PVC';
  return { type: 'Normal', reason: 'ExternalExpanding', message };
}
