/** Makes and removes the pods' network of this instance: bridge, forwarding, packet filter, CNI configuration, leases. */
import type { FileSystem } from '../lib/index.ts';
import { formatCidr } from './cidr.ts';
import { cniConflist } from './cni-conflist.ts';
import { conflictingRoute } from './conflicting-route.ts';
import { NetworkError, NetworkInUseError } from './network-error.ts';
import type { NetworkMachine } from './network-machine.ts';
import { chains, filterRules, natRules } from './packet-filter.ts';
import { type Peer, planPeerRoutes } from './peer-routes.ts';
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
}

/**
 * Brings the network up; idempotent. The bridge has its address before the first pod, so that the API server can listen on it.
 *
 * @throws NetworkInUseError when the network overlaps a host route
 * @throws NetworkError when the machine refuses
 */
export async function setUpNetwork(place: NetworkPlace, network: PodNetwork, wish: NetworkWish): Promise<void> {
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
  await machine.restoreRules(filterRules(network, wish.apiServerPort));
  for (const chain of chains(network)) await machine.ensureJump(chain);
  await place.fs.mkdir(wish.leasesDir, { mode: 0o755 });
  await writeConflist(place.fs, network, wish);
}

/**
 * Makes the pods of other nodes reachable, and lets our pods keep their addresses towards them; routes and rules for former
 * peers are removed. Idempotent.
 * @returns the problems, for instance that a node is on no link of ours; everything else is done
 */
export async function setPeers(
  machine: NetworkMachine,
  network: PodNetwork,
  peers: readonly Peer[],
): Promise<readonly string[]> {
  const failures = await setRoutes(machine, network.instanceId, peers);
  const networks = peers.map(({ cidr }) => cidr).toSorted();
  await machine.restoreRules(`${natRules(network, networks).join('\n')}\n`);
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

/** Removes everything that `setUpNetwork` made; missing parts are no error. */
export async function removeNetwork(
  { machine, fs }: NetworkPlace,
  network: PodNetwork,
  folders: CniFolders,
): Promise<void> {
  await setRoutes(machine, network.instanceId, []);
  for (const chain of chains(network)) await machine.removeChain(chain);
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
