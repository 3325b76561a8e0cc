/** The pods of a StatefulSet that was scaled down and that are still there. Pure. */
import type { StatefulSet } from '../../api/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';
import { hasOrdinal, setOf } from '../facts/peers/pod-names.ts';

/** The pods of a StatefulSet that it wants, and those that are to go; of any other workload all are wanted. */
export function byPlace({ workload, pods }: Pick<WorkloadEvidence, 'workload' | 'pods'>): {
  readonly wanted: readonly Pod[];
  readonly surplus: readonly Pod[];
} {
  if (workload.kind !== 'StatefulSet') return { wanted: pods, surplus: [] };
  const set = setOf(workload as StatefulSet);
  const isSurplus = (pod: Pod): boolean => {
    const ordinal = ordinalOf(pod, set.name);
    return ordinal !== undefined && !hasOrdinal(set, ordinal) && !isOver(pod);
  };
  return { wanted: pods.filter((pod) => !isSurplus(pod)), surplus: pods.filter((pod) => isSurplus(pod)) };
}

/** The ordinal in the name of a set's pod. */
export function ordinalOf({ metadata }: Pod, set: string): number | undefined {
  const { name = '' } = metadata ?? {};
  const digits = name.startsWith(`${set}-`) ? name.slice(set.length + 1) : '';
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

/** Whether the pod has ended, and is not started again. */
export function isOver({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}
