/** Whether, and after how long, NoExecute taints send a pod away from its node (upstream: pkg/controller/tainteviction). Pure. */
import { type Node, type Pod, type Taint, tolerationCovers } from '../../api/index.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** "stay", or how long the pod may still be there, in seconds since it met the taints. */
export type TaintVerdict = 'stay' | { readonly afterSeconds: number };

export function noExecuteTaints(node: Node | undefined): readonly Taint[] {
  return (node?.spec?.taints ?? []).filter((taint) => taint.effect === 'NoExecute');
}

/** Each taint needs a toleration; the shortest of those that are used counts. */
export function planTaintEviction(pod: Pod, taints: readonly Taint[]): TaintVerdict {
  // Its kubelet runs a static pod whatever the API says; deleting its picture would only make it come back.
  if (taints.length === 0 || pod.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return 'stay';
  const tolerations = pod.spec?.tolerations ?? [];
  const isTolerated = (taint: Taint): boolean => tolerations.some((toleration) => tolerationCovers(toleration, taint));
  if (!taints.every(isTolerated)) return { afterSeconds: 0 };
  const used = tolerations.filter((toleration) => taints.some((taint) => tolerationCovers(toleration, taint)));
  const limits = used.flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [tolerationSeconds]));
  return limits.length === 0 ? 'stay' : { afterSeconds: Math.max(0, Math.min(...limits)) };
}
