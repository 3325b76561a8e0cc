/** A password that a peer refuses, beside the one that the pods of its service have. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { Container, Pod } from '../../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { credentialMark } from '../../facts/servers/credential-marks.ts';
import { serversWanted } from '../../servers-wanted.ts';
import { credentialsWanted } from '../../wanted.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

type EnvVar = NonNullable<Container['env']>[number];
type Values = Readonly<Record<string, string>>;

const secret = (name: string, values: Values): ConfigEvidence => ({
  kind: 'Secret',
  name,
  state: 'found',
  keys: Object.keys(values),
  marks: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, credentialMark(value) ?? ''])),
});
const key = (variable: string, name: string, of: string): EnvVar => ({
  name: variable,
  valueFrom: { secretKeyRef: { name, key: of } },
});

const SAID =
  'connection to server at "pg" (10.96.7.7), port 5432 failed: FATAL:  password authentication failed for user "app"';

interface Server {
  readonly container: Partial<Container>;
  readonly configs?: readonly ConfigEvidence[];
  readonly lines?: readonly string[];
}

/** A client with DB_PASSWORD "one" of Secret app. */
const refused = (server: Server, said = SAID, client: Partial<Container> = {}): Partial<PodEvidence> => {
  const service: ServiceEvidence = {
    namespace: 'shop',
    name: /redis|cache/.test(said) ? 'cache' : 'pg',
    missing: false,
    clusterIPs: ['10.96.7.7'],
    ports: [5432],
    ready: 1,
    notReady: 0,
    selector: { app: 'pg' },
    server: {
      pod: pod({ name: 'pg-0', container: server.container }),
      owner: 'statefulset/pg',
      configs: server.configs ?? [],
      lines: server.lines ?? [],
    },
  };
  const shows = { env: [key('DB_PASSWORD', 'app', 'password')], ...client };
  return {
    pod: pod({ container: shows, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(said),
    configs: [secret('app', { password: 'one' })],
    services: [service],
  };
};

/** The same, with another pod behind each service, made of the container of its own. */
const withServerPods = (
  given: Partial<PodEvidence>,
  podOf: (container: Partial<Container>) => Pod,
): Partial<PodEvidence> => ({
  ...given,
  services: (given.services ?? []).map((service) => ({
    ...service,
    ...(service.server && {
      server: { ...service.server, pod: podOf(service.server.pod.spec?.containers[0] ?? {}) },
    }),
  })),
});
/** Its Secret was written two minutes ago; the server runs for ten, the client for one. */
const withOlder = (given: Partial<PodEvidence>): Partial<PodEvidence> => ({
  ...withServerPods(given, (container) => pod({ name: 'pg-0', container, status: up(600) })),
  pod: { ...given.pod, metadata: { ...given.pod?.metadata, creationTimestamp: ago(70) } },
  configs: (given.configs ?? []).map((config) => ({ ...config, writtenAt: ago(120) })),
});
/** Volume `users` of its server is a Secret. */
const withSecretFile = (given: Partial<PodEvidence>): Partial<PodEvidence> =>
  withServerPods(given, (container) =>
    pod({ container, spec: { volumes: [{ name: 'users', secret: { secretName: 'pool-users' } }] } }),
  );
const up = (seconds: number) => ({ ready: true, state: { running: { startedAt: ago(seconds) } } });

const other =
  /statefulset\/pg behind service pg has another one \(variable POSTGRES_PASSWORD of Secret pg-auth, key password\)$/;
const ofServer = [key('POSTGRES_PASSWORD', 'pg-auth', 'password'), { name: 'POSTGRES_USER', value: 'app' }];

const cases: readonly Case[] = [
  [
    'another value in the Secret of the server',
    refused({ container: { env: ofServer }, configs: [secret('pg-auth', { password: 'two' })] }),
    'authentication-refused',
    other,
  ],
  [
    'the same value, which a database takes only once',
    refused({ container: { env: ofServer }, configs: [secret('pg-auth', { password: 'one' })] }),
    'authentication-refused',
    /has the same one \(variable POSTGRES_PASSWORD of Secret pg-auth, key password\), which it takes only when it makes its data: those may be older$/,
  ],
  [
    'a Secret as a whole, with the name of the user',
    refused({
      container: { envFrom: [{ secretRef: { name: 'pg-auth' } }] },
      configs: [secret('pg-auth', { MARIADB_USER: 'app', MARIADB_PASSWORD: 'two' })],
    }),
    'authentication-refused',
    /has another one \(variable MARIADB_PASSWORD of Secret pg-auth\)$/,
  ],
  [
    'a cache, whose file has it',
    refused(
      {
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/redis' }] },
        configs: [
          {
            kind: 'ConfigMap',
            name: 'cache-conf',
            state: 'found',
            keys: ['redis.conf'],
            texts: { 'redis.conf': 'port 6379\nrequirepass two\n' },
          },
        ],
      },
      'redis://cache:6379: WRONGPASS invalid username-password pair or user is disabled.',
    ),
    'authentication-refused',
    /behind service cache has another one \(ConfigMap cache-conf, key redis\.conf: its requirepass\)$/,
  ],
  [
    'the password of a URL in the specification, and an option of the command',
    refused(
      { container: { command: ['redis-server', '--requirepass', 'two'] } },
      'redis://cache:6379: WRONGPASS invalid username-password pair or user is disabled.',
      { env: [{ name: 'REDIS_DSN', value: 'redis://:one@cache:6379' }] },
    ),
    'authentication-refused',
    /behind service cache has another one \(its command: its requirepass\)$/,
  ],
  [
    'a server that runs since before the Secret of both was written',
    withOlder(
      refused(
        {
          container: { env: [key('REDIS_PASSWORD', 'app', 'password')] },
          configs: [secret('app', { password: 'one' })],
        },
        'redis://cache:6379: WRONGPASS invalid username-password pair or user is disabled.',
      ),
    ),
    'authentication-refused',
    /behind service cache runs since before Secret app was written \(2m ago\), so that it has its old value: it has to be restarted$/,
  ],
  [
    'PostgreSQL that runs since before the Secret of both was written',
    withOlder(
      refused({
        container: {
          command: ['sh', '-c', 'exec postgres -D /data'],
          env: [key('SHOP_DB_PASSWORD', 'app', 'password')],
        },
        configs: [secret('app', { password: 'one' })],
      }),
    ),
    'authentication-refused',
    /behind service pg runs since before Secret app was written \(2m ago\), and its data keep the password that they were made with: only ALTER ROLE … PASSWORD changes that$/,
  ],
  [
    'no user of a file that may hold the password itself',
    refused(
      {
        container: { volumeMounts: [{ name: 'conf', mountPath: '/mosquitto' }] },
        configs: [
          {
            kind: 'ConfigMap',
            name: 'cache-conf',
            state: 'found',
            keys: ['password.txt'],
            texts: { 'password.txt': 'hunter:2wice\n' },
          },
        ],
      },
      'redis://cache:6379: WRONGPASS invalid username-password pair or user is disabled.',
    ),
    'authentication-refused',
    /^(?!.*hunter)/,
  ],
  [
    'a broker whose file of users has another one',
    refused(
      {
        container: { volumeMounts: [{ name: 'conf', mountPath: '/mosquitto' }] },
        configs: [
          {
            kind: 'ConfigMap',
            name: 'cache-conf',
            state: 'found',
            keys: ['passwd'],
            texts: { passwd: 'telemetry:$7$101$abc\n' },
          },
        ],
      },
      'cache:1883: Connection Refused: not authorised.',
      { env: [{ name: 'MQTT_USER', value: 'ingest' }, key('MQTT_PASSWORD', 'app', 'password')] },
    ),
    'authentication-refused',
    /has only the user telemetry \(ConfigMap cache-conf, key passwd\)/,
  ],
  [
    'a pooler whose file of users is of a Secret',
    withSecretFile(
      refused({
        container: { volumeMounts: [{ name: 'users', mountPath: '/etc/pgb' }] },
        configs: [
          {
            kind: 'ConfigMap',
            name: 'pool-conf',
            state: 'found',
            keys: ['pgbouncer.ini'],
            texts: { 'pgbouncer.ini': 'auth_type = scram-sha-256\nauth_file = /etc/pgb/userlist.txt\n' },
          },
        ],
      }),
    ),
    'authentication-refused',
    /behind service pg has its users of Secret pool-users \(\/etc\/pgb\/userlist\.txt\)$/,
  ],
  [
    'what the server logs of it',
    refused({
      container: {},
      lines: [
        '2026-01-31 08:12:33 UTC [71] FATAL:  password authentication failed for user "app"',
        '2026-01-31 08:12:33 UTC [71] DETAIL:  Role "app" does not exist.',
      ],
    }),
    'authentication-refused',
    /statefulset\/pg behind service pg says: Role "app" does not exist$/,
  ],
  [
    'the password of the root user beside that of the one who is refused',
    refused({
      container: { envFrom: [{ secretRef: { name: 'db' } }] },
      configs: [secret('db', { MYSQL_ROOT_PASSWORD: 'one', MYSQL_USER: 'app', MYSQL_PASSWORD: 'two' })],
    }),
    'authentication-refused',
    /has another one \(variable MYSQL_PASSWORD of Secret db\)$/,
  ],
  [
    'the root user himself',
    refused(
      {
        container: { envFrom: [{ secretRef: { name: 'db' } }] },
        configs: [secret('db', { MYSQL_ROOT_PASSWORD: 'three', MYSQL_USER: 'app', MYSQL_PASSWORD: 'one' })],
      },
      "connect to \"pg\" failed: Access denied for user 'root'@'10.244.0.9' (using password: YES)",
    ),
    'authentication-refused',
    /has another one \(variable MYSQL_ROOT_PASSWORD of Secret db\)$/,
  ],
  [
    'the password of another user is none of it',
    refused({
      container: { env: [key('POSTGRES_PASSWORD', 'pg-auth', 'password')] },
      configs: [secret('pg-auth', { password: 'two' })],
    }),
    'authentication-refused',
    /^(?!.*another one)/,
  ],
  [
    'neither is that of another variable',
    refused({
      container: { env: [key('POSTGRES_PASSWORD', 'pg-auth', 'password'), { name: 'POSTGRES_USER', value: 'admin' }] },
      configs: [secret('pg-auth', { password: 'two' })],
    }),
    'authentication-refused',
    /^(?!.*another one)/,
  ],
];

describe('tells what the server has', () => {
  tellsEach(cases);
});

describe('a program that runs and is not ready, as a peer takes its signature for none', () => {
  const said = 'ERROR RuntimeError: GET http://pg:8080/orders with a fresh token: 401 signature verification failed';
  const probed = '10.244.0.1 - - [28/Nov/2026 17:00:21] "GET /ready HTTP/1.1" 503 -';
  const { services = [] } = refused({
    container: { env: [key('JWT_SECRET', 'jwt-orders', 'key')] },
    configs: [secret('jwt-orders', { key: 'another-key-of-orders' })],
  });
  const shows: Partial<Container> = {
    env: [key('JWT_SECRET', 'jwt-auth', 'key')],
    readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
  };
  const given = evidence({
    pod: pod({ container: shows, status: { ready: false, state: { running: { startedAt: ago(120) } } } }),
    logs: { web: { current: Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? said : probed)) } },
    events: [
      event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', {
        container: 'web',
        count: 20,
        first: 110,
      }),
    ],
    configs: [secret('jwt-auth', { key: 'the-first-key' })],
    services,
  });

  it('asks for the Secrets of both', () => {
    expect(credentialsWanted({ ...given, configs: [] })).toMatchObject([{ kind: 'Secret', name: 'jwt-auth' }]);
    expect(serversWanted(given)).toMatchObject([{ secrets: true, configs: true }]);
  });

  it('tells that they differ', () => {
    expect(diagnosePod(given).findings[0]?.says).toMatch(
      /refuses its token \(with JWT_SECRET of Secret jwt-auth\): .*; statefulset\/pg behind service pg has another one \(variable JWT_SECRET of Secret jwt-orders, key key\)$/,
    );
  });
});
