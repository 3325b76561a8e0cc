/**
 * Networks of pods whose node is lost for good: connections to them are reset. A node is lost when its object was deleted, or when
 * somebody has tainted it as out of service; a node that is only silent may serve on.
 */
import { isOutOfService, type Node } from '../../api/index.ts';
import type { Lister } from '../../client/index.ts';
import { BoundedMap, type Clock } from '../../lib/index.ts';
import { overlaps, parseCidr } from '../cidr.ts';
import { networkText, withoutNested } from './safe-values.ts';
import { DEAD_SECONDS, LOST_SET } from './table-base.ts';

/** Beyond, connections to the others hang as they would without us. */
const MAX_LOST = 1024;

export class LostNetworks {
  readonly #clock: Clock;
  readonly #nodes: Lister<Node>;
  /** Networks of deleted nodes → the time, ms on the monotonic clock, at which they are forgotten. */
  readonly #deleted = new BoundedMap<string, number>(MAX_LOST);
  /** What the table has. */
  #written: readonly string[] = [];
  /** Addresses of this machine at the last change. */
  #own: readonly string[] = [];

  constructor(clock: Clock, nodes: Lister<Node>) {
    this.#clock = clock;
    this.#nodes = nodes;
  }

  /** Calls the listener when the table is to be changed; nodes report more often. @returns a function that ends that */
  watch(listener: () => void): () => void {
    return this.#nodes.onChange((change) => {
      if (change.type === 'delete') this.#forget(podNetworksOf(change.object));
      if (this.#lost().join() !== this.#written.join()) listener();
    });
  }

  /** What the table has already: of nodes that were deleted before this agent began, or are lost still. */
  adopt(networks: readonly string[]): void {
    this.#written = networks;
    this.#forget(networks);
  }

  /**
   * What differs from the last commit.
   * @param own addresses of this machine
   * @param isEmpty the table has nothing yet
   * @returns statements of nft, and what must be called when it has taken them
   */
  change(
    table: string,
    own: readonly string[],
    isEmpty: boolean,
  ): { readonly text: string; readonly lost: readonly string[]; readonly commit: () => void } {
    this.#own = own;
    const before = isEmpty ? [] : this.#written;
    // A network may be a living node's again: before the nodes are known, nothing is lost anew.
    const lost = this.#nodes.synced ? this.#lost() : before;
    const set = `ip ${table} ${LOST_SET}`;
    const elements = lost.length === 0 ? '' : `add element ${set} { ${lost.join(', ')} }\n`;
    const text = lost.join() === before.join() ? '' : `flush set ${set}\n${elements}`;
    return {
      text,
      lost,
      commit: () => {
        this.#written = lost;
      },
    };
  }

  #lost(): readonly string[] {
    return lostNetworks(this.#nodes.list(), this.#remembered(), this.#own);
  }

  #remembered(): readonly string[] {
    const { mono } = this.#clock.now();
    return [...this.#deleted.entries()].flatMap(([network, until]) => (until > mono ? network : []));
  }

  #forget(networks: readonly string[]): void {
    const until = this.#clock.now().mono + DEAD_SECONDS * 1000;
    for (const network of networks) this.#deleted.set(network, until);
  }
}

/**
 * The networks of lost nodes, in order. Left out is a network that a living node has in part, and one in which a node has an
 * address.
 *
 * @param deleted networks of nodes whose objects are gone
 * @param own addresses of this machine
 */
export function lostNetworks(
  nodes: readonly Node[],
  deleted: readonly string[],
  own: readonly string[],
): readonly string[] {
  const found = [...deleted, ...nodes.filter(isOutOfService).flatMap(podNetworksOf)];
  if (found.length === 0) return [];
  const living = nodes.filter((node) => !isOutOfService(node)).flatMap(podNetworksOf);
  const taken = [...living, ...own, ...nodes.flatMap(addressesOf)].flatMap((text) => parseCidr(text) ?? []);
  const lost = found.filter((text) => {
    const network = parseCidr(text);
    return network !== undefined && !taken.some((other) => overlaps(network, other));
  });
  return withoutNested(lost).toSorted().slice(0, MAX_LOST);
}

function podNetworksOf({ spec }: Node): readonly string[] {
  const all = spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR]);
  return all.flatMap((text) => networkText(text) ?? []);
}

/** Names are no networks, and fall out when they are parsed. */
function addressesOf({ status }: Node): readonly string[] {
  return (status?.addresses ?? []).map(({ address }) => address);
}
