/** A pod takes over from its maker which nodes its predecessors died on. Pure. */
import {
  AVOID_NODES,
  type AvoidedNode,
  formatAvoidedNodes,
  type KubeObject,
  type Pod,
  readAvoidedNodes,
} from '../../api/index.ts';

/**
 * The pod with its owner's `mendlet.dev/avoid-nodes`, beside those that its template names. Expired entries are left out.
 * @param applies which of the owner's entries concern this pod; default: all
 * @param now wall ms
 */
export function inheritAvoidedNodes(
  pod: Pod,
  owner: KubeObject,
  now: number,
  applies: (entry: AvoidedNode) => boolean = () => true,
): Pod {
  const entries = readAvoidedNodes(owner.metadata?.annotations?.[AVOID_NODES], now).filter(applies);
  if (entries.length === 0) return pod;
  const annotations = pod.metadata?.annotations ?? {};
  const own = readAvoidedNodes(annotations[AVOID_NODES], now);
  const value = formatAvoidedNodes([...own, ...entries]);
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...annotations, [AVOID_NODES]: value } } };
}

/** For a workload whose pods have stable names, each pod has its own entries. */
export function concernsPod(name: string): (entry: AvoidedNode) => boolean {
  return ({ pod }) => pod === undefined || pod === name;
}
