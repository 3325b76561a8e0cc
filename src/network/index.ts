/** network: the pods' network of a machine and of a cluster: pure plans, and the machine as a port. */
export { CidrPool } from './cidr-pool.ts';
export { type FreeNetwork, freeNetwork } from './free-network.ts';
export { keepNodeRoutes, type NodeRoutesPorts, removeNodeRoutes, type RoutedNode } from './keep-node-routes.ts';
export { NetworkError, NetworkInUseError } from './network-error.ts';
export type { BridgeWish, NetworkMachine } from './network-machine.ts';
export { checkNodeIpam, maskSizeOf, type NodeIpamSettings } from './node-ipam-settings.ts';
export { NODE_ROUTES, type NodeRoute, readNodeRoutes, routeOf } from './node-routes.ts';
export type { FilterChain } from './packet-filter.ts';
export { type KernelRoute, type Peer, ROUTE_PROTOCOL, type RouteChange } from './peer-routes.ts';
export { type OwnNode, peersOf } from './peers.ts';
export type { PodNetwork } from './pod-network.ts';
export {
  type CniFolders,
  type NetworkLock,
  type NetworkPlace,
  podNetworkOf,
  refuseTakenNetwork,
  removeNetwork,
  setUpNetwork,
} from './set-up-network.ts';
