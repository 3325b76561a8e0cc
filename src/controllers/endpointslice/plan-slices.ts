/**
 * Distributes endpoints over slices with few changes: existing endpoints stay where they are; slices that change anyhow are
 * filled up first; then one that has room for all of the rest; only then new slices are made. Pure. Upstream:
 * Reconciler.reconcileByPortMapping, finalize.
 */
import { type DiscoveryEndpointPort, type Endpoint, type EndpointSlice, nameOf } from '../../api/index.ts';

/** Endpoints that have the same ports. */
export interface EndpointGroup {
  readonly ports: readonly DiscoveryEndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SliceContent {
  readonly ports: readonly DiscoveryEndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SliceUpdate {
  readonly slice: EndpointSlice;
  readonly content: SliceContent;
}

export interface SlicePlan {
  readonly creates: readonly SliceContent[];
  readonly updates: readonly SliceUpdate[];
  readonly deletes: readonly EndpointSlice[];
}

export interface SliceRules {
  readonly maxEndpoints: number;
  /** Labels or the like of a slice are not what they should be. */
  isOutdated(slice: EndpointSlice): boolean;
  /** Without endpoints there is one empty slice, which shows that the service was looked at. */
  readonly placeholder: boolean;
}

/** @param existing slices of one address type, all our own */
export function planSlices(
  existing: readonly EndpointSlice[],
  groups: readonly EndpointGroup[],
  rules: SliceRules,
): SlicePlan {
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of existing) {
    const key = portsKey(slice.ports ?? []);
    const others = byPorts.get(key);
    if (others === undefined) byPorts.set(key, [slice]);
    else others.push(slice);
  }
  const creates: SliceContent[] = [];
  const updates: SliceUpdate[] = [];
  const deletes: EndpointSlice[] = [];
  for (const group of groups) {
    if (group.endpoints.length === 0) continue;
    const key = portsKey(group.ports);
    const plan = planGroup(byPorts.get(key) ?? [], group, rules);
    byPorts.delete(key);
    creates.push(...plan.creates);
    updates.push(...plan.updates);
    deletes.push(...plan.deletes);
  }
  for (const slices of byPorts.values()) deletes.push(...slices);
  return merge({ creates, updates, deletes }, existing, rules);
}

/** Instead of a deletion and a creation, a change; and the placeholder, when there is nothing else. */
function merge(plan: SlicePlan, existing: readonly EndpointSlice[], rules: SliceRules): SlicePlan {
  const creates = [...plan.creates];
  const updates = [...plan.updates];
  let deletes = [...plan.deletes];
  if (rules.placeholder && creates.length === 0 && deletes.length === existing.length) {
    const kept = deletes.find((slice) => isPlaceholder(slice) && !rules.isOutdated(slice));
    if (kept === undefined) creates.push({ ports: [], endpoints: [] });
    else deletes = deletes.filter((slice) => slice !== kept);
  }
  while (creates.length > 0 && deletes.length > 0) {
    const slice = deletes.shift() as EndpointSlice;
    updates.push({ slice, content: creates.pop() as SliceContent });
  }
  return { creates, updates, deletes };
}

function isPlaceholder({ endpoints, ports }: EndpointSlice): boolean {
  return !endpoints?.length && !ports?.length;
}

interface Draft {
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
  readonly changed: boolean;
}

function planGroup(
  slices: readonly EndpointSlice[],
  { ports, endpoints }: EndpointGroup,
  rules: SliceRules,
): SlicePlan {
  const { maxEndpoints } = rules;
  const missing = new Map(endpoints.map((endpoint) => [toldOf(endpoint).key, endpoint]));
  const drafts: Draft[] = [];
  const deletes: EndpointSlice[] = [];
  for (const slice of slices) {
    const draft = keepWanted(slice, missing, rules);
    if (draft.endpoints.length === 0) deletes.push(slice);
    else drafts.push(draft);
  }
  const left = [...missing.values()];
  // The fullest first, so that others become empty.
  const byFill = (a: Draft, b: Draft): number => b.endpoints.length - a.endpoints.length;
  for (const { endpoints: kept } of drafts.filter(({ changed }) => changed).toSorted(byFill))
    kept.push(...left.splice(0, Math.max(0, maxEndpoints - kept.length)));
  const filled = new Set<Draft>();
  const creates: SliceContent[] = [];
  while (left.length > 0) {
    const room = drafts
      .filter((draft) => !draft.changed && !filled.has(draft) && draft.endpoints.length + left.length <= maxEndpoints)
      .toSorted(byFill)[0];
    if (room === undefined) {
      creates.push({ ports, endpoints: left.splice(0, maxEndpoints) });
    } else {
      filled.add(room);
      room.endpoints.push(...left.splice(0));
    }
  }
  const updates = drafts
    .filter((draft) => draft.changed || filled.has(draft))
    .map((draft) => ({ slice: draft.slice, content: { ports: draft.slice.ports ?? [], endpoints: draft.endpoints } }));
  return { creates, updates, deletes };
}

/** The part of the slice that stays; takes it out of `missing`. */
function keepWanted(slice: EndpointSlice, missing: Map<string, Endpoint>, rules: SliceRules): Draft {
  const endpoints: Endpoint[] = [];
  let changed = rules.isOutdated(slice);
  for (const endpoint of slice.endpoints ?? []) {
    const key = toldOf(endpoint).key;
    const wanted = missing.get(key);
    if (wanted === undefined || endpoints.length >= rules.maxEndpoints) {
      changed = true;
      continue;
    }
    missing.delete(key);
    endpoints.push(wanted);
    changed ||= toldOf(wanted).text !== toldOf(endpoint).text;
  }
  return { slice, endpoints, changed };
}

interface Told {
  /** Equal for the same endpoint, whatever its conditions are. */
  readonly key: string;
  /** All that is said of it, in one order. */
  readonly text: string;
}

/** Unchanged endpoints stay the same objects: a change of one of a thousand costs only its own. */
const known = new WeakMap<Endpoint, Told>();

function toldOf(endpoint: Endpoint): Told {
  const before = known.get(endpoint);
  if (before !== undefined) return before;
  const { addresses, conditions = {}, hostname, targetRef, nodeName, zone, hints = {} } = endpoint;
  const target = [targetRef?.kind, targetRef?.namespace, targetRef?.name, targetRef?.uid];
  const told = {
    key: JSON.stringify([addresses, hostname ?? '', target]),
    text: JSON.stringify([
      [conditions.ready, conditions.serving, conditions.terminating],
      [nodeName, zone],
      [hints.forZones, hints.forNodes],
    ]),
  };
  known.set(endpoint, told);
  return told;
}

/** Equal for the same ports in any order. */
export function portsKey(ports: readonly DiscoveryEndpointPort[]): string {
  return ports
    .map(({ name = '', protocol = 'TCP', port, appProtocol = '' }) =>
      JSON.stringify([name, protocol, port ?? null, appProtocol]),
    )
    .sort()
    .join();
}

/** Puts endpoints with the same ports together, in the order in which they come. */
export class EndpointGroups {
  readonly #groups = new Map<string, { ports: readonly DiscoveryEndpointPort[]; endpoints: Endpoint[] }>();

  /** `key`: the `portsKey` of its ports. */
  add(ports: readonly DiscoveryEndpointPort[], endpoint: Endpoint, key = portsKey(ports)): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { ports, endpoints: [endpoint] });
    else group.endpoints.push(endpoint);
  }

  all(): readonly EndpointGroup[] {
    return [...this.#groups.values()];
  }
}

/** For orders that do not depend on how an object came. */
export function byName(a: EndpointSlice, b: EndpointSlice): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}
