/** Each rule once with the words that runtimes, kubelets and programs really use. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, crashed, event, evidence, history, lastWords, NOW, pod, waiting } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { quoteText } from '../quote-text.ts';

type Case = [what: string, given: Partial<PodEvidence>, id: string, says: RegExp, quotes?: readonly RegExp[]];

const crash = (exitCode: number, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ status: crashed({ exitCode }) }),
  logs: lastWords(...lines),
});
/** With a volume at /etc/app. */
const configured = (source: object, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
    spec: { volumes: [{ name: 'conf', ...source }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
});
const stuck = (reason: string, message: string): Partial<PodEvidence> => ({
  pod: pod({ status: waiting(reason, message), podStatus: { phase: 'Pending' } }),
});
const limit = { resources: { limits: { memory: '64Mi' }, requests: { memory: '64Mi' } } };
const unscheduled = (message: string, spec: object = {}): Partial<PodEvidence> => ({
  pod: {
    ...pod({ spec: { ...spec, nodeName: undefined } }),
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  },
});
const creating = (events: PodEvidence['events'], spec: object = {}): Partial<PodEvidence> => ({
  pod: pod({ status: waiting('ContainerCreating'), podStatus: { phase: 'Pending' }, spec }),
  events,
});
const startError = (message: string): Partial<PodEvidence> => ({
  pod: pod({ status: crashed({ exitCode: 128, reason: 'StartError', message, lived: 0 }) }),
});
const runc =
  'failed to create containerd task: OCI runtime create failed: runc create failed: unable to start container process: ';
const pull = (problem: string): Partial<PodEvidence> =>
  stuck('ImagePullBackOff', `Back-off pulling image "registry.example/web:1": ErrImagePull: ${problem}`);
const resolve =
  'failed to pull and unpack image "registry.example/web:1": failed to resolve reference "registry.example/web:1": ';

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
    [/death 7 of web/, /memory peak: 64Mi of 64Mi/, /worker \(pid 4711, rss 63Mi\)/, /"allocating cache 200 MB"/],
  ],
  [
    'memory without a limit',
    { pod: pod({ status: crashed({ exitCode: 137, reason: 'OOMKilled' }) }) },
    'out-of-memory',
    /has no limit: the node ran out/,
  ],
  ['exit code 1', crash(1, 'boom'), 'exit-code', /ends with exit code 1$/, [/"boom"/]],
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
    'exit-code',
    /ends with exit code 17; its first death was another: exit code 2$/,
    [/"locked by another process"/, /death 1 of web.*: exit 2, Error/, /"cannot open \/etc\/app\.conf: no such file"/],
  ],
  ['usage', crash(2, 'usage: web [-p PORT]'), 'exit-code', /exit code 2: it does not understand its arguments/],
  ['a signal', crash(139, 'Segmentation fault'), 'signal', /139, SIGSEGV: it touched memory/],
  ['killed, who knows by whom', crash(137), 'signal', /137, SIGKILL: something killed it$/],
  [
    'killed, and the node knows that it was not for memory',
    { pod: pod({ status: crashed({ exitCode: 137 }) }), history: history({ exitCode: 137 }) },
    'signal',
    /neither a probe nor/,
  ],
  [
    'succeeds for ever',
    { pod: pod({ status: crashed({ exitCode: 0, reason: 'Completed' }) }) },
    'completed-under-always',
    /ends well \(exit code 0\)/,
    [/spec\.restartPolicy: Always/],
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
    /\/etc\/app\/run\.sh in volume conf \(ConfigMap scripts\) may not be executed$/,
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
    /126: \/etc\/app\/run\.sh in volume conf \(Secret scripts\) may not be executed$/,
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
    'exit-code',
    /exit code 1$/,
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
    /exit code 2$/,
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
    /exit code 1$/,
    [/Failed to start"/, /spring\.datasource\.url must be set/],
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
    'exit-code',
    /exit code 1$/,
    [/Cannot find module '\/app\/index\.js'/],
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
    /cannot read its configuration \/etc\/app\/app\.json, which comes of ConfigMap app$/,
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
    /\/etc\/app\/tls\.crt, which comes of Secret key$/,
    [/"loading \/etc\/app\/tls\.crt"/, /spec\.volumes\[0\]\.projected\.sources\[0\]\.secret\.name: key/],
  ],
  [
    'text of who knows where',
    crash(1, "invalid character '<' looking for beginning of value"),
    'malformed-config',
    /cannot parse what it reads$/,
  ],
  ['words about settings', crash(1, 'config loaded', 'invalid password for user web'), 'exit-code', /exit code 1$/],
  [
    'YAML',
    crash(1, 'cannot parse config: yaml: line 3: mapping values are not allowed in this context'),
    'malformed-config',
    /cannot read its configuration$/,
  ],
  [
    'node: JSON',
    crash(1, 'SyntaxError: /app/conf.json: Unexpected token } in JSON at position 12'),
    'malformed-config',
    /\/app\/conf\.json$/,
  ],
  [
    'node: JSON, as newer ones say it',
    crash(1, 'SyntaxError: /app/conf.json: Expected double-quoted property name in JSON at position 7'),
    'malformed-config',
    /\/app\/conf\.json$/,
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
    /configuration \/etc\/nginx\/nginx\.conf$/,
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
    /127: library libssl\.so\.1\.1, which its program needs, is not in its image$/,
  ],
  [
    'a library of another version',
    crash(127, "/app/serve: /lib/libc.so.6: version `GLIBC_2.34' not found (required by /app/serve)"),
    'missing-binary',
    /127: library GLIBC_2\.34, which its program needs, is not in its image$/,
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
  ['any other key', crash(1, "KeyError: 'name'"), 'exit-code', /exit code 1$/],
  ['any other file', crash(1, "cat: can't open '/tmp/x': No such file or directory"), 'exit-code', /exit code 1$/],
  [
    'a heap of its own that is full',
    {
      pod: pod({ container: limit, status: crashed({ exitCode: 134 }) }),
      logs: lastWords('FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'),
    },
    'heap-exhausted',
    /gives up: the heap that it allows itself is full/,
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

const starts: readonly Case[] = [
  [
    'no ConfigMap',
    stuck('CreateContainerConfigError', 'configmap "web" not found'),
    'missing-config',
    /no ConfigMap web/,
  ],
  ['no Secret', stuck('CreateContainerConfigError', 'secret "key" not found'), 'missing-config', /no Secret key/],
  [
    'no key',
    {
      ...stuck('CreateContainerConfigError', "couldn't find key url in Secret shop/db"),
      configs: [{ kind: 'Secret', name: 'db', state: 'found', keys: ['host', 'port'] }],
    },
    'missing-config',
    /Secret db has no key url; it has host and port/,
    [/secret\/db: keys: host, port/],
  ],
  [
    'no key, which a volume wants',
    {
      ...creating(
        [
          event(
            'FailedMount',
            'MountVolume.SetUp failed for volume "conf" : configmap references non-existent config key: app.conf',
          ),
        ],
        { volumes: [{ name: 'conf', configMap: { name: 'app', items: [{ key: 'app.conf', path: 'a' }] } }] },
      ),
      configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: ['app.yaml'] }],
    },
    'missing-config',
    /ConfigMap app has no key app\.conf; it has app\.yaml$/,
    [/spec\.volumes\[0\]\.configMap\.name: app/],
  ],
  [
    'no key, which a projected volume wants',
    {
      ...creating(
        [
          event(
            'FailedMount',
            'MountVolume.SetUp failed for volume "all" : references non-existent secret key: password',
          ),
        ],
        {
          volumes: [
            {
              name: 'all',
              projected: {
                sources: [
                  { configMap: { name: 'app' } },
                  { secret: { name: 'db', items: [{ key: 'password', path: 'p' }] } },
                ],
              },
            },
          ],
        },
      ),
      configs: [{ kind: 'Secret', name: 'db', state: 'found', keys: ['user'] }],
    },
    'missing-config',
    /Secret db has no key password; it has user$/,
    [/spec\.volumes\[0\]\.projected\.sources\[1\]\.secret\.name: db/],
  ],
  [
    'no key, of which a file is to be',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app.conf', subPath: 'app.conf' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: waiting('CreateContainerConfigError', 'subPath "app.conf" is not in its volume'),
        podStatus: { phase: 'Pending' },
      }),
      configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: ['app.yaml'] }],
    },
    'missing-config',
    /container web cannot start: ConfigMap app has no key app\.conf; it has app\.yaml$/,
  ],
  [
    'a volume that came late, and has nothing to do with what came after',
    {
      pod: pod({ status: crashed({ exitCode: 1 }), podStatus: { phase: 'Pending' } }),
      events: [
        event('FailedMount', 'MountVolume.SetUp failed for volume "files" : configmap "files" not found', {
          seconds: 90,
        }),
      ],
      configs: [{ kind: 'ConfigMap', name: 'files', state: 'found', keys: ['a'] }],
      logs: lastWords('boom'),
    },
    'exit-code',
    /exit code 1$/,
  ],
  [
    'may not be read',
    {
      ...stuck('CreateContainerConfigError', 'secret "key" not found'),
      configs: [{ kind: 'Secret', name: 'key', state: 'forbidden', keys: [] }],
    },
    'missing-config',
    /no Secret key/,
    [/secret\/key: may not be read/],
  ],
  [
    'root',
    stuck(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image will run as root (pod: "web-1_shop(u)", container: web)',
    ),
    'run-as-non-root',
    /must not run as root/,
  ],
  [
    'anything else',
    stuck('CreateContainerConfigError', 'failed to prepare subPath'),
    'config-error',
    /cannot be configured/,
  ],
  [
    'no image',
    pull(`${resolve}registry.example/web:1: not found`),
    'image-not-found',
    /has no registry\.example\/web:1/,
  ],
  [
    'not let in',
    pull(`${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`),
    'image-unauthorized',
    /does not let it pull/,
  ],
  [
    'not let in, for want of the secret that the pod names',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 403 Forbidden`,
        ),
      }),
      events: [
        event(
          'FailedToRetrieveImagePullSecret',
          'Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.',
        ),
      ],
    },
    'image-unauthorized',
    /does not let it pull registry\.example\/web:1: there is no Secret regcred, which its pod names for that$/,
    [/FailedToRetrieveImagePullSecret/, /spec\.imagePullSecrets: \["regcred"\]/],
  ],
  [
    'Docker Hub',
    pull(
      'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    ),
    'image-unauthorized',
    /does not let it/,
  ],
  [
    'rate limit',
    pull('429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit'),
    'image-rate-limit',
    /too many requests/,
  ],
  [
    'away',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/web/manifests/1": dial tcp 10.0.0.9:443: connect: connection refused`,
    ),
    'image-registry-unreachable',
    /cannot be reached/,
  ],
  [
    'unknown',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/web/manifests/1": dial tcp: lookup registry.example on 10.0.0.53:53: no such host`,
    ),
    'image-registry-unreachable',
    /cannot be reached/,
  ],
  [
    'certificate',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ),
    'image-registry-tls',
    /TLS/,
  ],
  [
    'plain',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/": http: server gave HTTP response to HTTPS client`,
    ),
    'image-registry-tls',
    /TLS/,
  ],
  ['platform', pull('no match for platform in manifest: not found'), 'image-wrong-platform', /machine of its node/],
  ['disk', pull('failed to extract layer: write /x: no space left on device'), 'image-disk-full', /disk of its node/],
  [
    'name',
    stuck('InvalidImageName', 'Failed to apply default image tag "A/b": invalid reference format'),
    'image-bad-name',
    /is no name/,
  ],
  [
    'never',
    stuck('ErrImageNeverPull', 'Container image "x" is not present with pull policy of Never'),
    'image-never-pulled',
    /Never forbids/,
  ],
  ['who knows', pull('something unheard of'), 'image-pull', /cannot be pulled/],
  [
    'no runtime class',
    creating(
      [
        event(
          'FailedCreatePodSandBox',
          'Failed to create pod sandbox: failed to get sandbox runtime: no runtime for "kata" is configured',
        ),
      ],
      { runtimeClassName: 'kata' },
    ),
    'runtime-class',
    /no runtime for its RuntimeClass/,
  ],
  [
    'no network',
    creating([
      event(
        'FailedCreatePodSandBox',
        'Failed to create pod sandbox: plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized',
      ),
    ]),
    'sandbox-network',
    /its network cannot be set up/,
  ],
  [
    'no address',
    creating([
      event(
        'FailedCreatePodSandBox',
        'Failed to create pod sandbox: plugin type="host-local" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.0.0.1-10.0.0.254',
      ),
    ]),
    'sandbox-no-addresses',
    /no address left/,
  ],
  [
    'a memory limit below all need',
    {
      pod: pod({
        container: { resources: { limits: { memory: '200Ki' } } },
        status: waiting('ContainerCreating'),
        podStatus: { phase: 'Pending' },
      }),
      events: [
        event(
          'FailedCreatePodSandBox',
          `Failed to create pod sandbox: ${runc}container init was OOM-killed (memory limit too low?): unknown`,
        ),
      ],
    },
    'memory-limit-too-low',
    /its memory limit is too low even to begin/,
    [/spec\.containers\[0\]\.resources\.limits\.memory: 200Ki/],
  ],
  [
    'a memory limit below all need, of one container',
    {
      pod: pod({
        container: { resources: { limits: { memory: '1Mi' } } },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message: `${runc}container init was OOM-killed (memory limit too low?): unknown`,
          lived: 0,
        }),
      }),
    },
    'memory-limit-too-low',
    /limit of 1Mi is too low even to begin/,
    [/resources\.limits\.memory: 1Mi/],
  ],
  [
    'a sysctl whose value the kernel refuses',
    creating(
      [
        event(
          'FailedCreatePodSandBox',
          `Failed to create pod sandbox: ${runc}error during container init: write /proc/sys/net/ipv4/ip_local_port_range: invalid argument: unknown`,
        ),
      ],
      { securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: 'abc' }] } },
    ),
    'sandbox-sysctl',
    /sysctl/,
  ],
  [
    'sandbox',
    creating([event('FailedCreatePodSandBox', 'Failed to create pod sandbox: it did not work')]),
    'sandbox',
    /cannot make its sandbox/,
  ],
  [
    'host path',
    creating(
      [
        event(
          'FailedMount',
          'MountVolume.SetUp failed for volume "data" : hostPath type check failed: /x is not a directory',
        ),
      ],
      {
        volumes: [{ name: 'data', hostPath: { path: '/x', type: 'Directory' } }],
      },
    ),
    'volume-mount',
    /volume data cannot be mounted/,
    [/"path":"\/x"/],
  ],
  [
    'volume of a ConfigMap',
    creating([
      event('FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[files]', { seconds: 10 }),
      event('FailedMount', 'MountVolume.SetUp failed for volume "files" : configmap "files" not found'),
    ]),
    'missing-config',
    /no ConfigMap files/,
  ],
  [
    'attached elsewhere',
    creating([
      event('FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) web-0'),
    ]),
    'volume-multi-attach',
    /another node still has it/,
  ],
  [
    'no claim',
    {
      ...unscheduled('0/1 nodes are available: persistentvolumeclaim "data" not found.'),
      claims: [{ name: 'data', missing: true, events: [] }],
    },
    'claim-missing',
    /no PersistentVolumeClaim data/,
  ],
  [
    'claim waits',
    {
      ...unscheduled('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.'),
      claims: [
        {
          name: 'data',
          missing: false,
          claim: { metadata: { name: 'data' }, spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
          events: [event('ProvisioningFailed', 'storageclass.storage.k8s.io "fast" not found')],
        },
      ],
    },
    'claim-pending',
    /there is no StorageClass fast/,
  ],
  [
    'names of variables',
    {
      events: [
        event(
          'InvalidEnvironmentVariableNames',
          'Keys [1a] from the EnvFrom configMap shop/web were skipped since they are considered invalid environment variable names.',
        ),
      ],
    },
    'bad-env-names',
    /without some variables/,
  ],
  [
    'hook',
    {
      pod: pod({ status: crashed({ exitCode: 137 }) }),
      events: [event('FailedPostStartHook', 'PostStartHook failed', { container: 'web' })],
    },
    'post-start-hook',
    /its postStart hook fails/,
  ],
];

