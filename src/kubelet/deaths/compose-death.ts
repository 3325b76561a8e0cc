/** From what memory and plan know of one end to the record of it. Pure. */
import type { DeathRecord, FailedProbe, Pod } from '../../api/index.ts';
import type { PodObservation } from '../types.ts';
import type { Death, GoingRestart, PodNote, RequestedRestart } from '../plan/pod-memory.ts';
import { findContainer } from '../plan/containers.ts';
import type { DeathAmendment, NewDeath } from './death-book.ts';
import { MAX_MESSAGE_CHARACTERS } from './limits.ts';
import { lostSandboxOf } from './lost-sandbox.ts';
import type { Change } from './recent-changes.ts';
import { signalOf } from './signals.ts';

export interface DeathFacts {
  readonly pod: Pod;
  readonly container: string;
  readonly death: Death;
  /** After the pass that noted the death, and before it. */
  readonly note: PodNote;
  readonly noteBefore: PodNote;
  readonly failed: (type: FailedProbe['type']) => Omit<FailedProbe, 'type'>;
  /** Newest first. */
  readonly changes: readonly Change[];
  /** The pass that shows it: wall ms, and what the runtime showed of the pod. */
  readonly seen: { readonly at: number; readonly observed: PodObservation | undefined };
}

export function composeDeath(facts: DeathFacts): NewDeath {
  const { pod, container, death, seen } = facts;
  const image = findContainer(pod, container)?.container.image;
  const signal = signalOf(death.exitCode);
  const probe = probeOf(facts);
  const sandboxLost = lostSandboxOf(facts);
  const requested = requestedEnd(facts);
  const message = death.message.slice(0, MAX_MESSAGE_CHARACTERS);
  return {
    containerId: death.containerId,
    restartCount: death.restartCount,
    ...(image === undefined ? {} : { image }),
    ...(death.startedAt > 0 ? { startedAt: timeText(death.startedAt) } : {}),
    finishedAt: timeText(death.finishedAt > 0 ? death.finishedAt : seen.at),
    exitCode: death.exitCode,
    ...(signal === undefined ? {} : { signal }),
    reason: death.reason || (death.exitCode === 0 ? 'Completed' : 'Error'),
    ...(message === '' ? {} : { message }),
    ...(probe === undefined ? {} : { probe }),
    ...(requested === undefined ? {} : { requested }),
    ...(sandboxLost === undefined ? {} : { sandboxLost }),
    ...(facts.changes.length === 0
      ? {}
      : { changes: facts.changes.map(({ at, what }) => ({ at: timeText(at), what })) }),
  };
}

/** RFC 3339 with milliseconds. */
export function timeText(wall: number): string {
  return new Date(wall).toISOString();
}

/** @param sandboxLost what is known by now of its sandbox; the end of a container may be seen before that of its sandbox */
export function amendmentOf(
  death: Death,
  note: PodNote,
  container: string,
  sandboxLost: string | undefined,
): DeathAmendment {
  const newest = note.containers[container]?.newest;
  const { delayMs } = death;
  const rung = rungOf(death, note);
  const message = death.message.slice(0, MAX_MESSAGE_CHARACTERS);
  return {
    ...(message === '' ? {} : { message }),
    ...(delayMs === undefined ? {} : { backOffSeconds: delayMs / 1000 }),
    ...(newest !== undefined && newest.restartCount > death.restartCount ? { startedAgain: true as const } : {}),
    ...(rung === undefined ? {} : { rung }),
    ...(sandboxLost === undefined ? {} : { sandboxLost }),
  };
}

function rungOf({ containerId }: Death, { healing }: PodNote): string | undefined {
  const stopped = Object.values(healing?.stopped?.containers ?? {}).some((each) => each.containerId === containerId);
  if (stopped) return 'stopped';
  return healing?.attempts.find((attempt) => attempt.containerId === containerId)?.scope;
}

/** One end, and the passes around it. */
type EndFacts = Pick<DeathFacts, 'container' | 'death' | 'note' | 'noteBefore' | 'seen'>;

/** Who asked for the end; undefined: nobody did. */
export function requestedEnd(facts: EndFacts): DeathRecord['requested'] {
  return lostSandboxOf(facts) === undefined ? requestOf(facts, failedProbeOf(facts) !== undefined) : undefined;
}

/** The kill that led to the death. One that was decided after the end, because the end was not seen yet, led to nothing. */
function killOf({ note, noteBefore, container, death }: EndFacts): RequestedRestart | undefined {
  return [note, noteBefore]
    .map(({ containers }) => containers[container]?.kill)
    .find((kill) => kill?.containerId === death.containerId && !isAfter(kill, death));
}

function isAfter({ requestedAt }: RequestedRestart, { finishedAt }: Death): boolean {
  return finishedAt > 0 && requestedAt > finishedAt;
}

function probeOf(facts: DeathFacts): FailedProbe | undefined {
  const type = failedProbeOf(facts);
  return type === undefined ? undefined : { type, ...facts.failed(type) };
}

function failedProbeOf(facts: EndFacts): 'liveness' | 'startup' | undefined {
  const kill = killOf(facts);
  return kill === undefined ? undefined : probeTypeOf(kill);
}

function probeTypeOf({ cause, message }: RequestedRestart): 'liveness' | 'startup' | undefined {
  if (cause === 'liveness' || cause === 'startup') return cause;
  const match = / failed (liveness|startup) probe/.exec(message);
  return match?.[1] as 'liveness' | 'startup' | undefined;
}

/** The widest cause counts: the pod's end, then a restart that is under way, then a kill of this container alone. */
function requestOf(facts: EndFacts, byProbe: boolean): DeathRecord['requested'] {
  const { note, noteBefore, container, death, seen } = facts;
  const endedAt = death.finishedAt > 0 ? death.finishedAt : seen.at;
  const { termination } = note;
  if (termination !== undefined && termination.requestedAt <= endedAt && termination.reason !== 'Completed') {
    const reason = [termination.reason, termination.message].filter((part) => part !== '').join(': ');
    return { scope: 'pod', reason };
  }
  const kill = killOf(facts);
  const restart = [note.restart, noteBefore.restart].find((each) =>
    isOfRestart(each, container, { startedAt: death.startedAt, endedAt }),
  );
  if (restart !== undefined && (kill === undefined || kill.cause === 'restart' || !byProbe)) return askedBy(restart);
  if (kill === undefined || byProbe) return undefined;
  const sources = (note.restartAll ?? noteBefore.restartAll)?.sources;
  if (sources !== undefined && kill.skipPreStop === true) {
    return { scope: 'containers', reason: `all containers are restarted because of how ${sources.join(', ')} ended` };
  }
  return { scope: 'container', reason: kill.message };
}

/** It ran when the restart began, and ended since. */
function isOfRestart(
  restart: GoingRestart | undefined,
  container: string,
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
): restart is GoingRestart {
  if (restart === undefined || endedAt < restart.begunAt || startedAt > restart.begunAt) return false;
  return restart.scope !== 'container' || restart.container === container;
}

function askedBy({ id, by, reason, scope, source }: GoingRestart): NonNullable<DeathRecord['requested']> {
  const who = by ?? (source === 'ladder' ? 'the healing ladder' : undefined);
  return { scope, id, ...(who === undefined ? {} : { by: who }), ...(reason === '' ? {} : { reason }) };
}
