/** The rules of a role that gathers those of others (upstream: clusterrole-aggregation-controller). Pure. */
import {
  type ClusterRole,
  equalJson,
  labelSelectorOf,
  matchesLabels,
  nameOf,
  type PolicyRule,
} from '../../api/index.ts';

/** All rules of the roles that its selectors choose, by their names and without repeats; undefined when it gathers none. */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const selectors = (role.aggregationRule.clusterRoleSelectors ?? []).map(
    (selector) => labelSelectorOf(selector) ?? [],
  );
  const rules: PolicyRule[] = [];
  for (const selector of selectors) {
    const chosen = all
      .filter((other) => nameOf(other) !== nameOf(role) && matchesLabels(selector, other.metadata?.labels))
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    for (const rule of chosen.flatMap((other) => other.rules ?? [])) {
      if (!rules.some((known) => equalJson(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
