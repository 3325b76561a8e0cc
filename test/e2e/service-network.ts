/** Finds a network of services that nobody on this machine has: a mendlet of the developer's own may live here, or one that was killed. */
import { execFileSync } from 'node:child_process';
import { type HostRoute } from '../../src/network/conflicting-route.ts';
import { foreignServiceRoute } from '../../src/network/router/foreign-route.ts';

/** No route of the machine counts as ours: the suite has not begun. */
const NOBODY = { protocol: '', metric: -1 };

/**
 * A suite whose host must reach services needs such a network, because the host has the services of the first mendlet with it.
 *
 * @param octets the second parts of 10.x.0.0/16 that belong to this suite alone, in the order of choice
 * @returns the text before the address' last two parts: "10.97"
 * @throws where each of them is taken, with the route that takes the last one
 */
export function freeServiceNetwork(...octets: readonly number[]): string {
  const routes = JSON.parse(
    execFileSync('ip', ['-j', '-4', 'route', 'show', 'table', 'all'], { encoding: 'utf8' }),
  ) as readonly HostRoute[];
  const taken: string[] = [];
  for (const octet of octets) {
    const route = foreignServiceRoute(`10.${octet}.0.0/16`, routes, NOBODY);
    if (route === undefined) return `10.${octet}`;
    taken.push(`10.${octet}.0.0/16 by ${route.dst ?? 'default'} through ${route.dev ?? 'this host'}`);
  }
  throw new Error(`no network of services is free on this machine: ${taken.join(', ')}`);
}
