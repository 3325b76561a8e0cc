/** Makes and removes the pods' network of this instance: bridge, forwarding, packet filter, CNI configuration, leases. */
import type { FileSystem } from '../lib/index.ts';
import { formatCidr } from './cidr.ts';
import { cniConflist } from './cni-conflist.ts';
import { conflictingRoute } from './conflicting-route.ts';
import { NetworkError, NetworkInUseError } from './network-error.ts';
import type { NetworkMachine } from './network-machine.ts';
import { type FilterChain, filterChains, filterRules, masqueradeChain, natRules } from './packet-filter.ts';
import { type Peer, planPeerRoutes } from './peer-routes.ts';
import { foreignServiceRoute } from './router/foreign-route.ts';
import { SERVICE_ROUTE_PROTOCOL } from './router/router-machine.ts';
import {
  BRIDGE_PREFIX,
  bridgeHardwareAddress,
  bridgeName,
  networkName,
  type PodNetwork,
  podNetwork,
} from './pod-network.ts';

/** The folders in which CNI finds its configuration and records addresses. */
export interface CniFolders {
  readonly confDir: string;
  readonly leasesDir: string;
}

/** The machine and its files. */
export interface NetworkPlace {
  readonly machine: NetworkMachine;
  readonly fs: FileSystem;
}

/**
 * One lock for the machine: of two instances that start at the same time with the same network, the second must see the first
 * one's bridge.
 */
export type NetworkLock = () => Promise<{ release(): void } | undefined>;

export interface NetworkWish extends CniFolders {
  /** Pods may reach this port of the bridge's address even if the host's firewall drops packets; `undefined`: none. */
  readonly apiServerPort: number | undefined;
  readonly lock: NetworkLock | undefined;
  /** Opens our table of host ports and masquerade. @returns why it cannot be; undefined: it is there */
  readonly openTable: () => Promise<string | undefined>;
}

/** Who gives pods the machine's address when they leave, and makes host ports. */
export type NatBy =
  /** Our table. */
  | 'table'
  /** A chain of iptables, and the CNI plugin portmap: nft is missing, or refuses. */
  | 'iptables';

/**
 * Brings the network up; idempotent. The bridge has its address before the first pod, so that the API server can listen on it.
 *
 * @returns why there is no table of ours; undefined: there is
 * @throws NetworkInUseError when the network overlaps a host route
 * @throws NetworkError when the machine refuses
 */
export async function setUpNetwork(
  place: NetworkPlace,
  network: PodNetwork,
  wish: NetworkWish,
): Promise<string | undefined> {
  const { machine } = place;
  const lock = await wish.lock?.();
  try {
    await refuseOverlap(machine, network);
    await machine.ensureBridge({
      name: network.bridge,
      address: `${network.gateway}/${network.cidr.prefix}`,
      hardwareAddress: bridgeHardwareAddress(network),
    });
  } finally {
    lock?.release();
  }
  await machine.allowForwarding();
  const failure = await wish.openTable();
  const natBy = failure === undefined ? 'table' : 'iptables';
  await machine.restoreRules(rulesOf(network, natBy, wish.apiServerPort));
  for (const chain of chainsOf(network, natBy)) await machine.ensureJump(chain);
  if (natBy === 'table') {
    // An earlier version's, or one of a start without nft: the table says the same now.
    await machine.removeChain(masqueradeChain(network));
    // Only now: the table drops what comes to 127.0.0.0/8 from anywhere but this machine.
    await machine.allowLoopbackThrough(network.bridge);
  }
  await place.fs.mkdir(wish.leasesDir, { mode: 0o755 });
  await writeConflist(place.fs, network, wish);
  return failure;
}

function chainsOf(network: PodNetwork, natBy: NatBy): readonly FilterChain[] {
  return natBy === 'table' ? filterChains(network) : [masqueradeChain(network), ...filterChains(network)];
}

function rulesOf(network: PodNetwork, natBy: NatBy, apiServerPort: number | undefined): string {
  const nat = natBy === 'table' ? '' : `${natRules(network, []).join('\n')}\n`;
  return nat + filterRules(network, apiServerPort);
}

/**
 * Makes the pods of other nodes reachable, and lets our pods keep their addresses towards them; routes and rules for former
 * peers are removed. Idempotent.
 * @param tellTable tells our table whose pods see ours by their own addresses; undefined: iptables is told
 * @returns the problems, for instance that a node is on no link of ours; everything else is done
 */
export async function setPeers(
  machine: NetworkMachine,
  network: PodNetwork,
  peers: readonly Peer[],
  tellTable: ((networks: readonly string[]) => void) | undefined,
): Promise<readonly string[]> {
  const failures = await setRoutes(machine, network.instanceId, peers);
  const networks = peers.map(({ cidr }) => cidr).toSorted();
  if (tellTable === undefined) await machine.restoreRules(`${natRules(network, networks).join('\n')}\n`);
  else tellTable(networks);
  return failures;
}

