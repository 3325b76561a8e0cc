/** Finds a route of the machine that overlaps the pods' network. Pure. */
import { overlaps, parseCidr } from './cidr.ts';
import { ROUTE_PROTOCOL } from './peer-routes.ts';
import type { PodNetwork } from './pod-network.ts';

/** A host route as `ip -j route show table all` prints it. */
export interface HostRoute {
  readonly dst?: string;
  readonly dev?: string;
  readonly type?: string;
  readonly protocol?: string;
}

/** The first route of another device that the pod network would take over; default routes, also split in two, are none. */
export function conflictingRoute(network: PodNetwork, routes: readonly HostRoute[]): HostRoute | undefined {
  return routes.find(({ dst = 'default', dev, type = 'unicast', protocol }) => {
    // A route of ours to another node is set right when the nodes are known.
    if (dev === network.bridge || type === 'broadcast' || type === 'multicast' || protocol === ROUTE_PROTOCOL)
      return false;
    const to = parseCidr(dst);
    return to !== undefined && to.prefix > 1 && overlaps(to, network.cidr);
  });
}
