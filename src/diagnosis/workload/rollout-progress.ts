/** How far the rollout of a workload is, and what holds it. Pure. */
import type { DaemonSet, Deployment, StatefulSet } from '../../api/index.ts';
import type { WorkloadObject } from '../evidence/kinds.ts';

export interface RolloutHolder {
  /** "by hand (paused)" */
  readonly how: string;
  readonly path: string;
  readonly value: string;
}

/** Undefined: nobody holds its rollout. */
export function rolloutHolder(workload: WorkloadObject): RolloutHolder | undefined {
  const { kind, spec } = workload as Deployment & StatefulSet & DaemonSet;
  if (kind === 'Deployment')
    return spec?.paused === true ? { how: 'by hand (paused)', path: 'spec.paused', value: 'true' } : undefined;
  if (kind !== 'StatefulSet' && kind !== 'DaemonSet') return undefined;
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type === 'OnDelete') {
    return { how: 'until somebody deletes the old pods (OnDelete)', path: 'spec.updateStrategy.type', value: type };
  }
  const partition = kind === 'StatefulSet' ? (rollingUpdate?.partition ?? 0) : 0;
  if (partition === 0) return undefined;
  const path = 'spec.updateStrategy.rollingUpdate.partition';
  return { how: `below pod ${partition} (its partition)`, path, value: String(partition) };
}

/** The number of its pods that have the newest template. */
export function updatedPods({ status }: WorkloadObject): number {
  const counts = status as { updatedReplicas?: number; updatedNumberScheduled?: number } | undefined;
  return counts?.updatedReplicas ?? counts?.updatedNumberScheduled ?? 0;
}

/** Whether pods are still to be replaced, and nobody holds that. @param wanted the number of pods that it is to have */
export function isRollingOut(workload: WorkloadObject, wanted: number): boolean {
  const { kind, status } = workload;
  if (status === undefined || wanted === 0 || rolloutHolder(workload) !== undefined) return false;
  if (kind === 'StatefulSet') {
    const { currentRevision, updateRevision } = (workload as StatefulSet).status ?? {};
    return currentRevision !== updateRevision && updatedPods(workload) < wanted;
  }
  if (kind === 'Deployment') return updatedPods(workload) < totalPods(workload, wanted);
  return kind === 'DaemonSet' && updatedPods(workload) < wanted;
}

/** The number of its pods, old ones that are still to go among them. */
export function totalPods({ status }: WorkloadObject, wanted: number): number {
  return Math.max(wanted, (status as { replicas?: number } | undefined)?.replicas ?? 0);
}
