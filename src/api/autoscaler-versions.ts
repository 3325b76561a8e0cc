/**
 * HorizontalPodAutoscalers between their two versions: the first says its cpu target in a field, and all else of the second in
 * annotations (upstream: pkg/apis/autoscaling/v1/conversion.go). Pure.
 */
import { canonicalObject } from './schema/canonical.ts';
import { validateStructure } from './validate-structure.ts';
import type {
  AutoscalingHorizontalPodAutoscaler,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricStatus,
  ObjectMeta,
} from './types.gen.ts';

const KIND = 'HorizontalPodAutoscaler';
const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
const OWN: readonly string[] = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR];

const DEFAULT_UTILIZATION = 80;

/** The first version's form of an object of the second. */
export function autoscalerToV1(object: HorizontalPodAutoscaler): AutoscalingHorizontalPodAutoscaler {
  const { metadata, spec, status } = object;
  const { metrics = [], behavior, ...restOfSpec } = spec ?? ({} as Partial<HorizontalPodAutoscalerSpec>);
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => metric !== cpu);
  const { currentMetrics, conditions = [], ...restOfStatus } = status ?? { desiredReplicas: 0 };
  const used = currentMetrics?.find(({ type, resource }) => type === 'Resource' && resource?.name === 'cpu');
  const otherStatus = (currentMetrics ?? []).filter((metric) => metric !== used);
  const target = cpu?.resource?.target.averageUtilization;
  const percent = used?.resource?.current.averageUtilization;
  const own = {
    ...(others.length === 0 ? {} : { [METRICS]: JSON.stringify(others) }),
    ...(otherStatus.length === 0 ? {} : { [CURRENT_METRICS]: JSON.stringify(otherStatus) }),
    ...(conditions.length === 0 ? {} : { [CONDITIONS]: JSON.stringify(conditions) }),
    ...(behavior === undefined ? {} : { [BEHAVIOR]: JSON.stringify(behavior) }),
  };
  const converted = {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, own),
    spec: {
      ...(restOfSpec as HorizontalPodAutoscalerSpec),
      ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }),
    },
    status: {
      currentReplicas: 0,
      ...restOfStatus,
      ...(percent === undefined ? {} : { currentCPUUtilizationPercentage: percent }),
    },
  };
  return canonicalObject('autoscaling/v1', KIND, converted);
}

/** The second version's form of an object of the first. What an annotation says that is no JSON is left out. Throws `StatusError` 400 for other types. */
export function autoscalerToV2(object: AutoscalingHorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { metadata, spec, status } = object;
  const annotations = metadata?.annotations ?? {};
  const { targetCPUUtilizationPercentage: target, ...restOfSpec } = spec ?? ({} as NonNullable<typeof spec>);
  const { currentCPUUtilizationPercentage: percent, ...restOfStatus } = status ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  const others = parseList(annotations[METRICS]);
  const cpu = target ?? (others.length === 0 ? DEFAULT_UTILIZATION : undefined);
  const used: readonly MetricStatus[] =
    percent === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percent } } }];
  const behavior = parse(annotations[BEHAVIOR]);
  const conditions = parseList(annotations[CONDITIONS]);
  const converted = {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, {}),
    spec: {
      ...restOfSpec,
      metrics: [...others, ...(cpu === undefined ? [] : [cpuMetric(cpu)])],
      ...(behavior === undefined ? {} : { behavior }),
    },
    status: {
      ...restOfStatus,
      currentMetrics: [...used, ...parseList(annotations[CURRENT_METRICS])],
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  };
  // Annotations may hold anything: it must have the types of the fields that it becomes.
  return validateStructure<HorizontalPodAutoscaler>('autoscaling/v2', KIND, converted, 'Ignore').object;
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function isCpuUtilization({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined;
}

function withAnnotations(metadata: ObjectMeta | undefined, own: Readonly<Record<string, string>>): ObjectMeta {
  const { annotations = {}, ...rest } = metadata ?? {};
  const kept = Object.entries(annotations).filter(([name]) => !OWN.includes(name));
  const all = { ...Object.fromEntries(kept), ...own };
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseList(text: string | undefined): readonly unknown[] {
  const value = parse(text);
  return Array.isArray(value) ? value : [];
}
