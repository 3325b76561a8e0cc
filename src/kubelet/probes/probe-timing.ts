/** When a probe worker makes its attempts. Pure; mono ms. */
import type { Probe } from '../../api/index.ts';
import { DEFAULT_PERIOD_SECONDS } from './limits.ts';
import type { ProbeKind } from './probe-step.ts';

export function periodMs(probe: Probe): number {
  return (probe.periodSeconds ?? DEFAULT_PERIOD_SECONDS) * 1000;
}

export interface FirstAttempt {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly now: number;
  /** When the container started; when it passed its startup probe, if that was later. */
  readonly startedAt: number;
  /** It ran before this agent did: all workers of the node start at once. */
  readonly adopted: boolean;
  /** [0, 1). */
  readonly chance: number;
}

/**
 * The first attempt: not before `initialDelaySeconds` after the start. Readiness and startup probes begin at once then, so
 * that no pod waits a period to become ready. Liveness probes, and all probes after a restart of the agent, begin at a random
 * time in the first period, so that replicas that started together do not probe together for ever.
 */
export function firstAttemptAt(first: FirstAttempt): number {
  const due = Math.max(first.now, first.startedAt + (first.probe.initialDelaySeconds ?? 0) * 1000);
  const spread = first.adopted || first.kind === 'liveness';
  return spread ? due + first.chance * periodMs(first.probe) : due;
}

/**
 * The attempt after one that began at `begunAt`: a period later, at once when the attempt took longer. After the first
 * readiness attempt a random part of a period, for the same spread; startup keeps full periods, for
 * `failureThreshold × periodSeconds` is what users compute the allowance from.
 */
export function nextAttemptAt(
  kind: ProbeKind,
  probe: Probe,
  previous: { readonly begunAt: number; readonly first: boolean; readonly chance: number; readonly now: number },
): number {
  const part = kind === 'readiness' && previous.first ? 1 - previous.chance : 1;
  return Math.max(previous.now, previous.begunAt + part * periodMs(probe));
}
