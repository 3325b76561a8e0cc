/** When a pod that ends or restarts gets its signal: after the traffic to it has gone elsewhere, within its grace. Pure. */
import { type Pod, SIGNAL_AFTER_TRAFFIC } from '../../api/index.ts';
import {
  MAX_WITHDRAWAL_WAIT_MS,
  MIN_GRACE_FOR_WITHDRAWAL_SECONDS,
  WITHDRAWAL_SETTLE_MS,
  WITHDRAWAL_SHARE_OF_GRACE,
} from './limits.ts';

/** How far routing has left a pod. Mono ms. */
export interface WithdrawalFact {
  /** When this node's rules left it and the slices showed that it ends; undefined: not yet. */
  readonly agreedAt: number | undefined;
  /** When a new connection to it was seen last; absent: none was. */
  readonly reachedAt?: number | undefined;
}

export interface GracePeriod {
  readonly gracePeriodSeconds: number;
  /** Mono ms when it ends. */
  readonly deadline: number;
}

/** Where others route, nobody can say how far traffic has gone: who asks for it by annotation gets the longest wait. */
export function asksForWait({ metadata }: Pod): boolean {
  return metadata?.annotations?.[SIGNAL_AFTER_TRAFFIC] === 'true';
}

/**
 * Mono ms; undefined: at once. Other nodes read the slices, too, and a connection that was opened just before needs time to
 * bring its request: 300 ms after the slices say so, and after the last new connection. The wait counts within the grace, and takes 2 s or a tenth of it at
 * most. Nobody waits for a pod that is in no slice, or that has a second or less.
 */
export function signalTime(
  { gracePeriodSeconds, deadline }: GracePeriod,
  withdrawal: WithdrawalFact | undefined,
): number | undefined {
  if (withdrawal === undefined) return undefined;
  if (gracePeriodSeconds <= MIN_GRACE_FOR_WITHDRAWAL_SECONDS) return undefined;
  const graceMs = gracePeriodSeconds * 1000;
  const latest = deadline - graceMs + Math.min(MAX_WITHDRAWAL_WAIT_MS, graceMs * WITHDRAWAL_SHARE_OF_GRACE);
  if (withdrawal.agreedAt === undefined) return latest;
  const quietSince = Math.max(withdrawal.agreedAt, withdrawal.reachedAt ?? Number.NEGATIVE_INFINITY);
  return Math.min(latest, quietSince + WITHDRAWAL_SETTLE_MS);
}
