/** Filter: topology spread constraints with DoNotSchedule. */
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filter, type Misfit, type PreparedFilter, resolvable, unresolvable } from './filter.ts';
import {
  counts,
  hasAllKeys,
  matching,
  selects,
  type SpreadConstraint,
  spreadConstraintsOf,
} from './spread-constraint.ts';

const NAME = 'PodTopologySpread';
const TOO_SKEWED = resolvable(NAME, "node(s) didn't match pod topology spread constraints");
const NO_LABEL = unresolvable(NAME, "node(s) didn't match pod topology spread constraints (missing required label)");

export const podTopologySpread: Filter = {
  name: NAME,
  prepare(pod, cluster) {
    const constraints = spreadConstraintsOf(pod.pod, 'DoNotSchedule');
    if (constraints.length === 0) return undefined;
    const spread = new Spread(pod, constraints);
    for (const info of cluster.nodes) spread.addNode(info);
    return spread;
  },
};

interface Domains {
  readonly constraint: SpreadConstraint;
  /** 1 when the pod itself counts. */
  readonly self: number;
  readonly perValue: Map<string, number>;
  least: number | undefined;
}

class Spread implements PreparedFilter {
  readonly #pod: PodInfo;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #domains: readonly Domains[];

  constructor(pod: PodInfo, constraints: readonly SpreadConstraint[]) {
    this.#pod = pod;
    this.#constraints = constraints;
    this.#domains = constraints.map((constraint) => ({
      constraint,
      self: selects(constraint, pod.labels) ? 1 : 0,
      perValue: new Map(),
      least: undefined,
    }));
  }

  addNode(info: NodeInfo): void {
    this.#each(info, (domains, value) => {
      const there = matching(domains.constraint, this.#pod.namespace, info);
      domains.perValue.set(value, (domains.perValue.get(value) ?? 0) + there);
    });
  }

  move(info: NodeInfo, other: PodInfo, delta: 1 | -1): void {
    if (other.namespace !== this.#pod.namespace || other.ending) return;
    this.#each(info, (domains, value) => {
      if (!selects(domains.constraint, other.labels)) return;
      domains.perValue.set(value, (domains.perValue.get(value) ?? 0) + delta);
      domains.least = undefined;
    });
  }

  check({ labels }: NodeInfo): Misfit | undefined {
    for (const domains of this.#domains) {
      const { constraint, self, perValue } = domains;
      const value = labels[constraint.topologyKey];
      if (value === undefined) return NO_LABEL;
      // With fewer domains than minDomains the minimum counts as 0, as if an empty domain existed.
      const least = perValue.size < constraint.minDomains ? 0 : leastOf(domains);
      if ((perValue.get(value) ?? 0) + self - least > constraint.maxSkew) return TOO_SKEWED;
    }
    return undefined;
  }

  #each(info: NodeInfo, tell: (domains: Domains, value: string) => void): void {
    if (!hasAllKeys(this.#constraints, info)) return;
    for (const domains of this.#domains) {
      if (!counts(domains.constraint, this.#pod, info)) continue;
      tell(domains, info.labels[domains.constraint.topologyKey] ?? '');
    }
  }
}

/** The smallest count of all domains; without a domain a number that no skew exceeds. */
function leastOf(domains: Domains): number {
  if (domains.least !== undefined) return domains.least;
  let least = Number.MAX_SAFE_INTEGER;
  for (const count of domains.perValue.values()) least = Math.min(least, count);
  domains.least = least;
  return least;
}
