/** The controller of replication controllers, which are replica sets of an older kind. */
import { type ReplicaControllerOptions, replicaController } from '../replicaset/replica-controller.ts';
import { REPLICATION_CONTROLLER_KIND } from '../replicaset/replicated-kind.ts';
import type { Controller } from '../controller.ts';

/** Keeps the number of each replication controller's pods, as a replica set's. */
export function replicationController(options: ReplicaControllerOptions): Controller {
  return replicaController(REPLICATION_CONTROLLER_KIND, options);
}
