/** Causes that are joined with what stands in the pod's ConfigMaps. */
import { describe } from 'vitest';
import { ago, crashed, event, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const map = (texts: Readonly<Record<string, string>>, name = 'app'): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys: Object.keys(texts),
  texts,
});

const ofVariables = (texts: Readonly<Record<string, string>>, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container: { envFrom: [{ configMapRef: { name: 'app' } }] }, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
  configs: [map(texts)],
});

const ofFiles = (texts: Readonly<Record<string, string>>, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
    spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  configs: [map(texts)],
});

const variables: readonly Case[] = [
  [
    'the value that an error quotes',
    ofVariables({ CACHE_TTL: '5m', MODE: 'fast' }, "ValueError: invalid literal for int() with base 10: '5m'"),
    'exit-code',
    /; that is the value of its variable CACHE_TTL of ConfigMap app, key CACHE_TTL \(exit code 1\)$/,
  ],
  [
    'the peer that the log does not name',
    ofVariables({ DB_HOST: 'orders-db', DB_PORT: '5433' }, 'database: connection refused'),
    'dependency-refused',
    /a peer, which by its variable DB_HOST of ConfigMap app, key DB_HOST is orders-db:5433,/,
  ],
];

const heaps: readonly Case[] = [
  [
    'of Java',
    ofVariables(
      { JAVA_TOOL_OPTIONS: '-Xmx48m -XX:+UseSerialGC' },
      'Picked up JAVA_TOOL_OPTIONS: -Xmx48m -XX:+UseSerialGC',
      'ERROR matcher - unrecoverable: java.lang.OutOfMemoryError: Java heap space',
    ),
    'heap-exhausted',
    /its Java heap is full \(-Xmx48m of its variable JAVA_TOOL_OPTIONS of ConfigMap app, key JAVA_TOOL_OPTIONS\)$/,
    [/envFrom\[0\] \(JAVA_TOOL_OPTIONS\): -Xmx48m/],
  ],
  [
    'of Node.js',
    ofVariables(
      { NODE_OPTIONS: '--max-old-space-size=48' },
      '<--- JS stacktrace --->',
      'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory',
    ),
    'heap-exhausted',
    /its JavaScript heap is full \(--max-old-space-size=48 of its variable NODE_OPTIONS of ConfigMap app, key NODE_OPTIONS\)/,
  ],
];

const settings: readonly Case[] = [
  [
    'pydantic, whose fields are small letters',
    ofVariables(
      { DB_POOL_SIZE: 'ten', INDEX_NAME: 'products' },
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 7, in <module>',
      '    settings = Settings()',
      'pydantic.error_wrappers.ValidationError: 1 validation error for Settings',
      'db_pool_size',
      '  value is not a valid integer (type=type_error.integer)',
    ),
    'exit-code',
    /db_pool_size \(value is not a valid integer\).*; its variable DB_POOL_SIZE of ConfigMap app, key DB_POOL_SIZE sets db_pool_size$/,
    [/envFrom\[0\] \(DB_POOL_SIZE\)/],
  ],
  [
    'Spring, with dots',
    ofVariables(
      { SERVER_PORT: 'x80', SPRING_PROFILES_ACTIVE: 'prod' },
      "Failed to bind properties under 'server.port' to java.lang.Integer: failed to convert java.lang.String to java.lang.Integer",
    ),
    'exit-code',
    /; its variable SERVER_PORT of ConfigMap app, key SERVER_PORT sets server\.port$/,
  ],
  [
    'a struct of Go, with humps',
    ofVariables({ APP_MAX_CONNS: 'many', APP_MODE: 'x' }, 'config: field MaxConns: cannot parse value as int'),
    'exit-code',
    /; its variable APP_MAX_CONNS of ConfigMap app, key APP_MAX_CONNS sets MaxConns$/,
  ],
  [
    'a nested field',
    ofVariables({ APP__DATABASE__POOL_SIZE: 'ten' }, 'database.pool_size: Input should be a valid integer'),
    'exit-code',
    /; its variable APP__DATABASE__POOL_SIZE of .* sets database\.pool_size$/,
  ],
  [
    'its own name, and where it stands',
    ofVariables({ CACHE_TTL: '-5', MODE: 'x' }, 'FATAL: CACHE_TTL must be a positive number'),
    'exit-code',
    /; its variable CACHE_TTL is of ConfigMap app, key CACHE_TTL$/,
  ],
  [
    'nothing for two of one name',
    ofVariables({ A_POOL_SIZE: '1', B_POOL_SIZE: '2' }, 'invalid value for pool_size'),
    'exit-code',
    /invalid value for pool_size \(exit code 1\)$/,
  ],
  [
    'nothing for another variable, whose name ends alike',
    ofVariables({ APP_POOL_SIZE: '1' }, 'FATAL: POOL_SIZE must be a number'),
    'exit-code',
    /POOL_SIZE must be a number \(exit code 1\)$/,
  ],
  [
    'nothing for what is no setting',
    ofVariables({ ORDER_ITEMS: '3' }, 'panic: cannot render order_items: template broke'),
    'exit-code',
    /template broke \(exit code 1\)$/,
  ],
  [
    'of several variables that a line of code reads, the one that the error is about',
    ofVariables(
      { QUEUE: 'orders', QUEUE_DURABLE: 'false' },
      'Traceback (most recent call last):',
      '  File "/app/consumer.py", line 7, in <module>',
      '    ch.queue_declare(os.environ["QUEUE"],durable=os.environ["QUEUE_DURABLE"]=="true")',
      `pika.exceptions.ChannelClosedByBroker: (406, "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'orders' in vhost '/'")`,
    ),
    'exit-code',
    /; that line reads its variable QUEUE_DURABLE \("false", of ConfigMap app, key QUEUE_DURABLE\)$/,
  ],
];

