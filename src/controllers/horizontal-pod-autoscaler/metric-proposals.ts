/**
 * How many pods one metric of an autoscaler asks for, and how its status shows it (upstream: computeReplicasForMetric and its
 * siblings). Pure.
 */
import {
  type ExternalMetricSource,
  type HorizontalPodAutoscaler,
  type LabelSelector,
  type MetricIdentifier,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type MetricValueStatus,
  namespaceOf,
  type ObjectMetricSource,
  type PodsMetricSource,
  quantityMilliValue,
} from '../../api/index.ts';
import { type ByValue, countByTotal, countPerPod, type Total } from './count-by-value.ts';
import { type Counted, countReplicas, type Target, type Tolerance } from './count-replicas.ts';
import type { Fetched, ScalingInput } from './scaling-input.ts';

/** Upstream: --horizontal-pod-autoscaler-tolerance. */
const TOLERANCE = 0.1;

/** One metric's answer. */
export type Proposal =
  | { readonly ok: true; readonly replicas: number; readonly name: string; readonly status: MetricStatus }
  | {
      readonly ok: false;
      /** Of its event, and of the condition. */
      readonly reason: string;
      readonly problem: string;
      /** The problem as the event about all metrics says it. */
      readonly whole: string;
    };

const UNKNOWN: Fetched = { ok: false, problem: 'it was not asked for' };

function fetchedOf({ measured }: ScalingInput, spec: MetricSpec): Fetched {
  return measured.values.get(spec) ?? UNKNOWN;
}

/** `around`: what failed, as the event about all metrics says it, before `problem`. */
function failure(reason: string, problem: string, around = ''): Proposal {
  return { ok: false, reason, problem, whole: `${around}${problem}` };
}

/** @returns what one metric asks for, or why that is not known */
export function proposalOf(input: ScalingInput, spec: MetricSpec): Proposal {
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
  if (spec.type === 'Pods' && spec.pods !== undefined) return podsProposal(input, spec, spec.pods);
  if (spec.type === 'Object' && spec.object !== undefined) return objectProposal(input, spec, spec.object);
  if (spec.type === 'External' && spec.external !== undefined) return externalProposal(input, spec, spec.external);
  return failure('InvalidMetricSourceType', `unknown metric source type ${JSON.stringify(spec.type)}`);
}

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
  const { autoscaler, current, pods, now } = input;
  const measured = input.measured.resources;
  const { name, container } = metric;
  const target = targetOf(metric.target);
  const what = target?.kind === 'value' ? 'usage' : 'utilization';
  const around =
    container === undefined
      ? `failed to get ${name} resource metric value: `
      : `failed to get ${container} container metric value: `;
  const failed = (problem: string): Proposal =>
    failure(metric.failure, `failed to get ${name} ${what}: ${problem}`, around);
  if (target === undefined)
    return failure(
      metric.failure,
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
      around,
    );
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

function podsProposal(input: ScalingInput, spec: MetricSpec, { metric, target }: PodsMetricSource): Proposal {
  const { autoscaler, current, pods, now } = input;
  const failed = (problem: string): Proposal =>
    failure('FailedGetPodsMetric', problem, 'failed to get pods metric value: ');
  const fetched = fetchedOf(input, spec);
  if (!fetched.ok) return failed(`unable to get metric ${metric.name}: ${fetched.problem}`);
  const counted = countReplicas(
    { current, pods, samples: fetched.samples, resource: '', tolerance: toleranceOf(autoscaler), now },
    { kind: 'value', milli: milliOf(target.averageValue) },
  );
  if (!counted.ok) return failed(counted.problem);
  const status = { type: spec.type, pods: { metric, current: { averageValue: `${counted.averageMilli}m` } } };
  return { ok: true, replicas: counted.replicas, name: `pods metric ${metric.name}`, status };
}

