/** Decides whether all of a pod's containers are as they should be, which ends an episode. Pure. */
import type { ContainerView } from '../container-view.ts';
import { isFinal } from '../container-view.ts';
import type { Draft } from '../draft.ts';

export type Health = 'well' | 'unknown' | 'ill';

/** 'unknown': a probe has not been answered yet. */
export function healthOf(draft: Draft, views: readonly ContainerView[]): Health {
  const found = views
    .filter(({ kind }) => kind === 'app' || kind === 'sidecar')
    .map((view) => containerHealth(draft, view));
  if (found.includes('ill')) return 'ill';
  return found.includes('unknown') ? 'unknown' : 'well';
}

function containerHealth({ input }: Draft, view: ContainerView): Health {
  const { container, memory, instances } = view;
  // It has completed, as it should: it is not started again.
  if (isFinal(input.pod, view)) return 'well';
  const running = instances.find(({ state }) => state === 'running');
  if (running === undefined || memory.kill?.containerId === running.id) return 'ill';
  if (input.facts.jobs[`start-container/${container.name}`] !== undefined) return 'ill';
  const { startup, readiness } = input.facts.probes[running.id] ?? {};
  const asked = [
    ...(container.startupProbe === undefined ? [] : [startup]),
    ...(container.readinessProbe === undefined ? [] : [readiness]),
  ];
  if (asked.includes('failure')) return 'ill';
  return asked.every((result) => result === 'success') ? 'well' : 'unknown';
}
