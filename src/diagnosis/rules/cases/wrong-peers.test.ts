/** What a container's specification names and the cluster does not have, of one whose own words name no cause. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, HeardPort, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { heardWanted } from '../../facts/peers/heard-ports.ts';
import { namedAddressesOf, namedServicesOf } from '../../wanted.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

type Texts = Readonly<Record<string, string>>;

const map = (texts: Texts, name = 'app'): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys: Object.keys(texts),
  texts,
});
const service = (name: string, given: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [5432],
  ready: 1,
  notReady: 0,
  ...given,
});
const gone = (name: string, given: Partial<ServiceEvidence> = {}): ServiceEvidence =>
  service(name, { missing: true, clusterIPs: [], ports: [], ready: 0, ...given });
const away = (name: string, given: Partial<ServiceEvidence> = {}): ServiceEvidence =>
  service(name, { ready: 0, notReady: 1, ...given });

const FROM_MAP = { envFrom: [{ configMapRef: { name: 'app' } }] };

/** A container with the variables of a ConfigMap that has ended. */
const ended = (
  texts: Texts,
  services: readonly ServiceEvidence[],
  lines: readonly string[],
  more: Partial<PodEvidence> = {},
): Partial<PodEvidence> => ({
  pod: pod({ container: FROM_MAP, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
  configs: [map(texts)],
  services,
  ...more,
});

const READY_PROBE = { readinessProbe: { httpGet: { path: '/ready', port: 8080 } }, ports: [{ containerPort: 8080 }] };

/** One that runs and is not ready. */
const unready = (
  texts: Texts,
  services: readonly ServiceEvidence[],
  lines: readonly string[],
  failure = 'HTTP probe failed with statuscode: 503',
): Partial<PodEvidence> => ({
  pod: pod({
    container: { ...FROM_MAP, ...READY_PROBE },
    status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
  }),
  events: [
    event('Unhealthy', `Readiness probe failed: ${failure}`, { count: 30, first: 290, seconds: 5, container: 'web' }),
  ],
  logs: { web: { current: lines } },
  configs: [map(texts)],
  services,
});

const DB = { DB_HOST: 'orders-db', DB_PORT: '5433', DB_NAME: 'orders' };

const endings: readonly Case[] = [
  [
    'a port that the service does not have, and a word that tells nothing',
    ended(DB, [service('orders-db')], ['startup failed']),
    'exit-code',
    /its last line is: startup failed; service orders-db, which its variable DB_HOST of ConfigMap app, key DB_HOST names, has no port 5433 \(its variable DB_PORT\), but 5432$/,
    [/service\/orders-db: 1 of 1 endpoints ready, port 5432/, /envFrom\[0\] \(DB_HOST\): orders-db/],
  ],
  [
    'a port, by its name in another namespace, and no word at all',
    ended(
      { PG_ADDR: 'orders-db.data.svc.cluster.local:6432' },
      [service('orders-db', { namespace: 'data' })],
      ['2026-01-31T12:00:00Z INFO starting'],
    ),
    'exit-code',
    /; service orders-db of namespace data, which its variable PG_ADDR of .* names, has no port 6432, but 5432$/,
  ],
  [
    'the port that a URL means without saying it',
    ended({ PRICING_URL: 'http://pricing/v1' }, [service('pricing', { ports: [8080] })], ['ERROR bootstrap failed']),
    'exit-code',
    /; service pricing, which its variable PRICING_URL .* names, has no port 80, but 8080$/,
  ],
  [
    'a service without a ready pod, which the line names',
    ended(
      { SUBGRAPHS: 'users=http://users:4001/graphql,stock=http://stock:4002/graphql' },
      [
        away('users', { ports: [4001], cause: { pod: 'users-1', says: 'container users ends: SyntaxError' } }),
        service('stock', { ports: [4002] }),
      ],
      [`Error: Couldn't load service definitions for "users" at http://users:4001/graphql: fetch failed`],
    ),
    'exit-code',
    /fetch failed \(exit code 1\); service users, which its variable SUBGRAPHS .* names, has no endpoint that is ready: of its pod users-1, container users ends: SyntaxError$/,
  ],
  [
    'a service that the line names alone',
    ended({ A: 'b' }, [away('auth', { ports: [8080] })], ['fatal: could not load JWKS from http://auth:8080/keys']),
    'exit-code',
    /\(exit code 1\); service auth has no endpoint that is ready$/,
  ],
  [
    'a service that is not there, and a line about its kind',
    ended(
      { REDIS_HOST: 'redis-mian', REDIS_PORT: '6379', DB_HOST: 'orders-db' },
      [gone('redis-mian', { similar: ['redis-main'] }), service('orders-db')],
      ['[error] cache backend is not available, giving up'],
    ),
    'exit-code',
    /; there is no service redis-mian, which its variable REDIS_HOST .* names; there is redis-main$/,
  ],
  [
    'a service of another namespace',
    ended({ AUTH_URL: 'http://auth:80' }, [gone('auth', { elsewhere: ['identity'] })], ['init error']),
    'exit-code',
    /; there is no service auth, which its variable AUTH_URL .* names, in namespace shop, but one in identity$/,
  ],
  [
    'a namespace that does not exist',
    ended(
      { DB_HOST: 'postgres.dta' },
      [gone('postgres', { namespace: 'dta', noNamespace: true, elsewhere: ['data'] })],
      ['Error: database down'],
    ),
    'exit-code',
    /; there is no namespace dta, in which its variable DB_HOST .* names service postgres, but one in data$/,
  ],
  [
    'an address that no service has',
    ended({ DB_HOST: '10.96.250.250', DB_PORT: '5432' }, [], ['[archiver] cannot open database: timeout expired'], {
      unservedAddresses: ['10.96.250.250'],
    }),
    'exit-code',
    /timeout expired \(exit code 1\); no service has the address 10\.96\.250\.250, which its variable DB_HOST .* names$/,
  ],
  [
    'a time-out, of a port that the service does not have',
    ended(
      { DATABASE_URL: 'postgres://orders-db:5433/orders' },
      [service('orders-db')],
      ['java.net.SocketTimeoutException: Connect timed out'],
    ),
    'dependency-times-out',
    /\(orders-db:5433, by its variable DATABASE_URL of ConfigMap app, key DATABASE_URL\) \(service orders-db has no port 5433, but 5432\)/,
  ],
  [
    'a peer of its command',
    {
      pod: pod({
        container: { command: ['app', '--db=postgres://orders-db:5433/x'] },
        status: crashed({ exitCode: 2 }),
      }),
      logs: lastWords('FATAL could not start'),
      services: [service('orders-db')],
    },
    'exit-code',
    /; service orders-db, which its command names, has no port 5433, but 5432$/,
  ],
  [
    'a peer of a file',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: crashed({ exitCode: 1 }),
      }),
      configs: [map({ 'app.yaml': 'db:\n  host: orders-db\n  port: 5433\n' })],
      logs: lastWords('startup aborted'),
      services: [service('orders-db')],
    },
    'exit-code',
    /; service orders-db, which its ConfigMap app, key app\.yaml names, has no port 5433, but 5432$/,
  ],
  [
    'the one that is wrong beside telemetry that is away, too',
    ended(
      { ...DB, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4317' },
      [gone('otel-collector'), service('orders-db')],
      ['startup failed'],
    ),
    'exit-code',
    /; service orders-db, .* has no port 5433 \(its variable DB_PORT\), but 5432$/,
  ],
  [
    'a name that was not found, of several variables',
    ended(
      { DB_HOST: 'orders-db', REDIS_HOST: 'redis-mian' },
      [service('orders-db'), gone('redis-mian', { similar: ['redis-main'] })],
      ['socket.gaierror: [Errno -2] Name or service not known'],
    ),
    'dependency-not-resolved',
    /does not find redis-mian, of its variable REDIS_HOST .*: there is no service redis-mian; there is redis-main/,
  ],
];

