/** What the overview shows: plain values that any page, terminal or program can print. Times are wall ms. */

/**
 * From well to worst. done: ended as it should; starting: on its way for the first time; healing: it died, and the next start is
 * under way or waits; unready: it runs and takes no traffic; waiting: it cannot start; unknown: its node is not heard; stopped:
 * nothing more is tried.
 */
export const MOODS = [
  'done',
  'ok',
  'ending',
  'starting',
  'unready',
  'healing',
  'waiting',
  'unknown',
  'stopped',
] as const;
export type Mood = (typeof MOODS)[number];

/** The last end of a container that nobody wished for. */
export interface LastDeath {
  readonly pod: string;
  readonly container: string;
  readonly at: number;
  /** "out of memory (limit 64Mi)", "exit code 1: Error: connect ECONNREFUSED 10.0.0.7:5432" */
  readonly words: string;
  /** How long until it ran again; absent: it does not yet. */
  readonly healedMs?: number;
}

/** What happens next by itself. */
export interface NextStep {
  readonly words: string;
  /** When; absent: not known. */
  readonly at?: number;
}

export interface PodView {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly node?: string;
  readonly mood: Mood;
  /** Why it is not ok: "CrashLoopBackOff", "0/1 nodes are available: …". */
  readonly why?: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly lastDeath?: LastDeath;
  readonly next?: NextStep;
  /** Somebody paused its healing. */
  readonly paused?: true;
}

export interface WorkloadRow {
  /** "deploy", "sts", "ds", "job", "cronjob", "rs", "rc", "pod": the words that kubectl and `why` take. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The worst of its pods, or waiting if it lacks pods. */
  readonly mood: Mood;
  readonly why?: string;
  readonly ready: number;
  readonly wanted: number;
  readonly restarts: number;
  readonly lastDeath?: LastDeath;
  /** Of the pod that is worst. */
  readonly next?: NextStep;
  /** Somebody paused the healing of one of its pods, or more. */
  readonly paused?: true;
  /** Those that are not ok first. */
  readonly pods: readonly PodView[];
}

export interface NodeRow {
  readonly name: string;
  readonly mood: 'ok' | 'troubled' | 'unknown';
  /** "memory pressure", "not heard for 40s", "cordoned" */
  readonly troubles: readonly string[];
  readonly runtime: string;
  readonly agent: string;
  readonly pods: number;
}

export interface Verdict {
  readonly mood: 'ok' | 'healing' | 'troubled' | 'stopped';
  /** "41 pods healthy; 2 healed in the last hour; 1 gave up: shop/api, out of memory" */
  readonly text: string;
}

export interface Overview {
  readonly at: number;
  readonly verdict: Verdict;
  /** The worst first, then by namespace and name. */
  readonly rows: readonly WorkloadRow[];
  readonly nodes: readonly NodeRow[];
}

/** A container's own decisive words of its last life, by container id, where a node told them. */
export type Said = (containerId: string) => string | undefined;
