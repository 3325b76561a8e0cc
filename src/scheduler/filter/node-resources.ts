import { podAmounts } from '../node-info.ts';
import type { Filter } from './filter.ts';

/** cpu, memory, pods and whatever else the node counts must suffice. All shortages are named. */
export const fitsResources: Filter = (pod, { allocatable, requested, podCount }) => {
  const reasons: string[] = [];
  let resolvable = true;
  const maxPods = allocatable['pods'] ?? 0;
  if (podCount + 1 > maxPods) reasons.push('Too many pods');
  for (const [name, wanted] of Object.entries(podAmounts(pod))) {
    if (wanted === 0 || wanted <= (allocatable[name] ?? 0) - (requested[name] ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    // More than the whole node has: no pod's end can help.
    if (wanted > (allocatable[name] ?? 0)) resolvable = false;
  }
  return reasons.length === 0 ? undefined : { reasons, resolvable };
};
