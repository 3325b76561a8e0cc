/** The machine's network as a port: links, routes and packet filter. Adapter: `network-machine.node.ts`. */
import type { HostRoute } from './conflicting-route.ts';
import type { FilterChain } from './packet-filter.ts';
import type { KernelRoute, RouteChange } from './peer-routes.ts';

/** The wanted state of a bridge. */
export interface BridgeWish {
  /** At most 15 bytes, as Linux wants. */
  readonly name: string;
  /** "10.244.0.1/24" */
  readonly address: string;
  /** "0a:58:0a:f4:00:01" */
  readonly hardwareAddress: string;
}

/** A link that leads nowhere, with one address of this machine. */
export interface DummyWish {
  readonly name: string;
  readonly address: string;
}

/** All calls are idempotent, and reject with `NetworkError` when the machine refuses. */
export interface NetworkMachine {
  /** IPv4 addresses and IPv6 addresses under which others reach this machine, without loopback's and link-local ones. Cheap. */
  addresses(): readonly string[];
  /** IPv4 routes of all tables. */
  allRoutes(): Promise<readonly HostRoute[]>;
  /** IPv4 routes that mendlets made: those of `ROUTE_PROTOCOL`. */
  peerRoutes(): Promise<readonly KernelRoute[]>;
  /**
   * Calls `onRemoval` when somebody removed a route that a mendlet may have made; runs until the signal is aborted, or the watch
   * fails.
   * @returns why it ended
   */
  watchRoutes(onRemoval: () => void, signal: AbortSignal): Promise<string>;
  /** @returns why it could not be done, for instance that there is no link to the node; undefined: it was */
  changeRoute(change: RouteChange): Promise<string | undefined>;
  /** Makes it, if it is not there, with its addresses, and sets it up. */
  ensureBridge(bridge: BridgeWish): Promise<void>;
  /** Makes it, if it is not there, with this address alone, and sets it up. */
  ensureDummy(link: DummyWish): Promise<void>;
  /** A missing one is no error. */
  removeLink(name: string): Promise<void>;
  /** Lets the machine pass packets on. */
  allowForwarding(): Promise<void>;
  /** Packets between 127.0.0.1 and the other side of this link may pass; see `route_localnet` of the kernel. */
  allowLoopbackThrough(link: string): Promise<void>;
  /** Creates or empties the chains that `rules` names (lines of iptables-restore), and fills them; all others stay. */
  restoreRules(rules: string): Promise<void>;
  /** Makes the built-in chain jump to ours, first of all, unless it does. */
  ensureJump(chain: FilterChain): Promise<void>;
  /** Those of our chains that the built-in chain does not jump to, or that have no rule. */
  tornChains(chains: readonly FilterChain[]): Promise<readonly FilterChain[]>;
  /** Removes the jumps and the chain; missing ones are no error. */
  removeChain(chain: FilterChain): Promise<void>;
}
