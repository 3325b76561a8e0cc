/**
 * Which addresses messages may go to. Whoever may write a Notification makes the control plane open connections, so places that
 * only its machine can reach, and the services that hand out credentials to machines, are out of reach. Pure.
 */
import { addressesWithin, ipBytes, scopeOfIp } from '../../api/index.ts';

/** Metadata services outside of the link-local ranges: of AWS and Google in IPv6, Alibaba, Oracle, Azure. */
const METADATA: ReadonlyMap<string, string> = new Map(
  ['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'].map((text) => [
    hexOf(text),
    text,
  ]),
);

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
  const all = [address, ...embeddedIn(address)];
  if (ipBytes(address) === undefined) return 'no address';
  if (all.some((each) => allowed.some((range) => addressesWithin([each], range).length > 0))) return undefined;
  for (const each of all) {
    const words = problemOf(each);
    if (words !== undefined) return words;
  }
  return undefined;
}

function problemOf(address: string): string | undefined {
  const scope = scopeOfIp(address) ?? 'unspecified';
  if (METADATA.has(hexOf(address))) return 'the address of a metadata service';
  if (scope !== 'global') return SCOPE_WORDS[scope] ?? scope;
  const [, , , , , , , , , , , , first = 0] = ipBytes(address) ?? [];
  return isMapped(address) && first >= 240 ? 'a reserved address' : undefined;
}

/** IPv4 addresses that an IPv6 address leads to: mapped and translated ones, 6to4, and those behind translators of a site. */
function embeddedIn(address: string): readonly string[] {
  const bytes = ipBytes(address);
  if (bytes === undefined || !address.includes(':')) return [];
  const hex = hexOf(address);
  const at = (start: number): string => [...bytes.subarray(start, start + 4)].join('.');
  if (hex.startsWith('2002')) return [at(2)];
  const isTail = /^0{20}ffff|^0{24}|^0064ff9b0{16}|^0064ff9b0001/.test(hex);
  return isTail && hex !== `${'0'.repeat(31)}1` && !/^0+$/.test(hex) ? [at(12)] : [];
}

function isMapped(address: string): boolean {
  return hexOf(address).startsWith(`${'0'.repeat(20)}ffff`);
}

function hexOf(address: string): string {
  return [...(ipBytes(address) ?? [])].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
