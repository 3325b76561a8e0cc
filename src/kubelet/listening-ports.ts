/** Parses the listening sockets of a network namespace from /proc/PID/net/tcp, tcp6, udp and udp6. Pure; `listeners.node.ts` reads them. */
import type { ListeningPort, PodListeningPort } from '../api/index.ts';

/** A socket that listens. */
export interface Listener {
  readonly port: number;
  /** Its address, where that is a loopback one. */
  readonly loopback?: string;
  readonly inode: string;
}

/** Sockets that the processes of one container hold. */
export interface HeldSockets {
  readonly inodes: ReadonlySet<string>;
  /** False: there may be more than could be looked at. */
  readonly complete: boolean;
}

export type Protocol = 'TCP' | 'UDP';

/** The kernel's numbers: LISTEN, and of UDP, which has none, a socket without a peer, which waits for anybody. */
const WAITING: Readonly<Record<Protocol, string>> = { TCP: '0A', UDP: '07' };
const LOCAL_ADDRESS = 1;
const STATE = 3;
const INODE = 9;

/**
 * @param table of tcp, tcp6, udp or udp6; other lines are left out
 * @param littleEndian how this machine writes the words of an address
 */
export function listenersIn(table: string, littleEndian: boolean, protocol: Protocol = 'TCP'): readonly Listener[] {
  return table.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/);
    if (words[STATE] !== WAITING[protocol]) return [];
    const [, address = '', port = ''] =
      /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(words[LOCAL_ADDRESS] ?? '') ?? [];
    if (address === '') return [];
    const loopback = loopbackOf(bytesOf(address, littleEndian));
    return [
      { port: Number.parseInt(port, 16), inode: words[INODE] ?? '', ...(loopback === undefined ? {} : { loopback }) },
    ];
  });
}

/** A socket of the machine's own network that waits for clients from elsewhere. */
export interface OpenSocket {
  readonly port: number;
  /** Dotted quad; undefined: all addresses, or those of IPv6. */
  readonly address: string | undefined;
}

/** @param table of /proc/net: tcp, tcp6, udp or udp6; sockets on loopback addresses are left out */
export function openSocketsIn(table: string, protocol: Protocol, littleEndian: boolean): readonly OpenSocket[] {
  return table.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/);
    const [, text, port = ''] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(words[LOCAL_ADDRESS] ?? '') ?? [];
    if (words[STATE] !== WAITING[protocol] || text === undefined) return [];
    const bytes = bytesOf(text, littleEndian);
    if (loopbackOf(bytes) !== undefined) return [];
    const v4 = ipv4Of(bytes);
    const address = v4 === undefined || v4.every((byte) => byte === 0) ? undefined : v4.join('.');
    return [{ port: Number.parseInt(port, 16), address }];
  });
}

/** The kernel prints an address as words of four bytes, each as a number. */
function bytesOf(address: string, littleEndian: boolean): readonly number[] {
  return (address.match(/.{8}/g) ?? []).flatMap((word) => {
    const bytes = (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
    return littleEndian ? bytes.toReversed() : bytes;
  });
}

/** Also of an address of IPv4 that a socket of IPv6 has. */
function ipv4Of(bytes: readonly number[]): readonly number[] | undefined {
  if (bytes.length === 4) return bytes;
  return bytes.slice(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 255)) ? bytes.slice(12) : undefined;
}

function loopbackOf(bytes: readonly number[]): string | undefined {
  const v4 = ipv4Of(bytes);
  if (v4 !== undefined) return v4[0] === 127 ? v4.join('.') : undefined;
  return bytes.every((byte, at) => byte === (at === 15 ? 1 : 0)) ? '::1' : undefined;
}

/** One entry for each port: the container's own first, then those of unknown owners, then others'; by number. */
export function listeningPorts(listeners: readonly Listener[], held: HeldSockets): readonly ListeningPort[] {
  const byPort = Map.groupBy(listeners, ({ port }) => port);
  return [...byPort]
    .map(([port, sockets]) => {
      const own = sockets.some(({ inode }) => held.inodes.has(inode)) || (held.complete ? false : undefined);
      return {
        port,
        ...loopbackOnly(sockets),
        ...(own === undefined ? {} : { own }),
      };
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.port - b.port);
}

/** @param holders of sockets, by inode. One entry for each port, by number. */
export function ownedPorts(
  listeners: readonly Listener[],
  holders: ReadonlyMap<string, Pick<PodListeningPort, 'container' | 'process'>>,
): readonly PodListeningPort[] {
  const byPort = Map.groupBy(listeners, ({ port }) => port);
  return [...byPort]
    .map(([port, sockets]) => {
      const held = sockets.find(({ inode }) => holders.has(inode));
      return { port, ...loopbackOnly(sockets), ...(held && holders.get(held.inode)) };
    })
    .toSorted((a, b) => a.port - b.port);
}

/** The loopback address of a port that has no socket on another one. */
function loopbackOnly(sockets: readonly Listener[]): { readonly loopback?: string } {
  const [first] = sockets.toSorted((a, b) => compare(a.loopback ?? '', b.loopback ?? ''));
  return first?.loopback === undefined ? {} : { loopback: first.loopback };
}

function rankOf({ own }: ListeningPort): number {
  return own === true ? 0 : own === undefined ? 1 : 2;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
