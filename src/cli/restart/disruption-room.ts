/** Whether disruption budgets let a pod go away for a moment. Pure. */
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
  /** Of its namespace. */
  readonly budgets: readonly PodDisruptionBudget[];
  /** All pods of its namespace. */
  readonly pods: readonly Pod[];
  /** UIDs of pods that we restart now. */
  readonly going: ReadonlySet<string>;
}

/**
 * The budget that wants to keep the pod; undefined: none does. A pod that is not ready helps no budget, so none keeps it. What
 * a budget says is a moment old: pods that we have just begun to restart may still count as healthy in it, so it is counted
 * again here without them.
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
