/** The kill of one container for a restart, as it is noted before anything is done. Pure. */
import type { RuntimeContainer } from '../../types.ts';
import type { ContainerView } from '../container-view.ts';
import { type Draft, updateContainer } from '../draft.ts';
import { gracePeriodSeconds } from '../lifecycle.ts';
import type { GoingRestart, RequestedRestart } from '../pod-memory.ts';
import { scopeText, whoAndWhy } from './restart-texts.ts';

/** Grace period of the whole restart, seconds. */
export function graceOf(draft: Draft, restart: GoingRestart): number {
  return restart.gracePeriodSeconds ?? gracePeriodSeconds(draft.input.pod);
}

/** Mono ms when its grace ends. */
export function deadlineOf(draft: Draft, restart: GoingRestart): number {
  return draft.times.mono(restartTime(restart), restart.begunAt) + graceOf(draft, restart) * 1000;
}

/** The name in `WallTimes` of the time when it began. */
export function restartTime({ id }: GoingRestart): string {
  return `restart/${id}`;
}

/** Text of the Killing event. */
export function killMessage(name: string, restart: GoingRestart): string {
  const what = restart.scope === 'container' ? 'it' : scopeText(restart);
  return `Stopping container ${name} to restart ${what} (${whoAndWhy(restart)})`;
}

/**
 * Notes that `instance` is killed for the restart, and started again. A kill decided before stays, with what made us decide
 * it; only its grace may become shorter.
 */
export function noteKill(
  draft: Draft,
  view: ContainerView,
  instance: RuntimeContainer,
  restart: GoingRestart,
): RequestedRestart {
  const { kill: known } = view.memory;
  const kill = known?.containerId === instance.id ? hastened(draft, known, restart) : newKill(draft, instance, restart);
  if (kill !== known) updateContainer(draft, view.container.name, { kill });
  return kill;
}

function newKill(draft: Draft, instance: RuntimeContainer, restart: GoingRestart): RequestedRestart {
  return {
    containerId: instance.id,
    message: killMessage(instance.name, restart),
    gracePeriodSeconds: graceOf(draft, restart),
    requestedAt: restart.begunAt,
    restart: true,
    cause: 'restart',
  };
}

function hastened(draft: Draft, known: RequestedRestart, restart: GoingRestart): RequestedRestart {
  const begun = draft.times.mono(`kill/${known.containerId}`, known.requestedAt);
  const seconds = Math.max(0, Math.ceil((deadlineOf(draft, restart) - begun) / 1000));
  if (known.restart && seconds >= known.gracePeriodSeconds) return known;
  return { ...known, restart: true, gracePeriodSeconds: Math.min(seconds, known.gracePeriodSeconds) };
}
