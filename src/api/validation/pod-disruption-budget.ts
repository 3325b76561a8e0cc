/** Validation of disruption budgets (upstream `ValidatePodDisruptionBudget`). */
import { type FieldError, invalidValue, notSupported } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.ts';
import { notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const POLICIES: readonly string[] = ['AlwaysAllow', 'IfHealthyBudget'];

export function validatePodDisruptionBudget(budget: PodDisruptionBudget): FieldError[] {
  return [...validateObjectMeta(budget.metadata, true, checkDns1123Subdomain), ...validateSpec(budget.spec)];
}

export function validatePodDisruptionBudgetUpdate(budget: PodDisruptionBudget, old: PodDisruptionBudget): FieldError[] {
  return [...validateObjectMetaUpdate(budget.metadata, old.metadata), ...validateSpec(budget.spec)];
}

export function validatePodDisruptionBudgetStatus(budget: PodDisruptionBudget, old: PodDisruptionBudget): FieldError[] {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = budget.status ?? {};
  return [
    ...validateObjectMetaUpdate(budget.metadata, old.metadata),
    ...notNegative('status.disruptionsAllowed', disruptionsAllowed),
    ...notNegative('status.currentHealthy', currentHealthy),
    ...notNegative('status.desiredHealthy', desiredHealthy),
    ...notNegative('status.expectedPods', expectedPods),
  ];
}

function validateSpec(spec: PodDisruptionBudgetSpec = {}): FieldError[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    errors.push(...validateIntOrPercent(`spec.${field}`, value), ...validateAtMost100Percent(`spec.${field}`, value));
  }
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector'));
  if (policy !== undefined && !POLICIES.includes(policy))
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, POLICIES));
  return errors;
}
