/** Which annotations a pod gets of the policies of its namespace. Pure. */
import { HEALING_POLICY, HEALING_POLICY_FROM, isDeleting, type Pod } from '../../api/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type ReadPolicy, winnerFor } from './read-policies.ts';

/** Null removes one. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

/** Undefined: all is as it shall be, or not ours to change. */
export function planPodPolicy(pod: Pod, policies: readonly ReadPolicy[]): AnnotationChange | undefined {
  if (isPodTerminal(pod) || isDeleting(pod) || isAnnotatedByHand(pod)) return undefined;
  const { annotations = {}, labels } = pod.metadata ?? {};
  const winner = winnerFor(policies, labels);
  const [text, from] = [annotations[HEALING_POLICY], annotations[HEALING_POLICY_FROM]];
  if (text === winner?.text && from === winner?.from) return undefined;
  return { [HEALING_POLICY]: winner?.text ?? null, [HEALING_POLICY_FROM]: winner?.from ?? null };
}

/** The user's own word, which wins over all policies. */
export function isAnnotatedByHand({ metadata }: Pod): boolean {
  const annotations = metadata?.annotations ?? {};
  return annotations[HEALING_POLICY] !== undefined && annotations[HEALING_POLICY_FROM] === undefined;
}
