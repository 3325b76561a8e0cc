/** Which pods come from files instead of the API server, and what their mirrors add to them. Pure. */
import { MENDLET_GROUP, type Pod } from '../../api/index.ts';

const CONFIG_SOURCE = 'kubernetes.io/config.source';

const OURS = `${MENDLET_GROUP}/`;

export function isStaticPod({ metadata }: Pod): boolean {
  const source = metadata?.annotations?.[CONFIG_SOURCE];
  return source !== undefined && source !== 'api';
}

/**
 * A static pod with what people and controllers have written of ours on its mirror, which is all of it that they can write on;
 * any other pod as it is.
 */
export function withMirrorAnnotations(pod: Pod, mirror: Pod | undefined): Pod {
  if (mirror === undefined || !isStaticPod(pod)) return pod;
  const ours = Object.entries(mirror.metadata?.annotations ?? {}).filter(([name]) => name.startsWith(OURS));
  if (ours.length === 0) return pod;
  const annotations = { ...pod.metadata?.annotations, ...Object.fromEntries(ours) };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}
