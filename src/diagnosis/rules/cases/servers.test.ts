/** Tests what is said of the words of servers and of their clients: databases, poolers, brokers, mail and names. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { configMap, crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, crash, tellsEach } from './cases.fixtures.ts';

const service = (name: string, port: number, more: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.1.1'],
  ports: [port],
  ready: 1,
  notReady: 0,
  ...more,
});
/** A container with ConfigMap app at /etc/app. */
const ended = (
  given: { readonly container?: object; readonly spec?: object; readonly more?: Partial<PodEvidence> },
  ...lines: readonly string[]
): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }], ...given.container },
    spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }], ...given.spec },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  ...given.more,
});

const SQL =
  "select domains.id, domains.name, records.content, domains.type, domains.master, domains.notified_serial, domains.last_check, domains.account from domains LEFT JOIN records ON records.domain_id=domains.id AND records.type='SOA' AND records.name=domains.name WHERE records.disabled=0 OR :include_disabled";
const SQLITE = `Error while filling the cache: Database error trying to retrieve all domains:Unable to compile SQLite statement : '${SQL}': no such table: domains (1)`;

const databases: readonly Case[] = [
  [
    'a table that its own file lacks, which its configuration names',
    ended(
      {
        more: {
          configs: [
            configMap('app', { 'names.conf': 'launch=gsqlite3\ngsqlite3-database=/var/lib/names/a.sqlite3\n' }),
          ],
        },
      },
      SQLITE,
    ),
    'missing-data',
    /^container web does not find a table or column that it needs in its database file \/var\/lib\/names\/a\.sqlite3 \(line 2 of \/etc\/app\/names\.conf\): .*select domains\.id.{0,60}….{0,4}: no such table: domains \(1\)/,
  ],
  [
    'one that a variable names',
    ended(
      { container: { env: [{ name: 'DATABASE_URL', value: 'sqlite:////data/shop.db' }] } },
      'sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) no such table: orders',
      '[SQL: SELECT id FROM orders]',
    ),
    'missing-data',
    /does not find a table or column that it needs in its database file \/data\/shop\.db \(variable DATABASE_URL\): /,
  ],
  [
    'one that nothing names',
    crash(1, 'SqliteError: no such column: price'),
    'missing-data',
    /^container web does not find a table or column that it needs in its database file: SqliteError: no such column: price$/,
  ],
  [
    'a table of a server',
    crash(1, 'ERROR:  relation "orders" does not exist at character 15'),
    'missing-data',
    /does not find data that it needs in its peer: /,
  ],
  [
    'shared memory of a server, as its client prints it',
    ended(
      { container: { command: ['psql', '-h', 'pg', '-c', 'select 1'] } },
      'ERROR:  could not resize shared memory segment "/PostgreSQL.356750498" to 16777216 bytes: No space left on device',
    ),
    'no-space',
    /^container web ends, as its server pg has no shared memory left: \/dev\/shm in the server's pod has 64Mi, unless an emptyDir with medium Memory is mounted there: could not resize shared memory segment "\/PostgreSQL\.356750498" to 16777216 bytes: No space left on device$/,
  ],
  [
    'shared memory of its own',
    ended(
      { container: { image: 'registry.example/postgres:15' } },
      '2026-01-31 02:20:09.080 UTC [24] FATAL:  could not resize shared memory segment "/PostgreSQL.18118" to 1048576 bytes: No space left on device',
    ),
    'no-space',
    /^container web has no shared memory left: \/dev\/shm has 64Mi, unless an emptyDir with medium Memory is mounted there: /,
  ],
  [
    'shared memory of a volume',
    ended(
      {
        container: { image: 'registry.example/postgres:15', volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] },
        spec: { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '128Mi' } }] },
      },
      'FATAL:  could not resize shared memory segment "/PostgreSQL.18118" to 1048576 bytes: No space left on device',
    ),
    'no-space',
    /^container web has no shared memory left: its volume shm at \/dev\/shm, of 128Mi, is full: /,
  ],
  [
    'shared memory of workers',
    crash(
      1,
      "RuntimeError: DataLoader worker (pid 42) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.",
    ),
    'no-space',
    /^container web has no shared memory left: \/dev\/shm has 64Mi, /,
  ],
  [
    'a file in it',
    crash(1, "OSError: [Errno 28] No space left on device: '/dev/shm/cache.bin'"),
    'no-space',
    /^container web has no shared memory left: \/dev\/shm has 64Mi, /,
  ],
  [
    'a disk that is full',
    crash(1, 'write /var/lib/a/wal: no space left on device'),
    'no-space',
    /^container web cannot write \/var\/lib\/a\/wal: no space is left$/,
  ],
];

