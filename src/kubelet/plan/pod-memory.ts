/**
 * The memory of a pod worker between passes. `note` is durable (one file per pod, written before the action that it
 * justifies); `volatile` lives as long as the agent. Times in the note are wall ms, because it outlives every monotonic
 * clock.
 */
import type { HealingScope, PodCondition, RestartOutcome, RestartScope } from '../../api/index.ts';
import type { Allocation, ContainerAllocation } from './allocation.ts';

/** CrashLoopBackOff's entry: the delay before the next restart, and when the last restart was decided. */
export interface BackOffState {
  /** Of container name, image and resources: another key means a fresh curve. */
  readonly key: string;
  readonly delayMs: number;
  /** Wall ms. */
  readonly lastUpdate: number;
  /** On a policy's own curve: restarts since the curve was reset. */
  readonly restarts?: number;
}

/** One end of one container. */
export interface Death {
  readonly containerId: string;
  readonly restartCount: number;
  readonly exitCode: number;
  readonly reason: string;
  /** Wall ms, 0 when unknown. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly message: string;
  /** The termination message has been read (or cannot be): `message` is final. */
  readonly messageRead: boolean;
  /** The delay that its back-off's curve gave before the next start; absent: no curve was asked. */
  readonly delayMs?: number;
}

/** A start that did not come about. `attempt` is the restart count that it would have had. */
export interface StartFailure {
  readonly attempt: number;
  readonly failures: number;
  /** As in `state.waiting.reason`. */
  readonly reason: string;
  readonly message: string;
  /** Wall ms. */
  readonly failedAt: number;
}

/** This container was killed to be started again, whatever its exit code says. */
export interface RequestedRestart {
  readonly containerId: string;
  readonly message: string;
  readonly gracePeriodSeconds: number;
  /** Wall ms. */
  readonly requestedAt: number;
  /** False: it is only killed (a failed probe under restartPolicy Never). */
  readonly restart: boolean;
  /** Its preStop hook is not run: a restart of all containers has to be quick (KEP-5532). */
  readonly skipPreStop?: boolean;
  /** What is wrong with the pod's sandbox, for which the container is killed. */
  readonly lostSandbox?: string;
  /** The cause of the kill, for later decisions about the death; absent: something else (a changed image). */
  readonly cause?: 'liveness' | 'startup' | 'hook' | 'restart';
}

export interface ContainerMemory {
  /** The newest container known to exist or to have existed. */
  readonly newest?: { readonly containerId: string; readonly restartCount: number; readonly startedAt: number };
  /** Newest first, at most `MAX_DEATHS_REMEMBERED`. */
  readonly deaths: readonly Death[];
  readonly backOff?: BackOffState & { /** The restart that this state was decided for. */ readonly attempt: number };
  readonly failure?: StartFailure;
  /** A start of this restart count was sent and did not come about: its command may have begun, so the count is not used again. */
  readonly usedAttempt?: number;
  readonly kill?: RequestedRestart;
  /** Ends of starts with a smaller restart count are history: the container starts again (KEP-5532, and requested restarts). */
  readonly freshFrom?: number;
  /** The back-off that is written on containers with a smaller restart count is ignored: its curve was reset. */
  readonly curveFrom?: number;
  /** The container whose end is history and was nevertheless its own: its back-off still holds. */
  readonly ownEnd?: string;
  /** Id of the pod's recovery that its last start knew, or that ended its wait. */
  readonly recovered?: string;
  /** The resources to which this container was resized since it was made (KEP-1287). */
  readonly applied?: { readonly containerId: string; readonly resources: ContainerAllocation };
}

/** All containers are being restarted, because of how those named here ended (KEP-5532). */
export interface RestartOfAll {
  readonly sources: readonly string[];
}

