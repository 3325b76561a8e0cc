/** Runs controllers that share informers and event recorders. */
import { createEventRecorder, type EventRecorder, Informers, type KubeClient } from '../client/index.ts';
import type { Clock, Logger, MetricsRegistry, Random } from '../lib/index.ts';
import { CONTROLLER_INDEXES } from './indexes.ts';
import { runController } from './run-controller.ts';
import type { Controller } from './controller.ts';

export interface SetOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** The parts that controllers get, beside those of their caller. */
export interface SetParts {
  readonly informers: Informers;
  /** The recorder of a component ("replicaset-controller"); it runs with the controllers. */
  readonly events: (component: string) => EventRecorder;
}

/** Runs until the signal is aborted and everything in flight has ended. */
export async function runSet<O extends SetOptions>(
  options: O,
  make: (setup: O & SetParts) => readonly Controller[],
  signal: AbortSignal,
): Promise<void> {
  const informers = new Informers({ ...options, indexes: CONTROLLER_INDEXES });
  const recorders = new Map<string, EventRecorder>();
  const events = (component: string): EventRecorder => {
    const known = recorders.get(component);
    if (known !== undefined) return known;
    const random = options.random.split(`events ${component}`);
    const recorder = createEventRecorder({ ...options, random, component });
    recorders.set(component, recorder);
    return recorder;
  };
  const controllers = make({ ...options, informers, events });
  await Promise.all([
    informers.run(signal),
    ...[...recorders.values()].map((recorder) => recorder.run(signal)),
    ...controllers.map((controller) => runController(controller, { ...options, informers }, signal)),
  ]);
}
