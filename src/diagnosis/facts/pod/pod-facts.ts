/** The facts of one pod for rules, made once from the evidence. */
import { controllerOf, findCondition } from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import type { Event, Pod, PodCondition, WorkloadObject } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Commands, commandsFor } from '../words/commands.ts';
import { type ContainerFacts, containerFacts } from './container-facts.ts';

export interface PodFacts {
  readonly evidence: PodEvidence;
  readonly now: number;
  readonly pod: Pod;
  readonly name: string;
  readonly events: readonly Event[];
  readonly containers: readonly ContainerFacts[];
  /** The controller that a user would change: a Deployment, not its ReplicaSet. */
  readonly owner?: WorkloadObject;
  readonly commands: Commands;
  readonly condition: (type: string) => PodCondition | undefined;
  /** The age of the pod, ms. */
  readonly ageMs: number;
  readonly deleting: boolean;
  /** The pod has ended and is not started again. */
  readonly finished: boolean;
}

export function podFacts(evidence: PodEvidence): PodFacts {
  const { pod, now } = evidence;
  const createdAt = parseTime(pod.metadata?.creationTimestamp ?? undefined) ?? now;
  const phase = pod.status?.phase;
  const owner = evidence.owners.at(-1);
  return {
    evidence,
    now,
    pod,
    name: pod.metadata?.name ?? '',
    events: evidence.events,
    containers: containerFacts(evidence),
    owner,
    commands: commandsFor(pod, owner, evidence.namespaceFlag),
    condition: (type) => findCondition(pod.status?.conditions, type),
    ageMs: Math.max(0, now - createdAt),
    deleting: pod.metadata?.deletionTimestamp !== undefined && pod.metadata.deletionTimestamp !== null,
    finished: phase === 'Failed' || phase === 'Succeeded',
  };
}

/** Whether anything replaces the pod when it is deleted. */
export function isReplaced(facts: PodFacts): boolean {
  return controllerOf(facts.pod) !== undefined;
}

/** Ms since a condition has its status; undefined when that is not known. */
export function conditionAgeMs(condition: PodCondition | undefined, now: number): number | undefined {
  const since = parseTime(condition?.lastTransitionTime ?? undefined);
  return since === undefined ? undefined : Math.max(0, now - since);
}
