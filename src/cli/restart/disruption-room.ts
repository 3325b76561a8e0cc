/** Decides whether disruption budgets allow a pod to be away for a moment. Pure. */
import {
  isDeleting,
  labelSelectorOf,
  matchesLabels,
  nameOf,
  type ParsedLabelSelector,
  type Pod,
  type PodDisruptionBudget,
  SelectorError,
  uidOf,
} from '../../api/index.ts';
import { isReady } from './pod-facts.ts';

export interface RoomInput {
  readonly pod: Pod;
  /** All budgets of its namespace. */
  readonly budgets: readonly PodDisruptionBudget[];
  /** All pods of its namespace. */
  readonly pods: readonly Pod[];
  /** UIDs of pods that are being restarted. */
  readonly going: ReadonlySet<string>;
}

/**
 * The budget that forbids the restart of the pod; undefined: none does. A pod that is not ready does not count in any budget, so
 * none keeps it. A budget's status may be a moment old and count pods as healthy whose restart has just begun, so the healthy
 * pods are counted again here without them.
 */
export function keptBy({ pod, budgets, pods, going }: RoomInput): string | undefined {
  if (!isReady(pod)) return undefined;
  for (const budget of budgets) {
    const selector = selectorOf(budget);
    if (selector === undefined || !matchesLabels(selector, pod.metadata?.labels)) continue;
    const { disruptionsAllowed = 0, desiredHealthy = 0, observedGeneration } = budget.status ?? {};
    const isStale = (observedGeneration ?? 0) < (budget.metadata?.generation ?? 0);
    const healthy = pods.filter(
      (each) =>
        isReady(each) && !isDeleting(each) && !going.has(uidOf(each)) && matchesLabels(selector, each.metadata?.labels),
    ).length;
    if (!isStale && Math.min(disruptionsAllowed, healthy - desiredHealthy) > 0) continue;
    const count = `${healthy} of its pods are ready, and ${desiredHealthy} must be`;
    return `PodDisruptionBudget ${nameOf(budget)} allows no disruption now (${count})`;
  }
  return undefined;
}

function selectorOf(budget: PodDisruptionBudget): ParsedLabelSelector | undefined {
  try {
    return labelSelectorOf(budget.spec?.selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
