/** The link of a node's DNS server, where the pods' bridge cannot carry it: its name and its address. Pure. */
import { fnv1a32 } from '../../lib/index.ts';
import type { HostRoute } from '../conflicting-route.ts';
import { BRIDGE_PREFIX, bridgeName } from '../pod-network.ts';

/** At most 15 bytes, as Linux wants: the bridge's name with another beginning. */
export function dnsLinkName(instanceId: string): string {
  return `mndd-${bridgeName(instanceId).slice(BRIDGE_PREFIX.length)}`;
}

/** Link-local addresses are of this machine alone; NodeLocal DNSCache has one of this network, too. */
const NETWORK = '169.254.20';
const FIRST = 10;
const COUNT = 240;
/** Another program that has port 53 on all addresses has it on each of these. */
const MAX_CANDIDATES = 4;

/**
 * The addresses to try, best first: the one that the link has, because pods know it, then those that no other link has.
 * @param routes of all tables
 */
export function dnsLinkAddresses(instanceId: string, routes: readonly HostRoute[]): readonly string[] {
  const link = dnsLinkName(instanceId);
  const local = routes.filter(({ type }) => type === 'local');
  const present = local.filter(({ dev, dst = '' }) => dev === link && dst.startsWith(`${NETWORK}.`));
  const taken = new Set(local.filter(({ dev }) => dev !== link).map(({ dst }) => dst));
  const start = Number.parseInt(fnv1a32(instanceId), 16) % COUNT;
  const candidates = Array.from({ length: COUNT }, (_, at) => `${NETWORK}.${FIRST + ((start + at) % COUNT)}`);
  const free = candidates.filter((address) => !taken.has(address)).slice(0, MAX_CANDIDATES);
  return [...new Set([...present.flatMap(({ dst }) => dst ?? []), ...free])];
}

/** The networks behind links of the machine, but for those of its default route. */
export function networksOfLinks(
  routes: readonly HostRoute[],
): readonly { readonly dev: string; readonly dst: string }[] {
  const outward = new Set(routes.filter(({ dst = 'default' }) => dst === 'default').map(({ dev }) => dev));
  return routes.flatMap(({ dst, dev, type = 'unicast' }) =>
    dst === undefined || dst === 'default' || dev === undefined || type !== 'unicast' || outward.has(dev)
      ? []
      : [{ dev, dst }],
  );
}
