/**
 * Decides whether, and after how long, NoExecute taints send a pod away from its node (upstream:
 * pkg/controller/tainteviction). Pure.
 */
import { findCondition, type Node, type Pod, type Taint, tolerationCovers } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** "stay", or how long the pod may still be there, in seconds since it met the taints. */
export type TaintVerdict = 'stay' | { readonly afterSeconds: number };

export function noExecuteTaints(node: Node | undefined): readonly Taint[] {
  return (node?.spec?.taints ?? []).filter((taint) => taint.effect === 'NoExecute');
}

/** Each taint needs a toleration; the shortest of those that are used counts. */
export function planTaintEviction(pod: Pod, taints: readonly Taint[]): TaintVerdict {
  // Its kubelet runs a static pod whatever the API says; deleting its mirror would only make it come back.
  if (taints.length === 0 || pod.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return 'stay';
  const tolerations = pod.spec?.tolerations ?? [];
  const isTolerated = (taint: Taint): boolean => tolerations.some((toleration) => tolerationCovers(toleration, taint));
  if (!taints.every(isTolerated)) return { afterSeconds: 0 };
  const limits = taints.flatMap((taint) => limitsOf(pod, taint));
  return limits.length === 0 ? 'stay' : { afterSeconds: Math.max(0, Math.min(...limits)) };
}

function limitsOf(pod: Pod, taint: Taint): readonly number[] {
  return (pod.spec?.tolerations ?? []).flatMap((toleration) =>
    toleration.tolerationSeconds !== undefined && tolerationCovers(toleration, taint)
      ? [toleration.tolerationSeconds]
      : [],
  );
}

/** Times are written in whole seconds: a time this young counts as now. */
const WHOLE_SECONDS_MS = 1_500;

/**
 * How long the pod has met its taints already when it is first looked at, ms: since the taints that limit its stay were added
 * and it was bound. So a new leader continues where the last one was. `wall`: now.
 */
export function metBeforeMs(pod: Pod, taints: readonly Taint[], wall: number): number {
  const limiting = taints.filter((taint) => limitsOf(pod, taint).length > 0);
  const since = limiting.map(({ timeAdded }) => parseTime(timeAdded) ?? wall);
  const bound =
    parseTime(findCondition(pod.status?.conditions, 'PodScheduled')?.lastTransitionTime) ??
    parseTime(pod.metadata?.creationTimestamp) ??
    wall;
  const ageMs = wall - Math.max(bound, Math.min(wall, ...since));
  return ageMs <= WHOLE_SECONDS_MS ? 0 : ageMs;
}
