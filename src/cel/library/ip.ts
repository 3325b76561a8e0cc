/** IP addresses and networks (upstream: apiserver/pkg/cel/library, ip and cidr; Go's netip). Pure. */
import { ipBytes, isIpv4Address } from '../../api/index.ts';
import { compareBytes } from '../values/bytes.ts';
import { CelError, type OpaqueValue, type Value } from '../values/value.ts';
import { makeOpaque } from './opaque.ts';
import { type Overload, overload } from './overload.ts';

interface Network {
  /** 4 or 16 bytes. */
  readonly bytes: Uint8Array;
  readonly bits: number;
}

const MAX_LENGTH = 64;

function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_LENGTH));
}

function parseIp(text: string): Uint8Array | CelError {
  if (text.includes('%') && ipBytes(text.slice(0, text.indexOf('%'))) !== undefined) {
    return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  }
  const bytes = text.length > MAX_LENGTH ? undefined : ipBytes(text);
  if (bytes === undefined) {
    const cause = `ParseAddr(${quote(text)}): unable to parse IP`;
    return new CelError(`IP Address ${quote(text)} parse error during conversion from string: ${cause}`);
  }
  if (isIpv4Address(text)) return bytes.slice(12);
  return isMapped(bytes) ? new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`) : bytes;
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
}

function formatIp(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));
  const { start, length } = longestZeros(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return length < 2 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}

function ipOf(inner: Uint8Array): OpaqueValue {
  const equals = (one: Uint8Array, other: Uint8Array): boolean => compareBytes(one, other) === 0;
  return makeOpaque({ typeName: 'net.IP', inner, equals, show: formatIp, size: inner.length });
}

function bytesOf(value: OpaqueValue): Uint8Array {
  return value.inner as Uint8Array;
}

function isUnspecified(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
}

function isLinkLocalUnicast([a = 0, b = 0, ...rest]: Uint8Array): boolean {
  return rest.length === 2 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
}

function isMulticast(bytes: Uint8Array): boolean {
  return bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocalMulticast(bytes: Uint8Array): boolean {
  const [a = 0, b = 0, c = 0] = bytes;
  return bytes.length === 4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 2;
}

function isGlobalUnicast(bytes: Uint8Array): boolean {
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  const isNone = isUnspecified(bytes) || isLoopback(bytes) || isBroadcast;
  return !isNone && !isMulticast(bytes) && !isLinkLocalUnicast(bytes);
}

function toIp(text: string): Value | CelError {
  const bytes = parseIp(text);
  return bytes instanceof CelError ? bytes : ipOf(bytes);
}

function isCanonical(text: string): Value | CelError {
  const bytes = parseIp(text);
  return bytes instanceof CelError ? bytes : formatIp(bytes) === text;
}

function ask(test: (bytes: Uint8Array) => boolean): (value: OpaqueValue) => Value {
  return (value) => test(bytesOf(value));
}

const ADDRESSES: readonly Overload[] = [
  overload('string_to_ip', 'ip(string): ip', toIp),
  overload('is_ip', 'isIP(string): bool', (text: string) => !(parseIp(text) instanceof CelError)),
  overload('ip_is_canonical', 'ip.isCanonical(string): bool', isCanonical),
  overload('ip_family', '<ip>.family(): int', (value: OpaqueValue) => (bytesOf(value).length === 4 ? 4n : 6n)),
  overload('ip_is_unspecified', '<ip>.isUnspecified(): bool', ask(isUnspecified)),
  overload('ip_is_loopback', '<ip>.isLoopback(): bool', ask(isLoopback)),
  overload('ip_is_link_local_multicast', '<ip>.isLinkLocalMulticast(): bool', ask(isLinkLocalMulticast)),
  overload('ip_is_link_local_unicast', '<ip>.isLinkLocalUnicast(): bool', ask(isLinkLocalUnicast)),
  overload('ip_is_global_unicast', '<ip>.isGlobalUnicast(): bool', ask(isGlobalUnicast)),
];

function parseNetwork(text: string): Network | CelError {
  const failure = (cause: string): CelError =>
    new CelError(
      `network address parse error during conversion from string: netip.ParsePrefix(${quote(text)}): ${cause}`,
    );
  const slash = text.lastIndexOf('/');
  if (slash === -1 || text.length > MAX_LENGTH) return failure("no '/'");
  const address = text.slice(0, slash);
  if (address.includes('%')) return failure('IPv6 zones cannot be present in a prefix');
  const bytes = ipBytes(address);
  if (bytes === undefined) return failure(`ParseAddr(${quote(address)}): unable to parse IP`);
  const isV4 = isIpv4Address(address);
  if (!isV4 && isMapped(bytes)) return new CelError(`IPv4-mapped IPv6 address ${quote(address)} is not allowed`);
  const suffix = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(suffix)) return failure(`bad bits after slash: ${quote(suffix)}`);
  if (Number(suffix) > (isV4 ? 32 : 128)) return failure('prefix length out of range');
  return { bytes: isV4 ? bytes.slice(12) : bytes, bits: Number(suffix) };
}

function masked({ bytes, bits }: Network): Network {
  const kept = bytes.map((byte, index) => {
    const left = Math.max(0, Math.min(8, bits - index * 8));
    return byte & ((0xff << (8 - left)) & 0xff);
  });
  return { bytes: kept, bits };
}

function networkOf(inner: Network): OpaqueValue {
  const equals = (one: Network, other: Network): boolean =>
    one.bits === other.bits && compareBytes(one.bytes, other.bytes) === 0;
  const show = ({ bytes, bits }: Network): string => `${formatIp(bytes)}/${bits}`;
  return makeOpaque({ typeName: 'net.CIDR', inner, equals, show, size: Math.ceil(inner.bits / 8) });
}

function network(value: OpaqueValue): Network {
  return value.inner as Network;
}

function includes(outer: Network, bytes: Uint8Array): boolean {
  if (outer.bytes.length !== bytes.length) return false;
  return compareBytes(masked(outer).bytes, masked({ bytes, bits: outer.bits }).bytes) === 0;
}

function includesNetwork(outer: Network, inner: Network): boolean {
  return inner.bits >= outer.bits && includes(outer, inner.bytes);
}

const NETWORKS: readonly Overload[] = [
  overload('string_to_cidr', 'cidr(string): cidr', (text: string) => {
    const parsed = parseNetwork(text);
    return parsed instanceof CelError ? parsed : networkOf(parsed);
  }),
  overload('is_cidr', 'isCIDR(string): bool', (text: string) => !(parseNetwork(text) instanceof CelError)),
  overload('cidr_contains_ip_string', '<cidr>.containsIP(string): bool', (outer: OpaqueValue, text: string) => {
    const bytes = parseIp(text);
    return bytes instanceof CelError ? bytes : includes(network(outer), bytes);
  }),
  overload('cidr_contains_ip_ip', '<cidr>.containsIP(ip): bool', (outer: OpaqueValue, inner: OpaqueValue) =>
    includes(network(outer), bytesOf(inner)),
  ),
  overload('cidr_contains_cidr_string', '<cidr>.containsCIDR(string): bool', (outer: OpaqueValue, text: string) => {
    const parsed = parseNetwork(text);
    return parsed instanceof CelError ? parsed : includesNetwork(network(outer), parsed);
  }),
  overload('cidr_contains_cidr', '<cidr>.containsCIDR(cidr): bool', (outer: OpaqueValue, inner: OpaqueValue) =>
    includesNetwork(network(outer), network(inner)),
  ),
  overload('cidr_ip', '<cidr>.ip(): ip', (value: OpaqueValue) => ipOf(network(value).bytes)),
  overload('cidr_prefix_length', '<cidr>.prefixLength(): int', (value: OpaqueValue) => BigInt(network(value).bits)),
  overload('cidr_masked', '<cidr>.masked(): cidr', (value: OpaqueValue) => networkOf(masked(network(value)))),
];

export const IPS: readonly Overload[] = [...ADDRESSES, ...NETWORKS];
