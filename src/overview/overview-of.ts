/** The overview of a cluster, from objects alone. Pure. */
import { type NodeFacts, nodeRows } from './node-rows.ts';
import { leavesAt, onNode } from './on-node.ts';
import { viewOf } from './seen-pods.ts';
import type { Overview, Said } from './types.ts';
import { verdictOf } from './verdict.ts';
import { type Makers, workloadRows } from './workload-rows.ts';

/** What is known of the cluster, or of one namespace. */
export interface OverviewFacts extends Makers, NodeFacts {
  readonly said: Said;
}

/** @param now wall ms */
export function overviewOf(facts: OverviewFacts, now: number): Overview {
  const nodes = nodeRows(facts, now);
  const silent = new Set(nodes.filter(({ mood }) => mood === 'unknown').map(({ name }) => name));
  const taints = new Map(facts.nodes.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.taints ?? []]));
  const views = facts.pods.map((pod) => {
    const node = pod.spec?.nodeName ?? '';
    return onNode(viewOf(pod, facts.said), { isSilent: silent.has(node), leavesAt: leavesAt(pod, taints.get(node)) });
  });
  const rows = workloadRows(facts.pods, views, facts);
  return { at: now, verdict: verdictOf(rows, nodes, now), rows, nodes };
}
