/**
 * Nodes where a pod's predecessors died: they fit as a last resort only, when no other node does. No filter like upstream's,
 * since what it refuses comes into question after all. Pure.
 */
import { AVOID_NODES, type AvoidedNode, readAvoidedNodes } from '../../api/index.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

const NONE: ReadonlyMap<string, AvoidedNode> = new Map();

/** By name of the node; of several entries for it, the newest. @param now wall ms */
export function avoidedNodesOf({ pod }: PodInfo, now: number): ReadonlyMap<string, AvoidedNode> {
  const text = pod.metadata?.annotations?.[AVOID_NODES];
  if (text === undefined) return NONE;
  const entries = readAvoidedNodes(text, now);
  return new Map(entries.toReversed().map((entry) => [entry.node, entry]));
}

/** For the event that says where the pod went. */
export function lastResortText(entry: AvoidedNode | undefined): string {
  const { pod, cause } = entry ?? {};
  const died = pod === undefined ? '' : `: ${pod} died there${cause === undefined ? '' : ` (${cause})`}`;
  return `no other node takes it, though it is to avoid this one${died}`;
}
