/**
 * Ends containers of a pod in order: first its app containers, then its sidecars, the last one first, all within one grace
 * period. Used for a pod that ends, and for one that is restarted as a whole. Pure.
 */
import type { RuntimeContainer } from '../types.ts';
import type { ContainerView } from './container-view.ts';
import { act, type Draft, isDone, wait } from './draft.ts';
import { planStop, watchDeadline } from './plan-stop.ts';

export interface EndOptions {
  /** Mono ms when the grace ends. */
  readonly deadline: number;
  /** The whole grace. */
  readonly gracePeriodSeconds: number;
  /** Text of a container's Killing event. */
  readonly message: (name: string) => string;
  /** Mono ms: the end of the grace period of a container whose own stop was decided earlier. */
  readonly ownDeadline?: (instance: RuntimeContainer) => number | undefined;
}

/** Plans the next step for all of `alive`. */
export function planEnds(
  draft: Draft,
  views: readonly ContainerView[],
  alive: readonly RuntimeContainer[],
  options: EndOptions,
): void {
  const { deadline } = options;
  const rank = new Map(views.map((view, index) => [view.container.name, view.kind === 'sidecar' ? index : -1]));
  // Sidecars outlive what they serve, unless the grace is over.
  const inTime = draft.input.now.mono < deadline;
  const wave = inTime ? lastWave(alive.map(({ name }) => rank.get(name) ?? -1)) : undefined;
  for (const instance of alive) {
    if (wave !== undefined && (rank.get(instance.name) ?? -1) !== wave) {
      wait(draft, `sidecar ${instance.name} is stopped after the others`);
      planPreStop(draft, views, instance, options);
    } else {
      planEnd(draft, instance, options, inTime);
    }
  }
  if (alive.length > 0) watchDeadline(draft, deadline);
}

function planEnd(draft: Draft, instance: RuntimeContainer, options: EndOptions, inTime: boolean): void {
  const { gracePeriodSeconds, ownDeadline } = options;
  const key = `pre-stop/${instance.id}`;
  if (inTime && draft.input.facts.jobs[key] !== undefined) {
    wait(draft, `${key} is under way`);
    return;
  }
  const deadline = Math.min(options.deadline, ownDeadline?.(instance) ?? Number.POSITIVE_INFINITY);
  const told = isDone(draft, key) ? { preStop: false } : { message: options.message(instance.name) };
  planStop(draft, instance, { deadline, gracePeriodSeconds, ...told });
}

/** Hooks don't wait for their containers' turn (upstream: killContainer runs them before waitForTurn). */
function planPreStop(
  draft: Draft,
  views: readonly ContainerView[],
  instance: RuntimeContainer,
  { deadline, message }: EndOptions,
): void {
  const view = views.find(({ container }) => container.name === instance.name);
  if (view?.container.lifecycle?.preStop === undefined || isDone(draft, `pre-stop/${instance.id}`)) return;
  // Its own stop is under way, with its hook.
  if (draft.input.facts.jobs[`stop-container/${instance.id}`] !== undefined) return;
  act(draft, {
    verb: 'pre-stop',
    container: instance.name,
    containerId: instance.id,
    graceMs: deadline - draft.input.now.mono,
    message: message(instance.name),
  });
}

/** App containers (−1) first, then the sidecar that started last. */
function lastWave(ranks: readonly number[]): number | undefined {
  if (ranks.length === 0) return undefined;
  return ranks.includes(-1) ? -1 : Math.max(...ranks);
}
