/** Bounds of status delivery. */

/** Deliveries under way at once. */
export const MAX_CONCURRENT_DELIVERIES = 10;
/** Back-off of one pod's delivery while the server is away or refuses. */
export const DELIVERY_BACK_OFF = { baseMs: 100, capMs: 30_000 };
/** Deadline of one call. */
export const DELIVERY_TIMEOUT_MS = 20_000;
/** Writes of one status in a row: the second takes back what the answer to the first showed of others. */
export const MAX_TELLS = 2;
