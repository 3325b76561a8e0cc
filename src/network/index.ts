/** network: the pods' network of a machine and of a cluster: pure plans, and the machine as a port. */
export { CidrPool } from './cidr-pool.ts';
export { type FreeNetwork, freeNetwork } from './free-network.ts';
export {
  keepNodeRoutes,
  knownPeers,
  type NodeRoutesPorts,
  removeNodeRoutes,
  type RoutedNode,
} from './keep-node-routes.ts';
export { NetworkError, NetworkInUseError } from './network-error.ts';
export type { BridgeWish, NetworkMachine } from './network-machine.ts';
export { checkNodeIpam, maskSizeOf, type NodeIpamSettings } from './node-ipam-settings.ts';
export { NODE_ROUTES, type NodeRoute, readNodeRoutes, routeOf } from './node-routes.ts';
export type { FilterChain } from './packet-filter.ts';
export { type KernelRoute, type Peer, ROUTE_PROTOCOL, type RouteChange, routeMetric } from './peer-routes.ts';
export { type OwnNode, peersOf } from './peers.ts';
export { bridgeName, type PodNetwork } from './pod-network.ts';
export { LostNetworks } from './router/lost-networks.ts';
export { fullLoad, type RoutedService } from './router/full-load.ts';
export { keepWatching } from './keep-watching.ts';
export { type RoutedNetworks, ServiceRoutes } from './router/keep-service-routes.ts';
export { serviceNetworksOf } from './router/plan-service-routes.ts';
export { TakenPorts, type HostSocket } from './router/taken-ports.ts';
export {
  type AddressOwners,
  addressOwners,
  BALANCER_ANNOTATION,
  BALANCER_VALUE,
  externalIpProblem,
  hasNodeAddresses,
  TAKEN_PORTS_ANNOTATION,
  takenPortsOf,
  type OutsideFront,
  portName,
} from './router/outside-addresses.ts';
export { keepRules, type KeptTable } from './router/keep-rules.ts';
export { PodTable } from './host-ports/pod-table.ts';
export { podTableName } from './host-ports/pod-table-text.ts';
export { HealthChecks, type HealthAnswer, type ListenForHealth } from './router/health-checks.ts';
export { type RouterMachine, SERVICE_ROUTE_PROTOCOL, type ServiceRoute } from './router/router-machine.ts';
export { type RouterState, ServiceRouter } from './router/service-router.ts';
export { tableName as serviceTable, type TableSettings } from './router/table-base.ts';
export {
  type CniFolders,
  type NetworkLock,
  type NatBy,
  type NetworkPlace,
  podNetworkOf,
  refuseTakenNetwork,
  refuseTakenServiceNetwork,
  removeNetwork,
  restoreFilters,
  setUpNetwork,
} from './set-up-network.ts';
export { dnsLinkName } from './dns/dns-link.ts';
export type { DnsSockets } from './dns/dns-sockets.ts';
export { NodeDns, type NodeDnsPorts, type NodeDnsSettings } from './dns/node-dns.ts';
export { LocalVerdicts, type Verdict, type Verdicts, type VerdictTaker } from './services/local-verdicts.ts';
export { createServiceDirectory, type RunningDirectory, type ServiceDirectory } from './services/service-directory.ts';
export { type ServicePortView, servicePorts } from './router/service-view.ts';
export { verdictsFor } from './services/usable-endpoints.ts';
export { type PodTraffic, podRouting } from './pod-traffic.ts';
export { type Withdrawal, Withdrawals } from './services/withdrawals.ts';
export { DNS_PORT } from './dns/resolv-conf.ts';
