/** Bounds of the client. */

/** Largest whole response that a client reads: a list page of 500 pods of 100 KiB each. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Largest watch event: an object may be 1.5 MiB in the store, and JSON escapes may double it. */
export const MAX_WATCH_LINE_BYTES = 4 * 1024 * 1024;

/** Objects per list page, client-go's default. */
export const LIST_PAGE_SIZE = 500;

/** A call without an answer after this is a `ConnectionError`. client-go's usual time-out. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** The server is asked to keep a watch open for between this time and twice this (client-go's minWatchTimeout). */
export const WATCH_TIMEOUT_SECONDS = 300;

/** A watch that outlives its requested time by this counts as dead, and is resumed. */
export const WATCH_OVERDUE_MS = 30_000;

/** Events waiting to be sent (client-go's event broadcaster: 1000). More are dropped and counted. */
export const MAX_QUEUED_EVENTS = 1000;

/** Entries of the event correlator's caches (client-go's maxLruCacheEntries). */
export const MAX_CORRELATED_EVENTS = 4096;

/** Tries for one event when the server does not answer, and the pause between them (client-go's). */
export const EVENT_TRIES = 12;
export const EVENT_RETRY_MS = 10_000;

/** Longest event message; a longer one is cut. */
export const MAX_EVENT_MESSAGE_LENGTH = 16 * 1024;
/** Time limit to open a TCP and TLS connection. */
export const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Interval of pings. A ping without an answer at the next one ends the connection, so a dead one is detected within twice
 * this.
 */
export const PING_INTERVAL_MS = 4_500;
/** Kernel probes of an idle HTTP/1.1 connection begin after this. */
export const TCP_KEEP_ALIVE_MS = 5_000;
/** HTTP/1.1 connections to one server at once; each watch needs one. */
export const MAX_HTTP1_SOCKETS = 256;
/** A bearer token in a file is read again after this time (client-go's). */
export const TOKEN_PERIOD_MS = 60_000;

/** Life of a token for one kubelet: the shortest that API servers grant. */
export const NODE_TOKEN_SECONDS = 600;
/** The kinds that the server serves are asked for again after this time (upstream's garbage collector: 30 s); sooner after a failure. */
export const DISCOVERY_PERIOD_MS = 30_000;
export const DISCOVERY_RETRY_MS = 1_000;
