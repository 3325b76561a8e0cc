/**
 * Invariants of volumes that are folders of nodes: with ReadWriteOncePod one pod runs at a time; no folder goes while a pod has
 * it, while its volume is bound, or when its volume was last seen with Retain; a volume that is deleted leaves no folder.
 */
import { isDeleting, type PersistentVolume, type Pod } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

export function volumesKept({ stored, facts, nodes, sim }: Fleet): void {
  /** Names of volumes that had Retain when they were last seen. */
  const retained = new Set<string>();
  const volumesOf = (pod: Pod): readonly PersistentVolume[] =>
    (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
      const claim = stored.claims.objects.get(`${pod.metadata?.namespace}/${persistentVolumeClaim?.claimName}`);
      return stored.volumes.objects.get(claim?.spec?.volumeName ?? '') ?? [];
    });
  /** UID and node of a running pod → its volumes when it started. */
  const held = new Map<string, readonly string[]>();
  facts.listen({
    started: ({ uid, key, node, pod }) => {
      const volumes = volumesOf(pod);
      for (const { metadata, spec } of volumes) {
        const name = metadata?.name ?? '';
        if (spec?.accessModes?.includes('ReadWriteOncePod') !== true) continue;
        for (const [other, names] of held) {
          if (names.includes(name))
            throw new InvariantViolation('one pod', `${key} starts with ${name} beside ${other}`);
        }
      }
      held.set(
        `${uid} ${node}`,
        volumes.map(({ metadata }) => metadata?.name ?? ''),
      );
    },
    stopped: ({ uid, node }) => void held.delete(`${uid} ${node}`),
    folderGone: (node, name) => {
      const user = [...held].find(([who, names]) => who.endsWith(` ${node}`) && names.includes(name));
      if (user !== undefined) throw new InvariantViolation('folder in use', `${name} went while ${user[0]} had it`);
      const volume = stored.volumes.objects.get(name);
      if (retained.has(name)) throw new InvariantViolation('Retain', `the folder of ${name} went`);
      // A left-over on another node has the name of a volume that is elsewhere.
      const host = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values?.[0];
      if (volume !== undefined && host === node && !isDeleting(volume))
        throw new InvariantViolation('folder gone', `that of ${name}, which is not being deleted, went from ${node}`);
    },
  });
  stored.volumes.onChange((name, volume) => {
    if (volume?.spec?.persistentVolumeReclaimPolicy === 'Retain') retained.add(name);
    if (volume?.spec?.persistentVolumeReclaimPolicy === 'Delete') retained.delete(name);
    if (volume !== undefined || retained.has(name)) return;
    const node = nodes.find(({ volumes }) => volumes.folders.get(name)?.wasUsed === true);
    if (node !== undefined) sim.fail(new InvariantViolation('leak', `${name} is gone, its folder is on ${node.name}`));
  });
}
