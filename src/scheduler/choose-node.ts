/** Where a pod goes, or why it goes nowhere, in upstream's words. Pure but for the tie, which the given Random breaks. */
import type { Pod } from '../api/index.ts';
import type { Random } from '../lib/index.ts';
import { filterNode } from './filter/filter-node.ts';
import type { Misfit } from './filter/filter.ts';
import type { NodeInfo } from './node-info.ts';
import { scoreNodes } from './score/score-node.ts';

export type Choice =
  | { readonly kind: 'node'; readonly nodeName: string }
  | { readonly kind: 'unschedulable'; readonly message: string };

export function chooseNode(pod: Pod, infos: readonly NodeInfo[], random: Random): Choice {
  if (infos.length === 0) return { kind: 'unschedulable', message: 'no nodes available to schedule pods' };
  const candidates: NodeInfo[] = [];
  const misfits: Misfit[] = [];
  for (const info of infos) {
    const misfit = filterNode(pod, info);
    if (misfit === undefined) candidates.push(info);
    else misfits.push(misfit);
  }
  if (candidates.length === 0) return { kind: 'unschedulable', message: misfitMessage(pod, misfits) };
  const scores = scoreNodes(pod, candidates);
  const best = Math.max(...scores);
  const winners = candidates.filter((_, i) => scores[i] === best);
  const winner = winners[Math.floor(random.next() * winners.length)] ?? winners[0];
  return { kind: 'node', nodeName: winner?.node.metadata?.name ?? '' };
}

/** "0/2 nodes are available: …", then what upstream's two last resorts say of it. Preemption itself we do not do. */
function misfitMessage(pod: Pod, misfits: readonly Misfit[]): string {
  const all = misfits.length;
  const why = `0/${all} nodes are available: ${histogram(misfits.flatMap(({ reasons }) => reasons))}.`;
  return `${why} no new claims to deallocate, preemption: ${preemptionMessage(pod, misfits)}`;
}

function preemptionMessage(pod: Pod, misfits: readonly Misfit[]): string {
  if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const answers = misfits.map(({ resolvable }) =>
    resolvable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  );
  return `0/${misfits.length} nodes are available: ${histogram(answers)}.`;
}

/** "1 Insufficient cpu, 2 Too many pods", sorted as text. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(', ');
}
