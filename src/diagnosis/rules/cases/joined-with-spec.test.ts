/** Tests findings that join what a program said with what its pod's specification says: variables, mounts, users, volumes. */
import { describe } from 'vitest';
import { crashed, history, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, configured, crash, startError, tellsEach } from './cases.fixtures.ts';

/** A container that ended with these words, and its specification. */
const ended = (container: object, ...lines: readonly string[]): Partial<PodEvidence> =>
  endedIn({}, container, ...lines);
const endedIn = (spec: object, container: object, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container, spec, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
});
const mounts = (mountPath: string, subPath?: string): object => ({
  volumeMounts: [{ name: 'v', mountPath, ...(subPath !== undefined && { subPath }) }],
});
const volume = (source: object): object => ({ volumes: [{ name: 'v', ...source }] });
const env = (...pairs: readonly (readonly [string, string])[]): object => ({
  env: pairs.map(([name, value]) => ({ name, value })),
});

const INT = "ValueError: invalid literal for int() with base 10: '5m'";
const LINK = "ValueError: invalid literal for int() with base 10: 'tcp://10.96.0.4:6379'";

const PRICING = 'pricing not reachable yet ([Errno 111] Connection refused), attempt 4';
const two = env(['PRICING_URL', 'http://pricing:8080/'], ['STOCK_URL', 'http://stock:8080/']);

