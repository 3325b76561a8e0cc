/** Bounds and periods of volumes. */

/** Operations on volumes (set-ups; and, apart, tear-downs) that are begun at once. */
export const MAX_CONCURRENT_OPERATIONS = 8;
/** An operation that takes longer gives its place to others and continues without one. */
export const OVERDUE_MS = 1000;
/** Operations that may go on without a place; when there are more, the next ones keep theirs. */
export const MAX_OVERDUE_OPERATIONS = 256;
/** A set-up that takes longer is reported as failed, and counts as set up if it succeeds after all. */
export const SETUP_DEADLINE_MS = 35_000;
/** How long a tear-down waits for set-ups under way, before it fails to be tried again. */
export const TEAR_DOWN_WAIT_MS = 10_000;
/** Back-off of a failed set-up. Upstream's goes up to 2 m 2 s. */
export const SETUP_BACK_OFF = { baseMs: 500, capMs: 30_000 };
/** How often a node looks whether a volume has been attached. */
export const ATTACH_BACK_OFF = { baseMs: 200, capMs: 5000 };
/** An unchanged problem is reported again after this time, in which an object's budget of events (client-go) refills. */
export const EVENT_REPEAT_MS = 300_000;
/** Upstream: podAttachAndMountTimeout. */
export const WAIT_FOR_MOUNT_MS = 123_000;
/** Changes of a source that follow one another faster are written together. */
export const MIN_SYNC_INTERVAL_MS = 200;
/** How often the content of ConfigMap, Secret, downward API and projected volumes is compared with its source. */
export const REFRESH_MS = 60_000;
/** Up to this fraction longer, so that pods that started together do not refresh together. */
export const REFRESH_JITTER = 0.5;
/** Deadline of one mount or umount; then it is killed, and waited for a little more. */
export const MOUNT_TIMEOUT_MS = 30_000;
export const MOUNT_KILL_WAIT_MS = 2000;
/** A ConfigMap or Secret is 1 MiB at most; a projected volume may join several. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
/** The memory that such a volume may take: the old content, the new one and their folders. */
export const CONTENT_TMPFS_BYTES = 64 * 1024 * 1024;
export const MAX_MOUNTINFO_BYTES = 16 * 1024 * 1024;
/** A note of a persistent volume that a pod has: a name and a path. */
export const MAX_PUBLICATION_NOTE_BYTES = 16 * 1024;
/** Linux: PATH_MAX and NAME_MAX. */
export const MAX_PATH_LENGTH = 4095;
export const MAX_NAME_LENGTH = 255;
/** Service account tokens kept. */
export const MAX_CACHED_TOKENS = 2000;
/** A token is renewed after this part of its life, or at this age, whichever is sooner (upstream: pkg/kubelet/token). */
export const TOKEN_RENEW_FRACTION = 0.8;
export const TOKEN_MAX_AGE_MS = 24 * 3_600_000;
/** At most this much sooner, so that a node's tokens are not all renewed at once. */
export const TOKEN_JITTER_MS = 10_000;
/** A token that could not be renewed is tried again after this. */
export const TOKEN_RETRY_MS = 10_000;

/** A restart of the whole pod waits so long for files to be brought up to date, and then takes them as they are. */
export const REFRESH_WAIT_MS = 10_000;
