/** What verbs are given: ports, settings of the node and other parts of the agent, and the results with which they end. */
import type { Pod } from '../../api/index.ts';
import type { RuntimeService } from '../../cri/index.ts';
import { type Clock, errorMessage, type FileSystem, type Logger } from '../../lib/index.ts';
import type { Cgroups, ProbeTransport } from '../ports.ts';
import type { EnvironmentResolver, ImageManager, PodEvents, VolumeManager, NodeResources } from '../types.ts';
import type { RuntimeClasses } from '../runtime-classes.ts';
import type { Outcome } from '../plan/actions.ts';
import { MAX_FAILURE_MESSAGE } from './limits.ts';
import { isMistake } from '../mistakes.ts';
import type { ExecuteMetrics } from './execute-metrics.ts';

export interface ExecuteConfig {
  readonly instanceId: string;
  readonly rootDir: string;
  readonly podLogsDir: string;
  readonly nodeName: string;
  readonly dns: NodeDns;
  /** Processes and threads of each pod; −1: any number. */
  readonly podPidsLimit: number;
  readonly seccompDefault: boolean;
  /** Whether the runtime makes host ports; false: they are rules of ours. */
  readonly mapsPorts: boolean;
}

/** Where pods on this node ask for names. */
export interface NodeDns {
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** The node's own resolver settings; empty: it has none. */
  readonly resolvConf: string;
}

/** The facts about the node once it has been read. */
export interface ExecuteNode {
  readonly hostIps: readonly string[];
  /** Of the whole machine: the kernel's OOM score is a share of it. */
  readonly memoryBytes: number;
  readonly allocatable: NodeResources;
}

export interface ExecutePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: FileSystem;
  readonly runtime: RuntimeService;
  readonly cgroups: Cgroups;
  readonly probeTransport: ProbeTransport;
}

/** The other parts of the agent that verbs ask and tell. */
export interface ExecuteParts {
  readonly volumes: VolumeManager;
  readonly images: ImageManager;
  readonly environment: EnvironmentResolver;
  readonly runtimeClasses: RuntimeClasses;
  readonly events: PodEvents;
  readonly node: () => ExecuteNode;
  /** Absent: nobody records deaths, and secrets are known by their form alone. */
  readonly blackBox?: ExecuteBlackBox;
}

export interface ExecuteBlackBox {
  /** Resolves when the logs of the pod's dead containers are not needed any more, and soon in any case. */
  logsRead(uid: string): Promise<void>;
  /** The values of the Secrets that the pod uses, soon in any case. */
  secretValues(pod: Pod): Promise<readonly string[]>;
}

export interface VerbContext {
  readonly ports: ExecutePorts;
  readonly config: ExecuteConfig;
  readonly parts: ExecuteParts;
  readonly metrics: ExecuteMetrics;
}

/** One job: its pod, and the ways to hurry it or call it off. */
export interface Job {
  readonly pod: Pod;
  /** The start was called off: nothing more may be started. */
  cancelled: boolean;
  /** The note that justifies it is written, or could not be; absent: it is. Everything but a start waits for it before it begins. */
  readonly noted?: Promise<unknown>;
  /** Aborted when a shorter grace has overtaken this stop, or the agent ends. */
  readonly signal: AbortSignal;
}

/** An outcome without its frame. */
export type VerbResult =
  | { readonly ok: true; readonly containerId?: string; readonly terminationMessage?: string }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly message: string;
      readonly cancelled?: boolean;
      /** A container that was started and must not go on (its postStart hook failed). */
      readonly killContainerId?: string;
    };

export const DONE: VerbResult = { ok: true };

export function failed(reason: string, error: unknown): VerbResult {
  // A mistake in the code is not an outcome: it is reported as such.
  if (isMistake(error)) throw error;
  return { ok: false, reason, message: errorMessage(error).slice(0, MAX_FAILURE_MESSAGE) };
}

export function outcomeOf(action: Outcome['action'], result: VerbResult, at: Outcome['at']): Outcome {
  return { action, at, ...result };
}
