/** Validates a healing policy that has the right structure: its field errors. */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  required,
  tooMany,
} from '../field-error.ts';
import { checkDns1123Label } from '../names.ts';
import { validateLabelSelector } from '../validation/affinity.ts';
import { checkValue, oneOf, requireOneOf } from '../validation/messages.ts';
import { durationMs, formatDurationMs } from './duration.ts';
import {
  MAX_BACK_OFF_FACTOR,
  MAX_BACK_OFF_MS,
  MAX_EMPTY_DIRS,
  MAX_GIVE_UP_MS,
  MAX_HEALING_RULES,
  MAX_HEALING_WINDOW_MS,
  MAX_POLICY_POD_RESTARTS,
  MAX_RULE_VALUES,
  MAX_RUNG_ATTEMPTS,
  MIN_BACK_OFF_MS,
  MIN_GIVE_UP_MS,
  MIN_HEALING_WINDOW_MS,
} from './limits.ts';
import {
  type BackOffCurve,
  HEALING_SCOPES,
  type HealingPolicySpec,
  type HealingRule,
  type HealingRung,
  VOLUME_TROUBLES,
  type VolumeTroubleReason,
} from './types.ts';

const DEFAULT_RUNG_SCOPES: readonly string[] = ['container', 'pod'];

/** All but that the object needs a selector. */
export function validateHealingPolicySpec(spec: HealingPolicySpec, path: string): FieldError[] {
  const scopes = spec.rungs === undefined ? DEFAULT_RUNG_SCOPES : spec.rungs.map((rung) => rung.scope ?? '');
  const rules = spec.rules ?? [];
  const at = child(path, 'rules');
  return [
    ...validateLabelSelector(spec.selector, child(path, 'selector')),
    ...validateRungs(spec.rungs, child(path, 'rungs')),
    ...inRange(child(path, 'maxPodRestarts'), spec.maxPodRestarts, 0, MAX_POLICY_POD_RESTARTS),
    ...window(child(path, 'resetAfter'), spec.resetAfter),
    ...validateCurve(spec.backOff, child(path, 'backOff')),
    ...validateCurve(spec.backOffAfterSuccess, child(path, 'backOffAfterSuccess')),
    ...(rules.length > MAX_HEALING_RULES ? [tooMany(at, rules.length, MAX_HEALING_RULES)] : []),
    ...rules.slice(0, MAX_HEALING_RULES).flatMap((rule, position) => validateRule(rule, scopes, index(at, position))),
    ...oneOf(child(path, 'lateRecovery'), spec.lateRecovery, ['Always', 'Never']),
    ...duration(child(path, 'volumes.giveUpAfter'), spec.volumes?.giveUpAfter, MIN_GIVE_UP_MS, MAX_GIVE_UP_MS),
    ...validateTroubles(spec.volumes?.restartPodOn, child(path, 'volumes.restartPodOn')),
  ];
}

function validateTroubles(reasons: readonly VolumeTroubleReason[] | undefined, path: string): FieldError[] {
  if (reasons === undefined) return [];
  if (reasons.length > VOLUME_TROUBLES.length) return [tooMany(path, reasons.length, VOLUME_TROUBLES.length)];
  return reasons.flatMap((reason, position) => [
    ...oneOf(index(path, position), reason, VOLUME_TROUBLES),
    ...(reasons.indexOf(reason) < position ? [duplicate(index(path, position), reason)] : []),
  ]);
}

function validateRungs(rungs: readonly HealingRung[] | undefined, path: string): FieldError[] {
  if (rungs === undefined) return [];
  if (rungs.length === 0) return [required(path, 'at least one rung; leave the field out for the default ladder')];
  if (rungs.length > HEALING_SCOPES.length) return [tooMany(path, rungs.length, HEALING_SCOPES.length)];
  return rungs.flatMap((rung, position) => [
    ...validateRung(rung, index(path, position)),
    ...validateOrder(rungs, position, child(index(path, position), 'scope')),
  ]);
}

function validateRung({ scope, attempts, window: span, emptyDirs }: HealingRung, path: string): FieldError[] {
  const errors = [
    ...requireOneOf(child(path, 'scope'), scope, HEALING_SCOPES),
    ...inRange(child(path, 'attempts'), attempts, 1, MAX_RUNG_ATTEMPTS),
    ...window(child(path, 'window'), span),
  ];
  return [...errors, ...validateEmptyDirs(emptyDirs, scope, child(path, 'emptyDirs'))];
}

function validateOrder(rungs: readonly HealingRung[], position: number, path: string): FieldError[] {
  const scope = rungs[position]?.scope;
  const before = rungs.slice(0, position).map((rung) => rung.scope);
  if (scope === undefined || !HEALING_SCOPES.includes(scope)) return [];
  if (before.includes(scope)) return [duplicate(path, scope)];
  const higher = before.some(
    (other) => other !== undefined && HEALING_SCOPES.indexOf(other) > HEALING_SCOPES.indexOf(scope),
  );
  return higher ? [invalidValue(path, scope, `rungs must be in the order ${HEALING_SCOPES.join(', ')}`)] : [];
}

