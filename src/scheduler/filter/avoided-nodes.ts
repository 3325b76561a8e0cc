/**
 * Nodes where a pod's predecessors died: they fit only as a last resort, when no other node does. This is no filter in
 * upstream's sense, because such a node can still be chosen. Pure.
 */
import { AVOID_NODES, type AvoidedNode, readAvoidedNodes } from '../../api/index.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

const NONE: ReadonlyMap<string, AvoidedNode> = new Map();

/** Node name → its newest entry. @param now wall ms */
export function avoidedNodesOf({ pod }: PodInfo, now: number): ReadonlyMap<string, AvoidedNode> {
  const text = pod.metadata?.annotations?.[AVOID_NODES];
  if (text === undefined) return NONE;
  const entries = readAvoidedNodes(text, now);
  return new Map(entries.toReversed().map((entry) => [entry.node, entry]));
}

/** A text for the Scheduled event. */
export function lastResortText(entry: AvoidedNode | undefined): string {
  const { pod, cause } = entry ?? {};
  const died = pod === undefined ? '' : `: ${pod} died there${cause === undefined ? '' : ` (${cause})`}`;
  return `no other node takes it, though it is to avoid this one${died}`;
}
