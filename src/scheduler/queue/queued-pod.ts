/** A pod in the scheduling queue, and the places where it can be. */
import type { PodInfo } from '../cluster/pod-info.ts';
import type { FilterName } from '../filter/filter.ts';

/**
 * active: to be decided next. backoff: until its back-off is over. unschedulable: until something happens that may help.
 * in-flight: being decided, bound or making room; nothing happens to it meanwhile but that it is noted.
 */
export type QueuePlace = 'active' | 'backoff' | 'unschedulable' | 'in-flight';

/** A pod that waits for a node. */
export interface QueuedPod {
  readonly key: string;
  info: PodInfo;
  place: QueuePlace;
  /** Mono ms since when it stands in this line: who came first is first among its like. */
  since: number;
  /** Breaks ties of `since`. */
  order: number;
  /** Decisions so far. */
  attempts: number;
  /** Failures in a row that were not the pod's fault. */
  errors: number;
  /** Mono ms; not tried before. */
  backOffUntil: number;
  rejectedBy: ReadonlySet<FilterName>;
  /** Something that may help happened while it was in flight. */
  moved: boolean;
}
