/** nft, `nft monitor`, conntrack and `ip` of a Linux machine, for services. */
import { readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Process, RunResult } from '../../lib/index.ts';
import { NetworkError } from '../network-error.ts';
import { parseConnections } from './parse-connections.ts';
import { watchLines } from '../watch-lines.node.ts';
import { mayBeOurs } from './removal-lines.ts';
import {
  type RouterMachine,
  SERVICE_ROUTE_PROTOCOL,
  type ServiceRoute,
  type TrackedConnection,
} from './router-machine.ts';

/** Transactions take some 20 ms; 5,000 services from nothing less than a second. */
const APPLY_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 10_000;
/** One of nft's messages quotes the whole statement. */
const MAX_MESSAGE_CHARACTERS = 300;
/** The list of these takes some 20 ms. */
const MAX_ASKED_CONNECTIONS = 20_000;
const MAX_CONNECTIONS_BYTES = 16 * 1024 * 1024;
/** 5,000 services take a megabyte and a quarter. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
const BRIDGE_FILTER = '/proc/sys/net/bridge/bridge-nf-call-iptables';

/** @param tables ours: removals in them are told of */
export function openRouterMachine(process: Process, tables: readonly string[] = []): RouterMachine {
  const run = (file: string, args: readonly string[], input?: string) =>
    process.run(file, args, {
      timeoutMs: input === undefined ? TIMEOUT_MS : APPLY_TIMEOUT_MS,
      ...(input !== undefined && { input }),
    });
  return {
    apply: async (text) => {
      const { code, stderr } = await run('nft', ['-f', '-'], text);
      if (code === 0) return undefined;
      if (code === 127) return 'nft is not installed';
      return stderr.trim().slice(0, MAX_MESSAGE_CHARACTERS) || `nft ended with code ${code}`;
    },
    outline: (name) => outline(process, name),
    contents: async (name) => {
      const { code, stdout } = await process.run('nft', ['-j', 'list', 'table', 'ip', name], {
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_TABLE_BYTES,
      });
      return code === 0 ? stdout : undefined;
    },
    removeTable: async (name) => {
      await run('nft', ['-f', '-'], `add table ip ${name}\ndelete table ip ${name}\n`);
    },
    watchRemovals: (onRemoval, signal) => watchRemovals(tables, onRemoval, signal),
    filterBridges: () => filterBridges(process),
    ...serviceRoutes(run),
    addresses: () =>
      Object.values(networkInterfaces()).flatMap((found) =>
        (found ?? []).filter(({ family }) => family === 'IPv4').map(({ address }) => address),
      ),
    udpConnections: async () => {
      const { code, stdout } = await process.run('conntrack', ['-L', '-p', 'udp'], {
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_CONNECTIONS_BYTES,
      });
      return code === 0 ? parseConnections(stdout) : undefined;
    },
    forget: (flow, protocol = 'udp') => forget(process, flow, protocol),
    begunConnections: async () => {
      const { code, stdout } = await process.run('conntrack', ['-L', '-p', 'tcp', '--state', 'SYN_SENT'], {
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_CONNECTIONS_BYTES,
      });
      return code === 0 ? parseConnections(stdout) : undefined;
    },
    forgetUntranslated: async (address) => {
      await run('conntrack', ['-D', '-p', 'tcp', '--orig-dst', address, '--reply-src', address]);
    },
  };
}

function serviceRoutes(
  run: (file: string, args: readonly string[]) => Promise<RunResult>,
): Pick<RouterMachine, 'ensureServiceRoute' | 'removeServiceRoute' | 'removeServiceRoutes'> {
  const ip = async (args: readonly string[]): Promise<string | undefined> => {
    const { code, stderr } = await run('ip', args);
    return code === 0 ? undefined : `ip ${args.join(' ')}: ${stderr.trim()}`;
  };
  return {
    ensureServiceRoute: (route) => ip(routeArguments(route)),
    removeServiceRoute: (route) => ip(removalArguments(route)),
    removeServiceRoutes: async (metric) => {
      const { stdout } = await run('ip', ['-j', '-4', 'route', 'show', 'proto', SERVICE_ROUTE_PROTOCOL]);
      const routes = JSON.parse(stdout || '[]') as readonly { readonly dst?: string; readonly metric?: number }[];
      for (const { dst = '', metric: found } of routes) {
        if (found === metric) await ip(removalArguments({ network: dst, metric }));
      }
    },
  };
}

