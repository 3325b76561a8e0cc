/** The behaviour of pods in a simulated fleet, in an annotation, so that it passes through templates and controllers. */
import type { Pod } from '../../api/index.ts';

const ANNOTATION = 'sim.mendlet.dev/behaviour';

/** Times in ms: `startMs` until ready, `runMs` until the end with `exit`; without `runMs` the pod never ends. */
export interface PodBehaviour {
  readonly startMs: number;
  readonly stopMs: number;
  readonly runMs?: number;
  readonly exit?: 'Succeeded' | 'Failed';
}

const DEFAULT: PodBehaviour = { startMs: 500, stopMs: 200 };

export function behaviourAnnotation(behaviour: Partial<PodBehaviour>): Record<string, string> {
  return { [ANNOTATION]: JSON.stringify(behaviour) };
}

export function behaviourOf(pod: Pod): PodBehaviour {
  const text = pod.metadata?.annotations?.[ANNOTATION];
  return text === undefined ? DEFAULT : { ...DEFAULT, ...(JSON.parse(text) as Partial<PodBehaviour>) };
}
