/** Tests what is said of clients of SSH that do not trust a host. */
import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import { type Case, tellsEach } from '../cases/cases.fixtures.ts';

const ended = (code: number, ...lines: readonly string[]): Case[1] => ({
  pod: pod({
    container: {
      command: ['sh', '-c', 'rsync -e "ssh -o UserKnownHostsFile=/keys/known_hosts" -a /data store:/backup'],
      volumeMounts: [{ name: 'ssh', mountPath: '/keys' }],
    },
    spec: { volumes: [{ name: 'ssh', configMap: { name: 'store-ssh' } }] },
    status: crashed({ exitCode: code }),
  }),
  logs: lastWords(...lines),
});
const PLACE = String.raw`, of volume ssh \(ConfigMap store-ssh\)`;

const cases: readonly Case[] = [
  [
    'a host whose key has changed',
    ended(
      255,
      '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @',
      'Add correct host key in /keys/known_hosts to get rid of this message.',
      'Offending ED25519 key in /keys/known_hosts:3',
      '  ssh-keygen -f "/keys/known_hosts" -R "store"',
      'Host key for store has changed and you have requested strict checking.',
      'Host key verification failed.',
    ),
    'host-key-refused',
    new RegExp(
      String.raw`^container web does not trust the host key of store, as that is another than /keys/known_hosts \(line 3\) has${PLACE}: Host key verification failed$`,
    ),
  ],
  [
    'a host that nobody knows, by git',
    ended(
      128,
      "Cloning into '/work'...",
      'No ED25519 host key is known for [git.shop]:2222 and you have requested strict checking.',
      'Host key verification failed.',
      'fatal: Could not read from remote repository.',
    ),
    'host-key-refused',
    new RegExp(
      String.raw`does not trust the host key of git\.shop, as there is none of it in /keys/known_hosts${PLACE}: `,
    ),
  ],
  [
    'one of Paramiko',
    ended(
      1,
      "paramiko.ssh_exception.BadHostKeyException: Host key for server 'sftp' does not match: got 'AAAA', expected 'BBBB'",
    ),
    'host-key-refused',
    /does not trust the host key of sftp, as that is another than \/keys\/known_hosts has/,
  ],
  [
    'one of Go',
    ended(1, 'panic: dial store:22: ssh: handshake failed: knownhosts: key is unknown'),
    'host-key-refused',
    /does not trust the host key of store, as there is none of it in \/keys\/known_hosts/,
  ],
  [
    'a key of one’s own is another matter',
    ended(255, 'backup@store: Permission denied (publickey).'),
    'authentication-refused',
    /^container web is not let in by its peer store, which refuses its key: /,
  ],
];

describe('a host key', () => {
  tellsEach(cases);
});
