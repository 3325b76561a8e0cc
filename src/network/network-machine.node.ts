/** The network of a Linux machine, by `ip`, `iptables` and /proc. */
import { writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Process, RunResult } from '../lib/index.ts';
import type { HostRoute } from './conflicting-route.ts';
import { NetworkError } from './network-error.ts';
import { tellsOfRoute } from './route-lines.ts';
import { watchLines } from './watch-lines.node.ts';
import type { BridgeWish, DummyWish, NetworkMachine } from './network-machine.ts';
import { type FilterChain, hasRule, isInPlace } from './packet-filter.ts';
import { ipRouteArguments, type KernelRoute, ROUTE_PROTOCOL } from './peer-routes.ts';

const IPTABLES_WAIT_SECONDS = '10';
const TIMEOUT_MS = 30_000;
/** Of `iptables -S`; a cut listing is not believed. */
const MAX_LISTING_BYTES = 1024 * 1024;
/** More than one jump means that somebody restored an old rule set over ours. */
const MAX_JUMPS = 8;
/** More would only make certificates long. */
const MAX_ADDRESSES = 16;

/** The machine that `process` runs programs on: in its network namespace. */
export function openNetworkMachine(process: Process): NetworkMachine {
  const must = (file: string, args: readonly string[], input?: string) => mustRun(process, file, args, input);
  const iptables: AskIptables = (chain, verb, rule) =>
    process.run('iptables', iptablesArguments(chain, verb, rule), { maxOutputBytes: MAX_LISTING_BYTES });
  return {
    addresses: outwardAddresses,
    allRoutes: async () => {
      const { stdout } = await must('ip', ['-j', '-4', 'route', 'show', 'table', 'all']);
      return JSON.parse(stdout || '[]') as readonly HostRoute[];
    },
    peerRoutes: async () => {
      const { stdout } = await must('ip', ['-j', '-4', 'route', 'show', 'proto', ROUTE_PROTOCOL]);
      // `ip` leaves out what was asked for.
      const routes = JSON.parse(stdout || '[]') as readonly KernelRoute[];
      return routes.map((route) => ({ protocol: ROUTE_PROTOCOL, ...route }));
    },
    watchRoutes: (onRemoval, signal) => {
      const onLines = (lines: readonly string[]): void => {
        if (lines.some(tellsOfRoute)) onRemoval();
      };
      return watchLines(['ip', '-4', 'monitor', 'route'], onLines, signal);
    },
    changeRoute: async (change) => {
      const args = ipRouteArguments(change);
      const result = await process.run('ip', args, { timeoutMs: TIMEOUT_MS });
      return result.code === 0 ? undefined : `ip ${args.join(' ')}: ${result.stderr.trim()}`;
    },
    ensureBridge: (bridge) => ensureBridge(process, bridge),
    ensureDummy: (link) => ensureDummy(process, link),
    removeLink: async (name) => {
      await process.run('ip', ['link', 'delete', 'dev', name]);
    },
    allowForwarding: () => writeFile('/proc/sys/net/ipv4/ip_forward', '1'),
    allowLoopbackThrough: (link) => writeFile(`/proc/sys/net/ipv4/conf/${link}/route_localnet`, '1'),
    restoreRules: async (rules) => {
      await must('iptables-restore', ['-w', IPTABLES_WAIT_SECONDS, '--noflush'], rules);
    },
    ensureJump: async (chain) => {
      const jump = [chain.from, '-j', chain.name];
      const there = await iptables(chain, '-C', jump);
      if (there.code !== 0) await must('iptables', iptablesArguments(chain, '-I', jump));
    },
    tornChains: (chains) => tornChains(iptables, chains),
    removeChain: async (chain) => {
      for (let left = MAX_JUMPS; left > 0; left--) {
        if ((await iptables(chain, '-D', [chain.from, '-j', chain.name])).code !== 0) break;
      }
      await iptables(chain, '-F', [chain.name]);
      await iptables(chain, '-X', [chain.name]);
    },
  };
}

type AskIptables = (chain: Pick<FilterChain, 'table'>, verb: string, rule: readonly string[]) => Promise<RunResult>;

async function tornChains(iptables: AskIptables, chains: readonly FilterChain[]): Promise<readonly FilterChain[]> {
  const torn: FilterChain[] = [];
  for (const [table, own] of Map.groupBy(chains, (chain) => chain.table)) {
    const listed = await iptables({ table }, '-S', []);
    // Where others have thousands of rules, the listing may be cut.
    const isWhole = listed.code === 0 && Buffer.byteLength(listed.stdout) < MAX_LISTING_BYTES;
    for (const chain of own) {
      if (!(isWhole ? isInPlace(chain, listed.stdout) : await isFoundInPlace(iptables, chain))) torn.push(chain);
    }
  }
  return torn;
}

async function isFoundInPlace(iptables: AskIptables, chain: FilterChain): Promise<boolean> {
  const jump = await iptables(chain, '-C', [chain.from, '-j', chain.name]);
  const rules = await iptables(chain, '-S', [chain.name]);
  return jump.code === 0 && hasRule(chain, rules.stdout);
}

/** The addresses under which others reach this machine: all but loopback's and link-local ones. */
export function outwardAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ address, internal, scopeid = 0 }) => !internal && scopeid === 0 && !address.startsWith('169.254.'))
    .map(({ address }) => address)
    .slice(0, MAX_ADDRESSES);
}

async function ensureBridge(process: Process, { name, address, hardwareAddress }: BridgeWish): Promise<void> {
  if ((await process.run('ip', ['link', 'show', 'dev', name])).code !== 0) {
    await mustRun(process, 'ip', ['link', 'add', 'name', name, 'type', 'bridge']);
  }
  await mustRun(process, 'ip', ['link', 'set', 'dev', name, 'address', hardwareAddress]);
  await mustRun(process, 'ip', ['address', 'replace', address, 'dev', name]);
  await mustRun(process, 'ip', ['link', 'set', 'dev', name, 'up']);
}

async function ensureDummy(process: Process, { name, address }: DummyWish): Promise<void> {
  const there = await process.run('ip', ['-j', '-4', 'address', 'show', 'dev', name]);
  if (there.code !== 0) await addDummy(process, name);
  else if (!there.stdout.includes(`"local":"${address}"`))
    await mustRun(process, 'ip', ['address', 'flush', 'dev', name]);
  await mustRun(process, 'ip', ['address', 'replace', `${address}/32`, 'dev', name]);
  await mustRun(process, 'ip', ['link', 'set', 'dev', name, 'up']);
}

/** A kernel without dummies has bridges, and one without ports leads nowhere, too. */
async function addDummy(process: Process, name: string): Promise<void> {
  const made = await process.run('ip', ['link', 'add', 'name', name, 'type', 'dummy']);
  if (made.code !== 0) await mustRun(process, 'ip', ['link', 'add', 'name', name, 'type', 'bridge']);
}

function iptablesArguments(
  { table }: Pick<FilterChain, 'table'>,
  verb: string,
  rule: readonly string[],
): readonly string[] {
  return ['-w', IPTABLES_WAIT_SECONDS, '-t', table, verb, ...rule];
}

async function mustRun(process: Process, file: string, args: readonly string[], input?: string): Promise<RunResult> {
  const result = await process.run(file, args, { timeoutMs: TIMEOUT_MS, ...(input !== undefined && { input }) });
  if (result.code === 0) return result;
  const why = result.code === 127 ? 'it is not installed' : result.stderr.trim() || `exit code ${result.code}`;
  throw new NetworkError(`${file} ${args.join(' ')}: ${why}`);
}
