/** Bounds of the ServiceCIDR controller. */

/** How long a range that nobody uses stays after its deletion: a server that has not seen it yet may give an address of it (upstream: 10 s). */
export const DELETION_GRACE_MS = 10_000;