const oddNames: readonly Case[] = [
  [
    'a variable whose name means something to patterns',
    ended(env(['CACHE(TTL', '5m']), INT),
    'exit-code',
    /; that is the value of its variable CACHE\(TTL \(exit code 1\)$/,
  ],
];

const peers: readonly Case[] = [
  [
    'one of several peers, by its name in the line',
    ended(two, PRICING),
    'dependency-refused',
    /a peer, which by its variable PRICING_URL is pricing:8080,/,
  ],
  [
    'a peer of its command, by its name in the line',
    ended({ command: ['python3', '-c', 'get("http://pricing:8080/"); get("http://stock/")'] }, PRICING),
    'dependency-refused',
    /a peer, which by its command is pricing:8080,/,
  ],
  [
    'no peer that the line does not name',
    ended(two, 'backend not reachable yet ([Errno 111] Connection refused)'),
    'dependency-refused',
    /refused by a peer and ends/,
  ],
];

const shell = (text: string): object => ({ command: ['sh', '-c', text] });

const keyed = (...variables: readonly string[]): object => ({
  env: variables.map((name) => ({ name, valueFrom: { secretKeyRef: { name: 'copies', key: name.toLowerCase() } } })),
});
const PHRASE = 'passphrase supplied in STORE_PASSPHRASE, by STORE_PASSCOMMAND or via STORE_FD is incorrect';

const ofKeys: readonly Case[] = [
  [
    'a variable that the line names, of a Secret',
    ended(keyed('STORE_PASSPHRASE'), PHRASE),
    'exit-code',
    /is incorrect \(exit code 1\); STORE_PASSPHRASE is of Secret copies, key store_passphrase$/,
    [/env\[0\] \(STORE_PASSPHRASE\): Secret copies, key store_passphrase/],
  ],
  [
    'none of two that the line names',
    ended(keyed('STORE_PASSPHRASE', 'STORE_FD'), PHRASE),
    'exit-code',
    /is incorrect \(exit code 1\)$/,
  ],
  ['none that is a common word', ended(keyed('PATH'), 'PATH is wrong'), 'exit-code', /is wrong(?!.*Secret)/],
];

const notSet: readonly Case[] = [
  [
    'a variable of the command that nothing sets, of pg_isready',
    ended(shell('pg_isready -h $DB_HOST -p 5432 || exit 1'), ':5432 - no response'),
    'dependency-refused',
    /; its command uses DB_HOST, which nothing sets$/,
  ],
  [
    'no variable that the command sets itself',
    ended(shell('DB_HOST=$(cat /h); pg_isready -h $DB_HOST || exit 1'), ':5432 - no response'),
    'dependency-refused',
    /:5432 - no response$/,
  ],
  [
    'a URL without a host',
    ended(shell('wget -qO- http://$API_HOST/v1 || exit 1'), 'http:///v1: Invalid host name.'),
    'exit-code',
    /Invalid host name \(exit code 1\); its command uses API_HOST, which nothing sets$/,
  ],
  [
    'a host that is empty',
    ended(env(['DB_HOST', '']), 'dial tcp :5432: connect: connection refused'),
    'dependency-refused',
    /; its variable DB_HOST is set, and empty$/,
  ],
  [
    'a name that languages write for nothing',
    ended({}, 'Error: getaddrinfo ENOTFOUND undefined'),
    'dependency-not-resolved',
    /does not find undefined \(no such name; programs write that for a value that is not set\)/,
  ],
  [
    'a heap without a unit',
    ended(env(['JAVA_OPTS', '-Xmx256']), 'Error occurred during initialization of VM', 'Too small maximum heap'),
    'exit-code',
    /; -Xmx256 of its variable JAVA_OPTS has no unit, and so is 256 bytes$/,
  ],
  [
    'an option that is refused, and the variable that has it among others',
    ended(env(['JAVA_OPTS', '-server -Xmx2gb']), 'Invalid maximum heap size: -Xmx2gb'),
    'exit-code',
    /; -Xmx2gb is in its variable JAVA_OPTS/,
  ],
];

const variables: readonly Case[] = [
  [
    'the only variable of that value',
    ended(env(['CACHE_TTL', '5m'], ['MODE', 'fast']), INT),
    'exit-code',
    /; that is the value of its variable CACHE_TTL \(exit code 1\)$/,
  ],
  [
    'two variables of that value',
    ended(env(['CACHE_TTL', '5m'], ['WAIT', '5m']), INT),
    'exit-code',
    /'5m' \(exit code 1\)$/,
  ],
  [
    'the line of code that reads it',
    ended(
      {},
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 3, in <module>',
      '    TTL = int(os.environ["CACHE_TTL"])',
      INT,
    ),
    'exit-code',
    /; that line reads its variable CACHE_TTL, which its pod does not set$/,
  ],
  [
    'the only variable that is empty, where a value lacks',
    ended(
      {
        env: [
          { name: 'PORT', value: '8080' },
          { name: 'JWT_SECRET', value: '' },
        ],
      },
      'Error: secretOrPrivateKey must have a value',
      '    at sign (/app/server.js:4:9)',
    ),
    'exit-code',
    /its variable JWT_SECRET is set, and empty$/,
  ],
  [
    'the line of code that Node.js quotes above its error',
    ended(
      {},
      '/app/server.js:7',
      "const origins = process.env.CORS_ORIGINS.split(',').map((s) => s.trim());",
      '                                         ^',
      '',
      "TypeError: Cannot read properties of undefined (reading 'split')",
      '    at Object.<anonymous> (/app/server.js:7:42)',
    ),
    'exit-code',
    /at server\.js:7 \(exit code 1\); that line reads its variable CORS_ORIGINS, which its pod does not set$/,
  ],
  [
    'what Kubernetes sets for a service',
    ended(
      {},
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 3, in <module>',
      '    PORT = int(os.environ.get("REDIS_PORT", "6379"))',
      LINK,
    ),
    'exit-code',
    /its variable REDIS_PORT is set by Kubernetes for service redis; enableServiceLinks/,
  ],
  [
    'the same, by the name of a setting',
    ended(
      {},
      "java.lang.IllegalStateException: Could not bind setting 'redis.port'",
      '\tat com.acme.Settings.number(Main.java:60)',
      'Caused by: java.lang.NumberFormatException: For input string: "tcp://10.96.0.4:6379"',
      '\tat com.acme.Settings.number(Main.java:61)',
    ),
    'exit-code',
    /its variable REDIS_PORT is set by Kubernetes for service redis/,
  ],
  [
    'a reference to a later variable',
    ended(
      env(['URL', 'postgres://$(DB_USER)@$(DB_HOST)/app'], ['DB_HOST', 'db'], ['DB_USER', 'app']),
      'Error: getaddrinfo ENOTFOUND $(DB_HOST)',
    ),
    'unexpanded-variable',
    /^variable URL of container web refers to \$\(DB_HOST\), which is defined after it/,
  ],
  [
    'a reference to nothing',
    ended(env(['URL', 'http://$(API)/']), 'Error: invalid URL http://$(API)/'),
    'unexpanded-variable',
    /refers to \$\(API\), which nothing defines/,
  ],
];

const drop = { securityContext: { capabilities: { drop: ['ALL'] } } };

const permissions: readonly Case[] = [
  [
    'a capability that is dropped',
    ended(drop, "chown: changing ownership of '/var/lib/app': Operation not permitted"),
    'permission-denied',
    /may not change the owner of files, because its capability CHOWN is dropped: chown/,
  ],
  [
    'a file without its folder, in the working directory',
    ended(
      { workingDir: '/srv', securityContext: { runAsUser: 1000 } },
      "Error: EACCES: permission denied, mkdir 'logs'",
      '    at mkdirSync (node:fs:1410:26)',
    ),
    'permission-denied',
    /may not use logs in its working directory \/srv as user 1000: Error: EACCES: permission denied, mkdir 'logs'/,
  ],
  [
    'the same as Go prints it, without a known directory',
    ended({}, '2026/01/31 12:00:00 open data/app.db: permission denied'),
    'permission-denied',
    /may not use data\/app\.db in its working directory: /,
  ],
  [
    'the same without a drop is about the file',
    ended({}, "chown: changing ownership of '/var/lib/app': Operation not permitted"),
    'permission-denied',
    /may not use \/var\/lib\/app: permission denied/,
  ],
  [
    'a capability that nobody has by itself',
    ended({}, "iptables v1.8: can't initialize iptables table `nat': Operation not permitted"),
    'permission-denied',
    /for which it needs the capability NET_ADMIN/,
  ],
  [
    'a wrong owner',
    endedIn({ securityContext: { runAsUser: 70 } }, {}, 'FATAL:  data directory "/data/pg" has wrong ownership'),
    'permission-denied',
    /refuses \/data\/pg, which has wrong ownership \(it runs as user 70\)/,
  ],
  [
    'a file that the line does not name, where only one volume can be meant',
    endedIn(
      { ...volume({ emptyDir: {} }), securityContext: { runAsUser: 1999 } },
      mounts('/data'),
      'Opening the temp file for AOF rewrite in rewriteAppendOnlyFile(): Permission denied',
    ),
    'permission-denied',
    /may not do what it wants, perhaps in \/data as user 1999 in volume v, and its pod has no fsGroup: Opening the temp file/,
  ],
  [
    'a file that the line does not name, with a volume that the group of its pod may write',
    endedIn(
      { ...volume({ emptyDir: {} }), securityContext: { runAsUser: 1999, fsGroup: 1999 } },
      mounts('/data'),
      'Opening the temp file for AOF rewrite in rewriteAppendOnlyFile(): Permission denied',
    ),
    'permission-denied',
    /may not do what it wants: Opening the temp file/,
  ],
  [
    'a Secret whose mode keeps its user out',
    endedIn(
      { ...volume({ secret: { secretName: 'tls-api', defaultMode: 0o400 } }), securityContext: { runAsUser: 1000 } },
      mounts('/etc/tls'),
      "Error: EACCES: permission denied, open '/etc/tls/tls.key'",
    ),
    'permission-denied',
    /may not use \/etc\/tls\/tls\.key as user 1000, as volume v \(Secret tls-api\) has the mode 0400 and its pod has no fsGroup/,
  ],
  [
    'a read-only root',
    ended(
      { securityContext: { readOnlyRootFilesystem: true } },
      'open() "/var/log/app.log" failed (30: Read-only file system)',
    ),
    'read-only-file-system',
    /cannot write \/var\/log\/app\.log: the file system is read-only \(readOnlyRootFilesystem\)/,
  ],
];

const volumes: readonly Case[] = [
  [
    'the only volume of a bounded size',
    endedIn(
      volume({ emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } }),
      mounts('/backup'),
      'gzip: stdout: No space left on device',
    ),
    'no-space',
    /no space is left perhaps in volume v in memory, of 16Mi, at \/backup/,
  ],
  [
    'an error of InnoDB by its number',
    endedIn(
      volume({ emptyDir: { sizeLimit: '96Mi' } }),
      mounts('/var/lib/mysql'),
      '[ERROR] InnoDB: Write to file /var/lib/mysql/ib_logfile101 failed with error 28',
    ),
    'no-space',
    /no space is left in volume v, of 96Mi/,
  ],
  [
    'a whole ConfigMap where a file is read',
    endedIn(
      volume({ configMap: { name: 'tax' } }),
      mounts('/app/settings.json'),
      'Error: EISDIR: illegal operation on a directory, read',
    ),
    'mount-mismatch',
    /reads \/app\/settings\.json as a file, but it is a directory: ConfigMap tax is mounted there as a whole/,
  ],
  [
    'a volume that hides the libraries of the image',
    endedIn(
      volume({ configMap: { name: 'app' } }),
      mounts('/opt/node'),
      "Error: Cannot find module '/opt/node/node_modules/express'",
    ),
    'missing-module',
    /\(volume v, of ConfigMap app, is mounted at \/opt\/node, and hides what the image has there\)/,
  ],
  [
    'no token of a service account',
    endedIn(
      { serviceAccountName: 'operator' },
      {},
      "FileNotFoundError: [Errno 2] No such file or directory: '/var/run/secrets/kubernetes.io/serviceaccount/token'",
    ),
    'missing-setting',
    /has no token of its service account operator: automountServiceAccountToken is false there/,
  ],
  [
    'a file of a ConfigMap that is not there is no directory',
    configured({ configMap: { name: 'conf' } }, "open '/etc/app/app.yaml': no such file or directory"),
    'missing-setting',
    /does not find its file \/etc\/app\/app\.yaml in volume conf/,
  ],
];

