/** Bounds of the black box. */

/** Deaths kept of each container beside its first. */
export const MAX_LAST_DEATHS = 50;
/** One pod's file; the oldest deaths between the first and the last go first. */
export const MAX_POD_BYTES = 512 * 1024;
/** All files of the node together, and how many there may be; pods gone longest go first. */
export const MAX_NODE_BYTES = 64 * 1024 * 1024;
export const MAX_PODS = 2000;
/** The first line of a file names its pod. */
export const MAX_HEAD_BYTES = 2048;

/** The end of a container's log that is kept with its death. */
export const LOG_TAIL_LINES = 40;
export const LOG_TAIL_BYTES = 4096;
/** The first death tells most. */
export const FIRST_LOG_TAIL_LINES = 160;
export const FIRST_LOG_TAIL_BYTES = 16_384;
/** Read from the end of the file to find those: CRI's line heads take space too. */
export const LOG_READ_FACTOR = 4;

/** Longest time in which the values of a pod's Secrets are awaited before its death is recorded. */
export const SECRETS_WAIT_MS = 1000;
export const MAX_SECRET_VALUES = 200;
/** Shorter lines of a value of several lines are not masked: they also match innocent text. */
export const MIN_SECRET_LINE_CHARACTERS = 12;

export const MAX_MESSAGE_CHARACTERS = 1024;

/** Failed outputs kept of each probe, and the length of each. */
export const MAX_PROBE_OUTPUTS = 5;
export const MAX_PROBE_OUTPUT_CHARACTERS = 1024;
/** TCP ports kept of a pod that refused a probe: its own come first. */
export const MAX_LISTENING_PORTS = 16;
/** A container that keeps refusing is looked at no more often than this, except at the failure for which its probe fails. */
export const LISTENING_PERIOD_MS = 5000;
/** Containers whose failed probes are kept at the same time. */
export const MAX_PROBED_CONTAINERS = 1000;

/** The time before a death in which changes are recorded with it. */
export const CHANGES_WINDOW_MS = 600_000;
export const MAX_CHANGES = 8;
/** A change that is noticed this long after a death may have happened before it, because watches take time. */
export const CHANGE_DELAY_MS = 1000;
/** ConfigMaps, Secrets and pods whose changes are kept at the same time. */
export const MAX_CHANGED_SUBJECTS = 1000;

/** Deaths being written down at once: their logs read, their files replaced. */
export const MAX_RECORDINGS_AT_ONCE = 4;
/** Deaths waiting for that; further ones are dropped and counted. */
export const MAX_WAITING_RECORDINGS = 512;
/** Changes of one pod's file that wait for the disk; the oldest are dropped and counted. */
export const MAX_WAITING_EDITS = 128;
/** A file that could not be written is tried again after this, or with its next change. */
export const WRITE_RETRY_MS = 10_000;
/** How long a container's end may be held back as not yet put away, before what there is of its log is taken. */
export const ENDING_HOLD_MS = 10_000;
/** Longest time that a removal of logs waits for their tails to be read. */
export const LOG_WAIT_MS = 2000;

/** How often files of pods that are gone too long are looked for. */
export const SWEEP_PERIOD_MS = 60_000;
/** How long deaths of a pod that is gone are kept. */
export const DEFAULT_RETENTION_MS = 24 * 3_600_000;
/** Files set aside because they could not be read, and temporary ones, are removed after this. */
export const SET_ASIDE_RETENTION_MS = 24 * 3_600_000;

/** Lives of pods of one name in one answer, newest first. */
export const MAX_HISTORIES = 16;

/** How often the counters of running containers are read, for memory and for CPU limits. */
export const SAMPLE_PERIOD_MS = 10_000;
/** Containers read before the loop has its turn. */
export const SAMPLES_PER_TURN = 50;
/** A container that lives so long after one of its processes was killed for memory has survived it. */
export const OOM_SURVIVAL_MS = 2000;
/** After this many looks that see no process in a container that is said to run, its group counts as unreadable. */
export const OOM_UNSEEN_LOOKS = 5;
/**
 * An end by SIGKILL within this time after a reported survival, with no kill counted since, belongs to that kill: it was no
 * survival.
 */
export const OOM_TAKE_BACK_MS = 30_000;
/** A survivor's loss is reported at most this often, and noted at most that often. */
export const OOM_EVENT_PERIOD_MS = 60_000;
/** A container that keeps ending with the same words is reported at most this often. */
export const SAID_EVENT_PERIOD_MS = 1_800_000;
export const OOM_NOTE_PERIOD_MS = 10_000;
/** Containers whose counters are kept, and reports of the kernel that fit none of them yet. */
export const MAX_OOM_CONTAINERS = 2000;
export const MAX_OOM_REPORTS = 200;
/** Processes named in one proof. */
export const MAX_OOM_PROCESSES = 8;

/** A container whose end nobody saw, and whose sandbox is found lost within this time after it, ended with its sandbox. */
export const LOST_SANDBOX_WINDOW_MS = 10_000;

/** The end of a life over which is counted how often its CPU limit held it back. */
export const CPU_STRETCH_MS = 60_000;
/** Containers whose CPU counters are kept. */
export const MAX_CPU_CONTAINERS = 2000;
