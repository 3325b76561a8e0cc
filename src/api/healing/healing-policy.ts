/**
 * A healing policy as people write it, checked, and in the form that an agent works with: all defaults filled, all durations
 * in milliseconds. One reader for the object's spec and for the annotation.
 */
import { type FieldError, tooLong } from '../field-error.ts';
import { byteLength } from '../validation/messages.ts';
import { durationMs } from './duration.ts';
import { MAX_POLICY_BYTES } from './limits.ts';
import { readFields } from './read-fields.ts';
import type {
  BackOffCurve,
  HealingPolicySpec,
  HealingRule,
  HealingRung,
  HealingScope,
  VolumeTroubleReason,
} from './types.ts';
import { validateHealingPolicySpec } from './validate-policy.ts';

export interface ResolvedHealingPolicy {
  /** At least one, in the order of `HEALING_SCOPES`. */
  readonly rungs: readonly ResolvedRung[];
  /** Whole-pod restarts by the ladder in the pod's life; absent: no such bound. */
  readonly maxPodRestarts?: number;
  readonly resetAfterMs: number;
  /** Absent: Kubernetes' curve, as the node has it set. */
  readonly backOff?: ResolvedCurve;
  /** After exit code 0. Absent: as after a failure. */
  readonly backOffAfterSuccess?: ResolvedCurve;
  readonly rules: readonly ResolvedRule[];
  /** Whether back-offs end early when their cause may be gone. */
  readonly lateRecovery: boolean;
  /** The whole pod is restarted when a volume of it has this problem; absent: for none. */
  readonly restartPodOn?: readonly VolumeTroubleReason[];
}

export interface ResolvedRung {
  readonly scope: HealingScope;
  readonly attempts: number;
  /** Absent: the whole episode counts. */
  readonly windowMs?: number;
  /** With scope pod; "*": all. */
  readonly emptyDirs: readonly string[];
}

export interface ResolvedCurve {
  /** Before the second restart; the first is free. At least `MIN_BACK_OFF_MS`, at most `capMs`. */
  readonly initialMs: number;
  /** 1 to 10. */
  readonly factor: number;
  readonly capMs: number;
  readonly resetAfterMs: number;
  /** 0 to 1: at most this share of the delay is added to it. */
  readonly jitter: number;
}

/** All that it names must fit a death. */
export interface ResolvedRule {
  /** Absent: any. */
  readonly containers?: readonly string[];
  readonly onExitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values: readonly number[] };
  readonly onOutOfMemory: boolean;
  /** Absent: whether or not a probe led to the kill. */
  readonly onProbeFailure?: readonly ('Liveness' | 'Startup')[];
  readonly action: 'BackOff' | 'Escalate' | 'Stop';
  /** With Escalate: one of the policy's rungs; absent: the next. */
  readonly rung?: HealingScope;
  /** With BackOff; absent: the policy's. */
  readonly backOff?: ResolvedCurve;
}

export type HealingPolicyReading =
  | { readonly ok: true; readonly policy: ResolvedHealingPolicy }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Default attempts of a rung. */
export const DEFAULT_RUNG_ATTEMPTS = 3;
const DEFAULT_RESET = '10m';
const DEFAULT_CURVE = { initialMs: 10_000, factor: 2, capMs: 300_000 };
export const DEFAULT_RUNGS: readonly HealingRung[] = [
  { scope: 'container', attempts: DEFAULT_RUNG_ATTEMPTS, window: '10m' },
  { scope: 'pod', attempts: DEFAULT_RUNG_ATTEMPTS, window: '1h' },
];

/**
 * A `HealingPolicySpec` as a plain value: structure, meaning, defaults. `selector`, `priority` and `volumes.giveUpAfter` are checked,
 * and no part of the answer: in an annotation they say nothing.
 * @param path of the value, for the errors: "spec", or '' for an annotation
 */
export function readHealingPolicy(value: unknown, path = ''): HealingPolicyReading {
  const read = readFields('mendlet.v1alpha1.HealingPolicySpec', value, path);
  if (read.errors.length > 0) return { ok: false, errors: read.errors };
  const spec = read.value as HealingPolicySpec;
  const errors = validateHealingPolicySpec(spec, path);
  // As an annotation it must fit beside others.
  if (byteLength(formatHealingPolicy(spec)) > MAX_POLICY_BYTES) errors.push(tooLong(path, MAX_POLICY_BYTES));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, policy: resolve(spec) };
}

/** The text of an annotation that says what this spec does. */
export function formatHealingPolicy(spec: HealingPolicySpec): string {
  // Agents of an earlier version refuse fields that they do not know.
  const { selector: _selector, priority: _priority, volumes, ...rest } = spec;
  const { restartPodOn = [] } = volumes ?? {};
  return JSON.stringify({ ...rest, ...(restartPodOn.length > 0 && { volumes: { restartPodOn } }) });
}

function resolve(spec: HealingPolicySpec): ResolvedHealingPolicy {
  const { maxPodRestarts, backOff, backOffAfterSuccess, volumes } = spec;
  const { restartPodOn = [] } = volumes ?? {};
  return {
    rungs: (spec.rungs ?? DEFAULT_RUNGS).map(resolveRung),
    ...(maxPodRestarts === undefined ? {} : { maxPodRestarts }),
    resetAfterMs: ms(spec.resetAfter, DEFAULT_RESET),
    ...(backOff === undefined ? {} : { backOff: resolveCurve(backOff) }),
    ...(backOffAfterSuccess === undefined ? {} : { backOffAfterSuccess: resolveCurve(backOffAfterSuccess) }),
    rules: (spec.rules ?? []).map(resolveRule),
    lateRecovery: spec.lateRecovery !== 'Never',
    ...(restartPodOn.length > 0 && { restartPodOn }),
  };
}

function resolveRung({ scope = 'container', attempts = DEFAULT_RUNG_ATTEMPTS, window, emptyDirs = [] }: HealingRung) {
  return { scope, attempts, ...(window === undefined ? {} : { windowMs: ms(window) }), emptyDirs };
}

/** One half of the curve bends to what was said of the other. */
function resolveCurve({
  initial,
  factor = DEFAULT_CURVE.factor,
  cap,
  resetAfter,
  jitter = 0,
}: BackOffCurve): ResolvedCurve {
  const initialMs = initial === undefined ? DEFAULT_CURVE.initialMs : ms(initial);
  const capMs = cap === undefined ? Math.max(DEFAULT_CURVE.capMs, initialMs) : ms(cap);
  return { initialMs: Math.min(initialMs, capMs), factor, capMs, resetAfterMs: ms(resetAfter, DEFAULT_RESET), jitter };
}

function resolveRule({ containers, onExitCodes, onProbeFailure, rung, backOff, ...rule }: HealingRule): ResolvedRule {
  const { operator = 'In', values = [] } = onExitCodes ?? {};
  return {
    ...(containers === undefined ? {} : { containers }),
    ...(onExitCodes === undefined ? {} : { onExitCodes: { operator, values } }),
    onOutOfMemory: rule.onOutOfMemory === true,
    ...(onProbeFailure === undefined ? {} : { onProbeFailure }),
    action: rule.action ?? 'BackOff',
    ...(rung === undefined ? {} : { rung }),
    ...(backOff === undefined ? {} : { backOff: resolveCurve(backOff) }),
  };
}

/** For values that have been validated. */
function ms(text: string | undefined, otherwise = '0s'): number {
  return durationMs(text ?? otherwise) ?? 0;
}
