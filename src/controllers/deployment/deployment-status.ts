/** A deployment's status: the sum of its replica sets, and whether the rollout makes progress. Pure. Upstream: progress.go. */
import {
  type Deployment,
  type DeploymentStatus,
  findCondition,
  nameOf,
  type ReplicaSet,
  type ReplicaSetCondition,
} from '../../api/index.ts';
import {
  availability,
  type Conditions,
  DEADLINE_EXCEEDED,
  NEW_SET_AVAILABLE,
  progressing,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { PROGRESS_CHECK_SLACK_MS, UNLIMITED } from './limits.ts';
import { desiredOf, fencepostsOf, sizeOf, sumOf } from './rollout-math.ts';

export interface StatusFacts {
  readonly deployment: Deployment;
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** As they are before this look at the counts. */
  readonly conditions: Conditions;
  /** Whether progress is judged: not while the deployment is paused or only scaled. */
  readonly estimate: boolean;
  /** For how long nothing has been said of progress, ms of our own running time. */
  readonly quietMs: number;
  /** Wall ms. */
  readonly now: number;
}

export interface StatusPlan {
  readonly status: DeploymentStatus;
  /** When the progress deadline has to be checked, ms. */
  readonly checkInMs?: number;
}

/** ms; undefined: there is none. */
export function progressDeadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === UNLIMITED ? undefined : seconds * 1000;
}

export function planStatus(facts: StatusFacts): StatusPlan {
  const { deployment, newest, old, estimate } = facts;
  const all = newest === undefined ? old : [...old, newest];
  const counts = countsOf(deployment, newest, all);
  const { maxUnavailable } = fencepostsOf(deployment);
  const enough = (counts.availableReplicas ?? 0) >= desiredOf(deployment) - maxUnavailable;
  let conditions = withCondition(facts.conditions, availability(enough), facts.now);
  let checkInMs: number | undefined;
  if (estimate) {
    ({ conditions, checkInMs } = estimateProgress({ ...facts, conditions }, counts));
    conditions = withFailure(conditions, newest, all);
  }
  const status = { ...counts, ...(conditions.length === 0 ? {} : { conditions: [...conditions] }) };
  return { status, ...(checkInMs === undefined ? {} : { checkInMs }) };
}

/** Counts that are zero are left out, except those that upstream always writes. */
function countsOf(
  { metadata, status = {} }: Deployment,
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): DeploymentStatus {
  const replicas = sumOf(all, (set) => set.status?.replicas ?? 0);
  const availableReplicas = sumOf(all, (set) => set.status?.availableReplicas ?? 0);
  const counts = {
    observedGeneration: metadata?.generation ?? 0,
    replicas,
    // A set that is coming back may still report the pods that it was about to lose: they are no success yet.
    updatedReplicas: newest === undefined ? 0 : Math.min(newest.status?.replicas ?? 0, sizeOf(newest)),
    readyReplicas: sumOf(all, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, replicas - availableReplicas),
  };
  const known = all.every((set) => set.status?.terminatingReplicas !== undefined);
  const { collisionCount } = status;
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ...(known ? { terminatingReplicas: sumOf(all, (set) => set.status?.terminatingReplicas ?? 0) } : {}),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** Every pod is of the newest template, available, and none is too many. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = desiredOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    updatedReplicas === desired &&
    replicas === desired &&
    availableReplicas === desired &&
    observedGeneration >= (deployment.metadata?.generation ?? 0)
  );
}

/** More new pods, fewer old ones, or more that are ready or available than were reported before. */
function hasProgressed(before: DeploymentStatus, next: DeploymentStatus): boolean {
  const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (next.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldPods(next) < oldPods(before) ||
    (next.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function estimateProgress(
  { deployment, newest, conditions, quietMs, now }: StatusFacts,
  counts: DeploymentStatus,
): { conditions: Conditions; checkInMs: number | undefined } {
  const deadlineMs = progressDeadlineOf(deployment);
  if (deadlineMs === undefined)
    return { conditions: withoutCondition(conditions, 'Progressing'), checkInMs: undefined };
  const current = findCondition(conditions, 'Progressing');
  const atRest = (counts.replicas ?? 0) === (counts.updatedReplicas ?? 0) && current?.reason === NEW_SET_AVAILABLE;
  if (atRest) return { conditions, checkInMs: undefined };
  const who = newest === undefined ? `Deployment ${quote(nameOf(deployment))}` : `ReplicaSet ${quote(nameOf(newest))}`;
  if (isComplete(deployment, counts)) {
    const words = progressing('True', NEW_SET_AVAILABLE, `${who} has successfully progressed.`);
    return { conditions: withCondition(conditions, words, now), checkInMs: undefined };
  }
  const checkInMs = deadlineMs + PROGRESS_CHECK_SLACK_MS;
  if (hasProgressed(deployment.status ?? {}, counts)) {
    const words = progressing('True', 'ReplicaSetUpdated', `${who} is progressing.`);
    return { conditions: withCondition(conditions, words, now, 'always'), checkInMs };
  }
  // Without a word on this rollout there is nothing that could be overdue.
  if (current === undefined || current.reason === NEW_SET_AVAILABLE || current.reason === DEADLINE_EXCEEDED)
    return { conditions, checkInMs: undefined };
  if (quietMs <= deadlineMs) return { conditions, checkInMs: checkInMs - quietMs };
  const words = progressing('False', DEADLINE_EXCEEDED, `${who} has timed out progressing.`);
  return { conditions: withCondition(conditions, words, now), checkInMs: undefined };
}

/** The problems that keep the sets from having their pods, the newest set's first. */
function withFailure(conditions: Conditions, newest: ReplicaSet | undefined, all: readonly ReplicaSet[]): Conditions {
  const failure = [...(newest === undefined ? [] : [newest]), ...all]
    .map((set) => findCondition(set.status?.conditions, 'ReplicaFailure'))
    .find((condition) => condition !== undefined);
  if (failure === undefined) return withoutCondition(conditions, 'ReplicaFailure');
  const current = findCondition(conditions, 'ReplicaFailure');
  if (current?.status === failure.status && current.reason === failure.reason) return conditions;
  return [...withoutCondition(conditions, 'ReplicaFailure'), ofDeployment(failure)];
}

function ofDeployment({ type, status, lastTransitionTime, reason, message }: ReplicaSetCondition) {
  const times = lastTransitionTime === undefined ? {} : { lastUpdateTime: lastTransitionTime, lastTransitionTime };
  return {
    type,
    status,
    ...times,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function quote(name: string): string {
  return JSON.stringify(name);
}
