/** The bounds of the server's edge. */
export { MAX_REQUEST_BODY_BYTES } from '../limits.ts';

/** client-go puts all its watches on one connection. */
export const MAX_CONCURRENT_STREAMS = 2000;
/** Connections at once, per address. */
export const MAX_CONNECTIONS = 4096;
/** Node ends a session after 1000 quick cancels by default (nodejs/node#56306); restarting informers do that. */
export const STREAM_RESET_BURST = 20_000;
export const STREAM_RESET_RATE_PER_SECOND = 2000;
/** Memory of one HTTP/2 session, in MB: many lists at once on one connection. */
export const MAX_SESSION_MEMORY_MB = 128;
/** Bytes that an HTTP/2 client may send on one stream before we read them. */
export const STREAM_WINDOW_BYTES = 1024 * 1024;
/** How often an HTTP/2 client is pinged; one that has not answered by the next time is gone. */
export const PING_INTERVAL_MS = 15_000;
/** An HTTP/1.1 connection that asks nothing this long is closed. */
export const KEEP_ALIVE_MS = 90_000;
/** What `close` waits for requests under way. */
export const CLOSE_GRACE_MS = 2000;
/** How much, and for how long, what a refused HTTP/1.1 client still sends is thrown away, so that it gets to read why. */
export const LINGER_BYTES = 64 * 1024 * 1024;
export const LINGER_MS = 2000;

/** A client has this long to read what is left when the other end of its upgraded connection has closed (as upstream). */
export const UPGRADE_LINGER_MS = 900_000;
