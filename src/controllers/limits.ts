/** Bounds of the controllers. */

/** Reconciles at once, per controller. */
export const RECONCILE_CONCURRENCY = 4;

/** All rate-limited retries of one controller together (client-go's default controller rate limiter). */
export const RETRY_BUCKET = { burst: 100, perSecond: 10 };

/** Deletes at once while a namespace is emptied. */
export const NAMESPACE_DELETE_CONCURRENCY = 8;

/** A pod is orphaned when its node's object has been gone for so long (upstream's pod GC quarantine). */
export const ORPHAN_QUARANTINE_MS = 40_000;

/** Ended pods that are kept (upstream: --terminated-pod-gc-threshold). */
export const TERMINATED_POD_THRESHOLD = 12_500;

/** Operations of one reconcile under way at once (slow start). */
export const MAX_BATCH = 64;

/** Objects that the garbage collector looks at side by side (upstream: --concurrent-gc-syncs). */
export const GARBAGE_COLLECTOR_CONCURRENCY = 20;

/** Owners that it remembers to be gone for good (upstream: the absent owner cache). */
export const MAX_ABSENT_OWNERS = 500;

/** How often it begins again at once with an object that another client changed meanwhile. */
export const GARBAGE_COLLECTOR_TRIES = 5;

/** How often an autoscaler looks at its target (upstream: --horizontal-pod-autoscaler-sync-period). */
export const AUTOSCALER_PERIOD_MS = 15_000;

/** A kind that has just come is waited for this long before dependents are looked for without it. */
export const NEW_KIND_SYNC_MS = 30_000;

/** Endpoints in one slice (upstream: --max-endpoints-per-slice). */
export const MAX_ENDPOINTS_PER_SLICE = 100;

/** Addresses in one Endpoints object; slices have the rest (upstream: maxCapacity). */
export const MAX_ENDPOINTS_ADDRESSES = 1000;

/** Addresses that are mirrored from one subset of an Endpoints object (upstream: --mirroring-max-endpoints-per-subset). */
export const MAX_MIRRORED_ADDRESSES = 1000;

/** Names that a new revision may find taken before its owner gives up until it is tried again. */
export const MAX_REVISION_NAMES = 20;

/** Pods of one DaemonSet that one look makes, and ends, at most (upstream: BurstReplicas). */
export const DAEMON_BURST = 250;

/**
 * How long a failed pod of a daemon set or a stateful set stays before it is replaced, doubling per node or name (upstream:
 * failedPodsBackoff, for daemon sets).
 */
export const FAILED_MEMBER_BACK_OFF = { baseMs: 1000, capMs: 900_000 };

/** How long an evicted pod has to be deleted before it counts as healthy again (upstream: DeletionTimeout). */
export const DISRUPTED_POD_TIMEOUT_MS = 120_000;

/** A pod that was to be disrupted and is not being deleted by then is no target any more (stalePodDisruptionTimeout). */
export const STALE_DISRUPTION_TIMEOUT_MS = 120_000;

/** Objects that are read to learn how far the server is, after a write without an answer. */
export const DOUBT_PAGE_SIZE = 500;

/** A node answers a question about its volumes within this time; otherwise it counts as away. */
export const NODE_REQUEST_TIMEOUT_MS = 20_000;

/** A node's longest answer about its volumes: some ten thousand of them. */
export const MAX_NODE_ANSWER_BYTES = 8 * 1024 * 1024;

/** After a node did not make or remove a volume, it is asked again after this time, doubling. Its return is noticed at once. */
export const NODE_VOLUME_BACK_OFF = { baseMs: 1000, capMs: 300_000 };

/** Time between two looks at the folders that a node has. */
export const NODE_VOLUMES_LOOK_MS = 600_000;

/** A process that finds a node lost when it begins gives the node so long to be heard before a policy gives its volumes up. */
export const LOST_NODE_RESTART_GRACE_MS = 120_000;

/** A policy that cannot give a volume up yet looks again after this. */
export const GIVE_UP_CHECK_MS = 10_000;

/** A folder without volume and without claim that no pod ever had is removed after this time. */
export const LEFT_OVER_VOLUME_GRACE_MS = 900_000;
/** How often a budget asks again for the scale of a kind that it does not follow, and how many it asks for at once. */
export const FOREIGN_SCALE_PERIOD_MS = 30_000;
export const SCALES_AT_ONCE = 8;
