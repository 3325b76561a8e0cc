/** What the anti-affinity of a pod that no node takes means. Pure. */
import type { Deployment } from '../../../api/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import { nearestPod, ownLabelsText } from '../peers/nearest-pod.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { requirementsOf, type SelectorLike, selectorTexts } from '../words/selector-text.ts';
import { inBrackets, listed } from '../words/text.ts';

/** How many nodes a reason is about, of how many. */
export interface Share {
  readonly count: number;
  readonly all: number;
}

interface PodTerms {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodTerm[];
}

interface PodTerm {
  readonly topologyKey: string;
  readonly labelSelector?: SelectorLike;
  readonly namespaceSelector?: object;
  readonly namespaces?: readonly string[];
}

function termsOf(affinity: PodTerms | undefined): readonly PodTerm[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** The labels of the pods with which it must share a node. */
export function companions(affinity: PodTerms | undefined): readonly string[] {
  return [...new Set(termsOf(affinity).flatMap(({ labelSelector }) => selectorTexts(labelSelector)))];
}

/** "; pod cache-1 has app=sessions": the pod of its namespace that may be meant, where none has the labels of its only term. */
export function nearCompanion({ evidence, pod }: PodFacts): string {
  const [only, ...more] = termsOf(pod.spec?.affinity?.podAffinity);
  if (only === undefined || more.length > 0 || only.namespaceSelector !== undefined) return '';
  const wanted = requirementsOf(only.labelSelector ?? {}).flatMap(({ key, operator, values = [] }) =>
    operator === 'In' && values[0] !== undefined ? [[key, values[0]] as const] : [],
  );
  const namespace = pod.metadata?.namespace ?? 'default';
  const others = (evidence.placement?.pods ?? []).filter(
    ({ metadata }) => (metadata?.namespace ?? 'default') === namespace && metadata?.uid !== pod.metadata?.uid,
  );
  if (wanted.length === 0 || others.length === 0) return '';
  const named = others.find(({ metadata }) => wanted.some(([, value]) => metadata?.name?.startsWith(`${value}-`)));
  const nearest = nearestPod(named === undefined ? others : [named], wanted);
  const labels = (keys: readonly string[]): string =>
    listed(keys.map((key) => `${key}=${named?.metadata?.labels?.[key] ?? ''}`));
  if (nearest !== undefined && nearest.wrong.length > 0)
    return `; pod ${nearest.pod.metadata?.name ?? ''} has ${ownLabelsText(nearest)}`;
  const keys = wanted.map(([key]) => key).filter((key) => named?.metadata?.labels?.[key] !== undefined);
  return named === undefined || keys.length === 0 ? '' : `; pod ${named.metadata?.name ?? ''} has ${labels(keys)}`;
}

/** Whether the term means pods like the one that has it. */
function meansItself({ labelSelector, namespaceSelector, namespaces = [] }: PodTerm, { metadata }: Pod): boolean {
  // Without a selector the term means no pod.
  if (labelSelector === undefined || namespaceSelector !== undefined) return false;
  if (namespaces.length > 0 && !namespaces.includes(metadata?.namespace ?? 'default')) return false;
  return requirementsOf(labelSelector).every(({ key, operator, values = [] }) => {
    const own = metadata?.labels?.[key];
    return operator === 'Exists' ? own !== undefined : operator === 'In' && own !== undefined && values.includes(own);
  });
}

function labelsText(selector: SelectorLike | undefined): string {
  const texts = selectorTexts(selector);
  return texts.length === 0 ? 'any labels' : texts.join(',');
}

const HOSTNAME = 'kubernetes.io/hostname';

/** Its own anti-affinity: where it means its fellows, how many nodes there are is what decides. */
export function apartText(nodes: string, facts: PodFacts, share: Share): string {
  const { pod } = facts;
  const terms = termsOf(pod.spec?.affinity?.podAntiAffinity);
  const [first] = terms;
  if (first === undefined || !terms.every((term) => meansItself(term, pod))) {
    const texts = terms.map(
      ({ labelSelector, topologyKey }) => `${labelsText(labelSelector)}, for each ${topologyKey}`,
    );
    return `${nodes} pods from which its anti-affinity keeps it away${inBrackets(texts)}`;
  }
  const limits = terms.map(
    ({ labelSelector, topologyKey }) =>
      `one pod with ${labelsText(labelSelector)}, itself or a fellow, run for each ${topologyKey}`,
  );
  return `its anti-affinity lets ${listed(limits)}, and ${placesText(facts, share, first.topologyKey)}`;
}

function placesText({ owner }: PodFacts, { count, all }: Share, topologyKey: string): string {
  if (count < all) return `${count} of ${all} nodes have it already`;
  const { replicas = 1 } = (owner as Deployment | undefined)?.spec ?? {};
  const many = replicas > 1 ? ` for its ${replicas} replicas` : '';
  if (topologyKey === HOSTNAME) return all === 1 ? `there is 1 node${many}` : `there are ${all} nodes${many}`;
  return all === 1 ? '1 node has it already' : `all ${all} nodes have it already`;
}