const readiness: readonly Case[] = [
  [
    'a page that fails, of a port that the service does not have',
    unready(DB, [service('orders-db')], ['INFO listening on :8080']),
    'dependency-not-ready',
    /container web is not ready, and service orders-db, which its variable DB_HOST .* names, has no port 5433 \(its variable DB_PORT\), but 5432$/,
    [/statuscode: 503/],
  ],
  [
    'a page that fails, of a service that is not there',
    unready({ DB_HOST: 'orders-db' }, [gone('orders-db')], ['INFO listening on :8080']),
    'dependency-not-ready',
    /container web is not ready, and there is no service orders-db, which its variable DB_HOST .* names$/,
  ],
  [
    'a wait of its own script',
    unready(
      DB,
      [service('orders-db')],
      ['waiting for database', 'database is not up yet (1)', 'database is not up yet (2)'],
      'Get "http://10.2.0.4:8080/ready": dial tcp 10.2.0.4:8080: connect: connection refused',
    ),
    'dependency-not-ready',
    /container web is not ready, and service orders-db, which its variable DB_HOST .* names, has no port 5433 \(its variable DB_PORT\), but 5432$/,
  ],
];

const CACHE = { CACHE_SERVERS: 'cache:11211' };
const led = (given: Partial<HeardPort> = {}): ServiceEvidence =>
  service('cache', {
    ports: [11_211],
    selector: { app: 'cache' },
    heard: [{ port: 11_211, target: 11_212, pod: 'cache-1', listens: [{ port: 11_211 }], declared: [], ...given }],
  });

