/** Every bound of the API server, with the upstream name where it has one. */

/** Largest request body (upstream: MaxRequestBodyBytes, 3 MiB). The edge checks it too. */
export const MAX_REQUEST_BODY_BYTES = 3 * 1024 * 1024;
/** A longer YAML text is read in steps, between which others have their turn. */
export const YAML_AT_ONCE_CHARACTERS = 32 * 1024;
/**
 * Largest part of a body in YAML that is read in one go, since it cannot be taken apart: it takes ten times as long to read as JSON. Most lines
 * and commas of it, which is what its reading takes time for; the same text may come as JSON.
 */
export const MAX_YAML_BODY_BYTES = 1024 * 1024;
export const MAX_YAML_BODY_LINES = 20_000;
/** The same of a whole body. */
export const MAX_YAML_MARKS = 150_000;
/** Objects with longer JSON are answered as JSON where YAML is asked for; JSON is valid YAML. */
export const MAX_YAML_LINES_BYTES = 64 * 1024;
/** Entries of one map or list in a body, and of all of them together: few enough to be walked in a fraction of a second. */
export const MAX_LIST_ENTRIES = 20_000;
export const MAX_BODY_ENTRIES = 100_000;
/**
 * The history of one resource in the watch cache, for watchers that resume or are behind: changes of this age (upstream:
 * DefaultEventFreshDuration, 75 s), at most this many and this many bytes; beyond that a watch answers 410.
 */
export const WATCH_HISTORY_MS = 75_000;
export const WATCH_HISTORY_EVENTS = 4096;
export const WATCH_HISTORY_BYTES = 16 * 1024 * 1024;
/**
 * Steps in which a watch that resumes further back reads the store's log: changes, and bytes of their objects as stored. A slow reader
 * holds one step.
 */
export const PAST_EVENTS_PAGE = 100;
export const PAST_EVENTS_BYTES = 64 * 1024;
/** Steps of all watches that are read at once. */
export const PAST_READS_AT_ONCE = 8;
/** The same of all resources together. */
export const WATCH_HISTORY_TOTAL_BYTES = 32 * 1024 * 1024;
/** The older changes that a resource that seldom changes keeps nevertheless (upstream keeps 100, of any size). */
export const WATCH_HISTORY_OLD_EVENTS = 100;
export const WATCH_HISTORY_OLD_BYTES = 64 * 1024;
/** How often changes are looked at for their age. */
export const WATCH_HISTORY_SWEEP_MS = 15_000;
/** The approximate memory of a change besides the bytes of its objects. */
export const WATCH_EVENT_OVERHEAD_BYTES = 512;
/** Encoded lines of recent changes, kept for all watchers; and the JSON of objects that were read lately. */
export const SHARED_LINES_BYTES = 8 * 1024 * 1024;
export const SHARED_TEXTS_BYTES = 16 * 1024 * 1024;
/** Lists of the watch cache that are handed to many readers without a copy, one for each prefix. */
export const SHARED_LISTS = 8;
/** Pieces of watches and of large lists are of about this size: a slow reader holds one, not all of them. */
export const WATCH_PIECE_BYTES = 64 * 1024;
export const LIST_PIECE_BYTES = 64 * 1024;
/** The same of pieces that one watcher has to itself. */
export const WATCH_OWN_PIECE_BYTES = 16 * 1024;
/** Objects that a list of an earlier revision reads from the store at once. */
export const LIST_STEP = 500;
/** How long a read waits for the cache to reach its revision (upstream: blockTimeout, 3 s). */
export const FRESH_READ_TIMEOUT_MS = 3_000;
/** Bookmarks of a watch that asked for them (upstream: bookmarkFrequency, 1 min). */
export const BOOKMARK_INTERVAL_MS = 60_000;
/** How often a watch that still sends what there was at its start is looked at. */
export const INITIAL_LOOK_INTERVAL_MS = 15_000;
/** Shortest watch when the client names no time-out; the real one is 1 to 2 times this (upstream: MinRequestTimeout). */
export const MIN_WATCH_TIMEOUT_SECONDS = 1_800;
/** Names tried for a generateName (upstream: maxNameGenerationCreateAttempts). */
export const MAX_GENERATE_NAME_ATTEMPTS = 8;
/** Objects deleted at once by a delete-collection (upstream: DeleteCollectionWorkers, 1). */
export const DELETE_COLLECTION_WORKERS = 1;
/**
 * The number of times that a write without a version starts again because another write came between. Each time another write
 * has succeeded, so this many writers of one object at once are served (upstream: until the request's time is over).
 */
