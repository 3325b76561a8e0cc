/** Bounds and periods of the figures. */

/** How often CPU time is read for rates (cAdvisor: the kubelet's housekeeping interval, 10 s). */
export const SAMPLE_PERIOD_MS = 10_000;
/** The first ones come sooner (pods are not known at once), so that a fresh start soon has rates. */
export const FIRST_SAMPLE_GAPS_MS: readonly number[] = [2_000, 5_000];
/** A rate over less time would measure the clock's granularity. */
export const MIN_RATE_WINDOW_MS = 5_000;
/** A rate over more time would describe the past. */
export const MAX_RATE_WINDOW_MS = 60_000;
/** Samples kept of one group: enough that one of them is old enough. */
export const MAX_SAMPLES = 4;

/** A summary this old is given again; one that was asked for fresh, within the second. */
export const SUMMARY_MAX_AGE_MS = 5_000;
export const FRESH_SUMMARY_MAX_AGE_MS = 1_000;
/** Pods whose groups are read before the event loop gets a turn. */
export const PODS_PER_TURN = 8;

/** The runtime's own figures (writable layers, images): how long they count. containerd renews them each 10 s itself. */
export const RUNTIME_STATS_MAX_AGE_MS = 10_000;
/** Deadline of a question to the runtime, and the longest that an answer of ours waits for it. */
export const RUNTIME_STATS_TIMEOUT_MS = 2_000;
export const RUNTIME_STATS_WAIT_MS = 2_000;
/** Containers asked about at once when the question about all of them fails. */
export const MAX_CONCURRENT_RUNTIME_STATS = 8;

/** How long what a folder takes up counts (upstream: volumeStatsAggPeriod, 1 min). */
export const DISK_USAGE_MAX_AGE_MS = 60_000;
/** Folders walked at once, each for at most this long and this far; larger ones have no figure. */
export const MAX_CONCURRENT_WALKS = 2;
export const WALK_TIMEOUT_MS = 60_000;
export const MAX_WALK_ENTRIES = 1_000_000;
/** Longest that an answer waits for walks under way; then it has the figures from before, or none. */
export const WALKS_WAIT_MS = 2_000;
/** Longest that `/metrics` waits for the volumes of claims. */
export const CLAIMS_WAIT_MS = 3_000;
