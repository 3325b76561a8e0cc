/**
 * Decides what becomes of a target: how many pods its metrics ask for, what may be done of that now, and what is told about it
 * (upstream: HorizontalController.reconcileAutoscaler). Pure.
 */
import {
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerCondition,
  type HorizontalPodAutoscalerStatus,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type Pod,
  quantityMilliValue,
  setCondition,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { type Counted, countReplicas, type Target, type Tolerance } from './count-replicas.ts';
import type { Samples } from './group-pods.ts';
import { limitScaling } from './limit-scaling.ts';
import { NO_HISTORY, type ScalingHistory, withRecommendation, withScaleEvent } from './scaling-history.ts';

/** Upstream: --horizontal-pod-autoscaler-tolerance. */
const TOLERANCE = 0.1;

/** What was measured of the pods; the problem when nothing was. */
export type Measured =
  | {
      readonly ok: true;
      /** Of one container, or of the whole pod; a resource. */
      readonly samplesOf: (resource: string, container: string | undefined) => Samples;
    }
  | { readonly ok: false; readonly problem: string };

export interface ScalingInput {
  readonly autoscaler: HorizontalPodAutoscaler;
  /** The target's spec.replicas. */
  readonly current: number;
  /** The target's status.replicas. */
  readonly seen: number;
  readonly pods: readonly Pod[];
  readonly measured: Measured;
  /** Undefined: the target is looked at for the first time. */
  readonly history: ScalingHistory | undefined;
  /** Wall ms. */
  readonly now: number;
}

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

/** One metric's answer. */
type Proposal =
  | { readonly ok: true; readonly replicas: number; readonly name: string; readonly status: MetricStatus }
  | { readonly ok: false; readonly reason: string; readonly problem: string };

interface Bounds {
  readonly min: number;
  readonly max: number;
}

function byMetrics(input: ScalingInput, state: State, { min, max }: Bounds): ScalingPlan {
  const { autoscaler, current, now } = input;
  const specs = autoscaler.spec?.metrics ?? [];
  const proposals = specs.map((spec) => proposalOf(input, spec));
  const failed = proposals.filter((each) => !each.ok);
  const valid = proposals.filter((each) => each.ok);
  const metrics = valid.map(({ status }) => status);
  const highest = valid.toSorted((a, b) => b.replicas - a.replicas)[0];
  const told = failed.map(({ reason, problem }): ScalingEvent => ({ type: 'Warning', reason, message: problem }));
  const [first] = failed;
  // A metric that is not known could have asked for more: nothing is taken away without it.
  if (highest === undefined || (first !== undefined && highest.replicas < current)) {
    const { reason, problem } = first ?? { reason: 'InvalidMetricSourceType', problem: 'no metrics are given' };
    const message = `the HPA was unable to compute the replica count: ${problem}`;
    const conditions = withAutoscalerCondition(state.conditions, ['ScalingActive', 'False', reason, message], now);
    const text = `invalid metrics (${failed.length} invalid out of ${specs.length}), first error is: ${problem}`;
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

function proposalOf(input: ScalingInput, spec: MetricSpec): Proposal {
  const { resource, containerResource } = spec;
  if (spec.type === 'Resource' && resource !== undefined) {
    const { name, target } = resource;
    const current = (counted: Valid) => ({ type: spec.type, resource: { name, current: currentOf(counted) } });
    return resourceProposal(input, { name, target, current, failure: 'FailedGetResourceMetric' });
  }
  if (spec.type === 'ContainerResource' && containerResource !== undefined) {
    const { name, target, container } = containerResource;
    const current = (counted: Valid) => ({
      type: spec.type,
      containerResource: { name, container, current: currentOf(counted) },
    });
    return resourceProposal(input, { name, target, container, current, failure: 'FailedGetContainerResourceMetric' });
  }
  const [reason, api] = FOREIGN[spec.type] ?? ['InvalidMetricSourceType', 'known'];
  return { ok: false, reason, problem: `unable to fetch metrics from ${api} metrics API: no such API is served here` };
}

/** Metrics that adapters of others serve. */
const FOREIGN: Readonly<Record<string, readonly [reason: string, api: string]>> = {
  Pods: ['FailedGetPodsMetric', 'custom'],
  Object: ['FailedGetObjectMetric', 'custom'],
  External: ['FailedGetExternalMetric', 'external'],
};

type Valid = Extract<Counted, { readonly ok: true }>;

function currentOf({ utilization, averageMilli }: Valid) {
  return {
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
    averageValue: `${averageMilli}m`,
  };
}

interface ResourceMetric {
  readonly name: string;
  readonly target: MetricTarget;
  readonly container?: string;
  readonly current: (counted: Valid) => MetricStatus;
  /** The reason when it can't be told. */
  readonly failure: string;
}

function resourceProposal(input: ScalingInput, metric: ResourceMetric): Proposal {
  const { measured, autoscaler, current, pods, now } = input;
  const { name, container, failure } = metric;
  const target = targetOf(metric.target);
  const what = target?.kind === 'value' ? 'usage' : 'utilization';
  const failed = (problem: string): Proposal => ({
    ok: false,
    reason: failure,
    problem: `failed to get ${name} ${what}: ${problem}`,
  });
  if (target === undefined)
    return failed('invalid resource metric source: neither an average utilization nor an average value was set');
  if (!measured.ok) return failed(`unable to get metrics for resource ${name}: ${measured.problem}`);
  const samples = measured.samplesOf(name, container);
  if (samples.size === 0)
    return failed(`unable to get metrics for resource ${name}: no metrics returned from resource metrics API`);
  const tolerance = toleranceOf(autoscaler);
  const counted = countReplicas(
    { current, pods, samples, resource: name, tolerance, now, ...(container === undefined ? {} : { container }) },
    target,
  );
  if (!counted.ok) return failed(counted.problem);
  const title = target.kind === 'value' ? `${name} resource` : `${name} resource utilization (percentage of request)`;
  const containerTitle =
    target.kind === 'value' ? `${name} container resource` : title.replace('resource', 'container resource');
  return {
    ok: true,
    replicas: counted.replicas,
    name: container === undefined ? title : containerTitle,
    status: metric.current(counted),
  };
}

function targetOf({ averageUtilization, averageValue }: MetricTarget): Target | undefined {
  if (averageValue !== undefined) return { kind: 'value', milli: quantityMilliValue(averageValue) };
  return averageUtilization === undefined ? undefined : { kind: 'utilization', percent: averageUtilization };
}

function toleranceOf({ spec }: HorizontalPodAutoscaler): Tolerance {
  const of = (tolerance: string | undefined): number =>
    tolerance === undefined ? TOLERANCE : quantityMilliValue(tolerance) / 1000;
  return { up: of(spec?.behavior?.scaleUp?.tolerance), down: of(spec?.behavior?.scaleDown?.tolerance) };
}