const files: readonly Case[] = [
  [
    'the setting that an error names, and its line',
    ofFiles(
      { 'app.conf': 'workers = 4\nmax_conections = 9\n', 'other.conf': 'name = web\n' },
      "FATAL: unrecognized setting 'max_conections'",
    ),
    'exit-code',
    /max_conections.*; its configuration \/etc\/app\/app\.conf is of ConfigMap app \(line 2\)/,
  ],
  [
    'the value that an error quotes',
    ofFiles({ 'a.yaml': 'level: verbose-ish\n', 'b.yaml': 'mode: fast\n' }, 'ERROR: unknown log level "verbose-ish"'),
    'exit-code',
    /; its configuration \/etc\/app\/a\.yaml is of ConfigMap app \(line 1\)/,
  ],
  [
    'no file when two have the word',
    ofFiles({ 'a.yaml': 'x: verbose-ish\n', 'b.yaml': 'y: verbose-ish\n' }, 'ERROR: no such word "verbose-ish"'),
    'exit-code',
    /no such word "verbose-ish"(?!.*configuration)/,
  ],
  [
    'the peer that the log does not name',
    ofFiles({ 'app.yaml': 'db:\n  host: orders-db\n  port: 5433\n' }, 'database: connection refused'),
    'dependency-refused',
    /a peer, which by its ConfigMap app, key app\.yaml is orders-db:5433,/,
  ],
];

const spelling: readonly Case[] = [
  [
    'a section that is spelt otherwise in its file',
    ofFiles(
      { 'remotes.conf': '# copies\n[cold-store]\ntype = sftp\n' },
      "didn't find section in config file for 'coldstore:nightly/db'",
    ),
    'exit-code',
    /\(exit code 1\); its configuration \/etc\/app\/remotes\.conf, of ConfigMap app, has cold-store instead \(line 2\)$/,
  ],
  [
    'a receiver in YAML',
    ofFiles(
      { 'am.yml': 'route:\n  receiver: team_pay\nreceivers:\n- name: team-pay\n- name: team-web\n' },
      'undefined receiver "team.pay" used in route',
    ),
    'exit-code',
    /, has team-pay instead \(line 4\)|has team_pay/,
  ],
  [
    'a backend of a proxy',
    ofFiles(
      { 'edge.cfg': 'frontend in\n  default_backend apisrv\nbackend api-srv\n  server a a:80\n' },
      "[ALERT] config : Proxy 'in': unable to find required default_backend: 'apisrv'.",
    ),
    'exit-code',
    /, has api-srv instead \(line 3\)/,
  ],
  [
    'a profile of a tool',
    ofFiles({ config: '[profile prod-eu]\nregion = a\n' }, 'The config profile (prodeu) could not be found'),
    'exit-code',
    /, has prod-eu instead \(line 1\)/,
  ],
  [
    'a member of a list in a variable',
    ofVariables(
      { MEMBERS: 'store0=http://store-0.store:2380,store1=http://store-1.store:2380' },
      'couldn\'t find local name "store-0" in the initial list of members',
    ),
    'exit-code',
    /; its variable MEMBERS of ConfigMap app, key MEMBERS has store0 instead$/,
  ],
  [
    'no other member, which only has another number',
    ofVariables({ MEMBERS: 'store-1=a,store-2=b' }, 'couldn\'t find local name "store-0" in the list of members'),
    'exit-code',
    /list of members \(exit code 1\)$/,
  ],
  [
    'no name, where it is there itself',
    ofFiles({ 'a.conf': '[cold-store]\n[coldstore]\n' }, "cannot find the key of section 'coldstore'"),
    'exit-code',
    /(?<!instead.*)\(line 2\)$/,
  ],
  [
    'no short word',
    ofFiles({ 'a.conf': 'node = 1\nport = 2\n' }, 'unknown setting "mode"'),
    'malformed-config',
    /(?<!instead.*)$/,
  ],
  [
    'no value that may be a secret',
    ofVariables({ ADMIN_PASSWORDS: 'hunter-22,other-33' }, "unknown password 'hunter22'"),
    'exit-code',
    /(?<!hunter-22.*)$/,
  ],
  [
    'no value of a comment',
    ofFiles({ 'a.conf': '# cold-store = 1\nport = 2\n' }, 'unknown remote "coldstore"'),
    'exit-code',
    /(?<!instead.*)$/,
  ],
];

