/** The controllers of group mendlet.dev: they turn its objects into annotations of pods, and back. */
import type { EventRecorder, KubeClient } from '../../client/index.ts';
import type { Clock, Logger, MetricsRegistry } from '../../lib/index.ts';
import type { Informers } from '../informers.ts';
import type { Controller } from '../run-controller.ts';
import { policyController, policyStatusController } from './policy-controllers.ts';

export interface HealingSetup {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly informers: Informers;
  /** The recorder of a component; it runs with the controllers. */
  readonly events: (component: string) => EventRecorder;
  /** The API server is not mendlet's: what only ours allows is refused before it fails. */
  readonly foreignServer?: boolean;
}

/** Each makes controllers of one kind. */
const HEALING_CONTROLLERS: readonly ((setup: HealingSetup) => readonly Controller[])[] = [
  ({ informers, clock }) => [policyController(informers), policyStatusController(informers, clock)],
];

export function healingControllers(setup: HealingSetup): readonly Controller[] {
  return HEALING_CONTROLLERS.flatMap((make) => make(setup));
}
