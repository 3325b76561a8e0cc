/** PgBouncer: what it says of one client follows from what it says of its own login at the server. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const pgbouncer: Dialect = {
  name: 'pgbouncer',
  recognises: /\b[CS]-0x[\da-f]{6,16}: \S{1,200}@\S{1,100} /,
  request: anyOf(
    /^C-0x[\da-f]{6,16}: \S{1,200} (?:pooler error: |closing because: |login attempt: )/,
    /^S-0x[\da-f]{6,16}: \S{1,200} closing because: /,
  ),
  decisive: /^server login failed: /,
};