describe('databases', () => {
  tellsEach(databases);
  it('no node is asked for shared memory', () => {
    const { findings } = diagnosePod(
      evidence(
        crash(1, 'ERROR:  could not resize shared memory segment "/PostgreSQL.3" to 1 bytes: No space left on device'),
      ),
    );
    expect(findings[0]?.try.join('\n')).not.toContain('node/');
  });
});

const PYMYSQL = (error: string): readonly string[] => [
  'Traceback (most recent call last):',
  '  File "/usr/lib/python3/dist-packages/pymysql/err.py", line 143, in raise_mysql_exception',
  '    raise errorclass(errno, errval)',
  error,
];
const CONNECTS = { command: ['python3', '-c', 'import pymysql\nc=pymysql.connect(host="maindb",user="app")\n'] };

const numbers: readonly Case[] = [
  [
    'too many connections, in another language and cut',
    ended({ container: CONNECTS }, ...PYMYSQL("pymysql.err.OperationalError: (1040, 'ny connections')")),
    'connections-exhausted',
    /^container web gets no connection any more, as its peer has too many connections, the most that it allows \(maindb, by its command\): pymysql\.err\.OperationalError: \(1040, 'ny connections'\)/,
  ],
  [
    'too many connections of PostgreSQL, by its state',
    crash(1, 'FATAL: schliesslich zu viele Verbindungen (SQLSTATE 53300)'),
    'connections-exhausted',
    /its peer has too many connections, the most that it allows: /,
  ],
  [
    'a pool that is empty',
    crash(1, 'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out'),
    'connections-exhausted',
    /^container web gets no connection any more, because all of its pool or of its peer are in use: /,
  ],
  [
    'a refused password of MariaDB in French',
    ended(
      { container: CONNECTS },
      ...PYMYSQL(
        `pymysql.err.OperationalError: (1045, "Accès refusé pour l'utilisateur: 'app'@'10.2.0.8' (mot de passe: OUI)")`,
      ),
    ),
    'authentication-refused',
    /^container web is not let in by its peer maindb, which refuses its password or user: /,
  ],
  [
    'a refused password of PostgreSQL in German',
    crash(
      1,
      'failed to connect to `host=db user=app database=shop`: server error (FATAL: Passwort-Authentifizierung für Benutzer »app« fehlgeschlagen (SQLSTATE 28P01))',
    ),
    'authentication-refused',
    /is not let in by its peer.* refuses its password or user: /,
  ],
  [
    'a database that is not there',
    ended({ container: CONNECTS }, ...PYMYSQL('pymysql.err.OperationalError: (1049, "Base \'shop\' inconnue")')),
    'missing-data',
    /does not find data that it needs in its peer maindb \(by its command\): .*Base 'shop' inconnue/,
  ],
  [
    'no peer, where a Secret may name another one',
    ended(
      {
        container: {
          env: [
            { name: 'CACHE_URL', value: 'redis://cache:6379' },
            { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'db', key: 'url' } } },
          ],
        },
      },
      ...PYMYSQL('pymysql.err.OperationalError: (1049, "Base \'shop\' inconnue")'),
    ),
    'missing-data',
    /does not find data that it needs in its peer: /,
  ],
  [
    'a table that is not there, by the class of the error',
    crash(1, 'psycopg2.errors.UndefinedTable: FEHLER:  Relation »orders« existiert nicht'),
    'missing-data',
    /does not find data that it needs in its peer: /,
  ],
  [
    'a table that is not there, by a property of the error',
    crash(
      1,
      'error: Relation »orders« existiert nicht',
      '    at Parser.parseErrorMessage (/app/node_modules/pg-protocol/dist/parser.js:287:98) {',
      '  length: 106,',
      "  severity: 'FEHLER',",
      "  code: '42P01',",
      '}',
    ),
    'missing-data',
    /does not find data that it needs in its peer: error: Relation »orders« existiert nicht/,
  ],
  [
    'a table that is not there, by the name of the error',
    crash(1, "Error: ER_NO_SUCH_TABLE: Tabell 'shop.orders' finns inte"),
    'missing-data',
    /does not find data that it needs in its peer: /,
  ],
  [
    'a right that is not given',
    crash(1, 'SQLSTATE[42501]: keine Berechtigung für Tabelle orders'),
    'not-allowed',
    /is denied what it asks of its peer: /,
  ],
  [
    'a host that may not connect',
    crash(1, "ERROR 1130 (HY000): Host '10.2.0.8' is not allowed to connect to this MariaDB server"),
    'not-allowed',
    /is denied what it asks of its peer/,
  ],
  [
    'a number that is none of an error',
    crash(1, 'ERROR: cannot price order 1040, "shoes" (1045, 1049)'),
    'exit-code',
    /cannot price order 1040/,
  ],
];

