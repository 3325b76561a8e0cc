/** Bounds of the scheduler. */

/** Bindings and reports under way at once. Decisions are always made one after another. */
export const WRITE_CONCURRENCY = 32;

/** Decisions are made in a row for at most this long; then the event loop gets its turn. */
export const TURN_MS = 10;

/** A pod that fits nowhere is tried again after 1 s, doubling to 10 s, when something changed (upstream's pod back-off). */
export const POD_BACK_OFF = { baseMs: 1000, capMs: 10_000 };

/** The pods that may be tried before their back-off is over, when no other pod waits. */
export const EARLY_RETRIES = { burst: 100, perSecond: 20 };

/**
 * A pod that fits nowhere is tried again after this time even if nothing changed (upstream's
 * podMaxInUnschedulablePodsDuration).
 */
export const UNSCHEDULABLE_FLUSH_MS = 300_000;

/** A longer message is cut for the event (upstream's NoteLengthLimit). */
export const MAX_MESSAGE_LENGTH = 1024;

/** The back-off of a pod whose attempt failed for a reason outside the pod, e.g. a refused binding. */
export const BIND_BACK_OFF = { baseMs: 50, capMs: 10_000 };

/** A binding without an answer that did not take effect is sent this many times before another node may be chosen. */
export const BIND_TRIES = 3;

/** Victims of one preemption that are ended at once. */
export const VICTIMS_AT_ONCE = 16;

/** Pending pods that `refusals` places on nodes before it answers where another pod would fit. */
export const MAX_FORESEEN_PODS = 100;

/** A pod waits so long for its volumes, then it is decided again (upstream: VolumeBindingArgs.bindTimeoutSeconds). */
export const VOLUME_BIND_TIMEOUT_MS = 600_000;

/** A node that could not make a claim's volume is not chosen again for it before this time. */
export const REFUSED_NODE_MS = 60_000;
