/** Validation of the policies in a job: which failures count, and which successes suffice. */
import {
  child,
  duplicate,
  type FieldError,
  index,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../field-error.ts';
import { checkJobIndexes } from '../job-indexes.ts';
import { checkLabelKey } from '../names.ts';
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyRule,
  SuccessPolicy,
  SuccessPolicyRule,
} from '../types.gen.ts';
import { checkValue, notNegative } from './messages.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const MAX_INDEXES_LENGTH = 64 * 1024;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

export function validatePodFailurePolicy(spec: JobSpec, policy: PodFailurePolicy, path: string): FieldError[] {
  const rules = policy.rules ?? [];
  const field = child(path, 'rules');
  const errors = rules.length > MAX_RULES ? [tooMany(field, rules.length, MAX_RULES)] : [];
  return [...errors, ...rules.flatMap((rule, position) => validateFailureRule(spec, rule, index(field, position)))];
}

function validateFailureRule(spec: JobSpec, rule: PodFailurePolicyRule, path: string): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const errors = oneOfThese(child(path, 'action'), action, ACTIONS);
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    errors.push(invalidValue(child(path, 'action'), action, 'requires the backoffLimitPerIndex to be set'));
  if (onExitCodes !== undefined) errors.push(...validateExitCodes(spec, onExitCodes, child(path, 'onExitCodes')));
  const field = child(path, 'onPodConditions');
  if (onPodConditions.length > MAX_CONDITIONS) errors.push(tooMany(field, onPodConditions.length, MAX_CONDITIONS));
  onPodConditions.forEach((pattern, position) => {
    const at = index(field, position);
    errors.push(...checkValue(child(at, 'type'), pattern.type ?? '', checkLabelKey));
    errors.push(...oneOfThese(child(at, 'status'), pattern.status, STATUSES));
  });
  if (onExitCodes !== undefined && onPodConditions.length > 0)
    errors.push(without(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (onExitCodes === undefined && onPodConditions.length === 0)
    errors.push(without(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

function validateExitCodes(
  { template }: JobSpec,
  requirement: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  path: string,
): FieldError[] {
  const { containerName, operator } = requirement;
  const values = requirement.values ?? [];
  const errors = oneOfThese(child(path, 'operator'), operator, OPERATORS);
  const { containers, initContainers } = template.spec ?? {};
  if (
    containerName !== undefined &&
    ![...(containers ?? []), ...(initContainers ?? [])].some(({ name }) => name === containerName)
  ) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(child(path, 'containerName'), containerName, text));
  }
  const field = child(path, 'values');
  if (values.length === 0) errors.push(invalidValue(field, values, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(field, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  values.forEach((value, position) => {
    const at = index(field, position);
    if (operator === 'In' && value === 0) errors.push(invalidValue(at, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(at, value));
    seen.add(value);
  });
  const isOrdered = values.every((value, position) => position === 0 || (values[position - 1] ?? 0) <= value);
  if (!isOrdered) errors.push(invalidValue(field, values, 'must be ordered'));
  return errors;
}

export function validateSuccessPolicy(spec: JobSpec, policy: SuccessPolicy, path: string): FieldError[] {
  const rules = policy.rules ?? [];
  const field = child(path, 'rules');
  const errors: FieldError[] = [];
  if (rules.length === 0)
    errors.push(required(field, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > MAX_RULES) errors.push(tooMany(field, rules.length, MAX_RULES));
  const { completions = 0 } = spec;
  return [
    ...errors,
    ...rules.flatMap((rule, position) => validateSuccessRule(completions, rule, index(field, position))),
  ];
}

function validateSuccessRule(
  completions: number,
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  path: string,
): FieldError[] {
  if (succeededCount === undefined && succeededIndexes === undefined)
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  const errors: FieldError[] = [];
  const indexesPath = child(path, 'succeededIndexes');
  let total = 0;
  if (succeededIndexes !== undefined) {
    if (succeededIndexes.length > MAX_INDEXES_LENGTH) return [tooLong(indexesPath, MAX_INDEXES_LENGTH)];
    const checked = checkJobIndexes(succeededIndexes, completions);
    if (typeof checked === 'number') total = checked;
    else errors.push(invalidValue(indexesPath, succeededIndexes, `error parsing succeededIndexes: ${checked}`));
  }
  if (succeededCount === undefined) return errors;
  const countPath = child(path, 'succeededCount');
  errors.push(...notNegative(countPath, succeededCount));
  const most = (limit: number, what: string): FieldError =>
    invalidValue(countPath, succeededCount, `must be less than or equal to ${limit} (${what})`);
  if (succeededCount > completions) errors.push(most(completions, 'the number of specified completions'));
  if (succeededIndexes !== undefined && succeededCount > total)
    errors.push(most(total, 'the number of indexes in the specified succeededIndexes field'));
  return errors;
}

function oneOfThese(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  if (value === undefined || value === '')
    return [required(field, `valid values: [${supported.map((each) => JSON.stringify(each)).join(' ')}]`)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

/** An error of a whole value, which is not quoted. */
function without(field: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: `Invalid value: ${detail}` };
}
