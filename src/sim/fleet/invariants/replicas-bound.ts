/** Invariant: a Deployment, ReplicaSet or StatefulSet never has more counted pods than it may have. */
import { controllerOf, type Deployment, isDeleting, type Pod, type StatefulSet, uidOf } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

/**
 * The present bound, and the highest bound since the number of pods was last within it: a lower bound takes effect only
 * gradually, and not before its controller has seen it, and that of its replica sets: they end the burst of creations that is
 * under way, as upstream.
 */
interface Bound {
  now: number;
  most: number;
  isSeen: boolean;
  /** A StatefulSet fills its gaps before it deletes its highest identities; the old bound holds until those are gone. */
  readonly isStateful: boolean;
}

export function replicasBound({ stored }: Fleet): void {
  const bounds = new Map<string, Bound>();
  const setBound = ({ kind, metadata, status }: Deployment | StatefulSet, now: number): void => {
    const uid = metadata?.uid ?? '';
    const isSeen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
    const isStateful = kind === 'StatefulSet';
    bounds.set(uid, { now, isSeen, isStateful, most: Math.max(now, bounds.get(uid)?.most ?? 0) });
  };
  stored.deployments.onChange((_key, deployment) => {
    if (deployment !== undefined) setBound(deployment, (deployment.spec?.replicas ?? 1) + surgeOf(deployment));
  });
  stored.statefulSets.onChange((_key, set) => {
    if (set !== undefined) setBound(set, set.spec?.replicas ?? 1);
  });
  /** Replica set → its deployment. */
  const deploymentOf = new Map<string, string>();
  /** Replica set → its deployment, while its controller has not finished with what it is to be now. */
  const unseen = new Map<string, string>();
  stored.replicaSets.onChange((_key, set, before) => {
    const owner = set && controllerOf(set)?.uid;
    if (before !== undefined) unseen.delete(uidOf(before));
    if (set === undefined || owner === undefined) return;
    deploymentOf.set(uidOf(set), owner);
    if ((set.status?.observedGeneration ?? 0) < (set.metadata?.generation ?? 0)) unseen.set(uidOf(set), owner);
  });
  /** Owner → names of pods that count. */
  const members = new Map<string, Set<string>>();
  const ownerOf = (pod: Pod): string | undefined => {
    const owner = controllerOf(pod)?.uid ?? '';
    const root = deploymentOf.get(owner) ?? owner;
    return bounds.has(root) ? root : undefined;
  };
  stored.pods.onChange((key, pod, before) => {
    const was = before && ownerOf(before);
    const is = pod !== undefined && counts(pod) ? ownerOf(pod) : undefined;
    if (was !== undefined && was !== is) members.get(was)?.delete(key);
    if (is === undefined) return;
    const set = members.get(is) ?? new Set();
    members.set(is, set.add(key));
    const bound = bounds.get(is);
    if (bound === undefined) return;
    if (set.size > bound.most) {
      throw new InvariantViolation('replicas', `${set.size} pods of the owner of ${key}, at most ${bound.most} may be`);
    }
    if (mayLower(bound, set) && ![...unseen.values()].includes(is)) bound.most = bound.now;
  });
}

function mayLower({ now, isSeen, isStateful }: Bound, keys: ReadonlySet<string>): boolean {
  if (!isSeen || keys.size > now) return false;
  return !isStateful || [...keys].every((key) => Number(key.slice(key.lastIndexOf('-') + 1)) < now);
}

function counts(pod: Pod): boolean {
  return !isDeleting(pod) && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}

/** The surge, rounded up as upstream does (ResolveFenceposts); one surge or one unavailable pod is always allowed. */
function surgeOf({ spec }: Deployment): number {
  if (spec?.strategy?.type === 'Recreate') return 0;
  const given = spec?.strategy?.rollingUpdate?.maxSurge ?? '25%';
  const replicas = spec?.replicas ?? 1;
  return typeof given === 'number' ? given : Math.ceil((Number.parseInt(given, 10) / 100) * replicas);
}
