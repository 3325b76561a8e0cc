/** Finds a route of the machine that overlaps the network of services. Pure. */
import { overlaps, parseCidr } from '../cidr.ts';
import type { HostRoute } from '../conflicting-route.ts';
import type { KernelRoute } from '../peer-routes.ts';

/** The first route of others that our route to the network would take over, or that is another mendlet's to the same. */
export function foreignServiceRoute(
  network: string,
  routes: readonly (HostRoute & Partial<Pick<KernelRoute, 'metric'>>)[],
  ours: { readonly protocol: string; readonly metric: number },
): HostRoute | undefined {
  const wanted = parseCidr(network);
  if (wanted === undefined) return undefined;
  return routes.find(({ dst = 'default', type = 'unicast', protocol, metric }) => {
    if (type === 'broadcast' || type === 'multicast') return false;
    if (protocol === ours.protocol && metric === ours.metric) return false;
    const to = parseCidr(dst);
    // Default routes, also those that are split in two, are none.
    return to !== undefined && to.prefix > 1 && overlaps(to, wanted);
  });
}
