/** Score: topology spread constraints with ScheduleAnyway, and default constraints for pods that have none. */
import { formatLabelSelector, type Pod } from '../../api/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import {
  counts,
  hasAllKeys,
  matching,
  type SpreadConstraint,
  spreadConstraintsOf,
} from '../filter/spread-constraint.ts';
import { MAX_SCORE, type Score } from './score.ts';

const HOSTNAME = 'kubernetes.io/hostname';
/** Upstream's system defaults. */
const DEFAULTS = [
  { topologyKey: HOSTNAME, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
] as const;

export const topologySpread: Score = (pod, candidates, cluster) => {
  // A pod with its own constraints gets no default ones, and a node without all their topology keys scores nothing.
  const isOwn = (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
  const constraints = isOwn ? spreadConstraintsOf(pod.pod, 'ScheduleAnyway') : defaultsFor(pod.pod, cluster);
  if (constraints.length === 0) return undefined;
  const inPlay = (info: NodeInfo): boolean => !isOwn || hasAllKeys(constraints, info);
  const scored = candidates.filter(inPlay);
  const parts = constraints.map((constraint) => {
    const { topologyKey } = constraint;
    if (topologyKey === HOSTNAME) {
      const weight = Math.log(scored.length + 2);
      return (info: NodeInfo) => matching(constraint, pod.namespace, info) * weight;
    }
    const perValue = new Map<string, number>();
    for (const { labels } of scored) perValue.set(labels[topologyKey] ?? '', 0);
    for (const info of cluster.nodes) {
      const value = info.labels[topologyKey] ?? '';
      const before = perValue.get(value);
      if (before === undefined || !inPlay(info) || !counts(constraint, pod, info)) continue;
      perValue.set(value, before + matching(constraint, pod.namespace, info));
    }
    // The weight grows with the number of domains, as upstream's does, because the counts in each of many domains are small.
    const weight = Math.log(perValue.size + 2);
    return (info: NodeInfo) => (perValue.get(info.labels[topologyKey] ?? '') ?? 0) * weight;
  });
  const raw = candidates.map((info) => {
    if (!inPlay(info)) return undefined;
    let sum = 0;
    constraints.forEach(({ topologyKey, maxSkew }, i) => {
      if (info.labels[topologyKey] !== undefined) sum += (parts[i]?.(info) ?? 0) + maxSkew - 1;
    });
    return Math.round(sum);
  });
  const known = raw.filter((score) => score !== undefined);
  const most = Math.max(0, ...known);
  const least = Math.min(...known);
  return raw.map((score) => {
    if (score === undefined) return 0;
    return most === 0 ? MAX_SCORE : Math.trunc((MAX_SCORE * (most + least - score)) / most);
  });
};

function defaultsFor(pod: Pod, cluster: Cluster): readonly SpreadConstraint[] {
  const selector = cluster.spreadSelector(pod);
  if (selector === undefined || selector.length === 0) return [];
  const selectorText = formatLabelSelector(selector);
  return DEFAULTS.map((constraint) => ({
    ...constraint,
    minDomains: 1,
    selector,
    selectorText,
    honorAffinity: true,
    honorTaints: false,
  }));
}