const ends: readonly Case[] = [
  [
    'an error before an end with 0',
    crash(0, 'starting httpd', 'httpd (pid 1) already running'),
    'exit-code',
    /ends: httpd \(pid 1\) already running \(with exit code 0, as if all were well\)/,
  ],
  [
    'a program without work',
    crash(0, 'crm-sync starting', 'WORKER is off, nothing to do'),
    'completed-under-always',
    /its last words are: WORKER is off, nothing to do/,
  ],
  [
    'a command line in one text',
    startError('exec: "node /srv/server.js": stat node /srv/server.js: no such file or directory: unknown'),
    'missing-binary',
    /its command is one text, "node \/srv\/server\.js"/,
  ],
  [
    'connections that are used up',
    crash(1, 'KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full.'),
    'connections-exhausted',
    /gets no connection any more/,
  ],
  [
    'TLS of a peer without it',
    crash(1, 'pq: SSL is not enabled on the server'),
    'tls-mismatch',
    /wants TLS of a peer that does not speak it/,
  ],
  [
    'a peer that asks for a password',
    crash(1, 'ReplyError: NOAUTH Authentication required.'),
    'authentication-refused',
    /which wants a password, and it gives none/,
  ],
  [
    'a peer without a rule for it',
    crash(1, 'FATAL:  no pg_hba.conf entry for host "10.2.0.8", user "app", database "app", no encryption'),
    'authentication-refused',
    /its peer, whose pg_hba\.conf has no rule for it/,
  ],
];

