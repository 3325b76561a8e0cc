/** Filters: the pod's claims exist and are bound, and the node can use their volumes. */
import {
  nodeSelectorTermMatches,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '../../api/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filter, resolvable, unresolvable } from './filter.ts';

/**
 * All claims must exist and be bound to a volume that the node reaches. A controller binds claims that wait for their first
 * consumer.
 */
export const volumeBinding: Filter = {
  name: 'VolumeBinding',
  prepare(pod, cluster) {
    if (pod.claims.length === 0) return undefined;
    const rejection = rejectionOf(pod, cluster);
    if (rejection !== undefined) return { rejection };
    const claims = pod.claims.flatMap((name) => cluster.claim(pod.namespace, name) ?? []);
    const waits = claims.some((claim) => !isBound(claim));
    const missing = claims.some(
      (claim) => isBound(claim) && cluster.volume(claim.spec?.volumeName ?? '') === undefined,
    );
    const volumes = claims.flatMap((claim) => cluster.volume(claim.spec?.volumeName ?? '') ?? []);
    const reasons = [
      ...(missing ? ['node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'] : []),
      ...(waits ? ["node(s) didn't find available persistent volumes to bind"] : []),
    ];
    const noWay = reasons.length === 0 ? undefined : { filter: 'VolumeBinding' as const, reasons, resolvable: false };
    const elsewhere = unresolvable('VolumeBinding', "node(s) didn't match PersistentVolume's node affinity");
    return {
      check: ({ node }) => {
        if (node !== undefined && volumes.some((volume) => !reaches(node, volume))) return elsewhere;
        return noWay;
      },
    };
  },
};

/** A volume that only one pod may use (ReadWriteOncePod) excludes all other pods. */
export const volumeRestrictions: Filter = {
  name: 'VolumeRestrictions',
  prepare(pod, cluster) {
    const alone = pod.claims.filter((name) =>
      cluster.claim(pod.namespace, name)?.spec?.accessModes?.includes('ReadWriteOncePod'),
    );
    if (alone.length === 0) return undefined;
    const shares = (other: PodInfo): boolean =>
      other.namespace === pod.namespace && other.key !== pod.key && alone.some((name) => other.claims.includes(name));
    let users = 0;
    for (const info of cluster.nodes) for (const other of info.pods()) if (shares(other)) users += 1;
    const misfit = resolvable(
      'VolumeRestrictions',
      'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
    );
    return {
      check: () => (users > 0 ? misfit : undefined),
      move: (_, other, delta) => {
        if (shares(other)) users += delta;
      },
    };
  },
};

function rejectionOf(pod: PodInfo, cluster: Cluster): string | undefined {
  for (const { name: volume, persistentVolumeClaim, ephemeral } of pod.pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim === undefined && ephemeral === undefined) continue;
    const name = persistentVolumeClaim?.claimName ?? `${pod.pod.metadata?.name ?? ''}-${volume}`;
    const claim = cluster.claim(pod.namespace, name);
    if (claim === undefined) {
      return ephemeral === undefined
        ? `persistentvolumeclaim "${name}" not found`
        : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
    }
    if (claim.status?.phase === 'Lost') {
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
    }
    if (claim.metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    const isOurs = claim.metadata?.ownerReferences?.some(
      ({ uid, controller }) => controller === true && uid === pod.uid,
    );
    if (ephemeral !== undefined && isOurs !== true) {
      return `PVC ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`;
    }
    if (!isBound(claim) && !waitsForConsumer(claim, cluster)) {
      return 'pod has unbound immediate PersistentVolumeClaims';
    }
  }
  return undefined;
}

function isBound(claim: PersistentVolumeClaim): boolean {
  const completed = claim.metadata?.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
  return (claim.spec?.volumeName ?? '') !== '' && (completed || claim.status?.phase === 'Bound');
}

function waitsForConsumer(claim: PersistentVolumeClaim, cluster: Cluster): boolean {
  const name = claim.spec?.storageClassName ?? '';
  return name !== '' && cluster.storageClass(name)?.volumeBindingMode === 'WaitForFirstConsumer';
}

function reaches(node: Node, volume: PersistentVolume): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || required.nodeSelectorTerms.some((term) => nodeSelectorTermMatches(term, node));
}
