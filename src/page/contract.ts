/**
 * The wire types of the live page: what its server gives it, and what it asks for. Plain JSON; all times are wall ms.
 *
 *   GET  /                 the page with its first state, or the login form for who has no session
 *   POST /login            Login → 204 with a cookie, or Refusal
 *   POST /logout           → 204
 *   GET  /stream?from=N    StreamMessage, one for each line; `from`: the revision that the page has, absent: none
 *   GET  /life?id=ID       Life
 *   GET  /logs?…           LogQuery → text lines
 *   GET  /rights?namespace=NS   Rights
 *   POST /acts             Act → ActAnswer, or Refusal
 *
 * Whatever is refused is answered with a status of 400 or more and a Refusal. 401 says that the session is over.
 */

/** As in the overview, from well to worst. */
export type Mood = 'done' | 'ok' | 'ending' | 'starting' | 'unready' | 'healing' | 'waiting' | 'unknown' | 'stopped';

/** The last end of a container that nobody wished for. */
export interface PageDeath {
  readonly pod: string;
  readonly container: string;
  readonly at: number;
  readonly words: string;
  /** How long until it ran again; absent: it does not yet. */
  readonly healedMs?: number;
}

/** What happens next by itself; the page counts down to `at`. */
export interface PageNext {
  readonly words: string;
  readonly at?: number;
}

export interface PageRow {
  /** "kind/namespace/name" */
  readonly id: string;
  /** "deploy", "sts", "ds", "job", "cronjob", "rs", "rc", "pod": words that kubectl takes. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly mood: Mood;
  readonly why?: string;
  readonly ready: number;
  readonly wanted: number;
  /** Of the pods that there are. */
  readonly restarts: number;
  /** In the last 24 hours. */
  readonly restartsDay?: number;
  readonly lastDeath?: PageDeath;
  readonly next?: PageNext;
  /** Addresses that take traffic now; absent: no service chooses these pods. */
  readonly endpoints?: number;
  /** Healing is paused for it. */
  readonly paused?: boolean;
  /**
   * The last 24 hours: up to 96 cells of 15 minutes, the oldest first, the last one is now. o: ok, d: degraded, x: dead,
   * h: healed, ?: unknown, .: not there.
   */
  readonly bar: string;
  /** At most 50, the worst first. */
  readonly pods: readonly PagePod[];
  /** Pods beyond these. */
  readonly podsLeftOut?: number;
}

export interface PagePod {
  readonly name: string;
  readonly node?: string;
  readonly mood: Mood;
  readonly why?: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly containers: readonly string[];
}

export interface PageNode {
  readonly name: string;
  readonly mood: 'ok' | 'troubled' | 'unknown';
  readonly troubles: readonly string[];
  readonly runtime: string;
  readonly agent: string;
  readonly pods: number;
  readonly diskUsedPercent?: number;
  /** The version of the API server that runs on it. */
  readonly server?: string;
}

/** Deaths that were healed in a span of time. */
export interface Recovery {
  readonly healed: number;
  /** Without a human. */
  readonly healedAlone: number;
  readonly meanMs?: number;
  readonly p90Ms?: number;
}

export interface PageVerdict {
  readonly mood: 'ok' | 'healing' | 'troubled' | 'stopped';
  readonly text: string;
}

/** The server itself does not hear from the cluster: what it gives is of then. */
export interface Staleness {
  readonly since: number;
  readonly problem: string;
}

export interface PageState {
  /** Of the feed; grows with each delta. */
  readonly revision: number;
  readonly at: number;
  readonly cluster: string;
  readonly you: string;
  /** The page was opened for acting, and not read-only. */
  readonly mayWrite: boolean;
  readonly verdict: PageVerdict;
  readonly day: Recovery;
  readonly week: Recovery;
  /** The page sorts them itself: the worst first, then by namespace and name. */
  readonly rows: readonly PageRow[];
  readonly nodes: readonly PageNode[];
  readonly stale?: Staleness;
}

/** What changed. Absent fields are as they were; `stale: null` ends a staleness. */
export interface Delta {
  readonly type: 'delta';
  readonly revision: number;
  readonly at: number;
  readonly verdict?: PageVerdict;
  readonly day?: Recovery;
  readonly week?: Recovery;
  readonly nodes?: readonly PageNode[];
  readonly stale?: Staleness | null;
  /** Changed or new, whole. */
  readonly rows?: readonly PageRow[];
  /** Ids of rows that are no more. */
  readonly gone?: readonly string[];
}

export type StreamMessage =
  | { readonly type: 'full'; readonly state: PageState }
  | Delta
  /** Every ten seconds (`BEAT_MS`): all is as it was. */
  | { readonly type: 'beat'; readonly at: number };

/** The feed sends a beat this often; a page that misses two of them calls its data stale. */
export const BEAT_MS = 10_000;

/** All that is known of a workload. Lists are bounded by the server; texts come masked and without control characters. */
export interface Life {
  readonly row: PageRow;
  /** The newest first. */
  readonly deaths: readonly LifeDeath[];
  readonly findings: readonly LifeFinding[];
  /** The newest first. */
  readonly events: readonly LifeEvent[];
  /** Absent: no node keeps figures of it. */
  readonly series?: Series;
  /** What could not be had, in words: "node n2 does not answer". */
  readonly missing?: readonly string[];
}

export interface LifeDeath extends PageDeath {
  /** "exit code 137 (SIGKILL)" */
  readonly exit: string;
  readonly evidence: {
    readonly lastLines: readonly string[];
    readonly probes: readonly string[];
    /** "511 Mi of 512 Mi" */
    readonly memory?: string;
    readonly cpu?: string;
  };
  /** What changed before: "image shop/api:1.4 → 1.5, 2 min before". */
  readonly before: readonly string[];
  /** What was done about it, the first first. */
  readonly done: readonly string[];
}

export interface LifeFinding {
  readonly severity: 'critical' | 'warning' | 'info';
  readonly headline: string;
  readonly evidence: readonly string[];
  readonly commands: readonly string[];
}

export interface LifeEvent {
  readonly at: number;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** "pod/api-7d9f" */
  readonly object: string;
  readonly words: string;
  readonly count: number;
}

/** Figures over the last day; null: not known. Lists are equally long, the oldest first. */
export interface Series {
  readonly stepMs: number;
  /** When the first step begins. */
  readonly from: number;
  /** Cores in use. */
  readonly cpu: readonly (number | null)[];
  /** Bytes in use. */
  readonly memory: readonly (number | null)[];
  /** In that step. */
  readonly restarts: readonly (number | null)[];
}

/** The query of GET /logs, as text. */
export interface LogQuery {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** "true": of the container that died before this one. */
  readonly previous?: 'true';
  /** "true": the answer ends only when the container does. */
  readonly follow?: 'true';
}

export const ACTS = ['restart', 'try-now', 'pause', 'resume'] as const;
export type ActName = (typeof ACTS)[number];

/** What the user may do in a namespace. */
export type Rights = Readonly<Record<ActName, { readonly allowed: boolean; readonly reason?: string }>>;

export interface Act {
  readonly act: ActName;
  /** As in PageRow; "pod" for one pod. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Only with kind "pod": this container alone. */
  readonly container?: string;
}

export interface ActAnswer {
  readonly ok: true;
  /** "shop/api restarts, one pod at a time" */
  readonly words: string;
}

/** The code of a one-time link, or a token as the API server takes it. */
export type Login = { readonly code: string } | { readonly token: string };

export interface Refusal {
  readonly words: string;
}