/**
 * The routes alone, for a machine without pods of its own; no peers: all of this instance's routes go.
 *
 * @returns what could not be done
 */
export async function setRoutes(
  machine: NetworkMachine,
  instanceId: string,
  peers: readonly Peer[],
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const change of planPeerRoutes({ bridge: bridgeName(instanceId) }, peers, await machine.peerRoutes())) {
    const failure = await machine.changeRoute(change);
    if (failure !== undefined) failures.push(failure);
  }
  return failures;
}

/**
 * Brings back the chains of the pods' network where somebody removed them. Rules for peers are not among them, and neither is our
 * table.
 *
 * @returns the chains that were not whole
 */
export async function restoreFilters(
  machine: NetworkMachine,
  network: PodNetwork,
  { natBy, apiServerPort }: { readonly natBy: NatBy; readonly apiServerPort: number | undefined },
): Promise<readonly string[]> {
  const missing = (await machine.tornChains(chainsOf(network, natBy))).map(({ name }) => name);
  if (missing.length === 0) return [];
  await machine.restoreRules(rulesOf(network, natBy, apiServerPort));
  for (const chain of chainsOf(network, natBy)) await machine.ensureJump(chain);
  return missing;
}

/** Removes everything that `setUpNetwork` made; missing parts are no error. */
export async function removeNetwork(
  { machine, fs }: NetworkPlace,
  network: PodNetwork,
  folders: CniFolders,
): Promise<void> {
  await setRoutes(machine, network.instanceId, []);
  for (const chain of chainsOf(network, 'iptables')) await machine.removeChain(chain);
  await machine.removeLink(network.bridge);
  await fs.remove(`${folders.leasesDir}/${networkName(network)}`);
  await fs.remove(conflistPath(network, folders.confDir));
}

/**
 * For an instance that is not there yet.
 *
 * @throws NetworkInUseError when a host route is in the way of `podCidr`
 */
export async function refuseTakenNetwork(machine: NetworkMachine, podCidr: string): Promise<void> {
  await refuseOverlap(machine, podNetworkOf('new', podCidr));
}

/**
 * For an instance that is not there yet. Other mendlets may have the same network of services.
 *
 * @throws NetworkInUseError when a host route is in the way of `serviceCidr`
 */
export async function refuseTakenServiceNetwork(
  machine: Pick<NetworkMachine, 'allRoutes'>,
  serviceCidr: string,
): Promise<void> {
  const routes = (await machine.allRoutes()).filter(({ protocol }) => protocol !== SERVICE_ROUTE_PROTOCOL);
  const conflict = foreignServiceRoute(serviceCidr, routes, { protocol: SERVICE_ROUTE_PROTOCOL, metric: 0 });
  if (conflict === undefined) return;
  throw new NetworkInUseError(
    `--service-cidr ${serviceCidr} overlaps the route to ${conflict.dst} through ${conflict.dev ?? 'this host'}; choose another network`,
  );
}

/** The network for `--pod-cidr`. @throws NetworkError when it is none */
export function podNetworkOf(instanceId: string, podCidr: string): PodNetwork {
  const network = podNetwork(instanceId, podCidr);
  if (typeof network === 'string') throw new NetworkError(network);
  return network;
}

async function refuseOverlap(machine: NetworkMachine, network: PodNetwork): Promise<void> {
  const conflict = conflictingRoute(network, await machine.allRoutes());
  if (conflict === undefined) return;
  // A bridge of ours whose data folder is gone: no other program would remove it.
  const ours = conflict.dev?.startsWith(BRIDGE_PREFIX) === true;
  const hint = ours ? `, or end the mendlet there ("ip link delete ${conflict.dev}" if its data folder is gone)` : '';
  throw new NetworkInUseError(
    `--pod-cidr ${formatCidr(network.cidr)} overlaps the route to ${conflict.dst} through ${conflict.dev ?? 'this host'}; choose another network${hint}`,
  );
}

/** The folder is ours alone: a conflist of another network in it would be taken instead. */
async function writeConflist(fs: FileSystem, network: PodNetwork, { confDir, leasesDir }: CniFolders): Promise<void> {
  await fs.mkdir(confDir, { mode: 0o755 });
  const path = conflistPath(network, confDir);
  for (const name of await fs.readdir(confDir)) {
    if (`${confDir}/${name}` !== path) await fs.remove(`${confDir}/${name}`);
  }
  await fs.writeFile(path, cniConflist(network, leasesDir));
}

function conflistPath(network: PodNetwork, confDir: string): string {
  return `${confDir}/10-${networkName(network)}.conflist`;
}
