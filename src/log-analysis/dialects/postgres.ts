/** PostgreSQL: an ERROR ends a statement and a FATAL a session; only before it accepts connections does a FATAL end the server. */
import type { Dialect } from './dialect.ts';

export const postgres: Dialect = {
  name: 'postgres',
  recognises:
    /\bdatabase system (?:is|was)\b|^(?:initdb|pg_ctl|postgres(?:ql)?|postmaster): |\bstarting PostgreSQL \d|\b(?:LOG|FATAL|PANIC|HINT|DETAIL|STATEMENT|CONTEXT): {2}/,
  noise:
    /database system is shut down|^(?:STATEMENT|LOCATION): |^HINT: |^DETAIL: |^CONTEXT: |received (?:fast|smart|immediate) shutdown|Examine the log output|^pg_ctl: could not start server|stopped waiting|database system was (?:shut down|interrupted)|^(?:LOG: +)?(?:shutting down|restartpoint|checkpoint)|^Success\. You can now|^The files belonging|^The database cluster will|^creating |^selecting |^performing |^syncing |^initdb: (?:hint|removing|warning)|the database system is (?:starting up|shutting down)|Consult the server log|all server processes terminated/,
  consequence:
    /aborting startup due to|terminating any other active server processes|could not create any (?:TCP\/IP|Unix-domain) sockets|startup process \(PID \d+\) (?:exited|was terminated)|configuration file "[^"]*" contains errors|could not load \S*pg_hba|terminating connection because of crash/,
  recovery: /database system is ready to accept|^(?:LOG: +)?database system is ready/,
  request: /^ERROR: /,
  requestWhenReady: /^FATAL: /,
  decisive:
    /(?:server|startup|checkpointer|background writer|WAL writer)[^()]*process \(PID \d+\) was terminated by signal|could not (?:bind|create lock file|access|open|write|map)|^PANIC: |syntax error in file|unrecognized configuration parameter|invalid connection type|invalid authentication|end-of-line before|invalid (?:value|line) /,
};