describe('errors by their numbers', () => {
  tellsEach(numbers);
});

const PASSWORD = {
  env: [
    { name: 'DATABASE_URL', value: 'postgresql://app@pool:6432/shop' },
    { name: 'PGPASSWORD', valueFrom: { secretKeyRef: { name: 'app-db', key: 'password' } } },
  ],
};
const AT_POOL = 'psycopg2.OperationalError: connection to server at "pool" (10.96.61.3), port 6432 failed: FATAL:  ';
const BROKER = {
  env: [
    { name: 'MQTT_HOST', value: 'mqtt' },
    { name: 'MQTT_PASSWORD', valueFrom: { secretKeyRef: { name: 'mqtt-client', key: 'password' } } },
  ],
};

const wrongSide: readonly Case[] = [
  [
    'a login of a pooler, whose list is of another form',
    ended({ container: PASSWORD }, `${AT_POOL}server login failed: wrong password type`),
    'authentication-refused',
    /^container web is told by its pooler pool:6432 that the pooler's own login to the database behind it fails \(its list of users holds another form of password than that wants, as an md5 hash where that wants SCRAM\), which no password of this container mends: .*wrong password type/,
  ],
  [
    'a login of a pooler',
    ended({ container: PASSWORD }, `${AT_POOL}server login has been failing, try again later (server_login_retry)`),
    'authentication-refused',
    /^container web is told by its pooler pool:6432 that the pooler's own login to the database behind it fails, which no password/,
  ],
  [
    'a login of a pooler, of which a pod of it says more',
    ended(
      {
        container: PASSWORD,
        more: {
          services: [service('pool', 6432, { complaint: { pod: 'pool-1', says: 'cannot do SCRAM authentication' } })],
        },
      },
      `${AT_POOL}server login failed: FATAL password authentication failed for user "app"`,
    ),
    'authentication-refused',
    /database behind it fails, which no password of this container mends \(service pool, whose pod pool-1 is ready and says: cannot do SCRAM authentication\): /,
  ],
  [
    'a database that a pooler does not reach',
    ended({ container: PASSWORD }, `${AT_POOL}pgbouncer cannot connect to server`),
    'dependency-not-ready',
    /^container web is told by its pooler pool:6432 that the pooler does not reach the database behind it: /,
  ],
  [
    'a login of another pooler',
    crash(1, 'ERROR 1045: Authentication with backend failed. Session will be closed.'),
    'authentication-refused',
    /is told by its pooler that the pooler's own login/,
  ],
  [
    'a login at a pooler, with its own password',
    ended({ container: PASSWORD }, `${AT_POOL}password authentication failed for user "app"`),
    'authentication-refused',
    /is not let in by its peer pool:6432, which refuses its password or user \(with PGPASSWORD of Secret app-db\): /,
  ],
  [
    'a refusal of a broker, which is no closed port',
    ended({ container: BROKER }, 'Connection error: Connection Refused: not authorised.'),
    'authentication-refused',
    /^container web is not let in by its peer mqtt, which refuses its password or user \(with MQTT_PASSWORD of Secret mqtt-client\): Connection error: Connection Refused: not authorised$/,
  ],
  [
    'the same of another client',
    ended({ container: BROKER }, 'Error: Connection refused: Bad username or password'),
    'authentication-refused',
    /not let in by its peer mqtt/,
  ],
  [
    'the same in a newer protocol',
    ended({ container: BROKER }, 'Connection error: Not authorized'),
    'authentication-refused',
    /not let in by its peer mqtt/,
  ],
  [
    'the same in Java',
    ended({ container: BROKER }, 'Not authorized to connect (5)'),
    'authentication-refused',
    /not let in by its peer mqtt/,
  ],
  [
    'an identifier that a broker rejects',
    crash(1, 'Connection error: Connection Refused: identifier rejected.'),
    'exit-code',
    /identifier rejected/,
  ],
  [
    'a broker of another protocol',
    ended({ container: { env: [{ name: 'NATS_URL', value: 'nats://bus:4222' }] } }, 'nats: Authorization Violation'),
    'authentication-refused',
    /not let in by its peer bus:4222/,
  ],
  [
    'a closed port of a broker',
    ended({ container: BROKER }, 'Error: Connection refused'),
    'dependency-refused',
    /is refused by a peer, which by its variable MQTT_HOST is mqtt,/,
  ],
  [
    'mail that a server does not pass on',
    ended(
      { container: { command: ['python3', '-c', 'import smtplib\ns=smtplib.SMTP("smtp",25)\ns.sendmail()'] } },
      "smtplib.SMTPRecipientsRefused: {'a@example.org': (454, b'4.7.1 <a@example.org>: Relay access denied')}",
    ),
    'not-allowed',
    /^container web may not send mail through its peer smtp:25, which passes on only what comes of its own networks and users \(mynetworks of Postfix\): .*Relay access denied/,
  ],
  [
    'the same in the words of another server',
    ended(
      { container: { env: [{ name: 'SMTP_HOST', value: 'mailer' }] } },
      "Error: Can't send mail - all recipients were rejected: 550 5.7.1 Unable to relay for a@example.org",
    ),
    'not-allowed',
    /may not send mail through its peer mailer, /,
  ],
];