const values: readonly Case[] = [
  [
    'the setting whose value the error quotes',
    ofFiles(
      { 'server.conf': "listen = '*'\npreload_modules = 'stats,timeseries'\n", 'hba.conf': 'local all all trust\n' },
      'FATAL: could not access file "timeseries": No such file or directory',
    ),
    'exit-code',
    /; its configuration \/etc\/app\/server\.conf is of ConfigMap app \(line 2, preload_modules\)$/,
  ],
  [
    'the module of a web server',
    ofFiles(
      { 'web.conf': 'server.port = 80\nserver.modules = ( "mod_access", "mod_geo3" )\n' },
      '(plugin.c.214) dlopen() failed for: /usr/lib/web/mod_geo3.so: cannot open shared object file: No such file or directory',
    ),
    'missing-module',
    /; its configuration \/etc\/app\/web\.conf is of ConfigMap app \(line 2, server\.modules\)$/,
  ],
  [
    'a path of a server in braces',
    ofFiles(
      { 'nginx.conf': 'http { server { listen 80; root /srv/site; include /etc/snippets/tls.conf; } }\n' },
      '[emerg] cannot find /etc/snippets/tls.conf in the configuration',
    ),
    'missing-setting',
    /\(line 1, include\)/,
  ],
  [
    'what has to be set, and the only file where it can be',
    ofFiles({ 'bus.conf': 'port: 4222\n' }, 'bus-server: clustering requires `server_name` to be set'),
    'exit-code',
    /; its configuration \/etc\/app\/bus\.conf is of ConfigMap app$/,
  ],
  [
    'no file for what needs something else',
    ofFiles({ 'bus.conf': 'port: 4222\n' }, 'bus-server: FATAL: 4 cores at least are needed'),
    'exit-code',
    /needed \(exit code 1\)$/,
  ],
];

const SUPERVISOR = "2026-01-31 11:59:58 INFO spawnerr: can't find command '/srv/shop/bin/front'";
const unready: readonly Case[] = [
  [
    'what the log of a container quotes that never listens',
    {
      ...ofFiles({ 'supervisord.conf': '[program:front]\ncommand=/srv/shop/bin/front --port 8000\n' }),
      pod: pod({
        container: {
          volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }],
          readinessProbe: { tcpSocket: { port: 8000 } },
        },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: { ready: false, state: { running: { startedAt: ago(120) } } },
      }),
      logs: { web: { current: [SUPERVISOR, SUPERVISOR, SUPERVISOR] } },
      events: [
        event('Unhealthy', 'Readiness probe failed: dial tcp 10.1.1.1:8000: connect: connection refused', {
          container: 'web',
          count: 9,
          first: 100,
        }),
      ],
    },
    'readiness-failing',
    /can't find command '\/srv\/shop\/bin\/front'; its configuration \/etc\/app\/supervisord\.conf is of ConfigMap app \(line 2\)/,
  ],
];

describe('names that are spelt otherwise', () => {
  tellsEach(spelling);
});
describe('settings of values', () => {
  tellsEach(values);
});
describe('what a container that is not ready quotes', () => {
  tellsEach(unready);
});
describe('variables of ConfigMaps', () => {
  tellsEach(variables);
});
describe('heaps of ConfigMaps', () => {
  tellsEach(heaps);
});
describe('settings of ConfigMaps', () => {
  tellsEach(settings);
});
describe('files of ConfigMaps', () => {
  tellsEach(files);
});
