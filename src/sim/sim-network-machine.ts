/** The network of a simulated machine: links, routes and filter rules that survive the process that made them. */
import {
  NetworkError,
  type KernelRoute,
  type NetworkMachine,
  ROUTE_PROTOCOL,
  type RouteChange,
} from '../network/index.ts';
import { type Random, whenAborted } from '../lib/index.ts';
import type { Life } from './life.ts';
import { remoteCall } from './remote-call.ts';
import type { Sim } from './sim.ts';

/** Maximum time of a program of the machine, ms. */
const CALL_MS = 20;

export class SimNetwork {
  readonly address: string;
  readonly bridges = new Map<string, string>();
  /** Routes by destination and metric, which identify a route in the kernel. */
  readonly routes = new Map<string, KernelRoute>();
  /** Rules by chain. */
  readonly rules = new Map<string, readonly string[]>();
  readonly jumps = new Set<string>();
  forwards = false;
  /** Every program fails, e.g. for lack of memory or for a lock. */
  refuses = false;
  /** Addresses that no link leads to. */
  readonly unreachable = new Set<string>();
  readonly #listeners: ((route: KernelRoute) => void)[] = [];

  constructor(address: string) {
    this.address = address;
  }

  /** Adds a listener that is called for each new route. */
  onRoute(listener: (route: KernelRoute) => void): void {
    this.#listeners.push(listener);
  }

  /** Removes everything, as a reboot or an administrator does. */
  flush(): void {
    this.bridges.clear();
    this.routes.clear();
    this.rules.clear();
    this.jumps.clear();
    this.forwards = false;
  }

  /** Changes a route. @returns the error, if there is one */
  change({ verb, dst, via, metric }: RouteChange): string | undefined {
    const key = `${dst} ${metric}`;
    if (verb === 'delete') return this.routes.delete(key) ? undefined : 'RTNETLINK answers: No such process';
    if (via === undefined || this.unreachable.has(via)) return 'Error: Nexthop has invalid gateway.';
    const route = { dst, gateway: via, protocol: ROUTE_PROTOCOL, metric };
    this.routes.set(key, route);
    for (const listener of this.#listeners) listener(route);
    return undefined;
  }

  /** Applies rules as iptables-restore --noflush does: a named chain is emptied first. */
  restore(text: string): void {
    for (const line of text.split('\n')) {
      const [, made] = /^:(\S+) /.exec(line) ?? [];
      if (made !== undefined) this.rules.set(made, []);
      const [, chain = '', rule = ''] = /^-A (\S+) (.*)$/.exec(line) ?? [];
      if (chain !== '') this.rules.set(chain, [...(this.rules.get(chain) ?? []), rule]);
    }
  }
}

export interface NetworkMachineWiring {
  readonly sim: Sim;
  readonly life: Life;
  readonly network: SimNetwork;
  readonly random: Random;
}

/** The port of one process on the machine: calls take time, and complete even if the process dies. */
export function createSimNetworkMachine({ sim, life, network, random }: NetworkMachineWiring): NetworkMachine {
  const call = <T>(label: string, work: () => T): Promise<T> =>
    remoteCall(sim, life, `${label} by ${life.name}`, { thereMs: random.next() * CALL_MS, backMs: 0 }, () => {
      if (network.refuses) throw new NetworkError(`${label}: resource temporarily unavailable`);
      return work();
    });
  return {
    addresses: () => [network.address],
    allRoutes: () => call('ip route', () => [...network.routes.values()]),
    peerRoutes: () => call('ip route', () => [...network.routes.values()]),
    // Nobody tells of a removed route: the rare look finds it.
    watchRoutes: async (_, signal) => {
      await whenAborted(signal);
      return 'told to end';
    },
    changeRoute: (change) => call('ip route', () => network.change(change)),
    ensureBridge: ({ name, address }) => call('ip link', () => void network.bridges.set(name, address)),
    ensureDummy: ({ name, address }) => call('ip link', () => void network.bridges.set(name, address)),
    removeLink: (name) => call('ip link', () => void network.bridges.delete(name)),
    allowForwarding: () => call('sysctl', () => void (network.forwards = true)),
    allowLoopbackThrough: () => call('sysctl', () => {}),
    restoreRules: (rules) => call('iptables-restore', () => network.restore(rules)),
    ensureJump: ({ from, name }) => call('iptables', () => void network.jumps.add(`${from} ${name}`)),
    tornChains: (chains) =>
      call('iptables', () =>
        chains.filter(
          ({ from, name }) => !network.jumps.has(`${from} ${name}`) || (network.rules.get(name) ?? []).length === 0,
        ),
      ),
    removeChain: ({ from, name }) =>
      call('iptables', () => {
        network.jumps.delete(`${from} ${name}`);
        network.rules.delete(name);
      }),
  };
}
