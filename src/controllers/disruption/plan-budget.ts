/** The status of a disruption budget: how many of its pods may be evicted now. Pure. Upstream: DisruptionController.trySync. */
import {
  formatLabelSelector,
  isDeleting,
  labelSelectorOf,
  nameOf,
  type Pod,
  type PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  type PodDisruptionBudgetStatus,
  scaleIntOrPercent,
  setCondition,
} from '../../api/index.ts';
import { formatTime, parseTime } from '../../lib/index.ts';
import { DISRUPTED_POD_TIMEOUT_MS } from '../limits.ts';
import { isPodReady } from '../pods/pod-state.ts';
import { expectedScaleOf, type Scales } from './expected-pods.ts';

export interface BudgetEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** About this pod, not about the budget. */
  readonly pod?: Pod;
}

export interface BudgetPlan {
  readonly status: PodDisruptionBudgetStatus;
  readonly events: readonly BudgetEvent[];
  /** When an eviction that did not come about is given up, ms from now. */
  readonly recheckAfterMs?: number;
}

export interface BudgetInput {
  readonly budget: PodDisruptionBudget;
  /** Those that its selector matches. */
  readonly pods: readonly Pod[];
  readonly scales: Scales;
  /** Wall ms. */
  readonly now: number;
}

export function planBudget(input: BudgetInput): BudgetPlan {
  const { budget, pods, now } = input;
  const counted = countExpected(input);
  const events: BudgetEvent[] = [];
  if (pods.length === 0) events.push({ type: 'Normal', reason: 'NoPods', message: 'No matching pods found' });
  if (!counted.ok) {
    const message = `Failed to calculate the number of expected pods: ${counted.problem}`;
    events.push({ type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message });
    return { status: failedStatus(budget.status ?? {}, counted.problem, now), events };
  }
  if (counted.unmanaged.length > 0) events.push(unmanagedEvent(budget));
  const disrupted = stillDisrupted(input);
  events.push(...disrupted.events);
  const currentHealthy = pods.filter(
    (pod) => !isDeleting(pod) && !Object.hasOwn(disrupted.pods, nameOf(pod)) && isPodReady(pod),
  ).length;
  const { expectedPods, desiredHealthy } = counted;
  // A budget without pods allows nothing, so that its first pods are safe before it is looked at again.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata?.generation;
  const status: PodDisruptionBudgetStatus = {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(Object.keys(disrupted.pods).length === 0 ? {} : { disruptedPods: disrupted.pods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(budget.status?.conditions === undefined ? {} : { conditions: budget.status.conditions }),
  };
  const { recheckAfterMs } = disrupted;
  return {
    status: withCondition(status, disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods', '', now),
    events,
    ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
  };
}

type Counted =
  | {
      readonly ok: true;
      readonly expectedPods: number;
      readonly desiredHealthy: number;
      readonly unmanaged: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/** Whether its numbers depend on the scale of what its pods belong to. */
export function countsByScale({ spec = {} }: PodDisruptionBudget): boolean {
  const { minAvailable, maxUnavailable }: PodDisruptionBudgetSpec = spec;
  return maxUnavailable !== undefined || typeof minAvailable === 'string';
}

function countExpected({ budget, pods, scales }: BudgetInput): Counted {
  const { minAvailable, maxUnavailable }: PodDisruptionBudgetSpec = budget.spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { ok: true, expectedPods: pods.length, desiredHealthy: minAvailable, unmanaged: [] };
  // Neither: nothing is asked for.
  if (maxUnavailable === undefined && minAvailable === undefined)
    return { ok: true, expectedPods: 0, desiredHealthy: 0, unmanaged: [] };
  const scale = expectedScaleOf(pods, scales);
  if (!scale.ok) return scale;
  const { replicas: expectedPods, unmanaged } = scale;
  const desired =
    maxUnavailable === undefined
      ? scaleIntOrPercent(minAvailable ?? 0, expectedPods, 'up')
      : expectedPods - scaleIntOrPercent(maxUnavailable, expectedPods, 'up');
  return { ok: true, expectedPods, desiredHealthy: Math.max(0, desired), unmanaged };
}

function unmanagedEvent({ spec }: PodDisruptionBudget): BudgetEvent {
  const selector = formatLabelSelector(labelSelectorOf(spec?.selector) ?? []);
  const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
  return { type: 'Warning', reason: 'UnmanagedPods', message };
}

/** Pods whose eviction was granted and that are not being deleted yet; after a while they count again. */
function stillDisrupted({ budget, pods, now }: BudgetInput): {
  readonly pods: Record<string, string>;
  readonly events: readonly BudgetEvent[];
  readonly recheckAfterMs?: number;
} {
  const granted = budget.status?.disruptedPods ?? {};
  const kept: Record<string, string> = {};
  const events: BudgetEvent[] = [];
  let next = Infinity;
  for (const pod of pods) {
    const name = nameOf(pod);
    const time = Object.hasOwn(granted, name) ? granted[name] : undefined;
    if (time === undefined || isDeleting(pod)) continue;
    // A later pod of the same name is another one. Times are whole seconds: in the same second it is taken for the old one.
    const at = Math.min(parseTime(time) ?? now, now);
    if ((parseTime(pod.metadata?.creationTimestamp) ?? 0) > at) continue;
    const leftMs = at + DISRUPTED_POD_TIMEOUT_MS - now;
    if (leftMs <= 0) {
      const { namespace = '', name: own = '' } = budget.metadata ?? {};
      const message = `Pod was expected by PDB ${namespace}/${own} to be deleted but it wasn't`;
      events.push({ type: 'Warning', reason: 'NotDeleted', message, pod });
      continue;
    }
    kept[name] = time;
    next = Math.min(next, leftMs);
  }
  return { pods: kept, events, ...(next === Infinity ? {} : { recheckAfterMs: next }) };
}

/** A budget that cannot be counted allows no disruption. */
function failedStatus(status: PodDisruptionBudgetStatus, problem: string, now: number): PodDisruptionBudgetStatus {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = status;
  const safe = { ...status, currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: 0 };
  return withCondition(safe, 'SyncFailed', problem, now);
}

function withCondition(
  status: PodDisruptionBudgetStatus,
  reason: string,
  message: string,
  now: number,
): PodDisruptionBudgetStatus {
  const time = formatTime(now);
  const { observedGeneration } = status;
  const condition = {
    type: 'DisruptionAllowed',
    status: reason === 'SufficientPods' ? 'True' : 'False',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: time,
    reason,
    message,
  };
  return { ...status, conditions: setCondition(status.conditions, condition, time) };
}
