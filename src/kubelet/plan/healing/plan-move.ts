/**
 * A pod that asked for another node waits until the healing controller evicts it or says that it cannot. An absent controller
 * must not keep it dead: without an answer it continues here. Pure.
 */
import { formatDurationMs, HEALING_SCOPES, type HealingScope, type ResolvedHealingPolicy } from '../../../api/index.ts';
import { type Draft, tellNext, wait } from '../draft.ts';
import { MOVE_ANSWER_MS } from '../limits.ts';
import type { HealingNote, LadderAttempt } from '../pod-memory.ts';
import { stopContainer } from './answer-death.ts';
import type { Dead } from './dead-containers.ts';
import { deathFacts } from './death-facts.ts';
import { answerTo, withHealing } from './ladder-note.ts';
import { doingText, stopText } from './ladder-texts.ts';
import { moveMono } from './ladder-times.ts';
import { moveVerdict } from './moves.ts';

const NO_MOVE = 'goes on here, unless it is moved to another node';

export function planMove(draft: Draft, policy: ResolvedHealingPolicy, dead: readonly Dead[]): void {
  const { healing } = draft.note;
  if (healing === undefined) return;
  const { move, ...rest } = healing;
  const waiting = dead.filter((each) => waitsForMove(healing, each));
  const [first] = waiting;
  if (first === undefined) {
    // It was restarted, or is not to run any more: there is nothing to move for.
    if (move !== undefined) draft.note = withHealing(draft.note, rest);
    return;
  }
  if (move === undefined) {
    const { wall } = draft.input.now;
    const asked = { id: first.death.containerId, cause: healing.cause ?? '', at: wall };
    draft.note = withHealing(draft.note, { ...healing, move: asked });
    const answerBy = moveMono(draft, asked) + MOVE_ANSWER_MS;
    wait(draft, 'the pod asks to go on on another node', answerBy);
    tellNext(draft, NO_MOVE, answerBy);
    return;
  }
  const verdict = moveVerdict(draft.input.pod, move.id);
  if (verdict !== undefined) {
    for (const each of waiting) stopForGood(draft, each, verdict.message);
    return;
  }
  const until = moveMono(draft, move) + MOVE_ANSWER_MS;
  if (draft.input.now.mono < until) {
    wait(draft, 'the pod waits to go on on another node', until);
    tellNext(draft, NO_MOVE, until);
    return;
  }
  goOnHere(draft, policy, rest, waiting);
}

/** A container that was stopped since then asks no more: that death has had its last answer. */
function waitsForMove(healing: HealingNote, { view, death: { containerId } }: Dead): boolean {
  if (healing.stopped?.containers[view.container.name]?.containerId === containerId) return false;
  return answerTo(healing, containerId)?.scope === 'node';
}

function stopForGood(draft: Draft, dead: Dead, verdict: string): void {
  const { healing } = draft.note;
  if (healing === undefined) return;
  const answer = { reason: 'NoOtherNode', skippedNode: false } as const;
  const facts = deathFacts(dead.view, dead.death);
  const message = stopText(draft.input.pod, healing, facts, answer, verdict === '' ? undefined : verdict);
  stopContainer(draft, healing, dead, answer.reason, message);
}

/** By the highest rung that stays on the node; it costs no attempt, and the next death asks again. */
function goOnHere(draft: Draft, policy: ResolvedHealingPolicy, healing: HealingNote, waiting: readonly Dead[]): void {
  const scope = lastRungHere(policy, healing.podRestarts);
  const ids = waiting.map(({ death }) => death.containerId);
  const leads = ids.find((id) => answerTo(healing, id)?.uncounted === undefined) ?? ids[0];
  const attempts = healing.attempts.map((attempt): LadderAttempt => {
    if (!ids.includes(attempt.containerId)) return attempt;
    const alone = scope === 'container' || attempt.containerId === leads;
    return { ...attempt, scope, uncounted: alone ? 'fallback' : 'joined' };
  });
  draft.note = withHealing(draft.note, { ...healing, attempts });
  draft.events.push({
    type: 'Warning',
    reason: 'MoveUnanswered',
    message: `Nobody has moved the pod to another node for ${formatDurationMs(MOVE_ANSWER_MS)}: ${doingText(scope)}`,
  });
}

function lastRungHere({ rungs, maxPodRestarts }: ResolvedHealingPolicy, podRestarts: number): HealingScope {
  const mayRestartPod = podRestarts < (maxPodRestarts ?? Number.POSITIVE_INFINITY);
  const here = rungs
    .map(({ scope }) => scope)
    .filter((scope) => scope !== 'node' && (scope !== 'pod' || mayRestartPod));
  return here.sort((a, b) => HEALING_SCOPES.indexOf(b) - HEALING_SCOPES.indexOf(a))[0] ?? 'container';
}
