/**
 * Computes a policy's status. Pure. Each condition has a message: the schema requires one, and validators of old API servers
 * (seen with Kubernetes 1.20) take an empty text for none.
 */
import {
  HEALING_POLICY_FROM,
  type HealingPolicy,
  type HealingPolicyStatus,
  isDeleting,
  nameOf,
  type Pod,
  type PodCondition,
  setCondition,
} from '../../api/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { MAX_CONDITION_MESSAGE, MAX_NAMED_PODS } from './limits.ts';
import { isAnnotatedByHand } from './plan-pod-policy.ts';
import { originOf, readPolicy, type ReadPolicy, selects } from './read-policies.ts';

/**
 * @param pods of its namespace
 * @param now RFC 3339
 */
export function planPolicyStatus(policy: HealingPolicy, pods: readonly Pod[], now: string): HealingPolicyStatus {
  const read = readPolicy(policy);
  const generation = policy.metadata?.generation ?? 0;
  const alive = pods.filter((pod) => !isPodTerminal(pod) && !isDeleting(pod));
  const healing = alive.filter(
    (pod) => originOf(pod.metadata?.annotations?.[HEALING_POLICY_FROM]) === originOf(read.from),
  );
  const byHand = alive.filter((pod) => isAnnotatedByHand(pod) && selects(read, pod.metadata?.labels));
  const before = policy.status?.conditions ?? [];
  const conditions = [accepted(read), overridden(byHand)].map((condition) => {
    const [next] = setCondition(
      before.filter(({ type }) => type === condition.type),
      { ...condition, observedGeneration: generation },
      now,
    );
    return next ?? condition;
  });
  return { observedGeneration: generation, pods: healing.length, conditions };
}

function accepted({ problem }: ReadPolicy): PodCondition {
  if (problem === undefined) {
    return { type: 'Accepted', status: 'True', reason: 'Valid', message: 'the pods that it selects heal by it' };
  }
  return { type: 'Accepted', status: 'False', reason: 'Invalid', message: problem.slice(0, MAX_CONDITION_MESSAGE) };
}

/** Pods that it selects and that heal by an annotation of their own. */
function overridden(pods: readonly Pod[]): PodCondition {
  const type = 'Overridden';
  if (pods.length === 0) {
    return { type, status: 'False', reason: 'NoneAnnotated', message: 'no pod that it selects has one of its own' };
  }
  const names = pods.map(nameOf).toSorted().slice(0, MAX_NAMED_PODS);
  const more = pods.length > names.length ? ', …' : '';
  const [count, verb] = pods.length === 1 ? ['1 pod', 'heals'] : [`${pods.length} pods`, 'heal'];
  const message = `${count} ${verb} by annotations of their own: ${names.join(', ')}${more}`;
  return { type, status: 'True', reason: 'AnnotatedByHand', message };
}
