/** Tells of a memory limit that a LimitRange gave to a container. Pure. */
import { compareQuantities } from '../../../api/index.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

/** The note that admission leaves (upstream: plugin/pkg/admission/limitranger, limitRangerAnnotation). */
const NOTE = 'kubernetes.io/limit-ranger';

/** Whether the container's memory limit is a default of a LimitRange. */
export function isDefaulted({ pod }: PodFacts, { name }: Pick<ContainerFacts, 'name'>): boolean {
  // "cpu, memory request for container web; cpu, memory limit for container web"
  return (pod.metadata?.annotations?.[NOTE] ?? '')
    .split(';')
    .some((part) => part.trim().endsWith(`container ${name}`) && /\bmemory\b.{0,100}\blimit for /.test(part));
}

/** " (the default of LimitRange mem-defaults of its namespace)"; empty: the limit stands in its specification. */
export function defaultText(facts: PodFacts, container: ContainerFacts): string {
  if (!isDefaulted(facts, container)) return '';
  const own = container.spec.resources?.limits?.['memory'] ?? '';
  const found = (facts.evidence.limitRanges ?? []).filter(({ spec }) =>
    (spec?.limits ?? []).some(
      (limit) => limit.type === 'Container' && isSame((limit.default ?? limit.max)?.['memory'] ?? '', own),
    ),
  );
  const [only, ...more] = found;
  return only === undefined || more.length > 0
    ? ' (a default of a LimitRange of its namespace)'
    : ` (the default of LimitRange ${only.metadata?.name ?? ''} of its namespace)`;
}

function isSame(one: string, other: string): boolean {
  try {
    return compareQuantities(one, other) === 0;
  } catch {
    return one !== '' && one === other;
  }
}