/** A restart that is under way: somebody requested it, or a rung of the ladder asked for it. */
export interface GoingRestart {
  /** The request's id; of a rung, derived from the death that it answers. A restart with this id is done once. */
  readonly id: string;
  readonly source: 'request' | 'ladder';
  readonly scope: RestartScope;
  /** With scope container. */
  readonly container?: string;
  readonly reason: string;
  readonly by?: string;
  readonly gracePeriodSeconds?: number;
  /** Past back-offs and a stopped ladder. */
  readonly force: boolean;
  /** With scope pod: emptyDirs that begin empty; "*": all. */
  readonly emptyDirs: readonly string[];
  /** Names of volumes for which the ladder restarts the pod: they are mounted anew. */
  readonly volumes?: readonly string[];
  /** Others serve the pod's clients meanwhile: it is not ready from the beginning on, and its traffic goes before the signal. */
  readonly leaves?: boolean;
  /** Wall ms. */
  readonly begunAt: number;
  /** With scope pod, once it is known: sandboxes up to this attempt belong to the life that ends. */
  readonly oldSandboxAttempt?: number;
  /** With scope pod: cgroup and emptyDirs of that life are gone. */
  readonly refreshed?: boolean;
  /** All that had to end has ended and may be started: ends from now on belong to the new life. */
  readonly starting?: boolean;
}

/** One answer of the ladder to one death. */
export interface LadderAttempt {
  readonly scope: HealingScope;
  readonly container: string;
  /** The death that it answers, by the container's id: answered once. */
  readonly containerId: string;
  /** Wall ms. */
  readonly at: number;
  /** It costs no attempt: it waits for another's restart, or follows a move that was not answered. */
  readonly uncounted?: 'joined' | 'fallback';
}

/** A container that is not started any more, as it was when that was decided: a change of it resets the ladder. */
export interface StoppedContainer {
  /** The death at which it was decided. */
  readonly containerId: string;
  /** Of image and resources (`backOffKey`). */
  readonly key: string;
  /** The reason; absent: the pod's. */
  readonly message?: string;
}

/** Why nothing more is tried: as in the condition. */
export type StopReason = 'AttemptsExhausted' | 'MaxPodRestarts' | 'RuleStop' | 'NoOtherNode';

/** An episode of healing, from the first death until all was well for long enough. */
export interface HealingNote {
  /** Hash of the policy: another one resets the ladder. */
  readonly policy: string;
  readonly rung: HealingScope;
  /** Newest first, at most `MAX_LADDER_ATTEMPTS`. */
  readonly attempts: readonly LadderAttempt[];
  /** Whole-pod restarts by the ladder in the pod's life: kept when an episode ends. */
  readonly podRestarts: number;
  /** Wall ms: the beginning of the episode; absent: none is under way. */
  readonly since?: number;
  /** "container web exited with 137 (OOMKilled)". */
  readonly cause?: string;
  readonly stopped?: {
    readonly reason: StopReason;
    readonly message: string;
    /** Wall ms. */
    readonly at: number;
    /** By name. */
    readonly containers: Readonly<Record<string, StoppedContainer>>;
  };
  /** Wall ms: since when all containers have been well. */
  readonly wellSince?: number;
  /** The wish to leave this node. */
  readonly move?: { readonly id: string; readonly cause: string /** Wall ms. */; readonly at: number };
}

/** The circumstance that the pod waited for may be well again: back-offs that began before end now, once. */
export interface Recovery {
  readonly id: string;
  /** Wall ms, by our own clock. */
  readonly at: number;
  readonly cause: string;
  /** The inputs of containers changed: this concerns each life that began before, whenever that ended. */
  readonly lasting?: boolean;
  /** Id of the last signal of the healing controller, whether this came of it or not: each is taken once. */
  readonly signal?: string;
  /** Wall ms: when it first ended a wait. */
  readonly endedAt?: number;
}

/** A circumstance as it was last seen. */
export interface SeenCircumstance {
  readonly value: string;
  /** Wall ms: since when, or, of trouble, until when at least. */
  readonly at: number;
}

