/**
 * What nodes remember of the last day of a workload, in buckets of five minutes, and of a week of recoveries: the wire form, as the
 * node's own API and the API server answer it. A bucket is named by its number: Unix time in seconds, divided by 300.
 */
import type { UnaskedNode } from '../healing/history.ts';

/**
 * o: ok; d: degraded, a pod was not ready; x: dead, a pod that had died was not back at the end of the bucket; h: healed, all that
 * died came back; ?: unknown, the agent was away; .: nothing was there.
 */
export type DayState = 'o' | 'd' | 'x' | 'h' | '?' | '.';

/** Position from the day's first bucket, and what is counted there; zeros are left out. */
export type BucketCount = readonly [position: number, count: number];

/** Recoveries in a span of time: the time from a death that nobody asked for until the pod was ready again. */
export interface RecoverySpan {
  /** The span's first bucket, and how many it has: an hour of the last day, or a day (UTC) of the week before. */
  readonly from: number;
  readonly buckets: number;
  readonly healed: number;
  /** Those in which no human took part. */
  readonly alone: number;
  /** Of all, milliseconds. */
  readonly totalMs: number;
  /** By class of duration (`durationClass`); zeros are left out. */
  readonly classes: readonly (readonly [durationClass: number, count: number])[];
}

export interface WorkloadDay {
  /** As far as a node knows it: Deployment, StatefulSet, DaemonSet, CronJob, Job, …; Pod: nothing controls it. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** UIDs of the controllers of its pods, and of the pods themselves: the last ones. */
  readonly owners: readonly string[];
  readonly pods: readonly string[];
  /** The number of the first bucket in the lists below. */
  readonly first: number;
  /** A `DayState` for each bucket, at most 288; before and after them there was nothing. */
  readonly states: string;
  /** Starts of containers after their first, whoever asked for them. */
  readonly restarts: readonly BucketCount[];
  /** Ends of containers that nobody asked for. */
  readonly deaths: readonly BucketCount[];
  /** Thousandths of a core, the mean of the bucket; null: not measured. Absent: not asked for. */
  readonly cpu?: readonly (number | null)[];
  /** Bytes in the working set at the end of the bucket. */
  readonly memory?: readonly (number | null)[];
  /** The oldest first. */
  readonly recoveries: readonly RecoverySpan[];
}

/** How a node is, beyond its conditions. */
export interface NodeNow {
  readonly name: string;
  /** Of the file system with the pods' folders. */
  readonly diskUsedPercent: number;
}

/** What happens next to a pod: "pulls its image again". */
export interface PodStep {
  readonly uid: string;
  readonly namespace: string;
  readonly words: string;
  /** From the answer on, milliseconds: the clocks of nodes differ. */
  readonly inMs: number;
}

export interface WorkloadDayList {
  readonly apiVersion: 'mendlet.dev/v1alpha1';
  readonly kind: 'WorkloadDayList';
  /** Absent: of several nodes. */
  readonly nodeName?: string;
  readonly items: readonly WorkloadDay[];
  /** Workloads of this day that have no place; absent: none. */
  readonly leftOut?: number;
  /** How the nodes are now; only in the list of all namespaces. Absent: not told. */
  readonly nodes?: readonly NodeNow[];
  /** What happens next to pods, by time alone. Absent: nothing. */
  readonly next?: readonly PodStep[];
  /** Nodes that did not answer, and why. */
  readonly notAsked?: readonly UnaskedNode[];
}
