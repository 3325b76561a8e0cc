/** Bounds of volumes that CSI drivers serve. */

/** Calls to one driver at once; further ones wait, so that a driver that hangs holds no more than these. */
export const MAX_CALLS_PER_DRIVER = 8;
/** Questions to one driver at once, beside these calls. */
export const MAX_QUESTIONS_PER_DRIVER = 4;
/** From any note to any goal: unpublish, unstage, stage, publish, and what is dropped between. More is a mistake of ours. */
export const MAX_STEPS = 16;
/** Registered drivers of one node. A folder with more sockets has a mistake in it. */
export const MAX_DRIVERS = 64;
/** A note of a volume: its paths, and the pods that have it. */
export const MAX_NOTE_BYTES = 256 * 1024;
/** Kept free in a note for the words of later steps, and for each pod in it. */
export const NOTE_RESERVE_BYTES = 512;
export const PUBLICATION_RESERVE_BYTES = 16;
/** Sockets that are looked at in the registration folder. */
export const MAX_SOCKETS = 256;
/** Files that are looked at in that folder, whatever they are. */
export const MAX_FILES = 1024;
/** Labels of the node for one driver's topology. */
export const MAX_TOPOLOGY_KEYS = 64;
/** A registration that failed is tried again after this, doubling. */
export const REGISTRATION_BACK_OFF = { baseMs: 500, capMs: 60_000 };
/** Registrations at one path that do not wait, as long as no quiet time is between them. */
export const FREE_REGISTRATIONS = 5;
/** After this time without a registration a path is as good as new. */
export const REGISTRATION_PACE_MS = 120_000;
/** Problems of one path are events at most this often. */
export const EVENT_PACE_MS = 60_000;
/** Tries of a write that somebody else's write came before. */
export const MAX_CONFLICTS = 5;
/** Figures of volumes are asked for at most this often, for each pod. */
export const STATS_MAX_AGE_MS = 60_000;
/** How long a measurement waits for drivers. */
export const STATS_WAIT_MS = 2000;
/** Longest name of a driver (CSI). */
export const MAX_DRIVER_NAME_LENGTH = 63;
/** Longest id that a driver may give a node (the API's limit). */
export const MAX_NODE_ID_LENGTH = 192;
/** How often volumes of drivers with `requiresRepublish` are published anew; upstream goes by its sync period. */
export const REPUBLISH_MS = 60_000;
/** Pods that are named because one waits for them. */
export const MAX_PODS_TOLD = 5;
/** How often the size of a claim is looked at, while its driver can expand volumes; upstream goes by its sync period. */
export const EXPANSION_LOOK_MS = 60_000;
