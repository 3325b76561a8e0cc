/** Builds a pod from its remains in the runtime or on disk, with what its end needs, for a pod that no source knows. Pure. */
import type { Pod } from '../../api/index.ts';
import { graceOf } from '../plan/labels.ts';
import { ORPHAN_GRACE_PERIOD_SECONDS } from '../plan/limits.ts';
import type { PodNote } from '../plan/pod-memory.ts';
import type { PodObservation, PodUID } from '../types.ts';

/** Stands for a name that is lost with its runtime records; no pod can have it. */
const LOST = 'unknown';

export function ghostPod(uid: PodUID, observed: PodObservation | undefined, note: PodNote | undefined): Pod {
  const names = [...new Set((observed?.containers ?? []).map(({ name }) => name))];
  const graces = (observed?.containers ?? []).map(graceOf).filter((grace) => grace !== undefined);
  // A longer grace period is honoured if its containers carry it; upstream gives every orphan one second.
  const grace = Math.min(ORPHAN_GRACE_PERIOD_SECONDS, ...graces);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: observed?.name ?? note?.name ?? LOST,
      namespace: observed?.namespace ?? note?.namespace ?? LOST,
      uid,
    },
    spec: { containers: names.map((name) => ({ name })), terminationGracePeriodSeconds: grace },
  };
}
