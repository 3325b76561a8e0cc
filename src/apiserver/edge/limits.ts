/**
 * The bounds of the server's edge: the most that a stranger, a user and all of them together can take from it. The bounds of
 * connections are in `connection-shares.ts`, as they depend on the process's limit of open files.
 */
export { MAX_REQUEST_BODY_BYTES } from '../limits.ts';

/** Streams at once on an HTTP/2 connection: client-go puts all its watches on one. */
export const MAX_CONCURRENT_STREAMS = 2000;
/** The same until the connection has shown credentials (Go's own servers: 100 to 250). */
export const STRANGER_CONCURRENT_STREAMS = 100;
/** Memory of one HTTP/2 session, in MB: many lists at once on one connection. */
export const MAX_SESSION_MEMORY_MB = 128;
/**
 * Bytes that an HTTP/2 client may send on one stream before we read them (upstream: MaxUploadBufferPerStream, 256 KiB). Node
 * bounds streams alone, not whole connections, so each stream with a body counts this much until it is read.
 */
export const STREAM_WINDOW_BYTES = 256 * 1024;
/** The same until the connection has shown credentials: HTTP/2's initial window, and no setting makes it smaller at once. */
export const STRANGER_WINDOW_BYTES = 65_535;
/** Names and values of one request's headers, in bytes, and how many there may be; 431 beyond (Go's servers: 1 MiB). */
export const MAX_HEADER_BYTES = 32 * 1024;
export const MAX_HEADERS = 128;

/** How often an HTTP/2 client is pinged; one that has not answered by the next time is gone. */
export const PING_INTERVAL_MS = 15_000;
/** How often connections are looked at for time limits; each limit below is met within so much. */
export const SWEEP_INTERVAL_MS = 1000;
/** Verdicts on time are postponed when the sweep itself is this late: data from clients may still be in the kernel. */
export const SWEEP_LATE_MS = 1000;
/** From the accepted connection to the end of its TLS handshake. */
export const HANDSHAKE_TIMEOUT_MS = 10_000;
/** From the first byte of an HTTP/1.1 request to the end of its headers (upstream: ReadHeaderTimeout, 32 s). */
export const HEADER_TIMEOUT_MS = 15_000;
/** A connection that has shown no credentials is closed when it asks nothing for so long. */
export const STRANGER_IDLE_MS = 20_000;
/** Any other (upstream: the server's IdleTimeout, 90 s). A watch, a log or an exec that is silent is a request under way. */
export const IDLE_TIMEOUT_MS = 90_000;

/**
 * A body must have come by this time after it was asked for, plus the time that its bytes so far take at the rate below. So
 * the largest body has three and a half minutes, which a line of 128 kbit/s meets.
 */
export const BODY_GRACE_MS = 15_000;
export const MIN_BODY_BYTES_PER_SECOND = 16 * 1024;
/** A whole answer must be taken by its client within the same kind of time. Streams (watch, logs) may stand still for ever. */
export const ANSWER_GRACE_MS = 60_000;
/** Smaller ones are not looked at: the kernel takes them at once. */
export const WATCHED_ANSWER_BYTES = 64 * 1024;
/** Bytes of bodies announced, waiting, or in memory, until their request is answered: of one connection… */
export const CONNECTION_BODY_BYTES = 16 * 1024 * 1024;
/** …of one user… */
export const USER_BODY_BYTES = 64 * 1024 * 1024;
/** …of strangers, by address and in all… */
export const ADDRESS_BODY_BYTES = 2 * 1024 * 1024;
export const STRANGERS_BODY_BYTES = 8 * 1024 * 1024;
/** …and in all; the last part is for agents and masters. */
export const TOTAL_BODY_BYTES = 256 * 1024 * 1024;
export const ORDINARY_BODY_BYTES = 192 * 1024 * 1024;
/** How many requests wait for room for their bodies, and how long. */
export const MAX_WAITING_BODIES = 256;
export const BODY_WAIT_MS = 10_000;

/** Requests of strangers under way (the answer to a token may take seconds), by address and in all. */
export const STRANGER_REQUESTS = 512;
export const STRANGER_REQUESTS_PER_ADDRESS = 256;

/**
 * The limits beyond which an HTTP/2 connection ends as a flood, in frames: a burst, and a rate per second. `reset`: a stream
 * that its client gave up within `QUICK_RESET_MS` (CVE-2023-44487); informers that restart give up a thousand at once
 * (nodejs/node#56306), and streams that lived longer do not count. `wasted`: bytes that are no request, body or answer to
 * ours (PRIORITY, WINDOW_UPDATE, empty and unknown frames).
 */
export const STRANGER_FLOODS = {
  request: { burst: 100, perSecond: 20 },
  reset: { burst: 100, perSecond: 5 },
  ping: { burst: 20, perSecond: 1 },
  settings: { burst: 10, perSecond: 0.2 },
  wasted: { burst: 256 * 1024, perSecond: 16 * 1024 },
} as const;
export const KNOWN_FLOODS = {
  request: { burst: Number.POSITIVE_INFINITY, perSecond: 0 },
  reset: { burst: 4000, perSecond: 200 },
  ping: { burst: 100, perSecond: 10 },
  settings: { burst: 20, perSecond: 1 },
  wasted: { burst: 2 * 1024 * 1024, perSecond: 128 * 1024 },
} as const;
export const QUICK_RESET_MS = 5000;
/** After so many of them a request of that connection is passed on only if it is not given up in the same breath. */
export const SUSPECT_RESETS = 50;
/** Bytes around a request that are no waste: its headers and its frames. */
export const REQUEST_OVERHEAD_BYTES = 4096;
/** One part in this many of what we sent comes back as WINDOW_UPDATE. */
export const SENT_PER_UPDATE_BYTE = 32;
/** nghttp2's own bound behind ours, which it asks between two of our looks. */
export const STREAM_RESET_BURST = 8000;
export const STREAM_RESET_RATE_PER_SECOND = 400;
/** Frames that break the protocol and that nghttp2 would forgive, and streams beyond the bound, before it ends the session. */
export const MAX_INVALID_FRAMES = 100;
export const MAX_REJECTED_STREAMS = 100;
/** Entries of one SETTINGS frame; pings of ours that may be unanswered. */
export const MAX_SETTINGS_ENTRIES = 16;
/** HTTP/1.1: requests that a client sends ahead of the answers to those before. */
export const MAX_PIPELINED_REQUESTS = 16;

/** A measure against a stranger is logged once per address in this time; this many addresses are remembered. */
export const LOG_INTERVAL_MS = 60_000;
export const MAX_LOGGED_ADDRESSES = 256;

/** The longest time that `close` waits for requests under way. */
export const CLOSE_GRACE_MS = 2000;
/** How much, and for how long, what a refused HTTP/1.1 client still sends is thrown away, so that it gets to read why. */
export const LINGER_BYTES = 16 * 1024 * 1024;
export const LINGER_MS = 2000;

/** A client has this long to read what is left when the other end of its upgraded connection has closed (as upstream). */
export const UPGRADE_LINGER_MS = 900_000;
