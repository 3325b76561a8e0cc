/** Bounds of execution. */

/**
 * Sandboxes being created at once: each runs CNI plugins, which are processes. With 50 pods at once on two busy cores, 8, 10
 * and 16 took the same time (6.6 to 10.8 s, three rounds in turns, no order among them): the bound only keeps the rest alive.
 */
export const MAX_SANDBOX_CREATIONS = 10;
/** Containers being created and started at once. */
export const MAX_CONTAINER_STARTS = 16;
/** Removals at once: they must never crowd out a start. */
export const MAX_REMOVALS = 2;

/** Upstream's runtimeRequestTimeout; a stop gets it on top of its grace. */
export const RUNTIME_REQUEST_TIMEOUT_MS = 120_000;
/** Upstream gives creating a sandbox twice the usual time. */
export const SANDBOX_TIMEOUT_MS = 240_000;
/** A postStart hook has no time-out upstream; this only bounds a forgotten one. */
export const POST_START_TIMEOUT_MS = 3_600_000;
/** Characters of a failed hook's command, and of what it said, that are told; of its output the end is read, and somewhat more is masked. */
export const MAX_HOOK_COMMAND = 120;
export const MAX_HOOK_OUTPUT = 500;
export const MAX_HOOK_OUTPUT_READ = 8192;
export const MAX_HOOK_OUTPUT_MASKED = 65_536;
/** httpGet hooks (upstream: lifecycle handler's client). */
export const HTTP_HOOK_TIMEOUT_MS = 30_000;

/** Upstream: MaxContainerTerminationMessageLength and the log fallback's limits. */
export const MAX_TERMINATION_MESSAGE_BYTES = 4096;
export const MAX_TERMINATION_LOG_BYTES = 2048;
export const MAX_TERMINATION_LOG_LINES = 80;
/** Read from the end of a log to find those: CRI's line heads take space too. */
export const TERMINATION_LOG_READ_BYTES = 16_384;

/** Longest texts of failures kept in status and events. */
export const MAX_FAILURE_MESSAGE = 1024;

/** Limits of resolv.conf (upstream: MaxDNSNameservers, MaxDNSSearchPaths, MaxDNSSearchListChars, DNS1123SubdomainMaxLength). */
export const MAX_DNS_SERVERS = 3;
export const MAX_DNS_SEARCHES = 32;
export const MAX_DNS_SEARCH_CHARACTERS = 2048;
export const MAX_DNS_NAME = 253;
/** A node's own resolv.conf and hosts file, as they are read. */
export const MAX_RESOLV_CONF_BYTES = 65_536;
export const MAX_HOSTS_FILE_BYTES = 1_048_576;

/** Longest label of a name (a longer pod name is cut), and longest name that Linux takes as a hostname. */
export const MAX_HOSTNAME_LABEL = 63;
export const MAX_KERNEL_HOSTNAME = 64;
