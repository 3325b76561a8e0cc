/**
 * A node's records of a pod's deaths, as its own API, `kubectl get --raw` and `mendlet history` show them. Times are RFC 3339
 * with milliseconds.
 */

export interface PodHistory {
  readonly apiVersion: 'mendlet.dev/v1alpha1';
  readonly kind: 'PodHistory';
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly nodeName: string;
  /** The controller that made it; absent: none, or its node recorded it before it recorded owners. */
  readonly owner?: PodHistoryOwner;
  /**
   * Absent: the pod exists. If a server no longer has the pod and its node has not noted that yet, the server sets the time
   * of the answer.
   */
  readonly goneAt?: string;
  /** Those that died, or that run and refuse a probe. */
  readonly containers: readonly ContainerHistory[];
}

export interface PodHistoryOwner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface PodHistoryList {
  readonly apiVersion: 'mendlet.dev/v1alpha1';
  readonly kind: 'PodHistoryList';
  /** The pod that is there, then those gone last. */
  readonly items: readonly PodHistory[];
  /** Nodes that may have further records, and why they did not answer. */
  readonly notAsked?: readonly UnaskedNode[];
}

export interface UnaskedNode {
  readonly node: string;
  readonly problem: string;
}

/** All pods that a node remembers deaths of. */
export interface PodHistoryIndex {
  readonly apiVersion: 'mendlet.dev/v1alpha1';
  readonly kind: 'PodHistoryIndex';
  readonly nodeName: string;
  readonly items: readonly {
    readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
    readonly owner?: PodHistoryOwner;
    readonly goneAt?: string;
    /** Of all containers, including forgotten records. */
    readonly total: number;
  }[];
}

export interface ContainerHistory {
  readonly name: string;
  /** All deaths ever, those forgotten included. */
  readonly total: number;
  /** Oldest first: the first, then the last ones. */
  readonly deaths: readonly DeathRecord[];
  /**
   * For the present life: probes whose connection was refused, and where the pod listened then. From the agent's memory; in
   * no file.
   */
  readonly refused?: readonly FailedProbe[];
}

export interface DeathRecord {
  /** The container's first death is 1. */
  readonly number: number;
  readonly containerId: string;
  readonly restartCount: number;
  readonly image?: string;
  readonly startedAt?: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  /** For exit codes above 128: "SIGKILL". */
  readonly signal?: string;
  /** As in the container's status: OOMKilled, Error, Completed … */
  readonly reason: string;
  readonly message?: string;
  /** A process was killed for memory, and the container lived on: no end, and not counted as a restart. */
  readonly survived?: boolean;
  readonly oom?: OomProof;
  /** How its CPU limit held it back; absent: it had none, or never wanted to run, or nothing was counted. */
  readonly cpu?: CpuThrottling;
  /** The probe that made us kill it, and its last words. */
  readonly probe?: FailedProbe;
  /** Somebody asked for this end, or a rung of the ladder did. */
  readonly requested?: { readonly by?: string; readonly reason?: string; readonly scope: string; readonly id?: string };
  /** It ended because its pod's sandbox was lost, which nobody asked for: what was seen of the sandbox. */
  readonly sandboxLost?: string;
  /** Changes in the minutes before, newest first. */
  readonly changes?: readonly { readonly at: string; readonly what: string }[];
  /** The delay chosen before its restart, seconds; absent: it is not started again. */
  readonly backOffSeconds?: number;
  /** The rung of the ladder that answered it. */
  readonly rung?: string;
  /** The end of its log. */
  readonly log?: DeathLog;
}

/** What is kept of a dead container's log. */
export interface DeathLog {
  readonly tail: string;
  /** There was more of it. */
  readonly truncated: boolean;
  /** The decisive line, secrets masked; found in more of the log than the tail. Absent after exit code 0. */
  readonly says?: string;
}

/** Why we say that memory was the cause. */
export interface OomProof {
  /** Processes of the container that the kernel killed, as its cgroup counted while it lived. */
  readonly kills?: number;
  readonly limitBytes?: number;
  readonly peakBytes?: number;
  /** The killed processes, as the kernel's log names them. */
  readonly processes?: readonly { readonly name: string; readonly pid: number; readonly rssBytes?: number }[];
  readonly sources: readonly ('cgroup' | 'kernel-log' | 'runtime')[];
}

/**
 * Counters of its cgroup's cpu.stat in the last minute of its life, as they were read while it lived: earlier throttling says
 * nothing about its end. For a shorter life all of it; for one that was not read before (a new agent) the part that was read.
 */
export interface CpuThrottling {
  /** Periods of 100 ms in which it wanted to run. */
  readonly periods: number;
  /** Those of the periods in which its limit throttled it. */
  readonly throttledPeriods: number;
  /** Thousandths of a core; its pod's where it had none of its own. */
  readonly limitMillicores: number;
}

export interface FailedProbe {
  readonly type: 'liveness' | 'startup' | 'readiness';
  /** Newest first, bounded. */
  readonly outputs: readonly { readonly at: string; readonly output: string }[];
  /**
   * The ports on which the pod listened when a connection was refused, bounded; empty: none. Absent: the pod refused none, or
   * they could not be looked up.
   */
  readonly listening?: readonly ListeningPort[];
}

/** A listening TCP port in a pod's network. */
export interface ListeningPort {
  readonly port: number;
  /** It is bound to this address alone, which cannot be reached from outside of the pod: "127.0.0.1", "::1". */
  readonly loopback?: string;
  /** A process of this container listens; false: of another one. Absent: that could not be found out. */
  readonly own?: boolean;
}

/** A listening port with who holds it, as the node sees it just now. */
export interface PodListeningPort extends Omit<ListeningPort, 'own'> {
  /** The container whose process holds the socket. Absent: that could not be found out. */
  readonly container?: string;
  /** The name of that process (comm): "haproxy". A program may give itself any. */
  readonly process?: string;
}

/** The node API's answer to /mendlet/v1/listening. */
export interface ListeningPorts {
  readonly apiVersion: string;
  readonly kind: 'ListeningPorts';
  /** Of TCP. */
  readonly ports: readonly PodListeningPort[];
  /** Of UDP: the sockets that wait for anybody. Absent: an older node. */
  readonly udp?: readonly PodListeningPort[];
}

/** frozen: its cgroup is frozen; stopped: its main process got SIGSTOP; traced: a debugger holds it. */
export type Hold = 'frozen' | 'stopped' | 'traced';

/** The node API's answer to /mendlet/v1/held: the running containers of a pod that are held from running. */
export interface HeldContainers {
  readonly apiVersion: string;
  readonly kind: 'HeldContainers';
  readonly containers: readonly { readonly name: string; readonly hold: Hold }[];
  /** The oldest process of a container that is stopped (SIGSTOP), its main one included. Absent: an older node. */
  readonly stopped?: readonly (StoppedProcess & { readonly container: string })[];
}

export interface StoppedProcess {
  /** Its name (comm): "node". A program may give itself any. */
  readonly process: string;
  /** As its container sees it. */
  readonly pid: number;
}
