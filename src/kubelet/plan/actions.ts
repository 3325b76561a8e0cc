/** The actions that a plan can ask for. Each verb has one file in `execute/`, is idempotent, and decides nothing. */
import { assertNever } from '../../lib/index.ts';
import type { Allocation } from './allocation.ts';
import type { BackOffState } from './pod-memory.ts';

export type PodAction =
  | { readonly verb: 'prepare-cgroup' }
  /** `afresh`: those that failed are tried again now, not after their back-off. */
  | { readonly verb: 'prepare-volumes'; readonly afresh?: true }
  | { readonly verb: 'request-image'; readonly container: string; readonly attempt: number; readonly afresh?: true }
  | { readonly verb: 'create-sandbox'; readonly attempt: number }
  | {
      readonly verb: 'start-container';
      readonly container: string;
      readonly sandboxId: string;
      /** The restart count that the container gets; also CRI's attempt. */
      readonly attempt: number;
      readonly imageId: string;
      readonly imageUser?: { readonly uid?: number; readonly username?: string };
      readonly podIps: readonly string[];
      /**
       * The container whose processes an ephemeral container sees. `undefined` with a target named in the spec: that
       * container does not exist.
       */
      readonly targetContainerId?: string;
      /** Written on the container, so that the next decision survives the agent. */
      readonly backOff?: BackOffState;
      /** Mono ms when its last life ended by itself: for the metric. Absent: this is no recovery. */
      readonly endedAt?: number;
      /** How it is killed when its postStart hook fails. */
      readonly onHookFailure: { readonly gracePeriodSeconds: number; readonly restart: boolean };
    }
  | {
      readonly verb: 'stop-container';
      readonly container: string;
      readonly containerId: string;
      /** The rest of the grace period at the plan's time; 0 kills at once. */
      readonly graceMs: number;
      /** Mono ms when the grace ends: the same in every plan, so that a stop never seems to overtake itself. */
      readonly deadline: number;
      /** Never less than this between the stop signal and SIGKILL: an earlier stop may not have reached the runtime. */
      readonly atLeastMs: number;
      /** Text of the Killing event; absent when it was said before (a shorter grace overtakes). */
      readonly message?: string;
      readonly preStop: boolean;
    }
  /** The preStop hook of a sidecar that stops later: hooks run at once, as upstream's do. */
  | {
      readonly verb: 'pre-stop';
      readonly container: string;
      readonly containerId: string;
      /** The rest of the grace period at the plan's time. */
      readonly graceMs: number;
      /** Text of the Killing event. */
      readonly message: string;
    }
  /** Sets the pod's cgroup, and those of running containers, from what they had to what they have been given. */
  | {
      readonly verb: 'resize';
      readonly containers: readonly { readonly name: string; readonly containerId: string }[];
      readonly from: Allocation;
      readonly to: Allocation;
    }
  /** No start begun earlier may go on. */
  | { readonly verb: 'cancel-starts' }
  | { readonly verb: 'stop-sandbox'; readonly sandboxId: string }
  /**
   * Removes what the containers shared, for a restart of the whole pod: the cgroup, and the content of these emptyDirs ("*":
   * of all).
   */
  | {
      readonly verb: 'refresh-pod';
      /** Its id. */
      readonly restart: string;
      readonly emptyDirs: readonly string[];
      /** Names of volumes that do not work, which are mounted anew. */
      readonly volumes: readonly string[];
    }
  | { readonly verb: 'remove-sandbox'; readonly sandboxId: string }
  | { readonly verb: 'remove-container'; readonly containerId: string; readonly logPath: string }
  | {
      readonly verb: 'read-termination-message';
      readonly container: string;
      readonly containerId: string;
      readonly restartCount: number;
      readonly logPath: string;
      /** FallbackToLogsOnError and it failed. */
      readonly fallbackToLogs: boolean;
    }
  /** Volumes and cgroup. */
  | { readonly verb: 'reclaim-pod' }
  /** The logs; last of all. */
  | { readonly verb: 'remove-pod-logs' };

/** One key per thing done: a second action with a key in flight is not started (a shorter stop excepted). */
export function jobKey(action: PodAction): string {
  switch (action.verb) {
    case 'request-image':
    case 'start-container':
      return `${action.verb}/${action.container}`;
    case 'stop-container':
    case 'pre-stop':
    case 'remove-container':
    case 'read-termination-message':
      return `${action.verb}/${action.containerId}`;
    case 'stop-sandbox':
    case 'remove-sandbox':
      return `${action.verb}/${action.sandboxId}`;
    case 'prepare-cgroup':
    case 'prepare-volumes':
    case 'create-sandbox':
    case 'resize':
    case 'cancel-starts':
    case 'refresh-pod':
    case 'reclaim-pod':
    case 'remove-pod-logs':
      return action.verb;
    default:
      return assertNever(action);
  }
}

/** How an action ended, as data. */
export type Outcome = {
  readonly action: PodAction;
  readonly at: { readonly wall: number; readonly mono: number };
} & (
  | { readonly ok: true; readonly containerId?: string; readonly terminationMessage?: string }
  | {
      readonly ok: false;
      /** For a container start: as in `state.waiting.reason`. */
      readonly reason: string;
      readonly message: string;
      /** The start was called off by a termination: no failure. */
      readonly cancelled?: boolean;
      /** It was started and must not go on: its postStart hook failed. */
      readonly killContainerId?: string;
    }
);
