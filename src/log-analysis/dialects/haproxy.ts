/** HAProxy: the first [ALERT] decides; "Fatal errors found in configuration" follows. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const haproxy: Dialect = {
  name: 'haproxy',
  recognises: /\bhaproxy\b|\[(?:ALERT|NOTICE|WARNING)\] {2,}|\bproxy \S+ (?:started|stopped)/i,
  noise: anyOf(
    /haproxy version is/,
    /path to executable is/,
    /Fatal errors found in configuration/,
    /New worker/,
    /Loading success/,
    /Some configuration options require full privileges/,
    /^(?:Exiting Master|All workers exited)/,
    /config : parsing \[.*\] : .*(?:deprecated)/,
  ),
  consequence:
    /Error\(s\) found in configuration file|Proxy '?\S+'? (?:has no|stopped)|Failed to load worker|Current worker|Fatal errors|backend '?\S+'? has no server available/,
  decisive: /Server \S+ is DOWN, reason: /,
  recovery: /Loading success|Server \S+ is UP|started\.$/,
  request: /Server \S+ is DOWN|backend '\S+' has no server available/,
};
