/** Validation of HorizontalPodAutoscalers in both versions (upstream `ValidateHorizontalPodAutoscaler` and its siblings). */
import { child, type FieldError, forbiddenField, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain, checkPathSegment } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import { parseApiVersion } from '../resource.ts';
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../types.gen.ts';
import { notNegative, requireValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;
const SELECT_POLICIES: readonly string[] = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES: readonly string[] = ['Percent', 'Pods'];
const TARGET_TYPES: readonly string[] = ['Utilization', 'Value', 'AverageValue'];

/** The field that holds a metric of each type, as upstream sorts the types. */
const SOURCES: readonly (readonly [type: string, field: Exclude<keyof MetricSpec, 'type'>])[] = [
  ['ContainerResource', 'containerResource'],
  ['External', 'external'],
  ['Object', 'object'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
];
const METRIC_TYPES = SOURCES.map(([type]) => type);

export function validateHorizontalPodAutoscaler(scaler: HorizontalPodAutoscaler): FieldError[] {
  return [...validateObjectMeta(scaler.metadata, true, checkDns1123Subdomain), ...validateSpec(scaler.spec, 1)];
}

export function validateHorizontalPodAutoscalerUpdate(
  scaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
): FieldError[] {
  const least = old.spec?.minReplicas === 0 ? 0 : 1;
  return [...validateObjectMetaUpdate(scaler.metadata, old.metadata), ...validateSpec(scaler.spec, least)];
}

export function validateHorizontalPodAutoscalerStatus(
  scaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(scaler.metadata, old.metadata),
    ...notNegative('status.currentReplicas', scaler.status?.currentReplicas),
    ...notNegative('status.desiredReplicas', scaler.status?.desiredReplicas),
  ];
}

/** `least`: the smallest minReplicas. */
function validateSpec(spec: Partial<HorizontalPodAutoscalerSpec> = {}, least: number): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < least)
    errors.push(invalidValue('spec.minReplicas', minReplicas, `must be greater than or equal to ${least}`));
  if (maxReplicas === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (maxReplicas < 1) errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  errors.push(...validateReference(scaleTargetRef, 'spec.scaleTargetRef'), ...validateGroup(scaleTargetRef));
  metrics.forEach((metric, position) => errors.push(...validateMetric(metric, index('spec.metrics', position))));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbiddenField('spec.metrics', text));
  }
  return [
    ...errors,
    ...validateRules(behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...validateRules(behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

function validateReference(reference: Partial<CrossVersionObjectReference> = {}, path: string): FieldError[] {
  const { kind, name, apiVersion = '' } = reference;
  const errors = [
    ...requireValue(child(path, 'kind'), kind, checkPathSegment),
    ...requireValue(child(path, 'name'), name, checkPathSegment),
  ];
  if (apiVersion.split('/').length <= 2) return errors;
  const text = `unexpected GroupVersion string: ${apiVersion}`;
  return [...errors, invalidValue(child(path, 'apiVersion'), apiVersion, text)];
}

/** What is scaled is found by its group; kinds of the core group have none to name. */
function validateGroup({ kind = '', apiVersion = '' }: Partial<CrossVersionObjectReference> = {}): FieldError[] {
  if (kind === '' || parseApiVersion(apiVersion).group !== '' || apiVersion === 'v1') return [];
  return [invalidValue('spec.scaleTargetRef.apiVersion', apiVersion, 'apiVersion must specify API group')];
}

function validateRules(rules: HPAScalingRules | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  const errors: FieldError[] = [];
  const at = child(path, 'stabilizationWindowSeconds');
  if (window !== undefined && window < 0)
    errors.push(invalidValue(at, window, 'must be greater than or equal to zero'));
  if (window !== undefined && window > MAX_WINDOW_SECONDS)
    errors.push(invalidValue(at, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy))
    errors.push(notSupported(child(path, 'selectPolicy'), selectPolicy, SELECT_POLICIES));
  const list = child(path, 'policies');
  if (policies.length === 0) errors.push(required(list, 'must specify at least one Policy'));
  policies.forEach((policy, position) => errors.push(...validatePolicy(policy, index(list, position))));
  if (tolerance !== undefined && parseQuantity(tolerance).nano < 0n)
    errors.push(invalidValue(child(path, 'tolerance'), tolerance, 'must be greater or equal to 0'));
  return errors;
}

function validatePolicy(policy: Partial<HPAScalingPolicy>, path: string): FieldError[] {
  const { type = '', value = 0, periodSeconds = 0 } = policy;
  const errors: FieldError[] = [];
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(child(path, 'type'), type, POLICY_TYPES));
  if (value <= 0) errors.push(invalidValue(child(path, 'value'), value, 'must be greater than zero'));
  const at = child(path, 'periodSeconds');
  if (periodSeconds <= 0) errors.push(invalidValue(at, periodSeconds, 'must be greater than zero'));
  if (periodSeconds > MAX_PERIOD_SECONDS)
    errors.push(invalidValue(at, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  return errors;
}

function validateMetric(metric: Partial<MetricSpec>, path: string): FieldError[] {
  const { type = '' } = metric;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(child(path, 'type'), 'must specify a metric source type'));
  if (!METRIC_TYPES.includes(type)) errors.push(notSupported(child(path, 'type'), type, METRIC_TYPES));
  const present = SOURCES.map(([, field]) => field).filter((field) => metric[field] !== undefined);
  const [first] = present;
  if (first !== undefined) errors.push(...validateSource(metric, first, child(path, first)));
  const expected = SOURCES.find(([name]) => name === type)?.[1];
  if (expected !== undefined && metric[expected] === undefined)
    errors.push(required(child(path, expected), 'must populate information for the given metric source'));
  if (present.length === 1) return errors;
  const others = present.filter((field) => field !== expected);
  return [
    ...errors,
    ...others.map((field) => forbiddenField(child(path, field), 'must populate the given metric source only')),
  ];
}

function validateSource(metric: Partial<MetricSpec>, field: (typeof SOURCES)[number][1], path: string): FieldError[] {
  const { object, external, pods, resource, containerResource } = metric;
  if (field === 'object' && object !== undefined) return validateObjectSource(object, path);
  if (field === 'external' && external !== undefined) return validateExternalSource(external, path);
  if (field === 'pods' && pods !== undefined) return validatePodsSource(pods, path);
  return validateResourceSource(containerResource ?? resource ?? {}, path, field === 'containerResource');
}

function validateObjectSource(source: Partial<ObjectMetricSource>, path: string): FieldError[] {
  const { describedObject, metric, target } = source;
  const errors = [
    ...validateReference(describedObject, child(path, 'describedObject')),
    ...validateIdentifier(metric, child(path, 'metric')),
    ...validateTarget(target, child(path, 'target')),
  ];
  if (target?.value === undefined && target?.averageValue === undefined)
    errors.push(required(child(path, 'target.averageValue'), 'must set either a target value or averageValue'));
  return errors;
}

function validateExternalSource({ metric, target }: Partial<ExternalMetricSource>, path: string): FieldError[] {
  const errors = [
    ...validateIdentifier(metric, child(path, 'metric')),
    ...validateTarget(target, child(path, 'target')),
  ];
  const both = 'a target value for metric and a per-pod target';
  if (target?.value === undefined && target?.averageValue === undefined)
    errors.push(
      required(child(path, 'target.averageValue'), 'must set either a target value for metric or a per-pod target'),
    );
  if (target?.value !== undefined && target.averageValue !== undefined)
    errors.push(forbiddenField(child(path, 'target.value'), `may not set both ${both}`));
  return errors;
}

function validatePodsSource({ metric, target }: Partial<PodsMetricSource>, path: string): FieldError[] {
  const errors = [
    ...validateIdentifier(metric, child(path, 'metric')),
    ...validateTarget(target, child(path, 'target')),
  ];
  if (target?.averageValue === undefined || parseQuantity(target.averageValue).nano <= 0n)
    errors.push(required(child(path, 'target.averageValue'), 'must specify a positive target averageValue'));
  return errors;
}

function validateResourceSource(
  source: Partial<ContainerResourceMetricSource | ResourceMetricSource>,
  path: string,
  ofContainer: boolean,
): FieldError[] {
  const { name, target } = source;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(child(path, 'name'), 'must specify a resource name'));
  if (ofContainer && !(source as Partial<ContainerResourceMetricSource>).container)
    errors.push(required(child(path, 'container'), 'must specify a container'));
  errors.push(...validateTarget(target, child(path, 'target')));
  const text = 'a target raw value or a target utilization';
  if (target?.averageUtilization === undefined && target?.averageValue === undefined)
    errors.push(required(child(path, 'target.averageUtilization'), `must set either ${text}`));
  if (target?.averageUtilization !== undefined && target.averageValue !== undefined) {
    const both = 'may not set both a target raw value and a target utilization';
    errors.push(forbiddenField(child(path, 'target.averageValue'), both));
  }
  return errors;
}

function validateTarget(target: Partial<MetricTarget> = {}, path: string): FieldError[] {
  const { type = '', value, averageValue, averageUtilization } = target;
  const errors: FieldError[] = [];
  const at = child(path, 'type');
  if (type === '') errors.push(required(at, 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type))
    errors.push(invalidValue(at, type, 'must be either Utilization, Value, or AverageValue'));
  if (value !== undefined && parseQuantity(value).nano <= 0n)
    errors.push(invalidValue(child(path, 'value'), value, 'must be positive'));
  if (averageValue !== undefined && parseQuantity(averageValue).nano <= 0n)
    errors.push(invalidValue(child(path, 'averageValue'), averageValue, 'must be positive'));
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalidValue(child(path, 'averageUtilization'), averageUtilization, 'must be greater than 0'));
  return errors;
}

function validateIdentifier({ name }: Partial<MetricIdentifier> = {}, path: string): FieldError[] {
  const at = child(path, 'name');
  if (!name) return [required(at, 'must specify a metric name')];
  return checkPathSegment(name).map((text) => invalidValue(at, name, text));
}