const targets: readonly Case[] = [
  [
    'that refuses',
    unready(CACHE, [led()], ['[E] news.cache cache server cache:11211 marked dead: [Errno 111] Connection refused']),
    'dependency-refused',
    /is refused by cache:11211 and is not ready: service cache sends to port 11212, where its pods do not listen \(pod cache-1 listens on 11211\)$/,
    [/pod\/cache-1: listens on 11211/],
  ],
  [
    'that listens for itself only',
    ended(
      CACHE,
      [led({ target: 11_211, listens: [{ port: 11_211, loopback: '127.0.0.1' }] })],
      ['dial tcp 10.96.0.9:11211: connect: connection refused'],
    ),
    'dependency-refused',
    /service cache sends to port 11211, where its pods do not listen \(pod cache-1 listens on 127\.0\.0\.1:11211 only\)$/,
  ],
  [
    'by a name that no container has',
    ended(CACHE, [led({ target: 'memcache', declared: ['main 11211'] })], ['connect ECONNREFUSED cache:11211']),
    'dependency-refused',
    /service cache sends to the port "memcache", which no container of its pods has \(pod cache-1 has main 11211\)/,
  ],
  [
    'as far as its pods declare',
    ended(CACHE, [led({ listens: undefined, declared: ['11211'] })], ['connect ECONNREFUSED cache:11211']),
    'dependency-refused',
    /service cache sends to port 11212, which its pods do not declare \(pod cache-1 has 11211\)/,
  ],
  [
    'of which the log tells nothing',
    ended(CACHE, [led()], ['startup failed']),
    'exit-code',
    /; service cache, which its variable CACHE_SERVERS .* names, sends to port 11212, where its pods do not listen \(pod cache-1 listens on 11211\)$/,
  ],
];

const entries: readonly Case[] = [
  [
    'whose service selects nobody',
    unready(
      { DB_HOST: 'orders-db', DB_PORT: '5432' },
      [
        away('orders-db', {
          notReady: 0,
          selector: { app: 'ordersdb' },
          nobody: { scaledToZero: [], unlabelled: true },
        }),
      ],
      ['[entrypoint] waiting for database', '[entrypoint] database is not up yet (attempt 1)'],
      'Get "http://10.2.0.4:8080/ready": dial tcp 10.2.0.4:8080: connect: connection refused',
    ),
    'dependency-not-ready',
    /service orders-db, which its variable DB_HOST .* names, has no endpoint that is ready, because no pod has its labels app=ordersdb$/,
  ],
  [
    'whose pool waits for nobody',
    ended(
      { SPRING_DATASOURCE_URL: 'jdbc:postgresql://orders-db:5433/orders' },
      [service('orders-db')],
      [
        'java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.',
      ],
    ),
    'connections-exhausted',
    /; service orders-db, which its variable SPRING_DATASOURCE_URL .* names, has no port 5433, but 5432$/,
  ],
];

