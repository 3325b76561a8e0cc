/** The control plane's controllers, together. */
import { createEventRecorder, type KubeClient } from '../client/index.ts';
import type { Clock, Logger, MetricsRegistry, Random } from '../lib/index.ts';
import { Informers } from './informers.ts';
import { namespaceController } from './namespace/namespace-controller.ts';
import { podGcController } from './pod-gc/pod-gc-controller.ts';
import { rootCaController } from './root-ca/root-ca-controller.ts';
import { type Controller, runController } from './run-controller.ts';
import { serviceAccountController } from './service-account/service-account-controller.ts';
import { taintEvictionController } from './taint-eviction/taint-eviction-controller.ts';

export interface ControllersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** PEM of the CA that signed the API server's certificate. */
  readonly caCertificate: string;
}

/** Runs until the signal is aborted and everything in flight has ended. */
export async function runControllers(options: ControllersOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, caCertificate } = options;
  const informers = new Informers(options);
  const events = createEventRecorder({ ...options, component: 'taint-eviction-controller' });
  const controllers: readonly Controller[] = [
    serviceAccountController(informers),
    rootCaController(informers, caCertificate),
    namespaceController(informers, client, clock),
    podGcController(informers, client, clock),
    taintEvictionController(informers, clock, events),
  ];
  await Promise.all([
    informers.run(signal),
    events.run(signal),
    ...controllers.map((controller) => runController(controller, { ...options, informers }, signal)),
  ]);
}
