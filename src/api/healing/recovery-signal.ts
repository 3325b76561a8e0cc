/** The annotation that tells a pod's agent that something the pod waits for may be well again: its reader and its writer. */
import { MAX_RECOVERY_CAUSE_LENGTH, MAX_RECOVERY_ID_LENGTH } from './limits.ts';
import type { RecoverySignal } from './types.ts';

export type RecoverySignalReading =
  | { readonly ok: true; readonly signal: RecoverySignal }
  | { readonly ok: false; readonly problem: string };

const LIMITS: Readonly<Record<keyof RecoverySignal, number>> = {
  id: MAX_RECOVERY_ID_LENGTH,
  at: 64,
  cause: MAX_RECOVERY_CAUSE_LENGTH,
};

/** The value of `mendlet.dev/recovery`, or what is wrong with it. Fields that are not known are left alone. */
export function readRecoverySignal(text: string): RecoverySignalReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'is no JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: 'must be an object' };
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, limit] of Object.entries(LIMITS)) {
    const field = fields[name];
    if (typeof field !== 'string' || field === '') return { ok: false, problem: `${name}: Required value` };
    if (field.length > limit)
      return { ok: false, problem: `${name}: Too long: may not be more than ${limit} characters` };
  }
  const { id, at, cause } = fields as unknown as RecoverySignal;
  if (Number.isNaN(Date.parse(at))) return { ok: false, problem: 'at: must be a time as of RFC 3339' };
  return { ok: true, signal: { id, at, cause } };
}

export function formatRecoverySignal({ id, at, cause }: RecoverySignal): string {
  return JSON.stringify({
    id: id.slice(0, MAX_RECOVERY_ID_LENGTH),
    at,
    cause: cause.slice(0, MAX_RECOVERY_CAUSE_LENGTH),
  });
}
