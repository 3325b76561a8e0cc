/** Tests what is said of credentials that a peer refuses, and of Secrets that changed before. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, history, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { credentialsWanted } from '../../wanted.ts';
import { type Case, crash, tellsEach } from '../cases/cases.fixtures.ts';

const PSQL =
  'psycopg2.OperationalError: connection to server at "db", port 5432 failed: FATAL:  password authentication failed for user "app"';
const variables = {
  env: [
    { name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
    { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'levels', key: 'level' } } },
  ],
};
const changed = (seconds: number, name = 'db') => ({
  changes: [{ at: ago(seconds), what: `Secret ${name} changed (resourceVersion 7 → 9)` }],
});
const crashing = (death: object): Partial<PodEvidence> => ({
  pod: pod({ container: variables, status: crashed({ exitCode: 1 }) }),
  history: history(death),
  logs: lastWords(PSQL),
});
const unready = (given: Partial<PodEvidence> = {}): Partial<PodEvidence> => ({
  pod: pod({ container: variables, status: { ready: false, state: { running: { startedAt: ago(600) } } } }),
  logs: { web: { current: ['starting', PSQL] } },
  ...given,
});

const refusals: readonly Case[] = [
  [
    'a password, after its Secret changed while it ran',
    crashing({ startedAt: ago(600), finishedAt: ago(30), ...changed(200) }),
    'authentication-refused',
    /not let in by its peer db:5432, .* after Secret db changed 3m20s ago \(it has the old value, because variables are read at its start\): .*user "app"/,
    [/Secret db changed \(resourceVersion 7 → 9\)/],
  ],
  [
    'a password, which changed before it started',
    crashing({ startedAt: ago(35), finishedAt: ago(30), ...changed(200) }),
    'authentication-refused',
    /after Secret db changed 3m20s ago \(it has the new value; the peer may still have the old one\)/,
  ],
  [
    'a password, by the Secret itself, of a container that is not ready',
    unready({ configs: [{ kind: 'Secret', name: 'db', state: 'found', keys: ['password'], writtenAt: ago(120) }] }),
    'authentication-refused',
    /its peer db:5432, .* after Secret db changed 2m ago \(it has the old value/,
    [/secret\/db: written last at/],
  ],
  [
    'a password, and no change',
    crashing({ startedAt: ago(35), finishedAt: ago(30) }),
    'authentication-refused',
    /its peer db:5432, which refuses its password or user \(with PGPASSWORD of Secret db\): psycopg2/,
  ],
  [
    'a change of a Secret that it does not use',
    crashing({ startedAt: ago(600), finishedAt: ago(30), ...changed(200, 'other') }),
    'authentication-refused',
    /refuses its password or user \(with PGPASSWORD of Secret db\): psycopg2/,
  ],
  [
    'a token that is for somebody else',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'tok', mountPath: '/tok/' }] },
        spec: {
          volumes: [
            { name: 'tok', projected: { sources: [{ serviceAccountToken: { path: 'api', audience: 'vault' } }] } },
          ],
        },
        status: crashed({ exitCode: 1 }),
      }),
      logs: lastWords('HTTPError: 401 Client Error: Unauthorized for url: https://10.96.0.1:443/api/v1/pods'),
    },
    'authentication-refused',
    /refuses its credentials \(the token of its volume tok \(\/tok\/api\) is for the audience vault alone\): HTTPError/,
  ],
  [
    'HTTP 401: python',
    crash(1, 'requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: http://api.shop.svc:8080/v1'),
    'authentication-refused',
    /its peer api\.shop\.svc:8080, which refuses/,
  ],
  [
    'HTTP 401: curl, and the environment names the only peer',
    {
      pod: pod({ container: { env: [{ name: 'API', value: 'http://api:80/' }] }, status: crashed({ exitCode: 22 }) }),
      logs: lastWords('curl: (22) The requested URL returned error: 401'),
    },
    'authentication-refused',
    /its peer api:80/,
  ],
  [
    'a token of which the signature is not right',
    crash(1, 'RuntimeError: GET http://orders:8080/orders: 401 signature verification failed'),
    'authentication-refused',
    /is not let in by its peer orders:8080, which refuses its token/,
  ],
  [
    'a server that was reached, and refuses the token',
    crash(1, "nats: connection to nats:4222 refused by the server: -ERR 'Authorization Violation'"),
    'authentication-refused',
    /is not let in by its peer nats:4222, which refuses its/,
  ],
  [
    'HTTP 403: axios',
    crash(1, 'AxiosError: Request failed with status code 403'),
    'not-allowed',
    /is denied what it asks of its peer/,
  ],
  [
    'a registry of packages',
    crash(
      1,
      'npm error code E401',
      'npm error 401 Unauthorized - GET https://registry.example/@shop%2fa - unauthenticated',
    ),
    'authentication-refused',
    /its peer registry\.example/,
  ],
  [
    'a service account without a role',
    crash(
      1,
      'pods is forbidden: User "system:serviceaccount:shop:web" cannot list resource "pods" in API group "" in the namespace "shop"',
    ),
    'not-allowed',
    /may not list pods: no role allows that to its service account shop\/web/,
  ],
  [
    'gRPC',
    crash(1, 'rpc error: code = PermissionDenied desc = caller may not read orders'),
    'not-allowed',
    /is denied what it asks of its peer/,
  ],
  [
    'a table of a database',
    crash(1, 'pq: permission denied for table orders'),
    'not-allowed',
    /is denied what it asks of its peer: pq: permission denied for table orders/,
  ],
];

const withVariables = (container: object, line = PSQL, more: Partial<PodEvidence> = {}): Partial<PodEvidence> => ({
  pod: pod({
    container,
    status: crashed({ exitCode: 1 }),
    spec: { volumes: [{ name: 'v', configMap: { name: 'app' } }] },
  }),
  logs: lastWords(line),
  ...more,
});
const ofSecret = (variable: string, name: string, key: string): object => ({
  name: variable,
  valueFrom: { secretKeyRef: { name, key } },
});
const conf = (text: string): Partial<PodEvidence> => ({
  configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: ['a.conf'], texts: { 'a.conf': text } }],
});
const mount = { volumeMounts: [{ name: 'v', mountPath: '/etc/app' }] };
const WRONGPASS = 'Unable to AUTH to MASTER: -WRONGPASS invalid username-password pair or user is disabled.';

const sources: readonly Case[] = [
  [
    'a data source, by the name of its key',
    withVariables({ env: [ofSecret('SOURCE', 'monitor', 'dsn')] }),
    'authentication-refused',
    /\(with SOURCE of Secret monitor\): /,
  ],
  [
    'the password of several credentials',
    withVariables({ env: [ofSecret('DB_PASSWORD', 'shop-db', 'pw'), ofSecret('STRIPE_KEY', 'pay', 'key')] }),
    'authentication-refused',
    /\(with DB_PASSWORD of Secret shop-db\): /,
  ],
  [
    'no one of two passwords',
    withVariables({ env: [ofSecret('DB_PASSWORD', 'shop-db', 'pw'), ofSecret('SMTP_PASSWORD', 'mail', 'pw')] }),
    'authentication-refused',
    /refuses its password or user: /,
  ],
  [
    'a whole Secret',
    withVariables({ envFrom: [{ secretRef: { name: 'shop-db' } }] }, PSQL, {
      configs: [{ kind: 'Secret', name: 'shop-db', state: 'found', keys: ['DB_PASSWORD', 'DB_HOST'] }],
    }),
    'authentication-refused',
    /\(with DB_PASSWORD of Secret shop-db\): /,
  ],
  [
    'a value of the specification',
    withVariables({ env: [{ name: 'DB_PASSWORD', value: 'hunter22' }] }),
    'authentication-refused',
    /\(with its variable DB_PASSWORD\): (?!.*hunter22)/,
  ],
  [
    'a line of a file of a ConfigMap',
    withVariables(mount, WRONGPASS, conf('replicaof main 6379\nmasterauth hunter22\ndir /data\n')),
    'authentication-refused',
    /\(with masterauth, line 2 of \/etc\/app\/a\.conf, of ConfigMap app\): (?!.*hunter22)/,
  ],
  [
    'a line of YAML',
    withVariables(mount, PSQL, conf('db:\n  user: app\n  password: "hunter22"\n  password_file: /x\n')),
    'authentication-refused',
    /\(with password, line 3 of \/etc\/app\/a\.conf, of ConfigMap app\): (?!.*hunter22)/,
  ],
  [
    'no line that only names a variable or a file',
    withVariables(mount, PSQL, conf('db:\n  password: ${DB_PASSWORD}\n  # secret: x\n  secret: /run/secret\n')),
    'authentication-refused',
    /refuses its password or user: /,
  ],
  [
    'a Secret with files',
    {
      ...withVariables(mount),
      pod: pod({
        container: mount,
        status: crashed({ exitCode: 1 }),
        spec: { volumes: [{ name: 'v', secret: { secretName: 'db-login' } }] },
      }),
    },
    'authentication-refused',
    /\(with Secret db-login\): /,
  ],
];

describe('credentials', () => {
  tellsEach(refusals);

  it('are looked for in what the container uses, once its log speaks of them', () => {
    expect(credentialsWanted(evidence(unready()))).toMatchObject([
      { kind: 'Secret', name: 'db' },
      { kind: 'ConfigMap', name: 'levels' },
    ]);
    expect(credentialsWanted(evidence(unready({ logs: { web: { current: ['starting'] } } })))).toEqual([]);
  });

  it('of a container that is well are no finding, whatever its log says and whatever changed', () => {
    const given = evidence({
      pod: pod({ container: variables }),
      logs: { web: { current: [PSQL] } },
      configs: [{ kind: 'Secret', name: 'db', state: 'found', keys: [], writtenAt: ago(10) }],
    });
    expect(diagnosePod(given).findings).toEqual([]);
  });

  it.each([
    ['a file', 'open /data/a: permission denied', 'permission-denied'],
    [
      "the system's own refusal",
      "thread 'main' panicked at '/data/a: Os { code: 13, kind: PermissionDenied, message: \"Permission denied\" }', main.rs:4:69",
      'permission-denied',
    ],
    ['a number', 'cannot open row 401 of orders', 'exit-code'],
  ])('have nothing to do with %s', (_, line, id) => {
    expect(diagnosePod(evidence(crash(1, line))).findings[0]?.id).toBe(id);
  });
});

describe('where a refused password comes from', () => {
  tellsEach(sources);
});
