import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, evidence, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { quoteText } from '../../quote-text.ts';
import { namedServicesOf, wellLogsWanted } from '../../wanted.ts';

const NOW = evidence().now;
const REFUSED = 'ERROR could not fetch a job: Error 111 connecting to queue:6379. Connection refused.';
const OTEL = 'ERROR exporting traces to collector:4317: Connection refused';

const runs = (line: string, given: Partial<PodEvidence> = {}, container: object = {}): Partial<PodEvidence> => ({
  pod: pod({ container, status: { restartCount: 0, state: { running: { startedAt: ago(300) } } } }),
  logs: { web: { current: ['worker starts', line, line, line, line] } },
  ...given,
});
const away = (name: string): PodEvidence['services'][number] => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [6379],
  ready: 0,
  notReady: 0,
  nobody: { scaledToZero: [`deployment/${name}`] },
});

describe('a container that looks well', () => {
  it.each<[what: string, given: Partial<PodEvidence>, severity: string, says: RegExp]>([
    [
      'has a peer that is scaled to 0',
      runs(REFUSED, { services: [away('queue')] }),
      'warning',
      /^container web is refused by queue:6379 and tries again and again \(4 times\): service queue has no endpoint that is ready, because deployment\/queue is scaled to 0/,
    ],
    [
      'names no cause, and a port that its service does not have',
      runs(
        'ERROR sync failed: backend unavailable',
        { services: [{ ...away('pricing'), ready: 1 }] },
        { env: [{ name: 'PRICING_URL', value: 'http://pricing:8080' }] },
      ),
      'warning',
      /sync failed: backend unavailable; service pricing, which its variable PRICING_URL names, has no port 8080, but 6379/,
    ],
    [
      'names no cause, and telemetry that is away',
      runs(
        'ERROR sync failed: backend unavailable',
        { services: [away('statsd')] },
        { env: [{ name: 'STATSD_HOST', value: 'statsd' }] },
      ),
      'info',
      /sync failed: backend unavailable/,
    ],
    ['has a peer of which nothing is known', runs(REFUSED), 'info', /refused by queue:6379/],
    ['can do without its peer', runs(OTEL, { services: [away('collector')] }), 'info', /refused by collector:4317/],
    [
      'has a key that its peer refuses',
      runs(
        '2026-11-28 13:17:53,676 ERROR invoice for order 17 not created: POST http://billing:8080/v1/invoices returned 403 {"error":"unknown api key"}; will retry',
        {},
        {
          env: [
            { name: 'BILLING_URL', value: 'http://billing:8080' },
            { name: 'BILLING_API_KEY', valueFrom: { secretKeyRef: { name: 'invoicer', key: 'api-key' } } },
          ],
        },
      ),
      'warning',
      /^container web runs, and fails with each try \(4 times\): it is not let in by its peer billing:8080, which refuses its key .*BILLING_API_KEY of Secret invoicer.*unknown api key/,
    ],
    [
      'has a password that its broker refuses, whose host its command names',
      runs(
        'Connection error: Connection Refused: not authorised.',
        {},
        {
          command: [
            'bash',
            '-c',
            'while true; do mosquitto_pub -h "$MQTT_HOST" -u "$MQTT_USER" -P "$MQTT_PASS" -t t -m 1; sleep 5; done',
          ],
          env: [
            { name: 'MQTT_HOST', value: 'broker' },
            { name: 'MQTT_USER', value: 'sensor' },
            { name: 'MQTT_PASS', valueFrom: { secretKeyRef: { name: 'pub-auth', key: 'pass' } } },
          ],
        },
      ),
      'warning',
      /is not let in by its peer broker(?::1883)?, .*MQTT_PASS of Secret pub-auth\): .*not authorised; it asks as user sensor, of its variable MQTT_USER$/,
    ],
    [
      'has a peer of which there is nobody, and another of nearly that name',
      runs(
        'ERROR relay stats-relay:4222 connect failed: nxdomain, 12 samples are kept',
        {
          services: [{ ...away('stats-relay'), missing: true }],
        },
        { env: [{ name: 'RELAY_HOST', value: 'stats-relay' }] },
      ),
      'warning',
      /does not find stats-relay .*there is no service stats-relay/,
    ],
    [
      'is a proxy that lets nobody through to a port',
      {
        ...runs(''),
        pod: pod({
          container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/squid' }] },
          spec: { volumes: [{ name: 'conf', configMap: { name: 'egress-conf' } }] },
          status: { restartCount: 0, state: { running: { startedAt: ago(300) } } },
        }),
        logs: {
          web: {
            current: Array.from({ length: 8 }, (_, at) => [
              `1764382671.${at}20      0 10.4.0.3 TCP_DENIED/403 3515 CONNECT bank:8443 - HIER_NONE/- text/html`,
              `1764382672.${at}20     20 10.4.0.3 TCP_TUNNEL/200 900 CONNECT api:443 - HIER_DIRECT/- -`,
            ]).flat(),
          },
        },
        configs: [
          configMap('egress-conf', { 'squid.conf': 'acl SSL_ports port 443\nhttp_access deny CONNECT !SSL_ports' }),
        ],
      },
      'info',
      /^container web runs, and answers each request for bank:8443 with 403 \(8 times\): .*TCP_DENIED\/403 3515 CONNECT bank:8443.*; it has acl SSL_ports port 443 \(ConfigMap egress-conf, key squid\.conf, line 1\)$/,
    ],
    [
      'is a broker that keeps a user from a queue',
      runs(
        "2026-01-31 11:59:30.123456+00:00 [error] <0.934.0> Channel error on connection <0.934.0> (10.2.1.14:33558 -> 10.2.1.11:5672, vhost: '/', user: 'billing'), channel 1: operation basic.consume caused a channel exception access_refused: access to queue 'invoices.v2' in vhost '/' refused for user 'billing'",
      ),
      'info',
      /^container web runs, and [^:]*: Channel error on connection .*access to queue 'invoices\.v2' .*refused for user 'billing'/,
    ],
    [
      'has a user whom the broker keeps from a queue',
      runs("ERROR ACCESS_REFUSED - access to queue 'invoices.v2' in vhost '/' refused for user 'billing'"),
      'warning',
      /it is denied what it asks of its peer: ACCESS_REFUSED - access to queue 'invoices\.v2'/,
    ],
    [
      'lacks a prepared statement, and no file of the path of its request',
      runs(
        'psycopg2.errors.InvalidSqlStatementName: prepared statement "get_product" does not exist (api: Exception on /products/243 [GET])',
      ),
      'info',
      /^container web runs, and (?!.*its file).*prepared statement "get_product" does not exist/,
    ],
    [
      'is Apache whose base of users its directory does not have',
      {
        ...runs(''),
        logs: {
          web: {
            current: Array.from({ length: 6 }, (_, at) => [
              `[Sat Jan 31 11:59:3${at}.704846 2026] [authnz_ldap:info] [pid 9:tid 57] [client 10.2.0.73:48340] AH01695: auth_ldap authenticate: user alice authentication failed; URI /wiki/index.html [ldap_search_ext_s() for user failed][No such object]`,
              `[Sat Jan 31 11:59:3${at}.704863 2026] [auth_basic:error] [pid 9:tid 57] [client 10.2.0.73:48340] AH01618: user alice not found: /wiki/index.html`,
              `10.2.0.73 - alice [31/Jan/2026:11:59:3${at} +0000] "GET /wiki/index.html HTTP/1.1" 401 421 "curl/7.88.1"`,
            ]).flat(),
          },
        },
      },
      'info',
      /^container web runs, and answers each request for \/wiki with 401 \(6 times\): AH01695: auth_ldap authenticate: .*No such object/,
    ],
    [
      'is a database whose statements wait for one session',
      {
        ...runs(''),
        logs: {
          web: {
            current: [
              `${ago(90)} [60] LOG:  connection authorized: user=shop database=shop application_name=report`,
              ...Array.from({ length: 200 }, (_, at) => `${ago(80)} [${at}] LOG:  connection received: host=127.0.0.1`),
              ...Array.from({ length: 5 }, (_, at) => [
                `${ago(50 - at)} [12${at}] shop@shop LOG:  process 12${at} still waiting for AccessShareLock on relation 16387 of database 16385 after 1000.254 ms`,
                `${ago(50 - at)} [12${at}] shop@shop DETAIL:  Process holding the lock: 60. Wait queue: 12${at}.`,
                `${ago(50 - at)} [12${at}] shop@shop STATEMENT:  select id from orders`,
              ]).flat(),
            ],
          },
        },
      },
      'warning',
      /^container web runs, and statements wait for a lock again and again \(5 times\): process 60 \(user=shop database=shop application_name=report\) holds it; for it waits process 124 \(shop@shop: select id from orders\)$/,
    ],
    [
      'is answered with an error that speaks of a login, which refuses nobody',
      runs('ERROR in views: upstream http://sso:8000/login returned 500: {"error": "login failed"}'),
      'warning',
      /it is answered by its peer with an error of its own: .*returned 500/,
    ],
    [
      'is a pooler that is not let in itself',
      {
        ...runs(''),
        logs: {
          web: {
            current: Array.from({ length: 5 }, (_, at) => [
              `2026-01-31 11:5${at + 5}:05.336 UTC [1] LOG S-0x555a505ede20: shop/app@10.96.4.1:5432 new connection to server (from 10.4.0.5:5549${at})`,
              `2026-01-31 11:5${at + 5}:05.341 UTC [1] WARNING server login failed: FATAL password authentication failed for user "app"`,
              `2026-01-31 11:5${at + 5}:05.341 UTC [1] WARNING C-0x555a505e69a0: shop/app@10.4.0.6:5549${at} pooler error: password authentication failed for user "app"`,
            ]).flat(),
          },
        },
        pod: pod({
          container: { volumeMounts: [{ name: 'users', mountPath: '/etc/pgbouncer' }] },
          spec: { volumes: [{ name: 'users', secret: { secretName: 'pooler-users' } }] },
          status: { restartCount: 0, state: { running: { startedAt: ago(300) } } },
        }),
      },
      'warning',
      /: it is not let in by its peer(?: \S+)?, which refuses its password or user .*: server login failed: FATAL password authentication failed for user "app"/,
    ],
    [
      'has a peer that only its code names, which refuses its password',
      {
        ...runs(
          "PHP Warning:  mysqli_real_connect(): (1045) Access denied for user 'blog'@'10.4.0.3' (using password: YES) in /app/index.php on line 4",
        ),
        pod: pod({
          container: { volumeMounts: [{ name: 'code', mountPath: '/app' }] },
          spec: { volumes: [{ name: 'code', configMap: { name: 'code' } }] },
          status: { restartCount: 0, state: { running: { startedAt: ago(300) } } },
        }),
        configs: [
          configMap('code', { 'index.php': "<?php $c = new mysqli('blog-db', getenv('U'), getenv('P'), 'blog');" }),
        ],
      },
      'warning',
      /: it is not let in by its peer blog-db, which refuses its password or user/,
    ],
    [
      'has a URL without a scheme',
      runs(
        'ERROR System.UriFormatException: Invalid URI: The format of the URI could not be determined.',
        {},
        {
          env: [
            { name: 'CRM_BASE_URL', value: 'crm-gateway/api/v2' },
            { name: 'DOCS_URL', value: 'https://docs.acme.example' },
          ],
        },
      ),
      'info',
      /UriFormatException.*; its variable CRM_BASE_URL is "crm-gateway\/api\/v2", which has no scheme such as http:\/\/$/,
    ],
    [
      'lost a thread long ago, as only the beginning of its log tells',
      {
        ...runs(''),
        logs: {
          web: {
            beginning: [
              'INFO spool starts',
              "thread 'writer' panicked at 'WRITE_EVERY must be a number: ParseIntError', src/writer.rs:21:54",
            ],
            current: Array.from({ length: 400 }, (_, at) => `INFO took ${at} readings`),
          },
        },
      },
      'warning',
      /^container web runs, and does not do all of its work: .*WRITE_EVERY must be a number/,
    ],
    [
      'wants tokens for another audience',
      runs(
        'WARN rejecting request: jwt.exceptions.InvalidAudienceError: Audience does not match',
        {},
        { env: [{ name: 'JWT_AUDIENCE', value: 'orders-api' }] },
      ),
      'info',
      /Audience does not match; its variable JWT_AUDIENCE is "orders-api"$/,
    ],
    [
      'cannot decrypt with the key that it has',
      runs(
        'FATAL ActiveSupport::MessageEncryptor::InvalidMessage (ActiveSupport::MessageEncryptor::InvalidMessage):',
        {},
        {
          env: [
            { name: 'RAILS_ENV', value: 'production' },
            { name: 'RAILS_MASTER_KEY', valueFrom: { secretKeyRef: { name: 'shop-key', key: 'key' } } },
          ],
        },
      ),
      'info',
      /InvalidMessage.*; it decrypts with its variable RAILS_MASTER_KEY of Secret shop-key, key key, and that is not the key/,
    ],
    [
      'looks for an entry of LDAP that is not there',
      runs(
        'ERROR lookup of jdoe failed: LDAPNoSuchObjectResult - 32 - noSuchObject - None - searchResDone',
        {},
        {
          env: [
            { name: 'LDAP_BIND_DN', value: 'cn=reader,dc=acme,dc=org' },
            { name: 'LDAP_USER_BASE', value: 'ou=people,dc=acme,dc=com' },
          ],
        },
      ),
      'info',
      /noSuchObject.*; it has LDAP_USER_BASE ou=people,dc=acme,dc=com \(its variable LDAP_USER_BASE\)$/,
    ],
    [
      'takes those behind it for down, by a path that they do not have',
      {
        ...runs(
          '',
          {},
          {
            command: ['sh', '-c', 'varnishd -F & while :; do curl http://127.0.0.1:6081/p/1; sleep 4; done'],
            volumeMounts: [{ name: 'vcl', mountPath: '/etc/varnish' }],
          },
        ),
        pod: pod({
          container: {
            command: ['sh', '-c', 'varnishd -F & while :; do curl http://127.0.0.1:6081/p/1; sleep 4; done'],
            volumeMounts: [{ name: 'vcl', mountPath: '/etc/varnish' }],
          },
          spec: { volumes: [{ name: 'vcl', configMap: { name: 'vcl' } }] },
          status: { restartCount: 0, state: { running: { startedAt: ago(300) } } },
        }),
        logs: {
          web: {
            current: Array.from(
              { length: 5 },
              () => '         0 Backend_health - shop Still sick 4---X-R- 0 3 5 0.001 0.000 "HTTP/1.0 404 Not Found"',
            ),
          },
        },
        configs: [
          configMap('vcl', {
            'default.vcl':
              'backend shop {\n  .host = "shop";\n  .port = "8080";\n  .probe = {\n    .url = "/healthz";\n  }\n}',
          }),
        ],
        services: [
          {
            ...away('shop'),
            ports: [8080],
            ready: 1,
            selector: { app: 'shop' },
            server: { pod: pod({ name: 'shop-1' }), lines: ['10.2.0.1 - - [x] "GET /healthz HTTP/1.1" 404 0'] },
          },
        ],
      },
      'warning',
      /backend shop is sick: its probe gets HTTP\/1\.0 404 Not Found; it asks service shop for \/healthz to know if that is well, and gets 404 \(.*ConfigMap vcl, key default\.vcl/,
    ],
    [
      'refuses the certificate of its peer',
      runs('payout batch failed: fetch failed CERT_HAS_EXPIRED https://payments-gw:8443/v2/payouts'),
      'warning',
      /: it refuses the certificate of payments-gw:8443, which has expired: payout batch failed/,
    ],
    [
      'may not write where it wants to',
      runs("ERROR cannot save: [Errno 13] Permission denied: '/data/out.csv'"),
      'info',
      /: it may not use \/data\/out\.csv/,
    ],
    [
      'says what nobody knows',
      runs('ERROR sync failed: backend unavailable'),
      'info',
      /^container web runs, and fails with each try \(4 times\): sync failed: backend unavailable/,
    ],
    [
      'has a readiness probe that does not tell',
      runs('ERROR vhost shop not found', {}, { readinessProbe: { exec: { command: ['true'] } } }),
      'info',
      /vhost shop not found$/,
    ],
  ])('%s', (_what, given, severity, says) => {
    const { findings, asWanted } = diagnosePod(evidence(given));
    expect(findings.map((one) => one.severity)).toEqual([severity]);
    expect(findings[0]?.says).toMatch(says);
    expect((findings[0]?.evidence ?? []).map((quote) => quoteText(quote, NOW)).join('\n')).not.toBe('');
    expect(asWanted).toBe(true);
  });

  it('is told of what it fails at now, and not at its first tries', () => {
    const said = (why: string): string =>
      `WARNING database not available, next try in 15s: connection to server at "orders-db" (10.96.243.117), port 5432 failed: ${why}`;
    const other = said('FATAL:  database "orders_v2" does not exist');
    const given = runs(other);
    const current = [said('Connection refused'), said('Connection refused'), other, other, other, other];
    expect(diagnosePod(evidence({ ...given, logs: { web: { current } } })).findings[0]?.says).toMatch(
      /it does not find data that it needs in its peer: .*database "orders_v2" does not exist$/,
    );
  });

  it('has no secret quoted', () => {
    const { findings } = diagnosePod(evidence(runs('ERROR login failed with password=hunter2hunter2')));
    expect(JSON.stringify(findings)).toContain('login failed');
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });

  it('has its log read when it has run for a while, and its peer then', () => {
    expect(wellLogsWanted(evidence(runs(REFUSED)))).toEqual([{ container: 'web', previous: false }]);
    const young = pod({ status: { restartCount: 0, state: { running: { startedAt: ago(3) } } } });
    expect(wellLogsWanted(evidence({ pod: young }))).toEqual([]);
    expect(namedServicesOf(evidence(runs(REFUSED)))).toEqual([{ namespace: 'shop', name: 'queue' }]);
    expect(namedServicesOf(evidence(runs('INFO talks to queue:6379')))).toEqual([]);
  });
});

describe('a pod that should come to its end', () => {
  const LOCK = Array.from(
    { length: 6 },
    (_, at) => `import[1]: /data/import.lock: held by pid 1 for ${177_221 + at * 9}s, waiting`,
  );
  const given = (restartPolicy: string): PodEvidence =>
    evidence({
      pod: pod({ status: { restartCount: 0, state: { running: { startedAt: ago(300) } } }, spec: { restartPolicy } }),
      logs: { web: { current: ['import[1]: starting, feed directory /data', ...LOCK] } },
    });
  it('is told what it waits for', () => {
    const { findings } = diagnosePod(given('Never'));
    expect(findings.map(({ id, severity }) => `${id} ${severity}`)).toEqual([
      expect.stringMatching(/ info$/) as string,
    ]);
    expect(findings[0]?.says).toMatch(
      /^container web runs, and waits \(6 times\): .*import\.lock: held by pid 1 .*; process 1 of a container is its own main process, so that the lock is left of an earlier life/,
    );
  });
  it('may wait for ever where it should not end', () => {
    expect(diagnosePod(given('Always')).findings).toEqual([]);
  });
});
