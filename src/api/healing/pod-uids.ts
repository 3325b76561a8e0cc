/** By which UIDs a pod is told of. Pure. */
import type { Pod } from '../types.gen.ts';

const STATIC_UID = ['kubernetes.io/config.hash', 'kubernetes.io/config.mirror'];

/** Its own; of the mirror of a static pod also that under which its node knows it. */
export function uidsOf({ metadata }: Pod): readonly string[] {
  const others = STATIC_UID.map((name) => metadata?.annotations?.[name]);
  return [metadata?.uid, ...others].flatMap((uid) => (uid === undefined || uid === '' ? [] : [uid]));
}