describe('who is to blame', () => {
  tellsEach(wrongSide);
});

const sentinel = (text: string, services: readonly ServiceEvidence[]): Partial<PodEvidence> => ({
  ...ended(
    { more: { configs: [configMap('app', { 'sentinel.conf': text })], services } },
    "1:X 31 Jan 2026 02:20:47.472 # Failed to resolve hostname 'redis-0.redis.shop.svc.cluster.local'",
    '',
    '*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***',
    'Reading the configuration file, at line 3',
    ">>> 'sentinel monitor mymaster redis-0.redis.shop.svc.cluster.local 6379 2'",
    "Can't resolve instance hostname.",
  ),
});
const MONITOR = 'port 26379\ndir /tmp\nsentinel monitor mymaster redis-0.redis.shop.svc.cluster.local 6379 2\n';
const HEADLESS = service('redis', 6379, { clusterIPs: [] });

const names: readonly Case[] = [
  [
    'a name that a sentinel does not look up',
    sentinel(MONITOR, [HEADLESS]),
    'dependency-not-resolved',
    /^container web does not find redis-0\.redis\.shop\.svc\.cluster\.local \(no such name\) and ends: a sentinel looks up names only after "sentinel resolve-hostnames yes", which its configuration lacks before "sentinel monitor" \(service redis is there\); its configuration \/etc\/app\/sentinel\.conf is of ConfigMap app \(line 3\)$/,
  ],
  [
    'a name that it looks up, and that is not there',
    sentinel(`sentinel resolve-hostnames yes\n${MONITOR}`, [service('redis', 6379, { missing: true })]),
    'dependency-not-resolved',
    /\(no such name\) and ends: there is no service redis;/,
  ],
  [
    'a name that another program does not resolve',
    crash(1, "FATAL: Failed to resolve hostname 'ledger-db'"),
    'dependency-not-resolved',
    /^container web does not find ledger-db \(no such name\) and ends/,
  ],
];

describe('names', () => {
  tellsEach(names);
});
