/** Makes and removes the pods' network of this instance: bridge, forwarding, packet filter, CNI configuration, leases. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Process, RunResult } from '../../lib/index.ts';
import { formatCidr } from './cidr.ts';
import {
  BRIDGE_PREFIX,
  bridgeHardwareAddress,
  bridgeName,
  chains,
  cniConflist,
  conflictingRoute,
  filterRules,
  type HostRoute,
  natRules,
  networkName,
  type PodNetwork,
  podNetwork,
} from './cni-config.ts';
import { type KernelRoute, type Peer, ROUTE_PROTOCOL, routeCalls } from './peer-routes.ts';

/** The network can't be had; `message` is for the user. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Something else on this machine has the network, or a part of it. */
export class NetworkInUseError extends NetworkError {}

export interface NetworkOptions {
  readonly confDir: string;
  readonly leasesDir: string;
}

/** One for the machine: of two instances that start at the same time with the same network, the second must see the first one's bridge. */
export type NetworkLock = () => Promise<{ release(): void } | undefined>;

const IPTABLES_WAIT_SECONDS = '10';

/**
 * Brings the network up; idempotent. The bridge has its address before the first pod, so that the API server can listen on it.
 * Rejects with `NetworkInUseError` when the network overlaps a host route, with `NetworkError` when a tool fails.
 */
export async function ensureNetwork(
  process: Process,
  network: PodNetwork,
  options: NetworkOptions & { readonly apiServerPort: number | undefined; readonly lock: NetworkLock | undefined },
): Promise<void> {
  const lock = await options.lock?.();
  try {
    await refuseOverlap(process, network);
    await ensureBridge(process, network);
  } finally {
    lock?.release();
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
  await must(
    process,
    'iptables-restore',
    ['-w', IPTABLES_WAIT_SECONDS, '--noflush'],
    filterRules(network, options.apiServerPort),
  );
  for (const { table, from, name } of chains(network)) {
    const jump = [from, '-j', name];
    const there = await iptables(process, table, '-C', jump);
    if (there.code !== 0) await mustIptables(process, table, '-I', jump);
  }
  await mkdir(options.leasesDir, { recursive: true, mode: 0o755 });
  await writeConflist(network, options.confDir, options.leasesDir);
}

/**
 * Makes the pods of other nodes reachable, and lets our pods keep their addresses towards them; what was made for others
 * before goes. Idempotent.
 *
 * @returns what could not be done, for instance that a node is on no link of ours; all else is done
 */
export async function setPeers(
  process: Process,
  network: PodNetwork,
  peers: readonly Peer[],
): Promise<readonly string[]> {
  const failures = await setRoutes(process, network.instanceId, peers);
  const networks = peers.map(({ cidr }) => cidr).toSorted();
  const rules = `${natRules(network, networks).join('\n')}\n`;
  await must(process, 'iptables-restore', ['-w', IPTABLES_WAIT_SECONDS, '--noflush'], rules);
  return failures;
}

/** The routes alone, for a machine without pods of its own; no peers: all of this instance's routes go. */
export async function setRoutes(
  process: Process,
  instanceId: string,
  peers: readonly Peer[],
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const args of routeCalls({ bridge: bridgeName(instanceId) }, peers, await ownRoutes(process))) {
    const result = await process.run('ip', args, { timeoutMs: 30_000 });
    if (result.code !== 0) failures.push(`ip ${args.join(' ')}: ${result.stderr.trim()}`);
  }
  return failures;
}

async function ownRoutes(process: Process): Promise<readonly KernelRoute[]> {
  const { stdout } = await must(process, 'ip', ['-j', '-4', 'route', 'show', 'proto', ROUTE_PROTOCOL]);
  // `ip` leaves out what was asked for.
  const routes = JSON.parse(stdout || '[]') as readonly KernelRoute[];
  return routes.map((route) => ({ protocol: ROUTE_PROTOCOL, ...route }));
}

