/** What a peer that is there has answered, and what stands behind it: its rights, its repository, its own peers, and the Jobs that should have made its data. */
import { describe } from 'vitest';
import { configMap } from '../../evidence.fixtures.ts';
import { type Case, endedWith, withFiles, tellsEach } from './cases.fixtures.ts';

const cases: readonly Case[] = [
  [
    'a right that MySQL does not give is no wrong password',
    endedWith({}, [
      `mysqldump: Got error: 1044: "Access denied for user 'backup'@'%' to database 'shop'" when using LOCK TABLES`,
    ]),
    'not-allowed',
    /^container web is denied what it asks of its peer: .*'backup'@'%' to database 'shop'" when using LOCK TABLES/,
  ],
  [
    'the repository of a backup, by its variable',
    endedWith(
      {
        container: {
          env: [{ name: 'RESTIC_REPOSITORY', value: '/backup/repo' }],
          volumeMounts: [{ name: 'b', mountPath: '/backup' }],
        },
        spec: { volumes: [{ name: 'b', persistentVolumeClaim: { claimName: 'backups' } }] },
      },
      ['Fatal: wrong password or no key found'],
    ),
    'authentication-refused',
    /^container web is not let in by its repository \/backup\/repo \(claim backups\) of its variable RESTIC_REPOSITORY, which/,
  ],
  [
    'the repository of a backup, by its command',
    endedWith({ container: { command: ['sh', '-c', 'restic -r /srv/r snapshots'] } }, [
      'Fatal: wrong password or no key found',
    ]),
    'authentication-refused',
    /by its repository \/srv\/r,/,
  ],
  [
    'what a ready pod behind the service complains of, where its answer is an error of its own',
    {
      ...endedWith({ container: { env: [{ name: 'CATALOG_URL', value: 'http://catalog:8080' }] } }, [
        'Error: catalog answered 503 Service Unavailable',
      ]),
      services: [
        {
          namespace: 'shop',
          name: 'catalog',
          missing: false,
          clusterIPs: ['10.96.7.7'],
          ports: [8080],
          ready: 1,
          notReady: 0,
          selector: { app: 'catalog' },
          complaint: { pod: 'catalog-7', says: 'index is not loaded' },
        },
      ],
    },
    'dependency-fails',
    /^container web is answered by its peer with an error of its own .*whose pod catalog-7 is ready and says: index is not loaded\)/,
  ],
  [
    'a pooler that has no server to give',
    endedWith({}, [
      'psycopg2.OperationalError: connection to server at "pgbouncer" (10.96.2.109), port 6432 failed: FATAL:  query_wait_timeout',
    ]),
    'dependency-times-out',
    /query_wait_timeout$/,
  ],
  [
    'a Job that has failed, and may have been meant to make what is not there',
    {
      ...endedWith({}, ['psycopg2.errors.UndefinedTable: relation "orders" does not exist']),
      failedJob: { name: 'migrate', says: 'container m ends: syntax error at or near "CREAT" (exit code 1)' },
    },
    'missing-data',
    /; job\/migrate, which may be meant to make it, has failed: container m ends: syntax error at or near "CREAT" \(exit code 1\)$/,
    [/job\/migrate: has failed/],
  ],
  [
    'a Job that has to do with nothing that is said',
    { ...endedWith({}, ['Error: boom at shop']), failedJob: { name: 'migrate' } },
    'exit-code',
    /^(?!.*migrate)/,
  ],
  [
    'a virtual host that nobody has made',
    endedWith({}, [
      "pika.exceptions.ProbableAccessDeniedError: ConnectionClosedByBroker: (530) 'NOT_ALLOWED - vhost shop not found'",
    ]),
    'missing-data',
    /vhost shop not found/,
  ],
  [
    'a URL without TLS to a port of TLS, whose peer closes the connection',
    endedWith({ container: { env: [{ name: 'API_URL', value: 'http://secure:8443/v1' }] } }, [
      'http.client.RemoteDisconnected: Remote end closed connection without response',
    ]),
    'dependency-closes',
    /; its http:\/\/ asks port 8443 without TLS, which servers mostly speak there \(variable API_URL\)$/,
  ],
  [
    'the rule that PostgreSQL lacks for a replica',
    endedWith({}, [
      'pg_basebackup: error: connection to server at "pg" (10.96.1.1), port 5432 failed: FATAL:  no pg_hba.conf entry for replication connection from host "10.244.0.225", user "repl", no encryption',
    ]),
    'authentication-refused',
    /^container web is not let in by its peer pg:5432, whose pg_hba\.conf has no rule for it/,
  ],
  [
    'the host of the only peer of its command, which the error does not name',
    endedWith(
      { container: { command: ['python3', '-c', "import socket; socket.create_connection(('geo-db',5432),5)"] } },
      [
        'Traceback (most recent call last):',
        '  File "<string>", line 1, in <module>',
        'socket.gaierror: [Errno -3] Temporary failure in name resolution',
      ],
    ),
    'dependency-not-resolved',
    /^container web does not find geo-db, of its command \(no such name\) and ends/,
  ],
  [
    'a replica whose file is of a Secret, which is not read',
    endedWith(
      {
        container: { ...withFiles.container, command: ['redis-server', '/etc/app/redis.conf'] },
        spec: { volumes: [{ name: 'conf', secret: { secretName: 'app' } }] },
      },
      ['1:S 31 Jan 2026 10:00:00.000 * MASTER aborted replication with an error: NOAUTH Authentication required.'],
      [{ kind: 'Secret', name: 'app', state: 'found', keys: ['redis.conf'] }],
    ),
    'authentication-refused',
    /and it gives none \(a replica gives its masterauth\)/,
  ],
  [
    'the setting that a replica lacks',
    endedWith(
      { ...withFiles, container: { ...withFiles.container, command: ['redis-server', '/etc/app/redis.conf'] } },
      ['1:S 31 Jan 2026 10:00:00.000 * MASTER aborted replication with an error: NOAUTH Authentication required.'],
      [configMap('app', { 'redis.conf': 'replicaof redis-master 6379\n' })],
    ),
    'authentication-refused',
    /which wants a password, and it gives none \(its configuration \/etc\/app\/redis\.conf of ConfigMap app has no masterauth\)/,
  ],
  [
    'the parts of a system error in a field, without a call',
    endedWith({}, [
      '{"level":"fatal","msg":"boot failed","err":{"code":"ECONNREFUSED","address":"10.96.200.9","port":9092}}',
    ]),
    'dependency-refused',
    /^container web is refused by 10\.96\.200\.9:9092/,
  ],
];

describe('tells what stands behind an answer', () => {
  tellsEach(cases);
});
