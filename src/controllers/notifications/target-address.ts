/**
 * Which addresses messages may go to. Whoever may write a Notification makes the control plane open connections, so places that
 * only its machine can reach, and the services that hand out credentials to machines, are out of reach. Pure.
 */
import { addressesWithin, ipBytes, scopeOfIp } from '../../api/index.ts';

/** Metadata services outside of the link-local ranges: of AWS (all its own), Google, Oracle and Scaleway in IPv6; Alibaba, Oracle, Azure. */
const METADATA: readonly string[] = [
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
];

const SCOPE_WORDS: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  loopback: 'a loopback address of the control plane',
  'link-local': 'a link-local address, where machines get their credentials',
  'link-local multicast': 'a multicast address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
};

/**
 * Why a message may not go to an address; undefined: it may.
 *
 * @param allowed ranges that an administrator allows (--notification-allow)
 */
export function addressProblem(address: string, allowed: readonly string[]): string | undefined {
  if (ipBytes(address) === undefined) return 'no address';
  const inner = embeddedIn(address);
  const isAllowed = (each: string): boolean => isWithin(each, allowed);
  if (isAllowed(address) || (inner.length > 0 && inner.every(isAllowed))) return undefined;
  return [address, ...inner].map(problemOf).find((words) => words !== undefined);
}

function isWithin(address: string, ranges: readonly string[]): boolean {
  return ranges.some((range) => addressesWithin([address], range).length > 0);
}

function problemOf(address: string): string | undefined {
  const scope = scopeOfIp(address) ?? 'unspecified';
  if (isWithin(address, METADATA)) return 'the address of a metadata service';
  if (scope !== 'global') return SCOPE_WORDS[scope] ?? scope;
  const [, , , , , , , , , , , , first = 0] = ipBytes(address) ?? [];
  return isMapped(address) && first >= 240 ? 'a reserved address' : undefined;
}

/** 64:ff9b:1::/48 of a site's translators: where the IPv4 address may be, by the length of their prefix (RFC 6052, 2.2; byte 8 is none of it). */
const LOCAL_TRANSLATION = '0064ff9b0001';
const RFC_6052_PLACES: readonly (readonly number[])[] = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/**
 * IPv4 addresses that an IPv6 address leads to: mapped and translated ones, those of tunnels (6to4, Teredo, ISATAP), and those
 * behind translators of a site.
 */
function embeddedIn(address: string): readonly string[] {
  const bytes = ipBytes(address);
  if (bytes === undefined || !address.includes(':')) return [];
  const hex = hexOf(address);
  const at = (start: number): string => [...bytes.subarray(start, start + 4)].join('.');
  if (hex.startsWith('2002')) return [at(2)];
  // Its client's address is stored with all bits turned.
  if (hex.startsWith('20010000')) return [at(4), [...bytes.subarray(12)].map((byte) => byte ^ 0xff).join('.')];
  if (hex.startsWith(LOCAL_TRANSLATION))
    return RFC_6052_PLACES.map((places) => places.map((place) => bytes[place] ?? 0).join('.')).filter(
      (each) => !each.startsWith('0.'),
    );
  const isTail = /^0{20}ffff|^0{16}ffff0000|^0{24}|^0064ff9b0{16}|^.{16}0[02]005efe/.test(hex);
  return isTail && hex !== `${'0'.repeat(31)}1` && !/^0+$/.test(hex) ? [at(12)] : [];
}

function isMapped(address: string): boolean {
  return hexOf(address).startsWith(`${'0'.repeat(20)}ffff`);
}

function hexOf(address: string): string {
  return [...(ipBytes(address) ?? [])].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
