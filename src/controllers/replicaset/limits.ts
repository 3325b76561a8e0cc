/** Bounds of replica sets and replication controllers. */
import type { BackOffShape } from '../../lib/index.ts';

/** Pods created or deleted in one reconcile (upstream: BurstReplicas). */
export const BURST_REPLICAS = 500;

/** A pod that is Failed when it is no older than this has failed early. */
export const FAILED_POD_SOON_MS = 5 * 60_000;
/** Between rounds of replacements of pods that failed early. */
export const FAILED_POD_BACK_OFF: BackOffShape = { baseMs: 1000, capMs: 5 * 60_000 };
/** Replacements in one round. */
export const FAILED_POD_BATCH = 10;
/** Early failures that are older than this are forgotten. */
export const FAILED_POD_FORGET_MS = 10 * 60_000;
