/** Bounds of the notifications. Durations are milliseconds. */
import type { BackOffShape } from '../../lib/index.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A trouble that comes back within this time after its end is the same one, and flaps. */
export const FLAP_WINDOW_MS = HOUR;
/** Longest wait for the end of a trouble that flaps. */
export const MAX_FLAP_DAMPING_MS = HOUR;
/** A container that was restarted this often, and has run less than the time below since, crashes again and again. */
export const CRASHES_AGAIN = 3;
export const STEADY_MS = 10 * MINUTE;

/** Notices in one message; the others go into the next one. */
export const MAX_NOTICES_IN_MESSAGE = 25;
/** Characters of a message's text; ntfy takes 4096 bytes, and a character has up to three bytes. */
export const MAX_TEXT_LENGTH = 6000;
export const MAX_NTFY_BYTES = 4000;
/** Pods that a cause names. */
export const MAX_NAMED_PODS = 3;

/** Time for one message: name, connection, TLS, request and answer. */
export const SEND_TIMEOUT_MS = 10 * SECOND;
/** Bytes of an answer that are read; and characters of it that are shown. */
export const MAX_ANSWER_BYTES = 4096;
export const MAX_ANSWER_LENGTH = 200;
/** Characters of a problem in status and events. */
export const MAX_PROBLEM_LENGTH = 400;

/** Waits after failures. */
export const RETRY_BACK_OFF: BackOffShape = { baseMs: 5 * SECOND, capMs: 10 * MINUTE };
export const RETRY_JITTER = 0.2;
/** A target may ask for a longer wait, but not for more. */
export const MAX_RETRY_AFTER_MS = 10 * MINUTE;
/** Between two trials that somebody asks for. */
export const MIN_TEST_INTERVAL_MS = SECOND;

/** Messages under way at once: in all, and of one namespace, so that no namespace takes all. */
export const MAX_SENDING = 32;
export const MAX_SENDING_PER_NAMESPACE = 4;
/** Until a free place is looked for again. */
export const NO_PLACE_RETRY_MS = SECOND;
/** Objects whose tries are remembered. */
export const MAX_REMEMBERED = 10_000;
/** Alertmanager takes an alert for over when it was not told again for this many of our periods; never sooner than an hour. */
export const ALERT_PERIODS = 4;
export const MIN_ALERT_LIFE_MS = HOUR;
export const MAX_ALERT_LIFE_MS = 30 * 24 * HOUR;
