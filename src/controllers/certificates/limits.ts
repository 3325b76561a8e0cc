/** Bounds of the controllers of certificates. */

/** Life of what is signed when nothing shorter is asked for (upstream: --cluster-signing-duration). */
export const CERTIFICATE_LIFE_MS = 365 * 24 * 3_600_000;
/** Other machines' clocks may be a little behind (upstream: 5 min). */
export const CERTIFICATE_BACKDATE_MS = 5 * 60_000;
/** How often a request is looked at again whose sender lacks the right to automatic approval. */
export const CERTIFICATE_RETRY_MS = 60_000;

/** How long requests are kept (upstream: the csrcleaner's). */
export const DECIDED_LIFE_MS = 3_600_000;
export const PENDING_LIFE_MS = 24 * 3_600_000;
