/** A pod in the scheduling queue, and the places where it can be. */
import type { PodInfo } from '../cluster/pod-info.ts';
import type { FilterName } from '../filter/filter.ts';

/**
 * active: it is decided next. backoff: it waits until its back-off is over. unschedulable: it waits for an event that may help.
 * in-flight: it is being decided, bound or given room by preemption; events are only noted meanwhile.
 */
export type QueuePlace = 'active' | 'backoff' | 'unschedulable' | 'in-flight';

/** A pod that waits for a node. */
export interface QueuedPod {
  readonly key: string;
  info: PodInfo;
  place: QueuePlace;
  /** Mono ms since when the pod is in its place; among pods of one priority the earliest is first. */
  since: number;
  /** Breaks ties of `since`. */
  order: number;
  /** Decisions so far. */
  attempts: number;
  /** Failures in a row for reasons outside the pod. */
  errors: number;
  /** Mono ms before which the pod is not tried. */
  backOffUntil: number;
  rejectedBy: ReadonlySet<FilterName>;
  /** An event that may help came while the pod was in flight. */
  moved: boolean;
}
