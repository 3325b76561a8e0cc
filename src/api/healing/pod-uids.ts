/** The UIDs under which a pod is known. Pure. */
import type { Pod } from '../types.gen.ts';

const STATIC_UID = ['kubernetes.io/config.hash', 'kubernetes.io/config.mirror'];

/** Its own; for the mirror of a static pod also the one under which its node knows it. */
export function uidsOf({ metadata }: Pod): readonly string[] {
  const others = STATIC_UID.map((name) => metadata?.annotations?.[name]);
  return [metadata?.uid, ...others].flatMap((uid) => (uid === undefined || uid === '' ? [] : [uid]));
}
