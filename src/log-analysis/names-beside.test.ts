/** Tests that a decisive line is told with the names that stand beside it: in tries, in fields, in properties, in steps before. */
import { describe, expect, it } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';
import { peerIn, unresolvedHost } from './names.ts';
import { readLog } from './read-log.ts';

const SOON = { livedMs: 5000 };
const decisive = (...lines: readonly string[]): string | undefined => readLog(lines, SOON).decisive?.line;

describe('what is told', () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      'the last try before it was given up',
      [
        'INFO starting, auth at http://auth',
        'WARNING auth check failed (attempt 2/3): ConnectError: Name or service not known',
        'WARNING auth check failed (attempt 3/3): ConnectError: Name or service not known',
        'CRITICAL auth is not reachable, giving up',
      ],
      /attempt 3\/3\): ConnectError: Name or service/,
    ],
    [
      'an error above the end of another thread',
      [
        '2026-01-31 12:00:00,100 MainThread INFO indexer: loading dictionary',
        "2026-01-31 12:00:00,200 MainThread ERROR indexer: cannot load dictionary: No such file or directory: '/dict/a'",
        '2026-01-31 12:00:00,300 poller INFO poller: poll 7: 0 new messages',
        '2026-01-31 12:00:00,400 poller INFO poller: closing partition consumer 3 (committed offset 833)',
        '2026-01-31 12:00:00,500 MainThread INFO indexer: shutdown complete',
      ],
      /cannot load dictionary/,
    ],
    [
      'the cause of an error without names',
      [
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3.11/logging/__init__.py", line 207, in _checkLevel',
        "ValueError: Unknown level: 'LOUD'",
        '',
        'The above exception was the direct cause of the following exception:',
        '',
        'Traceback (most recent call last):',
        '  File "/app/main.py", line 3, in <module>',
        '    logging.config.dictConfig(cfg)',
        'ValueError: Unable to configure root logger',
      ],
      /^ValueError: Unable to configure root logger \(ValueError: Unknown level: 'LOUD'\)$/,
    ],
    [
      'the last line of tries that holds the cause itself',
      [
        '{"level":"warn","msg":"ping failed","try":1,"error":"pq: SSL is not enabled on the server"}',
        '{"level":"error","msg":"database is not available","host":"pg","error":"pq: SSL is not enabled on the server"}',
      ],
      /^database is not available: pq: SSL is not enabled on the server \(host=pg\)$/,
    ],
    [
      'what was said again and again, and its cause beside it',
      [
        '{"level":"warn","msg":"search not available (2/3)","error":"fetch failed","cause":"error:0A00010B:SSL routines::wrong version number"}',
        '{"level":"warn","msg":"search not available (3/3)","error":"fetch failed","cause":"error:0A00010B:SSL routines::wrong version number"}',
        '{"level":"fatal","msg":"search not available after 3 attempts"}',
      ],
      /\(3\/3\): fetch failed: error:0A00010B:SSL routines::wrong version number$/,
    ],
    [
      'what a driver says when it has no tries left',
      [
        '[session] redis error getaddrinfo ENOTFOUND redis://cache:6379',
        '[session] redis error getaddrinfo ENOTFOUND redis://cache:6379',
        '[session] store not available, giving up MaxRetriesPerRequestError: Reached the max retries per request limit (which is 4).',
      ],
      /getaddrinfo ENOTFOUND redis:\/\/cache:6379$/,
    ],
    [
      'the last error of a cluster',
      [
        '{"level":40,"err":{"type":"Object","message":"Failed to refresh slots cache.","last":"ERR This instance has cluster support disabled"},"msg":"redis cluster error"}',
        '{"level":40,"err":{"type":"Object","message":"Failed to refresh slots cache.","last":"ERR This instance has cluster support disabled"},"msg":"redis cluster error"}',
        '{"level":50,"msg":"redis cluster connection ended"}',
        '{"level":40,"err":{"type":"Object","message":"Failed to refresh slots cache.","last":"ERR This instance has cluster support disabled"},"msg":"redis cluster error"}',
      ],
      /ERR This instance has cluster support disabled/,
    ],
    [
      'the cause of the error that has the names',
      [
        'ERROR com.acme.Gateway - Application startup failed',
        'java.lang.IllegalStateException: Unable to initialise TLS from /tls/keystore.p12',
        '\tat Gw.start(Gw.java:13)',
        'Caused by: java.io.IOException: keystore password was incorrect',
        '\tat java.base/sun.security.pkcs12.PKCS12KeyStore.engineLoad(PKCS12KeyStore.java:2160)',
        'Caused by: java.security.UnrecoverableKeyException: failed to decrypt safe contents entry',
        '\t... 12 common frames omitted',
      ],
      /\/tls\/keystore\.p12 \(keystore password was incorrect\)$/,
    ],
    [
      'a command that the script before it did not find',
      [
        'docker-entrypoint: rendering templates',
        '/app/entrypoint.sh: line 5: envsubst: command not found',
        'docker-entrypoint: configuration complete; ready for start up',
        '2026/01/31 12:00:00 [emerg] 1#1: no "events" section in configuration',
      ],
      /^no "events" section in configuration \(entrypoint\.sh did not find the command envsubst in its line 5 before\)$/,
    ],
    [
      'a command that a script lacks, above what it says in the end',
      [
        '2026-01-31T18:16:45Z [rotate] current kid: 571070b2',
        '/app/rotate.sh: line 6: jq: command not found',
        'curl: (3) URL using bad/illegal format or missing URL',
        '2026-01-31T18:16:45Z [rotate] ERROR: key service did not accept the key, keeping the old one',
      ],
      / \(rotate\.sh did not find the command jq in its line 6 before\)$/,
    ],
    [
      'what the system said, of a traceback that a logger took apart',
      [
        '[2026-01-31 18:16:57,520: WARNING/MainProcess] os.remove(self.schedule_filename + suffix)',
        '[2026-01-31 18:16:57,520: WARNING/MainProcess] OSError',
        '[2026-01-31 18:16:57,520: WARNING/MainProcess] : ',
        "[2026-01-31 18:16:57,521: WARNING/MainProcess] [Errno 30] Read-only file system: 'celerybeat-schedule'",
        'celery beat v5.2.6 is starting.',
      ],
      /Read-only file system: 'celerybeat-schedule'$/,
    ],
    [
      'the error of a server that its client prints',
      [
        'resetting preview database',
        'ERROR:  database "preview" is being accessed by other users',
        'DETAIL:  There is 1 other session using the database.',
      ],
      /^database "preview" is being accessed by other users \(There is 1 other session using the database\)$|^ERROR: .*preview/,
    ],
    [
      'a download that failed, above what should unpack it',
      [
        'fetching ranker v3',
        'curl: (22) The requested URL returned error: 404',
        'gzip: stdin: unexpected end of file',
        'tar: Child returned status 1',
        'tar: Error is not recoverable: exiting now',
      ],
      /^curl: \(22\) The requested URL returned error: 404/,
    ],
    [
      'no word of the command after the one that failed',
      [
        'Traceback (most recent call last):',
        '  File "/app/gen.py", line 2, in <module>',
        '    import openpyxl',
        "ModuleNotFoundError: No module named 'openpyxl'",
        "mv: cannot stat 'report.xlsx': No such file or directory",
      ],
      /^ModuleNotFoundError: No module named 'openpyxl'$/,
    ],
    [
      'a letter as level after the time',
      [
        '2026/01/31 18:27:15 I controller loop started',
        '2026/01/31 18:27:15 E webhook server stopped: tls: failed to find any PEM data in certificate input',
        '2026/01/31 18:27:37 I shutting down',
      ],
      /^webhook server stopped: tls: failed to find any PEM data in certificate input$/,
    ],
    [
      'a command that a script did not find, before a tool lacks what it should have made',
      [
        '/app/build.sh: 5: sassc: not found',
        'tar: css/main.css: Cannot stat: No such file or directory',
        'tar: Exiting with failure status due to previous errors',
        'publish failed',
      ],
      /build\.sh did not find the command sassc in its line 5 before/,
    ],
    [
      'a mistake in a file of access rules',
      [
        '2026-01-31 18:26:21 UTC [1] LOG:  listening on IPv6 address "::", port 5432',
        '2026-01-31 18:26:21 UTC [1] LOG:  invalid CIDR mask in address "10.0.0.0/33"',
        '2026-01-31 18:26:21 UTC [1] CONTEXT:  line 3 of configuration file "/app/pg_hba.conf"',
        '2026-01-31 18:26:21 UTC [1] FATAL:  could not load /app/pg_hba.conf',
        '2026-01-31 18:26:21 UTC [1] LOG:  database system is shut down',
      ],
      /invalid CIDR mask in address "10\.0\.0\.0\/33" .*pg_hba\.conf/,
    ],
    [
      'an error of work that failed in part',
      [
        '2026-01-31 16:59:27,865 | INFO     | importing contracts.csv',
        '2026-01-31 16:59:28,485 | ERROR    | row 4 rejected: date out of range: "31.02.2026"',
        '2026-01-31 16:59:28,873 | INFO     | import finished: 3 imported, 1 rejected',
        '2026-01-31 16:59:28,874 | INFO     | exit code 1 because rows were rejected',
      ],
      /^row 4 rejected: date out of range: "31\.02\.2026"$/,
    ],
    [
      'no page of help',
      [
        'sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) unable to open database file',
        '(Background on this error at: https://sqlalche.me/e/14/e3q8)',
      ],
      /unable to open database file$/,
    ],
    [
      'no folder of a version of a ConfigMap',
      ['cannot parse /etc/app/..2026_01_31_12_00_00.1234567/app.yaml: no such key "a"'],
      /parse \/etc\/app\/app\.yaml: no/,
    ],
    [
      'no message twice, where the logger has it beside the error',
      [
        '{"level":"info","message":"boot"}',
        '{"error":"Missing parameter name at index 1: *","level":"error","message":"uncaught exception","stack":"TypeError: Missing parameter name at index 1: *\\n    at consume (/app/node_modules/ptr/index.js:108:27)"}',
      ],
      /^TypeError: Missing parameter name at index 1: \*$/,
    ],
    [
      'no words of a logger before the cause',
      [
        '{"level":50,"err":{"type":"PluginError","message":"flags: Plugin did not start in time: Plugin did not start in time","stack":"PluginError: flags: Plugin did not start in time\\n    at m (/app/node_modules/f/f.js:581:33)\\ncaused by: PluginError: Plugin did not start in time: \'flags\'\\n    at t (/app/node_modules/f/p.js:12:3)"},"msg":"flags: Plugin did not start in time"}',
      ],
      /^PluginError: Plugin did not start in time: 'flags'/,
    ],
    [
      'the end of a very long line',
      [
        `ERROR import failed: insert into parcels values (${'$1, '.repeat(900)}) - value too long for type character varying(2)`,
      ],
      /value too long for type character varying\(2\)$/,
    ],
    [
      'what PostgreSQL says below its error',
      [
        'initdb: error: directory "/var/lib/pg/data" exists but is not empty',
        'detail: It contains a lost+found directory, perhaps due to it being a mount point.',
      ],
      /is not empty \(It contains a lost\+found directory/,
    ],
    [
      'what a validation found',
      [
        '{"level":50,"issues":[{"path":["STRIPE_KEY"],"message":"Required"}],"msg":"Invalid environment, refusing to start"}',
      ],
      /^Invalid environment, refusing to start: STRIPE_KEY: Required$/,
    ],
    [
      'the input of an error',
      [
        'TypeError: Invalid URL',
        '    at new URL (node:internal/url:819:25)',
        '    at node:internal/main/run_main_module:33:47 {',
        "  code: 'ERR_INVALID_URL',",
        "  input: 'payments.internal/api'",
        '}',
      ],
      /^TypeError: Invalid URL \(input: 'payments\.internal\/api'\)$/,
    ],
    [
      'the peer of a system call',
      [
        'DrizzleQueryError: Failed query: select 1',
        '    at query (/app/main.mjs:3:1) {',
        '  [cause]: AggregateError {',
        "    code: 'ECONNREFUSED',",
        "    address: '127.0.0.1',",
        '    port: 5433',
        '  }',
        '}',
      ],
      /ECONNREFUSED 127\.0\.0\.1:5433/,
    ],
    [
      'a mistake in JSON over several lines',
      ['error: Cannot load configuration: Unexpected token \']\', ...""8400",', ']', '}', '" is not valid JSON'],
      /Unexpected token ']'.*" is not valid JSON$/,
    ],
    [
      'a mistake in YAML with its own place',
      [
        'Traceback (most recent call last):',
        '  File "/app/router.py", line 7, in <module>',
        '    load()',
        'yaml.parser.ParserError: while parsing a block collection',
        '  in "/etc/routes.yaml", line 5, column 3',
        "expected <block end>, but found '?'",
        '  in "/etc/routes.yaml", line 7, column 4',
      ],
      /found '\?' in "\/etc\/routes\.yaml", line 7, column 4$/,
    ],
    [
      'the paragraph of a mistake in HCL',
      [
        'Error: Unsupported argument',
        '',
        '  on /app/main.tf line 2:',
        '',
        'An argument named "comunicator" is not expected here.',
        '',
      ],
      /^Error: Unsupported argument on \/app\/main\.tf line 2: An argument named "comunicator"/,
    ],
    [
      'the file of the step before',
      [
        '2026-01-31 12:00:00 INFO importing /data/in/customers.csv',
        'Traceback (most recent call last):',
        '  File "/app/job.py", line 4, in <module>',
        '    read()',
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfc in position 16: invalid start byte",
      ],
      /invalid start byte \(\/data\/in\/customers\.csv\)$/,
    ],
    [
      'the step in which a program hung',
      [
        '12:00:00 INFO order 4701: requesting tax from http://tax-engine:8080',
        '12:00:08 CRITICAL watchdog: no progress for 8 s, aborting',
        'Current thread 0x00007f17c11846c0 (most recent call first):',
        '  File "/app/consumer.py", line 10 in watchdog',
      ],
      /aborting \(its last step: .*http:\/\/tax-engine:8080\)$/,
    ],
    [
      'a message with quotes that are not escaped',
      [
        'level=ERROR msg="cannot open (attempt 5/5): server at "127.0.0.1", port 5432: password authentication failed for user "metrics""',
      ],
      /password authentication failed for user "metrics"$/,
    ],
    [
      'a message without quotes',
      ['level=error msg=cannot start listener: Address already in use addr=:9100'],
      /^cannot start listener: Address already in use/,
    ],
    [
      'the sentence in an Erlang term',
      [
        `Application rabbit exited with reason: {{shutdown,{failed_to_start_child,auth,{"Cookie file /var/lib/.erlang.cookie must be accessible by owner only",[${'{auth,init,1},'.repeat(20)}]}}}}`,
      ],
      /"Cookie file \/var\/lib\/\.erlang\.cookie must be accessible by owner only"$/,
    ],
    [
      'the address of a master above',
      [
        '1:S * Connecting to MASTER cache-0.cache:6379',
        '1:S # Unable to connect to MASTER: Resource temporarily unavailable',
      ],
      /\(cache-0\.cache:6379\)$/,
    ],
    [
      'the end of a JVM without a trace',
      [
        '10:00:00 WARN Slow query: 2199 ms',
        '10:00:01 INFO page=1',
        '10:00:02 INFO page=2',
        'Terminating due to java.lang.OutOfMemoryError: Java heap space',
      ],
      /OutOfMemoryError: Java heap space$/,
    ],
    [
      'an exception that a server logs as information',
      [
        '[INFO] Listening at: http://0.0.0.0:8000 (1)',
        '[INFO] Unhandled exception in main loop',
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3/tempfile.py", line 1, in x',
        '    raise FileNotFoundError()',
        "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp']",
      ],
      /No usable temporary directory/,
    ],
  ])('%s', (_what, lines, says) => {
    expect(decisive(...lines)).toMatch(says);
  });

  it('not the words of a supervisor behind an exception', () => {
    const said = decisive(
      'Traceback (most recent call last):',
      '  File "/app/main.py", line 7, in <module>',
      '    connect()',
      'sqlite3.OperationalError: unable to open database file',
      'a process ended with status 1, stopping the container',
    );
    expect(said).toBe('sqlite3.OperationalError: unable to open database file');
  });

  it('what an application does without is no error', () => {
    expect(readLog(['WARN SENTRY_DSN is not set, error reporting is disabled'], SOON).decisive).toBeUndefined();
  });

  it('a program that only prints how it is called', () => {
    expect(readLog(['Usage: shop sync --ledger=<url>'], SOON).lastLine).toContain('--ledger');
  });
});

