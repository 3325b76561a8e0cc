/**
 * Turns `matchLabelKeys` and `mismatchLabelKeys` of a new pod's affinity and spread constraints into requirements of their
 * selectors, with the values of the pod's own labels (upstream: the pod strategy). Later readers of the pod need only the
 * selector.
 */
import type { LabelSelector, Pod, PodAffinityTerm, PodSpec, WeightedPodAffinityTerm } from '../../api/index.ts';

/** The pod's spec with the keys merged; a key that the pod has no label for is passed over. Pure. */
export function withMergedLabelKeys(pod: Pod): PodSpec | undefined {
  const { spec } = pod;
  if (spec === undefined) return undefined;
  const labels = pod.metadata?.labels ?? {};
  const { affinity, topologySpreadConstraints } = spec;
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  const terms = <T extends NonNullable<typeof podAffinity>>(of: T): T => ({
    ...of,
    ...mapped(
      'requiredDuringSchedulingIgnoredDuringExecution',
      of.requiredDuringSchedulingIgnoredDuringExecution,
      (term) => mergedTerm(term, labels),
    ),
    ...mapped(
      'preferredDuringSchedulingIgnoredDuringExecution',
      of.preferredDuringSchedulingIgnoredDuringExecution,
      (term) => mergedWeighted(term, labels),
    ),
  });
  return {
    ...spec,
    ...(affinity === undefined
      ? {}
      : {
          affinity: {
            ...affinity,
            ...(podAffinity === undefined ? {} : { podAffinity: terms(podAffinity) }),
            ...(podAntiAffinity === undefined ? {} : { podAntiAffinity: terms(podAntiAffinity) }),
          },
        }),
    ...mapped('topologySpreadConstraints', topologySpreadConstraints, (constraint) => {
      const { labelSelector, matchLabelKeys } = constraint;
      return { ...constraint, ...merged(labelSelector, matchLabelKeys, [], labels) };
    }),
  };
}

function mapped<K extends string, T>(key: K, list: T[] | undefined, change: (item: T) => T): { [P in K]?: T[] } {
  return (list === undefined ? {} : { [key]: list.map(change) }) as { [P in K]?: T[] };
}

function mergedWeighted(
  term: WeightedPodAffinityTerm,
  labels: Readonly<Record<string, string>>,
): WeightedPodAffinityTerm {
  return { ...term, podAffinityTerm: mergedTerm(term.podAffinityTerm, labels) };
}

function mergedTerm(term: PodAffinityTerm, labels: Readonly<Record<string, string>>): PodAffinityTerm {
  return { ...term, ...merged(term.labelSelector, term.matchLabelKeys, term.mismatchLabelKeys, labels) };
}

function merged(
  selector: LabelSelector | undefined,
  match: readonly string[] = [],
  mismatch: readonly string[] = [],
  labels: Readonly<Record<string, string>>,
): { labelSelector?: LabelSelector } {
  // Without a selector nothing matches, and validation says that keys need one.
  if (selector === undefined) return {};
  const added = [
    ...match.map((key) => ({ key, operator: 'In' })),
    ...mismatch.map((key) => ({ key, operator: 'NotIn' })),
  ].flatMap(({ key, operator }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (added.length === 0) return {};
  return { labelSelector: { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] } };
}
