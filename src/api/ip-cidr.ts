/** Ranges of addresses in text ("10.0.0.0/8", "2001:db8::/32"), of both families. Pure. */
import { ipBytes, isIpAddress, isIpv4Address } from './ip-address.ts';

const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Whether this is an address with a length of its prefix; bits behind the prefix may be set. */
export function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isIpAddress(address) || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return false;
  return Number(bits) <= (isIpv4Address(address) ? 32 : 128);
}

export function isIpv4Cidr(text: string): boolean {
  return isCidr(text) && !text.includes(':');
}

/** A range whose bits behind the prefix are zero; returns upstream's messages. */
export function checkCidr(text: string): readonly string[] {
  if (!isCidr(text)) return [CIDR_TEXT];
  const bits = bitsOf(text);
  return bits.address.every((bit, at) => at < bits.prefix || !bit)
    ? []
    : ['must not have bits set beyond the prefix length'];
}

/** An address with its prefix, whatever is behind it; returns upstream's messages. */
export function checkLooseCidr(text: string): readonly string[] {
  return isCidr(text) ? [] : [CIDR_TEXT];
}

/** Whether `inner` lies within `outer` and is smaller. Both must be ranges. */
export function isStrictlyWithin(inner: string, outer: string): boolean {
  if (inner.includes(':') !== outer.includes(':')) return false;
  const [small, large] = [bitsOf(inner), bitsOf(outer)];
  return (
    small.prefix > large.prefix && large.address.every((bit, at) => at >= large.prefix || bit === small.address[at])
  );
}

/** Those of the addresses that lie in the range, of whichever family it is. */
export function addressesWithin(addresses: readonly string[], range: string): readonly string[] {
  const { address: bits, prefix } = bitsOf(range);
  const isIpv6 = range.includes(':');
  return addresses.filter((address) => {
    if (address.includes(':') !== isIpv6) return false;
    const own = bitsOf(address).address;
    return bits.every((bit, at) => at >= prefix || bit === own[at]);
  });
}

/** The bits of the address as IPv6 has them; the prefix counts from there. */
function bitsOf(text: string): { readonly address: readonly boolean[]; readonly prefix: number } {
  const [address = '', length = ''] = text.split('/');
  const bytes = ipBytes(address) ?? new Uint8Array(16);
  const bits = [...bytes].flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((shift) => ((byte >> shift) & 1) === 1));
  return { address: bits, prefix: Number(length) + (isIpv4Address(address) ? 96 : 0) };
}
