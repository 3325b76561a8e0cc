/** The types of a diagnosis: findings that quote their evidence, as plain data that callers print as text or JSON. */
import type { ListeningPort } from './evidence/kinds.ts';

/** critical: it does not work; warning: it works, but something went wrong lately or will; info: worth knowing. */
export type Severity = 'critical' | 'warning' | 'info';

/** One piece of evidence, quoted as it was read. */
export type Quote =
  /** A field of an object: "spec.containers[0].livenessProbe.httpGet.port". `of` names the object when it is not the subject. */
  | { readonly source: 'field'; readonly of?: string; readonly path: string; readonly value: string }
  | {
      readonly source: 'event';
      readonly of?: string;
      readonly reason: string;
      readonly message: string;
      readonly count: number;
      /** RFC 3339. */
      readonly lastSeen?: string;
    }
  /** A line of a container's log. `death`: the line is from the life that ended with this death. */
  | { readonly source: 'log'; readonly container: string; readonly death?: number; readonly line: string }
  /** One end of a container. */
  | {
      readonly source: 'death';
      readonly container: string;
      /** Absent: the node's history could not be read. */
      readonly number?: number;
      readonly exitCode: number;
      readonly signal?: string;
      readonly reason: string;
      readonly message?: string;
      /** RFC 3339. */
      readonly finishedAt?: string;
      readonly livedSeconds?: number;
    }
  /** The output of a probe. */
  | {
      readonly source: 'probe';
      readonly container: string;
      readonly type: ProbeType;
      readonly output: string;
      readonly count?: number;
      /** RFC 3339. */
      readonly at?: string;
    }
  /** The ports on which the pod listened when a probe of this container was refused. */
  | { readonly source: 'listening'; readonly container: string; readonly ports: readonly ListeningPort[] }
  /** A figure of a cgroup: "memory peak", "periods throttled". */
  | { readonly source: 'cgroup'; readonly container?: string; readonly figure: string; readonly value: string }
  /** What changed shortly before the trouble began: "12s before the first death of web: Secret db changed". */
  | {
      readonly source: 'change';
      /** RFC 3339. */
      readonly at: string;
      readonly secondsBefore: number;
      readonly before: string;
      readonly says: string;
    }
  /** The state of another object: "service/db: 0 of 2 endpoints ready". */
  | { readonly source: 'object'; readonly object: string; readonly says: string };

export type ProbeType = 'liveness' | 'readiness' | 'startup';

export interface Finding {
  /** Stable: "out-of-memory". */
  readonly id: string;
  readonly severity: Severity;
  /** One plain sentence without a full stop. */
  readonly says: string;
  readonly container?: string;
  readonly evidence: readonly Quote[];
  /** Command lines to try next, the most useful first. */
  readonly try: readonly string[];
  /** A piece of a manifest that would help, as YAML. */
  readonly manifest?: string;
  /** The pods that a finding of a workload or a node is about. */
  readonly pods?: readonly string[];
}

/** A finding with the fields that order it among others. */
export interface RankedFinding extends Finding {
  /** 0 to 100; higher is more significant. */
  readonly rank: number;
  /** The question that it answers: "end/web" (why did it end), "start/web", "ready/web", "schedule", "phase" … */
  readonly topic: string;
  /** The service that is the cause; findings of several workloads that blame the same one are told together. */
  readonly blames?: Blame;
  /** The finding says what happened, but not why; it is left out when another finding explains the same topic. */
  readonly fallback?: boolean;
}

export interface Blame {
  /** "shop/db"; a peer that is no service by its name. */
  readonly service: string;
  /** "service db has no endpoint that is ready" */
  readonly says: string;
  /** Its pod that is ill itself, which is a finding of its own wherever many objects are asked about. */
  readonly pod?: string;
}

export interface Subject {
  /** "pod", "deployment", "node" … */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly nodeName?: string;
}

/** The answer to one question. */
export interface Diagnosis {
  readonly apiVersion: 'mendlet.dev/v1alpha1';
  readonly kind: 'Diagnosis';
  readonly subject: Subject;
  /** The state in kubectl's words: "CrashLoopBackOff, next start in 2m10s". */
  readonly state: string;
  /** Whether it is as its spec wants it now; without findings it may still be on its way there. */
  readonly asWanted: boolean;
  /** The most significant first. */
  readonly findings: readonly Finding[];
  /** Of a pod or a workload without findings: the last errors that its containers wrote, after which they went on; absent: none. */
  readonly lastErrors?: readonly LastError[];
  /** Objects that could not be read, with reasons. No conclusion is drawn from them. */
  readonly notLookedAt: readonly string[];
}

/** An error in the log of a container that runs on. */
export interface LastError {
  readonly pod: string;
  readonly container: string;
  /** Secrets masked. */
  readonly line: string;
}
