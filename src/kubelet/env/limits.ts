/** Bounds of the environment and its ConfigMaps and Secrets. */

/** ConfigMaps and Secrets kept; the least recently used go first. */
export const MAX_CACHED_OBJECTS = 1000;
/** How old a cached object may be when it is used (upstream's ttl strategy: 1 min; ours is short because a get is cheap). */
export const CONFIG_TTL_MS = 10_000;
/** Deadline of one read from the API server. */
export const CONFIG_READ_TIMEOUT_MS = 10_000;
