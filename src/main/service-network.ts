/** The node's part in the network of services: one directory of Services, which routing and DNS share, and its own verdicts. */
import type { KubeClient } from '../client/index.ts';
import { createServiceDirectory, LocalVerdicts, type ServiceDirectory } from '../network/index.ts';
import type { Ground } from './ground.ts';

export interface ServiceNetwork {
  readonly directory: ServiceDirectory;
  /** The kubelet gives verdicts; routing and DNS ask for them. */
  readonly verdicts: LocalVerdicts;
}

/** Starts the directory. @param client may list and watch Services and EndpointSlices, as the node may (system:node-proxier) */
export function startServiceNetwork({ clock, random, logger, background }: Ground, client: KubeClient): ServiceNetwork {
  const directory = createServiceDirectory({
    client,
    clock,
    random: random.split('services'),
    logger: logger.child({ component: 'services' }),
  });
  background.start('services', (signal) => directory.run(signal));
  return { directory, verdicts: new LocalVerdicts() };
}
