/** Score: preferred pod affinity and anti-affinity, of the pod and of the pods that run already. */
import { type AffinityTerm, termMatches } from '../cluster/affinity-term.ts';
import { TopologyCounts } from '../filter/topology-counts.ts';
import { MAX_SCORE, type Score } from './score.ts';

/** The weight of a running pod's required affinity for the pods that it matches (upstream's hardPodAffinityWeight). */
const REQUIRED_WEIGHT = 1;

export const preferredPodAffinity: Score = (pod, candidates, cluster) => {
  const sums = new TopologyCounts();
  const { preferred, preferredAnti } = pod.terms;
  const own = preferred.length > 0 || preferredAnti.length > 0;
  for (const info of cluster.nodes) {
    if (!own && !info.hasAffinity) continue;
    const add = (term: AffinityTerm, weight: number): void => sums.add(term.topologyKey, info.labels, weight);
    for (const other of own ? info.pods() : info.podsWithAffinity()) {
      for (const term of preferred) if (termMatches(term, other, cluster.namespaceLabels)) add(term, term.weight);
      for (const term of preferredAnti) if (termMatches(term, other, cluster.namespaceLabels)) add(term, -term.weight);
      if (!other.hasAffinity) continue;
      const { affinity, preferred: theirs, preferredAnti: theirAnti } = other.terms;
      for (const term of affinity) if (termMatches(term, pod, cluster.namespaceLabels)) add(term, REQUIRED_WEIGHT);
      for (const term of theirs) if (termMatches(term, pod, cluster.namespaceLabels)) add(term, term.weight);
      for (const term of theirAnti) if (termMatches(term, pod, cluster.namespaceLabels)) add(term, -term.weight);
    }
  }
  if (sums.empty) return undefined;
  const keys = [...sums.keys()];
  const scores = candidates.map(({ labels }) => keys.reduce((sum, key) => sum + sums.get(key, labels[key]), 0));
  const most = Math.max(0, ...scores);
  const least = Math.min(0, ...scores);
  if (most === least) return scores.map(() => 0);
  return scores.map((score) => Math.trunc((MAX_SCORE * (score - least)) / (most - least)));
};
