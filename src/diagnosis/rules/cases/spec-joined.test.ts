/** Tests findings that join an end with other parts of the specification: mounts of other containers, empty values, files in URLs. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { credentialsWanted } from '../../wanted.ts';
import { tellsEach } from './cases.fixtures.ts';

const LOG_FILE = "input failed: [Errno 2] No such file or directory: '/var/log/app/access.log'";
const CERTIFICATE = 'ValueError: certfile "/run/secrets/tls/tls.crt" does not exist';
const SOCKET =
  'could not connect to database: connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: No such file or directory';
const MYSQL = "ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/run/mysqld/mysqld.sock' (2)";
const SQLITE = 'sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) unable to open database file';

/** A pod whose container web ended with this line, beside a container shop with a volume at /var/log/app. */
const beside = (line: string, container: object = {}): Partial<PodEvidence> => {
  const own = pod({
    container,
    spec: { volumes: [{ name: 'applogs', emptyDir: {} }] },
    status: crashed({ exitCode: 1 }),
  });
  const shop = { name: 'shop', volumeMounts: [{ name: 'applogs', mountPath: '/var/log/app' }] };
  return {
    pod: { ...own, spec: { ...own.spec, containers: [...(own.spec?.containers ?? []), shop] } },
    logs: lastWords(line),
  };
};
const ended = (container: object, line: string, given: Partial<PodEvidence> = {}, spec: object = {}) => ({
  pod: pod({ container, spec, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(line),
  ...given,
});
const config = (name: string, keys: readonly string[], emptyKeys: readonly string[] = []): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys,
  emptyKeys,
});
const tls = (line: string, mountPath: string, keys: readonly string[]): Partial<PodEvidence> =>
  ended(
    { volumeMounts: [{ name: 'tls', mountPath }] },
    line,
    { configs: [{ ...config('sso-tls', keys), kind: 'Secret' }] },
    { volumes: [{ name: 'tls', secret: { secretName: 'sso-tls' } }] },
  );
const fromMap = { env: [{ name: 'DB_HOST', valueFrom: { configMapKeyRef: { name: 'app', key: 'db.host' } } }] };
const service = (given: Partial<ServiceEvidence>): ServiceEvidence => ({
  namespace: 'shop',
  name: 'db',
  missing: false,
  clusterIPs: ['10.96.0.4'],
  ports: [5432],
  ready: 1,
  notReady: 0,
  ...given,
});
const seed = (services: readonly ServiceEvidence[], restartPolicy = 'Never'): Partial<PodEvidence> => ({
  pod: pod({
    spec: { restartPolicy },
    podStatus: { phase: 'Failed' },
    status: {
      ready: false,
      state: { terminated: { exitCode: 2, reason: 'Error', startedAt: ago(64), finishedAt: ago(60) } },
    },
  }),
  logs: { web: { current: ['seed aborted: connection to server at "db", port 5432 failed: Connection refused'] } },
  services,
});