export const MAX_WRITE_RETRIES = 500;
/** Wait before the store is read again after a failed list or watch, first and longest. */
export const CACHE_RETRY_MS = 50;
export const CACHE_RETRY_MAX_MS = 5_000;
/** Warnings of one answer, the length of each, and of all as bytes of the header (upstream: 4 KiB in all, 256 each past that). */
export const MAX_WARNINGS = 32;
export const MAX_WARNING_CHARACTERS = 256;
export const MAX_WARNINGS_CHARACTERS = 4 * 1024;
/** How long who asks for health waits for the store (upstream: --etcd-healthcheck-timeout). */
export const STORE_HEALTH_TIMEOUT_MS = 2_000;
/** Life of an event (upstream: --event-ttl). */
export const EVENT_TTL_MS = 3_600_000;
/** How often deleted system namespaces are created again (upstream: the system namespaces controller, 1 min). */
export const SYSTEM_NAMESPACES_PERIOD_MS = 60_000;
/** Until the status of FlowSchemas is written again after a write that failed. */
export const FLOW_STATUS_RETRY_MS = 5_000;
/** Largest answer of a node that is read whole (an error to pass on). */
export const MAX_NODE_ERROR_BYTES = 16 * 1024;
/** How long a node's answer to what its pods use is shared (metrics-server asks each 15 s). */
export const NODE_FIGURES_MAX_AGE_MS = 10_000;
/** The same while it lacks figures of something that just started. */
export const INCOMPLETE_FIGURES_MAX_AGE_MS = 2_000;
/** Longest wait for it; nodes asked at once for one request; largest answer (110 pods of 5 containers are 0.5 MB). */
export const NODE_QUESTION_TIMEOUT_MS = 5_000;
export const MAX_CONCURRENT_NODE_QUESTIONS = 16;
export const MAX_SUMMARY_BYTES = 16 * 1024 * 1024;
/** Roles and bindings of the bootstrap policy that are written at once at a start. */
export const POLICY_WRITES_AT_ONCE = 16;
/** How long reads of a custom resource that is served otherwise by now may still take. */
export const CUSTOM_STORAGE_GRACE_MS = 10_000;
/** Objects that are deleted at once with their definition. */
export const CUSTOM_DELETES_AT_ONCE = 16;
/** Wait before a definition is looked at again that could not be finished, first and longest. */
export const DEFINITION_RETRY_MS = 100;
export const DEFINITION_RETRY_MAX_MS = 5_000;
/** Evictions of one budget that its controller has not seen to yet (upstream: MaxDisruptedPodSize). */
export const MAX_DISRUPTED_PODS = 2000;
/** Nodes asked at once for what they remember of a pod that is gone, the longest wait for one, and its largest answer. */
export const MAX_NODES_ASKED_FOR_HISTORY = 8;
export const NODE_HISTORY_TIMEOUT_MS = 5_000;
/** The same for nodes that are not ready, most of which will never answer: this many at once, all of them within this time. */
export const MAX_UNREADY_NODES_ASKED_FOR_HISTORY = 32;
export const UNREADY_NODES_HISTORY_TIMEOUT_MS = 2_000;
export const MAX_HISTORY_BYTES = 16 * 1024 * 1024;
/** One node's answer about the last day of its workloads, and workloads in the answer that is made of all nodes'. */
export const MAX_DAYS_BYTES = 8 * 1024 * 1024;
export const MAX_DAYS = 10_000;
/** Longest wait for a webhook that converts objects (upstream: 30 s), its largest answer, and how often it may ask to be asked again. */
export const WEBHOOK_TIMEOUT_MS = 30_000;
export const MAX_WEBHOOK_ANSWER_BYTES = 32 * 1024 * 1024;
export const MAX_WEBHOOK_RETRIES = 10;
/** Addresses of one Service that are tried when the ones before refuse the connection. */
export const MAX_WEBHOOK_ADDRESSES = 3;
/** Open connections to webhooks that nobody uses now. */
export const MAX_IDLE_WEBHOOKS = 32;
/** Objects of one review, and about how many characters of them; more go in several. */
export const CONVERSION_BATCH = 500;
export const CONVERSION_BATCH_CHARACTERS = 4 * 1024 * 1024;
/** Reviews of one definition at once, and how many may wait for their turn. */
export const CONVERSIONS_AT_ONCE = 8;
export const MAX_WAITING_CONVERSIONS = 1000;
/** How often the failing webhook of one definition is told in the log. */
export const CONVERSION_LOG_INTERVAL_MS = 10_000;
/** Objects in the middle of a write whose form in another version is remembered for the owners of fields in that version. */
export const MAX_REMEMBERED_CONVERSIONS = 256;
/** About the most characters of them and of what they were converted from; a larger one is remembered alone. */
export const MAX_REMEMBERED_CHARACTERS = 16 * 1024 * 1024;
/** How long the start waits for the kinds of our own definitions. It ends without them then: all else is served. */
export const OWN_KINDS_TIMEOUT_MS = 10_000;
