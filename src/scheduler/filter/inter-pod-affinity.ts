/** Filter: required pod affinity and anti-affinity, of the pod and of the pods that run already. */
import { allTermsMatch, termMatches } from '../cluster/affinity-term.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filter, type Misfit, type PreparedFilter, resolvable, unresolvable } from './filter.ts';
import { TopologyCounts } from './topology-counts.ts';

const NAME = 'InterPodAffinity';
const NO_AFFINITY = unresolvable(NAME, "node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = resolvable(NAME, "node(s) didn't match pod anti-affinity rules");
const THEIR_ANTI_AFFINITY = resolvable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules");

export const interPodAffinity: Filter = {
  name: NAME,
  prepare(pod, cluster) {
    const counts = new AffinityCounts(pod, cluster);
    const own = pod.terms.affinity.length > 0 || pod.terms.antiAffinity.length > 0;
    for (const info of cluster.nodes) {
      if (own) for (const other of info.pods()) counts.move(info, other, 1);
      else if (info.hasAffinity) for (const other of info.podsWithAffinity()) counts.move(info, other, 1);
    }
    return counts;
  },
};

class AffinityCounts implements PreparedFilter {
  readonly #pod: PodInfo;
  readonly #cluster: Cluster;
  /** Counts of pods that all affinity terms of the pod match. */
  readonly #friends = new TopologyCounts();
  /** Counts of pods that an anti-affinity term of the pod matches. */
  readonly #foes = new TopologyCounts();
  /** Counts of pods whose own anti-affinity matches the pod. */
  readonly #theirs = new TopologyCounts();

  constructor(pod: PodInfo, cluster: Cluster) {
    this.#pod = pod;
    this.#cluster = cluster;
  }

  move(info: NodeInfo, other: PodInfo, delta: 1 | -1): void {
    const { affinity, antiAffinity } = this.#pod.terms;
    const { namespaceLabels } = this.#cluster;
    for (const term of other.terms.antiAffinity)
      if (termMatches(term, this.#pod, namespaceLabels)) this.#theirs.add(term.topologyKey, info.labels, delta);
    if (allTermsMatch(affinity, other, namespaceLabels))
      for (const { topologyKey } of affinity) this.#friends.add(topologyKey, info.labels, delta);
    for (const term of antiAffinity)
      if (termMatches(term, other, namespaceLabels)) this.#foes.add(term.topologyKey, info.labels, delta);
  }

  check({ labels }: NodeInfo): Misfit | undefined {
    if (!this.#hasFriends(labels)) return NO_AFFINITY;
    if (!this.#foes.empty) {
      const meets = this.#pod.terms.antiAffinity.some(
        ({ topologyKey }) => this.#foes.get(topologyKey, labels[topologyKey]) > 0,
      );
      if (meets) return ANTI_AFFINITY;
    }
    for (const key of this.#theirs.keys()) if (this.#theirs.get(key, labels[key]) > 0) return THEIR_ANTI_AFFINITY;
    return undefined;
  }

  #hasFriends(labels: Readonly<Record<string, string>>): boolean {
    const { affinity } = this.#pod.terms;
    if (affinity.length === 0) return true;
    if (affinity.some(({ topologyKey }) => labels[topologyKey] === undefined)) return false;
    if (affinity.every(({ topologyKey }) => this.#friends.get(topologyKey, labels[topologyKey]) > 0)) return true;
    // The first pod of a group with affinity to itself finds no other pod of the group anywhere, and must still fit.
    return this.#friends.empty && allTermsMatch(affinity, this.#pod, this.#cluster.namespaceLabels);
  }
}
