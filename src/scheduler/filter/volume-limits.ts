/**
 * Filter: a CSI driver can have so many volumes on a node as its CSINode says. Pure. Upstream: NodeVolumeLimits.
 *
 * A volume counts once for each node, however many pods have it there. Volumes of CSI that a pod names itself (inline) do not count.
 */
import { type CSINode, namespacedName, type PersistentVolumeClaim } from '../../api/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filter, resolvable } from './filter.ts';

const NAME = 'NodeVolumeLimits';
const TOO_MANY = resolvable(NAME, 'node(s) exceed max volume count');

/** A volume, by a text that no other volume has → its driver. */
type Volumes = Map<string, string>;

export const nodeVolumeLimits: Filter = {
  name: NAME,
  prepare(pod, cluster) {
    if (pod.claims.length === 0) return undefined;
    const wanted = addVolumes(pod, cluster, new Map());
    if (wanted.size === 0) return undefined;
    return {
      check: (info) => {
        const node = cluster.drivers.csiNode(info.name);
        if (node === undefined) return undefined;
        const limits = volumeLimits(node);
        if (![...wanted.values()].some((driver) => limits.has(driver))) return undefined;
        const there: Volumes = new Map();
        for (const other of info.podsWithClaims()) addVolumes(other, cluster, there);
        addAttached(info.name, cluster, there);
        for (const [driver, limit] of limits) {
          const added = count(wanted, driver, there);
          if (added > 0 && count(there, driver) + added > limit) return TOO_MANY;
        }
        return undefined;
      },
    };
  },
};

/** Driver → how many volumes it can have on the node; a driver without a limit is absent. */
export function volumeLimits(node: CSINode): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of node.spec.drivers ?? [])
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  return limits;
}

function addVolumes({ namespace, claims }: PodInfo, cluster: Cluster, to: Volumes): Volumes {
  for (const name of claims) {
    const claim = cluster.claim(namespace, name);
    if (claim === undefined) continue;
    const volume = cluster.volume(claim.spec?.volumeName ?? '');
    if (volume === undefined) {
      const driver = driverToBe(claim, cluster);
      if (driver !== undefined) to.set(`${driver} to be made for ${namespacedName(claim)}`, driver);
    } else if (volume.spec?.csi !== undefined) {
      const { driver, volumeHandle } = volume.spec.csi;
      to.set(keyOf(driver, volumeHandle), driver);
    }
  }
  return to;
}

/** Of a claim that has no volume yet: its class says who makes one. */
function driverToBe({ spec }: PersistentVolumeClaim, cluster: Cluster): string | undefined {
  const className = spec?.storageClassName ?? '';
  return className === '' ? undefined : cluster.storageClass(className)?.provisioner;
}

/** Pods that have ended may have left volumes that are not detached yet. */
function addAttached(nodeName: string, cluster: Cluster, to: Volumes): void {
  for (const { spec } of cluster.drivers.attachments(nodeName)) {
    const handle = cluster.volume(spec.source.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle;
    if (handle !== undefined && spec.attacher !== '') to.set(keyOf(spec.attacher, handle), spec.attacher);
  }
}

function keyOf(driver: string, handle: string): string {
  return `${driver} volume ${handle}`;
}

/** How many volumes of the driver there are that `besides` does not have. */
function count(volumes: Volumes, driver: string, besides?: Volumes): number {
  let sum = 0;
  for (const [key, of] of volumes) if (of === driver && besides?.has(key) !== true) sum += 1;
  return sum;
}
