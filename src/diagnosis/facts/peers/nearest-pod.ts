/** Which pod a selector that matches none was probably meant for. Pure. */
import type { Pod } from '../../evidence/kinds.ts';
import { listed } from '../words/text.ts';

export interface Nearest {
  readonly pod: Pod;
  /** What the selector asks for and the pod does not have. */
  readonly wrong: readonly (readonly [key: string, value: string])[];
}

/**
 * The pod with most of the labels, or with the same keys; undefined: none has anything in common.
 *
 * @param name that of the service: a label of a key of the selector that has it shows that its pod was meant
 */
export function nearestPod(
  pods: readonly Pod[],
  selector: readonly (readonly [key: string, value: string])[],
  name?: string,
): Nearest | undefined {
  let best: (Nearest & { readonly score: number }) | undefined;
  for (const pod of pods) {
    const labels = pod.metadata?.labels ?? {};
    const wrong = selector.filter(([key, value]) => labels[key] !== value);
    // A right label counts most; a key with another value still shows that the pod was meant.
    const keys = wrong.filter(
      ([key, value]) => isLike(labels[key], value) || (name !== undefined && labels[key] === name),
    ).length;
    const score = (selector.length - wrong.length) * 3 + keys * 2;
    if (score > 0 && (best === undefined || score > best.score)) best = { pod, wrong, score };
  }
  return best;
}

/** "has app=web instead of web-v2" */
export function wrongLabelsText({ pod, wrong }: Nearest): string {
  return listed(
    wrong.map(([key, value]) => {
      const own = pod.metadata?.labels?.[key];
      return own === undefined ? `has no label ${key} (wanted: ${value})` : `has ${key}=${own} instead of ${value}`;
    }),
  );
}

/** "have app=web and no label tier": what the nearest has where the selector asks for something else. */
export function ownLabelsText({ pod, wrong }: Nearest): string {
  const labels = pod.metadata?.labels ?? {};
  const [own, absent] = [wrong.filter(([key]) => key in labels), wrong.filter(([key]) => !(key in labels))];
  return listed([...own.map(([key]) => `${key}=${labels[key] ?? ''}`), ...absent.map(([key]) => `no label ${key}`)]);
}

/** "web" and "web-v2", "frontend" and "front-end": spellings of one name. */
function isLike(own: string | undefined, wanted: string): boolean {
  if (own === undefined) return false;
  const [a, b] = [own, wanted].map((text) => text.toLowerCase().replace(/[^a-z0-9]/g, '')) as [string, string];
  return a.length > 1 && b.length > 1 && (a.includes(b) || b.includes(a));
}
