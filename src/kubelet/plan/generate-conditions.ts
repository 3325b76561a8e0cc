/** The pod conditions that the kubelet owns, with upstream's reasons and texts (kubelet/status/generate.go). Pure. */
import {
  type ContainerStatus,
  HEALING_CONDITIONS,
  type Pod,
  type PodCondition,
  type PodStatus,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { PodPhase } from './compute-pod-phase.ts';
import { initContainerKind, mayRestartAll } from './restart-policy.ts';

/** What this pass found of the pod. */
export interface ConditionsInput {
  readonly phase: PodPhase;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** The current sandbox is ready and has its network, and the volumes are there. */
  readonly sandboxReady: boolean;
  readonly restarts: {
    /** All containers are being restarted (KEP-5532). */
    readonly all: boolean;
    /** The pod is about to be restarted, and others serve its clients. */
    readonly leaving: boolean;
  };
  /** A change of its resources that is not given, or not done yet (KEP-1287). */
  readonly resize?: {
    readonly pending: { readonly reason: string; readonly message: string } | undefined;
    readonly inProgress: { readonly error?: string } | undefined;
  };
  /** The conditions of healing beyond Kubernetes; none for a pod that uses nothing of it. */
  readonly healing: readonly Verdict[];
  /** To add, e.g. DisruptionTarget. */
  readonly extra?: PodCondition;
}

/** What transition times depend on. */
interface Stamp {
  readonly previous: PodStatus | undefined;
  /** Wall ms. */
  readonly wall: number;
}

export type Verdict = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

const OWNED = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'AllContainersRestarting',
  'PodResizePending',
  'PodResizeInProgress',
  ...HEALING_CONDITIONS,
]);

/** All conditions in upstream's order: others' first, then ours. Transition times are kept while the status stays. */
export function generateConditions(pod: Pod, input: ConditionsInput, stamp: Stamp): PodCondition[] {
  const containersReady = containersReadyVerdict(pod, input);
  const ours: Verdict[] = [
    { type: 'PodReadyToStartContainers', status: bool(input.sandboxReady) },
    initializedVerdict(pod, input),
    readyVerdict(pod, containersReady, input),
    containersReady,
    { type: 'PodScheduled', status: 'True' },
    ...resizeVerdicts(input),
    ...(mayRestartAll(pod) ? [restartingAllVerdict(input)] : []),
    ...input.healing,
  ];
  const foreign = (pod.status?.conditions ?? []).filter(({ type }) => !OWNED.has(type) && type !== input.extra?.type);
  const extra = input.extra === undefined ? [] : [stamped(input.extra, pod, stamp)];
  return [...foreign, ...extra, ...ours.map((verdict) => stamped(verdict, pod, stamp))];
}

function stamped(verdict: Verdict, pod: Pod, { previous, wall }: Stamp): PodCondition {
  const before = [...(previous?.conditions ?? []), ...(pod.status?.conditions ?? [])].find(
    ({ type }) => type === verdict.type,
  );
  const kept = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  const { generation } = pod.metadata ?? {};
  return {
    type: verdict.type,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: verdict.status,
    lastTransitionTime: kept ?? formatTime(wall),
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(verdict.message === undefined ? {} : { message: verdict.message }),
  };
}

function containersReadyVerdict(pod: Pod, { phase, initStatuses, statuses }: ConditionsInput): Verdict {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const sidecars = (pod.spec?.initContainers ?? []).filter((container) => initContainerKind(container) === 'sidecar');
  const names = [...sidecars, ...(pod.spec?.containers ?? [])].map(({ name }) => name);
  const of = (name: string) => [...initStatuses, ...statuses].find((status) => status.name === name);
  const unknown = names.filter((name) => of(name) === undefined);
  const unready = names.filter((name) => of(name)?.ready === false);
  const message = listed([
    ['containers with unknown status', unknown],
    ['containers with unready status', unready],
  ]);
  return message === '' ? { type, status: 'True' } : { type, status: 'False', reason: 'ContainersNotReady', message };
}

function readyVerdict(pod: Pod, containersReady: Verdict, { restarts: { leaving } }: ConditionsInput): Verdict {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' };
  if (leaving) {
    const message = 'its traffic goes elsewhere before it is restarted';
    return { type: 'Ready', status: 'False', reason: 'PodRestarting', message };
  }
  const problems: string[] = [];
  for (const { conditionType } of pod.spec?.readinessGates ?? []) {
    const found = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (found === undefined) {
      problems.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    } else if (found.status !== 'True') {
      problems.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`);
    }
  }
  if (problems.length === 0) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

function resizeVerdicts({ resize }: ConditionsInput): Verdict[] {
  const { pending, inProgress } = resize ?? {};
  const found: Verdict[] = [];
  if (pending !== undefined) {
    found.push({ type: 'PodResizePending', status: 'True', reason: pending.reason, message: pending.message });
  }
  if (inProgress !== undefined) {
    const { error } = inProgress;
    const trouble = error === undefined ? {} : { reason: 'Error', message: error };
    found.push({ type: 'PodResizeInProgress', status: 'True', ...trouble });
  }
  return found;
}

function restartingAllVerdict({ phase, restarts }: ConditionsInput): Verdict {
  const type = 'AllContainersRestarting';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  if (!restarts.all) return { type, status: 'False' };
  const message = 'container exited with restart policy rule';
  return { type, status: 'True', reason: 'RestartAllContainersStarted', message };
}

function initializedVerdict(pod: Pod, { phase, initStatuses, statuses }: ConditionsInput): Verdict {
  const type = 'Initialized';
  const containers = pod.spec?.initContainers ?? [];
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  // An app container that has ever started proves it.
  const appStarted = statuses.some(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  if (containers.length === 0 || appStarted) return { type, status: 'True' };
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of containers) {
    const status = initStatuses.find(({ name }) => name === container.name);
    const done = initContainerKind(container) === 'sidecar' ? status?.started === true : status?.ready === true;
    if (status === undefined) unknown.push(container.name);
    else if (!done) incomplete.push(container.name);
  }
  const message = listed([
    ['containers with unknown status', unknown],
    ['containers with incomplete status', incomplete],
  ]);
  if (message === '') return { type, status: 'True' };
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

/** "containers with unready status: [a b], …"; empty when there is nothing to list. */
function listed(groups: readonly (readonly [string, readonly string[]])[]): string {
  return groups
    .filter(([, names]) => names.length > 0)
    .map(([text, names]) => `${text}: [${names.join(' ')}]`)
    .join(', ');
}

function bool(value: boolean): 'True' | 'False' {
  return value ? 'True' : 'False';
}