const inits: readonly Case[] = [
  [
    'a namespace that does not exist, of an init container that waits',
    {
      pod: pod({
        metadata: { creationTimestamp: ago(62) },
        spec: {
          initContainers: [
            {
              name: 'wait',
              image: 'a',
              ...FROM_MAP,
              command: ['sh', '-c', 'until pg_isready -h "$DB_HOST" -p "$DB_PORT"; do echo waiting; sleep 3; done'],
            },
          ],
        },
        status: { ready: false, started: false, state: { waiting: { reason: 'PodInitializing' } } },
        podStatus: {
          phase: 'Pending',
          initContainerStatuses: [
            {
              name: 'wait',
              ready: false,
              restartCount: 0,
              image: 'a',
              imageID: 'i',
              state: { running: { startedAt: ago(60) } },
            },
          ],
        },
      }),
      logs: {
        wait: { current: ['pg.dta:5432 - no response', 'waiting', 'pg.dta:5432 - no response', 'waiting'] },
      },
      configs: [map({ DB_HOST: 'pg.dta', DB_PORT: '5432' })],
      services: [gone('pg', { namespace: 'dta', noNamespace: true, elsewhere: ['data'] })],
    },
    'dependency-refused',
    /init container wait gets no answer from pg\.dta:5432 and goes on waiting: there is no namespace dta; service pg is in data; pg\.dta is in its variable DB_HOST of ConfigMap app, key DB_HOST$/,
  ],
];

describe('a container that ends', () => {
  tellsEach(endings);
});
describe('a container that is not ready', () => {
  tellsEach(readiness);
});
describe('a program that waits', () => {
  tellsEach(entries);
});
describe('a service that leads to another port', () => {
  tellsEach(targets);

  it('is looked into where it refuses, or where nothing else is wrong', () => {
    const known = service('cache', { ports: [11_211], selector: { app: 'cache' } });
    const wanted = (lines: readonly string[], services: readonly ServiceEvidence[]) =>
      heardWanted(evidence(ended(CACHE, services, lines))).map(({ service: { name }, port }) => `${name}:${port}`);
    expect(wanted(['connect ECONNREFUSED cache:11211'], [known])).toEqual(['cache:11211']);
    expect(wanted(['startup failed'], [known])).toEqual(['cache:11211']);
    expect(wanted(['SyntaxError: Unexpected token }'], [known])).toEqual([]);
    expect(wanted(['startup failed'], [{ ...known, ready: 0 }])).toEqual([]);
    expect(wanted(['connect ECONNREFUSED cache:11211'], [{ ...known, ports: [80] }])).toEqual([]);
  });
});
describe('an init container', () => {
  tellsEach(inits);
});