describe('variables with odd names', () => {
  tellsEach(oddNames);
});
describe('peers of its specification', () => {
  tellsEach(peers);
});
describe('variables', () => {
  tellsEach(variables);
  tellsEach(notSet);
});
describe('permissions', () => {
  tellsEach(permissions);
});
describe('volumes', () => {
  tellsEach(volumes);
});
describe('ends', () => {
  tellsEach(ends);
});

describe('files of ConfigMaps and Secrets', () => {
  const users = (...keys: readonly string[]): Partial<PodEvidence> => ({
    ...endedIn(
      volume({ secret: { secretName: 'users' } }),
      mounts('/config'),
      'Error: Unable to open pwfile "/config/passwd".',
    ),
    configs: [{ kind: 'Secret', name: 'users', state: 'found', keys }],
  });
  const mandates = (...keys: readonly string[]): Partial<PodEvidence> => ({
    ...configured({ configMap: { name: 'mandates' } }, "open '/etc/app/app.yaml': no such file or directory"),
    configs: [{ kind: 'ConfigMap', name: 'mandates', state: 'found', keys }],
  });
  tellsEach([
    [
      'another key',
      users('passwords'),
      'exit-code',
      /; \/config\/passwd would be of Secret users, which has only passwords$/,
    ],
    ['that key', users('passwd'), 'exit-code', /; \/config\/passwd is of Secret users$/],
    [
      'a name that is told already',
      mandates('app.yml'),
      'missing-setting',
      /in volume conf \(ConfigMap mandates\).*; it has only app\.yml$/,
    ],
  ]);
});

