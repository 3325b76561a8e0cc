/** Bounds of the scheduler. */

/** Bindings under way at once. Decisions are made one after another whatever this is. */
export const BIND_CONCURRENCY = 16;

/** A pod that fits nowhere is tried again after 1 s, doubling to 10 s, when something changed (upstream's pod back-off). */
export const POD_BACK_OFF = { baseMs: 1000, capMs: 10_000 };

/** … and after this even if nothing did (upstream's podMaxInUnschedulablePodsDuration). */
export const UNSCHEDULABLE_FLUSH_MS = 300_000;

/** A longer message is cut for the event (upstream's NoteLengthLimit). */
export const MAX_MESSAGE_LENGTH = 1024;

/** A binding that failed for no fault of the pod is tried again soon, then ever less often. */
export const BIND_BACK_OFF = { baseMs: 50, capMs: 10_000 };
