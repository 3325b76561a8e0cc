/**
 * Keeps the note in step with the pod's policy: another policy resets the ladder, and so does a change of a stopped
 * container. Pure.
 */
import { HEALING_CONDITION } from '../../../api/index.ts';
import { backOffKey } from '../back-off.ts';
import type { ContainerView } from '../container-view.ts';
import type { Draft } from '../draft.ts';
import type { LadderAttempt } from '../pod-memory.ts';
import { calmHealing, withHealing } from './ladder-note.ts';
import type { PodPolicy, ValidPolicy } from './pod-policy.ts';

/** Without a policy that can be used the pod heals as Kubernetes documents; its restarts stay counted, for the next policy. */
export function forgetLadder(draft: Draft, own: Exclude<PodPolicy, ValidPolicy>): void {
  if (own.kind === 'invalid') tellProblem(draft, own.problem);
  const { healing, ...rest } = draft.note;
  if (healing === undefined) return;
  draft.note = healing.podRestarts > 0 ? { ...rest, healing: calmHealing('', healing.podRestarts) } : rest;
}

function tellProblem({ input, events }: Draft, problem: string): void {
  const told = input.previousStatus?.conditions?.find(({ type }) => type === HEALING_CONDITION);
  if (told?.status === 'Unknown' && told.message === problem) return;
  events.push({
    type: 'Warning',
    reason: 'InvalidHealingPolicy',
    message: `The pod heals as without a policy, since the one in its annotation cannot be used: ${problem}`,
  });
}

export function adoptPolicy(draft: Draft, { hash }: ValidPolicy): void {
  const { healing } = draft.note;
  if (healing === undefined || healing.policy === hash) return;
  draft.note = { ...draft.note, healing: calmHealing(hash, healing.podRestarts) };
}

/** A stopped container that was changed is started again, and the ladder is reset. */
export function releaseChanged(draft: Draft, views: readonly ContainerView[]): void {
  const { healing } = draft.note;
  if (healing?.stopped === undefined) return;
  const entries = Object.entries(healing.stopped.containers);
  const same = entries.filter(([name, { key }]) =>
    views.some(({ container }) => container.name === name && backOffKey(draft.input.pod, container) === key),
  );
  if (same.length === entries.length) return;
  const { wall } = draft.input.now;
  const released = entries.filter((entry) => !same.includes(entry));
  // Their last ends are answered: by this change.
  const attempts = released.map(([container, { containerId }]): LadderAttempt => {
    return { scope: 'container', container, containerId, at: wall, uncounted: 'joined' };
  });
  if (same.length === 0) {
    draft.note = withHealing(draft.note, { ...calmHealing(healing.policy, healing.podRestarts), attempts });
    return;
  }
  const stopped = { ...healing.stopped, containers: Object.fromEntries(same) };
  draft.note = withHealing(draft.note, { ...healing, stopped, attempts: [...attempts, ...healing.attempts] });
}
