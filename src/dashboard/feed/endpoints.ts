/** Which pods take traffic now, from the EndpointSlices of services. Pure. */
import type { EndpointSlice } from '../../api/index.ts';

/** By "namespace/pod": whether it takes traffic. Pods that no service chooses are not in it. */
export function servingPods(slices: readonly EndpointSlice[]): ReadonlyMap<string, boolean> {
  const serving = new Map<string, boolean>();
  for (const { metadata, endpoints } of slices) {
    for (const { targetRef, conditions } of endpoints ?? []) {
      if (targetRef?.kind !== 'Pod') continue;
      const key = `${metadata?.namespace ?? ''}/${targetRef.name ?? ''}`;
      // Not said counts as ready, as upstream has it.
      serving.set(key, serving.get(key) === true || (conditions?.ready ?? true));
    }
  }
  return serving;
}
