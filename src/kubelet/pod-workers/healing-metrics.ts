/** Counts the actions of the healing ladder from one note of a pod to the next. */
import type { Counter, Gauge, MetricsRegistry } from '../../lib/index.ts';
import type { PodNote } from '../plan/pod-memory.ts';

export interface HealingMetrics {
  readonly attempts: Counter;
  readonly stopped: Counter;
  readonly stoppedPods: Gauge;
}

export function healingMetrics(registry: MetricsRegistry): HealingMetrics {
  return {
    attempts: registry.counter({
      name: 'mendlet_healing_attempts_total',
      help: 'Deaths of containers that the healing ladder answered by a rung.',
      labels: ['rung'],
    }),
    stopped: registry.counter({
      name: 'mendlet_healing_stopped_total',
      help: 'Containers that the healing ladder has stopped starting.',
    }),
    stoppedPods: registry.gauge({
      name: 'mendlet_healing_stopped_pods',
      help: 'Pods of which the healing ladder starts some container no more.',
    }),
  };
}

export function countHealing(metrics: HealingMetrics, { healing: before }: PodNote, { healing: after }: PodNote): void {
  if (after === undefined || after === before) return;
  for (const { scope, containerId, uncounted } of after.attempts) {
    if (uncounted !== undefined || before?.attempts.some((known) => known.containerId === containerId)) continue;
    metrics.attempts.inc({ rung: scope });
  }
  for (const [name, { containerId }] of Object.entries(after.stopped?.containers ?? {})) {
    if (before?.stopped?.containers[name]?.containerId !== containerId) metrics.stopped.inc();
  }
}

/** The notes of all pods, now. */
export function tellStoppedPods({ stoppedPods }: HealingMetrics, notes: Iterable<PodNote>): void {
  stoppedPods.set([...notes].filter(({ healing }) => healing?.stopped !== undefined).length);
}
