/** The views of a pod's containers: derived once for each state of the draft's note, here and nowhere else. Pure. */
import { allContainers } from './containers.ts';
import { type ContainerView, viewContainer } from './container-view.ts';
import type { Draft } from './draft.ts';
import type { PodNote } from './pod-memory.ts';

interface Derived {
  readonly note: PodNote;
  readonly views: readonly ContainerView[];
}

const derived = new WeakMap<Draft, Derived>();

/** As the note stands now: a step that writes into the note sees its own writing in the next call. */
export function viewsOf(draft: Draft): readonly ContainerView[] {
  const known = derived.get(draft);
  if (known?.note === draft.note) return known.views;
  const { pod, observed } = draft.input;
  const views = allContainers(pod).map((container) => viewContainer(container, observed, draft.note));
  derived.set(draft, { note: draft.note, views });
  return views;
}