/** Takes everything of `ensureNetwork` away again; what is not there is no error. */
export async function removeNetwork(process: Process, network: PodNetwork, options: NetworkOptions): Promise<void> {
  await setRoutes(process, network.instanceId, []);
  for (const { table, from, name } of chains(network)) {
    for (let left = MAX_JUMPS; left > 0; left--) {
      if ((await iptables(process, table, '-D', [from, '-j', name])).code !== 0) break;
    }
    await iptables(process, table, '-F', [name]);
    await iptables(process, table, '-X', [name]);
  }
  await process.run('ip', ['link', 'delete', 'dev', network.bridge]);
  await rm(join(options.leasesDir, networkName(network)), { recursive: true, force: true });
  await rm(conflistPath(network, options.confDir), { force: true });
}

/** More than one jump means that somebody restored an old rule set over ours. */
const MAX_JUMPS = 8;

/** For an instance that is not there yet. Rejects with `NetworkInUseError` when a host route is in the way of `podCidr`. */
export async function refuseTakenNetwork(process: Process, podCidr: string): Promise<void> {
  const network = podNetwork('new', podCidr);
  if (typeof network === 'string') throw new NetworkError(network);
  await refuseOverlap(process, network);
}

async function refuseOverlap(process: Process, network: PodNetwork): Promise<void> {
  const { stdout } = await must(process, 'ip', ['-j', '-4', 'route', 'show', 'table', 'all']);
  const conflict = conflictingRoute(network, JSON.parse(stdout || '[]') as readonly HostRoute[]);
  if (conflict === undefined) return;
  // A bridge of ours whose data folder is gone: nobody else takes it away.
  const ours = conflict.dev?.startsWith(BRIDGE_PREFIX) === true;
  const hint = ours ? `, or end the mendlet there ("ip link delete ${conflict.dev}" if its data folder is gone)` : '';
  throw new NetworkInUseError(
    `--pod-cidr ${formatCidr(network.cidr)} overlaps the route to ${conflict.dst} through ${conflict.dev ?? 'this host'}; choose another network${hint}`,
  );
}

async function ensureBridge(process: Process, network: PodNetwork): Promise<void> {
  const { bridge, cidr, gateway } = network;
  if ((await process.run('ip', ['link', 'show', 'dev', bridge])).code !== 0) {
    await must(process, 'ip', ['link', 'add', 'name', bridge, 'type', 'bridge']);
  }
  await must(process, 'ip', ['link', 'set', 'dev', bridge, 'address', bridgeHardwareAddress(network)]);
  await must(process, 'ip', ['address', 'replace', `${gateway}/${cidr.prefix}`, 'dev', bridge]);
  await must(process, 'ip', ['link', 'set', 'dev', bridge, 'up']);
}

/** The folder is ours alone: a conflist of another network in it would be taken instead. */
async function writeConflist(network: PodNetwork, confDir: string, leasesDir: string): Promise<void> {
  await mkdir(confDir, { recursive: true, mode: 0o755 });
  const path = conflistPath(network, confDir);
  for (const name of await readdir(confDir)) {
    if (join(confDir, name) !== path) await rm(join(confDir, name), { recursive: true, force: true });
  }
  await writeFile(path, cniConflist(network, leasesDir));
}

function conflistPath(network: PodNetwork, confDir: string): string {
  return join(confDir, `10-${networkName(network)}.conflist`);
}

function iptables(process: Process, table: string, verb: string, rule: readonly string[]): Promise<RunResult> {
  return process.run('iptables', ['-w', IPTABLES_WAIT_SECONDS, '-t', table, verb, ...rule]);
}

async function mustIptables(process: Process, table: string, verb: string, rule: readonly string[]): Promise<void> {
  await must(process, 'iptables', ['-w', IPTABLES_WAIT_SECONDS, '-t', table, verb, ...rule]);
}

async function must(process: Process, file: string, args: readonly string[], input?: string): Promise<RunResult> {
  const result = await process.run(file, args, { timeoutMs: 30_000, ...(input !== undefined && { input }) });
  if (result.code === 0) return result;
  const why = result.code === 127 ? 'it is not installed' : result.stderr.trim() || `exit code ${result.code}`;
  throw new NetworkError(`${file} ${args.join(' ')}: ${why}`);
}

export { type PodNetwork, podNetwork } from './cni-config.ts';
export type { Peer } from './peer-routes.ts';
