/** The status of a set of like pods, from its pods. Pure. Upstream: calculateStatus. */
import {
  findCondition,
  matchesLabels,
  type ParsedLabelSelector,
  type Pod,
  type ReplicaSetCondition,
  type ReplicaSetStatus,
  removeCondition,
  setCondition,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { availableInMs } from '../pods/pod-state.ts';

export interface ReplicaFacts {
  readonly before: Partial<ReplicaSetStatus>;
  readonly generation: number;
  /** How many pods are wanted. */
  readonly desired: number;
  readonly minReadySeconds: number;
  readonly templateLabels: Readonly<Record<string, string>> | undefined;
  readonly pods: OwnedPods;
  /** Why pods could not be created or deleted, if so. */
  readonly failure: string | undefined;
  /** Wall ms. */
  readonly now: number;
}

export interface OwnedPods {
  readonly active: readonly Pod[];
  /** Absent if the kind does not report it. */
  readonly terminating?: readonly Pod[];
}

export interface ReplicaCounts {
  readonly status: ReplicaSetStatus;
  /** When the next pod will have been ready for long enough, ms; undefined: none is waiting. */
  readonly nextAvailableInMs: number | undefined;
}

/** Counts that are zero are left out, except those that upstream always writes. */
export function countReplicas(facts: ReplicaFacts): ReplicaCounts {
  const { pods, minReadySeconds, now } = facts;
  const { active, terminating } = pods;
  const template: ParsedLabelSelector = Object.entries(facts.templateLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in',
    values: [value],
  }));
  let fullyLabeledReplicas = 0;
  let readyReplicas = 0;
  let availableReplicas = 0;
  let nextAvailableInMs: number | undefined;
  for (const pod of active) {
    if (matchesLabels(template, pod.metadata?.labels)) fullyLabeledReplicas += 1;
    const inMs = availableInMs(pod, minReadySeconds, now);
    if (inMs === undefined) continue;
    readyReplicas += 1;
    if (inMs === 0) availableReplicas += 1;
    else nextAvailableInMs = Math.min(nextAvailableInMs ?? inMs, inMs);
  }
  const conditions = conditionsOf(facts);
  const counts = { fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration: facts.generation };
  const status: ReplicaSetStatus = {
    replicas: active.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return { status, nextAvailableInMs };
}

/**
 * ReplicaFailure is set at the first failure of its kind and removed at the first success; other conditions belong to other
 * clients.
 */
function conditionsOf({ before, failure, pods, desired, now }: ReplicaFacts): ReplicaSetCondition[] {
  if (failure === undefined) return removeCondition(before.conditions, 'ReplicaFailure');
  const reason = pods.active.length < desired ? 'FailedCreate' : 'FailedDelete';
  const known = findCondition(before.conditions, 'ReplicaFailure');
  if (known?.reason === reason) return [...(before.conditions ?? [])];
  const condition = { type: 'ReplicaFailure', status: 'True', reason, message: failure };
  return setCondition<ReplicaSetCondition>(before.conditions, condition, formatTime(now));
}
