/** Bounds of the volumes that are folders of this node. */

/** A name becomes the name of a file with an ending, and Linux allows 255 bytes. Those of provisioned volumes have 40. */
export const MAX_VOLUME_NAME = 200;
/** Volumes of one node. */
export const MAX_VOLUMES = 10_000;
/** Entry of the ledger, or note in a folder. */
export const MAX_NOTE_BYTES = 16 * 1024;
/** Body of a request. */
export const MAX_REQUEST_BYTES = 16 * 1024;
/** How often the disk of the volumes is looked at. A failing disk must be said within ten seconds. */
export const LOOK_PERIOD_MS = 4000;
/** A look that takes longer finds a disk that hangs. */
export const LOOK_TIMEOUT_MS = 5000;
/** A disk that stays full is told again after this. */
export const FULL_REPEAT_MS = 300_000;
/** Lost volumes that the node's annotation names. */
export const MAX_LOST_TOLD = 50;
/** Entries of a volume that are counted for its usage. */
export const MAX_USAGE_ENTRIES = 200_000;
