/** The overview of a cluster, from objects alone. Pure. */
import type { Lease, Node, Pod } from '../api/index.ts';
import { nodeRows } from './node-rows.ts';
import type { Overview, Said } from './types.ts';
import { verdictOf } from './verdict.ts';
import { type Makers, workloadRows } from './workload-rows.ts';

/** What is known of the cluster, or of one namespace. */
export interface OverviewFacts extends Makers {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly leases: readonly Lease[];
  readonly said: Said;
}

/** @param now wall ms */
export function overviewOf(facts: OverviewFacts, now: number): Overview {
  const rows = workloadRows(facts.pods, facts, facts.said);
  const nodes = nodeRows(facts.nodes, facts.pods, facts.leases, now);
  return { at: now, verdict: verdictOf(rows, nodes, now), rows, nodes };
}
