/**
 * The annotation `mendlet.dev/try-now`: a person has put right what was wrong, or wants to see it fail once more. What waits is
 * started at once, on a fresh curve, as by a forced restart; what runs is left alone. Pure.
 */
import { tryNowOf } from '../../../api/index.ts';
import { fnv1a32 } from '../../../lib/index.ts';
import { type ContainerView, isAlive, isFinal, isOfNext } from '../container-view.ts';
import type { Draft } from '../draft.ts';
import { resetLadder } from '../healing/ladder-note.ts';
import { beginAnew } from './begin-anew.ts';
import { tryAfresh } from './try-afresh.ts';

/** True when it changed what is remembered of containers. */
export function takeTryNow(draft: Draft, views: readonly ContainerView[]): boolean {
  const asked = tryNowOf(draft.input.pod);
  if (asked.kind === 'invalid') tellInvalid(draft, asked.problem);
  if (asked.kind !== 'asked' || asked.id === draft.note.triedNow) return false;
  draft.note = { ...draft.note, triedNow: asked.id };
  draft.afresh = true;
  const waiting = views.filter((view) => waits(draft, view));
  if (waiting.length === 0) return false;
  draft.note = resetLadder(draft.note);
  beginAnew(draft, waiting, { force: true });
  tryAfresh(draft, waiting);
  const names = waiting.map(({ container }) => container.name).join(', ');
  draft.events.push({
    type: 'Normal',
    reason: 'TriedNow',
    message: `Somebody asked for it: no back-off holds container ${names} any more`,
  });
  return true;
}

/** It is to run and does not, and no start of it is under way. */
function waits({ input }: Draft, view: ContainerView): boolean {
  const { container, instances, death, memory, nextAttempt } = view;
  if (instances.some(isAlive) || isFinal(input.pod, view)) return false;
  if (input.facts.jobs[`start-container/${container.name}`] !== undefined) return false;
  if (death !== undefined || input.facts.volumes?.state === 'failed') return true;
  if (memory.failure !== undefined && isOfNext(view, memory.failure.attempt)) return true;
  return input.facts.image(container.name, nextAttempt)?.state === 'failed';
}

function tellInvalid(draft: Draft, problem: string): void {
  const key = `try-now/${fnv1a32(problem)}`;
  if (draft.backOffReported[key] !== undefined) return;
  draft.backOffReported = { ...draft.backOffReported, [key]: true };
  draft.events.push({ type: 'Warning', reason: 'InvalidTryNow', message: problem.slice(0, MAX_PROBLEM_LENGTH) });
}

const MAX_PROBLEM_LENGTH = 300;
