/** Tests what counts as the complaint of a program that works. */
import { expect, it } from 'vitest';
import { complaintIn } from './complaint.ts';

const DNS = '2026-01-31 18:15:57.680 UTC [1] WARNING DNS lookup failed: pg-primary: result=0';
const OF_CLIENT =
  '2026-01-31 18:16:12.014 UTC [1] WARNING C-0x5: app@10.244.2.11:55784 pooler error: client_login_timeout (server down)';

it.each<[string, readonly string[], string | undefined]>([
  [
    'what comes again, and not what a client has',
    [DNS, OF_CLIENT, DNS, OF_CLIENT],
    'DNS lookup failed: pg-primary: result=0',
  ],
  ['what came once', [DNS, OF_CLIENT, OF_CLIENT], undefined],
  ['only clients', [OF_CLIENT, OF_CLIENT], undefined],
  ['a program at its work', ['listening on :6432', 'stats: 0 xacts/s', 'stats: 0 xacts/s'], undefined],
  ['nothing', [], undefined],
])('%s', (_what, lines, says) => {
  expect(complaintIn(lines)).toBe(says);
});

it('quotes no secrets', () => {
  const line = 'ERROR cannot connect to postgres://app:hunter22@db:5432/shop';
  expect(complaintIn([line, line])).toMatch(/db:5432/);
  expect(complaintIn([line, line])).not.toContain('hunter22');
});
