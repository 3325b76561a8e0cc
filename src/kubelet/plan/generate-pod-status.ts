/** Generates the pod's status for the API server (upstream: generateAPIPodStatus). Pure. */
import type { ContainerStatus, PodCondition, PodStatus } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { qosClassOf } from '../../api/index.ts';
import { computePodPhase, type PodPhase } from './compute-pod-phase.ts';
import { containerStatus } from './container-status.ts';
import { isFinal, type ContainerView } from './container-view.ts';
import type { WaitingReason } from './draft.ts';
import type { PlanInput } from './facts.ts';
import { type ConditionsInput, generateConditions } from './generate-conditions.ts';
import { healingVerdicts } from './healing/healing-verdicts.ts';
import type { PodLifecycle } from './lifecycle.ts';
import { leavesToRestart, type PodNote } from './pod-memory.ts';
import { limitMessages, messageLimit } from './message-limit.ts';
import { markLost } from './mark-lost.ts';
import { sandboxChange, sandboxesOf } from './plan-sandbox.ts';

export interface StatusInput {
  readonly plan: PlanInput;
  /** After this pass' step. */
  readonly lifecycle: PodLifecycle;
  readonly note: PodNote;
  /** By the note, of all containers of the pod. */
  readonly views: readonly ContainerView[];
  readonly waiting: Readonly<Record<string, WaitingReason>>;
  readonly resize?: ConditionsInput['resize'];
}

export function generatePodStatus(input: StatusInput): PodStatus {
  const { plan, note, lifecycle } = input;
  const { pod, previousStatus: previous, now } = plan;
  const terminated = lifecycle.state === 'terminated' || lifecycle.state === 'finished';
  const sandboxes = sandboxesOf(plan.observed);
  const sandboxReady = !terminated && sandboxChange(pod, sandboxes) === undefined && hasVolumes(plan);
  const initialized = note.initializedSandboxId !== undefined && note.initializedSandboxId === sandboxes[0]?.id;
  const told = {
    initStatuses: statusesOf(input, ['init', 'sidecar'], previous?.initContainerStatuses, terminated),
    statuses: statusesOf(input, ['app'], previous?.containerStatuses, terminated),
  };
  const everInitialized = note.initializedSandboxId !== undefined;
  const { initStatuses, statuses } = terminated ? markLost(told, everInitialized) : told;
  const ephemeral = statusesOf(input, ['ephemeral'], previous?.ephemeralContainerStatuses, terminated);
  const computed = computePodPhase({ pod, initStatuses, statuses, terminated, initialized, final: finalNames(input) });
  const phase = effectivePhase(input, computed, terminated);
  const addresses = addressesOf(input);
  const { generation } = pod.metadata ?? {};
  const end = phase === note.end?.phase ? note.end : undefined;
  const reason = end?.reason ?? (phase === previous?.phase ? previous.reason : undefined);
  const message = end?.message ?? (phase === previous?.phase ? previous.message : undefined);
  const condition = note.termination?.condition;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    conditions: generateConditions(
      pod,
      {
        phase,
        initStatuses,
        statuses,
        sandboxReady,
        ...(input.resize === undefined || terminated ? {} : { resize: input.resize }),
        restarts: { all: note.restartAll !== undefined && !terminated, leaving: leavesToRestart(note) },
        healing: healingVerdicts(pod, note, terminated, plan.facts.volumeTroubles),
        ...(condition === undefined ? {} : { extra: condition }),
      },
      { previous, wall: now.wall },
    ),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...addresses,
    ...(note.startTime === undefined ? {} : { startTime: formatTime(note.startTime) }),
    ...(initStatuses.length === 0 ? {} : { initContainerStatuses: initStatuses }),
    ...(note.end?.reason !== undefined && !note.admitted ? {} : { containerStatuses: statuses }),
    ...(ephemeral.length === 0 || !note.admitted ? {} : { ephemeralContainerStatuses: ephemeral }),
    qosClass: pod.status?.qosClass ?? qosClassOf(pod.spec ?? { containers: [] }),
  };
}

/**
 * Upstream makes a sandbox only when the volumes are ready; here both are made at the same time. A new agent knows the
 * volumes soon.
 */
function hasVolumes({ facts, previousStatus }: PlanInput): boolean {
  if (facts.volumes?.state === 'ready') return true;
  return previousStatus?.conditions?.some(isReadyToStart) === true;
}

function isReadyToStart({ type, status }: PodCondition): boolean {
  return type === 'PodReadyToStartContainers' && status === 'True';
}

function statusesOf(
  { plan, views, waiting }: StatusInput,
  kinds: readonly ContainerView['kind'][],
  previous: readonly ContainerStatus[] | undefined,
  terminated: boolean,
): ContainerStatus[] {
  const limit = messageLimit(plan.pod);
  return views
    .filter(({ kind }) => kinds.includes(kind))
    .map((view) => {
      const { name } = view.container;
      const status = containerStatus({
        plan,
        view,
        waiting: waiting[name],
        terminated,
        previous: previous?.find((told) => told.name === name),
      });
      return limitMessages(status, limit);
    });
}

/** A terminal phase is never left, and none is reported while a container may still run. */
function effectivePhase({ plan, note, lifecycle }: StatusInput, computed: PodPhase, terminated: boolean): PodPhase {
  const before = (plan.previousStatus?.phase ?? 'Pending') as PodPhase;
  if (before === 'Succeeded' || before === 'Failed') return before;
  if (terminated) return note.end?.phase ?? computed;
  // A pod that is being restarted stays Running, although its init containers run again.
  if (before === 'Running' && note.restart !== undefined) return 'Running';
  const terminal = computed === 'Succeeded' || computed === 'Failed';
  return terminal || lifecycle.state === 'terminating' ? keepGoing(before, computed) : computed;
}

function keepGoing(before: PodPhase, computed: PodPhase): PodPhase {
  return computed === 'Pending' || computed === 'Running' ? computed : before;
}

/** Containers that ended for good. */
function finalNames({ plan, views }: StatusInput): ReadonlySet<string> {
  const final = views.filter((view) => view.kind !== 'ephemeral' && isFinal(plan.pod, view));
  return new Set(final.map(({ container }) => container.name));
}

/** The addresses of the newest sandbox that has any; those reported before stay when the network is gone. */
function addressesOf({ plan, note }: StatusInput): Partial<PodStatus> {
  const { pod, observed, previousStatus: previous } = plan;
  const { node } = plan.facts;
  if (!note.admitted) return {};
  const host =
    node.hostIps[0] === undefined ? {} : { hostIP: node.hostIps[0], hostIPs: node.hostIps.map((ip) => ({ ip })) };
  const sandboxes = sandboxesOf(observed);
  const own = sandboxes.find(({ ips }) => ips.length > 0)?.ips ?? [];
  const ips = pod.spec?.hostNetwork === true && sandboxes.length > 0 ? node.hostIps : own;
  if (ips[0] !== undefined) return { ...host, podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) };
  if (previous?.podIP === undefined) return host;
  return { ...host, podIP: previous.podIP, podIPs: previous.podIPs ?? [{ ip: previous.podIP }] };
}
