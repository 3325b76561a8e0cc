/** The columns of pods (upstream: printPod). STATUS is the most informative word about a pod, by kubectl's own rules. */
import type { Container, ContainerState, ContainerStatus, Pod } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { ageColumn, column, nameColumn, type RowCondition, since, type TableKind } from './table.ts';

export const podTable: TableKind = {
  columns: [
    nameColumn,
    column('Ready', { description: 'Containers that are ready, of all.' }),
    column('Status', { description: 'What the pod is doing.' }),
    column('Restarts', { description: 'Restarts of its containers, and how long ago the last one was.' }),
    ageColumn,
    column('IP', { wide: true, description: 'Address of the pod.' }),
    column('Node', { wide: true, description: 'Node that it is bound to.' }),
    column('Nominated Node', { wide: true, description: 'Node that is being cleared for it.' }),
    column('Readiness Gates', { wide: true, description: 'Readiness gates that are true, of all.' }),
  ],
  cells: (object, now) => {
    const pod = object as Pod;
    const summary = summarizePod(pod);
    return [
      pod.metadata?.name ?? '',
      `${summary.ready}/${summary.total}`,
      summary.status,
      restartsText(summary, now),
      since(pod.metadata?.creationTimestamp, now),
      pod.status?.podIPs?.[0]?.ip || '<none>',
      pod.spec?.nodeName || '<none>',
      pod.status?.nominatedNodeName || '<none>',
      readinessGates(pod),
    ];
  },
  conditions: podConditions,
};

interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** Wall ms of the newest end that a restart followed. */
  readonly lastRestart: number | undefined;
}

interface Restarts {
  count: number;
  last: number | undefined;
}

function countRestarts(restarts: Restarts, status: ContainerStatus): void {
  restarts.count += status.restartCount ?? 0;
  const finished = parseTime(status.lastState?.terminated?.finishedAt);
  if (finished !== undefined && (restarts.last === undefined || finished > restarts.last)) restarts.last = finished;
}

/** The cells of a pod. */
export function summarizePod(pod: Pod): PodSummary {
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map((container) => container.name));
  const total = (pod.spec?.containers?.length ?? 0) + sidecars.size;
  const phase = pod.status?.phase ?? '';
  let status = pod.status?.reason || phase;
  for (const condition of pod.status?.conditions ?? []) {
    if (condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated') status = 'SchedulingGated';
  }
  const init = summarizeInit(pod, sidecars);
  let ready = init.ready;
  let restarts = init.restarts;
  if (init.status !== undefined) status = init.status;
  if (init.status === undefined || conditionIsTrue(pod, 'Initialized')) {
    restarts = init.sidecarRestarts;
    const main = summarizeContainers(pod.status?.containerStatuses ?? [], restarts, status);
    ready += main.ready;
    status = main.status;
    if (status === 'Completed' && main.running) status = conditionIsTrue(pod, 'Ready') ? 'Running' : 'NotReady';
  }
  if (pod.metadata?.deletionTimestamp !== undefined) {
    if (pod.status?.reason === 'NodeLost') status = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') status = 'Terminating';
  }
  return { ready, total, status, restarts: restarts.count, lastRestart: restarts.last };
}

interface InitSummary {
  readonly ready: number;
  /** Set while the pod is initializing. */
  readonly status: string | undefined;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

function summarizeInit(pod: Pod, sidecars: ReadonlySet<string>): InitSummary {
  const restarts: Restarts = { count: 0, last: undefined };
  const sidecarRestarts: Restarts = { count: 0, last: undefined };
  const count = pod.spec?.initContainers?.length ?? 0;
  let ready = 0;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    countRestarts(restarts, container);
    const sidecar = sidecars.has(container.name);
    if (sidecar) countRestarts(sidecarRestarts, container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready) ready += 1;
      continue;
    }
    return { ready, status: initStatus(container.state, index, count), restarts, sidecarRestarts };
  }
  return { ready, status: undefined, restarts, sidecarRestarts };
}

function initStatus(state: ContainerState | undefined, index: number, count: number): string {
  if (state?.terminated !== undefined) return `Init:${terminatedText(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${count}`;
}

function summarizeContainers(
  statuses: readonly ContainerStatus[],
  restarts: Restarts,
  given: string,
): { readonly ready: number; readonly running: boolean; readonly status: string } {
  let ready = 0;
  let running = false;
  let status = given;
  // From the last to the first: of several troubled containers the first one in the spec gives the word.
  for (const container of statuses.toReversed()) {
    countRestarts(restarts, container);
    const { waiting, terminated } = container.state ?? {};
    if (waiting?.reason) status = waiting.reason;
    else if (terminated !== undefined) status = terminatedText(terminated);
    else if (container.ready && container.state?.running !== undefined) {
      running = true;
      ready += 1;
    }
  }
  return { ready, running, status };
}

function terminatedText(terminated: NonNullable<ContainerState['terminated']>): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

function conditionIsTrue(pod: Pod, type: string): boolean {
  return (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

function restartsText(summary: PodSummary, now: number): string {
  if (summary.restarts === 0 || summary.lastRestart === undefined) return String(summary.restarts);
  return `${summary.restarts} (${since(new Date(summary.lastRestart).toISOString(), now)} ago)`;
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  return `${gates.filter((gate) => conditionIsTrue(pod, gate.conditionType)).length}/${gates.length}`;
}

function podConditions(pod: Pod): readonly RowCondition[] {
  const base = { type: 'Completed', status: 'True' } as const;
  if (pod.status?.phase === 'Succeeded') {
    return [{ ...base, reason: 'Succeeded', message: 'The pod has completed successfully.' }];
  }
  if (pod.status?.phase === 'Failed') return [{ ...base, reason: 'Failed', message: 'The pod failed.' }];
  return [];
}