async function forget(process: Process, flow: TrackedConnection, protocol: 'udp' | 'tcp'): Promise<void> {
  const { from, to, fromPort, toPort } = flow;
  const original = ['-s', from, '-d', to, '--sport', String(fromPort), '--dport', String(toPort)];
  await process.run('conntrack', ['-D', '-p', protocol, ...original], { timeoutMs: TIMEOUT_MS });
}

/** @throws NetworkError when it is not known whether there is such a table */
async function outline(process: Process, name: string): Promise<string | undefined> {
  const { code, stdout, stderr } = await process.run('nft', ['-t', 'list', 'table', 'ip', name], {
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_TABLE_BYTES,
  });
  if (code === 0) return stdout;
  // A machine that is too busy for the question is not one without the table.
  const tables = await process.run('nft', ['list', 'tables', 'ip'], { timeoutMs: TIMEOUT_MS });
  const isThere = tables.stdout.split('\n').some((line) => line.trim() === `table ip ${name}`);
  if (tables.code === 0 && !isThere) return undefined;
  throw new NetworkError(`nft list table ip ${name}: ${stderr.trim().slice(0, MAX_MESSAGE_CHARACTERS)}`);
}

/**
 * Loopback is always up, and the address of the sender is then chosen as for any other way. What nobody translates ends there:
 * the kernel drops it.
 */
function routeArguments({ network, metric }: ServiceRoute): readonly string[] {
  const way = [network, 'dev', 'lo', 'scope', 'link'];
  return ['-4', 'route', 'replace', ...way, 'proto', SERVICE_ROUTE_PROTOCOL, 'metric', String(metric)];
}

function removalArguments({ network, metric }: ServiceRoute): readonly string[] {
  return ['-4', 'route', 'delete', network, 'proto', SERVICE_ROUTE_PROTOCOL, 'metric', String(metric)];
}

async function filterBridges(process: Process): Promise<string | undefined> {
  const isOn = async (): Promise<boolean> => (await readFile(BRIDGE_FILTER, 'utf8').catch(() => '')).trim() === '1';
  if (await isOn()) return undefined;
  await process.run('modprobe', ['br_netfilter'], { timeoutMs: TIMEOUT_MS });
  await writeFile(BRIDGE_FILTER, '1').catch(() => {});
  if (await isOn()) return undefined;
  return (
    'pods do not reach services whose endpoints are on their own bridge: the kernel module br_netfilter is missing or off; ' +
    'help: "modprobe br_netfilter && sysctl -w net.bridge.bridge-nf-call-iptables=1", or a kernel that has it'
  );
}

/** `nft monitor` as a child: it prints what anybody removes. */
function watchRemovals(tables: readonly string[], onRemoval: () => void, signal: AbortSignal): Promise<string> {
  const onLines = (lines: readonly string[]): void => {
    if (lines.some((line) => mayBeOurs(line, tables))) onRemoval();
  };
  return watchLines(['nft', 'monitor', 'destroy'], onLines, signal);
}

/**
 * The TCP connections that this machine tracks. @returns undefined: conntrack cannot be asked, or there are so many that the
 * question would cost more than it is worth
 */
export async function tcpConnections(process: Process): Promise<readonly TrackedConnection[] | undefined> {
  const count = await readFile('/proc/sys/net/netfilter/nf_conntrack_count', 'utf8').catch(() => '');
  if (count === '' || Number(count) > MAX_ASKED_CONNECTIONS) return undefined;
  const { code, stdout } = await process.run('conntrack', ['-L', '-p', 'tcp'], {
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_CONNECTIONS_BYTES,
  });
  return code === 0 ? parseConnections(stdout) : undefined;
}
