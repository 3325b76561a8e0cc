/** The conditions `mendlet.dev/…` of a pod, from its note. None for a pod that uses nothing beyond Kubernetes. Pure. */
import { type Pod, RESTARTING_CONDITION } from '../../../api/index.ts';
import type { Verdict } from '../generate-conditions.ts';
import type { PodNote } from '../pod-memory.ts';
import { whoAndWhy } from '../restart/restart-texts.ts';
import { mayRestartAll } from '../restart-policy.ts';
import { ladderVerdicts } from './ladder-verdicts.ts';

/** @param terminated the pod is over */
export function healingVerdicts(pod: Pod, note: PodNote, terminated: boolean): readonly Verdict[] {
  return [...restartingVerdict(pod, note, terminated), ...ladderVerdicts(pod, note, terminated)];
}

/**
 * The condition stays after a restart, so that clients can wait for it, and a restart that was too short to be seen is still
 * reported.
 */
function restartingVerdict(pod: Pod, note: PodNote, terminated: boolean): readonly Verdict[] {
  const { restart } = note;
  const type = RESTARTING_CONDITION;
  if (restart !== undefined && !terminated) {
    const reason = restart.source === 'ladder' ? 'HealingLadder' : 'RestartRequested';
    return [{ type, status: 'True', reason, message: whoAndWhy(restart) }];
  }
  const told = pod.status?.conditions?.some((condition) => condition.type === type) === true;
  // An exit that may restart all containers (KEP-5532) can explain it there; that needs no report.
  const restarted = Object.values(note.containers).some(({ freshFrom }) => freshFrom !== undefined);
  return told || (restarted && !mayRestartAll(pod)) ? [{ type, status: 'False' }] : [];
}
