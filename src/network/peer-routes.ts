/**
 * Routes to the pods of other nodes: one for each node's pod network, by way of the node's own address, where the machines
 * share a link. Nothing is wrapped up, so what a pod sends arrives from its own address. Pure; `set-up-network.ts` makes it so.
 */
import type { PodNetwork } from './pod-network.ts';

/** Another node: the network of its pods, and where it is. */
export interface Peer {
  /** "10.244.3.0/24" */
  readonly cidr: string;
  /** Its address on a link that we share; absent: this machine has the network itself. */
  readonly via?: string;
}

/** Linux's number for the program that made a route (0 to 255; those of routing daemons are below 100 or from 186 on). */
export const ROUTE_PROTOCOL = '118';

/** A route as `ip -j -4 route show` prints it. */
export interface KernelRoute {
  readonly dst?: string;
  readonly gateway?: string;
  readonly protocol?: string;
  readonly metric?: number;
}

const FIRST_METRIC = 1024;
const METRICS = 60_000;

/** Several instances on a machine have routes to the same networks; this tells them apart. */
export function routeMetric({ bridge }: Pick<PodNetwork, 'bridge'>): number {
  let hash = 0;
  for (const byte of new TextEncoder().encode(bridge)) hash = (Math.imul(hash, 31) + byte) >>> 0;
  return FIRST_METRIC + (hash % METRICS);
}

/** One change of the machine's routes. */
export interface RouteChange {
  readonly verb: 'delete' | 'replace';
  /** "10.244.3.0/24" */
  readonly dst: string;
  /** Of `replace`: the node's address. */
  readonly via?: string;
  /** The instance of a route: see `routeMetric`. */
  readonly metric: number;
}

/** First what must go, then what is missing or leads elsewhere. Routes of others are left alone. */
export function planPeerRoutes(
  network: Pick<PodNetwork, 'bridge'>,
  peers: readonly Peer[],
  routes: readonly KernelRoute[],
): readonly RouteChange[] {
  const metric = routeMetric(network);
  const ours = new Map(
    routes
      .filter((route) => route.protocol === ROUTE_PROTOCOL && route.metric === metric)
      .map(({ dst = '', gateway = '' }) => [dst, gateway]),
  );
  const wanted = new Map(peers.flatMap(({ cidr, via }) => (via === undefined ? [] : [[cidr, via] as const])));
  return [
    ...[...ours.keys()].filter((dst) => !wanted.has(dst)).map((dst) => ({ verb: 'delete', dst, metric }) as const),
    ...[...wanted]
      .filter(([dst, via]) => ours.get(dst) !== via)
      .map(([dst, via]) => ({ verb: 'replace', dst, via, metric }) as const),
  ];
}

/** Arguments of `ip` for it. */
export function ipRouteArguments({ verb, dst, via, metric }: RouteChange): readonly string[] {
  const way = via === undefined ? [] : ['via', via];
  return ['-4', 'route', verb, dst, ...way, 'proto', ROUTE_PROTOCOL, 'metric', String(metric)];
}
