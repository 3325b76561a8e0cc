/** Leads that lie beside an error: what its system calls mean, what a field, an optional source, a peer's log or a name of a pod has to do with it. */
import { describe, expect, it } from 'vitest';
import { diagnosePod, podFindings } from '../../diagnose-pod.ts';
import { ago, configMap, crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { podFacts } from '../../facts/pod/pod-facts.ts';
import { heardWanted } from '../../index.ts';
import { type Case, crash, endedWith, tellsEach, withFiles } from './cases.fixtures.ts';

const set = (name: string, value: string) => ({ name, value });
const service = (name: string, more: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [80],
  ready: 1,
  notReady: 0,
  selector: { app: name },
  ...more,
});
const missing = (name: string): ServiceEvidence =>
  service(name, { missing: true, clusterIPs: [], ports: [], ready: 0 });

const cases: readonly Case[] = [
  [
    'a name that a program parted from its port, as its variable has both',
    {
      ...endedWith({ container: { env: [set('REDIS_ADDR', 'redis-master:6379')] } }, [
        'redis ping failed: dial tcp: lookup redis-master on 10.244.0.1:53: no such host',
      ]),
      services: [missing('redis-master')],
    },
    'dependency-not-resolved',
    /does not find redis-master \(no such name\) and ends: there is no service redis-master/,
  ],
  [
    'the value of a ConfigMap that a variable of its own hides',
    {
      ...endedWith(
        {
          container: {
            env: [set('DB_HOST', 'pg-old')],
            envFrom: [{ configMapRef: { name: 'app-env' } }],
          },
        },
        ['dial tcp: lookup pg-old on 10.244.0.1:53: no such host'],
        [configMap('app-env', { DB_HOST: 'pg-new' })],
      ),
      services: [missing('pg-old')],
    },
    'dependency-not-resolved',
    /there is no service pg-old; its own DB_HOST hides that of ConfigMap app-env \(pg-new\)$/,
  ],
  [
    'a volume that an init container fills, where it mounts another',
    endedWith(
      {
        container: { volumeMounts: [{ name: 'config', mountPath: '/etc/app' }] },
        spec: {
          volumes: [
            { name: 'config', emptyDir: {} },
            { name: 'rendered', emptyDir: {} },
          ],
          initContainers: [
            {
              name: 'render',
              command: ['sh', '-c', 'envsubst < /tpl/app.ini > /out/app.ini'],
              volumeMounts: [{ name: 'rendered', mountPath: '/out' }],
            },
          ],
        },
      },
      ["FileNotFoundError: [Errno 2] No such file or directory: '/etc/app/app.ini'"],
    ),
    'missing-setting',
    /in volume config, an emptyDir that nobody fills: init container render writes \/out\/app\.ini into volume rendered, which container web does not mount$/,
  ],
  [
    'the role that lacks a right, by its code',
    endedWith(
      withFiles,
      ['ERROR: permission denied for schema public (PG::InsufficientPrivilege)'],
      [configMap('app', { 'migrate.rb': "c = PG.connect(host: ENV['PGHOST'], dbname: 'shop', user: 'shop_app')" })],
    ),
    'not-allowed',
    /permission denied for schema public.*; it asks as role shop_app$/,
  ],
  [
    'a service that has the port for another protocol, of an error that names no peer',
    {
      ...endedWith({ container: { env: [set('SYSLOG_HOST', 'syslog'), set('SYSLOG_PORT', '5514')] } }, [
        'ConnectionRefusedError: [Errno 111] Connection refused',
      ]),
      services: [service('syslog', { ports: [5514], served: ['5514/UDP'] })],
    },
    'dependency-refused',
    /service syslog has port 5514 with UDP only, and it is asked with TCP/,
  ],
  [
    'where a variable comes from that the line of an error reads, of a Secret',
    endedWith(
      {
        ...withFiles,
        container: {
          ...withFiles.container,
          env: [{ name: 'LEDGER_DSN', valueFrom: { secretKeyRef: { name: 'ledger-db', key: 'dsn' } } }],
        },
      },
      [
        'Traceback (most recent call last):',
        '  File "/etc/app/app.py", line 1, in <module>',
        '    c = psycopg2.connect(os.environ["LEDGER_DSN"])',
        'psycopg2.OperationalError: connection to server at "postgres" (10.96.93.143), port 5432 failed: server does not support SSL, but SSL was required',
      ],
      [configMap('app', { 'app.py': 'c = psycopg2.connect(os.environ["LEDGER_DSN"])\n' })],
    ),
    'tls-mismatch',
    /that line reads its variable LEDGER_DSN \(of Secret ledger-db, key dsn\)/,
  ],
  [
    'the URL without TLS of a peer that wants it',
    endedWith({ container: { env: [set('METRICS_URL', 'http://metrics:8443/')] } }, [
      'RuntimeError: GET http://metrics:8443/: 400 The plain HTTP request was sent to HTTPS port',
    ]),
    'tls-mismatch',
    /speaks plainly to a peer that wants TLS.*; the http:\/\/ of its variable METRICS_URL asks without TLS$/,
  ],
  [
    'a workload that nobody has given its service',
    {
      ...endedWith({}, ['dial tcp: lookup billing on 10.244.0.1:53: no such host']),
      services: [{ ...missing('billing'), workload: 'deployment/billing' }],
    },
    'dependency-not-resolved',
    /does not find billing \(no such name\) and ends: there is no service billing although there is deployment\/billing$/,
  ],
  [
    'a number of the system that is no argument of the program',
    endedWith({ container: { env: [set('REDIS_ADDR', 'redis-0.redis:6379')] } }, [
      'redis redis-0.redis:6379: Could not connect to Redis server at redis-0.redis:6379: Invalid argument at /app/i.pl line 3.',
    ]),
    'dependency-not-resolved',
    /^container web does not find redis-0\.redis/,
  ],
  [
    'a variable of a field that its pod does not have, behind an empty text',
    {
      ...crash(1, "ValueError: invalid literal for int() with base 10: ''"),
      pod: pod({
        container: { env: [{ name: 'SHARD_ID', valueFrom: { fieldRef: { fieldPath: "metadata.labels['shard']" } } }] },
        status: crashed({ exitCode: 1 }),
      }),
    },
    'exit-code',
    /; its variable SHARD_ID is empty, as its pod has no label shard$/,
  ],
  [
    'a ConfigMap that need not be there, and is not',
    {
      ...endedWith({ container: { envFrom: [{ configMapRef: { name: 'flags', optional: true } }] } }, [
        'FATAL: FEATURE_URL is not set',
      ]),
      configs: [{ kind: 'ConfigMap', name: 'flags', state: 'missing', keys: [] }],
    },
    'missing-setting',
    /lacks the environment variable FEATURE_URL; its optional ConfigMap flags, of which it would have variables, is not there/,
  ],
  [
    'what a client of a cloud looks for',
    endedWith({ container: { env: [set('BUCKET', 'reports')] } }, [
      'botocore.exceptions.NoCredentialsError: Unable to locate credentials',
    ]),
    'exit-code',
    /; its client looks for AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which its pod does not set$/,
  ],
  [
    'an address without a port',
    endedWith({ container: { env: [set('BIND_ADDR', '0.0.0.0')] } }, [
      "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: AddrParseError(Socket)', /src/main.rs:4:10",
    ]),
    'exit-code',
    /; its variable BIND_ADDR is "0\.0\.0\.0", which has no port/,
  ],
  [
    'work that is done, whose last words may sound like a failure',
    {
      pod: pod({ status: crashed({ exitCode: 0, reason: 'Completed', lived: 0 }) }),
      logs: lastWords('removed 17 expired sessions', 'done'),
    },
    'completed-under-always',
    /ends by itself with exit code 0, and is restarted because the restart policy is Always; its last words are: (?:removed 17 expired sessions|done)/,
  ],
  [
    'the variable behind a default of its code, which its pod sets by another name',
    endedWith(
      { ...withFiles, container: { ...withFiles.container, env: [set('BROKER_URL', 'redis://queue:6379/0')] } },
      ['consumer: Cannot connect to amqp://guest:**@127.0.0.1:5672//: [Errno 111] Connection refused.'],
      [
        configMap('app', {
          'tasks.py': 'app = Celery(broker=os.environ.get("CELERY_BROKER_URL", "amqp://guest@localhost:5672//"))\n',
        }),
      ],
    ),
    'dependency-refused',
    /; its code reads the variable CELERY_BROKER_URL, which its pod does not set; it sets BROKER_URL/,
  ],
  [
    'what a call writes, of two files',
    endedWith({ container: { securityContext: { runAsUser: 1000 } } }, [
      "Error: EACCES: permission denied, copyfile '/in/a.jpg' -> '/out/a.jpg'",
    ]),
    'permission-denied',
    /may not use \/out\/a\.jpg as user 1000/,
  ],
  [
    'a call that is not there, with the service and without what is for those who mend gRPC',
    {
      ...endedWith(
        withFiles,
        [
          '_InactiveRpcError: <_InactiveRpcError of RPC that terminated with: status = StatusCode.UNIMPLEMENTED details = "Method not found!" debug_error_string = "UNKNOWN:Error received from peer ipv4:10.96.161.105:50051 {grpc_status:12}"',
        ],
        [configMap('app', { 'c.py': 'call = ch.unary_unary("/shop.v1.Orders/Get")' })],
      ),
      services: [
        {
          namespace: 'shop',
          name: 'orders',
          missing: false,
          clusterIPs: ['10.96.161.105'],
          ports: [50051],
          ready: 1,
          notReady: 0,
          selector: { app: 'orders' },
        },
      ],
    },
    'not-implemented',
    /its peer .*10\.96\.161\.105:50051 \(its code calls \/shop\.v1\.Orders\/Get\): (?!.*debug_error).*Method not found!"?; 10\.96\.161\.105 is service orders$/,
  ],
  [
    'a shell that gets its command in pieces',
    {
      pod: pod({
        container: { command: ['sh', '-c', 'python3', '/app/main.py'] },
        status: crashed({ exitCode: 0, reason: 'Completed', lived: 0 }),
      }),
      logs: lastWords(),
    },
    'completed-under-always',
    /; sh -c takes python3 alone for its command, and \/app\/main\.py for names of that/,
  ],
  [
    'a service below which its set would have its names, and that is not there',
    {
      pod: pod({ name: 'kafka-0', spec: { subdomain: 'kafka-headless' }, status: crashed({ exitCode: 1 }) }),
      logs: lastWords('socket.gaierror: [Errno -2] Name or service not known'),
      services: [missing('kafka-headless')],
    },
    'dependency-not-resolved',
    /there is no service kafka-headless \(serviceName of its set, subdomain of the pod\), so that names such as kafka-0\.kafka-headless are none/,
  ],
  [
    'data that is no code, in a file beside it',
    endedWith(
      withFiles,
      [
        'SyntaxError: Unexpected token } in JSON at position 63',
        '    at JSON.parse (<anonymous>)',
        '    at Object.<anonymous> (/etc/app/index.js:4:12)',
      ],
      [configMap('app', { 'index.js': 'a\nb\nc\nJSON.parse(t)\n', 'config.json': '{"a":1,}' })],
    ),
    'malformed-config',
    /Unexpected token \} in JSON(?!.*index\.js is of)/,
  ],
  [
    'the word of another line that is no peer',
    {
      ...endedWith({ container: { env: [set('DEV_HOST', 'device-gw'), set('DEV_PORT', '5025')] } }, [
        'poller 1.4: connecting to instrument',
        "couldn't open socket: connection refused",
        '    while executing',
        '"socket $env(DEV_HOST) $env(DEV_PORT)"',
        '    (file "/app/poller.tcl" line 4)',
      ]),
      services: [service('device-gw', { ports: [5025] })],
    },
    'dependency-refused',
    /^container web is refused by a peer, which by its variable DEV_HOST is device-gw:5025/,
  ],
  [
    'a capability that was dropped with all others',
    {
      ...crash(1, 'pinger: socket: Operation not permitted'),
      pod: pod({
        container: { securityContext: { capabilities: { drop: ['ALL'] } } },
        status: crashed({ exitCode: 1 }),
      }),
    },
    'permission-denied',
    /^container web may not open raw sockets, because its capability NET_RAW is dropped/,
  ],
  [
    'a bind that a directory refuses',
    crash(1, 'ldap3.core.exceptions.LDAPBindError: automatic bind not successful - invalidCredentials'),
    'authentication-refused',
    /refuses its password or user/,
  ],
  [
    'what was not loaded, right before a pointer to nothing',
    crash(
      2,
      '2026/01/31 12:10:40 WARN cannot load geo database "": open : no such file or directory',
      'panic: runtime error: invalid memory address or nil pointer dereference',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x62a053]',
      '',
      'goroutine 1 [running]:',
      'main.main()',
      '\t/app/main.go:26 +0x33',
    ),
    'exit-code',
    /nil pointer dereference \(after: cannot load geo database "": open : no such file or directory\)/,
  ],
  [
    'several arguments in one entry',
    endedWith({ container: { args: ['serve', '--port 8000 --verbose'] } }, [
      'quote-server: error: unrecognized arguments: --port 8000 --verbose',
    ]),
    'bad-argument',
    /; its args have "--port 8000 --verbose" in one entry/,
  ],
  [
    'a part of a configuration that its code takes for there',
    endedWith(
      withFiles,
      [
        '/app/index.js:5',
        'const target = { host: config.smtp.host, port: config.smtp.port };',
        '                                   ^',
        '',
        "TypeError: Cannot read properties of undefined (reading 'host')",
        '    at Object.<anonymous> (/app/index.js:5:36)',
      ],
      [configMap('app', { 'config.json': '{"queue":"mails"}' })],
    ),
    'exit-code',
    /; config\.smtp is not there, and ConfigMap app, key config\.json has no smtp/,
  ],
  [
    'a peer of its variables, instead of which it asks its own pod',
    endedWith({ container: { env: [set('REDIS_HOST', 'redis')] } }, [
      'Error connecting to Redis on 127.0.0.1:6379 (Errno::ECONNREFUSED) (RedisClient::CannotConnectError)',
    ]),
    'dependency-refused',
    /nothing in its own pod listens there; its variable REDIS_HOST names redis, which it does not ask/,
  ],
  [
    'a peer of a kind, and not the word before its name',
    {
      ...crash(1, 'cannot resolve peer peers-1.peers, cluster not formed'),
      services: [service('peers', { clusterIPs: [] })],
    },
    'dependency-not-resolved',
    /^container web does not find peers-1\.peers/,
  ],
  [
    'a name with a port that a library gave on',
    endedWith({ container: { env: [set('REDIS_ADDR', 'redis-0.redis-headless:6379')] } }, [
      'Could not connect to Redis server at redis-0.redis-headless:6379: Invalid argument at /app/i.pl line 3.',
    ]),
    'dependency-not-resolved',
    /^container web does not find redis-0\.redis-headless \(no such name\)/,
  ],
  [
    'a file that only its code names, and that nobody finds',
    endedWith(
      withFiles,
      ['escript: exception error: no match of right hand side value {error,enoent}'],
      [configMap('app', { 'router.erl': 'main(_) -> {ok,T}=file:consult("/etc/router/sys.config").' })],
    ),
    'exit-code',
    /; its code reads \/etc\/router\/sys\.config, where no volume of it is mounted$/,
  ],
  [
    'a file that only its code names, and that nobody can read',
    endedWith(
      withFiles,
      ['Execution error at clojure.main/main (main.java:40).', 'Map literal must contain an even number of forms'],
      [
        configMap('app', {
          'core.clj': '(edn/read-string (slurp "/etc/app/rules.edn"))',
          'rules.edn': '{:a}',
          'other.edn': '{}',
        }),
      ],
    ),
    'exit-code',
    /; its code reads \/etc\/app\/rules\.edn, of ConfigMap app/,
  ],
  [
    'the table that its statement did not get',
    endedWith(
      { container: { command: ['psql', '-c', "set lock_timeout='5s'; ALTER TABLE accounts ADD COLUMN tier int"] } },
      ['ERROR:  canceling statement due to lock timeout'],
    ),
    'exit-code',
    /; its statement is about table accounts, which another session holds$/,
  ],
];

