/** What is wrong, at one moment, with where packets to services go. Pure; `patience.ts` says how long each wrong may last. */

/** A pod as it truly is, and as it is stored. */
export interface TruePod {
  readonly uid: string;
  readonly ip: string;
  readonly node: string;
  /** All containers that serve run. */
  readonly isAlive: boolean;
  /** The stored object calls it ready, at this address. */
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  /** Mono ms since when it has been alive, ready and wanted without a break; undefined: it is not. */
  readonly wellSince: number | undefined;
}

/** One service, asked by one kind of client on one node. */
export interface Way {
  readonly node: string;
  /** With the version of the service: a new one begins anew. */
  readonly service: string;
  readonly client: 'pod' | 'stranger';
  /** Only pods of this node count. */
  readonly isLocal: boolean;
  /** Unready pods get traffic, too. */
  readonly publishesUnready: boolean;
  /** The pods that the service chooses. */
  readonly pods: readonly TruePod[];
  /** Addresses that packets may be sent to. */
  readonly to: ReadonlySet<string>;
  /** Those that they could be sent to, since their pods have been well and the service has been the same. */
  readonly before: ReadonlySet<string>;
}

export interface Complaint {
  /** The same wrong has the same key from moment to moment. */
  readonly key: string;
  readonly message: string;
  readonly promise: Promised;
  /** The nodes that must be calm for the promise to count. */
  readonly nodes: readonly string[];
}

/**
 * - withdrawn: the node's own knowledge of its pods;
 * - told: what the API server tells;
 * - kept: what nobody has a reason to change.
 */
export type Promised = 'withdrawn' | 'told' | 'kept';

/** A pod that is well for less may not have come to all nodes yet: other faults are not judged by it. */
const WELL_MS = 5000;
/** What the controllers wrote of an earlier state of the pod has come to all nodes by then, or never will. */
const LONG_WELL_MS = 120_000;

export interface TrueNodes {
  /** The true pods, by address. */
  readonly podAt: (ip: string) => TruePod | undefined;
  /** The node whose pods have such addresses. */
  readonly ownerOf: (ip: string) => string | undefined;
}

export interface Traffic {
  readonly ways: readonly Way[];
  readonly nodes: TrueNodes;
}

/** A service that leads to this pod on its own node, and to another one that is well. */
export function servedBeside({ ways, nodes }: Traffic, uid: string): string | undefined {
  for (const { to, node, service } of ways) {
    const pods = [...to].map((ip) => nodes.podAt(ip));
    const isThere = pods.some((pod) => pod?.uid === uid && pod.node === node);
    if (isThere && pods.some((pod) => pod?.wellSince !== undefined && pod.uid !== uid)) return service;
  }
  return undefined;
}

export function judgeTraffic(ways: readonly Way[], nodes: TrueNodes, mono: number): readonly Complaint[] {
  return ways.flatMap((way) => [...badTargets(way, nodes, mono), ...missing(way, mono)]);
}

function isWell({ wellSince }: TruePod, forMs: number, mono: number): boolean {
  return wellSince !== undefined && mono - wellSince >= forMs;
}

function badTargets(way: Way, { podAt, ownerOf }: TrueNodes, mono: number): readonly Complaint[] {
  const { node, to, publishesUnready } = way;
  const candidates = candidatesOf(way);
  return [...to].flatMap((ip): readonly Complaint[] => {
    const pod = podAt(ip);
    const owner = ownerOf(ip);
    if (owner === undefined) return [complain(way, ip, 'leads to an address of nobody', 'told', [node])];
    const own = owner === node ? 'withdrawn' : 'told';
    const nodesOf = owner === node ? [node] : [node, owner];
    if (pod === undefined) return [complain(way, ip, 'leads to a pod whose network is gone', own, nodesOf)];
    const hasBetter = [...to].some((other) => {
      const there = podAt(other);
      return other !== ip && there !== undefined && isWell(there, WELL_MS, mono);
    });
    // Other nodes send to all that such a service publishes, as upstream.
    const mayDie = !hasBetter || (publishesUnready && owner !== node);
    if (!pod.isAlive) return mayDie ? [] : [complain(way, ip, 'leads to a dead pod beside a good one', own, nodesOf)];
    const isOtherWell = candidates.some((other) => other.uid !== pod.uid && isWell(other, WELL_MS, mono));
    if (pod.isReady || publishesUnready || !isOtherWell) return [];
    return [complain(way, ip, 'leads to an unready pod though another is ready', 'told', [node])];
  });
}

function missing(way: Way, mono: number): readonly Complaint[] {
  const { node, to, before } = way;
  const candidates = candidatesOf(way);
  const out: Complaint[] = [];
  for (const pod of candidates) {
    if (!isWell(pod, 0, mono) || to.has(pod.ip)) continue;
    out.push(complain(way, pod.ip, 'does not lead to a ready pod', 'told', [node]));
    if (before.has(pod.ip) && isWell(pod, LONG_WELL_MS, mono))
      out.push(complain(way, pod.ip, 'leads to a ready pod no more', 'kept', [node]));
  }
  const isAnyWell = candidates.some((pod) => isWell(pod, 0, mono));
  const last = candidates.find(({ isAlive, isReady }) => isAlive && isReady);
  if (!isAnyWell && last !== undefined && to.size === 0) {
    out.push(complain(way, last.ip, 'does not lead to the last pod, which still serves', 'told', [node]));
  }
  return out;
}

function candidatesOf({ isLocal, node, pods }: Way): readonly TruePod[] {
  return pods.filter((pod) => !isLocal || pod.node === node);
}

function complain(
  { node, service, client }: Way,
  ip: string,
  what: string,
  promise: Promised,
  nodes: readonly string[],
): Complaint {
  const key = `${node} ${service} ${client} ${ip} ${what}`;
  return { key, message: `${service} on ${node} for a ${client} ${what} (${ip})`, promise, nodes };
}
