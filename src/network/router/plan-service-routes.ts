/** Which networks services have, and which of them this instance has a route to. Pure. */
import { isIpv4Cidr, type ServiceCIDR } from '../../api/index.ts';
import type { HostRoute } from '../conflicting-route.ts';
import { foreignServiceRoute } from './foreign-route.ts';
import { SERVICE_ROUTE_PROTOCOL } from './router-machine.ts';

/** A route as `ip -j -4 route show table all` prints it. */
export type MachineRoute = HostRoute & { readonly metric?: number };

/** Sorted; empty: the server does not say. */
export function serviceNetworksOf(objects: readonly ServiceCIDR[]): readonly string[] {
  return [...new Set(objects.flatMap(({ spec }) => (spec?.cidrs ?? []).filter(isIpv4Cidr)))].toSorted();
}

export interface RouteNeeds {
  readonly networks: readonly string[];
  /**
   * Networks whose owner on this machine is decided already: whether it is this instance. Two mendlets that lose their routes at
   * the same time must not both give way.
   */
  readonly decided: ReadonlyMap<string, boolean>;
  readonly metric: number;
}

export interface RoutePlan {
  /** Networks to which a route of ours is missing. */
  readonly missing: readonly string[];
  /** Networks that have a route of ours which nobody wants any more. */
  readonly stale: readonly string[];
  /** Whether each network is ours on this machine. */
  readonly isOurs: ReadonlyMap<string, boolean>;
  /** Networks that were found to be somebody else's now, with his route. */
  readonly foreign: readonly { readonly network: string; readonly route: HostRoute }[];
}

export function planServiceRoutes(
  { networks, decided, metric }: RouteNeeds,
  routes: readonly MachineRoute[],
): RoutePlan {
  const ours = { protocol: SERVICE_ROUTE_PROTOCOL, metric };
  const present = routes.filter((route) => route.protocol === ours.protocol && route.metric === metric);
  const isOurs = new Map<string, boolean>();
  const foreign: { network: string; route: HostRoute }[] = [];
  for (const network of networks) {
    const before = decided.get(network);
    const route = before === undefined ? foreignServiceRoute(network, routes, ours) : undefined;
    if (route !== undefined) foreign.push({ network, route });
    isOurs.set(network, before ?? route === undefined);
  }
  const has = (network: string): boolean => present.some(({ dst }) => dst === network);
  return {
    missing: networks.filter((network) => isOurs.get(network) === true && !has(network)),
    stale: present.flatMap(({ dst }) => (dst === undefined || isOurs.get(dst) === true ? [] : [dst])),
    isOurs,
    foreign,
  };
}
