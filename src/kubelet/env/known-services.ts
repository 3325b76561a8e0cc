/** The cluster's services as the node last saw them, for the variables of containers. */
import { type Service, SERVICES } from '../../api/index.ts';
import { createReflector, type KubeClient, withoutManagedFields } from '../../client/index.ts';
import { type Clock, type Logger, type Random, withDeadline } from '../../lib/index.ts';
import { SERVICES_WAIT_MS } from './limits.ts';

export interface KnownServices {
  /**
   * All services. Waits a moment for the first list: a container without its variables would be a broken one; a server
   * that is away must not keep it from coming back for ever, though.
   */
  list(): Promise<readonly Service[]>;
  run(signal: AbortSignal): Promise<void>;
}

export function createKnownServices(options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
}): KnownServices {
  const reflector = createReflector<Service>({ ...options, resource: SERVICES, transform: withoutManagedFields });
  const { lister } = reflector;
  const { clock, logger } = options;
  return {
    list: async () => {
      if (!lister.synced) {
        const answer = await withDeadline({ clock, timeoutMs: SERVICES_WAIT_MS }, (signal) =>
          lister.waitForSync(signal).catch(() => {}),
        );
        if (answer.kind !== 'done')
          logger.warn('services are not known yet; a container starts without their variables');
      }
      return lister.list();
    },
    run: (signal) => reflector.run(signal),
  };
}
