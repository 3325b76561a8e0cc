/** Tests findings about containers that end: exit codes, signals, memory and last log lines. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, history, lastWords, pod, evidence } from '../../evidence.fixtures.ts';
import { type Case, configured, crash, limit, runc, startError, tellsEach } from './cases.fixtures.ts';

const endings: readonly Case[] = [
  [
    'memory at the limit',
    { pod: pod({ container: limit, status: crashed({ exitCode: 137, reason: 'OOMKilled' }) }) },
    'out-of-memory',
    /killed for memory at its limit of 64Mi/,
    [/exit 137 \(SIGKILL\), OOMKilled/, /limits\.memory: 64Mi/],
  ],
  [
    'memory, with proof',
    {
      pod: pod({ container: limit, status: crashed({ exitCode: 137, reason: 'OOMKilled' }) }),
      history: history({
        number: 7,
        exitCode: 137,
        reason: 'OOMKilled',
        oom: {
          kills: 1,
          limitBytes: 67_108_864,
          peakBytes: 67_108_864,
          processes: [{ name: 'worker', pid: 4711, rssBytes: 66_060_288 }],
          sources: ['cgroup', 'kernel-log'],
        },
        log: { tail: 'start\nallocating cache 200 MB\n', truncated: false },
      }),
    },
    'out-of-memory',
    /at its limit of 64Mi/,
    [
      /death 7 of web/,
      /memory peak: 64Mi of 64Mi/,
      /worker \(pid 4711, rss 63Mi with mapped files and memory shared with others\)/,
      /"allocating cache 200 MB"/,
    ],
  ],
  [
    'memory without a limit',
    { pod: pod({ status: crashed({ exitCode: 137, reason: 'OOMKilled' }) }) },
    'out-of-memory',
    /has no limit: the node ran out/,
  ],
  ['exit code 1', crash(1, 'boom'), 'exit-code', /ends with exit code 1; its last line is: boom$/, [/"boom"/]],
  [
    'a first death of another kind, which says more than those that followed',
    {
      pod: pod({ status: crashed({ exitCode: 17 }) }),
      history: history(
        {
          exitCode: 2,
          finishedAt: ago(300),
          log: { tail: 'cannot open /etc/app.conf: no such file\n', truncated: false },
        },
        { exitCode: 17, log: { tail: 'locked by another process\n', truncated: false } },
      ),
    },
    'missing-setting',
    /does not find its file \/etc\/app\.conf .*; that was the first end of container web, and the later ones may only meet what it left: locked by another process$/,
    [/death 1 of web.*: exit 2, Error/, /cannot open \/etc\/app\.conf: no such file/],
  ],
  [
    'usage',
    crash(2, 'usage: web [-p PORT]'),
    'exit-code',
    /exit code 2; its last line is: usage: .*: it does not understand its arguments/,
  ],
  ['a signal', crash(139, 'Segmentation fault'), 'signal', /139, SIGSEGV: it touched memory/],
  ['killed, who knows by whom', crash(137), 'signal', /137, SIGKILL: something killed it$/],
  [
    'killed, and the node knows that it was not for memory',
    { pod: pod({ status: crashed({ exitCode: 137 }) }), history: history({ exitCode: 137 }) },
    'signal',
    /neither a probe nor/,
  ],
  [
    'killed, and the log of the kernel names it, which the runtime has missed',
    {
      pod: pod({ status: crashed({ exitCode: 137, reason: 'Error' }) }),
      history: history({
        exitCode: 137,
        oom: { limitBytes: 2 ** 24, processes: [{ name: 'tail', pid: 7, rssBytes: 2 ** 24 }], sources: ['kernel-log'] },
      }),
    },
    'out-of-memory',
    /container web is killed for memory/,
  ],
  [
    'succeeds for ever',
    { pod: pod({ status: crashed({ exitCode: 0, reason: 'Completed' }) }) },
    'completed-under-always',
    /ends by itself with exit code 0, and is restarted/,
    [/spec\.restartPolicy: Always/],
  ],
  [
    'an end with 0 that comes again, while the next life is not ready yet',
    {
      pod: pod({
        status: {
          ...crashed({ exitCode: 0 }),
          ready: false,
          restartCount: 2,
          state: { running: { startedAt: ago(20) } },
        },
      }),
      logs: lastWords('BOOT FAILED', 'ERROR: epmd error for host rabbit-0.rabbit: nxdomain (non-existing domain)'),
    },
    'exit-code',
    /ends: .*epmd error for host rabbit-0\.rabbit: nxdomain .*\(with exit code 0, as if all were well\)/,
  ],
  [
    'a library of another version',
    crash(127, 'codec 1.2', '/opt/codec/codecd: symbol lookup error: /opt/codec/codecd: undefined symbol: _Z7av_seeki'),
    'exit-code',
    /ends: \/opt\/codec\/codecd: symbol lookup error: .* undefined symbol: _Z7av_seeki \(exit code 127\)/,
  ],
  ['a shell finds no command', crash(127, 'sh: serve: not found'), 'missing-binary', /no command serve/],
  ['bash finds no command', crash(127, 'bash: line 1: serve: command not found'), 'missing-binary', /no command serve/],
  ['a file is no program', crash(126, 'sh: /etc/passwd: Permission denied'), 'not-executable', /may not be executed/],
  [
    'no such program',
    startError(`${runc}exec: "/app/serve": stat /app/serve: no such file or directory: unknown`),
    'missing-binary',
    /its program \/app\/serve is not in image registry\.example\/web:1/,
  ],
  [
    'not on PATH',
    startError(`${runc}exec: "serve": executable file not found in $PATH: unknown`),
    'missing-binary',
    /its program serve is not/,
  ],
  [
    'not executable',
    startError(`${runc}exec: "/app/x": permission denied: unknown`),
    'not-executable',
    /\/app\/x in image/,
  ],
  [
    'a file of a volume that may not be executed',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'scripts' } }] },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message: `${runc}exec: "/etc/app/run.sh": permission denied: unknown`,
          lived: 0,
        }),
      }),
    },
    'not-executable',
    /\/etc\/app\/run\.sh in volume conf \(ConfigMap scripts\) may not be executed: its mode is 0644,/,
    [/spec\.volumes\[0\]\.configMap\.name: scripts/],
  ],
  [
    'a file of a volume that a shell may not execute',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        spec: { volumes: [{ name: 'conf', secret: { secretName: 'scripts' } }] },
        status: crashed({ exitCode: 126 }),
      }),
      logs: lastWords('sh: /etc/app/run.sh: Permission denied'),
    },
    'not-executable',
    /126: \/etc\/app\/run\.sh in volume conf \(Secret scripts\) may not be executed: its mode is 0644,/,
  ],
  [
    'no such file in a volume',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'bin', mountPath: '/opt/bin' }] },
        spec: { volumes: [{ name: 'bin', emptyDir: {} }] },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message: `${runc}exec: "/opt/bin/serve": stat /opt/bin/serve: no such file or directory: unknown`,
          lived: 0,
        }),
      }),
    },
    'missing-binary',
    /its program \/opt\/bin\/serve is not in volume bin$/,
  ],
  [
    'another machine',
    startError(`${runc}exec /app/serve: exec format error: unknown`),
    'wrong-architecture',
    /another machine/,
  ],
  [
    'another machine, as runc 1.1 says it',
    crash(1, 'exec /app/serve: exec format error'),
    'wrong-architecture',
    /\/app\/serve is made/,
  ],
  [
    'another machine, as bash says it',
    crash(126, '/app/serve: cannot execute binary file: Exec format error'),
    'wrong-architecture',
    /\/app\/serve is made/,
  ],
  [
    'another machine, as a shell says it that takes it for a script',
    crash(127, '/app/serve: line 1: \u007fELF\u0002\u0001\u0001: not found'),
    'wrong-architecture',
    /\/app\/serve is made/,
  ],
  [
    'a folder over a file',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app.conf' }] },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message: `${runc}error during container init: error mounting "/var/lib/kubelet/pods/u/volumes/kubernetes.io~configmap/conf" to rootfs at "/etc/app.conf": create mountpoint for /etc/app.conf mount: cannot create subdirectories in "/run/rootfs/etc/app.conf": not a directory: Are you trying to mount a directory onto a file (or vice-versa)? Check if the specified host path exists and is the expected type: unknown`,
          lived: 0,
        }),
      }),
    },
    'mount-mismatch',
    /a folder lies over a file at \/etc\/app\.conf, or a file over a folder/,
    [/volumeMounts\[0\]: \{"name":"conf","mountPath":"\/etc\/app\.conf"\}/],
  ],
  [
    'something else',
    startError(`${runc}error setting rlimit type 8: operation not permitted: unknown`),
    'start-refused',
    /the runtime refuses/,
  ],
  [
    'may not write',
    crash(1, "sh: can't create /etc/x.conf: Permission denied"),
    'permission-denied',
    /may not use \/etc\/x\.conf/,
  ],
  [
    'node: EACCES',
    crash(1, "Error: EACCES: permission denied, open '/data/db'"),
    'permission-denied',
    /may not use \/data\/db/,
  ],
  [
    'a low port',
    crash(1, 'listen tcp 0.0.0.0:80: bind: permission denied'),
    'permission-denied',
    /may not listen on port 80/,
  ],
  [
    'read-only',
    crash(1, "EROFS: read-only file system, mkdir '/app/tmp'"),
    'read-only-file-system',
    /cannot write \/app\/tmp/,
  ],
  [
    'a database in a mount that is read-only',
    {
      pod: pod({
        container: {
          volumeMounts: [
            { name: 'data', mountPath: '/data', readOnly: true },
            { name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
          ],
        },
        status: crashed({ exitCode: 1 }),
      }),
      logs: lastWords('sqlite3.OperationalError: attempt to write a readonly database'),
    },
    'read-only-file-system',
    /readonly database \(its mount \/data is readOnly\)/,
    [/volumeMounts\[0\]\.readOnly: true \(\/data\)/],
  ],
  ['go: port in use', crash(1, 'listen tcp :8080: bind: address already in use'), 'port-in-use', /on port 8080/],
  [
    'node: port in use',
    crash(1, 'Error: listen EADDRINUSE: address already in use :::3000'),
    'port-in-use',
    /on port 3000/,
  ],
  [
    'python: port in use',
    crash(1, 'OSError: [Errno 98] Address already in use'),
    'port-in-use',
    /cannot listen: something/,
  ],
  [
    'go: refused',
    crash(1, 'dial tcp 10.0.0.7:5432: connect: connection refused'),
    'dependency-refused',
    /by 10\.0\.0\.7:5432/,
  ],
  ['node: refused', crash(1, 'Error: connect ECONNREFUSED 10.0.0.7:6379'), 'dependency-refused', /by 10\.0\.0\.7:6379/],
  [
    'postgres: refused',
    crash(1, 'connection to server at "db" (10.96.0.7), port 5432 failed: Connection refused'),
    'dependency-refused',
    /is refused by/,
  ],
  [
    'go: no such host',
    crash(1, 'dial tcp: lookup db.shop on 10.96.0.10:53: no such host'),
    'dependency-not-resolved',
    /find db\.shop/,
  ],
  ['node: no such host', crash(1, 'Error: getaddrinfo ENOTFOUND db'), 'dependency-not-resolved', /find db /],
  [
    'python: a module that is not there is no host',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 3, in <module>',
      "ModuleNotFoundError: No module named 'flask'",
    ),
    'missing-module',
    /lacks a module or library that it needs: ModuleNotFoundError: No module named 'flask' at main\.py:3$/,
    [/No module named 'flask'/],
  ],
  [
    'go: the words of a panic, and not its frames',
    crash(
      2,
      'serving',
      'panic: assignment to entry in nil map',
      '',
      'goroutine 1 [running]:',
      'main.(*Server).Run(0x0)',
      '\t/src/main.go:12 +0x1d',
      'main.main()',
      '\t/src/main.go:30 +0x2d',
    ),
    'exit-code',
    /ends: panic: assignment to entry in nil map at main\.go:12 \(exit code 2\)$/,
    [/"panic: assignment to entry in nil map"/],
  ],
  [
    'java: each cause, and not its frames',
    crash(
      1,
      'Exception in thread "main" java.lang.IllegalStateException: Failed to start',
      '\tat com.example.A.a(A.java:5)',
      'Caused by: java.lang.IllegalArgumentException: spring.datasource.url must be set',
      '\tat com.example.B.b(B.java:7)',
      '\tat com.example.B.c(B.java:8)',
      '\t... 8 more',
    ),
    'exit-code',
    /spring\.datasource\.url must be set at B\.java:7 \(exit code 1\)$/,
    [/Failed to start"/, /java\.lang\.IllegalArgumentException: spring\.datasource\.url must be set/],
  ],
  [
    'node: the error above its frames',
    crash(
      1,
      'node:internal/modules/cjs/loader:1147',
      '  throw err;',
      "Error: Cannot find module '/app/index.js'",
      '    at Module._load (node:internal/modules/cjs/loader:985:27)',
      '    at node:internal/main/run_main_module:28:49 {',
      "  code: 'MODULE_NOT_FOUND',",
      '  requireStack: []',
      '}',
      'Node.js v20.11.0',
    ),
    'missing-module',
    /needs: Error: Cannot find module '\/app\/index\.js'$/,
    [/Cannot find module '\/app\/index\.js'/],
  ],
  [
    'node: no package that a module imports',
    crash(
      1,
      'node:internal/modules/package_json_reader:314',
      '  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);',
      '        ^',
      '',
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /conf/..2026_01_01/main.mjs",
      '    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:314:9)',
      '    at packageResolve (node:internal/modules/esm/resolve:768:81) {',
      "  code: 'ERR_MODULE_NOT_FOUND'",
      '}',
      '',
      'Node.js v24.15.0',
    ),
    'missing-module',
    /Cannot find package 'express'/,
  ],
  ['curl: no such host', crash(6, 'curl: (6) Could not resolve host: db'), 'dependency-not-resolved', /find db /],
  [
    'no interpreter, as runc 1.1 says it',
    crash(1, 'exec /v/run.sh: no such file or directory'),
    'missing-binary',
    /\/v\/run\.sh, or the interpreter/,
    [/no such file or directory"$/],
  ],
  [
    'JSON that cannot be read',
    configured(
      { configMap: { name: 'app' } },
      "/etc/app/app.json: invalid character '}' looking for beginning of object key",
    ),
    'malformed-config',
    /cannot read its configuration \/etc\/app\/app\.json, which comes of ConfigMap app: \/etc\/app\/app\.json: invalid character '}' looking for/,
    [/spec\.volumes\[0\]\.configMap\.name: app/],
  ],
  [
    'a file that another line names',
    configured(
      { projected: { sources: [{ secret: { name: 'key' } }] } },
      'loading /etc/app/tls.crt',
      'tls: failed to find any PEM data in certificate input',
    ),
    'malformed-config',
    /\/etc\/app\/tls\.crt, which comes of Secret key: tls: failed to find any PEM data/,
    [/"loading \/etc\/app\/tls\.crt"/, /spec\.volumes\[0\]\.projected\.sources\[0\]\.secret\.name: key/],
  ],
  [
    'text of who knows where',
    crash(1, "invalid character '<' looking for beginning of value"),
    'malformed-config',
    /cannot parse what it reads: invalid character/,
  ],
  [
    'words about settings',
    crash(1, 'config loaded', 'invalid password for user web'),
    'authentication-refused',
    /refuses its password or user: invalid password for user web$/,
  ],
  [
    'YAML',
    crash(1, 'cannot parse config: yaml: line 3: mapping values are not allowed in this context'),
    'malformed-config',
    /cannot read its configuration: cannot parse config: yaml: line 3/,
  ],
  [
    'node: JSON',
    crash(1, 'SyntaxError: /app/conf.json: Unexpected token } in JSON at position 12'),
    'malformed-config',
    /\/app\/conf\.json: SyntaxError:/,
  ],
  [
    'node: JSON, as newer ones say it',
    crash(1, 'SyntaxError: /app/conf.json: Expected double-quoted property name in JSON at position 7'),
    'malformed-config',
    /\/app\/conf\.json: SyntaxError:/,
  ],
  [
    'node: no JSON at all',
    crash(1, `SyntaxError: Unexpected token 'a', "abc" is not valid JSON`),
    'malformed-config',
    /cannot parse/,
  ],
  [
    'nginx',
    crash(1, 'nginx: [emerg] unknown directive "lissten" in /etc/nginx/nginx.conf:3'),
    'malformed-config',
    /configuration \/etc\/nginx\/nginx\.conf: unknown directive "lissten"/,
  ],
  [
    'nginx, with a date that looks like a path',
    crash(1, '2026/11/22 12:01:02 [emerg] 1#1: unknown directive "lissten" in /etc/nginx/nginx.conf:3'),
    'malformed-config',
    /configuration \/etc\/nginx\/nginx\.conf: /,
  ],
  [
    'a full disk',
    crash(1, "dd: error writing '/data/x': No space left on device"),
    'no-space',
    /cannot write \/data\/x: no space is left/,
  ],
  [
    'a full emptyDir in memory',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'tmp', mountPath: '/c' }] },
        spec: { volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '5Mi' } }] },
        status: crashed({ exitCode: 1 }),
      }),
      logs: lastWords("dd: error writing '/c/x': No space left on device", '5+0 records out'),
    },
    'no-space',
    /cannot write \/c\/x: no space is left in volume tmp/,
    [/spec\.volumes\[0\]\.emptyDir: \{"medium":"Memory","sizeLimit":"5Mi"\}/],
  ],
  [
    'too many processes',
    crash(2, "sh: can't fork: Resource temporarily unavailable"),
    'too-many-processes',
    /cannot start one more process or thread/,
  ],
  [
    'python: too many threads',
    crash(1, "RuntimeError: can't start new thread"),
    'too-many-processes',
    /cannot start one more process or thread/,
  ],
  [
    'a volume that is read-only by its kind',
    configured({ configMap: { name: 'app' } }, "sh: can't create /etc/app/x: Read-only file system"),
    'read-only-file-system',
    /cannot write \/etc\/app\/x/,
    [/volume conf: of ConfigMap app: such volumes are always read-only/],
  ],
  [
    'what it depends on is not there, and its words say nothing of it',
    {
      pod: pod({
        status: crashed({ exitCode: 1 }),
        metadata: { annotations: { 'mendlet.dev/depends-on': 'service/db' } },
      }),
      logs: lastWords('no db'),
      services: [{ namespace: 'shop', name: 'db', missing: true, ready: 0, notReady: 0, clusterIPs: [], ports: [] }],
    },
    'dependency-not-ready',
    /ends, and there is no service db, on which its pod depends$/,
    [/"no db"/, /service\/db: not found/, /depends-on\]: service\/db/],
  ],
  [
    'no name, though the service is there: endpoints have nothing to do with it',
    {
      ...crash(1, "nc: bad address 'db'"),
      services: [
        {
          namespace: 'shop',
          name: 'db',
          missing: false,
          ready: 0,
          notReady: 0,
          clusterIPs: ['10.96.0.7'],
          ports: [5432],
        },
      ],
    },
    'dependency-not-resolved',
    /\(no such name\) and ends: service db is there, but no DNS server told its name$/,
    [/service\/db: no endpoint at all, port 5432/],
  ],
  [
    'a password with an "@" in a URL',
    crash(
      1,
      'psycopg2.OperationalError: could not translate host name "ssw0rd@postgres.shop" to address: Name or service not known',
    ),
    'dependency-not-resolved',
    /does not find postgres\.shop \(no such name\) and ends: it reads its URL wrongly, because the password .*%40$/,
  ],
  [
    'the address of a pod that is gone',
    {
      ...crash(1, 'dial tcp 10.244.0.9:3000: connect: connection refused'),
      addresses: [{ address: '10.244.0.9' }],
    },
    'dependency-refused',
    /is refused by 10\.244\.0\.9:3000 \(an address that no pod has now; .*\) and ends/,
  ],
  [
    'the address of a pod that is not ready',
    {
      ...crash(1, 'dial tcp 10.244.0.9:3000: connect: connection refused'),
      addresses: [{ address: '10.244.0.9', pod: { name: 'api-1', ready: false } }],
    },
    'dependency-refused',
    /is refused by 10\.244\.0\.9:3000 \(pod api-1, which is not ready\) and ends/,
  ],
  [
    'a name with the domain of another cluster',
    {
      ...crash(1, 'getaddrinfo ENOTFOUND db.shop.svc.prod.local'),
      services: [
        {
          namespace: 'shop',
          name: 'db',
          missing: false,
          ready: 1,
          notReady: 0,
          clusterIPs: ['10.96.0.7'],
          ports: [5432],
        },
      ],
    },
    'dependency-not-resolved',
    /: service db is there, but its name ends with cluster\.local .*, and not with prod\.local$/,
  ],
  [
    'the name of a peer of its own set, below a service that the set does not name',
    {
      pod: pod({
        metadata: { name: 'kv-1', namespace: 'shop' },
        spec: { subdomain: 'kv' },
        status: crashed({ exitCode: 1 }),
      }),
      logs: lastWords('getaddrinfo ENOTFOUND kv-0.kv-headless'),
      services: [
        {
          namespace: 'shop',
          name: 'kv-headless',
          missing: false,
          ready: 2,
          notReady: 0,
          clusterIPs: [],
          ports: [6379],
        },
      ],
    },
    'dependency-not-resolved',
    /: statefulset\/kv has the serviceName kv, so that service kv-headless has no names of its pods$/,
  ],
  [
    'no name of a headless service: it has one as soon as somebody is ready',
    {
      ...crash(1, "nc: bad address 'db'"),
      services: [{ namespace: 'shop', name: 'db', missing: false, ready: 0, notReady: 1, clusterIPs: [], ports: [] }],
    },
    'dependency-not-resolved',
    /service db has no endpoint that is ready$/,
  ],
  [
    'mysql: refused',
    crash(1, "ERROR 2003 (HY000): Can't connect to MySQL server on 'mysql:3306' (111)"),
    'dependency-refused',
    /by mysql:3306 /,
  ],
  [
    'java: no such host',
    crash(1, 'Caused by: java.net.UnknownHostException: kafka.prod.svc'),
    'dependency-not-resolved',
    /find kafka\.prod\.svc /,
  ],
  [
    'php: no such host, and it does not say which',
    crash(1, 'php_network_getaddresses: getaddrinfo failed: Name or service not known'),
    'dependency-not-resolved',
    /does not find a host /,
  ],
  [
    'python: no such host',
    crash(1, "HTTPConnectionPool(host='auth', port=8080): Max retries exceeded: [Errno -2] Name or service not known"),
    'dependency-not-resolved',
    /find auth /,
  ],
  [
    'java: a file that it may not use',
    crash(1, 'java.nio.file.AccessDeniedException: /data/index'),
    'permission-denied',
    /may not use \/data\/index/,
  ],
  [
    'spring: port in use',
    crash(1, 'Web server failed to start. Port 8080 was already in use.'),
    'port-in-use',
    /port 8080/,
  ],
  [
    'rust: port in use',
    crash(1, 'Os { code: 98, kind: AddrInUse, message: "Address in use" }'),
    'port-in-use',
    /listen/,
  ],
  [
    'go: too many threads',
    crash(2, 'runtime: failed to create new OS thread (have 5 already; errno=11)'),
    'too-many-processes',
    /one more process or thread/,
  ],
  [
    'a library that is not there',
    crash(
      127,
      '/app/serve: error while loading shared libraries: libssl.so.1.1: cannot open shared object file: No such file or directory',
    ),
    'missing-binary',
    /127: library libssl\.so\.1\.1, which \/app\/serve needs, is not in its image/,
  ],
  [
    'a library of another version',
    crash(127, "/app/serve: /lib/libc.so.6: version `GLIBC_2.34' not found (required by /app/serve)"),
    'c-library-mismatch',
    /\/app\/serve was built for a newer library than \/lib\/libc\.so\.6 of its image \(it wants GLIBC_2\.34\)$/,
  ],
  [
    'env finds no command',
    crash(127, "env: 'python': No such file or directory"),
    'missing-binary',
    /no command python/,
  ],
  [
    'another machine, as older runtimes say it',
    crash(1, 'standard_init_linux.go:228: exec user process caused: exec format error'),
    'wrong-architecture',
    /its program is made/,
  ],
  [
    'a variable that is not set',
    crash(1, 'Error: required environment variable DATABASE_URL is not set'),
    'missing-setting',
    /lacks the environment variable DATABASE_URL$/,
  ],
  [
    'python: a variable that is not set',
    crash(1, 'Traceback (most recent call last):', '  File "/m.py", line 3', "KeyError: 'SECRET_KEY'"),
    'missing-setting',
    /SECRET_KEY$/,
  ],
  [
    'a variable whose ConfigMap may leave it out',
    {
      pod: pod({
        container: {
          env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'app', key: 'mode', optional: true } } }],
        },
        status: crashed({ exitCode: 1 }),
      }),
      logs: lastWords('Environment variable not found: MODE.'),
    },
    'missing-setting',
    /MODE$/,
    [/spec\.containers\[0\]\.env\[0\]: .*"optional":true/],
  ],
  [
    'a file of its configuration that is not there',
    configured({ configMap: { name: 'app' } }, 'Error: open /etc/app/config.yaml: no such file or directory'),
    'missing-setting',
    /does not find its file \/etc\/app\/config\.yaml in volume conf \(ConfigMap app\)$/,
    [/spec\.volumes\[0\]\.configMap\.name: app/],
  ],
  ['any other key', crash(1, "KeyError: 'name'"), 'exit-code', /ends: KeyError: 'name' \(/],
  [
    'any other file',
    crash(1, "cat: can't open '/tmp/x': No such file or directory"),
    'missing-setting',
    /does not find its file \/tmp\/x in image/,
  ],
  [
    'a heap of its own that is full',
    {
      pod: pod({ container: limit, status: crashed({ exitCode: 134 }) }),
      logs: lastWords('FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'),
    },
    'heap-exhausted',
    /gives up: its JavaScript heap is full/,
    [/heap out of memory"/, /limits\.memory: 64Mi/],
  ],
  [
    'java: a heap that is full',
    crash(3, 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space'),
    'heap-exhausted',
    /heap/,
  ],
  [
    'the last complaint counts',
    crash(1, 'dial tcp 10.0.0.7:5432: connect: connection refused', 'open /etc/key: permission denied'),
    'permission-denied',
    /\/etc\/key/,
  ],
];

describe('ends', () => {
  tellsEach(endings);
});

describe('an older error that was overcome', () => {
  const overcome = [
    ['dial tcp 10.0.0.9:5432: connect: connection refused', 'connected to 10.0.0.9:5432'],
    ['ERROR password authentication failed for user "app", retrying', 'INFO login succeeded'],
    ['level=error msg="lookup db: no such host"', 'level=info msg="connection established"'],
    ['{"level":"error","msg":"certificate has expired"}', '{"level":"info","msg":"listening on :8080"}'],
    ['2026/01/31 11:58:00 too many open files', '2026/01/31 11:59:00 server started successfully'],
  ] as const;
  const present = [
    ['open /data/a.db: permission denied', 'permission-denied'],
    ['FATAL: listen tcp :8080: bind: address already in use', 'port-in-use'],
    ['{"level":"fatal","msg":"write /data/a: no space left on device"}', 'no-space'],
    ['Error: something nobody has heard of: code 17', 'exit-code'],
  ] as const;

  it.each(overcome.flatMap(([error, success]) => present.map(([line, id]) => ({ error, success, line, id }))))(
    'is no cause: $error, then $line',
    ({ error, success, line, id }) => {
      const { findings } = diagnosePod(evidence(crash(1, error, success, line)));
      expect(findings.map((each) => each.id)).toEqual([id]);
    },
  );
});
