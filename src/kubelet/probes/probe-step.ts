/**
 * Applies one probe attempt to a probe's verdict (upstream: pkg/kubelet/prober/worker.go doProbe). Pure: thresholds, initial
 * values and the hold after a verdict that kills the container.
 */
import type { ProbeResult } from '../types.ts';

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

export interface ProbeThresholds {
  /** Default 1; always 1 for liveness and startup. */
  readonly successThreshold: number;
  /** Default 3. */
  readonly failureThreshold: number;
}

/** A probe's state for one container id. */
export interface ProbeState {
  /** The verdict that other parts see. */
  readonly verdict: ProbeResult;
  /** The latest counted outcome and how often in a row; no run before the first. */
  readonly last: 'success' | 'failure' | undefined;
  readonly run: number;
  /** The container will be killed for it: no more attempts until there is a new container id (k#21751). */
  readonly onHold: boolean;
}

/** Until the first verdict a container is not ready, is alive, and is not known to have started. */
const INITIAL: Readonly<Record<ProbeKind, ProbeResult>> = {
  readiness: 'failure',
  liveness: 'success',
  startup: 'unknown',
};

/** `carried`: the verdict that the server acknowledged before this agent started (KEP-4781), kept until the first own one. */
export function initialProbeState(kind: ProbeKind, carried?: ProbeResult): ProbeState {
  return { verdict: carried ?? INITIAL[kind], last: undefined, run: 0, onHold: false };
}

/** The state after one counted attempt. Errors and late attempts are not counted: the caller leaves them out. */
export function probeStep(
  kind: ProbeKind,
  thresholds: ProbeThresholds,
  state: ProbeState,
  outcome: 'success' | 'failure',
): ProbeState {
  if (state.onHold) return state;
  const run = state.last === outcome ? state.run + 1 : 1;
  const needed = outcome === 'success' ? thresholds.successThreshold : thresholds.failureThreshold;
  if (run < needed) return { ...state, last: outcome, run };
  if (kind !== 'readiness' && outcome === 'failure') {
    return { verdict: 'failure', last: outcome, run: 0, onHold: true };
  }
  return { verdict: outcome, last: outcome, run, onHold: false };
}

/** Whether this probe may run now: the startup probe holds the others back, and ends with its success. */
export function mayProbe(kind: ProbeKind, startup: ProbeResult | undefined): boolean {
  const started = startup === undefined || startup === 'success';
  return kind === 'startup' ? !started : started;
}
