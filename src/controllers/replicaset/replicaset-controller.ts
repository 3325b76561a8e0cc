/** The controller of replica sets. */
import type { Controller } from '../controller.ts';
import { type ReplicaControllerOptions, replicaController } from './replica-controller.ts';
import { REPLICA_SET_KIND } from './replicated-kind.ts';

/** Keeps the number of each replica set's pods. */
export function replicaSetController(options: ReplicaControllerOptions): Controller {
  return replicaController(REPLICA_SET_KIND, options);
}
