/**
 * The only values that reach nft: addresses and ports, read and written anew by us. Pure. Names and annotations of users never
 * do, so nothing needs to be escaped.
 */
import { formatAddress, formatCidr, parseCidr } from '../cidr.ts';

export type RoutedProtocol = 'tcp' | 'udp';

const MAX_PORT = 65_535;

/** The address in its one spelling; undefined for anything that is no IPv4 address ("010.1.1.1" would be octal elsewhere). */
export function addressText(text: string | undefined): string | undefined {
  const parsed = text === undefined || text.includes('/') ? undefined : parseCidr(text);
  return parsed === undefined ? undefined : formatAddress(parsed.base);
}

/** The network in its one spelling; an address alone is a network of one. */
export function networkText(text: string | undefined): string | undefined {
  const parsed = text === undefined ? undefined : parseCidr(text.trim());
  return parsed === undefined ? undefined : formatCidr(parsed);
}

export function isPort(port: number | undefined): port is number {
  return port !== undefined && Number.isInteger(port) && port > 0 && port <= MAX_PORT;
}

/** Undefined: SCTP, which is not routed, or something unknown. */
export function routedProtocol(protocol: string | undefined): RoutedProtocol | undefined {
  if (protocol === undefined || protocol === 'TCP') return 'tcp';
  return protocol === 'UDP' ? 'udp' : undefined;
}

/** Networks without those that lie within another of them: a set of intervals refuses overlaps. */
export function withoutNested(networks: readonly string[]): readonly string[] {
  const parsed = [...new Set(networks)].flatMap((text) => parseCidr(text) ?? []);
  const widestFirst = parsed.toSorted((a, b) => a.prefix - b.prefix || a.base - b.base);
  const kept: { readonly base: number; readonly prefix: number }[] = [];
  for (const each of widestFirst) {
    const within = kept.some(({ base, prefix }) => each.base >= base && each.base < base + 2 ** (32 - prefix));
    if (!within) kept.push(each);
  }
  return kept.map(formatCidr);
}