describe('an end and another part of its specification', () => {
  tellsEach([
    [
      'a file in a volume that another container alone mounts',
      beside(LOG_FILE),
      'missing-setting',
      /\/var\/log\/app\/access\.log .*; volume applogs is mounted at \/var\/log\/app in container shop only$/,
    ],
    [
      'a file in a volume that it mounts elsewhere itself',
      beside(LOG_FILE, { volumeMounts: [{ name: 'applogs', mountPath: '/logs' }] }),
      'missing-setting',
      /volume applogs is mounted at \/var\/log\/app in container shop, and at \/logs in this one$/,
    ],
    [
      'a file that a Secret has whose mount is at another path',
      tls(CERTIFICATE, '/run/secret/tls', ['tls.crt', 'tls.key']),
      'missing-setting',
      /; Secret sso-tls has tls\.crt, and is mounted at \/run\/secret\/tls$/,
    ],
    [
      'a file at nearly the path of a volume',
      ended(
        { volumeMounts: [{ name: 'data', mountPath: '/var/lib/shops' }] },
        "FileNotFoundError: [Errno 2] No such file or directory: '/var/lib/shop/a.csv'",
        {},
        { volumes: [{ name: 'data', emptyDir: {} }] },
      ),
      'missing-setting',
      /; volume data is mounted at \/var\/lib\/shops$/,
    ],
    [
      'a server at a local socket, as the key of its host is empty',
      ended(fromMap, SOCKET, { configs: [config('app', ['db.host'], ['db.host'])] }),
      'missing-setting',
      /^container web looks for PostgreSQL in its own container \(socket \/var\/run\/postgresql\/\.s\.PGSQL\.5432\), as it has no host for it: its variable DB_HOST \(ConfigMap app, key db\.host\) is empty$/,
    ],
    [
      'a server at a local socket, as its host is empty',
      ended({ env: [{ name: 'PGHOST', value: '' }] }, SOCKET),
      'missing-setting',
      /looks for PostgreSQL in its own container .*: its variable PGHOST is empty$/,
    ],
    [
      'a server at a local socket, for localhost',
      ended({ env: [{ name: 'DB_HOST', value: 'localhost' }] }, MYSQL),
      'missing-setting',
      /looks for MySQL in its own container .* its variable DB_HOST is localhost, for which its client takes the socket$/,
    ],
    [
      'a server at a local socket, for localhost of a ConfigMap',
      ended(fromMap, MYSQL, { configs: [{ ...config('app', ['db.host']), localhostKeys: ['db.host'] }] }),
      'missing-setting',
      /its variable DB_HOST \(ConfigMap app, key db\.host\) is localhost, for which/,
    ],
    [
      'a variable that is named, set and empty',
      ended({ envFrom: [{ configMapRef: { name: 'app' } }] }, 'config error: API_BASE_URL is not a valid URL', {
        configs: [config('app', ['API_BASE_URL', 'MODE'], ['API_BASE_URL'])],
      }),
      'exit-code',
      /its variable API_BASE_URL \(ConfigMap app\) is set, and empty/,
    ],
    [
      'a database file that only a variable names',
      ended(
        {
          env: [{ name: 'DATABASE_URL', value: 'sqlite:////var/lib/tickets/tickets.db' }],
          securityContext: { runAsUser: 1000 },
          volumeMounts: [{ name: 'data', mountPath: '/var/lib/tickets' }],
        },
        SQLITE,
        {},
        { volumes: [{ name: 'data', emptyDir: {} }] },
      ),
      'permission-denied',
      /^container web cannot open its database \/var\/lib\/tickets\/tickets\.db \(variable DATABASE_URL\) as user 1000 in volume data, and its pod has no fsGroup: .*unable to open database file$/,
    ],
    [
      'a database file of its arguments, in a folder of the image',
      ended(
        { args: ['--db=jdbc:h2:file:/srv/data/app;MODE=PostgreSQL'] },
        'ERROR: could not open database: lock error',
      ),
      'permission-denied',
      /cannot open its database \/srv\/data\/app \(of its arguments\), whose folder \/srv\/data has to be there/,
    ],
    [
      'an end that came too early, and is the last',
      seed([service({})]),
      'dependency-refused',
      /is refused by db:5432 and ends: it was too early, as service db is ready now, and nothing starts it again \(restartPolicy: Never\)$/,
    ],
  ]);

  const says = (given: Partial<PodEvidence>): string =>
    diagnosePod(evidence(given))
      .findings.map((finding) => finding.says)
      .join('\n');
  it.each<[string, Partial<PodEvidence>, RegExp]>([
    ['a mount of another path', beside("No such file or directory: '/etc/app.conf'"), /applogs/],
    ['a volume of another name and path', tls(CERTIFICATE, '/etc/ldap', ['ca.crt']), /sso-tls|\/etc\/ldap/],
    [
      'a socket that a volume brings',
      ended(
        { volumeMounts: [{ name: 'run', mountPath: '/var/run/postgresql' }] },
        SOCKET,
        {},
        { volumes: [{ name: 'run', emptyDir: {} }] },
      ),
      /looks for/,
    ],
    [
      'a socket that a variable means',
      ended({ env: [{ name: 'PGHOST', value: '/var/run/postgresql' }] }, SOCKET),
      /looks for/,
    ],
    ['a socket of the container that runs the server', ended({ image: 'postgres:16' }, SOCKET), /looks for/],
    [
      'an empty variable that the line does not name',
      ended({ env: [{ name: 'HTTP_PROXY', value: '' }] }, 'config error: API_BASE_URL is not a valid URL'),
      /HTTP_PROXY/,
    ],
    [
      'one of two database files',
      ended(
        {
          env: [
            { name: 'A', value: 'sqlite:////a/a.db' },
            { name: 'B', value: 'sqlite:////b/b.db' },
          ],
        },
        SQLITE,
      ),
      /\/a\/a\.db/,
    ],
    ['a peer that is not there yet', seed([service({ ready: 0, notReady: 1 })]), /too early/],
    ['a container that is started again', seed([service({})], 'OnFailure'), /too early/],
  ])('is not joined with %s', (_, given, never) => {
    expect(says(given)).not.toBe('');
    expect(says(given)).not.toMatch(never);
  });

  it('has the keys of its ConfigMaps read only where an empty one may say more', () => {
    const wanted = (line: string) => credentialsWanted(evidence(ended(fromMap, line))).map(({ name }) => name);
    expect(wanted(SOCKET)).toEqual(['app']);
    expect(wanted('config error: DB_HOST is not valid')).toEqual(['app']);
    expect(wanted('boom')).toEqual([]);
  });
});
