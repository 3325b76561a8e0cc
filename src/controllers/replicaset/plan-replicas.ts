/** How many pods of a set are made now, which of them go, and when to look again. Upstream: manageReplicas. Pure. */
import { isDeleting, type Pod } from '../../api/index.ts';
import type { Now } from '../../lib/index.ts';
import { isPodActive } from '../pods/pod-state.ts';
import {
  afterCreation,
  allowCreation,
  describeBackOff,
  type FailedPodBackOff,
  observeFailedPods,
} from './failed-pod-back-off.ts';
import { BURST_REPLICAS } from './limits.ts';
import { podsToDelete } from './pods-to-delete.ts';

export interface ReplicaView {
  /** The number of wanted pods. */
  readonly desired: number;
  /** The set is being deleted: its pods are its garbage collector's affair. */
  readonly ending: boolean;
  readonly owned: readonly Pod[];
  /** Pods of all sets that have the same controller: asked for only where some of ours go. */
  readonly related: () => readonly Pod[];
  /** The back-off after earlier failures of its pods. */
  readonly backOff: FailedPodBackOff;
}

export interface ReplicaPlan {
  /** The number of pods to create. */
  readonly create: number;
  readonly remove: readonly Pod[];
  readonly backOff: FailedPodBackOff;
  /** Message of a BackOff event: a failure was seen for the first time. */
  readonly told?: string;
  /** Look again after this long, ms. */
  readonly waitMs?: number;
}

/** One step: at most `BURST_REPLICAS` pods are made or go, and what is left is for the next one. */
export function planReplicas(view: ReplicaView, now: Now): ReplicaPlan {
  const active = view.owned.filter(isPodActive);
  const failed = view.owned.filter((pod) => pod.status?.phase === 'Failed' && !isDeleting(pod));
  const backOff = observeFailedPods(view.backOff, failed, active, now);
  const told = backOff.failures > view.backOff.failures ? describeBackOff(backOff, now) : undefined;
  const plan = { create: 0, remove: [], backOff, ...(told === undefined ? {} : { told }) };
  const difference = view.desired - active.length;
  if (view.ending || difference === 0) return plan;
  if (difference < 0) {
    const count = Math.min(-difference, BURST_REPLICAS);
    return { ...plan, remove: podsToDelete(active, view.related(), count, now.wall), ...again(-difference > count) };
  }
  const allowed = allowCreation(backOff, difference, now);
  const wait = allowed.waitMs === undefined ? {} : { waitMs: allowed.waitMs };
  if (allowed.count === 0) return { ...plan, ...wait };
  const create = Math.min(allowed.count, BURST_REPLICAS);
  return { ...plan, create, backOff: afterCreation(backOff, now), ...again(allowed.count > create), ...wait };
}

/** There is more to do than one step does: at once. */
function again(more: boolean): Pick<ReplicaPlan, 'waitMs'> {
  return more ? { waitMs: 0 } : {};
}
