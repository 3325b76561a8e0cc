/** The controllers of group mendlet.dev: they turn its objects into annotations of pods, and back. */
import type { EventRecorder, KubeClient, Informers } from '../../client/index.ts';
import type { Clock, Logger, MetricsRegistry } from '../../lib/index.ts';
import type { Controller } from '../controller.ts';
import { moveController } from './move-controller.ts';
import type { Refusals } from './other-nodes.ts';
import { pauseController } from './pause-controller.ts';
import { podRestartController } from './pod-restart-controller.ts';
import { recoveryController } from './recovery-controller.ts';
import { policyController, policyStatusController } from './policy-controllers.ts';

export interface HealingSetup {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly informers: Informers;
  /** The recorder of a component; it runs with the controllers. */
  readonly events: (component: string) => EventRecorder;
  /** The API server is not mendlet's: a request that only ours allows is refused before it fails. */
  readonly foreignServer?: boolean;
  /** The scheduler's filters: no pod is moved if no node would take it. */
  readonly refusals?: Refusals;
}

/** The source of its events. */
const COMPONENT = 'mendlet-healing-controller';

/** Each makes controllers of one kind. */
const HEALING_CONTROLLERS: readonly ((setup: HealingSetup) => readonly Controller[])[] = [
  ({ informers, clock }) => [policyController(informers), policyStatusController(informers, clock)],
  ({ informers }) => [pauseController(informers)],
  ({ informers, clock }) => [recoveryController(informers, clock)],
  (setup) => [
    podRestartController({
      ...setup,
      foreignServer: setup.foreignServer === true,
      events: setup.events(COMPONENT),
      finished: setup.metrics.counter({
        name: 'mendlet_pod_restarts_finished_total',
        help: 'PodRestart objects that have ended, by phase and reason.',
        labels: ['phase', 'reason'],
      }),
    }),
  ],
  (setup) => [
    moveController({
      ...setup,
      events: setup.events(COMPONENT),
      moves: setup.metrics.counter({
        name: 'mendlet_healing_moves_total',
        help: 'Answers to pods that wished to leave their node: moved, refused, or blocked by a disruption budget for now.',
        labels: ['result'],
      }),
    }),
  ],
];

export function healingControllers(setup: HealingSetup): readonly Controller[] {
  return HEALING_CONTROLLERS.flatMap((make) => make(setup));
}