describe('leads beside an error', () => {
  tellsEach(cases);

  it('is one that the log of its server tells, to which the server points', () => {
    const given: Partial<PodEvidence> = {
      ...crash(
        1,
        'Redis::CommandError: MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk. Check the Redis logs.',
      ),
      pod: pod({ container: { env: [set('REDIS_URL', 'redis://counter:6379')] }, status: crashed({ exitCode: 1 }) }),
      services: [
        service('counter', {
          ports: [6379],
          server: {
            pod: pod({ name: 'counter-1' }),
            configs: [],
            lines: [
              '1:M 31 Jan 2026 11:59:00.000 # Failed opening the temp RDB file temp-1.rdb (in server root dir /data) for saving: Permission denied',
            ],
          },
        }),
      ],
    };
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(
      /behind service counter says: Failed opening the temp RDB file .*Permission denied/,
    );
  });

  it('is what a sidecar says that should answer, though it looks well', () => {
    const main = pod({
      status: crashed({ exitCode: 1 }),
      container: {},
    });
    const stunnel = {
      name: 'stunnel',
      image: 'stunnel',
      command: ['stunnel'],
      ports: [{ containerPort: 6379 }],
    };
    const given: Partial<PodEvidence> = {
      pod: {
        ...main,
        spec: { ...main.spec, containers: [...(main.spec?.containers ?? []), stunnel] },
        status: {
          ...main.status,
          containerStatuses: [
            ...(main.status?.containerStatuses ?? []),
            {
              name: 'stunnel',
              ready: true,
              started: true,
              restartCount: 0,
              image: '',
              imageID: '',
              state: { running: { startedAt: ago(300) } },
            },
          ],
        },
      },
      logs: {
        ...lastWords("redis: Error while reading from localhost:6379 : (104, 'Connection reset by peer')"),
        stunnel: {
          current: [10, 20, 30].flatMap((second) => [
            `2026.01.31 11:59:${second} LOG5[0]: Service [redis] accepted connection from 127.0.0.1:40064`,
            `2026.01.31 11:59:${second} LOG3[0]: s_connect: connect 10.96.92.231:6379: Connection refused (111)`,
          ]),
        },
      },
    };
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(
      /; in its pod, container stunnel is refused by 10\.96\.92\.231:6379 and tries again and again/,
    );
  });

  it('is the peer that its code names, and never its own end of a connection', () => {
    const given: Partial<PodEvidence> = {
      ...endedWith(
        withFiles,
        ["redis.exceptions.ResponseError: OOM command not allowed when used memory > 'maxmemory'."],
        [configMap('app', { 'p.py': 'import redis\nr=redis.Redis("queue",6379)\n' })],
      ),
      services: [
        service('queue', {
          ports: [6379],
          server: {
            pod: pod({ name: 'queue-1', container: { command: ['redis-server', '--maxmemory', '3mb'] } }),
            configs: [],
          },
        }),
      ],
    };
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(/its peer is queue.*has maxmemory 3mb/);
    const refused = crash(
      1,
      "ConnectionRefusedError: [Errno 111] <socket laddr=('10.2.0.8', 59826)> Connect call failed ('10.96.0.9', 5672)",
    );
    expect(diagnosePod(evidence(refused)).findings[0]?.says).toMatch(/is refused by 10\.96\.0\.9:5672/);
  });

  it('is where its service leads, of a program that runs and asks in vain', () => {
    const line = 'ERROR GET http://api/ failed: <urlopen error [Errno 111] Connection refused>';
    const given: Partial<PodEvidence> = {
      pod: pod({
        container: { command: ['client', 'http://api/'] },
        status: { ready: true, started: true, state: { running: { startedAt: ago(300) } } },
      }),
      logs: { web: { current: Array.from({ length: 6 }, () => line) } },
      services: [service('api')],
    };
    expect(heardWanted(evidence(given))).toMatchObject([{ port: 80 }]);
    const heard = service('api', {
      heard: [{ port: 80, target: 8080, pod: 'api-1', listens: [{ port: 8000 }], declared: [] }],
    });
    const [first] = podFindings(podFacts(evidence({ ...given, services: [heard] })));
    expect(first?.says).toMatch(
      /is refused by api:80 and tries again and again .*: service api sends to port 8080, where its pods do not listen/,
    );
  });
});
