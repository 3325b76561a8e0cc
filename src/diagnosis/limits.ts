/** Bounds and windows of diagnoses. */

const MINUTE = 60_000;

/** Times of objects, events and states count whole seconds: two of one moment may differ by as much. */
export const ROUNDING_MS = 1000;

/** A death counts as recent within this time; upstream's back-off is reset after the same time. */
export const RECENT_DEATH_MS = 10 * MINUTE;
/** This many deaths of a container within the window are a finding, even if it runs at the moment. */
export const MANY_DEATHS = 3;
export const MANY_DEATHS_WINDOW_MS = 24 * 60 * MINUTE;
/** Normal time to be scheduled, created or ready; a longer wait is a finding. */
export const NORMAL_START_MS = 30_000;
/** What somebody else should do at once is worth a note from then on. */
export const SOON_MS = 10_000;
/** An init container that runs for longer is asked what it waits for. */
export const SLOW_INIT_MS = 15_000;
/** An init container that runs for longer, and serves, does not end. */
export const SERVING_INIT_MS = 30_000;
/** An init container that runs for longer is a finding, because the other containers wait for it. */
export const LONG_INIT_MS = 5 * MINUTE;
/** An autoscaler that is younger has not seen enough of its target's metrics. */
export const YOUNG_AUTOSCALER_MS = MINUTE;
/** A Job's pod that runs for longer after a container of it has ended well is held open by the others. */
export const HELD_OPEN_MS = MINUTE;
/** A pod is stuck when its deletion is this late. Its deletion time already includes its grace period. */
export const LATE_DELETION_MS = 30_000;
/** A container that was told to end and runs for longer ends slowly; that is half of the default grace period. */
export const SLOW_END_MS = 15_000;
/**
 * The number of failures of a probe that are a finding although the probe has not killed, the last within this time. Recorders
 * limit a pod with many events to one in five minutes.
 */
export const PROBE_TROUBLE_COUNT = 3;
export const PROBE_TROUBLE_MS = 15 * MINUTE;
/** Maximum mean distance between these failures; a probe that fails once an hour has another cause. */
export const PROBE_TROUBLE_GAP_MS = 5 * MINUTE;
/** A container that lived for this long answered its probes: an overloaded machine kills late, but not by minutes. */
export const PROVING_LIFE_MS = 5 * MINUTE;
/** A probe that asks this late, first or again, is told while it is waited for; one that asks very late is a warning, seconds. */
export const LATE_PROBE_SECONDS = 120;
export const VERY_LATE_PROBE_SECONDS = 300;
/** Share of throttled periods, among the periods in which a container wanted to run, that is a finding. */
export const THROTTLED_SHARE = 0.25;
export const THROTTLED_MIN_PERIODS = 20;
/** The same minimum for a life that a probe ended, as a short life has few periods. */
export const THROTTLED_MIN_PERIODS_OF_DEATH = 10;
/** Kills by probes of pods of one owner within this time are a cascade. */
export const CASCADE_WINDOW_MS = MINUTE;
export const CASCADE_MIN_PODS = 3;

/** A change that is longer before the beginning of a trouble has probably nothing to do with it; nodes record no older ones. */
export const CHANGED_BEFORE_MS = 10 * MINUTE;
/** Deaths with no longer life between them are one trouble. */
export const SAME_ROW_MS = 10 * MINUTE;
/** Changes quoted of one trouble, the latest. */
export const MAX_CHANGES_QUOTED = 3;

/** Lines at the end of a log that are searched for a cause. */
export const LOG_LINES_SEARCHED = 160;
/** Characters of a text that are masked before it is cut to a quotation. */
export const MAX_MASKED_LENGTH = 8192;
/** Longest quotation, in characters. */
export const MAX_QUOTE_LENGTH = 400;
/** Findings of one diagnosis, and pieces of evidence of one finding. */
export const MAX_FINDINGS = 20;
export const MAX_QUOTES = 6;
/** Names listed in one sentence. */
export const MAX_NAMES = 10;