const places: readonly Case[] = [
  [
    'cpu',
    unscheduled(
      '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
    ),
    'unschedulable',
    /3 nodes have not enough cpu left$/,
  ],
  [
    'several reasons',
    unscheduled(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.",
      { nodeSelector: { disk: 'ssd' } },
    ),
    'unschedulable',
    /1 of 3 nodes have been cordoned and 2 of 3 nodes have not the labels that it asks for/,
    [/spec\.nodeSelector: {"disk":"ssd"}/],
  ],
  [
    'taint',
    unscheduled('0/1 nodes are available: 1 node(s) had untolerated taint {gpu: true}.'),
    'unschedulable',
    /a taint \(gpu: true\)/,
  ],
  [
    'taints',
    unscheduled('0/1 nodes are available: 1 node(s) had untolerated taint(s).'),
    'unschedulable',
    /a taint that it does not tolerate/,
  ],
  [
    'port',
    unscheduled("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."),
    'unschedulable',
    /a port taken/,
  ],
  [
    'pods that it does not go with',
    unscheduled("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."),
    'unschedulable',
    /1 node has pods that it does not go with$/,
  ],
  [
    'no pods that it goes with',
    unscheduled("0/2 nodes are available: 2 node(s) didn't match pod affinity rules."),
    'unschedulable',
    /2 nodes have none of the pods that it goes with$/,
  ],
  [
    'spread by a label that no node has',
    unscheduled(
      "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
      { topologySpreadConstraints: [{ topologyKey: 'zone' }] },
    ),
    'unschedulable',
    /1 node has not the label by which its pods are spread: zone$/,
  ],
  ['no nodes', unscheduled('no nodes available to schedule pods'), 'unschedulable', /no nodes available/],
  [
    'unheard of',
    unscheduled('0/1 nodes are available: 1 node(s) did not please the plugin.'),
    'unschedulable',
    /did not please the plugin/,
  ],
  [
    'gates',
    {
      pod: {
        ...pod({ spec: { nodeName: undefined, schedulingGates: [{ name: 'example.com/quota' }] } }),
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      },
    },
    'scheduling-gated',
    /its scheduling gate example\.com\/quota/,
  ],
  [
    'no scheduler',
    { pod: { ...pod({ spec: { nodeName: undefined, schedulerName: 'mine' } }), status: { phase: 'Pending' } } },
    'no-scheduler',
    /one called mine/,
  ],
  [
    'node lost',
    {
      node: {
        name: 'n1',
        renewedAt: NOW - 180_000,
        node: {
          metadata: { name: 'n1' },
          spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
          status: {
            conditions: [
              {
                type: 'Ready',
                status: 'Unknown',
                reason: 'NodeStatusUnknown',
                message: 'Kubelet stopped posting node status.',
                lastTransitionTime: ago(120),
              },
            ],
          },
        },
      },
      pod: pod({
        spec: {
          tolerations: [
            { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', operator: 'Exists', tolerationSeconds: 300 },
          ],
        },
      }),
    },
    'node-lost',
    /has not been heard of for 2m: .*; it leaves after 300s/,
    [/NodeStatusUnknown/, /renewTime: 3m ago/, /unreachable:NoExecute/],
  ],
  ['node gone', { node: { name: 'n1', missing: true } }, 'node-gone', /does not exist any more/],
  [
    'evicted by pressure',
    {
      pod: pod({
        podStatus: {
          phase: 'Failed',
          reason: 'Evicted',
          message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 12Mi. ',
        },
      }),
    },
    'evicted',
    /node n1 was low on memory, and nothing replaces it/,
  ],
  [
    'preempted',
    {
      pod: pod({
        podStatus: {
          phase: 'Failed',
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'PreemptionByScheduler',
              message: 'preempting to accommodate a higher priority pod',
            },
          ],
        },
      }),
    },
    'disrupted',
    /to make room for a pod of higher priority/,
  ],
  [
    'rejected',
    {
      pod: pod({
        podStatus: {
          phase: 'Failed',
          reason: 'OutOfcpu',
          message: "Pod was rejected: Node didn't have enough resource: cpu",
        },
      }),
    },
    'rejected',
    /refused pod web-1: OutOfcpu/,
  ],
  [
    'finalizer',
    {
      pod: pod({
        metadata: { deletionTimestamp: ago(120), finalizers: ['example.com/keep'] },
        status: { ready: false, state: { terminated: { exitCode: 0 } } },
      }),
    },
    'finalizers',
    /its finalizer example\.com\/keep is still there/,
  ],
  [
    'stuck',
    { pod: pod({ metadata: { deletionTimestamp: ago(120) } }) },
    'terminating-stuck',
    /gone 2m ago: web still runs/,
  ],
  [
    'stopped healing',
    {
      pod: pod({
        podStatus: {
          conditions: [
            {
              type: 'mendlet.dev/HealingStopped',
              status: 'True',
              reason: 'AttemptsExhausted',
              message: 'all rungs were tried',
            },
          ],
        },
      }),
    },
    'healing-stopped',
    /has stopped healing/,
  ],
  [
    'not a policy',
    { pod: pod({ metadata: { annotations: { 'mendlet.dev/healing': '{"problem":"rungs[0]: unknown scope"}' } } }) },
    'healing-policy-invalid',
    /unknown scope/,
  ],
  [
    'nobody knows',
    { pod: pod({ status: waiting('ContainerCreating'), podStatus: { phase: 'Pending' } }) },
    'not-progressing',
    /nothing says why/,
  ],
];

