/** The limits of the dashboard: what one viewer, a stranger and all of them together can take from it. */

/** A one-time link is valid for so long, ms. */
export const LINK_MS = 60_000;
/** Links that wait to be used: of one identity, where a new one replaces its oldest, and in all. */
export const MAX_LINKS_EACH = 4;
export const MAX_LINKS = 1024;

/** A session ends when it was not used for so long, and at the latest after the second time, ms. */
export const SESSION_IDLE_MS = 12 * 3600_000;
export const SESSION_MAX_MS = 7 * 24 * 3600_000;
/** Sessions of one identity, where a new one replaces the one that was used longest ago, and in all. */
export const MAX_SESSIONS_EACH = 16;
export const MAX_SESSIONS = 512;
/** A session that began with a token asks the API server again whether the token is valid, this often, ms. */
export const TOKEN_RECHECK_MS = 60_000;

/** Logins with something that is not valid: a burst, and a rate per second. Valid links are let in nevertheless. */
export const LOGIN_RATE = { burst: 10, perSecond: 0.2 } as const;

/** The body of a login or an act, bytes. */
export const MAX_BODY_BYTES = 16 * 1024;
/** Streams and logs that follow at once, of one session, of one user, and in all. */
export const MAX_STREAMS_EACH = 16;
export const MAX_STREAMS_OF_ONE = 48;
export const MAX_STREAMS = 128;
/** Details, rights and acts of one session that are under way at once. */
export const MAX_ASKED_EACH = 4;

/** Identities (with a namespace each) that are looked at at once, of one user and in all: each has a feed. */
export const MAX_FEEDS_OF_ONE = 8;
export const MAX_FEEDS = 32;
/** A feed goes on for so long after its last stream, ms: tabs that nobody sees look once a minute. */
export const FEED_LINGER_MS = 75_000;
/** The shortest time between two deltas, ms. */
export const DELTA_MS = 250;
/** Nothing changes by itself but time (a node falls silent, a bar goes on): the feed looks this often, ms. */
export const LOOK_MS = 5000;
/** The page waits so long for the first lists, ms. */
export const FIRST_LISTS_MS = 5000;
/** Ids of rows that are gone and that a stream may not have heard of yet. */
export const MAX_GONE = 2000;
/** Pods of a row on the page. */
export const MAX_ROW_PODS = 50;
/** Pods whose deaths are remembered by a feed, and how many nodes are asked at once. */
export const MAX_KNOWN_PODS = 1000;
export const HISTORIES_AT_ONCE = 4;
/** A node that did not tell of a pod's deaths is asked again after so long, ms. */
export const HISTORY_AGAIN_MS = 300_000;
/** Deaths that a feed remembers of one pod. */
export const MAX_POD_DEATHS = 200;

/** A workload's life: deaths, lines of a log for each, findings, events. */
export const MAX_LIFE_DEATHS = 100;
export const MAX_LAST_LINES = 40;
export const MAX_FINDINGS = 30;
export const MAX_EVENTS = 200;
/** A text on the page, characters. */
export const MAX_TEXT = 2000;
/** Texts that a feed has masked and remembers. */
export const MAX_SHOWN_TEXTS = 2000;
/** How long details may take, ms. */
export const DETAIL_MS = 30_000;
/** How long an act is waited for before the page says that it is under way, ms. */
export const ACT_MS = 20_000;

/** Lines of a log at its beginning; characters of one line; bytes of a log that does not follow. */
export const LOG_TAIL_LINES = 5000;
export const MAX_LINE_CHARACTERS = 4096;
export const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** Connections at once; beyond, the oldest without a session goes, then one that is idle. */
export const MAX_CONNECTIONS = 256;
/** Head of a request: bytes, and time, ms. */
export const MAX_HEAD_BYTES = 16 * 1024;
export const HEAD_MS = 10_000;
/** A client must take what it is sent within this time, ms. */
export const DRAIN_MS = 30_000;

/** Days are asked for this often, and after a change at the earliest after the second time, ms. */
export const DAYS_EVERY_MS = 60_000;
export const DAYS_AGAIN_MS = 5000;
/** How long an answer may take, ms; its bytes; nodes that are asked where no server asks them. */
export const DAYS_MS = 10_000;
export const MAX_DAYS_BYTES = 32 * 1024 * 1024;
export const MAX_DAYS_NODES = 100;
