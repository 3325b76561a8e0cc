/**
 * Decides when a container that ended may be started again: by CrashLoopBackOff, or by the curve of the pod's healing policy.
 * Also reports the wait. Pure.
 */
import { formatDurationMs } from '../../api/index.ts';
import { type BackOffAnswer, backOffKey, crashLoopBackOff, formatDelay, policyBackOffKey } from './back-off.ts';
import type { ContainerView } from './container-view.ts';
import { fieldPath, formatPod } from './containers.ts';
import { type Draft, tellNext, wait } from './draft.ts';
import { backOffOnCurve, defaultCurve } from './healing/curve.ts';
import { curveFor, deathFacts } from './healing/death-facts.ts';
import { answerTo } from './healing/ladder-note.ts';
import { podPolicy } from './healing/pod-policy.ts';
import type { BackOffState, Death } from './pod-memory.ts';

/** May it be restarted now? The decision is to be written down with the restart. */
export function askBackOff(draft: Draft, view: ContainerView, death: Death): BackOffAnswer {
  const answer = askCurve(draft, view, death) ?? askKubernetes(draft, view, death);
  if (answer.restart) draft.times.mono(backOffTimeName(view.container.name, answer.state), draft.input.now.wall);
  return answer;
}

function askKubernetes(draft: Draft, { container, memory }: ContainerView, death: Death): BackOffAnswer {
  const { now, pod, facts } = draft.input;
  return crashLoopBackOff({
    key: backOffKey(pod, container),
    state: memory.backOff,
    lastUpdateMono: memory.backOff === undefined ? 0 : backOffMono(draft, container.name, memory.backOff),
    exitMono: exitMono(draft, death),
    now,
    ...(facts.node.maxRestartPeriodMs && { capMs: facts.node.maxRestartPeriodMs }),
  });
}

/** Undefined for a pod that has no policy. */
function askCurve(draft: Draft, view: ContainerView, death: Death): BackOffAnswer | undefined {
  const { now, pod, facts } = draft.input;
  const own = podPolicy(pod);
  if (own.kind !== 'valid') return undefined;
  const told = draft.note.healing === undefined ? undefined : answerTo(draft.note.healing, death.containerId);
  return backOffOnCurve({
    curve: curveFor(own.policy, deathFacts(view, death)) ?? defaultCurve(facts.node.maxRestartPeriodMs),
    key: policyBackOffKey(backOffKey(pod, view.container), own.hash),
    state: view.memory.backOff,
    end: {
      containerId: death.containerId,
      uptimeMs: uptimeMs(draft, view, death),
      exitMono: exitMono(draft, death),
    },
    now,
    neverFree: told !== undefined && told.scope !== 'container',
    atCap: told?.uncounted === 'fallback',
  });
}

/**
 * By the runtime's clock, and not longer than the time since the start was decided: a step of the wall clock frees no
 * container from its wait.
 */
function uptimeMs(draft: Draft, { container, memory }: ContainerView, death: Death): number {
  if (death.startedAt === 0 || death.finishedAt === 0) return 0;
  const told = death.finishedAt - death.startedAt;
  if (memory.backOff === undefined) return told;
  return Math.min(told, exitMono(draft, death) - backOffMono(draft, container.name, memory.backOff));
}

/** Makes the container wait until then, with upstream's reason and message; the event is sent once per death. */
export function tellBackOff(
  draft: Draft,
  view: ContainerView,
  death: Death,
  { until, delayMs }: Extract<BackOffAnswer, { restart: false }>,
): void {
  const { pod } = draft.input;
  const { name } = view.container;
  const delay = podPolicy(pod).kind === 'valid' ? formatDurationMs(delayMs) : formatDelay(delayMs);
  draft.waiting[name] = {
    reason: 'CrashLoopBackOff',
    message: `back-off ${delay} restarting failed container=${name} pod=${formatPod(pod)}`,
  };
  wait(draft, `container ${name} waits in CrashLoopBackOff (${delay})`, until);
  tellNext(draft, 'starts again', until);
  if (draft.backOffReported[death.containerId] !== undefined) return;
  draft.backOffReported = { ...draft.backOffReported, [death.containerId]: true };
  draft.events.push({
    type: 'Warning',
    reason: 'BackOff',
    message: `Back-off restarting failed container ${name} in pod ${formatPod(pod)}`,
    fieldPath: fieldPath(view),
  });
}

export function exitMono(
  draft: Pick<Draft, 'times' | 'input'>,
  death: { readonly containerId: string; readonly finishedAt: number },
): number {
  const wall = death.finishedAt === 0 ? draft.input.now.wall : death.finishedAt;
  return draft.times.mono(`exit/${death.containerId}`, wall);
}

export function backOffMono(draft: Pick<Draft, 'times'>, name: string, state: BackOffState): number {
  return draft.times.mono(backOffTimeName(name, state), state.lastUpdate);
}

function backOffTimeName(name: string, state: BackOffState): string {
  return `back-off/${name}/${state.lastUpdate}`;
}
