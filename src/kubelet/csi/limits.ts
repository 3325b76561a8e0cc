/** Bounds of volumes that CSI drivers serve. */

/** Calls to one driver at once; further ones wait, so that a driver that hangs holds no more than these. */
export const MAX_CALLS_PER_DRIVER = 8;
/** From any note to any goal: unpublish, unstage, stage, publish, and what is dropped between. More is a mistake of ours. */
export const MAX_STEPS = 16;
/** Registered drivers of one node. A folder with more sockets has a mistake in it. */
export const MAX_DRIVERS = 64;
/** A note of a volume: its paths, and the pods that have it. */
export const MAX_NOTE_BYTES = 256 * 1024;
/** Sockets that are looked at in the registration folder. */
export const MAX_SOCKETS = 256;
/** A registration that failed is tried again after this, doubling. */
export const REGISTRATION_BACK_OFF = { baseMs: 500, capMs: 60_000 };
/** Tries of a write that somebody else's write came before. */
export const MAX_CONFLICTS = 5;
/** Figures of volumes are asked for at most this often, for each pod. */
export const STATS_MAX_AGE_MS = 60_000;
/** How long a measurement waits for drivers. */
export const STATS_WAIT_MS = 2000;
/** Longest name of a driver (CSI). */
export const MAX_DRIVER_NAME_LENGTH = 63;
/** Longest text of a driver's own that is repeated in an event. */
export const MAX_TOLD_LENGTH = 1024;
/** How often volumes of drivers with `requiresRepublish` are published anew; upstream goes by its sync period. */
export const REPUBLISH_MS = 60_000;
/** Pods that are named because one waits for them. */
export const MAX_PODS_TOLD = 5;
