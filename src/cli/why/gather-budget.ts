/** Gathers the evidence about a PodDisruptionBudget: its events, and the pods that it covers. */
import {
  EVENTS,
  isConditionTrue,
  labelSelectorOf,
  matchesLabels,
  type Pod,
  type PodDisruptionBudget,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '../../api/index.ts';
import type { BudgetEvidence } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { gatherPod } from './gather-pod.ts';
import type { WorkloadWish } from './gather-workload.ts';
import { urgency } from './urgency.ts';
import { MAX_BUDGET_PODS, MAX_EVENTS, MAX_LISTED } from './limits.ts';

export async function gatherBudget(
  asker: Asker,
  budget: PodDisruptionBudget,
  namespaceFlag: string,
  { isDeep }: WorkloadWish = {},
): Promise<BudgetEvidence> {
  const { namespace = 'default', name = '' } = budget.metadata ?? {};
  const [all, budgets, events] = await Promise.all([
    asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED }),
    asker.list(`poddisruptionbudgets in namespace ${namespace}`, POD_DISRUPTION_BUDGETS, {
      namespace,
      limit: MAX_LISTED,
    }),
    asker.list(`events of pdb/${name}`, EVENTS, {
      namespace,
      fieldSelector: `involvedObject.kind=PodDisruptionBudget,involvedObject.name=${name}`,
      limit: MAX_EVENTS,
    }),
  ]);
  const selector = labelSelectorOf(budget.spec?.selector);
  const pods = selector === undefined ? [] : all.filter(({ metadata }) => matchesLabels(selector, metadata?.labels));
  const unready = pods.filter((pod) => !isOver(pod) && !isConditionTrue(pod.status?.conditions, 'Ready'));
  const looked = await Promise.all(
    unready
      .toSorted((a, b) => urgency(b) - urgency(a))
      .slice(0, MAX_BUDGET_PODS)
      .map((pod) => gatherPod(asker, pod, { namespaceFlag, quiet: isDeep?.(pod) === false })),
  );
  const rivals = budgets.flatMap(({ metadata, spec }): readonly string[] => {
    const other = labelSelectorOf(spec?.selector);
    if (other === undefined || metadata?.name === undefined || metadata.name === name) return [];
    return pods.some((pod) => matchesLabels(other, pod.metadata?.labels)) ? [metadata.name] : [];
  });
  const others = pods.length === 0 ? { others: all } : {};
  return {
    now: asker.now,
    budget,
    pods,
    rivals,
    ...others,
    looked,
    events,
    notLookedAt: asker.notLookedAt,
    namespaceFlag,
  };
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