describe('the network of a pod', () => {
  const db = {
    namespace: 'shop',
    name: 'db',
    missing: false,
    clusterIPs: ['10.96.0.4'],
    ports: [5432],
    ready: 1,
    notReady: 0,
  };
  tellsEach([
    [
      'a pod that does not ask the DNS of its cluster',
      { ...endedIn({ dnsPolicy: 'Default' }, {}, 'Error: getaddrinfo ENOTFOUND db'), services: [db] },
      'dependency-not-resolved',
      /service db is there, but its pod has dnsPolicy Default, and so does not ask the cluster's DNS$/,
    ],
    [
      'an address that the pod gave a name itself',
      endedIn(
        { hostAliases: [{ ip: '10.2.3.4', hostnames: ['db.example'] }] },
        {},
        'Error: connect EHOSTUNREACH 10.2.3.4:5432',
      ),
      'dependency-times-out',
      /finds no way to its peer \(its hostAliases give db\.example the address 10\.2\.3\.4\)/,
    ],
    [
      'a port that a service does not have',
      { ...ended({}, 'Error: connect ECONNREFUSED db:5433'), services: [db] },
      'dependency-refused',
      /service db has no port 5433, but 5432$/,
    ],
    [
      'endpoints that somebody wrote, where nobody is',
      {
        ...ended({}, 'Error: cannot reach the ledger: connect EHOSTUNREACH db:5432'),
        services: [{ ...db, written: ['10.2.255.77:5432'] }],
      },
      'dependency-times-out',
      /finds no way to its peer \(the endpoint that was written by hand for service db is 10\.2\.255\.77:5432\): .*db:5432$/,
    ],
    [
      'endpoints that somebody wrote, which refuse',
      {
        ...ended({}, 'Error: connect ECONNREFUSED db:5432'),
        services: [{ ...db, written: ['10.2.255.77:5432', '10.2.255.78:5432'] }],
      },
      'dependency-refused',
      /and ends: the endpoints that were written by hand for service db are 10\.2\.255\.77:5432 and 10\.2\.255\.78:5432$/,
    ],
    [
      'another name that nobody knows',
      {
        ...ended({}, 'Error: getaddrinfo ENOTFOUND db'),
        services: [{ ...db, clusterIPs: [], externalName: 'db.corp.example' }],
      },
      'dependency-not-resolved',
      /: service db is only another name of db\.corp\.example, which no DNS server knows$/,
    ],
    [
      'another name that is an address',
      {
        ...ended({}, 'Error: getaddrinfo ENOTFOUND db'),
        services: [{ ...db, clusterIPs: [], externalName: '10.1.2.3' }],
      },
      'dependency-not-resolved',
      /: service db is only another name of 10\.1\.2\.3, which is an address and no name$/,
    ],
    [
      'a connection that is closed, and the only host of its code',
      {
        ...ended({ command: ['python3', '-c', 'connect(host="db", user="app")'] }, 'Error: Connection reset by peer'),
        services: [{ ...db, written: ['10.2.255.77:5432'] }],
      },
      'dependency-closes',
      /loses the connection to its peer db \(by its command\) \(the endpoint that was written by hand for service db is 10\.2\.255\.77:5432\)/,
    ],
    [
      'a variable that names it',
      ended(env(['HTTP_PROXY', 'http://proxy.corp.example:3128']), 'Error: getaddrinfo ENOTFOUND proxy.corp.example'),
      'dependency-not-resolved',
      /; proxy\.corp\.example is in its variable HTTP_PROXY$/,
    ],
    [
      'a member that is not among those of its cluster',
      ended(
        env(['INITIAL_CLUSTER', 'etcd-0=http://kv-0.kv:2380,etcd-1=http://kv-1.kv:2380']),
        'etcdmain: couldn\'t find local name "kv-0" in the initial cluster configuration',
      ),
      'exit-code',
      /; its variable INITIAL_CLUSTER names the members etcd-0 and etcd-1$/,
    ],
  ]);
});