describe('nothing is added', () => {
  const first = (given: Partial<PodEvidence>): string => diagnosePod(evidence(given)).findings[0]?.says ?? '';

  it.each<[string, string]>([
    ['a syntax error', 'SyntaxError: Unexpected token } in JSON at position 25'],
    ['a missing file', 'Error: ENOENT: no such file or directory, open "/etc/app/app.json"'],
    ['a missing module', "Error: Cannot find module 'express'"],
    ['memory', 'java.lang.OutOfMemoryError: Java heap space'],
    ['a value', "ValueError: invalid literal for int() with base 10: 'ten'"],
    ['an option', 'error: unknown option --prot'],
    ['data', 'ERROR: relation "users" does not exist'],
    ['a right', 'PermissionError: [Errno 13] Permission denied: "/data/a"'],
    ['a null', "TypeError: Cannot read properties of undefined (reading 'map')"],
    ['an assertion', 'panic: runtime error: index out of range [3] with length 2'],
    ['a setting', 'FATAL: JWT_SECRET is required'],
  ])('for %s', (_what, line) => {
    expect(first(ended(DB, [service('orders-db')], [line]))).not.toMatch(/service orders-db/);
  });

  it.each<[string, Partial<PodEvidence>]>([
    [
      'all peers are well',
      ended({ DB_HOST: 'orders-db', DB_PORT: '5432' }, [service('orders-db')], ['startup failed']),
    ],
    [
      'only telemetry is away',
      ended({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4317' }, [gone('otel')], ['startup failed']),
    ],
    ['a proxy is away', ended({ HTTP_PROXY: 'http://squid:3128' }, [gone('squid')], ['startup failed'])],
    ['two are wrong', ended({ ...DB, REDIS_HOST: 'redis' }, [service('orders-db'), gone('redis')], ['startup failed'])],
    [
      'the line is about another kind of peer',
      ended(
        { REDIS_URL: 'redis://redis:6379', DB_HOST: 'db.example.com' },
        [away('redis', { ports: [6379] })],
        ['database connection timeout'],
      ),
    ],
    [
      'it is its own service',
      ended(
        { BASE_URL: 'http://web:80' },
        [away('web', { ports: [80], selector: { app: 'web' } })],
        ['startup failed'],
        {
          pod: pod({
            container: FROM_MAP,
            metadata: { labels: { app: 'web' } },
            status: crashed({ exitCode: 1 }),
          }),
        },
      ),
    ],
    ['the host is its own name', ended({ VIRTUAL_HOST: 'shop' }, [gone('shop')], ['startup failed'])],
    ['the service has no address', ended(DB, [service('orders-db', { clusterIPs: [] })], ['startup failed'])],
    [
      'it is another name',
      ended(DB, [service('orders-db', { externalName: 'db.example', ports: [] })], ['startup failed']),
    ],
    [
      'the name is one outside',
      ended(
        { API_URL: 'https://grafana.com' },
        [gone('grafana', { namespace: 'com', noNamespace: true, elsewhere: ['monitoring'] })],
        ['startup failed'],
      ),
    ],
    ['its pods listen where it leads', ended(CACHE, [led({ target: 11_211 })], ['startup failed'])],
    ['nobody knows where its pods listen', ended(CACHE, [led({ listens: undefined })], ['startup failed'])],
    [
      'its pod gives the name itself',
      ended({ DB_HOST: 'legacy' }, [gone('legacy')], ['startup failed'], {
        pod: pod({
          container: FROM_MAP,
          spec: { hostAliases: [{ ip: '10.9.0.1', hostnames: ['legacy'] }] },
          status: crashed({ exitCode: 1 }),
        }),
      }),
    ],
    [
      'its pod asks for names elsewhere, too',
      ended({ DB_HOST: 'legacy' }, [gone('legacy')], ['startup failed'], {
        pod: pod({
          container: FROM_MAP,
          spec: { dnsConfig: { searches: ['example.org'] } },
          status: crashed({ exitCode: 1 }),
        }),
      }),
    ],
    [
      'it ends with a signal',
      ended(DB, [service('orders-db')], ['startup failed'], {
        pod: pod({ container: FROM_MAP, status: crashed({ exitCode: 139 }) }),
      }),
    ],
  ])('when %s', (_what, given) => {
    expect(first(given)).not.toMatch(/; (?:service|there is no|no service)/);
  });
});

describe('what is read', () => {
  it('is the services and addresses of the peers that commands, variables and files name', () => {
    const given = evidence({
      ...ended({ DB_HOST: 'orders-db', LOCK_HOST: '10.96.7.7' }, [], ['startup failed']),
    });
    expect(namedServicesOf(given)).toEqual([{ namespace: 'shop', name: 'orders-db' }]);
    expect(namedAddressesOf(given)).toEqual(['10.96.7.7']);
  });
});
