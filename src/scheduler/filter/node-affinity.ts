import type { Node, NodeSelectorRequirement, NodeSelectorTerm } from '../../api/index.ts';
import { type Filter, unresolvable } from './filter.ts';

/** nodeSelector and required node affinity must both match. */
export const fitsAffinity: Filter = (pod, { node }) => {
  const labels = node.metadata?.labels ?? {};
  const selected = Object.entries(pod.spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fits =
    selected && (required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node)));
  return fits ? undefined : unresolvable("node(s) didn't match Pod's node affinity/selector");
};

/** All requirements of a term must hold; a term without any matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  const fields = { 'metadata.name': node.metadata?.name ?? '' };
  return matchExpressions.every((each) => holds(each, labels)) && matchFields.every((each) => holds(each, fields));
}

function holds(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return comparesTo(value, operator, values[0]);
    default:
      return false;
  }
}

/** Both must be whole numbers in text. */
function comparesTo(value: string | undefined, operator: 'Gt' | 'Lt', bound: string | undefined): boolean {
  const integer = /^[+-]?\d+$/;
  if (value === undefined || bound === undefined || !integer.test(value) || !integer.test(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}
