/** Tests findings that name the configuration behind an error that does not name it, and homes and folders that are empty. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { configMap, crashed, event, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { crash, endedWith, tellsEach } from './cases.fixtures.ts';

const found = (kind: ConfigEvidence['kind'], name: string, keys: readonly string[], odd?: ConfigEvidence['odd']) => ({
  kind,
  name,
  state: 'found' as const,
  keys,
  ...(odd && { odd }),
});
const command = (...words: readonly string[]): object => ({ command: words });
/** A container that ended with these words, with a volume of this source at /etc/app. */
const ended = (
  source: object,
  container: object,
  configs: readonly ConfigEvidence[],
  ...lines: readonly string[]
): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'c', mountPath: '/etc/app' }], ...container },
    spec: { volumes: [{ name: 'c', ...source }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  configs,
});

const gw = { configMap: { name: 'gw' } };
const both = { projected: { sources: [{ configMap: { name: 'base' } }, { secret: { name: 'creds' } }] } };
const KEY_ERROR = "KeyError: 'listen'";

describe('the configuration behind an error', () => {
  tellsEach([
    [
      'the file that the command names',
      ended(
        gw,
        command('nginx', '-c', '/etc/app/nginx.conf'),
        [found('ConfigMap', 'gw', ['mime.types', 'nginx.conf'])],
        'no "events" section in configuration',
      ),
      'exit-code',
      /; its configuration \/etc\/app\/nginx\.conf is of ConfigMap gw$/,
      [/spec\.volumes\[0\]\.configMap\.name/],
    ],
    [
      'what is odd about it',
      ended(
        gw,
        command('nginx', '-c', '/etc/app/nginx.conf'),
        [found('ConfigMap', 'gw', ['nginx.conf'], { 'nginx.conf': 'has only comments' })],
        'no "events" section in configuration',
      ),
      'exit-code',
      /\/etc\/app\/nginx\.conf is of ConfigMap gw and has only comments$/,
    ],
    [
      'the only one, with the key that it is made of',
      ended(
        { configMap: { name: 'gw', items: [{ key: 'main', path: 'app.yaml' }] } },
        {},
        [found('ConfigMap', 'gw', ['main'])],
        KEY_ERROR,
      ),
      'exit-code',
      /; its configuration \/etc\/app\/app\.yaml is of ConfigMap gw \(key main\)$/,
    ],
    [
      'one of several that is named after its program',
      ended(
        gw,
        command('haproxy', '-f', '/usr/local/x'),
        [found('ConfigMap', 'gw', ['errors.http', 'haproxy.cfg'])],
        'Fatal errors found in configuration.',
      ),
      'exit-code',
      /; its configuration \/etc\/app\/haproxy\.cfg is of ConfigMap gw$/,
    ],
    [
      'two sources of one path',
      ended(
        both,
        command('relay', '--config=/etc/app/config.yaml'),
        [found('ConfigMap', 'base', ['config.yaml']), found('Secret', 'creds', ['config.yaml'])],
        KEY_ERROR,
      ),
      'exit-code',
      /config\.yaml is of Secret creds and hides that of ConfigMap base, as both are sources of volume c$/,
      [/sources\[0\]\.configMap\.name/, /sources\[1\]\.secret\.name/],
    ],
    [
      'two sources of several paths',
      ended(
        both,
        command('relay', '--config=/etc/app/config.yaml'),
        [found('ConfigMap', 'base', ['config.yaml']), found('Secret', 'creds', ['password'])],
        KEY_ERROR,
      ),
      'exit-code',
      /config\.yaml is of ConfigMap base$/,
    ],
    [
      'its own program, which is no configuration',
      ended(gw, command('python3', '/etc/app/main.py'), [found('ConfigMap', 'gw', ['main.py'])], KEY_ERROR),
      'exit-code',
      /KeyError: 'listen' \(exit code 1\)$/,
    ],
    [
      'several that may be meant',
      ended(gw, command('relay'), [found('ConfigMap', 'gw', ['a.yaml', 'b.yaml'])], KEY_ERROR),
      'exit-code',
      /KeyError: 'listen' \(exit code 1\)$/,
    ],
    [
      'an error about something else',
      ended(gw, command('relay', '/etc/app/a.yaml'), [found('ConfigMap', 'gw', ['a.yaml'])], 'panic: no leader'),
      'exit-code',
      /no leader \(exit code 1\)$/,
    ],
    [
      'a setting of a server that no argument has',
      ended(
        gw,
        command('mariadbd', '--defaults-file=/etc/app/tuning.cnf'),
        [found('ConfigMap', 'gw', ['tuning.cnf'])],
        "[ERROR] mariadbd: unknown variable 'inodb_buffer_pool_size=64M'",
      ),
      'malformed-config',
      /cannot read its configuration \/etc\/app\/tuning\.cnf, which comes of ConfigMap gw: mariadbd: unknown variable/,
    ],
    [
      'one that an argument has',
      ended(
        gw,
        command('mariadbd', '--inodb-buffer-pool-size=64M'),
        [found('ConfigMap', 'gw', ['tuning.cnf'])],
        "[ERROR] mariadbd: unknown variable 'inodb-buffer-pool-size=64M'",
      ),
      'bad-argument',
      /does not understand its arguments/,
    ],
    [
      'a place in its code, behind the links of its volume',
      ended(
        { projected: { sources: [{ configMap: { name: 'code' } }, { configMap: { name: 'settings' } }] } },
        command('node', '/etc/app/server.js'),
        [
          found('ConfigMap', 'code', ['server.js']),
          found('ConfigMap', 'settings', ['s.json'], { 's.json': 'is empty' }),
        ],
        '/etc/app/..2026_01_31_12_00_00.abc/server.js:1',
        'SyntaxError: Unexpected end of JSON input',
        '    at JSON.parse (<anonymous>)',
        '    at Object.<anonymous> (/etc/app/..2026_01_31_12_00_00.abc/server.js:1:40)',
      ),
      'malformed-config',
      /; its configuration \/etc\/app\/s\.json is of ConfigMap settings and is empty$/,
    ],
    [
      'a placeholder',
      ended(
        gw,
        command('python3', '/etc/app/main.py'),
        [found('ConfigMap', 'gw', ['main.py', 'logging.yaml'])],
        "ValueError: Unknown level: '{{ .Values.level }}'",
      ),
      'exit-code',
      /logging\.yaml is of ConfigMap gw; \{\{ \.Values\.level \}\} is a placeholder that nothing has filled in$/,
    ],
    [
      'a token in a folder of others',
      ended(
        { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        {},
        [],
        "CRITICAL vault login failed: [Errno 2] No such file or directory: '/etc/app/vault-token'",
      ),
      'missing-setting',
      /does not find its file \/etc\/app\/vault-token in volume c.*; it has only token$/,
    ],
    [
      'a ConfigMap over what the image has',
      ended(
        gw,
        {},
        [found('ConfigMap', 'gw', ['nginx.conf'])],
        'open() "/etc/app/mime.types" failed (2: No such file or directory)',
      ),
      'missing-setting',
      /it has only nginx\.conf, and hides what the image has at \/etc\/app$/,
    ],
  ]);
});

describe('what the system says, below words about an errand', () => {
  tellsEach([
    [
      'a token that may not be read',
      crash(1, "ERROR vault login failed: [Errno 13] Permission denied: '/etc/x/token'"),
      'permission-denied',
      /\/etc\/x\/token/,
    ],
    [
      'a peer that refuses',
      crash(1, 'authentication failed: dial tcp 10.1.1.1:5432: connect: connection refused'),
      'dependency-refused',
      /10\.1\.1\.1:5432/,
    ],
    [
      'a disk that is full',
      crash(1, "login failed: [Errno 28] No space left on device: '/data/x'"),
      'no-space',
      /no space/,
    ],
    [
      'a peer that refuses the password',
      crash(1, 'connection to server at "db", port 5432 failed: FATAL: password authentication failed for user "app"'),
      'authentication-refused',
      /refuses its password or user/,
    ],
  ]);
});

describe('folders that are empty', () => {
  const volumes = [
    { name: 'config', emptyDir: {} },
    { name: 'work', emptyDir: {} },
  ];
  const mount = (name: string, mountPath: string) => ({ volumeMounts: [{ name, mountPath }] });
  const with2 = (first: object, main: object): Partial<PodEvidence> => ({
    pod: pod({
      container: main,
      spec: { volumes, initContainers: [{ name: 'gen', image: 'x', ...first }] },
      status: crashed({ exitCode: 1 }),
    }),
    logs: lastWords("Error: ENOENT: no such file or directory, open '/app/config/app.json'"),
  });
  tellsEach([
    [
      'which nobody fills',
      with2(mount('work', '/work'), mount('config', '/app/config')),
      'missing-setting',
      /in volume config, an emptyDir, which is empty at first, .* is mounted by no other container/,
    ],
    [
      'which an init container fills',
      with2(mount('config', '/out'), mount('config', '/app/config')),
      'missing-setting',
      /in volume config, an emptyDir, which is empty until init container gen fills it/,
    ],
    [
      'which is not mounted',
      with2(mount('config', '/app/config'), {}),
      'missing-setting',
      /; init container gen has volume config there, which it does not mount itself/,
    ],
  ]);
});

describe('a home that is none', () => {
  const user = (runAsUser: number, line: string, container: object = {}): Partial<PodEvidence> => ({
    pod: pod({ container, spec: { securityContext: { runAsUser } }, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(line),
  });
  const NPM = "Error: EACCES: permission denied, mkdir '/.npm'";
  tellsEach([
    [
      'that of a user without a name',
      user(10001, NPM),
      'permission-denied',
      /HOME of its user 10001 is \/, as it has no entry in \/etc\/passwd, so set HOME/,
    ],
    [
      'one that is set',
      user(10001, NPM, { env: [{ name: 'HOME', value: '/' }] }),
      'permission-denied',
      /its variable HOME is \/, so set/,
    ],
    [
      'one elsewhere',
      user(10001, "Error: EACCES: permission denied, mkdir '/data/.npm'"),
      'permission-denied',
      /\/data\/\.npm(?!.*HOME)/,
    ],
    [
      'a user without a name',
      user(10001, "KeyError: 'getpwuid(): uid not found: 10001'"),
      'exit-code',
      /; its user 10001 has no entry in \/etc\/passwd of its image$/,
    ],
  ]);
});

describe('servers that go to the background', () => {
  const left = (words: readonly string[], ...lines: readonly string[]): Partial<PodEvidence> => ({
    pod: pod({ container: command(...words), status: crashed({ exitCode: 0, reason: 'Completed', lived: 1 }) }),
    logs: lastWords(...lines),
  });
  it.each<[string, readonly string[], RegExp]>([
    ['nginx', ['nginx'], /nginx goes to the background.*start nginx in the foreground \(nginx -g "daemon off;"\)$/],
    ['apache', ['apachectl', 'start'], /\(-D FOREGROUND\)$/],
    ['sshd', ['/usr/sbin/sshd'], /sshd goes to the background.*\(sshd -D -e\)$/],
    ['redis by its configuration', ['redis-server', '/etc/redis.conf'], /also in its configuration\)$/],
    ['a start script', ['sh', '-c', 'service nginx start'], /nginx goes.*itself instead of its start script$/],
    ['an init script', ['sh', '-c', 'echo a; /etc/init.d/cron start'], /^container web ends at once with 0: cron goes/],
    ['a shell that leaves it', ['bash', '-c', 'set -e\nnode server.js &\necho started'], /node goes to the background/],
    ['pm2', ['sh', '-c', 'exec pm2 start app.js'], /pm2-runtime/],
    ['php-fpm', ['php-fpm8.2'], /\(php-fpm -F\)$/],
    ['a job', ['python3', 'import.py'], /ends by itself with exit code 0/],
    ['nginx in the foreground', ['nginx', '-g', 'daemon off;'], /ends by itself with exit code 0/],
    ['a server that only checks', ['haproxy', '-c'], /ends by itself with exit code 0/],
    ['output to both', ['sh', '-c', 'python3 import.py > /tmp/log 2>&1'], /ends by itself with exit code 0/],
  ])('%s', (_what, words, says) => {
    const [first] = diagnosePod(evidence(left(words))).findings;
    expect(first?.id).toBe('completed-under-always');
    expect(first?.says).toMatch(says);
  });
  it('knows the script of a ConfigMap that the command runs', () => {
    const given: Partial<PodEvidence> = {
      pod: pod({
        container: { ...command('bash', '/etc/app/start.sh'), volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: crashed({ exitCode: 0, reason: 'Completed', lived: 1 }),
      }),
      logs: lastWords('starting apache'),
      configs: [configMap('app', { 'start.sh': '#!/bin/bash\nset -e\ncp a b\napachectl start\n' })],
    };
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(
      /^container web ends at once with 0: apachectl, which its script \/etc\/app\/start\.sh of ConfigMap app calls, goes to the background/,
    );
  });
  it('does not advise a Job for what others are to reach', () => {
    const given = {
      pod: pod({
        container: { ...command('/run'), ports: [{ containerPort: 80 }] },
        status: crashed({ exitCode: 0, reason: 'Completed', lived: 100 }),
      }),
    };
    const [first] = diagnosePod(evidence({ ...given, logs: lastWords('hello') })).findings;
    expect(first?.says).toMatch(
      /; it has a port or is asked by probes, as a server is: its first process has to stay$/,
    );
  });
  it('knows by its log that it serves', () => {
    const [first] = diagnosePod(evidence(left(['/run.sh'], 'listening on 8080', 'ready'))).findings;
    expect(first?.says).toMatch(/its line "listening on 8080" says that it serves, so its first process perhaps/);
  });
});

describe('files that others may read', () => {
  const key = (spec: object, source: object, ...lines: readonly string[]): Partial<PodEvidence> => ({
    pod: pod({
      container: { volumeMounts: [{ name: 'k', mountPath: '/keys' }] },
      spec: { ...spec, volumes: [{ name: 'k', ...source }] },
      status: crashed({ exitCode: 255 }),
    }),
    logs: lastWords(...lines),
  });
  const secret = { secret: { secretName: 'deploy' } };
  const SSH = [
    '@         WARNING: UNPROTECTED PRIVATE KEY FILE!          @',
    "Permissions 0644 for '/keys/id_rsa' are too open.",
    'It is required that your private key files are NOT accessible by others.',
    'This private key will be ignored.',
    'Load key "/keys/id_rsa": bad permissions',
    'git@git.example: Permission denied (publickey).',
    'fatal: Could not read from remote repository.',
  ];
  const COOKIE = '[error] Cookie file /keys/.erlang.cookie must be accessible by owner only';
  const as70 = { securityContext: { runAsUser: 70 } };
  tellsEach([
    [
      'of ssh, above what follows from it',
      key({}, secret, ...SSH),
      'permission-denied',
      /refuses \/keys\/id_rsa, which others may read: volume k \(Secret deploy\) has the mode 0644; set its defaultMode to 0400$/,
      [/secret\.defaultMode: 0644/],
    ],
    [
      'of another user',
      key(as70, secret, 'FATAL:  private key file "/keys/tls.key" has group or world access'),
      'permission-denied',
      /set its defaultMode to 0440, and fsGroup so that user 70 may read it$/,
    ],
    [
      'of a group',
      key({ securityContext: { fsGroup: 7 } }, { secret: { secretName: 'd', defaultMode: 0o400 } }, ...SSH),
      'permission-denied',
      /has the mode 0400, which fsGroup 7 makes 0440; set no fsGroup \(7\), which lets its group read it$/,
    ],
    [
      'that must be its own, of a program that changes its user',
      {
        ...endedWith(
          {
            container: {
              command: ['setpriv', '--reuid=rabbitmq', 'rabbitmq-server'],
              volumeMounts: [{ name: 'k', mountPath: '/keys' }],
            },
            spec: { volumes: [{ name: 'k', ...secret }] },
          },
          [COOKIE],
        ),
      },
      'permission-denied',
      /belong to root and not to rabbitmq, to which it changes, so that only a copy that an init container makes will do$/,
    ],
    [
      'that must be its own',
      key(as70, secret, COOKIE),
      'permission-denied',
      /only a copy that an init container makes/,
    ],
  ]);
});

describe('a program that only says how it is called', () => {
  tellsEach([
    [
      'below what it says of itself',
      crash(
        1,
        'HAProxy version 2.6.12 - https://haproxy.org/',
        'Usage : haproxy [-f <file>]*',
        '        -v displays version',
      ),
      'exit-code',
      /its last line is: Usage : haproxy .*: it does not understand its arguments$/,
    ],
  ]);
});

describe('fields of the specification that name what is not there', () => {
  const node = {
    name: 'n1',
    node: { metadata: { name: 'n1' }, status: { nodeInfo: { containerRuntimeVersion: 'containerd://2.0' } as never } },
  };
  const unset = { podStatus: { phase: 'Pending' } };
  tellsEach([
    [
      'a variable of subPathExpr',
      {
        pod: pod({
          container: { env: [{ name: 'PODNAME', value: 'x' }] },
          status: waiting(
            'CreateContainerConfigError',
            'failed to expand subPathExpr "$(POD_NAME)" of container "web"',
          ),
          ...unset,
        }),
      },
      'config-error',
      /of container "web": it has no variable POD_NAME, but PODNAME$/,
    ],
    [
      'a label',
      {
        pod: pod({
          container: { env: [{ name: 'SHARD', valueFrom: { fieldRef: { fieldPath: "metadata.labels['shard']" } } }] },
          status: crashed({ exitCode: 1 }),
        }),
        logs: lastWords(
          'Traceback (most recent call last):',
          '  File "/app/main.py", line 3, in <module>',
          '    shard = int(os.environ["SHARD"])',
          "ValueError: invalid literal for int() with base 10: ''",
        ),
      },
      'exit-code',
      /its variable SHARD is empty, as its pod has no label shard|that line reads its variable SHARD, which is empty, as its pod has no label shard$/,
    ],
    [
      'a profile',
      {
        pod: pod({
          container: { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'audit.json' } } },
          status: waiting(
            'CreateContainerError',
            'cannot load seccomp profile "/var/lib/seccomp/audit.json": open /var/lib/seccomp/audit.json: no such file or directory',
          ),
          ...unset,
        }),
      },
      'start-refused',
      /its seccomp profile audit\.json \(seccompProfile\.localhostProfile\) is not on node n1/,
    ],
    [
      'the socket of another runtime',
      {
        pod: pod({ status: waiting('ContainerCreating'), ...unset }),
        node,
        events: [
          event(
            'FailedMount',
            'MountVolume.SetUp failed for volume "sock" : hostPath type check failed: /var/run/docker.sock is not a socket file',
          ),
        ],
      },
      'volume-mount',
      /docker\.sock is not a socket file: its node runs containerd, and has no socket of docker$/,
    ],
  ]);
});

describe('values that hold what nobody sees', () => {
  const ref = (name: string, key: string) => ({ valueFrom: { secretKeyRef: { name, key } } });
  const container = {
    env: [
      { name: 'DB_HOST', ...ref('db', 'host') },
      { name: 'DB_PASSWORD', ...ref('db', 'password') },
    ],
  };
  const given = (odd: ConfigEvidence['odd'], line: string): Partial<PodEvidence> => ({
    pod: pod({ container, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(line),
    configs: [found('Secret', 'db', ['host', 'password'], odd)],
  });
  tellsEach([
    [
      'a password',
      given({ password: 'ends with a line end' }, 'Error: password authentication failed for user "app"'),
      'authentication-refused',
      /\(with DB_PASSWORD of Secret db, whose value ends with a line end\)/,
    ],
    [
      'a host',
      given({ host: 'is encoded twice (its value is base64 again)' }, 'Error: getaddrinfo ENOTFOUND ZGI='),
      'dependency-not-resolved',
      /; the value of its variable DB_HOST, of Secret db, is encoded twice/,
    ],
    ['nothing odd', given({}, 'Error: getaddrinfo ENOTFOUND pg'), 'dependency-not-resolved', /does not find pg [^;]*$/],
  ]);
});

describe('names that are nearly right', () => {
  const without = (alike: Partial<ConfigEvidence>): Partial<PodEvidence> => ({
    pod: pod({
      status: waiting('CreateContainerConfigError', 'configmap "shop-confg" not found'),
      podStatus: { phase: 'Pending' },
    }),
    configs: [{ kind: 'ConfigMap', name: 'shop-confg', state: 'missing', keys: [], ...alike }],
  });
  const image = (name: string): Partial<PodEvidence> => ({
    pod: pod({
      container: { image: name },
      status: waiting('ErrImageNeverPull', `Container image "${name}" is not present with pull policy of Never`),
      podStatus: { phase: 'Pending' },
    }),
    node: {
      name: 'n1',
      node: {
        metadata: { name: 'n1' },
        status: { images: [{ names: ['registry.example/shop/api:1.4', 'registry.example/shop/web@sha256:1'] }] },
      },
    },
  });
  tellsEach([
    [
      'a ConfigMap',
      without({ similar: ['shop-config'] }),
      'missing-config',
      /there is no ConfigMap shop-confg in namespace shop; there is shop-config$/,
    ],
    [
      'one of another namespace',
      without({ elsewhere: ['base'] }),
      'missing-config',
      /in namespace shop, but one in namespace base$/,
    ],
    [
      'another tag',
      image('registry.example/shop/api:1.5'),
      'image-never-pulled',
      /its node has registry\.example\/shop\/api:1\.4$/,
    ],
    [
      'another letter',
      image('registry.example/shop/apl:1.4'),
      'image-never-pulled',
      /its node has registry\.example\/shop\/api:1\.4$/,
    ],
    ['another program', image('registry.example/shop/web:2.0'), 'image-never-pulled', /forbids to pull it$/],
  ]);
});
