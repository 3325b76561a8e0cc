/** What a pod asks of the labels of its node, as texts. */
import type { PodSpec } from '../../../api/index.ts';
import { nearNames } from '../../../lib/index.ts';
import type { Node } from '../../evidence/kinds.ts';
import { listed } from '../words/text.ts';

export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** "disk=ssd", "zone in a|b", "gpu exists" */
export function requirementText({ key, operator, values = [] }: Requirement): string {
  if (operator === 'Exists') return `${key} exists`;
  if (operator === 'DoesNotExist') return `no ${key}`;
  if (operator === 'In' && values.length === 1) return `${key}=${values[0]}`;
  const signs: Readonly<Record<string, string>> = { In: 'in', NotIn: 'not in', Gt: '>', Lt: '<' };
  return `${key} ${signs[operator] ?? operator} ${values.join('|')}`;
}

export function labelTexts(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** What required node affinity asks for: "zone=a, gpu exists or zone=b". Empty: nothing. */
export function affinityText(spec: PodSpec | undefined): string {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const wanted = terms.map(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields].map((each) => requirementText(each)).join(', '),
  );
  return wanted.filter((text) => text !== '').join(' or ');
}

/** What the pod asks of the labels of its node. */
export function wantedLabels({ spec }: { readonly spec?: PodSpec }): readonly string[] {
  const affinity = affinityText(spec);
  return [...labelTexts(spec?.nodeSelector), ...(affinity === '' ? [] : [affinity])];
}

/** Nodes whose labels are told in a sentence. */
const MAX_NODES = 2;

/** ": vm has amd64", of the first label of its nodeSelector that no node has: its other values, else labels of nearly that name. */
export function labelsInstead({ spec }: { readonly spec?: PodSpec }, nodes: readonly Node[] = []): string {
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) {
    if (nodes.some(({ metadata }) => metadata?.labels?.[key] === value)) continue;
    const told = nodes.flatMap(({ metadata }) => {
      const labels = metadata?.labels ?? {};
      const own = labels[key];
      if (own !== undefined) return [`${metadata?.name ?? ''} has ${own}`];
      const [near] = nearNames(key, Object.keys(labels));
      return near === undefined ? [] : [`${metadata?.name ?? ''} has ${near}=${labels[near] ?? ''}`];
    });
    return told.length === 0 ? '' : `: ${listed(told.slice(0, MAX_NODES))}`;
  }
  return '';
}
