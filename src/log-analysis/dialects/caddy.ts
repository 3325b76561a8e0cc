/** Caddy: lines in JSON, but the last words are "Error: …" in text. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const caddy: Dialect = {
  name: 'caddy',
  recognises:
    /"logger":"(?:admin|tls|http|caddy)|\busing provided configuration|\busing adjacent Caddyfile|\bserving initial configuration|"config_adapter"/,
  noise: anyOf(
    /^using (?:provided|adjacent)/,
    /not formatted/,
    /^(?:admin endpoint|cleaning storage|finished cleaning|autosaved config|shutting down|shutdown complete|exiting)/,
  ),
  recovery: /serving initial configuration/,
  decisive: /^Error: /,
};
