/** What a server logs of a login that it refuses. */
import { expect, it } from 'vitest';
import { refusalReason } from './server-reasons.ts';

it.each<[string, string[], string | undefined, string | undefined]>([
  [
    'PgBouncer',
    [
      '2026-01-31 08:12:33.340 UTC [1] LOG C-0x5568: (nodb)/(nouser)@10.244.0.237:41026 no such user: app',
      '2026-01-31 08:12:33.341 UTC [1] WARNING C-0x5568: (nodb)/app@10.244.0.237:41026 pooler error: password authentication failed',
    ],
    'app',
    'no such user: app',
  ],
  [
    'PostgreSQL',
    [
      '2026-01-31 08:12:33 UTC [71] FATAL:  password authentication failed for user "app"',
      '2026-01-31 08:12:33 UTC [71] DETAIL:  Role "app" does not exist.',
    ],
    'app',
    'Role "app" does not exist',
  ],
  ['PostgreSQL, of another user', ['DETAIL:  Role "etl" does not exist.'], 'app', undefined],
  [
    'RabbitMQ',
    ["2026-01-31 [error] <0.9.0> PLAIN login refused: user 'shop' - invalid credentials"],
    'shop',
    "user 'shop' - invalid credentials",
  ],
  [
    'a file of users that is not there',
    ['ERROR could not open auth_file /etc/pgb/userlist.txt: No such file or directory'],
    undefined,
    'could not open auth_file /etc/pgb/userlist.txt: No such file or directory',
  ],
  [
    'OpenSSH',
    [
      'Connection from 10.4.0.9 port 44256 on 10.4.0.8 port 2222',
      'Authentication refused: bad ownership or modes for directory /home/deploy',
      'Failed publickey for deploy from 10.4.0.9 port 44256 ssh2: ED25519 SHA256:a0eE',
    ],
    undefined,
    'Authentication refused: bad ownership or modes for directory /home/deploy',
  ],
  ['nothing', ['LOG: connection received'], 'app', undefined],
])('%s', (_, lines, user, said) => {
  expect(refusalReason(lines, user)).toBe(said);
});
