/** Picks the pods of a node that must end so that a pod of higher priority fits: as few and as unimportant as possible. */
import { matchesLabels, type PodDisruptionBudget } from '../../api/index.ts';
import { readSelector } from '../cluster/affinity-term.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { Fitting } from '../filter/fitting.ts';

export interface Victims {
  readonly nodeName: string;
  /** Most important first; never empty. */
  readonly pods: readonly PodInfo[];
  /** The number of victims that their disruption budgets protect. */
  readonly violations: number;
}

/**
 * Simulates the end of all pods of lower priority, and then gives them back one by one as long as the pod still fits: first those
 * that a budget protects, in each group the most important first. The node is left as it was.
 * @returns the victims, or why the node cannot be made to fit
 */
export function pickVictims(
  fitting: Fitting,
  info: NodeInfo,
  budgets: readonly PodDisruptionBudget[],
): Victims | readonly string[] {
  const lesser = [...info.pods()].filter(({ priority }) => priority < fitting.pod.priority);
  if (lesser.length === 0) return ['No preemption victims found for incoming pod'];
  for (const pod of lesser) fitting.take(info, pod);
  const gone = new Set(lesser);
  const giveBack = (pod: PodInfo): void => {
    fitting.put(info, pod);
    gone.delete(pod);
  };
  try {
    const misfit = fitting.check(info);
    if (misfit !== undefined) return misfit.reasons;
    const { violating, others } = splitByBudgets(lesser.toSorted(byImportance), budgets);
    const victims: PodInfo[] = [];
    const trySparing = (pod: PodInfo): boolean => {
      giveBack(pod);
      if (fitting.check(info) === undefined) return true;
      fitting.take(info, pod);
      gone.add(pod);
      victims.push(pod);
      return false;
    };
    const violations = violating.filter((pod) => !trySparing(pod)).length;
    for (const pod of others) trySparing(pod);
    if (victims.length === 0) return [`expected at least one victim pod on node "${info.name}"`];
    return { nodeName: info.name, pods: victims.toSorted(byImportance), violations };
  } finally {
    for (const pod of gone) fitting.put(info, pod);
  }
}

/** Sorts by priority, highest first, then by running time, longest first. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || compareText(startOf(a), startOf(b)) || compareText(a.key, b.key);
}

/** A pod that has not started counts as starting now, which is later than any time in text. */
export function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? '~';
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Budgets are spent in the order of the pods. A pod whose budget is already spent is protected by it. */
function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map((budget) => budget.status?.disruptionsAllowed ?? 0);
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let forbidden = false;
    budgets.forEach((budget, i) => {
      if (!protects(budget, pod)) return;
      left[i] = (left[i] ?? 0) - 1;
      if ((left[i] ?? 0) < 0) forbidden = true;
    });
    (forbidden ? violating : others).push(pod);
  }
  return { violating, others };
}

function protects({ metadata, spec, status }: PodDisruptionBudget, { pod, namespace, labels }: PodInfo): boolean {
  if (metadata?.namespace !== namespace) return false;
  const selector = readSelector(spec?.selector);
  if (selector === undefined || selector.length === 0 || !matchesLabels(selector, labels)) return false;
  // The budget has counted this pod's eviction already.
  return status?.disruptedPods?.[pod.metadata?.name ?? ''] === undefined;
}