function objectProposal(input: ScalingInput, spec: MetricSpec, source: ObjectMetricSource): Proposal {
  const { describedObject, metric, target } = source;
  const reason = 'FailedGetObjectMetric';
  const around = 'failed to get object metric value: ';
  const fetched = fetchedOf(input, spec);
  const where = `${describedObject.kind} ${namespaceOf(input.autoscaler)}/${describedObject.name}`;
  const text = fetched.ok ? '' : `unable to get metric ${metric.name} on ${where}: ${fetched.problem}`;
  const proposed = (counted: ByValue, name: string, current: MetricValueStatus): Proposal =>
    counted.ok
      ? {
          ok: true,
          replicas: counted.replicas,
          name,
          status: { type: spec.type, object: { describedObject, metric, current } },
        }
      : failure(reason, counted.problem, around);
  if (target.type === 'Value' && target.value !== undefined) {
    if (!fetched.ok) return failure(reason, text, around);
    const counted = countByTotal(totalOf(input, fetched.milli), milliOf(target.value));
    return proposed(counted, `${describedObject.kind} metric ${metric.name}`, { value: `${fetched.milli}m` });
  }
  if (target.type === 'AverageValue' && target.averageValue !== undefined) {
    if (!fetched.ok) return failure(reason, text, `${around}failed to get ${metric.name} object metric: `);
    const counted = countPerPod(totalOf(input, fetched.milli), milliOf(target.averageValue));
    return proposed(counted, externalName(metric), { averageValue: `${counted.averageMilli}m` });
  }
  const invalid = 'invalid object metric source: neither a value target nor an average value target was set';
  return failure(reason, invalid, around);
}

function externalProposal(input: ScalingInput, spec: MetricSpec, { metric, target }: ExternalMetricSource): Proposal {
  const reason = 'FailedGetExternalMetric';
  const around = `failed to get ${metric.name} external metric value: `;
  const fetched = fetchedOf(input, spec);
  const where = `${namespaceOf(input.autoscaler)}/${metric.name}/${goLabelSelector(metric.selector)}`;
  const text = fetched.ok ? '' : `unable to get external metric ${where}: ${fetched.problem}`;
  const proposed = (replicas: number, current: MetricValueStatus): Proposal => ({
    ok: true,
    replicas,
    name: externalName(metric),
    status: { type: spec.type, external: { metric, current } },
  });
  if (target.averageValue !== undefined) {
    if (!fetched.ok) return failure(reason, text, `${around}failed to get ${metric.name} external metric: `);
    const { replicas, averageMilli } = countPerPod(totalOf(input, fetched.milli), milliOf(target.averageValue));
    return proposed(replicas, { averageValue: `${averageMilli}m` });
  }
  if (target.value !== undefined) {
    const inner = `${around}failed to get external metric ${metric.name}: `;
    if (!fetched.ok) return failure(reason, text, inner);
    const counted = countByTotal(totalOf(input, fetched.milli), milliOf(target.value));
    if (!counted.ok) return failure(reason, counted.problem, inner);
    return proposed(counted.replicas, { value: `${fetched.milli}m` });
  }
  const invalid = 'invalid external metric source: neither a value target nor an average value target was set';
  return failure(reason, invalid, around);
}

function totalOf({ autoscaler, current, seen, pods }: ScalingInput, milli: number): Total {
  return { milli, current, seen, pods, tolerance: toleranceOf(autoscaler) };
}

function milliOf(quantity = '0'): number {
  return quantityMilliValue(quantity);
}

function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${goLabelSelector(selector)})`;
}

/** A selector as upstream's texts have it: as Go prints it. */
function goLabelSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const keys = Object.keys(matchLabels).toSorted();
  const labels = keys.map((key) => `${key}: ${matchLabels[key]},`).join('');
  const expressions = matchExpressions
    .map(({ key, operator, values = [] }) => {
      const words = `Key:${key},Operator:${operator},Values:[${values.join(' ')}],`;
      return `LabelSelectorRequirement{${words}},`;
    })
    .join('');
  const [labelsText, expressionsText] = [`map[string]string{${labels}}`, `[]LabelSelectorRequirement{${expressions}}`];
  return `&LabelSelector{MatchLabels:${labelsText},MatchExpressions:${expressionsText},}`;
}
