/** Gathers endpoints that somebody wrote in a namespace and that are no service's. */
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../api/index.ts';
import { type StrayEndpoints, strayEndpoints } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED } from './limits.ts';

/** @param name a service without a selector and without endpoints, for which they may be meant */
export async function gatherStrays(asker: Asker, namespace: string, name: string): Promise<readonly StrayEndpoints[]> {
  const query = { namespace, limit: MAX_LISTED };
  const [slices, endpoints, services] = await Promise.all([
    asker.list(`endpointslices in namespace ${namespace}`, ENDPOINT_SLICES, query),
    asker.list(`endpoints in namespace ${namespace}`, ENDPOINTS, query),
    asker.listAll(`services of namespace ${namespace}`, SERVICES, query),
  ]);
  // Without the services of the namespace none is known to be nobody's.
  return services === undefined ? [] : strayEndpoints(name, { slices, endpoints, services });
}