/** A wish to end the pod, as data: deletion, eviction, deadline, completion and orphanhood are one input. */
export interface TerminationRequest {
  readonly reason:
    | 'Deleted'
    | 'Orphaned'
    | 'Completed'
    | 'Rejected'
    | 'DeadlineExceeded'
    | 'Evicted'
    | 'Preempting'
    | 'NodeShutdown';
  readonly message: string;
  readonly gracePeriodSeconds: number;
  /** Wall ms. */
  readonly requestedAt: number;
  /** Condition to add, e.g. DisruptionTarget. */
  readonly condition?: PodCondition;
}

/** The end of the pod, decided by something other than its containers (rejected, evicted, past its deadline). */
export interface FixedEnd {
  readonly phase: 'Succeeded' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

export interface PodNote {
  readonly name: string;
  readonly namespace: string;
  readonly admitted: boolean;
  /** Wall ms: status.startTime. */
  readonly startTime?: number;
  readonly sandboxAttempt?: number;
  /** The sandbox in which all init containers are done. */
  readonly initializedSandboxId?: string;
  readonly containers: Readonly<Record<string, ContainerMemory>>;
  readonly restartAll?: RestartOfAll;
  readonly restart?: GoingRestart;
  /** The outcomes of the last requested restarts; newest first, at most `MAX_RESTART_OUTCOMES`. */
  readonly restartOutcomes?: readonly RestartOutcome[];
  /** Restarts of containers that no end of their own led to. */
  readonly cleanRestarts?: number;
  readonly healing?: HealingNote;
  /** The last id in `mendlet.dev/try-now` that was taken: each is taken once. */
  readonly triedNow?: string;
  readonly recovery?: Recovery;
  /** Wall ms, newest first, at most `MAX_EARLY_ENDS`: when recoveries ended waits. */
  readonly earlyEnds?: readonly number[];
  /** The pod's circumstances, by name (`Circumstances`): kept, so that a change while the agent was away is noticed. */
  readonly circumstances?: Readonly<Record<string, SeenCircumstance>>;
  /** The resources allocated to the containers; absent: the spec's, which asks for none or was never looked at. */
  readonly allocated?: Allocation;
  /** The resources for which the pod's cgroup was last set, if a resize made that differ. */
  readonly cgroupFor?: Allocation;
  readonly termination?: TerminationRequest;
  readonly end?: FixedEnd;
  /** Volumes and cgroup are given back. */
  readonly reclaimed: boolean;
}

/** A failed job that may be tried again: nothing loops hot. */
export interface JobFailure {
  readonly failures: number;
  readonly message: string;
  /** Mono ms. */
  readonly retryAt: number;
}

export interface PodVolatile {
  /** Wall times already mapped to mono ms, by a name of what they describe. */
  readonly mapped: Readonly<Record<string, number>>;
  /** By job key. */
  readonly failures: Readonly<Record<string, JobFailure>>;
  /** Keys of jobs that need not be done again (cgroup prepared, sandbox ID stopped). */
  readonly done: Readonly<Record<string, true>>;
  /** Container IDs whose BackOff event was sent. */
  readonly backOffReported: Readonly<Record<string, true>>;
}

export interface PodMemory {
  readonly note: PodNote;
  readonly volatile: PodVolatile;
}

export const EMPTY_VOLATILE: PodVolatile = { mapped: {}, failures: {}, done: {}, backOffReported: {} };

/** Its clients are to go elsewhere, until all that a restart ends has ended. */
export function leavesToRestart({ restart }: PodNote): boolean {
  return restart?.leaves === true && restart.starting !== true;
}

/** Memory of a pod never seen before. */
export function emptyMemory(namespace: string, name: string): PodMemory {
  return { note: { name, namespace, admitted: false, containers: {}, reclaimed: false }, volatile: EMPTY_VOLATILE };
}

/** Memory of one container; empty when there is none yet. */
export function containerMemory(note: PodNote, name: string): ContainerMemory {
  return note.containers[name] ?? { deaths: [] };
}

export function withContainer(note: PodNote, name: string, memory: ContainerMemory): PodNote {
  return { ...note, containers: { ...note.containers, [name]: memory } };
}
