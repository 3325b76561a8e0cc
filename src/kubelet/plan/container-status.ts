/** One container's status as kubectl expects it (upstream: convertToAPIContainerStatuses). Pure. */
import type { ContainerState, ContainerStateTerminated, ContainerStatus, LinuxContainerUser } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { RuntimeContainer } from '../types.ts';
import { statusResources } from './container-resources.ts';
import type { PlanInput } from './facts.ts';
import type { WaitingReason } from './draft.ts';
import { type ContainerView, isFinal, isOfNext, restartsDespitePolicy } from './container-view.ts';
import type { Death } from './pod-memory.ts';

export interface ContainerStatusInput {
  readonly plan: Pick<PlanInput, 'pod' | 'facts' | 'previousStatus'>;
  readonly view: ContainerView;
  /** The reason why it waits, from the plan. */
  readonly waiting: WaitingReason | undefined;
  /** The pod is over: containers that did not run are reported as lost. */
  readonly terminated: boolean;
  readonly previous: ContainerStatus | undefined;
}

export function containerStatus(input: ContainerStatusInput): ContainerStatus {
  const { view, previous, plan } = input;
  const newest = view.instances.find(({ state }) => state === 'running');
  const running = hasHookAhead(input) || hasFailedHook(view, newest) ? undefined : newest;
  const state = containerState(input, running);
  const shown = newest?.id ?? view.memory.newest?.containerId;
  const lastDeath = view.memory.deaths.find((death) => state.terminated === undefined || death !== view.death);
  const started = running !== undefined && hasStarted(input, running);
  const isEphemeral = view.kind === 'ephemeral';
  return {
    name: view.container.name,
    state,
    lastState: lastDeath === undefined ? {} : { terminated: terminatedState(lastDeath, plan.facts.node.runtimeName) },
    ready: !isEphemeral && isReady(input, running, started, state),
    restartCount: Math.max(view.memory.newest?.restartCount ?? 0, previous?.restartCount ?? 0),
    image: imageName(newest ?? view.newest, view.container.image ?? ''),
    imageID: (newest ?? view.newest)?.imageRef ?? previous?.imageID ?? '',
    ...(shown === undefined ? {} : { containerID: `${plan.facts.node.runtimeName}://${shown}` }),
    ...(isEphemeral ? {} : { started }),
    ...(shown === undefined ? {} : facts(view, newest ?? view.newest)),
  };
}

/** The parts of an existing container's status: resources, mounts, user, stop signal. */
function facts({ container, memory }: ContainerView, shown: RuntimeContainer | undefined): Partial<ContainerStatus> {
  const { requests } = container.resources ?? {};
  const running = shown?.state === 'running' ? shown : undefined;
  const read = statusResources(container.resources, running);
  const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
    name,
    mountPath,
    ...(readOnly === true ? { readOnly, recursiveReadOnly: recursiveReadOnly ?? 'Disabled' } : {}),
  }));
  return {
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    // The reading of a running container may be from before its resize, which the runtime has confirmed.
    resources: running !== undefined && memory.applied?.containerId === running.id ? memory.applied.resources : read,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
    ...(shown?.user === undefined ? {} : { user: { linux: userOf(shown.user) } }),
    // Only the runtime's value: an old runtime ignores the spec's.
    ...(shown?.stopSignal === undefined ? {} : { stopSignal: shown.stopSignal }),
  };
}

function userOf({ uid, gid, supplementalGroups }: NonNullable<RuntimeContainer['user']>): LinuxContainerUser {
  return { uid, gid, supplementalGroups: [...supplementalGroups] };
}

/** As documented: a container is not Running before its postStart hook has ended. */
function hasHookAhead({ view, plan }: ContainerStatusInput): boolean {
  const { name, lifecycle } = view.container;
  return lifecycle?.postStart !== undefined && plan.facts.jobs[`start-container/${name}`] !== undefined;
}

/** It runs, and is only waited for to end: its postStart hook failed. */
function hasFailedHook({ memory }: ContainerView, running: RuntimeContainer | undefined): boolean {
  return running !== undefined && memory.failure !== undefined && memory.kill?.containerId === running.id;
}

/** As the runtime names it; by its bare ID only if the spec does too. */
function imageName(shown: RuntimeContainer | undefined, specified: string): string {
  if (shown === undefined || shown.image === '' || shown.image.startsWith('sha256:')) return specified;
  return shown.image;
}

function containerState(input: ContainerStatusInput, running: RuntimeContainer | undefined): ContainerState {
  const { view, waiting, terminated, previous, plan } = input;
  if (running !== undefined) return { running: { startedAt: formatTime(running.startedAt) } };
  if (view.newest?.state === 'unknown' && previous?.state !== undefined) return previous.state;
  if (waiting !== undefined && !terminated) return { waiting: { ...waiting } };
  const { failure } = view.memory;
  const failedNow =
    isOfNext(view, failure?.attempt) ||
    failure?.attempt === view.death?.restartCount ||
    hasFailedHook(view, view.newest);
  if (failure !== undefined && failedNow && !terminated && !isFinal(plan.pod, view)) {
    return { waiting: { reason: failure.reason, message: failure.message } };
  }
  // API servers refuse that such a container has terminated and then runs again (ValidateContainerStateTransition).
  const ended = terminated || !restartsDespitePolicy(plan.pod, view);
  if (view.death !== undefined && ended)
    return { terminated: terminatedState(view.death, plan.facts.node.runtimeName) };
  if (terminated && previous?.state?.terminated !== undefined) return previous.state;
  return { waiting: { reason: defaultWaitingReason(input) } };
}

/** Upstream: PodInitializing when the pod has init containers and this one has to wait for them. */
function defaultWaitingReason({ plan, view }: ContainerStatusInput): string {
  const waitsForInit =
    view.kind === 'init' || view.kind === 'sidecar' || (plan.pod.spec?.initContainers ?? []).length > 0;
  return waitsForInit ? 'PodInitializing' : 'ContainerCreating';
}

export function terminatedState(death: Death, runtimeName: string): ContainerStateTerminated {
  return {
    exitCode: death.exitCode,
    reason: death.reason === '' ? (death.exitCode === 0 ? 'Completed' : 'Error') : death.reason,
    ...(death.message === '' ? {} : { message: death.message }),
    ...(death.startedAt === 0 ? {} : { startedAt: formatTime(death.startedAt) }),
    ...(death.finishedAt === 0 ? {} : { finishedAt: formatTime(death.finishedAt) }),
    containerID: `${runtimeName}://${death.containerId}`,
  };
}

/** A startup probe not answered yet by this agent leaves what was reported before (KEP-4781). */
function hasStarted({ view, previous, plan }: ContainerStatusInput, running: RuntimeContainer): boolean {
  if (view.container.startupProbe === undefined) return true;
  const result = plan.facts.probes[running.id]?.startup;
  if (result === 'success') return true;
  return result !== 'failure' && previous?.started === true && isSame(previous, running);
}

function isReady(
  { view, previous, plan }: ContainerStatusInput,
  running: RuntimeContainer | undefined,
  started: boolean,
  state: ContainerState,
): boolean {
  if (view.kind === 'init') return state.terminated?.exitCode === 0;
  if (running === undefined || !started) return false;
  if (view.container.readinessProbe === undefined) return true;
  const result = plan.facts.probes[running.id]?.readiness;
  if (result === 'success') return true;
  return result !== 'failure' && previous?.ready === true && isSame(previous, running);
}

function isSame(previous: ContainerStatus, running: RuntimeContainer): boolean {
  return previous.containerID?.endsWith(`://${running.id}`) === true;
}
