/** The conditions `mendlet.dev/…` of a pod, from its note. None for a pod that uses nothing beyond Kubernetes. Pure. */
import { type Pod, RESTARTING_CONDITION, VOLUME_PROBLEM, VOLUME_TROUBLES } from '../../../api/index.ts';
import type { VolumeTrouble } from '../../types.ts';
import type { Verdict } from '../generate-conditions.ts';
import type { PodNote } from '../pod-memory.ts';
import { whoAndWhy } from '../restart/restart-texts.ts';
import { mayRestartAll } from '../restart-policy.ts';
import { MAX_VOLUMES_TEXT } from '../limits.ts';
import { ladderVerdicts } from './ladder-verdicts.ts';
import { pausedVerdict } from './paused.ts';

/** @param terminated the pod is over @param troubles what is wrong with its volumes */
export function healingVerdicts(
  pod: Pod,
  note: PodNote,
  terminated: boolean,
  troubles: readonly VolumeTrouble[] = [],
): readonly Verdict[] {
  return [
    ...restartingVerdict(pod, note, terminated),
    ...ladderVerdicts(pod, note, terminated),
    ...pausedVerdict(pod, terminated),
    ...volumeVerdict(pod, terminated ? [] : troubles),
  ];
}

/** The reason is that of the worst problem. A condition that was reported once stays, so that clients can wait for it. */
function volumeVerdict({ status }: Pod, troubles: readonly VolumeTrouble[]): readonly Verdict[] {
  const type = VOLUME_PROBLEM;
  const [worst] = troubles.toSorted((a, b) => VOLUME_TROUBLES.indexOf(a.reason) - VOLUME_TROUBLES.indexOf(b.reason));
  if (worst !== undefined) {
    const message = troubles.map(({ volume, message: text }) => `volume ${volume}: ${text}`).join('; ');
    return [{ type, status: 'True', reason: worst.reason, message: message.slice(0, MAX_VOLUMES_TEXT) }];
  }
  const told = status?.conditions?.some((condition) => condition.type === type) === true;
  return told ? [{ type, status: 'False', reason: 'VolumesWork' }] : [];
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
