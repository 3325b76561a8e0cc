/** Bounds of the environment and its ConfigMaps and Secrets. */

/** ConfigMaps and Secrets kept; the least recently used go first. */
export const MAX_CACHED_OBJECTS = 1000;
/**
 * The age up to which the read of an object that nobody follows is used again (upstream's ttl strategy: 1 min): pods that
 * start together share it, and a restart after `kubectl apply` sees the new value.
 */
export const CONFIG_TTL_MS = 1000;
/** Deadline of one read from the API server. */
export const CONFIG_READ_TIMEOUT_MS = 10_000;
/**
 * Objects watched at the same time; further ones are polled. A Go server ends at 250 streams per HTTP/2 connection, and the
 * agent's other watches and calls share it.
 */
export const MAX_WATCHED_OBJECTS = 150;
/** How often an object that is not watched is read, and up to which fraction longer. */
export const POLL_MS = 15_000;
export const POLL_JITTER = 0.5;
/** How long a container's start waits for the first list of services. */
export const SERVICES_WAIT_MS = 5000;

/**
 * The most that Linux accepts of one string (MAX_ARG_STRLEN of 4 KiB pages) and of all of them (a quarter of a stack of 8
 * MiB).
 */
export const KERNEL_STRING_BYTES = 128 * 1024;
export const KERNEL_TOTAL_BYTES = 2 * 1024 * 1024;
/** The sizes that no Linux accepts, whatever its pages and limits: such a container is not even created. */
export const MAX_STRING_BYTES = 2 * 1024 * 1024;
export const MAX_TOTAL_BYTES = 6 * 1024 * 1024;
/** Variables of services, at most, and together with the container's own: room is left for what its image adds. */
export const MAX_SERVICE_BYTES = 1024 * 1024;
export const MAX_WITH_SERVICES_BYTES = 1536 * 1024;
/** Named in one message. */
export const MAX_NAMED_VARIABLES = 3;
export const MAX_NAMED_SERVICES = 10;
/** Containers whose last reports are remembered. */
export const MAX_TOLD_CONTAINERS = 1000;
