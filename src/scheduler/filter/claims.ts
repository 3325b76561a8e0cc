/** What the scheduler knows of a claim: whether it is bound, and whether it waits for a decision of the scheduler. Pure. */
import {
  type Node,
  nodeSelectorTermMatches,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '../../api/index.ts';
import type { Cluster } from '../cluster/cluster.ts';

export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

export function isBound(claim: PersistentVolumeClaim): boolean {
  const completed = claim.metadata?.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
  return (claim.spec?.volumeName ?? '') !== '' && (completed || claim.status?.phase === 'Bound');
}

export function waitsForConsumer(claim: PersistentVolumeClaim, cluster: Cluster): boolean {
  const name = claim.spec?.storageClassName ?? '';
  return name !== '' && cluster.storageClass(name)?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** Whether pods on the node can use the volume. */
export function reaches(node: Node, volume: PersistentVolume): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || required.nodeSelectorTerms.some((term) => nodeSelectorTermMatches(term, node));
}
