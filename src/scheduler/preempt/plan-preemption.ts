/** Decides which pods of lower priority end so that a pod fits (upstream's DefaultPreemption). */
import { findCondition } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import type { Unschedulable } from '../choose-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { fitMessage } from '../fit-message.ts';
import { pickCandidate } from './pick-candidate.ts';
import { pickVictims, type Victims } from './pick-victims.ts';

/**
 * At least this many candidate nodes are examined, and at least this share (upstream's minCandidateNodesAbsolute and
 * -Percentage).
 */
const MIN_CANDIDATES = 100;
const MIN_CANDIDATES_SHARE = 0.1;

export type PreemptionPlan =
  | { readonly kind: 'preempt'; readonly victims: Victims }
  | {
      readonly kind: 'none';
      readonly message: string;
      /** Preemption cannot help any more: an earlier nomination is cleared. */
      readonly forgetNomination: boolean;
    };

/** The victims to evict for the pod, or the message why preemption does not help. */
export function planPreemption(pod: PodInfo, choice: Unschedulable, cluster: Cluster, random: Random): PreemptionPlan {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return none('not eligible due to preemptionPolicy=Never.', false);
  if (waitsForVictims(pod, choice, cluster)) {
    return none('not eligible due to a terminating pod on the nominated node.', false);
  }
  const { fitting, misfits } = choice;
  const hopeful = cluster.nodes.filter(({ name }) => misfits.get(name)?.resolvable === true);
  const reasons: string[] = [];
  const candidates: Victims[] = [];
  const enough = Math.max(MIN_CANDIDATES, Math.trunc(hopeful.length * MIN_CANDIDATES_SHARE));
  const budgets = cluster.budgets();
  const startAt = hopeful.length > enough ? Math.floor(random.next() * hopeful.length) : 0;
  for (let i = 0; i < hopeful.length && candidates.length < enough; i += 1) {
    const info = hopeful[(startAt + i) % hopeful.length];
    if (info === undefined || fitting === undefined) continue;
    const found = pickVictims(fitting, info, budgets);
    if ('nodeName' in found) candidates.push(found);
    else reasons.push(...found);
  }
  const best = pickCandidate(candidates);
  if (best !== undefined) return { kind: 'preempt', victims: best };
  for (let i = hopeful.length; i < cluster.nodes.length; i += 1)
    reasons.push('Preemption is not helpful for scheduling');
  return none(fitMessage(cluster.nodes.length, reasons), true);
}

function none(message: string, forgetNomination: boolean): PreemptionPlan {
  return { kind: 'none', message: `preemption: ${message}`, forgetNomination };
}

/** Whether earlier victims are still ending: no other pod is evicted meanwhile, unless the nominated node cannot fit any more. */
function waitsForVictims({ pod, priority }: PodInfo, { misfits }: Unschedulable, cluster: Cluster): boolean {
  const name = pod.status?.nominatedNodeName ?? '';
  const info = name === '' ? undefined : cluster.node(name);
  if (info === undefined || misfits.get(name)?.resolvable !== true) return false;
  for (const other of info.pods()) {
    if (other.priority >= priority || !other.ending) continue;
    const target = findCondition(other.pod.status?.conditions, 'DisruptionTarget');
    if (target?.status === 'True' && target.reason === 'PreemptionByScheduler') return true;
  }
  return false;
}
