/** Validation of a container's own restart policy and rules (KEP-753 sidecars, KEP-5307 restart rules). */
import { child, type FieldError, index, required, tooMany } from '../field-error.ts';
import type { Container, ContainerRestartRule } from '../types.gen.ts';
import { oneOf, requireOneOf } from './messages.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

export function validateRestartRules(container: Container, path: string): FieldError[] {
  const errors = oneOf(child(path, 'restartPolicy'), container.restartPolicy, ['Always', 'Never', 'OnFailure']);
  const rules = container.restartPolicyRules ?? [];
  if (rules.length === 0) return errors;
  const at = child(path, 'restartPolicyRules');
  if (container.restartPolicy === undefined) {
    errors.push(required(child(path, 'restartPolicy'), 'must specify restartPolicy when restart rules are used'));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(at, rules.length, MAX_RULES));
  return [...errors, ...rules.flatMap((rule, position) => validateRule(rule, index(at, position)))];
}

function validateRule(rule: ContainerRestartRule, path: string): FieldError[] {
  const errors = requireOneOf(child(path, 'action'), rule.action, ['Restart', 'RestartAllContainers']);
  if (rule.exitCodes === undefined) return [...errors, required(child(path, 'exitCodes'), 'must be specified')];
  const at = child(path, 'exitCodes');
  const values = rule.exitCodes.values ?? [];
  errors.push(...requireOneOf(child(at, 'operator'), rule.exitCodes.operator, ['In', 'NotIn']));
  if (values.length > MAX_EXIT_CODES) errors.push(tooMany(child(at, 'values'), values.length, MAX_EXIT_CODES));
  return errors;
}
