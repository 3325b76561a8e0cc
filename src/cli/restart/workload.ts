/** The rules of a restart for each kind of workload: its pods, their number and order, and how many may be away. Pure. */
import {
  DAEMON_SETS,
  type DaemonSet,
  type Deployment,
  DEPLOYMENTS,
  isControlledBy,
  type KubeObject,
  nameOf,
  type Pod,
  REPLICA_SETS,
  type ReplicaSet,
  type Resource,
  scaleIntOrPercent,
  STATEFUL_SETS,
  type StatefulSet,
} from '../../api/index.ts';
import type { MaxUnavailable } from './flag-values.ts';
import { isReady } from './pod-facts.ts';
import type { WorkloadKind } from './targets.ts';

export type Workload =
  | { readonly kind: 'deployment'; readonly object: Deployment }
  | { readonly kind: 'statefulset'; readonly object: StatefulSet }
  | { readonly kind: 'daemonset'; readonly object: DaemonSet }
  | { readonly kind: 'replicaset'; readonly object: ReplicaSet };

export const WORKLOAD_RESOURCES: Readonly<Record<WorkloadKind, Resource<KubeObject>>> = {
  deployment: DEPLOYMENTS,
  statefulset: STATEFUL_SETS,
  daemonset: DAEMON_SETS,
  replicaset: REPLICA_SETS,
};

/** Pairs an object with its kind, which is known from the path that it was read from. */
export function workloadOf(kind: WorkloadKind, object: KubeObject): Workload {
  return { kind, object };
}

/** The number of pods that the workload wants. */
export function desiredOf(workload: Workload): number {
  if (workload.kind === 'daemonset') return workload.object.status?.desiredNumberScheduled ?? 0;
  return workload.object.spec?.replicas ?? 1;
}

export function minReadySecondsOf({ object }: Workload): number {
  return object.spec?.minReadySeconds ?? 0;
}

/** The number of pods that may be away at once; at least 1, or no pod could be restarted. Shares are rounded as upstream does. */
export function maxUnavailableOf(workload: Workload, asked: MaxUnavailable | undefined): number {
  const desired = desiredOf(workload);
  if (asked?.count !== undefined) return asked.count;
  if (asked?.percent !== undefined) return Math.max(1, Math.floor((desired * asked.percent) / 100));
  return Math.max(1, ofStrategy(workload, desired));
}

function ofStrategy(workload: Workload, desired: number): number {
  switch (workload.kind) {
    case 'deployment':
      return scaleIntOrPercent(workload.object.spec?.strategy?.rollingUpdate?.maxUnavailable ?? 1, desired, 'down');
    case 'statefulset':
      return scaleIntOrPercent(
        workload.object.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1,
        desired,
        'down',
      );
    case 'daemonset':
      return scaleIntOrPercent(workload.object.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, 'up');
    case 'replicaset':
      return 1;
  }
}

/**
 * The workload's pods in the order of their restarts.
 * @param replicaSets those of its namespace, which own a deployment's pods
 */
export function podsOf(workload: Workload, pods: readonly Pod[], replicaSets: readonly ReplicaSet[]): readonly Pod[] {
  const { kind, object } = workload;
  const owners: readonly KubeObject[] =
    kind === 'deployment' ? replicaSets.filter((each) => isControlledBy(each, object)) : [object];
  const own = pods.filter((pod) => owners.some((owner) => isControlledBy(pod, owner)));
  return own.toSorted(ORDER[kind]);
}

type Order = (a: Pod, b: Pod) => number;

const byName: Order = (a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);

/** Pods that are not ready come first, as their restart costs nothing; then the oldest. */
const sickAndOldFirst: Order = (a, b) =>
  Number(isReady(a)) - Number(isReady(b)) || compare(createdAt(a), createdAt(b)) || byName(a, b);

const ORDER: Readonly<Record<WorkloadKind, Order>> = {
  deployment: sickAndOldFirst,
  replicaset: sickAndOldFirst,
  // The order of a rolling update.
  statefulset: (a, b) => ordinalOf(b) - ordinalOf(a) || byName(a, b),
  daemonset: (a, b) => compare(a.spec?.nodeName ?? '', b.spec?.nodeName ?? '') || byName(a, b),
};

function createdAt(pod: Pod): string {
  return pod.metadata?.creationTimestamp ?? '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function ordinalOf(pod: Pod): number {
  return Number(/-(\d+)$/.exec(nameOf(pod))?.[1] ?? -1);
}