describe('names that are also words', () => {
  it.each([
    ['getaddrinfo ENOTFOUND redis', 'redis'],
    ['could not translate host name "postgres" to address: Name or service not known', 'postgres'],
    ['nc: getaddrinfo for host "postgres" port 5432: Name or service not known', 'postgres'],
    ['lookup database on 10.96.0.10:53: no such host', 'database'],
  ])('%s', (line, host) => {
    expect(unresolvedHost(line)).toBe(host);
  });

  it.each([
    ['connection to server at "postgres" (10.1.1.1), port 5432 failed: Connection refused', 'postgres'],
    ['connection to redis refused', undefined],
    ['Remote host terminated the handshake', undefined],
    ['ipv4:127.0.0.1:50052: Failed to connect to remote host: Connection refused', '127.0.0.1'],
    ['MemCache: inet:hotcache:11211: timed out.  Marking dead.', 'hotcache'],
    ['cannot connect to orders database', undefined],
    [
      'cannot connect to invoices queue: connection to server at "127.0.0.1", port 5432 failed: server closed the connection',
      '127.0.0.1',
    ],
    ['could not connect to reporting service: timeout', undefined],
    ['failed to connect to orders-db database', 'orders-db'],
    ['failed to connect to "orders" database', 'orders'],
  ])('%s', (line, host) => {
    expect(peerIn(line).host).toBe(host);
  });
});

describe('what is no secret', () => {
  it.each([
    'it has db-password and username',
    'fetch signing keys: Get "https://auth/keys": x509: certificate is valid for auth.example',
    'postsrsd: Cannot open file with secret: /etc/app/none.secret',
  ])('%s', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it.each(['--password hunter2', 'password: /hunter/2', 'token: Getaway42'])('but %s is', (text) => {
    expect(maskSecrets(text)).toContain('***');
  });
});