const waitingInit = (seconds: number, ...lines: readonly string[]): Partial<PodEvidence> => {
  const made = pod({
    status: waiting('PodInitializing'),
    podStatus: { phase: 'Pending' },
    spec: { initContainers: [{ name: 'wait', image: 'w' }] },
  });
  const running = {
    name: 'wait',
    ready: false,
    restartCount: 0,
    image: 'w',
    imageID: '',
    state: { running: { startedAt: ago(seconds) } },
  };
  return {
    pod: { ...made, status: { ...made.status, initContainerStatuses: [running] } },
    logs: { wait: { current: lines } },
  };
};

const inits: readonly Case[] = [
  ['goes on', waitingInit(900, 'copying'), 'init-running', /init container wait has run for 15m/, [/"copying"/]],
  [
    'waits for another',
    waitingInit(900, "nc: bad address 'db'"),
    'dependency-not-resolved',
    /wait does not find db .*and goes on waiting/,
  ],
];

it('what the status of an image says is not quoted once more from its event', () => {
  const problem = `${resolve}registry.example/web:1: not found`;
  const told = event('Failed', `Failed to pull image "registry.example/web:1": ${problem}`, { container: 'web' });
  const sources = (events: PodEvidence['events']) =>
    diagnosePod(evidence({ ...pull(problem), events })).findings[0]?.evidence.map(({ source }) => source);
  expect(sources([told])).toEqual(['field', 'field']);
  expect(
    sources([event('Failed', 'Failed to pull image "registry.example/web:1": EOF', { container: 'web' })]),
  ).toEqual(['field', 'field', 'event']);
});

it('an init container may take its time', () => {
  expect(diagnosePod(evidence(waitingInit(200, "nc: bad address 'db'"))).findings).toEqual([]);
});

describe.each<[string, readonly Case[]]>([
  ['init containers', inits],
  ['ends', endings],
  ['starts', starts],
  ['places', places],
])('%s', (_, cases) => {
  it.each<Case>([...cases])('%s', (_what, given, id, says, quotes = []) => {
    const { findings } = diagnosePod(evidence(given));
    const [first] = findings;
    expect(findings.map((finding) => finding.id)).toContain(id);
    expect(first?.id).toBe(id);
    expect(first?.says).toMatch(says);
    const text = (first?.evidence ?? []).map((quote) => quoteText(quote, NOW)).join('\n');
    expect(text).not.toBe('');
    for (const quote of quotes) expect(text).toMatch(quote);
  });
});
