/** What a headline says besides the error: where the setting stands that a user would change. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const map = (name: string, texts: Readonly<Record<string, string>>): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys: Object.keys(texts),
  texts,
});
const FILES = {
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
};
const ended = (
  given: Parameters<typeof pod>[0],
  lines: readonly string[],
  configs: readonly ConfigEvidence[] = [],
): Partial<PodEvidence> => ({
  pod: pod({ ...given, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
  configs,
});
const unready = (
  given: Parameters<typeof pod>[0],
  failure: string,
  lines: readonly string[],
  configs: readonly ConfigEvidence[] = [],
): Partial<PodEvidence> => ({
  pod: pod({
    ...given,
    container: { readinessProbe: { httpGet: { path: '/health.php', port: 8080 } }, ...given?.container },
    status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
  }),
  events: [
    event('Unhealthy', `Readiness probe failed: ${failure}`, { container: 'web', count: 20, first: 290, seconds: 2 }),
  ],
  logs: { web: { current: lines } },
  configs,
});

const cases: readonly Case[] = [
  [
    'a right that MySQL does not give is no wrong password',
    ended({}, [
      `mysqldump: Got error: 1044: "Access denied for user 'backup'@'%' to database 'shop'" when using LOCK TABLES`,
    ]),
    'not-allowed',
    /^container web is not allowed by its peer what it asks for: .*'backup'@'%' to database 'shop'" when using LOCK TABLES/,
  ],
  [
    'the repository of a backup, by its variable',
    ended(
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
    ended({ container: { command: ['sh', '-c', 'restic -r /srv/r snapshots'] } }, [
      'Fatal: wrong password or no key found',
    ]),
    'authentication-refused',
    /by its repository \/srv\/r,/,
  ],
  [
    'the heap of a JVM, by the variable that its command uses',
    ended(
      {
        container: {
          command: ['sh', '-c', 'exec java $JVM_ARGS -jar /a.jar'],
          envFrom: [{ configMapRef: { name: 'app' } }],
        },
      },
      ['java.lang.OutOfMemoryError: Java heap space'],
      [map('app', { JVM_ARGS: '-Xmx32m' })],
    ),
    'heap-exhausted',
    /its Java heap is full \(-Xmx32m of its variable JVM_ARGS of ConfigMap app, key JVM_ARGS\)/,
  ],
  [
    'a variable with a secret name, with the whole line behind it',
    ended({}, ['config.rb:3:in `fetch\': key not found: "SESSION_SECRET" (KeyError)']),
    'missing-setting',
    /^container web lacks the environment variable SESSION_SECRET, as it says: config\.rb:3:in/,
  ],
  [
    'an address that has no name is no port that is taken',
    ended({}, ["Fatal error: can't bind to no-such-host:8118: The hostname is not resolvable"]),
    'exit-code',
    /can't bind to no-such-host:8118/,
  ],
  [
    'a setting in small letters is no variable',
    ended({}, ["traffic_server: please set 'proxy.config.local_state_dir'"]),
    'exit-code',
    /please set 'proxy\.config\.local_state_dir'$/,
  ],
  [
    'the only other container that listens, for an error without a port',
    {
      ...ended({}, ['java.net.BindException: Address already in use']),
      listening: [{ port: 8080, container: 'proxy', process: 'envoy' }],
    },
    'port-in-use',
    /^container web cannot listen: container proxy of its pod listens on 8080 \(java\.net\.BindException/,
  ],
  [
    'the peer of a variable that the code reads there',
    ended({ container: { env: [{ name: 'CATALOG_URL', value: 'http://catalog:8080' }] } }, [
      '/app/a.js:1',
      'const r=await fetch(process.env.CATALOG_URL+"/items")',
      '      ^',
      '',
      'Error: the list has no items',
      '    at m (/app/a.js:1:120)',
    ]),
    'exit-code',
    /it reads its variable CATALOG_URL there \(catalog:8080\)$/,
  ],
  [
    'what a ready pod behind the service complains of, where its answer is an error of its own',
    {
      ...ended({ container: { env: [{ name: 'CATALOG_URL', value: 'http://catalog:8080' }] } }, [
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
    ended({}, [
      'psycopg2.OperationalError: connection to server at "pgbouncer" (10.96.2.109), port 6432 failed: FATAL:  query_wait_timeout',
    ]),
    'dependency-times-out',
    /query_wait_timeout$/,
  ],
  [
    'a Job that has failed, and may have been meant to make what is not there',
    {
      ...ended({}, ['psycopg2.errors.UndefinedTable: relation "orders" does not exist']),
      failedJob: { name: 'migrate', says: 'container m ends: syntax error at or near "CREAT" (exit code 1)' },
    },
    'missing-data',
    /; job\/migrate, which may be meant to make it, has failed: container m ends: syntax error at or near "CREAT" \(exit code 1\)$/,
    [/job\/migrate: has failed/],
  ],
  [
    'a Job that has to do with nothing that is said',
    { ...ended({}, ['Error: boom at shop']), failedJob: { name: 'migrate' } },
    'exit-code',
    /^(?!.*migrate)/,
  ],
  [
    'a virtual host that nobody has made',
    ended({}, [
      "pika.exceptions.ProbableAccessDeniedError: ConnectionClosedByBroker: (530) 'NOT_ALLOWED - vhost shop not found'",
    ]),
    'missing-data',
    /vhost shop not found/,
  ],
  [
    'a URL without TLS to a port of TLS, whose peer closes the connection',
    ended({ container: { env: [{ name: 'API_URL', value: 'http://secure:8443/v1' }] } }, [
      'http.client.RemoteDisconnected: Remote end closed connection without response',
    ]),
    'dependency-closes',
    /; its http:\/\/ asks port 8443 without TLS, which servers mostly speak there \(variable API_URL\)$/,
  ],
  [
    'a file without a private key, which another line names',
    ended(
      {
        container: { volumeMounts: [{ name: 't', mountPath: '/tls' }] },
        spec: { volumes: [{ name: 't', secret: { secretName: 'tunnel' } }] },
      },
      [
        '[ ] Loading private key from file: /tls/stunnel.pem',
        '[!] Unhandled error library: 60',
        '[!] error queue: ../ssl/ssl_rsa.c:385: error:0A080009:SSL routines::PEM lib',
        '[!] SSL_CTX_use_PrivateKey_file: ../crypto/encode_decode/decoder_lib.c:103: error:1E08010C:DECODER routines::unsupported',
      ],
    ),
    'private-key-unreadable',
    /^container web finds no private key that it can read in its file \/tls\/stunnel\.pem in volume t \(Secret tunnel\)/,
  ],
  [
    'the rule that PostgreSQL lacks for a replica',
    ended({}, [
      'pg_basebackup: error: connection to server at "pg" (10.96.1.1), port 5432 failed: FATAL:  no pg_hba.conf entry for replication connection from host "10.244.0.225", user "repl", no encryption',
    ]),
    'authentication-refused',
    /^container web is not let in by its peer pg:5432, whose pg_hba\.conf has no rule for it/,
  ],
  [
    'a file of a ConfigMap that is to be written',
    ended(
      FILES,
      ['*** FATAL: could not write /etc/app/sentinel.conf: Read-only file system'],
      [map('app', { 'sentinel.conf': 'port 26379' })],
    ),
    'read-only-file-system',
    /^container web cannot write \/etc\/app\/sentinel\.conf: the file system is read-only \(it is of ConfigMap app, of which nobody can write files; a copy in another volume can be written\)/,
  ],
  [
    'a port that a user may not have, without the volume of the file that names it',
    ended({ ...FILES, spec: { ...FILES.spec, securityContext: { runAsUser: 1000 } } }, [
      'Binding [/etc/app/haproxy.cfg:7] for frontend fe: cannot bind socket (Permission denied) for [0.0.0.0:80]',
    ]),
    'permission-denied',
    /^container web may not listen on port 80 as user 1000: permission denied: Binding/,
  ],
  [
    'a name that a file does not define, whose line is told',
    ended(
      FILES,
      [
        '2026/01/31 13:47:42| ACL not found: nets',
        '2026/01/31 13:47:42| FATAL: Bungled /etc/app/squid.conf line 8: http_access allow nets',
      ],
      [map('app', { 'squid.conf': '\n' })],
    ),
    'missing-setting',
    /^container web does not find what its configuration \/etc\/app\/squid\.conf names: FATAL: Bungled .* line 8: http_access allow nets \(ACL not found: nets\)/,
  ],
  [
    'the host of the only peer of its command, which the error does not name',
    ended({ container: { command: ['python3', '-c', "import socket; socket.create_connection(('geo-db',5432),5)"] } }, [
      'Traceback (most recent call last):',
      '  File "<string>", line 1, in <module>',
      'socket.gaierror: [Errno -3] Temporary failure in name resolution',
    ]),
    'dependency-not-resolved',
    /^container web does not find geo-db, of its command \(no such name\) and ends/,
  ],
  [
    'what Kubernetes sets for a service, whose address alone is told',
    {
      ...ended({}, ["ValueError: invalid literal for int() with base 10: 'tcp://10.96.219.12:6379'"]),
      services: [
        {
          namespace: 'shop',
          name: 'redis',
          missing: false,
          clusterIPs: ['10.96.219.12'],
          ports: [6379],
          ready: 1,
          notReady: 0,
        },
      ],
    },
    'exit-code',
    /its variable REDIS_PORT is set by Kubernetes for service redis; enableServiceLinks: false/,
  ],
  [
    'the setting that a replica lacks',
    ended(
      { ...FILES, container: { ...FILES.container, command: ['redis-server', '/etc/app/redis.conf'] } },
      ['1:S 31 Jan 2026 10:00:00.000 * MASTER aborted replication with an error: NOAUTH Authentication required.'],
      [map('app', { 'redis.conf': 'replicaof redis-master 6379\n' })],
    ),
    'authentication-refused',
    /which wants a password, and it gives none \(its configuration \/etc\/app\/redis\.conf of ConfigMap app has no masterauth\)/,
  ],
  [
    'a variable that a shell must have, with its exit code',
    {
      pod: pod({ status: crashed({ exitCode: 127 }) }),
      logs: lastWords('bash: line 1: MAIL_URL: required'),
    },
    'missing-setting',
    /^container web lacks the environment variable MAIL_URL/,
  ],
  [
    'a command that is not there, with the same exit code',
    {
      pod: pod({ status: crashed({ exitCode: 127 }) }),
      logs: lastWords('bash: line 1: MAILER: command not found'),
    },
    'missing-binary',
    /MAILER/,
  ],
  [
    'a script of a ConfigMap without its first line',
    {
      pod: pod({
        container: { command: ['/etc/app/start.sh'], volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message:
            'failed to create containerd task: OCI runtime create failed: runc create failed: unable to start container process: exec /etc/app/start.sh: exec format error',
          lived: 0,
        }),
      }),
      configs: [map('app', { 'start.sh': 'echo hello\n' })],
    },
    'missing-binary',
    /^container web cannot run .*: it is a script without "#!" and its interpreter in the first line \(ConfigMap app, key start\.sh\)$/,
  ],
  [
    'the parts of a system error in a field, without a call',
    ended({}, [
      '{"level":"fatal","msg":"boot failed","err":{"code":"ECONNREFUSED","address":"10.96.200.9","port":9092}}',
    ]),
    'dependency-refused',
    /^container web is refused by 10\.96\.200\.9:9092/,
  ],
  [
    'what a program is built of is none of its configuration',
    ended(
      FILES,
      ["Error: Cannot find module 'dotenv'"],
      [map('app', { 'package.json': '{"dependencies":{"dotenv":"1"}}' })],
    ),
    'missing-module',
    /^container web lacks a module or library that it needs: Error: Cannot find module 'dotenv'$/,
  ],
];

describe('tells the place', () => {
  tellsEach(cases);
});

describe('tells the place of a container that is not ready', () => {
  it('a probe that asks its node', () => {
    const given = unready({}, 'Get "http://localhost:8080/": dial tcp localhost:8080: connect: connection refused', []);
    const asked = pod({
      container: { readinessProbe: { httpGet: { path: '/', port: 8080, host: 'localhost' } } },
      status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
    });
    const { findings } = diagnosePod(evidence({ ...given, pod: asked }));
    expect(findings[0]?.says).toMatch(/: it asks host localhost, which is the node and not the pod/);
  });

  it('the setting of a framework, by a variable with a prefix', () => {
    const { findings } = diagnosePod(
      evidence(
        unready(
          { container: { env: [{ name: 'SHOP_ALLOWED_HOSTS', value: 'a.example' }] } },
          'HTTP probe failed with statuscode: 400',
          ["Invalid HTTP_HOST header: '10.244.0.39:8000'. You may need to add '10.244.0.39' to ALLOWED_HOSTS."],
        ),
      ),
    );
    expect(findings[0]?.says).toMatch(/; its variable SHOP_ALLOWED_HOSTS sets ALLOWED_HOSTS$/);
  });

  it('the script that a web server asks FPM for', () => {
    const given = unready(
      {
        container: {
          volumeMounts: [
            { name: 'conf', mountPath: '/etc/nginx/conf.d' },
            { name: 'code', mountPath: '/var/www/html' },
          ],
        },
        spec: {
          volumes: [
            { name: 'conf', configMap: { name: 'app' } },
            { name: 'code', emptyDir: {} },
          ],
        },
      },
      'HTTP probe failed with statuscode: 404',
      [
        '2026/11/28 07:00:00 [error] 9#9: *1 FastCGI sent in stderr: "Primary script unknown" while reading response header from upstream, client: 10.2.0.1, server: , request: "GET /health.php HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "10.2.0.7:8080"',
      ],
      [map('app', { 'default.conf': 'server {\n  listen 8080;\n  root /var/www/html;\n}\n' })],
    );
    const web = given.pod as PodEvidence['pod'];
    const fpm = { name: 'fpm', image: 'fpm', volumeMounts: [{ name: 'code', mountPath: '/srv/app' }] };
    const whole = {
      ...web,
      spec: { ...web.spec, containers: [...(web.spec?.containers ?? []), fpm] },
    } as PodEvidence['pod'];
    const { findings } = diagnosePod(evidence({ ...given, pod: whole }));
    expect(findings[0]?.says).toMatch(
      /; it asks for \/var\/www\/html\/health\.php, and container fpm has volume code at \/srv\/app, not at \/var\/www\/html$/,
    );
  });
});
