/** What a pass over a pod shows for its day. Pure. */
import {
  type ContainerStatus,
  controllerOf,
  isConditionTrue,
  pauseOf,
  type Pod,
  type PodStatus,
} from '../../api/index.ts';
import type { Now } from '../../lib/index.ts';
import { requestedEnd } from '../deaths/compose-death.ts';
import { findContainer } from '../plan/containers.ts';
import type { Death, PodNote } from '../plan/pod-memory.ts';
import { containerRestartPolicy } from '../plan/restart-policy.ts';
import type { PodObservation } from '../types.ts';
import type { EndKind, PodFacts } from './pod-track.ts';

/** One pass of a pod's worker, when its plan is made. */
export interface DayPass {
  readonly pod: Pod;
  readonly status: PodStatus;
  readonly noteBefore: PodNote;
  readonly note: PodNote;
  readonly observed: PodObservation | undefined;
  /** The pod is on its way out. */
  readonly ending: boolean;
}

/** Reasons of waiting that are part of every start, or of a back-off after a death. */
const USUAL_WAITS: ReadonlySet<string> = new Set([
  'ContainerCreating',
  'PodInitializing',
  'RestartingPod',
  'CrashLoopBackOff',
]);

/**
 * @param seenUntil wall ms: ends after it are news even if the note before this pass has them; undefined: that note is what was seen
 */
export function passFacts(pass: DayPass, now: Now, seenUntil: number | undefined): PodFacts {
  const { pod, status, note, ending } = pass;
  const statuses = statusesOf(status);
  return {
    now,
    ready: isConditionTrue(status.conditions, 'Ready') && !isBehind(statuses, note),
    over: status.phase === 'Succeeded' ? 'succeeded' : status.phase === 'Failed' ? 'failed' : undefined,
    ending: pod.metadata?.deletionTimestamp !== undefined || (ending && isWished(note)),
    stuck: statuses.some(({ state }) => !USUAL_WAITS.has(state?.waiting?.reason ?? 'ContainerCreating')),
    bare: controllerOf(pod) === undefined,
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    ends: endsOf(pass, now, seenUntil),
    restarting: isRestarting(pass),
    human: isHelped(pass),
  };
}

function isWished({ termination }: PodNote): boolean {
  return termination?.reason === 'Deleted' || termination?.reason === 'Orphaned';
}

function statusesOf({ initContainerStatuses, containerStatuses }: PodStatus): readonly ContainerStatus[] {
  return [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])];
}

/** What is published waits while a death is looked into: then the status still calls a container running that is known to have ended. */
function isBehind(statuses: readonly ContainerStatus[], { containers }: PodNote): boolean {
  return statuses.some(({ name, state, containerID = '' }) => {
    const id = containerID.slice(containerID.indexOf('://') + '://'.length);
    return (
      state?.running !== undefined && containers[name]?.deaths.some(({ containerId }) => containerId === id) === true
    );
  });
}

function isRestarting({ note, noteBefore }: DayPass): boolean {
  return [note.restart, noteBefore.restart].some((restart) => restart?.source === 'request');
}

/** Also a restart that began and ended within this pass, and inputs whose change ended a wait. */
function isHelped(pass: DayPass): boolean {
  const { pod, note, noteBefore: before } = pass;
  if (isRestarting(pass) || pauseOf(pod) !== undefined || note.triedNow !== before.triedNow) return true;
  const outcome = note.restartOutcomes?.[0]?.id;
  const isNew = outcome !== undefined && outcome !== before.restartOutcomes?.[0]?.id;
  const inputs = note.recovery?.lasting === true && note.recovery.id !== before.recovery?.id;
  return isNew || inputs;
}

function endsOf(pass: DayPass, now: Now, seenUntil: number | undefined): PodFacts['ends'] {
  const { note, noteBefore } = pass;
  return Object.entries(note.containers).flatMap(([container, { deaths }]) => {
    const known = noteBefore.containers[container]?.deaths ?? [];
    return deaths.flatMap((death) => {
      const isKnown = known.some(({ containerId }) => containerId === death.containerId);
      const isNews = !isKnown || (seenUntil !== undefined && death.finishedAt > seenUntil);
      const kind = isNews ? endKind(pass, container, death, now) : undefined;
      return kind === undefined ? [] : [{ kind, finishedAt: death.finishedAt }];
    });
  });
}

/** Undefined: an end that is no loss, or that of a container which the pod does not need. */
function endKind(pass: DayPass, container: string, death: Death, now: Now): EndKind | undefined {
  const { pod, note, noteBefore, observed } = pass;
  const found = findContainer(pod, container);
  if (found === undefined || found.kind === 'ephemeral') return undefined;
  const mayEnd =
    found.kind === 'init' || (found.kind === 'app' && containerRestartPolicy(pod, found.container) !== 'Always');
  if (death.exitCode === 0 && mayEnd) return undefined;
  const seen = { at: now.wall, observed };
  const requested = requestedEnd({ container, death, note, noteBefore, seen });
  if (requested === undefined) return 'own';
  const restart = [note.restart, noteBefore.restart].find((each) => each?.id === requested.id);
  if (requested.id !== undefined) return restart?.source === 'ladder' ? 'step' : 'asked';
  if (requested.scope === 'containers') return 'step';
  return requested.scope === 'container' && isHookKill(pass, container, death) ? 'own' : 'asked';
}

/** Its postStart hook failed: nobody wished that. */
function isHookKill({ note, noteBefore }: DayPass, container: string, { containerId }: Death): boolean {
  return [note, noteBefore].some(({ containers }) => {
    const kill = containers[container]?.kill;
    return kill?.containerId === containerId && kill.cause === 'hook';
  });
}
