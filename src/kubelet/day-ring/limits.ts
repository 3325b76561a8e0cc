/** Bounds of the ring of days. */

/** Workloads of one day. When there are more, those that are gone longest give way; then new ones are left out, and counted. */
export const MAX_WORKLOADS = 1000;
/** UIDs kept of a workload's pods and of their controllers: the last ones. */
export const MAX_PODS = 64;
export const MAX_OWNERS = 16;
/** Workloads that are counted as left out. */
export const MAX_LEFT_OUT = 10_000;

/** The file, when it is written and when it is read. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** One workload in the file. */
export const MAX_WORKLOAD_BYTES = 64 * 1024;
/** Workloads written before the loop has its turn. */
export const WORKLOADS_PER_TURN = 50;
/** Pods whose cgroups are read before the loop has its turn. */
export const PODS_PER_TURN = 10;

/** A bucket is ended so long after its time: a timer may fire a little early by the wall clock. */
export const SLACK_MS = 100;

/** A pod that was not ready yet counts as on its way for so long, then as degraded. */
export const STARTING_MS = 300_000;
/** A pod that dies again sooner than this after it was ready had not healed: its outage goes on, ms. */
export const STAYS_UP_MS = 60_000;
/** A clock that was set back may be set right again within this time; then the new time holds. */
export const CLOCK_HOLD_MS = 600_000;

/** Spans of an hour that recoveries are kept in for a day; older ones become spans of a day (UTC). */
export const HOUR_BUCKETS = 12;
export const WEEK_DAYS = 7;
