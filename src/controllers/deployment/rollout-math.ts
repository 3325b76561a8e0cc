/** How many pods a deployment may have and must have, and what its replica sets add up to. Pure. */
import { type Deployment, nameOf, type ReplicaSet, scaleIntOrPercent } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

/** Of `spec.replicas`. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}

export function desiredOf({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0);
}

export interface Fenceposts {
  /** Pods beyond those wanted. */
  readonly maxSurge: number;
  /** Pods that may be missing. */
  readonly maxUnavailable: number;
}

/**
 * The numbers that the strategy's numbers or shares mean: surge rounds up, unavailability down, and both are never nothing
 * at once, since then nothing could ever move. Other strategies have neither. Upstream: ResolveFenceposts.
 */
export function fencepostsOf(deployment: Deployment): Fenceposts {
  const { strategy } = deployment.spec ?? {};
  const desired = desiredOf(deployment);
  if (strategy?.type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge: surge = 0, maxUnavailable: unavailable = 0 } = strategy.rollingUpdate ?? {};
  const maxSurge = scaleIntOrPercent(surge, desired, 'up');
  const maxUnavailable = scaleIntOrPercent(unavailable, desired, 'down');
  if (desired === 0) return { maxSurge, maxUnavailable: 0 };
  const either = maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable;
  return { maxSurge, maxUnavailable: Math.min(either, desired) };
}

/** Sets that want pods. */
export function activeSets(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.filter((set) => sizeOf(set) > 0);
}

/** The oldest first; of two from the same second the first by name. */
export function compareAge(a: ReplicaSet, b: ReplicaSet): number {
  const difference = createdAt(a) - createdAt(b);
  if (difference !== 0) return difference;
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function createdAt({ metadata }: ReplicaSet): number {
  return parseTime(metadata?.creationTimestamp) ?? 0;
}
