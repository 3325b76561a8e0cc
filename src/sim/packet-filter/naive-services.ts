/**
 * What Kubernetes' documentation says of a packet to a service, in few words and apart from our plan, so that one can be
 * tested against the other. Pure. Sources: kubernetes.io, "Virtual IPs and Service Proxies" and "Service Internal Traffic Policy";
 * KEP-1669 (terminating endpoints); KEP-2086 (internal policy); services.md §1 for what upstream's proxy refuses and drops.
 */
import type { Packet } from './follow-packet.ts';
import { isWithin } from './filter-table.ts';

/** One endpoint, with what the node itself knows of it. */
export interface NaiveEndpoint {
  readonly ip: string;
  readonly port: number;
  readonly isHere: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly known: 'unready' | 'leaving' | 'dead' | 'gone' | undefined;
}

export interface NaiveService {
  readonly clusterIP: string;
  readonly port: number;
  readonly nodePort: number | undefined;
  readonly externalIP: string | undefined;
  readonly isInternalLocal: boolean;
  readonly isExternalLocal: boolean;
  readonly publishesUnready: boolean;
  readonly endpoints: readonly NaiveEndpoint[];
}

/** The machine that the packet comes to. */
export interface NaiveMachine {
  readonly own: string;
  readonly pods: string;
  readonly services: string;
}

/** "refused", "dropped", "untouched", or all places that it may be sent to. */
export type Expected = 'refused' | 'dropped' | 'untouched' | readonly string[];

export interface Asked {
  readonly expected: Expected;
  /** Whether a packet to this endpoint must get the machine's address, for its answer would not come back otherwise. */
  readonly isHidden: (endpointIp: string) => boolean;
}

export function askDocumentation(packet: Packet, services: readonly NaiveService[], machine: NaiveMachine): Asked {
  const { from, to, port } = packet;
  const isPod = isWithin(from, machine.pods);
  const isNode = from === machine.own;
  const isToItself = (ip: string): boolean => ip === from;
  const internal = services.find((service) => service.clusterIP === to);
  if (internal !== undefined) {
    if (internal.port !== port || packet.protocol !== 'tcp') return { expected: 'refused', isHidden: () => false };
    const expected = among(internal, internal.isInternalLocal);
    // A client that is no pod of this node would get the answer from a stranger.
    return { expected, isHidden: (ip) => !isPod || isToItself(ip) };
  }
  if (isWithin(to, machine.services)) return { expected: 'dropped', isHidden: () => false };
  const external = services.find(
    ({ externalIP, port: front, nodePort }) =>
      packet.protocol === 'tcp' && ((externalIP === to && front === port) || (to === machine.own && nodePort === port)),
  );
  if (external === undefined) return { expected: 'untouched', isHidden: () => false };
  // The policy Local is for clients from elsewhere, and they are seen by their own address.
  if (!external.isExternalLocal) return { expected: among(external, false), isHidden: () => true };
  const isNear = isPod || isNode;
  return { expected: among(external, !isNear), isHidden: (ip) => isNode || isToItself(ip) };
}

function among(service: NaiveService, isLocal: boolean): Expected {
  const near = service.endpoints.filter(({ isHere }) => !isLocal || isHere);
  const found = usable(service, near);
  if (found.length > 0) return found.map(({ ip, port }) => `${ip}:${port}`).toSorted();
  return isLocal && usable(service, service.endpoints).length > 0 ? 'dropped' : 'refused';
}

/**
 * Ready ones; if there are none, those that still serve while they end. The node's own knowledge comes first: one that leaves
 * is treated as one that ends, one that died or is not ready serves on only if nothing else does, one that is gone never.
 */
function usable({ publishesUnready }: NaiveService, endpoints: readonly NaiveEndpoint[]): readonly NaiveEndpoint[] {
  const rank = ({ ready, serving, terminating, known }: NaiveEndpoint): number => {
    const knows = publishesUnready && known === 'unready' ? undefined : known;
    if (knows === 'gone') return 9;
    if (knows === undefined && ready) return 1;
    if (serving && (knows === 'leaving' || (knows === undefined && terminating))) return 2;
    if (ready && (knows === 'dead' || knows === 'unready')) return 3;
    return 9;
  };
  const best = Math.min(9, ...endpoints.map(rank));
  return best === 9 ? [] : endpoints.filter((endpoint) => rank(endpoint) === best);
}
