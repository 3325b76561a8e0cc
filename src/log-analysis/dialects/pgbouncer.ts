/** PgBouncer: what it says of one client follows from what it says of its own login at the server. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

/** "C-0x555a505e69a0: shop/app@10.4.0.6:55490 login attempt: …" */
const OF_PGBOUNCER = /\b[CS]-0x[\da-f]{6,16}: \S{1,200}@\S{1,100} /;

/** Whether the line is one of its own, of a client or of a server. */
export function isOfPgBouncer(line: string): boolean {
  return OF_PGBOUNCER.test(line);
}

export const pgbouncer: Dialect = {
  name: 'pgbouncer',
  recognises: OF_PGBOUNCER,
  request: anyOf(
    // What the pool has too little of concerns all clients.
    /^C-0x[\da-f]{6,16}: \S{1,200} (?:pooler error: |closing because: |login attempt: )(?!query_wait_timeout|no more connections allowed|client_login_timeout)/,
    /^S-0x[\da-f]{6,16}: \S{1,200} closing because: /,
  ),
  decisive: anyOf(
    /^server login failed: /,
    /pooler error: (?:query_wait_timeout|no more connections allowed|client_login_timeout)/,
  ),
};
