/** The view of a pod, made anew only when the pod, or what was said of its containers, has changed. */
import type { Pod } from '../api/index.ts';
import { podView } from './pod-view.ts';
import type { PodView, Said } from './types.ts';

interface Viewed {
  readonly view: PodView;
  /** What was said of its containers then. */
  readonly heard: ReadonlyMap<string, string | undefined>;
}

/** By the pod itself: a watch replaces objects and never changes them. Most pods are as they were at the last look. */
const VIEWS = new WeakMap<Pod, Viewed>();

/** As `podView`. */
export function viewOf(pod: Pod, said: Said): PodView {
  const before = VIEWS.get(pod);
  if (before !== undefined && [...before.heard].every(([id, words]) => said(id) === words)) return before.view;
  const heard = new Map<string, string | undefined>();
  const listening: Said = (id) => {
    const words = said(id);
    heard.set(id, words);
    return words;
  };
  const view = podView(pod, listening);
  VIEWS.set(pod, { view, heard });
  return view;
}
