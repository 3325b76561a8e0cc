/**
 * Records the holders of a port's connections, and chooses which connection ends when there is no room. Strangers never take
 * the place of clients that have shown credentials, one address of strangers never that of another, and agents and masters
 * always find room.
 */
import { MASTERS_GROUP, NODES_GROUP } from './authentication.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { ConnectionShares } from './connection-shares.ts';

/** `stranger`: no credentials yet. `known`: some user's. `kept`: an agent's or a master's. */
export type ConnectionClass = 'stranger' | 'known' | 'kept';
/** `silent`: not one byte came. `handshake`: TLS is being agreed on. `idle`: nothing is asked. `busy`: a request is under way. */
export type ConnectionPhase = 'silent' | 'handshake' | 'idle' | 'busy';

export interface HeldConnection {
  /** The result of `addressKey` for the client's address. */
  readonly address: string;
  readonly phase: ConnectionPhase;
  /** Mono ms since when it is in that phase. */
  readonly since: number;
  /** Closes it to make room. */
  crowdOut(): void;
}

/** The key of this machine's own addresses. */
export const LOOPBACK = 'loopback';

/** The addresses that count as one: this machine's, each IPv4 address, each IPv6 network of 64 bits. */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (plain === '::1' || plain.startsWith('127.')) return LOOPBACK;
  return plain.includes(':') ? `${network64(plain)}::/64` : plain;
}

function network64(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Agents and masters. */
export function isKept(user: UserInfo): boolean {
  return user.groups.includes(MASTERS_GROUP) || user.groups.includes(NODES_GROUP);
}

const RANKS: Readonly<Record<ConnectionPhase, number>> = { silent: 0, idle: 1, handshake: 2, busy: 3 };

/** The connection that loses least by its end: one that said nothing, then one without a request; the oldest of them. */
function weakest<T extends HeldConnection>(connections: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const each of connections) {
    if (found === undefined || RANKS[each.phase] < RANKS[found.phase]) found = each;
    else if (RANKS[each.phase] === RANKS[found.phase] && each.since < found.since) found = each;
  }
  return found;
}

type Place<T> = { readonly group: Set<T>; readonly key: string; readonly class: ConnectionClass };

export class ConnectionTable<T extends HeldConnection> {
  readonly #shares: ConnectionShares;
  readonly #places = new Map<T, Place<T>>();
  readonly #strangers = new Map<string, Set<T>>();
  /** By user's name. */
  readonly #users = new Map<string, Set<T>>();
  readonly #counts: Record<ConnectionClass, number> = { stranger: 0, known: 0, kept: 0 };

  constructor(shares: ConnectionShares) {
    this.#shares = shares;
  }

  get connections(): IterableIterator<T> {
    return this.#places.keys();
  }

  count(of: ConnectionClass): number {
    return this.#counts[of];
  }

  classOf(connection: T): ConnectionClass | undefined {
    return this.#places.get(connection)?.class;
  }

  /** A new, unknown connection: there is always room, at the cost of the weakest of its kind. */
  accept(connection: T): void {
    const { strangers, strangersPerAddress } = this.#shares;
    const own = this.#strangers.get(connection.address);
    if (own !== undefined && own.size >= strangersPerAddress) this.#crowdOut(own);
    else if (connection.address !== LOOPBACK && this.#foreignStrangers() >= strangers) this.#crowdOut(this.#largest());
    this.#put(connection, this.#strangers, connection.address, 'stranger');
  }

  /**
   * The connection has shown credentials.
   * @returns false when its user has no room for it: it stays a stranger, should be told so, and end
   */
  promote(connection: T, user: UserInfo): boolean {
    const place = this.#places.get(connection);
    if (place === undefined) return false;
    const wanted = isKept(user) ? 'kept' : 'known';
    // The first user of a connection answers for it; only an agent or a master makes it more.
    if (place.class === wanted || place.class === 'kept') return true;
    const own = this.#users.get(user.name);
    if (wanted === 'known' && own !== undefined && own.size >= this.#shares.perUser && !this.#crowdOutIdle(own)) {
      return false;
    }
    if (wanted === 'known' && this.#counts.known >= this.#shares.ordinary && !this.#crowdOutIdle(this.#largestUser())) {
      return false;
    }
    if (wanted === 'kept' && own !== undefined && own.size >= this.#shares.perKeptUser && !this.#crowdOutIdle(own)) {
      return false;
    }
    if (wanted === 'kept' && this.#places.size >= this.#shares.all && !this.#crowdOutIdle(this.#largestUser())) {
      return false;
    }
    this.remove(connection);
    this.#put(connection, this.#users, user.name, wanted);
    return true;
  }

  /** It is closed, or about to be. Idempotent. */
  remove(connection: T): void {
    const place = this.#places.get(connection);
    if (place === undefined) return;
    this.#places.delete(connection);
    this.#counts[place.class] -= 1;
    place.group.delete(connection);
    const groups = place.class === 'stranger' ? this.#strangers : this.#users;
    if (place.group.size === 0) groups.delete(place.key);
  }

  #put(connection: T, groups: Map<string, Set<T>>, key: string, as: ConnectionClass): void {
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = new Set()));
    group.add(connection);
    this.#places.set(connection, { group, key, class: as });
    this.#counts[as] += 1;
  }

  #foreignStrangers(): number {
    return this.#counts.stranger - (this.#strangers.get(LOOPBACK)?.size ?? 0);
  }

  /** Of other machines: the address with most strangers. */
  #largest(): Set<T> {
    let largest = new Set<T>();
    for (const [key, group] of this.#strangers) if (key !== LOOPBACK && group.size > largest.size) largest = group;
    return largest;
  }

  /** The ordinary user with most connections. */
  #largestUser(): Set<T> {
    let largest = new Set<T>();
    for (const group of this.#users.values()) {
      const [first] = group;
      if (first !== undefined && this.classOf(first) === 'known' && group.size > largest.size) largest = group;
    }
    return largest;
  }

  #crowdOut(group: Set<T>): void {
    const victim = weakest(group);
    if (victim === undefined) return;
    this.remove(victim);
    victim.crowdOut();
  }

  /** Never a watch: only connections without a request. */
  #crowdOutIdle(group: Set<T>): boolean {
    const victim = weakest(group);
    if (victim === undefined || victim.phase === 'busy') return false;
    this.remove(victim);
    victim.crowdOut();
    return true;
  }
}