/** Names of emptyDir volumes, or "*" alone; only where the whole pod is restarted. */
export function validateEmptyDirs(
  names: readonly string[] | undefined,
  scope: string | undefined,
  path: string,
): FieldError[] {
  if (names === undefined || names.length === 0) return [];
  if (scope !== 'pod') return [forbiddenField(path, 'only scope "pod" may empty volumes')];
  if (names.includes('*') && names.length > 1) return [invalidValue(path, names, '"*" means all, and stands alone')];
  if (names.length > MAX_EMPTY_DIRS) return [tooMany(path, names.length, MAX_EMPTY_DIRS)];
  return validateNames(names, path, (name) => (name === '*' ? [] : checkDns1123Label(name)));
}

function validateNames(
  names: readonly string[],
  path: string,
  check: (name: string) => readonly string[] = checkDns1123Label,
): FieldError[] {
  if (names.length > MAX_RULE_VALUES) return [tooMany(path, names.length, MAX_RULE_VALUES)];
  return names.flatMap((name, position) => [
    ...checkValue(index(path, position), name, check),
    ...(names.indexOf(name) < position ? [duplicate(index(path, position), name)] : []),
  ]);
}

function validateCurve(curve: BackOffCurve | undefined, path: string): FieldError[] {
  if (curve === undefined) return [];
  const initial = curve.initial === undefined ? undefined : durationMs(curve.initial);
  const cap = curve.cap === undefined ? undefined : durationMs(curve.cap);
  const crossed = initial !== undefined && cap !== undefined && cap < initial;
  return [
    ...duration(child(path, 'initial'), curve.initial, MIN_BACK_OFF_MS, MAX_BACK_OFF_MS),
    ...inRange(child(path, 'factor'), curve.factor, 1, MAX_BACK_OFF_FACTOR),
    ...duration(child(path, 'cap'), curve.cap, MIN_BACK_OFF_MS, MAX_BACK_OFF_MS),
    ...(crossed ? [invalidValue(child(path, 'cap'), curve.cap, 'must not be less than initial')] : []),
    ...window(child(path, 'resetAfter'), curve.resetAfter),
    ...inRange(child(path, 'jitter'), curve.jitter, 0, 1),
  ];
}

const ACTIONS: readonly string[] = ['BackOff', 'Escalate', 'Stop'];
const PROBES: readonly string[] = ['Liveness', 'Startup'];

function validateRule(rule: HealingRule, scopes: readonly string[], path: string): FieldError[] {
  const { containers, onExitCodes, onOutOfMemory, onProbeFailure } = rule;
  const unconditional = [containers, onExitCodes, onOutOfMemory, onProbeFailure].every((part) => part === undefined);
  const detail = 'at least one of containers, onExitCodes, onOutOfMemory and onProbeFailure';
  return [
    ...(unconditional ? [required(path, detail)] : []),
    ...(containers === undefined ? [] : notEmpty(containers, child(path, 'containers'))),
    ...validateNames(containers ?? [], child(path, 'containers')),
    ...validateExitCodes(onExitCodes, child(path, 'onExitCodes')),
    ...(onOutOfMemory === false
      ? [invalidValue(child(path, 'onOutOfMemory'), false, 'must be true, or left out')]
      : []),
    ...validateProbes(onProbeFailure, child(path, 'onProbeFailure')),
    ...validateAction(rule, scopes, path),
  ];
}

function validateProbes(probes: HealingRule['onProbeFailure'], path: string): FieldError[] {
  if (probes === undefined) return [];
  return [
    ...notEmpty(probes, path),
    ...probes.slice(0, MAX_RULE_VALUES).flatMap((probe, position) => oneOf(index(path, position), probe, PROBES)),
  ];
}

function validateExitCodes(codes: HealingRule['onExitCodes'], path: string): FieldError[] {
  if (codes === undefined) return [];
  const { operator, values = [] } = codes;
  const at = child(path, 'values');
  const errors = [...requireOneOf(child(path, 'operator'), operator, ['In', 'NotIn']), ...notEmpty(values, at)];
  return values.length > MAX_RULE_VALUES ? [...errors, tooMany(at, values.length, MAX_RULE_VALUES)] : errors;
}

function validateAction({ action = 'BackOff', rung, backOff }: HealingRule, scopes: readonly string[], path: string) {
  const errors = oneOf(child(path, 'action'), action, ACTIONS);
  if (rung !== undefined) {
    if (action === 'Escalate') errors.push(...oneOf(child(path, 'rung'), rung, scopes));
    else errors.push(forbiddenField(child(path, 'rung'), 'only with action "Escalate"'));
  }
  if (backOff !== undefined && action !== 'BackOff')
    errors.push(forbiddenField(child(path, 'backOff'), 'only with action "BackOff"'));
  return [...errors, ...validateCurve(backOff, child(path, 'backOff'))];
}

function notEmpty(values: readonly unknown[], path: string): FieldError[] {
  return values.length === 0 ? [required(path, 'at least one value')] : [];
}

function window(path: string, text: string | undefined): FieldError[] {
  return duration(path, text, MIN_HEALING_WINDOW_MS, MAX_HEALING_WINDOW_MS);
}

function duration(path: string, text: string | undefined, min: number, max: number): FieldError[] {
  if (text === undefined) return [];
  const ms = durationMs(text);
  const fits = ms !== undefined && ms >= min && ms <= max;
  return fits
    ? []
    : [invalidValue(path, text, `must be between ${formatDurationMs(min)} and ${formatDurationMs(max)}`)];
}

/** Numbers, whole or not; NaN is none. */
function inRange(path: string, value: number | undefined, min: number, max: number): FieldError[] {
  if (value === undefined || (value >= min && value <= max)) return [];
  return [invalidValue(path, value, `must be between ${min} and ${max}`)];
}
