/** Tests what is told of files, folders and calls that only their owner, or root, may have. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from './cases.fixtures.ts';

const as = (user: number | undefined, container: object, ...lines: readonly string[]) =>
  ({
    pod: pod({
      container: { volumeMounts: [{ name: 'data', mountPath: '/var/lib/pg/data' }], ...container },
      spec: {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        ...(user !== undefined && { securityContext: { runAsUser: user } }),
      },
      status: crashed({ exitCode: 1 }),
    }),
    logs: lastWords(...lines),
  }) satisfies Partial<PodEvidence>;
const keys = (container: object, line: string, spec: object = {}): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'tls', mountPath: '/tls' }], ...container },
    spec: { volumes: [{ name: 'tls', secret: { secretName: 'pg-tls' } }], ...spec },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(line),
});
const INITDB = 'initdb: error: could not change permissions of directory "/var/lib/pg/data": Operation not permitted';
const OPEN = 'FATAL:  private key file "/tls/tls.key" has group or world access';

describe('what only an owner may do', () => {
  tellsEach([
    [
      'root that has dropped its right to pass by owners',
      {
        pod: pod({
          container: { securityContext: { capabilities: { drop: ['ALL'], add: ['CHOWN', 'SETUID'] } } },
          status: crashed({ exitCode: 1 }),
        }),
        logs: lastWords('nginx: [emerg] mkdir() "/var/cache/nginx/client_temp" failed (13: Permission denied)'),
      },
      'permission-denied',
      /may not use \/var\/cache\/nginx\/client_temp.* as root without the capability DAC_OVERRIDE, which it has dropped/,
    ],
    [
      'the mode of a mount point',
      as(117, { env: [{ name: 'PGDATA', value: '/var/lib/pg/data' }] }, INITDB),
      'permission-denied',
      /^container web may not change the mode of \/var\/lib\/pg\/data as user 117: only its owner may, and that is root, as volume data is mounted there; a folder below it would be its own; that is the value of its variable PGDATA/,
    ],
    [
      'the mode of a folder within a volume',
      as(117, {}, "chmod: changing permissions of '/var/lib/pg/data/pg': Operation not permitted"),
      'permission-denied',
      /^container web may not change the mode of \/var\/lib\/pg\/data\/pg as user 117: only its owner may/,
    ],
    [
      'an owner',
      as(1000, {}, "chown: changing ownership of '/var/lib/pg/data': Operation not permitted"),
      'permission-denied',
      /^container web may not change the owner of \/var\/lib\/pg\/data as user 1000: only root may; fsGroup gives the files of a volume to a group instead/,
    ],
    [
      'a folder of the image',
      as(1000, {}, "Error: EACCES: permission denied, mkdir '/opt/uploads'"),
      'permission-denied',
      /^container web may not use \/opt\/uploads as user 1000: permission denied; it is of its image, so a volume has to be mounted there/,
    ],
    [
      'a folder of the image, of a user that the image has',
      as(undefined, {}, "Error: EACCES: permission denied, mkdir '/opt/uploads'"),
      'permission-denied',
      /^container web may not use \/opt\/uploads: permission denied/,
    ],
  ]);
});

describe('what only root may do', () => {
  tellsEach([
    [
      'to change its root folder',
      as(1000, {}, '[ALERT]    (1) : [haproxy.main()] Cannot chroot(/var/lib/haproxy).'),
      'permission-denied',
      /^container web needs root, and runs as user 1000: \[haproxy\.main\(\)\] Cannot chroot\(\/var\/lib\/haproxy\)$/,
    ],
    [
      'in words of its own',
      as(1000, {}, 'fatal: this daemon must be run as root'),
      'permission-denied',
      /^container web needs root, and runs as user 1000: fatal: this daemon must be run as root$/,
    ],
    [
      'to become another user',
      as(33, {}, 'nginx: [emerg] setgid(101) failed (1: Operation not permitted)'),
      'permission-denied',
      /^container web needs root, and runs as user 33: .*setgid\(101\) failed/,
    ],
  ]);
});

describe('a key that others may read', () => {
  tellsEach([
    [
      'of a server that changes its user',
      keys({ command: ['bash', '-c', 'exec gosu postgres postgres -c ssl_key_file=/tls/tls.key'] }, OPEN),
      'permission-denied',
      /has the mode 0644; set its defaultMode to 0640, and fsGroup to the group of postgres, to which it changes$/,
    ],
    [
      'of PostgreSQL, which never runs as root',
      keys({ image: 'postgres:16' }, OPEN),
      'permission-denied',
      /set its defaultMode to 0640, and fsGroup to the group of its user$/,
    ],
  ]);

  it('is told once', () => {
    expect(diagnosePod(evidence(keys({ image: 'postgres:16' }, OPEN))).findings).toHaveLength(1);
  });
});
