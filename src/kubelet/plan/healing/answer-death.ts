/** Writes down the ladder's answer to a death: it is given once, whatever happens to the agent. Pure. */
import type { HealingScope } from '../../../api/index.ts';
import { backOffKey } from '../back-off.ts';
import { fieldPath } from '../containers.ts';
import type { Draft } from '../draft.ts';
import type { HealingNote, LadderAttempt, StopReason } from '../pod-memory.ts';
import { climb, type LadderAnswer } from './climb.ts';
import type { Dead } from './dead-containers.ts';
import { type DeathFacts, deathFacts, deathText } from './death-facts.ts';
import { answerTo, calmHealing, withAnswer, withHealing } from './ladder-note.ts';
import { escalationText, stopText } from './ladder-texts.ts';
import { attemptMono } from './ladder-times.ts';
import { canMove } from './moves.ts';
import type { ValidPolicy } from './pod-policy.ts';

export function isAnswered(healing: HealingNote | undefined, { view, death }: Dead): boolean {
  if (healing === undefined) return false;
  const stopped = healing.stopped?.containers[view.container.name];
  return stopped?.containerId === death.containerId || answerTo(healing, death.containerId) !== undefined;
}

/** `dead`: all that are, this one too. */
export function answerDeath(
  draft: Draft,
  { policy, hash }: ValidPolicy,
  { view, death }: Dead,
  dead: readonly Dead[],
): void {
  const { wall } = draft.input.now;
  const facts = deathFacts(view, death);
  const { wellSince: _well, ...before } = draft.note.healing ?? calmHealing(hash, 0);
  const note: HealingNote = { ...before, since: before.since ?? wall, cause: deathText(facts) };
  const { container, containerId } = facts;
  const others = dead.filter((each) => each.view !== view);
  const ageMs = (attempt: LadderAttempt) => draft.input.now.mono - attemptMono(draft, attempt);
  const found = climb({ policy, note: before, death: facts, canMove: canMove(draft.input.pod), ageMs });
  const wider = widerAnswer(note, others);
  if (wider !== undefined && !(found.kind === 'stop' && found.reason === 'RuleStop')) {
    const joined: LadderAttempt = { scope: wider, container, containerId, at: wall, uncounted: 'joined' };
    draft.note = withHealing(draft.note, { ...note, attempts: withAnswer(note.attempts, joined) });
    return;
  }
  if (found.kind === 'stop') {
    stopContainer(draft, note, { view, death }, found.reason, stopText(draft.input.pod, note, facts, found));
    return;
  }
  draft.note = withHealing(draft.note, climbed(draft, note, found, facts));
  if (found.from === undefined) return;
  draft.events.push({
    type: 'Normal',
    reason: 'HealingEscalated',
    message: escalationText(found, facts),
    fieldPath: fieldPath(view),
  });
}

/** A restart that another death will cause anyway. */
function widerAnswer(note: HealingNote, others: readonly Dead[]): HealingScope | undefined {
  const answers = others.map(({ death }) => answerTo(note, death.containerId));
  return answers.find((each) => each !== undefined && each.scope !== 'container')?.scope;
}

function climbed(
  draft: Draft,
  note: HealingNote,
  { rung: { scope } }: Extract<LadderAnswer, { kind: 'restart' }>,
  { container, containerId }: DeathFacts,
): HealingNote {
  const { wall } = draft.input.now;
  const attempts = withAnswer(note.attempts, { scope, container, containerId, at: wall });
  attemptMono(draft, { scope, container, containerId, at: wall });
  return { ...note, rung: scope, attempts };
}

/** Nothing more is started of this container. */
export function stopContainer(
  draft: Draft,
  note: HealingNote,
  { view, death }: Dead,
  reason: StopReason,
  message: string,
): void {
  const { pod, now } = draft.input;
  const { name } = view.container;
  const own = { containerId: death.containerId, key: backOffKey(pod, view.container), message };
  const { move: _move, stopped: before, ...rest } = note;
  // A rule stops one container: the end of the ladder, where that was before, stays.
  const ended = reason === 'RuleStop' && before !== undefined && before.reason !== 'RuleStop';
  const stop = ended ? before : { reason, message, at: now.wall };
  const containers = { ...before?.containers, [name]: own };
  draft.note = withHealing(draft.note, { ...rest, stopped: { ...stop, containers } });
  draft.events.push({ type: 'Warning', reason: 'HealingStopped', message, fieldPath: fieldPath(view) });
}
