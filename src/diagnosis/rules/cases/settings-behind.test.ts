/** The setting behind an error that speaks only of what it sets: options, limits, names of things in a peer. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, crash, endedWith, tellsEach, withFiles } from './cases.fixtures.ts';

const set = (name: string, value: string) => ({ name, value });
const withVariables = (
  env: readonly { readonly name: string; readonly value: string }[],
  ...lines: readonly string[]
) => endedWith({ container: { env: [...env] } }, lines);

const endedCleanly = (container: object, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container, status: crashed({ exitCode: 0, reason: 'Completed', lived: 0 }) }),
  logs: lastWords(...lines),
});

const cases: readonly Case[] = [
  [
    'options of a JVM that contradict each other',
    withVariables(
      [set('JAVA_TOOL_OPTIONS', '-Xms512m -Xmx128m')],
      'Picked up JAVA_TOOL_OPTIONS: -Xms512m -Xmx128m',
      'Error occurred during initialization of VM',
      'Initial heap size set to a larger value than the maximum heap size',
    ),
    'exit-code',
    /; its variable JAVA_TOOL_OPTIONS sets -Xms512m -Xmx128m$/,
  ],
  [
    'a limit of files that its own command sets',
    endedWith({ container: { command: ['sh', '-c', 'ulimit -n 24; exec python3 /app/f.py'] } }, [
      "OSError: [Errno 24] Too many open files: '/etc/hosts'",
    ]),
    'too-many-files',
    /; its command sets ulimit -n 24$/,
  ],
  [
    'a limit of files that a script of a ConfigMap sets',
    endedWith(
      withFiles,
      ['OSError: [Errno 24] Too many open files'],
      [configMap('app', { 'start.sh': 'ulimit -n 32\nexec python3 /app/p.py\n' })],
    ),
    'too-many-files',
    /; ConfigMap app, key start\.sh, sets ulimit -n 32$/,
  ],
  [
    'the time within which it wants an answer',
    withVariables(
      [set('GEO_URL', 'http://geo:8080'), set('HTTP_TIMEOUT', '2')],
      "requests.exceptions.ReadTimeout: HTTPConnectionPool(host='geo', port=8080): Read timed out. (read timeout=2.0)",
    ),
    'dependency-times-out',
    /; its variable HTTP_TIMEOUT, which sets how long it waits, is 2$/,
  ],
  [
    'the time within which it wants an answer, in milliseconds',
    withVariables(
      [set('CONNECT_TIMEOUT', '30'), set('REQUEST_TIMEOUT_MS', '1500')],
      'AxiosError: timeout of 1500ms exceeded',
    ),
    'dependency-times-out',
    /; its variable REQUEST_TIMEOUT_MS, which sets how long it waits, is 1500$/,
  ],
  [
    'the size of a pool that is used up',
    withVariables([set('DB_POOL', '1')], 'Sequel::PoolTimeout: timeout: 3.0, elapsed: 3.0011'),
    'connections-exhausted',
    /; its variable DB_POOL is 1$/,
  ],
  [
    'the folder of a repository that is not there',
    endedWith(
      {
        container: {
          env: [set('RESTIC_REPOSITORY', '/backup/prod')],
          volumeMounts: [{ name: 'backup', mountPath: '/backup' }],
        },
        spec: { volumes: [{ name: 'backup', persistentVolumeClaim: { claimName: 'backup' } }] },
      },
      [
        'Fatal: unable to open config file: stat /backup/prod/config: no such file or directory',
        'Is there a repository at the following location?',
        '/backup/prod',
      ],
    ),
    'missing-data',
    /finds no repository of backups .*\/backup\/prod is of its variable RESTIC_REPOSITORY$/,
  ],
  [
    'the folder that an init container made as root',
    endedWith(
      {
        container: {
          securityContext: { runAsUser: 1000 },
          volumeMounts: [{ name: 'export', mountPath: '/export' }],
        },
        spec: {
          volumes: [{ name: 'export', emptyDir: {} }],
          initContainers: [
            {
              name: 'prepare',
              command: ['mkdir', '-p', '/export/out'],
              volumeMounts: [{ name: 'export', mountPath: '/export' }],
            },
          ],
        },
      },
      ['PHP Warning:  fopen(/export/out/orders.csv): Failed to open stream: Permission denied in /app/e.php on line 2'],
    ),
    'permission-denied',
    /; init container prepare, which runs as root, makes \/export\/out, so it has to give it to user 1000/,
  ],
  [
    'the heap of a Lisp, by its command',
    endedWith({ container: { command: ['sbcl', '--dynamic-space-size', '48', '--script', '/a.lisp'] } }, [
      'Unhandled SB-KERNEL::HEAP-EXHAUSTED-ERROR in thread #<SB-THREAD:THREAD "main thread" RUNNING>: Heap exhausted (no more space for allocation)',
    ]),
    'exit-code',
    /; its command sets --dynamic-space-size 48$/,
  ],
  [
    "PHP's limit, by the file that sets it",
    endedWith(
      withFiles,
      [
        'PHP Fatal error:  Allowed memory size of 8388608 bytes exhausted (tried to allocate 4096 bytes) in /w.php on line 3',
      ],
      [configMap('app', { 'zz.ini': 'memory_limit = 8M\n' })],
    ),
    'heap-exhausted',
    /; ConfigMap app, key zz\.ini, sets memory_limit to 8M/,
  ],
  [
    'two variables with one port',
    withVariables(
      [set('PORT', '3000'), set('ADMIN_PORT', '3000')],
      'Error: listen EADDRINUSE: address already in use :::3000',
    ),
    'port-in-use',
    /; its variables PORT and ADMIN_PORT name that port both$/,
  ],
  [
    'a bucket by its variable',
    withVariables(
      [set('S3_ENDPOINT', 'http://s3:9000'), set('BUCKET', 'invoices-prd')],
      'botocore.errorfactory.NoSuchBucket: An error occurred (NoSuchBucket) when calling the ListObjectsV2 operation: The specified bucket does not exist',
    ),
    'missing-data',
    /; its variable BUCKET is "invoices-prd"$/,
  ],
  [
    'a database by the variable that has its name',
    withVariables(
      [set('DB_HOST', 'db'), set('DB_NAME', 'crm_prod')],
      'psycopg2.OperationalError: connection to server at "db", port 5432 failed: FATAL:  database "crm_prod" does not exist',
    ),
    'missing-data',
    /; crm_prod is of its variable DB_NAME$/,
  ],
  [
    'a part of a URL that is no number',
    endedWith(
      { container: { env: [{ name: 'DATABASE_URL', valueFrom: { configMapKeyRef: { name: 'shop', key: 'url' } } }] } },
      ["ValueError: invalid literal for int() with base 10: '543x'"],
      [configMap('shop', { url: 'postgresql://shop@db:543x/shop' })],
    ),
    'exit-code',
    /543x is in its variable DATABASE_URL of ConfigMap shop, key url/,
  ],
  [
    'a password that the code would show, and that nothing sets',
    endedWith(
      { ...withFiles, container: { ...withFiles.container, env: [set('REDIS_HOST', 'redis')] } },
      ['PHP Fatal error:  Uncaught RedisException: NOAUTH Authentication required. in /etc/app/b.php:5'],
      [
        configMap('app', {
          'b.php':
            '$r->connect(getenv("REDIS_HOST"));\nif(getenv("REDIS_PASSWORD")) $r->auth(getenv("REDIS_PASSWORD"));',
        }),
      ],
    ),
    'authentication-refused',
    /; its code reads the variable REDIS_PASSWORD for it, which its pod does not set$/,
  ],
  [
    'a variable of a whole Secret that the error names',
    {
      ...endedWith({ container: { envFrom: [{ secretRef: { name: 'portal' } }] } }, [
        'SESSION_KEY must be at least 32 characters long',
      ]),
      configs: [{ kind: 'Secret', name: 'portal', state: 'found', keys: ['SESSION_KEY'] }],
    },
    'exit-code',
    /; SESSION_KEY is of Secret portal$/,
  ],
  [
    'a file of credentials that nobody could parse, which no peer has seen',
    crash(1, 'FATAL -- publisher: invalid credentials file: 859: unexpected token at \'{"type": "service_account"\''),
    'exit-code',
    /^container web ends: .*invalid credentials file/,
  ],
  [
    'a client of redis whose peer closes the connection',
    withVariables(
      [set('CACHE_URL', 'redis://cache:8080/0')],
      'redis.exceptions.ConnectionError: Connection closed by server.',
    ),
    'dependency-closes',
    /^container web loses the connection to its peer cache:8080/,
  ],
  [
    'a time-out in the code beside the error, which is none of its words',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/a.py", line 3, in <module>',
      '    db=psycopg2.connect(host="db",dbname="d",connect_timeout=3)',
      'psycopg2.OperationalError: connection to server at "db" (10.96.0.4), port 5432 failed: FATAL:  the database system is starting up',
    ),
    'exit-code',
    /^container web ends: psycopg2\.OperationalError: .*starting up/,
  ],
  [
    'an uncaught error of a program that ends with 0 again and again',
    {
      ...crash(
        0,
        'Traceback (most recent call last):',
        '  File "/app/tasks.py", line 3, in <module>',
        '    app.connection().connect()',
        'kombu.exceptions.OperationalError: Error -2 connecting to redis-broker:6379. Name or service not known.',
      ),
    },
    'dependency-not-resolved',
    /^container web does not find redis-broker \(no such name\) and ends/,
  ],
  [
    'the URL that a command asks',
    endedWith(
      {
        container: {
          command: ['sh', '-c', 'set -e; curl -fsS -o /tmp/o http://billing:8080/api/v1/export; echo done'],
        },
      },
      ['curl: (22) The requested URL returned error: 404'],
    ),
    'exit-code',
    /returned error: 404 \(exit code 1\); its command asks http:\/\/billing:8080\/api\/v1\/export$/,
  ],
  [
    'the URL of a variable in a command',
    endedWith(
      {
        container: {
          command: ['sh', '-c', 'wget -q -O- "$FEED_URL/items.json"'],
          env: [set('FEED_URL', 'http://feed:9000')],
        },
      },
      ['wget: server returned error: HTTP/1.1 410 Gone'],
    ),
    'exit-code',
    /; its command asks http:\/\/feed:9000\/items\.json/,
  ],
  [
    'an answer that sends a command elsewhere',
    endedWith({ container: { command: ['sh', '-c', 'curl -fsSL -m 5 http://web:8080/health'] } }, [
      'curl: (7) Failed to connect to web port 443 after 1 ms: Connection refused',
    ]),
    'dependency-refused',
    /its command asks http:\/\/web:8080\/health, whose answer sends it to web:443$/,
  ],
  [
    'a token that does not allow what is asked',
    endedWith(
      { container: { env: [{ name: 'SVC_TOKEN', valueFrom: { secretKeyRef: { name: 'svc-token', key: 'token' } } }] } },
      ['level=ERROR msg="upstream authz:8080 returned 403: {\\"error\\":\\"insufficient_scope\\"}"'],
    ),
    'not-allowed',
    /^container web is denied what it asks of its peer authz:8080 \(with SVC_TOKEN of Secret svc-token\)/,
  ],
  [
    'the variable that is a part of a file name',
    endedWith(
      {
        container: { env: [set('NODE_ENV', 'production')], volumeMounts: [{ name: 'conf', mountPath: '/app/config' }] },
        spec: withFiles.spec,
      },
      ["Error: ENOENT: no such file or directory, open '/app/config/production.json'"],
      [configMap('app', { 'default.json': '{}' })],
    ),
    'missing-setting',
    /production\.json in volume conf .*; production is its variable NODE_ENV/,
  ],
  [
    'the ConfigMap of code with a mistake',
    endedWith(
      withFiles,
      [
        '  File "/etc/app/run.py", line 3',
        '    x = 1',
        '    ^',
        'IndentationError: expected an indented block after function definition on line 2',
      ],
      [configMap('app', { 'run.py': 'import os\ndef f():\nx = 1\n' })],
    ),
    'exit-code',
    /IndentationError.*; run\.py is of ConfigMap app$/,
  ],
  [
    'the only Secret that is called as what the error speaks of',
    {
      ...endedWith(
        {
          container: { volumeMounts: [{ name: 'l', mountPath: '/licence' }] },
          spec: { volumes: [{ name: 'l', secret: { secretName: 'reporter-licence' } }] },
        },
        ['ERROR com.acme.Reporter - licence expired on 2025-12-31, shutting down'],
      ),
    },
    'exit-code',
    /licence expired on 2025-12-31.*; Secret reporter-licence is mounted at \/licence$/,
  ],
  [
    'a folder of an empty volume that nothing makes',
    endedWith(
      {
        container: {
          env: [set('DB_PATH', '/data/db/beat.sqlite3')],
          volumeMounts: [{ name: 'd', mountPath: '/data' }],
        },
        spec: { volumes: [{ name: 'd', emptyDir: {} }] },
      },
      ['sqlite3.OperationalError: unable to open database file'],
    ),
    'permission-denied',
    /in volume d, an emptyDir, which is empty at first: nothing makes its folder \/data\/db/,
  ],
  [
    "the server of another container of its pod, by the node's list",
    {
      ...crash(1, 'dial tcp 127.0.0.1:9001: connect: connection refused'),
      listening: [{ port: 9000, container: 'fpm', process: 'php-fpm' }],
    },
    'dependency-refused',
    /nothing in its own pod listens there; container fpm listens on 9000/,
  ],
  [
    'one protocol at the port of another',
    withVariables(
      [set('DATABASE_URL', 'mysql+pymysql://shop:x@db:5432/shop')],
      "sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (2013, 'Lost connection to MySQL server during query (timed out)')",
    ),
    'dependency-times-out',
    /; its variable DATABASE_URL asks MySQL by its protocol at port 5432, which is usually that of PostgreSQL$/,
  ],
  [
    'a program that leaves its work to the background',
    endedCleanly({ command: ['sh', '-c', 'python3 /app/d.py --daemon'] }, 'd.py 2.1: ready (pid file /tmp/d.pid)'),
    'completed-under-always',
    /it goes to the background, and a container ends with its first process/,
  ],
  [
    'the same, by its own words',
    endedCleanly({ command: ['/app/agent'] }, 'agent: starting in background (pid 7)'),
    'completed-under-always',
    /it goes to the background/,
  ],
  [
    'a variable of a shell in an argument that no shell reads',
    endedWith(
      { container: { command: ['gunicorn', '--bind', '0.0.0.0:$PORT', 'app:app'], env: [set('PORT', '8000')] } },
      ["Error: '$PORT' is not a valid port number."],
    ),
    'exit-code',
    /; its argument 0\.0\.0\.0:\$PORT goes to it as it stands, as no shell reads it: Kubernetes fills in \$\(PORT\), and not \$PORT/,
  ],
  [
    'a shell alone',
    endedCleanly({ command: ['/bin/bash'] }),
    'completed-under-always',
    /; its command is \/bin\/bash alone, which reads what to do of a terminal or of its input, has none/,
  ],
  [
    'an image without a program of its own',
    endedCleanly({ image: 'debian:12' }),
    'completed-under-always',
    /; it has no command, and that of an image as debian:12 is one that reads of a terminal/,
  ],
  [
    'what Kubernetes would set for a service',
    {
      ...crash(1, "KeyError: 'DB_SERVICE_HOST'"),
      pod: pod({ spec: { enableServiceLinks: false }, status: crashed({ exitCode: 1 }) }),
    },
    'missing-setting',
    /lacks the environment variable DB_SERVICE_HOST, which Kubernetes would set for service db, if its pod had not enableServiceLinks: false/,
  ],
  [
    'a volume that is mounted for reading only',
    endedWith(
      {
        container: { volumeMounts: [{ name: 'd', mountPath: '/data', readOnly: true }] },
        spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'x' } }] },
      },
      ["OSError: [Errno 30] Read-only file system: '/data/uploads/.probe'"],
    ),
    'read-only-file-system',
    /the file system is read-only \(volume d is mounted readOnly at \/data\)/,
  ],
  [
    'the authorities that a client trusts',
    endedWith(
      {
        container: { volumeMounts: [{ name: 'ca', mountPath: '/ca' }] },
        spec: { volumes: [{ name: 'ca', configMap: { name: 'shop-ca' } }] },
      },
      [
        'sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
      ],
      [configMap('shop-ca', { 'ca.crt': '-----BEGIN CERTIFICATE-----' })],
    ),
    'certificate-not-trusted',
    /; it trusts what is in \/ca\/ca\.crt \(ConfigMap shop-ca\)$/,
  ],
  [
    'a virtual host that nobody has made',
    withVariables(
      [set('AMQP_URL', 'amqp://rabbitmq:5672/orders')],
      "pika.exceptions.ProbableAccessDeniedError: ConnectionClosedByBroker: (530) 'NOT_ALLOWED - vhost orders not found'",
    ),
    'missing-data',
    /^container web does not find data that it needs in its peer rabbitmq:5672 .*vhost orders not found/,
  ],
  [
    "a name that Perl's sockets do not find",
    withVariables(
      [set('QUEUE_ADDR', 'queue-0.queue:11300')],
      "cannot connect to beanstalkd at queue-0.queue:11300: IO::Socket::INET: Bad hostname 'queue-0.queue:11300'",
    ),
    'dependency-not-resolved',
    /^container web does not find queue-0\.queue/,
  ],
];

describe('a setting behind an error', () => {
  tellsEach(cases);
});

describe('what a mute container writes into a file', () => {
  it('is told as the container beside it prints it', () => {
    const volumeMounts = [{ name: 'log', mountPath: '/var/log/app' }];
    const main = pod({
      container: { volumeMounts },
      spec: { volumes: [{ name: 'log', emptyDir: {} }] },
      status: crashed({ exitCode: 1 }),
    });
    const tail = { name: 'logtail', image: 'busybox', command: ['tail', '-F', '/var/log/app/app.log'], volumeMounts };
    const running = { name: 'logtail', ready: true, started: true, restartCount: 0, image: '', imageID: '' };
    const { findings } = diagnosePod(
      evidence({
        pod: {
          ...main,
          spec: { ...main.spec, containers: [...(main.spec?.containers ?? []), tail] },
          status: {
            ...main.status,
            containerStatuses: [
              ...(main.status?.containerStatuses ?? []),
              { ...running, state: { running: { startedAt: ago(60) } } },
            ],
          },
        },
        logs: {
          web: { previous: [], current: [] },
          logtail: {
            current: [
              '2026-01-31 11:59:00 ERROR Vault - cannot start',
              'java.io.FileNotFoundException: /etc/vault/keystore.p12 (No such file or directory)',
            ],
          },
        },
      }),
    );
    expect(findings[0]?.says).toMatch(
      /^container web ends with exit code 1; container logtail, which shares its volume log, prints: .*\/etc\/vault\/keystore\.p12/,
    );
  });
});

const unready = (path: string, failure: string, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    ...withFiles,
    container: {
      ...withFiles.container,
      readinessProbe: path === '' ? { tcpSocket: { port: 9000 } } : { httpGet: { path, port: 80 } },
    },
    status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
  }),
  events: [
    event('Unhealthy', `Readiness probe failed: ${failure}`, { container: 'web', count: 20, first: 290, seconds: 2 }),
  ],
  logs: { web: { current: lines } },
});

describe('a probe that finds nothing', () => {
  tellsEach([
    [
      'a variable of a service that the program takes for an option',
      {
        pod: pod({ container: { command: ['uwsgi', '--ini', '/app/uwsgi.ini'] }, status: crashed({ exitCode: 1 }) }),
        logs: lastWords(
          '[uWSGI] getting INI configuration from /app/uwsgi.ini',
          '[strict-mode] unknown config directive: service-host',
        ),
      },
      'exit-code',
      /unknown config directive: service-host.*; UWSGI_SERVICE_HOST is a variable that Kubernetes sets for a service uwsgi, .*enableServiceLinks: false/,
    ],
    [
      'of pages whose folder is not there',
      unready(
        '/index.php',
        'HTTP probe failed with statuscode: 404',
        'AH00112: Warning: DocumentRoot [/var/www/shop/public] does not exist',
        '10.244.0.1 - - [28/Nov/2026:09:04:26 +0000] "GET /index.php HTTP/1.1" 404 494 "-" "kube-probe/1.36"',
      ),
      'probe-path',
      /there is nothing at \/index\.php(?: on port \d+)? \(404\), as the folder of its pages \(DocumentRoot \/var\/www\/shop\/public\) does not exist/,
    ],
  ]);

  it('names the variable whose value the program that ended within does not like', () => {
    const given = unready(
      '',
      'dial tcp 10.2.0.8:9000: connect: connection refused',
      'Exception in thread "main" java.lang.NumberFormatException: For input string: "ten"',
      '\tat Main.main(Main.java:1)',
    );
    const { container, spec } =
      given.pod === undefined ? {} : { container: given.pod.spec?.containers[0], spec: given.pod.spec };
    const { findings } = diagnosePod(
      evidence({
        ...given,
        pod: {
          ...given.pod,
          spec: { ...spec, containers: [{ ...container, name: 'web', env: [set('POOL_SIZE', 'ten')] }] },
        },
      }),
    );
    expect(findings[0]?.says).toMatch(/For input string: "ten".*; that is the value of its variable POOL_SIZE$/);
  });

  it('names the socket on which the program listens instead', () => {
    const { findings } = diagnosePod(
      evidence({
        ...unready('', 'dial tcp 10.2.0.8:9000: connect: connection refused', 'NOTICE: ready to handle connections'),
        configs: [configMap('app', { 'fpm.conf': '[www]\nlisten=/run/php/php-fpm.sock\n' })],
        history: [
          {
            name: 'web',
            total: 0,
            deaths: [],
            refused: [{ type: 'readiness', outputs: [{ at: ago(2), output: 'connection refused' }], listening: [] }],
          },
        ],
      }),
    );
    expect(findings[0]?.says).toMatch(
      /nothing listens on port 9000, and line 2 of its configuration \/etc\/app\/fpm\.conf \(ConfigMap app\) lets it listen on the socket \/run\/php\/php-fpm\.sock/,
    );
  });
});

describe('what only looks like such a setting', () => {
  const saysOf = (given: Partial<PodEvidence>): string => diagnosePod(evidence(given)).findings[0]?.says ?? '';

  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'a variable that a shell reads',
      endedWith({ container: { command: ['sh', '-c', 'exec app --port $PORT'], env: [set('PORT', '80')] } }, [
        'FATAL: no licence',
      ]),
      /as no shell reads it/,
    ],
    [
      'an expression of another language',
      endedWith({ container: { command: ['grep', '-c', 'x$', '/a'], env: [set('PORT', '80')] } }, [
        'FATAL: no licence',
      ]),
      /as no shell reads it/,
    ],
    ['a shell with something to do', endedCleanly({ command: ['sh', '-c', 'true'] }), /alone, which reads/],
    [
      'the URL of a command whose error is its own',
      endedWith({ container: { command: ['sh', '-c', 'curl -s http://a:80/x | jq .b'] } }, [
        'jq: error (at <stdin>:1): Cannot index number with "b"',
      ]),
      /its command asks/,
    ],
    [
      'a variable of another kind of thing',
      withVariables([set('TOPIC', 'orders'), set('QUEUE', 'q')], 'ValueError: row 7 has 3 columns, expected 4'),
      /TOPIC|QUEUE/,
    ],
    [
      'options of a JVM beside an error of its program',
      withVariables([set('JAVA_OPTS', '-Xmx64m')], 'java.lang.IllegalStateException: order 7 is closed twice'),
      /JAVA_OPTS/,
    ],
    [
      'a port of HTTP that HTTP asks',
      withVariables(
        [set('API_URL', 'http://api:8080')],
        'requests.exceptions.ConnectionError: Connection closed by server',
      ),
      /by its protocol/,
    ],
  ])('%s', (_what, given, never) => {
    const says = saysOf(given);
    expect(says).not.toBe('');
    expect(says).not.toMatch(never);
  });
});
