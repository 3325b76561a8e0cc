/** Validation of replica sets and replication controllers (upstream `ValidateReplicaSet`, `ValidateReplicationController`). */
import { child, type FieldError, invalidValue, required } from '../field-error.ts';
import { matchesLabels } from '../label-selector.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type {
  PodTemplateSpec,
  ReplicaSet,
  ReplicaSetSpec,
  ReplicationController,
  ReplicationControllerSpec,
} from '../types.gen.ts';
import { immutable, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateAlwaysRunning, validatePodTemplateSpec, validateWorkloadSelector } from './pod-template.ts';

const NO_TEMPLATE: PodTemplateSpec = {};

export function validateReplicaSet(set: ReplicaSet): FieldError[] {
  return [...validateObjectMeta(set.metadata, true, checkDns1123Subdomain), ...validateReplicaSetSpec(set.spec)];
}

export function validateReplicaSetUpdate(set: ReplicaSet, old: ReplicaSet): FieldError[] {
  return [
    ...validateObjectMetaUpdate(set.metadata, old.metadata),
    ...validateReplicaSetSpec(set.spec),
    ...immutable('spec.selector', set.spec?.selector, old.spec?.selector),
  ];
}

function validateReplicaSetSpec(spec: Partial<ReplicaSetSpec> = {}): FieldError[] {
  const { template = NO_TEMPLATE } = spec;
  return [
    ...notNegative('spec.replicas', spec.replicas),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...validateWorkloadSelector(spec.selector, template, 'spec', {
      // The word is upstream's, of replica sets too.
      empty: 'empty selector is invalid for deployment',
    }),
    ...validateReplicatedTemplate(template, 'ReplicaSet'),
  ];
}

/** The template of pods that are replaced whenever they end. */
export function validateReplicatedTemplate(template: PodTemplateSpec, kind: string): FieldError[] {
  return [
    ...validatePodTemplateSpec(template, 'spec.template'),
    ...validateAlwaysRunning(template.spec, 'spec.template.spec', kind),
  ];
}

export function validateReplicationController(controller: ReplicationController): FieldError[] {
  return [
    ...validateObjectMeta(controller.metadata, true, checkDns1123Subdomain),
    ...validateControllerSpec(controller.spec),
  ];
}

export function validateReplicationControllerUpdate(
  controller: ReplicationController,
  old: ReplicationController,
): FieldError[] {
  return [...validateObjectMetaUpdate(controller.metadata, old.metadata), ...validateControllerSpec(controller.spec)];
}

function validateControllerSpec(spec: ReplicationControllerSpec = {}): FieldError[] {
  const { replicas, minReadySeconds, selector = {}, template } = spec;
  const errors = notNegative('spec.minReadySeconds', minReadySeconds);
  const wanted = Object.entries(selector);
  if (wanted.length === 0) errors.push(required('spec.selector'));
  errors.push(...notNegative('spec.replicas', replicas));
  if (template === undefined) return [...errors, required('spec.template')];
  const labels = template.metadata?.labels;
  const parsed = wanted.map(([key, value]) => ({ key, operator: 'in' as const, values: [value] }));
  if (!matchesLabels(parsed, labels)) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? {}, text));
  }
  return [...errors, ...validateReplicatedTemplate(template, 'ReplicationController')];
}

/** A write to the status of either kind. */
export function validateReplicatedStatus(
  object: ReplicaSet | ReplicationController,
  old: ReplicaSet | ReplicationController,
): FieldError[] {
  const status: Readonly<Partial<Record<CountName, number>>> = object.status ?? {};
  return [...validateObjectMetaUpdate(object.metadata, old.metadata), ...validateCounts(status)];
}

type CountName = (typeof COUNTS)[number];
const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'terminatingReplicas',
  'observedGeneration',
] as const;

function validateCounts(status: Readonly<Partial<Record<CountName, number>>>): FieldError[] {
  const errors = COUNTS.flatMap((name) => notNegative(child('status', name), status[name]));
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    if ((status[name] ?? 0) > replicas)
      errors.push(invalidValue(child('status', name), status[name], 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas)
    errors.push(
      invalidValue('status.availableReplicas', availableReplicas, 'cannot be greater than status.readyReplicas'),
    );
  return errors;
}
