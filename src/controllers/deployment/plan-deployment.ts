/**
 * Plans one step for a deployment, after which it is looked at again. Pure. Upstream: syncDeployment.
 *
 *   being deleted         ─► status alone
 *   paused                ─► sizes in proportion, old sets cleaned up
 *   another size          ─► sizes in proportion
 *   Recreate              ─► old sets to 0 ─► their pods gone ─► the new set
 *   RollingUpdate         ─► the new set made ─► it up ─► old ones down ─► …
 *   complete              ─► old sets cleaned up
 */
import {
  AVOID_NODES,
  type Deployment,
  type DeploymentStatus,
  findCondition,
  isDeleting,
  nameOf,
  type ReplicaSet,
} from '../../api/index.ts';
import { newestSetAnnotations, nextRevision, REVISION, revisionOf, sizeAnnotations } from './annotations.ts';
import { type Conditions, DEADLINE_EXCEEDED, PAUSED, progressing, withCondition } from './conditions.ts';
import { isComplete, planStatus, progressDeadlineOf } from './deployment-status.ts';
import { UNLIMITED } from './limits.ts';
import { isScalingEvent, scaleAll } from './proportional.ts';
import { newReplicaSet, type SplitSets, splitSets } from './replica-sets.ts';
import { newSetSize, type Scale, scaleNewSet, scaleOldSets } from './rolling.ts';
import { activeSets, desiredOf, sizeOf } from './rollout-math.ts';

export interface DeploymentFacts {
  readonly deployment: Deployment;
  /** Its own. */
  readonly sets: readonly ReplicaSet[];
  /** Whether a set still has pods that have not ended. */
  readonly hasPods: (set: ReplicaSet) => boolean;
  /** For how long the Progressing condition has said the same, ms of our own running time. */
  readonly quietMs: number;
  /** Wall ms. */
  readonly now: number;
}