describe('memory', () => {
  const killed = (rssBytes: number, metadata: object = {}): Partial<PodEvidence> => ({
    pod: pod({
      container: { resources: { limits: { memory: '64Mi' } }, volumeMounts: [{ name: 'spool', mountPath: '/spool' }] },
      spec: { volumes: [{ name: 'spool', emptyDir: { medium: 'Memory' } }] },
      status: crashed({ exitCode: 137, reason: 'OOMKilled' }),
      metadata,
    }),
    history: history({
      exitCode: 137,
      reason: 'OOMKilled',
      oom: { kills: 1, processes: [{ name: 'python3', pid: 7, rssBytes }], sources: ['cgroup'] },
    }),
  });
  const note = {
    annotations: { 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: memory limit for container web' },
  };
  tellsEach([
    [
      'files that count',
      killed(15 * 2 ** 20),
      'out-of-memory',
      /at its limit of 64Mi; files in its volume spool, which is in memory at \/spool, count, too$/,
    ],
    ['a process that had all', killed(60 * 2 ** 20), 'out-of-memory', /at its limit of 64Mi$/],
    [
      'a limit by default',
      killed(60 * 2 ** 20, note),
      'out-of-memory',
      /at its limit of 64Mi \(a default of a LimitRange of its namespace\)$/,
    ],
    [
      'the LimitRange with that default',
      {
        ...killed(60 * 2 ** 20, note),
        limitRanges: [
          { metadata: { name: 'other' }, spec: { limits: [{ type: 'Container', default: { memory: '1Gi' } }] } },
          { metadata: { name: 'small' }, spec: { limits: [{ type: 'Container', default: { memory: '65536Ki' } }] } },
        ],
      },
      'out-of-memory',
      /at its limit of 64Mi \(the default of LimitRange small of its namespace\)$/,
    ],
  ]);
});

describe('what may be left out, and what stands beside', () => {
  const optional = {
    env: [{ name: 'STRIPE_KEY', valueFrom: { secretKeyRef: { name: 'payments', key: 'key', optional: true } } }],
  };
  const config = (state: 'missing' | 'found', keys: readonly string[] = []): Partial<PodEvidence> => ({
    ...ended(optional, 'Error: Neither apiKey nor authenticator provided'),
    configs: [{ kind: 'Secret', name: 'payments', state, keys }],
  });
  tellsEach([
    [
      'a Secret that is not there',
      config('missing'),
      'exit-code',
      /its optional variable STRIPE_KEY is not set, because there is no Secret payments$/,
    ],
    ['a key that is not there', config('found', ['apikey']), 'exit-code', /because Secret payments has no key key$/],
    ['a key that is there', config('found', ['key']), 'exit-code', /authenticator provided \(exit code 1\)$/],
    [
      'a variable of nearly that name',
      ended(env(['SMTP_HOSTNAME', 'mail']), "KeyError: 'SMTP_HOST'"),
      'missing-setting',
      /lacks the environment variable SMTP_HOST; it has SMTP_HOSTNAME/,
    ],
    [
      'a variable with another first word',
      ended(env(['DATABASE_HOST', 'db'], ['DATABASE_PORT', '1']), "KeyError: 'DB_HOST'"),
      'missing-setting',
      /lacks the environment variable DB_HOST; it has DATABASE_HOST/,
    ],
    [
      'a prefix',
      ended({ envFrom: [{ prefix: 'DB_', configMapRef: { name: 'db' } }] }, "KeyError: 'DB_HOST'"),
      'missing-setting',
      /its envFrom puts a prefix before each key of ConfigMap db \(DB_\)/,
    ],
    [
      'nothing in the pod itself',
      ended({}, 'Error: connect ECONNREFUSED 127.0.0.1:3128'),
      'dependency-refused',
      /is refused by 127\.0\.0\.1:3128 and ends: nothing in its own pod listens there$/,
    ],
  ]);
});
describe('variables of keys', () => {
  tellsEach(ofKeys);
});
