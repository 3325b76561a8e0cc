/** Filters: the pod's claims exist and are bound, and the node can use their volumes. */
import type { PersistentVolumeClaim } from '../../api/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { VolumePromise } from '../cluster/volume-promises.ts';
import { isBound, reaches, waitsForConsumer } from './claims.ts';
import { type Filter, resolvable, unresolvable } from './filter.ts';
import { VolumeSupply } from './new-volumes.ts';

/**
 * All claims must exist. Each is bound to a volume that the node reaches, or waits for its first consumer: then the node has a
 * volume for it, or room for one.
 */
export const volumeBinding: Filter = {
  name: 'VolumeBinding',
  prepare(pod, cluster) {
    if (pod.claims.length === 0) return undefined;
    const rejection = rejectionOf(pod, cluster);
    if (rejection !== undefined) return { rejection };
    const claims = pod.claims.flatMap((name) => cluster.claim(pod.namespace, name) ?? []);
    const bound = claims.filter(isBound);
    const supply = claims.length > bound.length ? new VolumeSupply(unboundOf(claims), cluster) : undefined;
    const volumes = bound.flatMap((claim) => cluster.volume(claim.spec?.volumeName ?? '') ?? []);
    const missing = unresolvable(
      'VolumeBinding',
      'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
    );
    const elsewhere = unresolvable('VolumeBinding', "node(s) didn't match PersistentVolume's node affinity");
    return {
      check: ({ node }) => {
        if (node !== undefined && volumes.some((volume) => !reaches(node, volume))) return elsewhere;
        const offer = node === undefined ? undefined : supply?.offerOf(node);
        const reasons = [
          ...(volumes.length < bound.length ? missing.reasons : []),
          ...(offer?.kind === 'misfit' ? [offer.reason] : []),
        ];
        return reasons.length === 0 ? undefined : { ...missing, reasons };
      },
    };
  },
};

/** What is promised to the pod's claims when it gets the node: nothing when all of them are bound. */
export function promisesFor(pod: PodInfo, nodeName: string, cluster: Cluster): readonly VolumePromise[] {
  if (pod.claims.length === 0) return [];
  const claims = unboundOf(pod.claims.flatMap((name) => cluster.claim(pod.namespace, name) ?? []));
  const node = cluster.node(nodeName)?.node;
  if (claims.length === 0 || node === undefined) return [];
  const offer = new VolumeSupply(claims, cluster).offerOf(node);
  return offer.kind === 'promises' ? offer.promises : [];
}

/** Each once: two volumes of a pod may be of one claim. */
function unboundOf(claims: readonly PersistentVolumeClaim[]): readonly PersistentVolumeClaim[] {
  return [...new Set(claims)].filter((claim) => !isBound(claim));
}

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
    for (const info of cluster.nodes) for (const other of info.podsWithClaims()) if (shares(other)) users += 1;
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
    // A claim that names its volume waits for the controller that binds them, whatever its class.
    const isImmediate = (claim.spec?.volumeName ?? '') !== '' || !waitsForConsumer(claim, cluster);
    if (!isBound(claim) && isImmediate) {
      return 'pod has unbound immediate PersistentVolumeClaims';
    }
  }
  return undefined;
}
