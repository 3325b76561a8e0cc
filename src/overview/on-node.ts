/** What a pod's node means for it: nothing is known of pods on a silent one, and a taint drives pods away. Pure. */
import { type Pod, type Taint, tolerationCovers } from '../api/index.ts';
import { parseTime } from '../lib/index.ts';
import type { PodView } from './types.ts';

export interface NodeOfPod {
  readonly isSilent: boolean;
  /** Wall ms: when the pod has to leave it; undefined: it may stay. */
  readonly leavesAt: number | undefined;
}

/** Nobody hears how the pod is: whatever its status says is old. */
export function onNode(view: PodView, { isSilent, leavesAt: at }: NodeOfPod): PodView {
  if (view.mood === 'done' || view.mood === 'ending' || view.mood === 'stopped') return view;
  const next = at === undefined ? {} : { next: { words: 'has to leave its node', at } };
  if (!isSilent) return { ...view, ...(view.mood === 'ok' ? {} : next) };
  const { next: _, ...rest } = view;
  return { ...rest, mood: 'unknown', why: 'its node is not heard', ...next };
}

/** By the taints that evict: the first toleration that ends decides. */
export function leavesAt(pod: Pod, taints: readonly Taint[] = []): number | undefined {
  const times = taints
    .filter(({ effect }) => effect === 'NoExecute')
    .flatMap((taint) => {
      const since = parseTime(taint.timeAdded ?? undefined);
      const covering = (pod.spec?.tolerations ?? []).filter((toleration) => tolerationCovers(toleration, taint));
      const seconds = covering.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
      if (since === undefined) return [];
      if (covering.length === 0) return [since];
      return seconds.length === 0 ? [] : [since + Math.max(0, Math.min(...seconds)) * 1000];
    });
  return times.length === 0 ? undefined : Math.min(...times);
}
