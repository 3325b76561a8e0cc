/** What the flags say about services. Pure. */
import type { UpFlags } from '../cli/index.ts';
import type { NodeSettings } from './agent-half.ts';

/** Our own server's services are routed, unless the user says otherwise. */
export function servicesOf({
  serviceProxy,
  serviceCidr,
}: Pick<UpFlags, 'serviceProxy' | 'serviceCidr'>): NodeSettings['services'] {
  return { isRouted: serviceProxy !== 'off', areOurs: true, cidr: serviceCidr?.text };
}
