/**
 * Rebuilds the ladder's note from the pod's status when the agent's own note is lost, so that an episode goes on where it
 * was. Pure.
 */
import {
  HEALING_STATE,
  HEALING_STOPPED_CONDITION,
  HEALING_STOPPED_REASON,
  type HealingState,
  parseHealingState,
  type Pod,
} from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import { backOffKey } from '../back-off.ts';
import { findContainer } from '../containers.ts';
import type { HealingNote, LadderAttempt, PodNote, StopReason } from '../pod-memory.ts';
import { ANY_CONTAINER, calmHealing } from './ladder-note.ts';
import { podPolicy, type ValidPolicy } from './pod-policy.ts';

/** @param note made from the pod's status: its deaths are the reported ones, with the answers of the ladder */
export function withLadderFromStatus(note: PodNote, pod: Pod): PodNote {
  const own = podPolicy(pod);
  const state = parseHealingState(pod.metadata?.annotations?.[HEALING_STATE]);
  if (state === undefined) return note;
  const calm = calmHealing(own.kind === 'valid' ? own.hash : '', state.podRestarts ?? 0);
  const since = parseTime(state.since);
  if (own.kind !== 'valid' || since === undefined) return calm.podRestarts === 0 ? note : { ...note, healing: calm };
  return { ...note, healing: episode(note, pod, own, calm, state, since) };
}

function episode(
  note: PodNote,
  pod: Pod,
  { policy }: ValidPolicy,
  calm: HealingNote,
  state: HealingState,
  since: number,
): HealingNote {
  const last = policy.rungs.at(-1)?.scope ?? 'container';
  const rung = state.rung === undefined || state.rung === 'stopped' ? last : state.rung;
  const { move } = state;
  const stopped = stopFromStatus(note, pod);
  return {
    ...calm,
    rung,
    attempts: attemptsFromStatus(note, rung, state.attempts ?? 0, since),
    since,
    ...(state.cause === undefined ? {} : { cause: state.cause }),
    ...(move === undefined ? {} : { move: { ...move, at: parseTime(move.at) ?? since } }),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** Their times are not in the status. They count as late as they can have been, so that a window never forgets one too early. */
function attemptsFromStatus(
  { containers }: PodNote,
  scope: LadderAttempt['scope'],
  count: number,
  since: number,
): readonly LadderAttempt[] {
  const entries = Object.entries(containers);
  const deaths = entries.flatMap(([container, memory]) => memory.deaths.map((death) => ({ container, death })));
  const at = Math.max(since, ...deaths.map(({ death }) => death.finishedAt));
  const answered = deaths.map(({ container, death: { containerId } }): LadderAttempt => {
    // The ladder's answer to them is not known: the widest restart that was reported may have been the last one allowed.
    return { scope: 'container', container, containerId, at, uncounted: 'joined' };
  });
  const lost = Array.from({ length: count }, (_, index): LadderAttempt => {
    return { scope, container: ANY_CONTAINER, containerId: `lost-${index}`, at };
  });
  return [...answered, ...lost];
}

const STOP_REASONS: readonly StopReason[] = ['AttemptsExhausted', 'MaxPodRestarts', 'RuleStop', 'NoOtherNode'];

function stopFromStatus({ containers }: PodNote, pod: Pod): HealingNote['stopped'] {
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const told = conditions.find(({ type, status }) => type === HEALING_STOPPED_CONDITION && status === 'True');
  if (told === undefined) return undefined;
  const all = [...initContainerStatuses, ...containerStatuses];
  const waiting = all.filter(({ state }) => state?.waiting?.reason === HEALING_STOPPED_REASON);
  // In a pod that begins again its turn may not have come yet: then no container that had died goes on.
  const dead = waiting.length > 0 ? waiting : containerStatuses.filter(({ state }) => state?.running === undefined);
  const stopped = dead.flatMap(({ name }) => {
    const spec = findContainer(pod, name)?.container;
    const containerId = containers[name]?.deaths[0]?.containerId;
    return spec === undefined || containerId === undefined
      ? []
      : [[name, { containerId, key: backOffKey(pod, spec) }] as const];
  });
  if (stopped.length === 0) return undefined;
  const reason = STOP_REASONS.find((known) => known === told.reason) ?? 'AttemptsExhausted';
  const at = parseTime(told.lastTransitionTime) ?? 0;
  return { reason, message: told.message ?? '', at, containers: Object.fromEntries(stopped) };
}
