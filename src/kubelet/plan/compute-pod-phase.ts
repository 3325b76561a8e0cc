/** A pod's phase from its containers' statuses (upstream: getPhase, kubelet_pods.go). Pure. */
import type { ContainerStatus, Pod } from '../../api/index.ts';
import { initContainerKind } from './restart-policy.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PhaseInput {
  readonly pod: Pod;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** No container is started any more and none runs. */
  readonly terminated: boolean;
  /** The init containers are done in this sandbox. */
  readonly initialized: boolean;
  /** Names of containers that have ended and are not started again. */
  readonly final: ReadonlySet<string>;
}

export function computePodPhase(input: PhaseInput): PodPhase {
  const { pod, statuses, terminated, final } = input;
  const init = countInit(input);
  const app = countApp(statuses);
  if (init.failedForGood > 0) return 'Failed';
  if (terminated) return app.succeeded === statuses.length && statuses.length > 0 ? 'Succeeded' : 'Failed';
  if (init.pending > 0 || app.waiting > 0) return 'Pending';
  if (app.running > 0) return 'Running';
  if (app.stopped === 0) return 'Pending';
  const allFinal = (pod.spec?.containers ?? []).every(({ name }) => final.has(name));
  if (!allFinal) return 'Running';
  return app.stopped === app.succeeded ? 'Succeeded' : 'Failed';
}

function countInit({ pod, initStatuses, initialized, final }: PhaseInput): { pending: number; failedForGood: number } {
  let pending = 0;
  let failedForGood = 0;
  for (const container of pod.spec?.initContainers ?? []) {
    const status = initStatuses.find(({ name }) => name === container.name);
    const ended = status?.state?.terminated ?? (status?.state?.waiting ? status.lastState?.terminated : undefined);
    if (initContainerKind(container) === 'sidecar') {
      if (!initialized && status?.state?.running === undefined) pending += 1;
    } else if (ended !== undefined && ended.exitCode !== 0) {
      // One that is tried again leaves the pod Pending by its app containers, which wait.
      if (final.has(container.name)) failedForGood += 1;
    } else if (ended === undefined && !initialized) {
      pending += 1;
    }
  }
  return { pending, failedForGood };
}

function countApp(statuses: readonly ContainerStatus[]) {
  const count = { running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const { state, lastState } of statuses) {
    if (state?.running !== undefined) count.running += 1;
    else if (state?.terminated !== undefined) {
      count.stopped += 1;
      if (state.terminated.exitCode === 0) count.succeeded += 1;
    } else if (lastState?.terminated !== undefined) count.stopped += 1;
    else count.waiting += 1;
  }
  return count;
}
