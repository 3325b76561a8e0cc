/** Squid: its pinger and whoever only opens a connection say nothing of the requests that pass through it. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const squid: Dialect = {
  name: 'squid',
  recognises: anyOf(
    /\bStarting Squid Cache version\b|\bAccepting HTTP Socket connections at\b|\bHTCP Disabled\b/,
    /\bTCP_(?:DENIED|MISS|HIT|TUNNEL|REFRESH)\w{0,30}\/\d{3}\b/,
    /\bNONE_NONE\/000\b/,
  ),
  noise: anyOf(/icmp_sock\b|\bpinger\b|\bRecv recv: \(111\)/, /\bNONE_NONE\/000\b/),
  recovery: /\bAccepting HTTP Socket connections at\b/,
};
