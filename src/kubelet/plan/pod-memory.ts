/**
 * What a pod worker remembers between passes. `note` is durable (one file per pod, written before the action that it
 * justifies); `volatile` lives as long as the agent. Times in the note are wall ms, because it outlives every monotonic clock.
 */
import type { HealingScope, PodCondition, RestartOutcome, RestartScope } from '../../api/index.ts';
import type { Allocation, ContainerAllocation } from './allocation.ts';

/** CrashLoopBackOff's entry: the delay before the next restart, and when the last restart was decided. */
export interface BackOffState {
  /** Of container name, image and resources: another key is a fresh curve. */
  readonly key: string;
  readonly delayMs: number;
  /** Wall ms. */
  readonly lastUpdate: number;
  /** On a policy's own curve: restarts since it began anew. */
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
  /** The delay that its back-off's curve gave before the next start; absent: none was asked for. */
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

/** We killed this container so that it is started again, whatever its exit code says. */
export interface RequestedRestart {
  readonly containerId: string;
  readonly message: string;
  readonly gracePeriodSeconds: number;
  /** Wall ms. */
  readonly requestedAt: number;
  /** False: it is only killed (a failed probe under restartPolicy Never). */
  readonly restart: boolean;
  /** Its preStop hook is not run: all containers are restarted, and that is to be quick (KEP-5532). */
  readonly skipPreStop?: boolean;
  /** What made us kill it, for whoever weighs its death; absent: something else (a changed image). */
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
  /** Ends of starts with a smaller restart count are history: it begins anew (KEP-5532, and restarts that were asked for). */
  readonly freshFrom?: number;
  /** What containers with a smaller restart count have written on them of the back-off is forgotten: its curve began anew. */
  readonly curveFrom?: number;
  /** The container whose end is history and was its own all the same: its back-off still holds. */
  readonly ownEnd?: string;
  /** Id of the pod's recovery that its last start knew, or that ended its wait. */
  readonly recovered?: string;
  /** What this container was resized to since it was made (KEP-1287). */
  readonly applied?: { readonly containerId: string; readonly resources: ContainerAllocation };
}

/** All containers are being restarted, because of how those named here ended (KEP-5532). */
export interface RestartOfAll {
  readonly sources: readonly string[];
}

/** A restart that goes on: somebody asked for it, or it is a rung of the ladder. */
export interface GoingRestart {
  /** The request's; of a rung, made from what it answers. Done once. */
  readonly id: string;
  readonly source: 'request' | 'ladder';
  readonly scope: RestartScope;
  /** Of scope container. */
  readonly container?: string;
  readonly reason: string;
  readonly by?: string;
  readonly gracePeriodSeconds?: number;
  /** Past back-offs and a stopped ladder. */
  readonly force: boolean;
  /** Of scope pod: emptyDirs that begin empty; "*": all. */
  readonly emptyDirs: readonly string[];
  /** Wall ms. */
  readonly begunAt: number;
  /** Of scope pod, once it is known: sandboxes up to this attempt are of the life that ends. */
  readonly oldSandboxAttempt?: number;
  /** Of scope pod: cgroup and emptyDirs of that life are gone. */
  readonly refreshed?: boolean;
  /** What was to end has ended, and may be started: what ends from now on is of the new life. */
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
  /** It costs no attempt: it waits for another's restart, or is what becomes of a move that nobody answered. */
  readonly uncounted?: 'joined' | 'fallback';
}

/** A container that is not started any more, as it was when that was decided: once changed it begins anew. */
export interface StoppedContainer {
  /** The death at which it was decided. */
  readonly containerId: string;
  /** Of image and resources (`backOffKey`). */
  readonly key: string;
  /** Why; absent: what is said of the pod. */
  readonly message?: string;
}

/** Why nothing more is tried: as in the condition. */
export type StopReason = 'AttemptsExhausted' | 'MaxPodRestarts' | 'RuleStop' | 'NoOtherNode';

/** An episode of healing, from the first death until all was well for long enough. */
export interface HealingNote {
  /** Of the policy: another one begins anew. */
  readonly policy: string;
  readonly rung: HealingScope;
  /** Newest first, at most `MAX_LADDER_ATTEMPTS`. */
  readonly attempts: readonly LadderAttempt[];
  /** Whole-pod restarts by the ladder in the pod's life: kept when an episode ends. */
  readonly podRestarts: number;
  /** Wall ms: when the episode began; absent: none goes on. */
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

/** What the pod waited for may be well again: back-offs that began before end now, once. */
export interface Recovery {
  readonly id: string;
  /** Wall ms, by our own clock. */
  readonly at: number;
  readonly cause: string;
  /** What containers are made from changed: it concerns each life that began before, whenever that ended. */
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

/** How the pod ends, fixed by somebody other than its containers (rejected, evicted, past its deadline). */
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
  /** What became of the restarts asked for last; newest first, at most `MAX_RESTART_OUTCOMES`. */
  readonly restartOutcomes?: readonly RestartOutcome[];
  /** Restarts of containers that no end of their own led to. */
  readonly cleanRestarts?: number;
  readonly healing?: HealingNote;
  readonly recovery?: Recovery;
  /** Wall ms, newest first, at most `MAX_EARLY_ENDS`: when recoveries ended waits. */
  readonly earlyEnds?: readonly number[];
  /** What surrounds the pod, by name (`Circumstances`): kept, so that a change while the agent was away is seen. */
  readonly circumstances?: Readonly<Record<string, SeenCircumstance>>;
  /** What the containers have been given; absent: what the spec says, which asks for nothing or was never looked at. */
  readonly allocated?: Allocation;
  /** What the pod's cgroup was last set for, where a resize made that differ. */
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
  /** Wall times already mapped to mono ms, by a name of what they tell of. */
  readonly mapped: Readonly<Record<string, number>>;
  /** By job key. */
  readonly failures: Readonly<Record<string, JobFailure>>;
  /** Keys of jobs that need not be done again (cgroup prepared, sandbox ID stopped). */
  readonly done: Readonly<Record<string, true>>;
  /** Container IDs whose BackOff event was emitted. */
  readonly backOffReported: Readonly<Record<string, true>>;
}

export interface PodMemory {
  readonly note: PodNote;
  readonly volatile: PodVolatile;
}

export const EMPTY_VOLATILE: PodVolatile = { mapped: {}, failures: {}, done: {}, backOffReported: {} };

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
