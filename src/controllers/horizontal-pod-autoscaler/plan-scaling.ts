/**
 * Decides what becomes of a target: how many pods its metrics ask for, what may be done of that now, and what is told about it
 * (upstream: HorizontalController.reconcileAutoscaler). Pure.
 */
import {
  type HorizontalPodAutoscalerCondition,
  type HorizontalPodAutoscalerStatus,
  type MetricStatus,
  setCondition,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { limitScaling } from './limit-scaling.ts';
import { proposalOf } from './metric-proposals.ts';
import { NO_HISTORY, type ScalingHistory, withRecommendation, withScaleEvent } from './scaling-history.ts';
import type { ScalingInput, SelectorProblem } from './scaling-input.ts';

export interface ScalingEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface ScalingPlan {
  /** Undefined: the target stays as it is. */
  readonly rescale?: { readonly replicas: number; readonly reason: string };
  /** The status when the rescale, if any, has been written. */
  readonly status: HorizontalPodAutoscalerStatus;
  readonly events: readonly ScalingEvent[];
  /** The history when the rescale, if any, has been written. */
  readonly history: ScalingHistory;
}

type Conditions = readonly HorizontalPodAutoscalerCondition[];

/** The conditions with another. @param now wall ms */
export function withAutoscalerCondition(
  conditions: Conditions | undefined,
  [type, status, reason, message]: readonly [type: string, status: 'True' | 'False', reason: string, message: string],
  now: number,
): HorizontalPodAutoscalerCondition[] {
  return setCondition(conditions, { type, status, reason, message }, formatTime(now));
}

export function planScaling(input: ScalingInput): ScalingPlan {
  const { autoscaler, current, now } = input;
  const { minReplicas: min = 1, maxReplicas: max } = autoscaler.spec ?? { maxReplicas: 1 };
  const history = input.history ?? withRecommendation(NO_HISTORY, current, now);
  const able = "the HPA controller was able to get the target's current scale";
  const conditions = withAutoscalerCondition(
    autoscaler.status?.conditions,
    ['AbleToScale', 'True', 'SucceededGetScale', able],
    now,
  );
  if (current === 0 && min !== 0) {
    const text = 'scaling is disabled since the replica count of the target is zero';
    const told = withAutoscalerCondition(conditions, ['ScalingActive', 'False', 'ScalingDisabled', text], now);
    return { status: statusOf(input, told, 0, []), events: [], history };
  }
  if (current > max)
    return resize(input, { history, conditions }, max, 'Current number of replicas above Spec.MaxReplicas');
  if (current < min)
    return resize(input, { history, conditions }, min, 'Current number of replicas below Spec.MinReplicas');
  return byMetrics(input, { history, conditions }, { min, max });
}

interface State {
  readonly history: ScalingHistory;
  readonly conditions: Conditions;
  readonly metrics?: readonly MetricStatus[];
  readonly events?: readonly ScalingEvent[];
}

function statusOf(
  { autoscaler, seen }: ScalingInput,
  conditions: Conditions,
  desired: number,
  metrics: readonly MetricStatus[],
): HorizontalPodAutoscalerStatus {
  const { lastScaleTime } = autoscaler.status ?? {};
  return {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: seen,
    desiredReplicas: desired,
    currentMetrics: metrics.length === 0 ? null : [...metrics],
    conditions: [...conditions],
  };
}

function resize(input: ScalingInput, state: State, replicas: number, reason: string): ScalingPlan {
  const { current, now } = input;
  const { metrics = [], events = [] } = state;
  if (replicas === current)
    return { status: statusOf(input, state.conditions, current, metrics), events, history: state.history };
  const message = `the HPA controller was able to update the target scale to ${replicas}`;
  const conditions = withAutoscalerCondition(
    state.conditions,
    ['AbleToScale', 'True', 'SucceededRescale', message],
    now,
  );
  return {
    rescale: { replicas, reason },
    status: { ...statusOf(input, conditions, replicas, metrics), lastScaleTime: formatTime(now) },
    events: [
      ...events,
      { type: 'Normal', reason: 'SuccessfulRescale', message: `New size: ${replicas}; reason: ${reason}` },
    ],
    history: withScaleEvent(state.history, current, replicas, now),
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

function byMetrics(input: ScalingInput, state: State, { min, max }: Bounds): ScalingPlan {
  const { autoscaler, current, now } = input;
  const specs = autoscaler.spec?.metrics ?? [];
  const { selectorProblem } = input;
  if (selectorProblem !== undefined) return withoutPods(input, state, selectorProblem);
  const proposals = specs.map((spec) => proposalOf(input, spec));
  const failed = proposals.filter((each) => !each.ok);
  const valid = proposals.filter((each) => each.ok);
  const metrics = valid.map(({ status }) => status);
  const highest = valid.toSorted((a, b) => b.replicas - a.replicas)[0];
  const told = failed.map(({ reason, problem }): ScalingEvent => ({ type: 'Warning', reason, message: problem }));
  const [first] = failed;
  // A metric that is not known could have asked for more: nothing is taken away without it.
  if (highest === undefined || (first !== undefined && highest.replicas < current)) {
    const none = 'no metrics are given';
    const { reason, problem, whole } = first ?? { reason: 'InvalidMetricSourceType', problem: none, whole: none };
    const message = `the HPA was unable to compute the replica count: ${problem}`;
    const conditions = withAutoscalerCondition(state.conditions, ['ScalingActive', 'False', reason, message], now);
    const text = `invalid metrics (${failed.length} invalid out of ${specs.length}), first error is: ${whole}`;
    const event: ScalingEvent = { type: 'Warning', reason: 'FailedComputeMetricsReplicas', message: text };
    const desired = autoscaler.status?.desiredReplicas ?? 0;
    return { status: statusOf(input, conditions, desired, metrics), events: [...told, event], history: state.history };
  }
  const active = `the HPA was able to successfully calculate a replica count from ${highest.name}`;
  const conditions = withAutoscalerCondition(
    state.conditions,
    ['ScalingActive', 'True', 'ValidMetricFound', active],
    now,
  );
  const { behavior } = autoscaler.spec ?? {};
  const wanted = highest.replicas;
  const limited = limitScaling({ current, wanted, min, max, behavior, history: state.history, now });
  const isLimited = limited.limited.isLimited ? 'True' : 'False';
  const all = withAutoscalerCondition(
    withAutoscalerCondition(conditions, ['AbleToScale', 'True', limited.able.reason, limited.able.message], now),
    ['ScalingLimited', isLimited, limited.limited.reason, limited.limited.message],
    now,
  );
  const history = withRecommendation(state.history, wanted, now);
  const reason = wanted > current ? `${highest.name} above target` : 'All metrics below target';
  return resize(input, { history, conditions: all, metrics, events: told }, limited.replicas, reason);
}

/** Nothing is scaled by pods that are not known, or that another autoscaler has, too. */
function withoutPods(input: ScalingInput, state: State, why: SelectorProblem): ScalingPlan {
  const { event, condition, problem, message } = why;
  const conditions = withAutoscalerCondition(
    state.conditions,
    ['ScalingActive', 'False', condition, message],
    input.now,
  );
  const desired = input.autoscaler.status?.desiredReplicas ?? 0;
  const events: ScalingEvent[] = [
    { type: 'Warning', reason: event, message: problem },
    { type: 'Warning', reason: 'FailedComputeMetricsReplicas', message: problem },
  ];
  return { status: statusOf(input, conditions, desired, []), events, history: state.history };
}
