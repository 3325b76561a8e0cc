/**
 * What our table holds for a service, as data: elements of its maps and sets, and chains of services with session affinity.
 * Pure. The words of nft are in `table-text.ts`.
 */
import type { RoutedProtocol } from './safe-values.ts';
import type { Choice, Front, ServicePlan, Target } from './service-fronts.ts';

/** Fronts have four families of slots: by address or port, and for near clients or for far ones of the policy Local. */
export type Family = 'address' | 'far-address' | 'port' | 'far-port';

export const FAMILIES: readonly Family[] = ['address', 'far-address', 'port', 'far-port'];

/** "services 10.96.0.10 . udp . 53": the map or set, and the key in it. */
export type ElementName = string;

/** The clients of one port of a service keep their endpoints. Its fronts with the same targets share a chain. */
export interface StickyChain {
  /** "sticky-all-10.96.0.10-udp-53" */
  readonly name: string;
  readonly id: string;
  readonly protocol: RoutedProtocol;
  readonly timeoutSeconds: number;
  readonly targets: readonly Target[];
}

export interface ServiceState {
  /** The value is '' in a set. */
  readonly elements: ReadonlyMap<ElementName, string>;
  readonly chains: ReadonlyMap<string, StickyChain>;
}

export const NO_STATE: ServiceState = { elements: new Map(), chains: new Map() };

/** The first map that a packet to a service is looked up in, by what its front is at. */
export const FRONTS = { address: 'services', port: 'node-ports' } as const;

export function nearMap(at: Front['at']): string {
  return `near-${FRONTS[at]}`;
}

export function farMap(at: Front['at']): string {
  return `far-${FRONTS[at]}`;
}

export function slotMap(family: Family, slot: number): string {
  return `${family}-slot-${slot}`;
}

export function pickChain(family: Family, targets: number): string {
  return `${family}-pick-${targets}`;
}

/** The same, for clients whose address is hidden. */
export function hidden(chain: string): string {
  return `hide-${chain}`;
}

/** Bigger picks go when no front uses them: a service that grows by ones would leave as many elements as the square of its size. */
export const MAX_KEPT_PICK = 16;

/** Sets whose elements several services share. */
export const SHARED_SETS: ReadonlySet<string> = new Set(['cluster-ips', 'selves']);

/** @param previous what the table holds for the service: an endpoint keeps its slot, so that a change rewrites few of them */
export function serviceState({ fronts, clusterIPs, selves }: ServicePlan, previous: ServiceState): ServiceState {
  const elements = new Map<ElementName, string>();
  const chains = new Map<string, StickyChain>();
  for (const ip of clusterIPs) elements.set(`cluster-ips ${ip}`, '');
  for (const ip of selves) elements.set(`selves ${ip} . ${ip}`, '');
  for (const front of fronts) addFront(front, { elements, chains, previous });
  return { elements, chains };
}

interface Building {
  readonly elements: Map<ElementName, string>;
  readonly chains: Map<string, StickyChain>;
  readonly previous: ServiceState;
}

function addFront(front: Front, building: Building): void {
  const { elements } = building;
  const { at, key, external, near, far, sources } = front;
  if (sources !== undefined) {
    elements.set(`guarded ${key}`, '');
    for (const source of sources) elements.set(`allowed ${source} . ${key}`, '');
  }
  if (far === undefined || (near.does === 'refuse' && far.does === 'refuse')) {
    elements.set(
      `${FRONTS[at]} ${key}`,
      verdict(front, near, { family: at, hides: external, list: listOf(front) }, building),
    );
    return;
  }
  elements.set(`${FRONTS[at]} ${key}`, `goto split-${FRONTS[at]}`);
  elements.set(`${nearMap(at)} ${key}`, verdict(front, near, { family: at, hides: false, list: 'all' }, building));
  const family: Family = at === 'address' ? 'far-address' : 'far-port';
  elements.set(`${farMap(at)} ${key}`, verdict(front, far, { family, hides: false, list: 'local' }, building));
}

/** Fronts of a port that have different targets need different chains. */
function listOf({ external }: Front): 'all' | 'inside' {
  return external ? 'all' : 'inside';
}

interface Way {
  readonly family: Family;
  readonly hides: boolean;
  readonly list: 'all' | 'inside' | 'local';
}

/** What the map of fronts says; slots and chains that it needs are added. */
function verdict(front: Front, choice: Choice, { family, hides, list }: Way, building: Building): string {
  if (choice.does === 'refuse') return 'goto refuse';
  if (choice.does === 'drop') return 'drop';
  const { affinity, key } = front;
  if (affinity !== undefined) {
    const name = `sticky-${list}-${affinity.id}`;
    const { id, protocol, timeoutSeconds } = affinity;
    building.chains.set(name, { name, id, protocol, timeoutSeconds, targets: choice.targets });
    return `goto ${hides ? hidden(name) : name}`;
  }
  const targets = inSlots(previousTargets(family, key, building.previous), choice.targets);
  targets.forEach((target, slot) => building.elements.set(`${slotMap(family, slot)} ${key}`, target));
  const pick = pickChain(family, targets.length);
  return `goto ${hides ? hidden(pick) : pick}`;
}

function previousTargets(family: Family, key: string, { elements }: ServiceState): readonly Target[] {
  const found: Target[] = [];
  for (;;) {
    const target = elements.get(`${slotMap(family, found.length)} ${key}`);
    if (target === undefined) return found;
    found.push(target);
  }
}

/** The wanted targets in an order that moves as few as possible of those that have slots. */
export function inSlots(previous: readonly Target[], wanted: readonly Target[]): readonly Target[] {
  const left = new Set(wanted);
  const kept = wanted.map((_, slot) => {
    const target = previous[slot];
    return target !== undefined && left.delete(target) ? target : undefined;
  });
  const others = [...left].values();
  return kept.map((target) => target ?? others.next().value ?? '');
}
