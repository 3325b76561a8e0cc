/** One rollout of a workload, as plain data. */

export interface Rollout {
  /** "deployment/web" */
  readonly workload: string;
  readonly revision: number;
  /** RFC 3339; absent: a return to an earlier revision, of which nothing says when it began. */
  readonly at?: string;
  /** The revision before it that is still kept; absent: it is the first known. */
  readonly from?: number;
  /** How its template differs from the one before; empty for the first known. */
  readonly changes: readonly string[];
  /** How the newest template differs from its own; absent: its own is the newest. */
  readonly changesSince?: readonly string[];
  /** How its pods are known: the UID of their ReplicaSet, or the name and hash of their ControllerRevision. */
  readonly makers: readonly string[];
}
