/** BIND: a zone that is not loaded is told at the start; that the root servers are not reached concerns other names. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const bind: Dialect = {
  name: 'bind',
  recognises: /\bstarting BIND \d|^zone \S+\/IN: |\bzone \S+\/IN: loaded serial/,
  noise: anyOf(
    /^(?:insecurity proof failed|network unreachable|host unreachable|timed out|broken trust chain|no valid \w{1,20}|lame server|SERVFAIL unexpected RCODE) resolving /,
    /^resolver priming query/,
    /^managed-keys-zone/,
    /Unable to fetch DNSKEY set|\bncache nxdomain\b|^checkhints: /,
    /^(?:sizing zone task pool|automatic empty zone)/,
  ),
  consequence: /^zone \S+: not loaded due to errors/,
};
