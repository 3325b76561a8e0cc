/** Bounds of the scheduler. */

/** Bindings and reports under way at once. Decisions are made one after another whatever this is. */
export const WRITE_CONCURRENCY = 32;

/** Decisions are made in a row for so long, then others get their turn. */
export const TURN_MS = 10;

/** A pod that fits nowhere is tried again after 1 s, doubling to 10 s, when something changed (upstream's pod back-off). */
export const POD_BACK_OFF = { baseMs: 1000, capMs: 10_000 };

/** When no other pod waits, so many may be tried before their back-off is over. */
export const EARLY_RETRIES = { burst: 100, perSecond: 20 };

/** … and after this even if nothing did (upstream's podMaxInUnschedulablePodsDuration). */
export const UNSCHEDULABLE_FLUSH_MS = 300_000;

/** A longer message is cut for the event (upstream's NoteLengthLimit). */
export const MAX_MESSAGE_LENGTH = 1024;

/** What failed for no fault of the pod is tried again soon, then ever less often. */
export const BIND_BACK_OFF = { baseMs: 50, capMs: 10_000 };

/** A binding without an answer that did not take effect is sent again so often before another node may be chosen. */
export const BIND_TRIES = 3;

/** Victims of one preemption that are ended at once. */
export const VICTIMS_AT_ONCE = 16;

/** Pods that wait for a node, and are foreseen to take room when somebody asks where another one could go. */
export const MAX_FORESEEN_PODS = 100;