/** The changes of a replica set; absent fields stay. */
export interface SetChange {
  readonly set: ReplicaSet;
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface DeploymentPlan {
  /** To be made before all else. */
  readonly create?: ReplicaSet;
  readonly changes: readonly SetChange[];
  readonly deletes: readonly ReplicaSet[];
  /** Sets that remember nodes to be avoided, which the deployment has forgotten. */
  readonly forgetful: readonly ReplicaSet[];
  readonly status: DeploymentStatus;
  /** Which one the deployment is at, where it does not say so yet. */
  readonly revision?: string;
  readonly checkInMs?: number;
}

export function planDeployment(facts: DeploymentFacts): DeploymentPlan {
  const { deployment, sets } = facts;
  if (isDeleting(deployment) || remembers(deployment)) return planSets(facts);
  return { ...planSets(facts), forgetful: sets.filter(remembers) };
}

/** Other annotations stay on the sets, as with upstream; this one was given to them by the deployment's healing alone. */
function remembers({ metadata }: Deployment | ReplicaSet): boolean {
  return metadata?.annotations?.[AVOID_NODES] !== undefined;
}

function planSets(facts: DeploymentFacts): DeploymentPlan {
  const { deployment, sets } = facts;
  const split = splitSets(deployment, sets);
  const conditions = pausedOrResumed(facts);
  const paused = deployment.spec?.paused === true;
  if (isDeleting(deployment)) return statusOnly(facts, split, conditions, false);
  if (paused || isScalingEvent(deployment, sets)) {
    const told = paused ? conditions : foundNewest(facts, split, conditions);
    const plan = statusOnly(facts, split, told, false);
    return {
      ...plan,
      changes: changesOf(deployment, split, scaleAll(deployment, split)),
      deletes: paused ? surplusSets(deployment, split.old) : [],
      ...toldRevision(deployment, split),
    };
  }
  return planRollout(facts, split, conditions);
}

function planRollout(facts: DeploymentFacts, split: SplitSets, conditions: Conditions): DeploymentPlan {
  const { deployment } = facts;
  const step = nextStep(facts, split);
  if (step === 'create') return planCreation(facts, split, conditions);
  const plan = statusOnly(facts, split, foundNewest(facts, split, conditions), true);
  const isOver = step.length === 0 && isComplete(deployment, plan.status);
  return {
    ...plan,
    changes: changesOf(deployment, split, step),
    deletes: isOver ? surplusSets(deployment, split.old) : [],
    ...toldRevision(deployment, split),
  };
}

function nextStep({ deployment, hasPods }: DeploymentFacts, { newest, old }: SplitSets): readonly Scale[] | 'create' {
  if (deployment.spec?.strategy?.type === 'Recreate') {
    const active = activeSets(old);
    if (active.length > 0) return active.map((set) => ({ set, to: 0 }));
    // A set's report about its pods may be outdated, and does not count pods that are being deleted: both must agree.
    if (old.some((set) => (set.status?.replicas ?? 0) > 0 || hasPods(set))) return [];
    if (newest === undefined) return 'create';
    return sizeOf(newest) === desiredOf(deployment) ? [] : [{ set: newest, to: desiredOf(deployment) }];
  }
  if (newest === undefined) return 'create';
  const up = scaleNewSet(deployment, newest, old);
  return up.length > 0 ? up : scaleOldSets(deployment, newest, old);
}

function planCreation(facts: DeploymentFacts, split: SplitSets, conditions: Conditions): DeploymentPlan {
  const { deployment, now } = facts;
  const revision = nextRevision(split.old);
  const create = newReplicaSet(deployment, newSetSize(deployment, 0, split.old), revision);
  const created = progressing('True', 'NewReplicaSetCreated', `Created new replica set ${quote(nameOf(create))}`);
  const told = progressDeadlineOf(deployment) === undefined ? conditions : withCondition(conditions, created, now);
  return { ...statusOnly(facts, split, told, true), create, revision: String(revision) };
}

function statusOnly(
  { deployment, quietMs, now }: DeploymentFacts,
  { newest, old }: SplitSets,
  conditions: Conditions,
  estimate: boolean,
): DeploymentPlan {
  const before = findCondition(deployment.status?.conditions, 'Progressing');
  const sameWord = findCondition(conditions, 'Progressing') === before;
  const facts = { deployment, newest, old, conditions, estimate, quietMs: sameWord ? quietMs : 0, now };
  return { changes: [], deletes: [], forgetful: [], ...planStatus(facts) };
}

/** A pause and a resumption are reported as progress, so that the time in between does not count against the deadline. */
function pausedOrResumed({ deployment, now }: DeploymentFacts): Conditions {
  const conditions = deployment.status?.conditions ?? [];
  if (progressDeadlineOf(deployment) === undefined) return conditions;
  const current = findCondition(conditions, 'Progressing');
  if (current?.reason === DEADLINE_EXCEEDED) return conditions;
  const paused = deployment.spec?.paused === true;
  if (paused === (current?.reason === PAUSED)) return conditions;
  const words = paused
    ? progressing('Unknown', PAUSED, 'Deployment is paused')
    : progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  return withCondition(conditions, words, now);
}

/**
 * A rollout begins with an existing set: somebody went back to it, or has only now set a progress deadline. Earlier reports
 * about the rollout (that it is overdue, say) hold no more. Upstream reports this in the second case alone.
 */
function foundNewest(
  { deployment, now }: DeploymentFacts,
  { newest, old }: SplitSets,
  conditions: Conditions,
): Conditions {
  if (newest === undefined || progressDeadlineOf(deployment) === undefined) return conditions;
  const known = newest.metadata?.annotations;
  const isBack = newestSetAnnotations(deployment, known, nextRevision(old))[REVISION] !== undefined;
  if (findCondition(conditions, 'Progressing') !== undefined && !isBack) return conditions;
  const words = progressing('True', 'FoundNewReplicaSet', `Found new replica set ${quote(nameOf(newest))}`);
  return withCondition(conditions, words, now, 'always');
}

/** Scales, and what the newest set should say of itself, as one change per set. */
function changesOf(deployment: Deployment, { newest, old }: SplitSets, scales: readonly Scale[]): readonly SetChange[] {
  const changes = scales.map(({ set, to }) => changeOf(set, to, sizeAnnotations(deployment)));
  if (newest !== undefined) {
    const annotations = newestSetAnnotations(deployment, newest.metadata?.annotations, nextRevision(old));
    const { minReadySeconds = 0 } = deployment.spec ?? {};
    const refreshed = {
      annotations,
      ...((newest.spec?.minReadySeconds ?? 0) === minReadySeconds ? {} : { minReadySeconds }),
    };
    const position = changes.findIndex(({ set }) => set === newest);
    const scaled = changes[position];
    if (scaled === undefined) changes.push({ set: newest, ...refreshed });
    else changes[position] = { ...scaled, ...refreshed, annotations: { ...scaled.annotations, ...annotations } };
  }
  return changes.filter(isChange);
}

function changeOf(set: ReplicaSet, to: number, wanted: Readonly<Record<string, string>>): SetChange {
  const known = set.metadata?.annotations ?? {};
  const annotations = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => known[name] !== value));
  return { set, annotations, ...(to === sizeOf(set) ? {} : { replicas: to }) };
}

function isChange({ replicas, minReadySeconds, annotations }: SetChange): boolean {
  return replicas !== undefined || minReadySeconds !== undefined || Object.keys(annotations).length > 0;
}

/** The deployment reports the revision that its newest set has, or is about to get. */
function toldRevision(deployment: Deployment, { newest, old }: SplitSets): { readonly revision?: string } {
  if (newest === undefined) return {};
  const { [REVISION]: next = newest.metadata?.annotations?.[REVISION] } = newestSetAnnotations(
    deployment,
    newest.metadata?.annotations,
    nextRevision(old),
  );
  return next === undefined || deployment.metadata?.annotations?.[REVISION] === next ? {} : { revision: next };
}

/** Old sets beyond the limit of history, the earliest revisions; one that has pods, or may have, stays. */
function surplusSets(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const { revisionHistoryLimit: limit = UNLIMITED } = deployment.spec ?? {};
  if (limit === UNLIMITED) return [];
  const there = old.filter((set) => !isDeleting(set));
  const surplus = there
    .toSorted((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : revisionOf(a) > revisionOf(b) ? 1 : 0))
    .slice(0, Math.max(0, there.length - limit));
  return surplus.filter(
    (set) =>
      sizeOf(set) === 0 &&
      (set.status?.replicas ?? 0) === 0 &&
      (set.status?.observedGeneration ?? 0) >= (set.metadata?.generation ?? 0),
  );
}

function quote(name: string): string {
  return JSON.stringify(name);
}
