/** Compares the folders that a node has with the volumes and claims of the cluster. Pure. */
import {
  isDeleting,
  isLocalVolume,
  isVolumeOnNode,
  nameOf,
  type Node,
  type NodeVolume,
  type PersistentVolume,
  type PersistentVolumeClaim,
  SELECTED_NODE,
} from '../../api/index.ts';

export interface ClusterVolumes {
  volume(name: string): PersistentVolume | undefined;
  readonly volumes: readonly PersistentVolume[];
  claim(uid: string): PersistentVolumeClaim | undefined;
}

export interface Look {
  /** Volumes of the node whose folder it does not have. */
  readonly lost: readonly PersistentVolume[];
  /** Folders that nobody needs and in which nobody's data is. */
  readonly leftOvers: readonly NodeVolume[];
  /** Folders of no volume that pods have used. */
  readonly kept: readonly NodeVolume[];
}

export function planLook(node: Node, folders: readonly NodeVolume[], cluster: ClusterVolumes): Look {
  const there = new Set(folders.filter(({ state }) => state !== 'lost').map(({ name }) => name));
  const lost = cluster.volumes.filter(
    (volume) =>
      isLocalVolume(volume) && !isDeleting(volume) && isVolumeOnNode(volume, node) && !there.has(nameOf(volume)),
  );
  const ownerless = folders.filter((folder) => folder.state === 'ready' && !hasOwner(node, folder, cluster));
  return {
    lost,
    leftOvers: ownerless.filter(({ wasUsed }) => wasUsed === false),
    kept: ownerless.filter(({ wasUsed }) => wasUsed !== false),
  };
}

/** A volume of that name on another node is not the folder's: the claim was given another node meanwhile. */
function hasOwner(node: Node, { name, handle }: NodeVolume, cluster: ClusterVolumes): boolean {
  const volume = cluster.volume(name);
  if (volume !== undefined) return isVolumeOnNode(volume, node);
  const claim = cluster.claim(handle);
  if (claim === undefined || claim.spec?.volumeName) return false;
  return claim.metadata?.annotations?.[SELECTED_NODE] === nameOf(node);
}
