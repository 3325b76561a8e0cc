/** Bounds and periods of the watch over volumes that drivers and other machines serve. */

/** How often the mount table is read while a pod has such a volume. */
export const LOOK_MS = 4000;
/** A mount that is not there any more is looked for once more: its driver may be mounting it anew. */
export const CONFIRM_MS = 500;
/** How often file systems that end with a process or a server (FUSE, NFS …) are asked whether they answer. */
export const PROBE_REMOTE_MS = 12_000;
/** How often all others are asked, and drivers for the conditions of volumes (upstream: volumeStatsAggPeriod). */
export const PROBE_MS = 60_000;
/** A file system that has not answered by then hangs. */
export const PROBE_TIMEOUT_MS = 5000;
/** Programs that ask at once, or hang on dead file systems: of one server, and of all. No further one is begun beside them. */
export const MAX_PROBES_OF_SERVER = 2;
export const MAX_PROBES = 16;
/** Longest text of a file system, or of a driver, that is repeated. */
export const MAX_TOLD_LENGTH = 1024;
