/** Validation of DaemonSets (upstream ValidateDaemonSet, ValidateDaemonSetUpdate). */
import { child, type FieldError, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { DaemonSet, DaemonSetSpec, DaemonSetStatus, IntOrString, PodTemplateSpec } from '../types.gen.ts';
import { validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.ts';
import { immutable, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateAlwaysRunning, validatePodTemplateSpec, validateWorkloadSelector } from './pod-template.ts';

const NO_SPEC = {} as DaemonSetSpec;
const NO_TEMPLATE: PodTemplateSpec = {};

export function validateDaemonSet(set: DaemonSet): FieldError[] {
  return [...validateObjectMeta(set.metadata, true, checkDns1123Subdomain), ...validateSpec(set.spec)];
}

export function validateDaemonSetUpdate(set: DaemonSet, old: DaemonSet): FieldError[] {
  return [
    ...validateObjectMetaUpdate(set.metadata, old.metadata),
    ...validateSpec(set.spec),
    ...immutable('spec.selector', set.spec?.selector, old.spec?.selector),
  ];
}

function validateSpec(spec: DaemonSetSpec = NO_SPEC): FieldError[] {
  const template = spec.template ?? NO_TEMPLATE;
  return [
    ...validateWorkloadSelector(spec.selector, template, 'spec', { empty: 'empty selector is invalid for daemonset' }),
    ...validatePodTemplateSpec(template, 'spec.template'),
    ...validateAlwaysRunning(template.spec, 'spec.template.spec', 'DaemonSet'),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...validateStrategy(spec),
  ];
}

function validateStrategy({ updateStrategy = {} }: DaemonSetSpec): FieldError[] {
  const { type = '', rollingUpdate } = updateStrategy;
  const path = 'spec.updateStrategy';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported(path, type, ['RollingUpdate', 'OnDelete'])];
  const field = child(path, 'rollingUpdate');
  if (rollingUpdate === undefined) return [required(field)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const errors = [
    ...validateShare(child(field, 'maxUnavailable'), maxUnavailable),
    ...validateShare(child(field, 'maxSurge'), maxSurge),
  ];
  // One of both moves the update on: a node is either without the old pod for a while, or has two.
  if (!isZero(maxUnavailable) && !isZero(maxSurge))
    errors.push(invalidValue(child(field, 'maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (isZero(maxUnavailable) && isZero(maxSurge))
    errors.push(required(child(field, 'maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  return errors;
}

function validateShare(field: string, value: IntOrString | undefined): FieldError[] {
  return [...validateIntOrPercent(field, value), ...validateAtMost100Percent(field, value)];
}

function isZero(value: IntOrString | undefined): boolean {
  return value === undefined || value === 0 || value === '0%';
}

/** The counts of a status, all written by the controller alone; conditions belong to others. */
export const DAEMON_SET_COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

export function validateDaemonSetStatus(set: DaemonSet, old: DaemonSet): FieldError[] {
  const status: Partial<DaemonSetStatus> = set.status ?? {};
  const errors = DAEMON_SET_COUNTS.flatMap((name) => notNegative(child('status', name), status[name]));
  if ((status.collisionCount ?? 0) < (old.status?.collisionCount ?? 0))
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  return [...validateObjectMetaUpdate(set.metadata, old.metadata), ...errors];
}
