/** Bounds of the kubelet's own API. */

/** Read from a log file at once. */
export const LOG_CHUNK_BYTES = 64 * 1024;
/** How often a followed log is looked at where no file event comes (upstream: stateCheckPeriod 5 s). */
export const FOLLOW_POLL_MS = 1000;
/** A container that ended may still have its last lines on their way: one more look after this. */
export const FOLLOW_DRAIN_MS = 100;
/** The runtime puts a container away when it has read its output, which may reach the file a moment later: for so long after the end. */
export const RECENT_END_MS = 1000;
/** How long a log waits for the runtime to put a container away that has ended, and how often it looks. */
export const PUT_AWAY_WAIT_MS = 10_000;
export const PUT_AWAY_POLL_MS = 20;
/** Ordinary requests under way at once, followed logs included; further ones are asked to try again later. */
export const MAX_CONCURRENT_REQUESTS = 500;

/** How long the API server's answers about tokens and rights are believed (upstream's defaults). */
export const TOKEN_TTL_MS = 120_000;
export const ALLOWED_TTL_MS = 300_000;
export const DENIED_TTL_MS = 30_000;
/** Answers kept, of each kind. */
export const MAX_ACCESS_ANSWERS = 1000;
export const MAX_TOKEN_CHARACTERS = 16 * 1024;
export const REVIEW_TIMEOUT_MS = 10_000;

/** Longest time of a command of `/run`; upstream has no limit. */
export const RUN_TIMEOUT_MS = 600_000;
/** Symbolic links followed on one path below `/logs`. */
export const MAX_LINKS = 40;

/** The longest text that a runtime writes about a command's end, or about a port that is not forwarded; more is cut. */
export const MAX_STATUS_BYTES = 64 * 1024;
/** How often a client's pings are passed on to the runtime, whose streaming server ends streams that were idle for hours. */
export const RUNTIME_PING_MS = 60_000;
/** Ports that one older WebSocket port-forward may name; it has two channels for each. */
export const MAX_FORWARDED_PORTS = 100;
/** The longest JSON of one size of a terminal; more is cut. */
export const MAX_TERMINAL_SIZE_BYTES = 1024;

/** Callers that wait while the way to a service is tried for another one. */
export const MAX_PATHS_WAITING = 4;
/** Pods whose processes are looked for until one is found from which the way can be tried. */
export const MAX_PODS_LOOKED_AT = 10;
