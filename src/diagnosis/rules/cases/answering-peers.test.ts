/** What a peer has answered, which names no peer: the one of the specification, and the variables behind users and TLS. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { credentialsWanted } from '../../wanted.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

type Texts = Readonly<Record<string, string>>;

const map = (texts: Texts): ConfigEvidence => ({
  kind: 'ConfigMap',
  name: 'app',
  state: 'found',
  keys: Object.keys(texts),
  texts,
});
const FROM = { envFrom: [{ configMapRef: { name: 'app' } }, { secretRef: { name: 'creds' } }] };
const ended = (texts: Texts, line: string, keys: readonly string[] = []): Partial<PodEvidence> => ({
  pod: pod({ container: FROM, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(line),
  configs: [map(texts), { kind: 'Secret', name: 'creds', state: 'found', keys }],
});
const unready = (texts: Texts, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: {
      ...FROM,
      readinessProbe: { httpGet: { path: '/health', port: 3000 } },
      ports: [{ containerPort: 3000 }],
    },
    status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
  }),
  events: [
    event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', {
      count: 30,
      first: 290,
      seconds: 5,
      container: 'web',
    }),
  ],
  logs: { web: { current: lines } },
  configs: [map(texts)],
});

const REDIS = { REDIS_URL: 'redis://sessions:6379/0', DB_HOST: 'orders-db', BATCH: '50' };

const answers: readonly Case[] = [
  [
    'Redis without memory',
    ended(REDIS, "ReplyError: OOM command not allowed when used memory > 'maxmemory'."),
    'exit-code',
    /; its peer is sessions:6379, of its variable REDIS_URL of ConfigMap app, key REDIS_URL$/,
    [/envFrom\[0\] \(REDIS_URL\): sessions:6379/],
  ],
  [
    'Redis that is a replica',
    ended(REDIS, "flush failed: READONLY You can't write against a read only replica."),
    'exit-code',
    /; its peer is sessions:6379, of its variable REDIS_URL/,
  ],
  [
    'Redis that cannot save',
    ended(
      REDIS,
      'redis.exceptions.ResponseError: MISCONF Redis is configured to save RDB snapshots, but is unable to persist',
    ),
    'exit-code',
    /; its peer is sessions:6379, of its variable REDIS_URL/,
  ],
  [
    'Redis, by a variable of a Secret',
    ended({ DB_HOST: 'orders-db' }, 'ERR DB index is out of range (Redis::CommandError)', ['REDIS_URL', 'API_KEY']),
    'exit-code',
    /; its peer is that of its variable REDIS_URL of Secret creds$/,
  ],
  [
    'PostgreSQL that only reads',
    ended(REDIS, 'ERROR: cannot execute INSERT in a read-only transaction (SQLSTATE 25006)'),
    'exit-code',
    /; its peer is orders-db, of its variable DB_HOST/,
  ],
  [
    'MySQL that only reads',
    ended(
      { MYSQLHOST: 'maria', MYSQLPORT: '3307' },
      'ERROR 1290 (HY000): The MySQL server is running with the --read-only option so it cannot execute this statement',
    ),
    'exit-code',
    /; its peer is maria:3307, of its variable MYSQLHOST/,
  ],
  [
    'a broker with another queue',
    ended(
      { RABBITMQ_HOST: 'rabbit', RABBITMQ_PORT: '5672', DB_HOST: 'orders-db' },
      `(406, "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'orders' in vhost '/'")`,
    ),
    'exit-code',
    /; its peer is rabbit:5672, of its variable RABBITMQ_HOST/,
  ],
  [
    'data that is not there',
    ended({ DATABASE_URL: 'postgres://app:x@orders-db:5432/orders' }, 'FATAL: database "orders" does not exist'),
    'missing-data',
    /in its peer orders-db:5432 \(by its variable DATABASE_URL of ConfigMap app/,
  ],
  [
    'a time-out, of the only peer',
    ended({ SEARCH_URL: 'http://search.example.org:9200' }, 'java.net.SocketTimeoutException: Read timed out'),
    'dependency-times-out',
    /from its peer in time \(search\.example\.org:9200, by its variable SEARCH_URL of ConfigMap app, key SEARCH_URL\)/,
  ],
];

const settings: readonly Case[] = [
  [
    'TLS that a peer does not speak',
    unready(
      { PGHOST: 'orders-db', PGUSER: 'app', DB_SSL: 'require' },
      'Nest application successfully started',
      'ERROR Health indicator failed: Error: The server does not support SSL connections',
      'ERROR Health indicator failed: Error: The server does not support SSL connections',
      'ERROR Health indicator failed: Error: The server does not support SSL connections',
    ),
    'tls-mismatch',
    /\(orders-db, by its variable PGHOST .*; its variable DB_SSL of ConfigMap app, key DB_SSL decides on TLS$/,
  ],
  [
    'TLS by a URL',
    ended({ PRICING_URL: 'https://pricing:8080' }, 'ssl.SSLError: [SSL: WRONG_VERSION_NUMBER] wrong version number'),
    'tls-mismatch',
    /\(pricing:8080, by its variable PRICING_URL .*\).*; the https:\/\/ of its variable PRICING_URL of .* asks for TLS$/,
  ],
  [
    'a user that is refused',
    ended(
      { DB_HOST: 'maria', DB_USERNAME: 'shop_admin' },
      "SQLSTATE[HY000] [1045] Access denied for user 'shop_admin'@'10.2.0.4' (using password: YES)",
    ),
    'authentication-refused',
    /its peer maria, which refuses.*; the user is that of its variable DB_USERNAME of ConfigMap app, key DB_USERNAME$/,
  ],
  [
    'a role that is not there',
    ended({ PGHOST: 'pg', PGUSER: 'oders' }, 'FATAL: role "oders" does not exist'),
    'authentication-refused',
    /; the user is that of its variable PGUSER of ConfigMap app, key PGUSER$/,
  ],
  [
    'a user within a URL',
    ended({ DATABASE_URL: 'postgres://oders:pw@pg:5432/x' }, 'FATAL: password authentication failed for user "oders"'),
    'authentication-refused',
    /; the user is that of its variable DATABASE_URL of ConfigMap app, key DATABASE_URL$/,
  ],
];

const HBA =
  'connection to server at "10.96.2.1", port 5432 failed: FATAL:  no pg_hba.conf entry for host "10.2.3.9", user "shop", database "shop", no encryption';
const withoutTls: readonly Case[] = [
  [
    'a variable of libpq',
    ended({ PGHOST: 'pg', PGUSER: 'shop', PGSSLMODE: 'disable' }, HBA),
    'authentication-refused',
    /no encryption; it asks without TLS, as its variable PGSSLMODE of ConfigMap app, key PGSSLMODE is disable$/,
    [/\(PGSSLMODE\): disable/],
  ],
  [
    'a URL',
    ended({ DATABASE_URL: 'postgres://shop:pw@pg:5432/shop?sslmode=disable&x=1' }, HBA),
    'authentication-refused',
    /; it asks without TLS, as its variable DATABASE_URL of ConfigMap app, key DATABASE_URL has sslmode=disable$/,
  ],
  [
    'a switch, of MySQL',
    ended(
      { DB_HOST: 'sql', DB_SSL: 'false' },
      'ERROR 3159 (HY000): Connections using insecure transport are prohibited while --require_secure_transport=ON.',
    ),
    'tls-mismatch',
    /; it asks without TLS, as its variable DB_SSL of ConfigMap app, key DB_SSL is false$/,
  ],
  [
    'none, so that the user is told',
    ended({ PGHOST: 'pg', PGUSER: 'shop', PGSSLMODE: 'require' }, HBA),
    'authentication-refused',
    /; the user is that of its variable PGUSER of ConfigMap app, key PGUSER$/,
  ],
];

describe('TLS that a peer wants, and that is switched off by', () => {
  tellsEach(withoutTls);
});

describe('an answer', () => {
  tellsEach(answers);

  it('lets the names of the keys of Secrets be read, where no variable is known that fits', () => {
    const wanted = (given: Partial<PodEvidence>) =>
      credentialsWanted(evidence({ ...given, configs: [map({})] })).map(({ kind, name }) => `${kind} ${name}`);
    expect(wanted(ended({}, 'ERR DB index is out of range (Redis::CommandError)'))).toEqual(['Secret creds']);
    expect(wanted(ended({}, 'SyntaxError: Unexpected token }'))).toEqual([]);
  });
});
describe('a setting behind an answer', () => {
  tellsEach(settings);
});

describe('no peer is told', () => {
  const first = (given: Partial<PodEvidence>): string => diagnosePod(evidence(given)).findings[0]?.says ?? '';
  it.each<[string, Partial<PodEvidence>]>([
    [
      'where two may be meant',
      ended(
        { REDIS_URL: 'redis://a:6379', CACHE_URL: 'redis://b:6379' },
        'READONLY You can not write against a read only replica',
      ),
    ],
    ['for an error of its own', ended(REDIS, "TypeError: Cannot read properties of undefined (reading 'get')")],
    ['for a module', ended(REDIS, "Error: Cannot find module 'redis'")],
    ['for memory of its own', ended(REDIS, 'java.lang.OutOfMemoryError: Java heap space')],
    [
      'that the line names itself',
      ended(REDIS, "sessions:6379: READONLY You can't write against a read only replica."),
    ],
    ['for a file of SQLite', ended({ DB_HOST: 'pg' }, 'sqlite3.OperationalError: no such table: orders')],
    ['of telemetry', ended({ STATSD_HOST: 'statsd' }, 'READONLY You can not write against a read only replica')],
  ])('%s', (_what, given) => {
    expect(first(given)).not.toMatch(/its peer is|one such peer/);
  });
});
