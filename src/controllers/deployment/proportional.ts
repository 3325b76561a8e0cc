/**
 * A deployment that gets another size, in the middle of a rollout maybe: each of its sets grows or shrinks by its share, so
 * that the risk stays spread as it was. Pure. Upstream: isScalingEvent, scale, GetReplicaSetProportion.
 */
import type { Deployment, ReplicaSet } from '../../api/index.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, numberIn } from './annotations.ts';
import type { SplitSets } from './replica-sets.ts';
import type { Scale } from './rolling.ts';
import { activeSets, availableOf, compareAge, desiredOf, fencepostsOf, sizeOf, sumOf } from './rollout-math.ts';

/** Whether a set was scaled last when the deployment had another size. */
export function isScalingEvent(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  const desired = desiredOf(deployment);
  return activeSets(sets).some((set) => {
    const known = numberIn(set, DESIRED_REPLICAS);
    return known !== undefined && known !== desired;
  });
}

/** The size of each set that is concerned: to be written where it, or what the set remembers of it, is another one. */
export function scaleAll(deployment: Deployment, { newest, old }: SplitSets): readonly Scale[] {
  const desired = desiredOf(deployment);
  const only = activeOrLatest(newest, old);
  if (only !== undefined) return [{ set: only, to: desired }];
  if (newest !== undefined && isSaturated(deployment, newest)) {
    return activeSets(old).map((set) => ({ set, to: 0 }));
  }
  if (deployment.spec?.strategy?.type !== 'RollingUpdate') return [];
  return scaleInProportion(deployment, activeSets(newest === undefined ? old : [...old, newest]));
}

/** The only set that wants pods; if none does, the newest. */
function activeOrLatest(newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): ReplicaSet | undefined {
  const active = activeSets(newest === undefined ? old : [...old, newest]);
  if (active.length > 1) return undefined;
  return active[0] ?? newest ?? old.toSorted(compareAge).at(-1);
}

/** The rollout is over but for old pods that are still there. */
function isSaturated(deployment: Deployment, newest: ReplicaSet): boolean {
  const desired = desiredOf(deployment);
  return (
    sizeOf(newest) === desired && numberIn(newest, DESIRED_REPLICAS) === desired && availableOf(newest) === desired
  );
}

function scaleInProportion(deployment: Deployment, active: readonly ReplicaSet[]): readonly Scale[] {
  const desired = desiredOf(deployment);
  const allowed = desired > 0 ? desired + fencepostsOf(deployment).maxSurge : 0;
  const toAdd = allowed - sumOf(active, sizeOf);
  // The largest first; of two equal ones the newer one grows first, and the older one shrinks first.
  const order = active.toSorted((a, b) => {
    const bySize = sizeOf(b) - sizeOf(a);
    if (bySize !== 0) return bySize;
    return toAdd > 0 ? compareAge(b, a) : compareAge(a, b);
  });
  let added = 0;
  const scales = order.map((set) => {
    const share = proportionOf(deployment, set, toAdd, added);
    added += share;
    return { set, to: sizeOf(set) + share };
  });
  // The largest set gets the rounding difference.
  return scales.map((scale, position) =>
    position === 0 ? { ...scale, to: Math.max(0, scale.to + toAdd - added) } : scale,
  );
}

function proportionOf(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  if (toAdd === added) return 0;
  const share = shareOf(deployment, set);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** By how much a set should grow (or shrink: negative) if only its share counted. */
function shareOf(deployment: Deployment, set: ReplicaSet): number {
  const size = sizeOf(set);
  const desired = desiredOf(deployment);
  if (desired === 0) return -size;
  const before = numberIn(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const wanted = (size * (desired + fencepostsOf(deployment).maxSurge)) / before;
  return Math.round(wanted) - size;
}
