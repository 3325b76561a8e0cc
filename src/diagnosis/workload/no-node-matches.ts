/** Rule: a DaemonSet wants a pod on no node, because of its selector, its node affinity, or taints. */
import {
  type DaemonSet,
  type Node,
  nodeSelectorMatches,
  type Pod,
  type Taint,
  toleratesTaint,
} from '../../api/index.ts';
import { affinityText, labelTexts } from '../facts/placement/node-wishes.ts';
import { listed } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import type { WorkloadFacts } from './workload-facts.ts';

/** Taints for the node's own state, which the controller lets the pods of every DaemonSet tolerate. */
const OF_THE_STATE = /^node\.kubernetes\.io\//;

export function noNodeMatches(facts: WorkloadFacts): readonly RankedFinding[] {
  const { workload, nodes = [] } = facts.evidence;
  if (facts.kind !== 'DaemonSet' || facts.wanted > 0 || nodes.length === 0) return NOTHING;
  const { spec } = (workload as DaemonSet).spec?.template ?? {};
  const pod: Pod = spec === undefined ? {} : { spec };
  const matching = nodes.filter((node) => nodeSelectorMatches(pod, node));
  if (matching.length === 0) {
    return [finding(facts, pod, `its ${wishText(pod)} matches none of the ${nodes.length} nodes`)];
  }
  const taints = matching.map((node) => untolerated(pod, node));
  // Its controller has not seen a node that suits it yet.
  if (taints.some((each) => each.length === 0)) return NOTHING;
  const all = listed([...new Set(taints.flat().map(taintText))]);
  const who = matching.length === 1 ? 'the only node' : `all ${matching.length} nodes`;
  const which = `${who}${matching.length === nodes.length ? '' : ' that it selects'} ${matching.length === 1 ? 'has' : 'have'}`;
  return [finding(facts, pod, `${which} a taint that it does not tolerate (${all})`)];
}

/** "nodeSelector disk=ssd", "node affinity zone in a|b" */
function wishText({ spec }: Pod): string {
  const labels = labelTexts(spec?.nodeSelector);
  const affinity = affinityText(spec);
  const selector = labels.length === 0 ? [] : [`nodeSelector ${labels.join(',')}`];
  const texts = [...selector, ...(affinity === '' ? [] : [`node affinity ${affinity}`])];
  return texts.length === 0 ? 'node affinity' : texts.join(' with its ');
}

function untolerated(pod: Pod, { spec }: Node): readonly Taint[] {
  return (spec?.taints ?? []).filter(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !OF_THE_STATE.test(taint.key) &&
      !toleratesTaint(pod, taint),
  );
}

/** "dedicated=gpu:NoSchedule" */
function taintText({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`;
}

function finding({ cluster, kubectl, target }: WorkloadFacts, { spec }: Pod, why: string): RankedFinding {
  const path = 'spec.template.spec';
  const fields: readonly Quote[] = [
    { path: `${path}.nodeSelector`, value: spec?.nodeSelector },
    { path: `${path}.affinity.nodeAffinity`, value: spec?.affinity?.nodeAffinity },
    { path: `${path}.tolerations`, value: spec?.tolerations },
  ].flatMap((one) =>
    one.value === undefined
      ? []
      : [{ source: 'field', path: one.path, value: JSON.stringify(one.value).slice(0, 300) }],
  );
  return {
    id: 'no-node-matches',
    severity: 'info',
    rank: 30,
    topic: 'nodes',
    says: `${why}, so it runs nowhere`,
    evidence: [{ source: 'field', path: 'status.desiredNumberScheduled', value: '0' }, ...fields],
    try: [cluster('get', 'nodes', '--show-labels'), kubectl('edit', target)],
  };
}
