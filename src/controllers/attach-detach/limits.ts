/** Bounds of attaching and detaching. */

/** A node that is not heard keeps a volume that nobody needs there any more for so long (upstream: ReconcilerMaxWaitForUnmountDuration). */
export const MAX_WAIT_FOR_UNMOUNT_MS = 360_000;

/** An attachment or detachment that takes longer is told to the pods that wait for it (upstream: the timeout of CSI calls). */
export const ATTACH_TIMEOUT_MS = 120_000;

/** How often a problem that lasts is told again, doubling (upstream: the back-off of volume operations). */
export const PROBLEM_BACK_OFF = { baseMs: 500, capMs: 122_000 };

/** Tries of a write to a node that others write, too. */
export const MAX_CONFLICTS = 5;

/** A node that turned out to use the volume when it was asked is asked again after this. */
export const LOOK_AGAIN_MS = 1000;

/** Longest text of a driver that is repeated in an event. */
export const MAX_TOLD_LENGTH = 1024;
