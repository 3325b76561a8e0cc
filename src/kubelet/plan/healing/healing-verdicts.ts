/** The conditions `mendlet.dev/…` of a pod, from its note. None for a pod that uses nothing beyond Kubernetes. Pure. */
import { type Pod, RESTARTING_CONDITION } from '../../../api/index.ts';
import type { Verdict } from '../generate-conditions.ts';
import type { PodNote } from '../pod-memory.ts';

/** @param terminated the pod is over */
export function healingVerdicts(pod: Pod, note: PodNote, terminated: boolean): readonly Verdict[] {
  return restartingVerdict(pod, note, terminated);
}

/** Once told it stays, so that a restart can be waited for. */
function restartingVerdict(pod: Pod, { restart }: PodNote, terminated: boolean): readonly Verdict[] {
  const type = RESTARTING_CONDITION;
  if (restart !== undefined && !terminated) {
    const reason = restart.source === 'ladder' ? 'HealingLadder' : 'RestartRequested';
    return [{ type, status: 'True', reason, message: restart.reason }];
  }
  const told = pod.status?.conditions?.some((condition) => condition.type === type) === true;
  return told ? [{ type, status: 'False' }] : [];
}
