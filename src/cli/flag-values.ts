/** Parsers of flag values. Pure: each takes text and returns a value, or throws a `UsageError` that says what would be right. */
import { UsageError } from './usage-error.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export type RuntimeChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'containerd' }
  | { readonly kind: 'process' }
  /** An absolute path of a CRI socket. */
  | { readonly kind: 'socket'; readonly path: string };

export interface Cidr {
  /** The network's address with host bits zero, e.g. "10.244.0.0/16". */
  readonly text: string;
  /** The address as an unsigned 32-bit number. */
  readonly base: number;
  readonly prefix: number;
}

/** Longest path of a Unix socket (sun_path without its final zero). */
const MAX_SOCKET_PATH_BYTES = 107;

/** `HOST:PORT`, `[V6]:PORT`, `:PORT` (all addresses) or `PORT` (127.0.0.1). Port 0 asks for any free one. */
export function parseListen(text: string): ListenAddress {
  const match = /^(?:(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65535) throw new UsageError('Give HOST:PORT, for instance 127.0.0.1:6443.');
  const name = match[1] ?? match[2];
  const host = name === undefined ? '127.0.0.1' : name === '' ? '0.0.0.0' : name;
  const octets = host.split('.');
  if (/^[\d.]+$/.test(host) && (octets.length !== 4 || octets.some((octet) => octet === '' || Number(octet) > 255))) {
    throw new UsageError(`${host} is not an IP address.`);
  }
  if (!/^[0-9a-zA-Z:.-]+$/.test(host)) throw new UsageError(`${host} is not a host name.`);
  return { host, port };
}

/** A node's name is a DNS subdomain (RFC 1123) of at most 253 characters, labels of at most 63. */
export function parseNodeName(text: string): string {
  const labels = text.split('.');
  const right = labels.every((label) => label.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label));
  if (!right || text.length > 253) {
    throw new UsageError(
      'A node name is lower case letters, digits, "-" and ".", and starts and ends with a letter or digit.',
    );
  }
  return text;
}

/** An IPv4 network for pods, /8 to /28. Host bits must be zero, so that a typing error is noticed. */
export function parsePodCidr(text: string): Cidr {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  const octets = match?.slice(1, 5).map(Number) ?? [];
  const prefix = Number(match?.[5]);
  if (match === null || octets.some((octet) => octet > 255) || prefix > 32) {
    throw new UsageError('Give an IPv4 network, for instance 10.244.0.0/16.');
  }
  if (prefix < 8 || prefix > 28) throw new UsageError('Give a network between /8 and /28.');
  const address = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const size = 2 ** (32 - prefix);
  const base = address - (address % size);
  const name = `${[24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256).join('.')}/${prefix}`;
  if (address !== base) throw new UsageError(`This is an address inside a network; the network is ${name}.`);
  return { text: name, base, prefix };
}

/** The network of services when no flag gives another. */
export const DEFAULT_SERVICE_CIDR = parsePodCidr('10.96.0.0/16');

export function overlaps(one: Cidr, other: Cidr): boolean {
  const size = 2 ** (32 - Math.min(one.prefix, other.prefix));
  return Math.floor(one.base / size) === Math.floor(other.base / size);
}

/** `auto`, `containerd`, `process` or `unix:///PATH`. */
export function parseRuntime(text: string): RuntimeChoice {
  if (text === 'auto' || text === 'containerd' || text === 'process') return { kind: text };
  if (!text.startsWith('unix://'))
    throw new UsageError('Give auto, containerd or the path of a CRI socket as unix:///PATH.');
  const path = text.slice('unix://'.length);
  if (!path.startsWith('/'))
    throw new UsageError('The path of the socket must be absolute: unix:///PATH, with three slashes.');
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new UsageError(`The path of a socket has at most ${MAX_SOCKET_PATH_BYTES} bytes.`);
  }
  return { kind: 'socket', path };
}

/** A whole number of seconds, 1 to 86400. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > 86_400)
    throw new UsageError('Give a number of seconds, 1 to 86400.');
  return seconds;
}

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A length of time as Go writes it ("10s", "1m30s", "500ms"), 100 ms to 1 h. @returns ms */
export function parsePeriod(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const ms = parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * (DURATION_UNITS[unit ?? ''] ?? Number.NaN),
    0,
  );
  if (text === '' || parts.map(([part]) => part).join('') !== text || ms < 100 || ms > 3_600_000)
    throw new UsageError('Give a length of time from 100ms to 1h, for instance 10s or 5m.');
  return ms;
}

/** A number of things. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`Give a whole number, not "${text}".`);
  return Number(text);
}
