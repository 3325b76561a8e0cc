/** Days for tests. */
import type { RecoverySpan, WorkloadDay } from './types.ts';

export function workloadDay(fields: Partial<WorkloadDay> = {}): WorkloadDay {
  const none = { owners: [], pods: [], first: 0, states: '', restarts: [], deaths: [], recoveries: [] };
  return { kind: 'Deployment', namespace: 'shop', name: 'api', ...none, ...fields };
}

export function recoverySpan(fields: Partial<RecoverySpan> = {}): RecoverySpan {
  return { from: 0, buckets: 12, healed: 1, alone: 1, totalMs: 100, classes: [[14, 1]], ...fields };
}
