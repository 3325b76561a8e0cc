/** The conditions of a pod that heals by a policy: the state of its ladder. None for a pod without one. Pure. */
import {
  HEALING_CONDITION,
  HEALING_STOPPED_CONDITION,
  type HealingScope,
  MOVE_REQUESTED_CONDITION,
  type Pod,
  type ResolvedHealingPolicy,
} from '../../../api/index.ts';
import type { Verdict } from '../generate-conditions.ts';
import type { HealingNote, PodNote } from '../pod-memory.ts';
import { attemptsTold } from './ladder-state.ts';
import { countText } from './ladder-texts.ts';
import { podPolicy } from './pod-policy.ts';

const REASONS: Readonly<Record<HealingScope, string>> = {
  container: 'ContainerRung',
  containers: 'ContainersRung',
  pod: 'PodRung',
  node: 'NodeRung',
};

/** @param terminated the pod is over */
export function ladderVerdicts(pod: Pod, note: PodNote, terminated: boolean): readonly Verdict[] {
  const own = podPolicy(pod);
  if (own.kind === 'none') return [];
  if (own.kind === 'invalid') {
    return [{ type: HEALING_CONDITION, status: 'Unknown', reason: 'InvalidPolicy', message: own.problem }];
  }
  const { healing } = note;
  return [
    terminated ? { type: HEALING_CONDITION, status: 'False', reason: 'PodEnded' } : healingVerdict(own.policy, healing),
    ...stoppedVerdict(pod, healing),
    ...moveVerdict(pod, healing, terminated),
  ];
}

function healingVerdict(policy: ResolvedHealingPolicy, healing: HealingNote | undefined): Verdict {
  const type = HEALING_CONDITION;
  if (healing?.since === undefined) return { type, status: 'False', reason: 'Well' };
  const rung = policy.rungs.find(({ scope }) => scope === healing.rung);
  const counted = rung === undefined ? 'nothing was tried' : countText(rung, attemptsTold(policy, healing));
  const message = [counted, ...(healing.cause === undefined ? [] : [`last: ${healing.cause}`])].join('; ');
  // Stopped before the first rung of its policy: it stands on none.
  return { type, status: 'True', reason: rung === undefined ? 'Stopped' : REASONS[rung.scope], message };
}

/** A condition that was reported once stays, so that clients can wait for it. */
function stoppedVerdict(pod: Pod, healing: HealingNote | undefined): readonly Verdict[] {
  const type = HEALING_STOPPED_CONDITION;
  const stopped = healing?.stopped;
  if (stopped !== undefined) return [{ type, status: 'True', reason: stopped.reason, message: stopped.message }];
  return wasTold(pod, type) ? [{ type, status: 'False', reason: 'NotStopped' }] : [];
}

function moveVerdict(pod: Pod, healing: HealingNote | undefined, terminated: boolean): readonly Verdict[] {
  const type = MOVE_REQUESTED_CONDITION;
  const move = terminated ? undefined : healing?.move;
  if (move !== undefined) {
    const message = `${move.cause}; the pod should go on on another node`;
    return [{ type, status: 'True', reason: 'HealingLadder', message }];
  }
  return wasTold(pod, type) ? [{ type, status: 'False', reason: 'NotRequested' }] : [];
}

function wasTold({ status }: Pod, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type) === true;
}
