/** The claims of a pod. Pure. */
import { nameOf } from './object-meta.ts';
import type { Pod } from './types.gen.ts';

/** Names of the claims in a pod's volumes, generic ephemeral ones included. */
export function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${nameOf(pod)}-${name}`];
  });
}
