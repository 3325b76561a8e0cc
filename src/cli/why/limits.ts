/** The bounds of `why`. */

/** Time limit of one request, ms; an answer that comes later is not used. */
export const REQUEST_TIMEOUT_MS = 10_000;
export const REQUESTS_AT_ONCE = 8;
/** Objects of one kind that are read at the beginning, for questions about many pods, and the size of one page of them. */
export const MAX_PRELOADED = 10_000;
export const PRELOAD_PAGE = 1000;
/** Pods of a namespace or cluster whose nodes are asked what they remember of them, those that look worst first. */
export const MAX_DEEP_PODS = 150;
export const MAX_EVENTS = 500;
/** Pods of a workload that are looked at one by one, those that are not well first. */
export const MAX_PODS = 20;
/** Pods of a node, or siblings, that are listed. */
export const MAX_LISTED = 500;
export const MAX_CONFIGS = 20;
/** Characters of what a key of a ConfigMap holds. */
export const MAX_CONFIG_TEXT = 64 * 1024;
/** Logs of containers that look well which are read for one question: they may fail with each try, and nothing else tells of it. */
export const MAX_WELL_LOGS = 12;
/** Pods of a namespace or selector of which all are looked at closely, also those that look well. */
export const SMALL_GROUP = 12;
export const MAX_CLAIMS = 20;
/** Jobs of a CronJob that are looked at, the newest first. */
export const MAX_JOBS = 5;
/** Unready pods of a disruption budget that are looked at. */
export const MAX_BUDGET_PODS = 10;
/** Attachments of the volumes of one pod or claim, and workloads that look like parts of one driver. */
export const MAX_ATTACHMENTS = 20;
export const MAX_DRIVER_PARTS = 20;
export const MAX_SERVICES = 10;
/** Ports of services of one question of which a ready pod's node is asked where the pod listens. */
export const MAX_HEARD_ASKED = 6;
/** Roles that bindings give to one service account. */
export const MAX_ROLES = 8;
/** Addresses of peers whose pods are looked for. */
export const MAX_ADDRESSES_ASKED = 2;
/** Pods of StatefulSets that a container names and that are looked for. */
export const MAX_NAMED_PODS = 3;
/** Services of one question behind which a pod is looked at, and how many of them in a row, each needed by the one before. */
export const MAX_CAUSES = 16;
export const MAX_CAUSE_STEPS = 4;
/** Pods of a failed Job that are gone, and that nodes are asked about, the newest. */
export const MAX_GONE_PODS = 3;
/** Resources of a namespace that does not go, objects of each that are listed, and the size of one such list. */
export const MAX_REMAINING_RESOURCES = 4;
export const MAX_REMAINING_LISTED = 20;
export const MAX_REMAINING_BYTES = 16 * 1024 * 1024;
export const MAX_OWNERS = 4;
/** Lines at the end of a log that are read: requests of probes may stand below what matters, and a program may write a trace with each try. */
export const LOG_TAIL_LINES = 400;
/** Of the beginning of a log whose end alone was read. */
export const MAX_BEGINNING_BYTES = 32 * 1024;
export const MAX_LOG_BYTES = 1024 * 1024;
export const MAX_HISTORY_BYTES = 8 * 1024 * 1024;
export const MAX_METRICS_BYTES = 16 * 1024 * 1024;
/** Pods of a namespace that are not ready, and that are asked whether a service that looks well refuses them. */
export const MAX_CLIENTS_ASKED = 5;
/** Pods of a service whose nodes are asked where they listen. */
export const MAX_LISTENERS_ASKED = 3;
