/**
 * May this pod be evicted, as its disruption budget has it? Decided without doing it. Pure. Upstream: EvictionREST.Create,
 * checkAndDecrement.
 */
import {
  forbidden,
  labelSelectorOf,
  findCondition,
  matchesLabels,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  SelectorError,
  setCondition,
  StatusError,
  tooManyRequests,
} from '../../api/index.ts';
import { MAX_DISRUPTED_PODS } from '../limits.ts';

const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The time to wait for a client that was refused because the budget's status is outdated. */
const RETRY_SECONDS = 10;

/** Ending it disrupts nothing: it has ended, has not begun, or is on its way out already. */
export function needsNoBudget({ metadata, status }: Pod): boolean {
  const phase = status?.phase;
  if (metadata?.deletionTimestamp !== undefined) return true;
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
}

/** It has ended or is being deleted: it stays so, whatever happens meanwhile. */
export function isPast({ metadata, status }: Pod): boolean {
  return metadata?.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Those of its namespace's budgets that select the pod. */
export function budgetsOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly PodDisruptionBudget[] {
  return budgets.filter(({ spec }) => {
    try {
      const selector = labelSelectorOf(spec?.selector);
      return selector !== undefined && matchesLabels(selector, pod.metadata?.labels);
    } catch (error) {
      if (error instanceof SelectorError) return false;
      throw error;
    }
  });
}

/** A pod that is not ready counts for nothing: it may go while its budget is met, or always, as the budget has it. */
export function mayGoUnready(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (findCondition(pod.status?.conditions, 'Ready')?.status === 'True') return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/**
 * The status of the budget with one disruption less, and the pod noted as disrupted. Throws 429 when none is left or the
 * budget is not up to date, 403 when it is out of order.
 * @param now RFC 3339
 */
export function takeDisruption(budget: PodDisruptionBudget, podName: string, now: string): PodDisruptionBudgetStatus {
  const { name = '', generation = 0 } = budget.metadata ?? {};
  const status = budget.status ?? {};
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status;
  if (observedGeneration < generation) throw stillProcessed(name);
  if (disruptionsAllowed < 0) throw forbidden(POD_DISRUPTION_BUDGETS, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    const text = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(POD_DISRUPTION_BUDGETS, name, text);
  }
  if (disruptionsAllowed === 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    throw refusal(
      0,
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  const left = disruptionsAllowed - 1;
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration,
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  return {
    ...status,
    disruptionsAllowed: left,
    disruptedPods: { ...disruptedPods, [podName]: now },
    ...(left > 0 ? {} : { conditions: setCondition(status.conditions, condition, now) }),
  };
}

/** The budget's allowance is not known right now. */
export function stillProcessed(budget: string): StatusError {
  return refusal(RETRY_SECONDS, `The disruption budget ${budget} is still being processed by the server.`);
}

/** kubectl drain tries again after each 429. */
function refusal(retryAfterSeconds: number, message: string): StatusError {
  const { status } = tooManyRequests(REFUSAL, retryAfterSeconds);
  return new StatusError({
    ...status,
    details: { ...status.details, causes: [{ reason: 'DisruptionBudget', message }] },
  });
}

/** More budgets than one could not be taken from at once. */
export function tooManyBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
