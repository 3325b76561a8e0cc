/** Validation of deployments (upstream `ValidateDeployment` and its siblings). */
import { child, type FieldError, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import { percentOf } from '../int-or-percent.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  IntOrString,
  PodTemplateSpec,
  RollingUpdateDeployment,
} from '../types.gen.ts';
import { validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.ts';
import { immutable, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateWorkloadSelector } from './pod-template.ts';
import { validateReplicatedTemplate } from './replicated.ts';

const NO_TEMPLATE: PodTemplateSpec = {};

export function validateDeployment(deployment: Deployment): FieldError[] {
  return [
    ...validateObjectMeta(deployment.metadata, true, checkDns1123Subdomain),
    ...validateDeploymentSpec(deployment.spec),
  ];
}

export function validateDeploymentUpdate(deployment: Deployment, old: Deployment): FieldError[] {
  return [
    ...validateObjectMetaUpdate(deployment.metadata, old.metadata),
    ...validateDeploymentSpec(deployment.spec),
    ...immutable('spec.selector', deployment.spec?.selector, old.spec?.selector),
  ];
}

function validateDeploymentSpec(spec: Partial<DeploymentSpec> = {}): FieldError[] {
  const { template = NO_TEMPLATE, minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const errors = [
    ...notNegative('spec.replicas', spec.replicas),
    ...validateWorkloadSelector(spec.selector, template, 'spec', { empty: 'empty selector is invalid for deployment' }),
    // The word is upstream's, for what a deployment makes.
    ...validateReplicatedTemplate(template, 'ReplicaSet'),
    ...validateStrategy(spec.strategy ?? {}, 'spec.strategy'),
    ...notNegative('spec.minReadySeconds', minReadySeconds),
    ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...notNegative('spec.progressDeadlineSeconds', progressDeadlineSeconds),
  ];
  if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds)
    errors.push(
      invalidValue('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds'),
    );
  return errors;
}

function validateStrategy({ type = '', rollingUpdate }: DeploymentStrategy, path: string): FieldError[] {
  const field = child(path, 'rollingUpdate');
  switch (type) {
    case 'Recreate':
      return rollingUpdate === undefined
        ? []
        : [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [required(field, 'this should be defaulted and never be nil')]
        : validateRollingUpdate(rollingUpdate, field);
    default:
      return [notSupported(child(path, 'type'), type, ['Recreate', 'RollingUpdate'])];
  }
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDeployment, path: string): FieldError[] {
  const field = child(path, 'maxUnavailable');
  const errors = [
    ...validateIntOrPercent(field, maxUnavailable),
    ...validateIntOrPercent(child(path, 'maxSurge'), maxSurge),
  ];
  if (isNothing(maxUnavailable) && isNothing(maxSurge))
    errors.push(invalidValue(field, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0'));
  return [...errors, ...validateAtMost100Percent(field, maxUnavailable)];
}

function isNothing(value: IntOrString | undefined): boolean {
  return typeof value === 'number' ? value === 0 : (percentOf(value) ?? 0) === 0;
}

const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
] as const;

export function validateDeploymentStatus(deployment: Deployment, old: Deployment): FieldError[] {
  const { status = {} } = deployment;
  const errors = validateObjectMetaUpdate(deployment.metadata, old.metadata);
  for (const name of COUNTS) errors.push(...notNegative(child('status', name), status[name]));
  errors.push(...validateOrder(status));
  const { collisionCount = 0 } = status;
  if (collisionCount < (old.status?.collisionCount ?? 0))
    errors.push(invalidValue('status.collisionCount', collisionCount, 'cannot be decremented'));
  return errors;
}

function validateOrder(status: DeploymentStatus): FieldError[] {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors: FieldError[] = [];
  for (const name of ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    if ((status[name] ?? 0) > replicas)
      errors.push(invalidValue(child('status', name), status[name], 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas)
    errors.push(invalidValue('status.availableReplicas', availableReplicas, 'cannot be greater than readyReplicas'));
  return errors;
}
