/** Terms of pod affinity and anti-affinity, read once per pod. Pure. */
import {
  type LabelSelector,
  labelSelectorOf,
  matchesLabels,
  type ParsedLabelSelector,
  type Pod,
  type PodAffinityTerm,
  SelectorError,
  type WeightedPodAffinityTerm,
} from '../../api/index.ts';

export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  /** The term also applies to namespaces with these labels. */
  readonly namespaceSelector: ParsedLabelSelector | undefined;
  /** Absent: no pod matches. */
  readonly selector: ParsedLabelSelector | undefined;
  readonly topologyKey: string;
  /** The weight of a preferred term; 0 for a required one. */
  readonly weight: number;
}

export interface AffinityTerms {
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferred: readonly AffinityTerm[];
  readonly preferredAnti: readonly AffinityTerm[];
}

/** The parts of a pod that terms look at. */
export interface LabelledPod {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The labels of a namespace; none when it is not known. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

const NONE: AffinityTerms = { affinity: [], antiAffinity: [], preferred: [], preferredAnti: [] };

export function affinityTermsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return NONE;
  const namespace = pod.metadata?.namespace ?? '';
  const read = (terms: readonly PodAffinityTerm[] | undefined): AffinityTerm[] =>
    (terms ?? []).map((term) => readTerm(term, namespace, 0));
  const readWeighted = (terms: readonly WeightedPodAffinityTerm[] | undefined): AffinityTerm[] =>
    (terms ?? []).map(({ podAffinityTerm, weight }) => readTerm(podAffinityTerm, namespace, weight));
  return {
    affinity: read(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: read(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: readWeighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: readWeighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

function readTerm(term: PodAffinityTerm, namespace: string, weight: number): AffinityTerm {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term;
  // A term that names no namespace and has no namespace selector applies to its pod's own namespace.
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    namespaces: new Set(own ? [namespace] : namespaces),
    namespaceSelector: readSelector(namespaceSelector),
    selector: readSelector(labelSelector),
    topologyKey,
    weight,
  };
}

/** A selector that the API server should not have let through matches nothing. */
export function readSelector(selector: LabelSelector | undefined): ParsedLabelSelector | undefined {
  try {
    return labelSelectorOf(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** Whether the term selects this pod, whatever its node. */
export function termMatches(term: AffinityTerm, other: LabelledPod, labelsOf: NamespaceLabels): boolean {
  if (term.selector === undefined || !matchesLabels(term.selector, other.labels)) return false;
  if (term.namespaces.has(other.namespace)) return true;
  return term.namespaceSelector !== undefined && matchesLabels(term.namespaceSelector, labelsOf(other.namespace));
}

export function allTermsMatch(terms: readonly AffinityTerm[], other: LabelledPod, labelsOf: NamespaceLabels): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, other, labelsOf));
}
