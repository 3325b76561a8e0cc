/**
 * The healing ladder in one pass over a pod: it answers new deaths, once each, begins decided restarts that are due, and ends
 * an episode after which all was well for long enough. Pure.
 */
import type { ContainerView } from '../container-view.ts';
import type { Draft } from '../draft.ts';
import { answerDeath, isAnswered } from './answer-death.ts';
import { beginDueRestart } from './begin-due-restart.ts';
import { type Dead, deadContainers } from './dead-containers.ts';
import { adoptPolicy, forgetLadder, releaseChanged } from './follow-policy.ts';
import { answerTo } from './ladder-note.ts';
import { touchLadderTimes } from './ladder-times.ts';
import { isPaused } from './paused.ts';
import { planMove } from './plan-move.ts';
import { planReset } from './plan-reset.ts';
import { planVolumeRestart } from './plan-volume-restart.ts';
import { podPolicy } from './pod-policy.ts';

/** `views`: of all containers, as `draft.note` knows them. Restarts that it begins are in the note. */
export function planLadder(draft: Draft, views: readonly ContainerView[]): void {
  const own = podPolicy(draft.input.pod);
  if (own.kind !== 'valid') {
    forgetLadder(draft, own);
    return;
  }
  adoptPolicy(draft, own);
  releaseChanged(draft, views);
  touchLadderTimes(draft);
  if (draft.note.restartAll !== undefined || isPaused(draft)) return;
  if (planVolumeRestart(draft, own)) return;
  const dead = deadContainers(draft, views);
  for (const each of dead) if (!isAnswered(draft.note.healing, each)) answerDeath(draft, own, each, dead);
  planMove(draft, own.policy, dead);
  const leader = leaderOf(draft, dead);
  if (leader !== undefined) beginDueRestart(draft, own.policy, leader);
  planReset(draft, own.policy, views);
}

/** The container whose back-off a wider restart waits for: the first that died, or else any that waits for that restart. */
function leaderOf({ note }: Draft, dead: readonly Dead[]): Dead | undefined {
  const { healing } = note;
  if (healing === undefined) return undefined;
  const answers = dead.map((each) => ({ each, answer: answerTo(healing, each.death.containerId) }));
  const wide = answers.filter(({ answer }) => answer?.scope === 'containers' || answer?.scope === 'pod');
  return (wide.find(({ answer }) => answer?.uncounted !== 'joined') ?? wide[0])?.each;
}
