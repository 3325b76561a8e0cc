/**
 * One step of a rolling update: first the new set up as far as the surge allows, else old sets down as far as availability
 * allows, those of their pods that are not available first. Pure. Upstream: rolloutRolling and what it calls.
 */
import type { Deployment, ReplicaSet } from '../../api/index.ts';
import {
  activeSets,
  availableOf as saidAvailable,
  compareAge,
  desiredOf,
  fencepostsOf,
  sizeOf,
  sumOf,
} from './rollout-math.ts';

/** A set and the size that it shall have. */
export interface Scale {
  readonly set: ReplicaSet;
  readonly to: number;
}

/**
 * The allowed size of the new set beside the others. Not only the wanted pods of the others count but also the existing ones:
 * a set that was just made smaller and has not confirmed that gives no room yet. Upstream (NewRSNewReplicas) counts only
 * wanted pods, so that for a moment there may be more pods than the surge allows.
 * @param current its size now
 * @param all with the new set, if it exists
 */
export function newSetSize(deployment: Deployment, current: number, all: readonly ReplicaSet[]): number {
  const desired = desiredOf(deployment);
  if (deployment.spec?.strategy?.type !== 'RollingUpdate') return desired;
  if (!all.every(isSettled)) return current;
  const most = desired + fencepostsOf(deployment).maxSurge;
  const room = most - sumOf(all, (set) => Math.max(sizeOf(set), set.status?.replicas ?? 0));
  return room <= 0 ? current : current + Math.min(room, desired - current);
}

/** Its status is about the size that it has now. */
function isSettled({ metadata, status }: ReplicaSet): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
}

/** The new set's next size, if it is another one. */
export function scaleNewSet(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): readonly Scale[] {
  const desired = desiredOf(deployment);
  const size = sizeOf(newest);
  const to = size > desired ? desired : newSetSize(deployment, size, [...old, newest]);
  return to === size ? [] : [{ set: newest, to }];
}

/** A set that was just made smaller may still report more pods than it keeps. */
function availableOf(set: ReplicaSet): number {
  return Math.min(saidAvailable(set), sizeOf(set));
}

/** Old sets' next sizes: those that are others. */
export function scaleOldSets(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): readonly Scale[] {
  const all = [...old, newest];
  const least = desiredOf(deployment) - fencepostsOf(deployment).maxUnavailable;
  // Pods of the new set that are not there yet must come first: their places are not to be given away twice.
  const awaited = sizeOf(newest) - availableOf(newest);
  const spare = sumOf(all, sizeOf) - least - awaited;
  if (spare <= 0) return [];
  const sizes = new Map(
    activeSets(old)
      .toSorted(compareAge)
      .map((set) => [set, sizeOf(set)]),
  );
  let cleaned = 0;
  for (const [set, size] of sizes) {
    const unhealthy = Math.min(spare - cleaned, size - availableOf(set));
    if (unhealthy <= 0) continue;
    sizes.set(set, size - unhealthy);
    cleaned += unhealthy;
  }
  let left = sumOf(all, availableOf) - least;
  for (const [set, size] of sizes) {
    if (left <= 0) break;
    const fewer = Math.min(size, left);
    sizes.set(set, size - fewer);
    left -= fewer;
  }
  return [...sizes].flatMap(([set, to]) => (to === sizeOf(set) ? [] : [{ set, to }]));
}
