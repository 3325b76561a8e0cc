/** The cluster's services as the node last saw them, for the variables of containers. */
import type { Service } from '../../api/index.ts';
import type { Lister } from '../../client/index.ts';
import { type Clock, type Logger, withDeadline } from '../../lib/index.ts';
import { SERVICES_WAIT_MS } from './limits.ts';

export interface KnownServices {
  /**
   * All services. Waits a moment for the first list: a container without its variables would be a broken one; a server
   * that is away must not keep it from coming back for ever, though.
   */
  list(): Promise<readonly Service[]>;
}

export function createKnownServices(
  lister: Lister<Service>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): KnownServices {
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
  };
}
