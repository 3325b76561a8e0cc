/** Tries the route of services once: from then on new pods are told to find the API server by its service. */
import type { ProbeTransport } from '../kubelet/index.ts';
import type { ServiceDirectory } from '../network/index.ts';
import { whenAborted } from '../lib/index.ts';
import type { Ground } from './ground.ts';

const RETRY_MS = 2000;
const TRY_MS = 2000;

/**
 * Begins to try, until it works or the background ends.
 * @returns whether it has worked once: a connection to the `kubernetes` service was accepted
 */
export function tryServiceRoute(
  { clock, logger, background }: Ground,
  directory: ServiceDirectory,
  transport: Pick<ProbeTransport, 'tcp'>,
): () => boolean {
  let works = false;
  background.start('service route', async (signal) => {
    await directory.waitForSync(signal).catch(() => {});
    while (!works && !signal.aborted) {
      const { clusterIP: host, ports = [] } = directory.service('default', 'kubernetes')?.spec ?? {};
      const [port] = ports ?? [];
      if (host !== undefined && port !== undefined) {
        works = (await transport.tcp({ host, port: port.port, timeoutMs: TRY_MS })).result === 'success';
      }
      if (works) logger.info('pods find the API server by its service', { address: `${host}:${port?.port}` });
      else await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
    await whenAborted(signal);
  });
  return () => works;
}
