/** Upstream's bound on the operations of one JSON Patch. */
export const MAX_OPERATIONS = 10_000;
/** Characters of JSON that all `copy` operations of one patch may copy together: the size of a request body. */
export const MAX_COPIED_CHARACTERS = 3 * 1024 * 1024;
