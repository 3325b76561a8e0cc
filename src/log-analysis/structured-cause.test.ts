/** Tests that a structured line is told with the cause that its logger put into a field beside the message. */
import { describe, expect, it } from 'vitest';
import { lastFailure } from './last-failure.ts';
import { readLog } from './read-log.ts';

const told = (...lines: readonly string[]): string | undefined => readLog(lines, { livedMs: 5000 }).decisive?.line;

describe('the cause in a field', () => {
  it.each<[string, string, RegExp]>([
    [
      'structlog, in a detail',
      String.raw`{"ts": "2026-01-31T02:19:31.891211Z", "level": "error", "event": "db.connect.failed", "service": "stock", "exc_type": "OperationalError", "detail": "(psycopg2.OperationalError) connection to server at \"pg.data\" (10.96.19.195), port 5432 failed: FATAL:  database \"stock_prod\" does not exist\n\n(Background on this error at: https://sqlalche.me/e/14/e3q8)"}`,
      /^db\.connect\.failed: \(psycopg2.OperationalError\) connection to server at "pg\.data" \(10\.96\.19\.195\), port 5432 failed: FATAL: {1,2}database "stock_prod" does not exist$/,
    ],
    [
      'an own logger with short keys',
      `{"lvl": "E", "t": 1795833220.5, "m": "tile check failed", "upstream": "tiles", "x": "HTTPSConnectionPool(host='tiles', port=8443): Max retries exceeded with url: /v2 (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:992)')))"}`,
      /^tile check failed: HTTPSConnectionPool\(host='tiles', port=8443\).*certificate has expired/,
    ],
    [
      'what Node.js says of a system call, in a context',
      '{"severity":"CRITICAL","message":"TLS bootstrap failed","context":{"errno":-13,"syscall":"open","code":"EACCES","path":"/etc/tls/tls.key"}}',
      /^TLS bootstrap failed: EACCES: permission denied, open '\/etc\/tls\/tls\.key'$/,
    ],
    [
      'of a network call, without its message',
      '{"level":50,"msg":"worker stopped","err":{"errno":-111,"syscall":"connect","code":"ECONNREFUSED","address":"10.0.0.4","port":5672}}',
      /^worker stopped: connect ECONNREFUSED 10\.0\.0\.4:5672$/,
    ],
    [
      'an error within details',
      '{"level":"error","msg":"startup failed","details":{"error":"dial tcp 10.0.0.4:5672: connect: connection refused"}}',
      /^startup failed: dial tcp 10\.0\.0\.4:5672: connect: connection refused$/,
    ],
    [
      'details as a text',
      '{"level":"error","msg":"startup failed","details":"dial tcp 10.0.0.4:5672: connect: connection refused"}',
      /^startup failed: dial tcp 10\.0\.0\.4:5672: connect: connection refused$/,
    ],
    [
      "winston's metadata",
      '{"level":"error","message":"job failed","meta":{"error":{"name":"MongoServerSelectionError","message":"getaddrinfo ENOTFOUND mongo-0.mongo"}}}',
      /^job failed: MongoServerSelectionError: getaddrinfo ENOTFOUND mongo-0\.mongo$/,
    ],
    [
      "Monolog's exception with the one before it",
      '{"message":"Unable to boot","context":{"exception":{"class":"App\\\\Fault","message":"no connection","code":0,"file":"/app/src/Db.php:12","previous":{"class":"PDOException","message":"SQLSTATE[HY000] [2002] getaddrinfo for mysql-0 failed"}}},"level":400,"level_name":"ERROR","channel":"app","extra":[]}',
      /^Unable to boot: App\\Fault: no connection: SQLSTATE\[HY000\] \[2002\] getaddrinfo for mysql-0 failed/,
    ],
    [
      "structlog's list of exceptions",
      '{"event":"job crashed","level":"error","exception":[{"exc_type":"ConnectionError","exc_value":"Error 111 connecting to queue:6379. Connection refused.","syntax_error":null,"is_cause":false,"frames":[{"filename":"/app/a.py","lineno":4,"name":"<module>"}]}]}',
      /^job crashed: ConnectionError: Error 111 connecting to queue:6379\. Connection refused\./,
    ],
    [
      'ECS, in dotted keys',
      '{"@timestamp":"2026-01-31T12:00:00Z","log.level":"ERROR","message":"Application failed","error.type":"java.net.UnknownHostException","error.message":"kafka-0.kafka: Name or service not known"}',
      /^Application failed: java\.net\.UnknownHostException: kafka-0\.kafka: Name or service not known/,
    ],
    [
      'OpenTelemetry, in attributes',
      '{"severityText":"ERROR","body":"consumer stopped","attributes":{"exception.type":"KafkaException","exception.message":"topic orders does not exist"}}',
      /^consumer stopped: KafkaException: topic orders does not exist$/,
    ],
    [
      'Serilog',
      String.raw`{"Timestamp":"2026-01-31T12:00:00Z","Level":"Error","MessageTemplate":"Cannot start {Name}","RenderedMessage":"Cannot start \"worker\"","Exception":"System.IO.FileNotFoundException: Could not find file '/etc/app/a.json'.\n   at A.B() in /src/A.cs:line 4"}`,
      /Could not find file '\/etc\/app\/a\.json'/,
    ],
    [
      ".NET's console in JSON, where line ends are blanks",
      '{"EventId":6,"LogLevel":"Critical","Category":"Shop.Worker","Message":"Unhandled","Exception":"Npgsql.NpgsqlException (0x80004005): Failed to connect to 10.0.0.9:5432    at Npgsql.Util.Open()    at Shop.Run() in /src/Run.cs:line 7"}',
      /^Unhandled: Npgsql\.NpgsqlException \(0x80004005\): Failed to connect to 10\.0\.0\.9:5432$/,
    ],
    [
      "zap's verbose error alone",
      String.raw`{"level":"error","logger":"setup","msg":"unable to start manager","errorVerbose":"open /tmp/serving-certs/tls.crt: no such file or directory\nmain.main\n\t/workspace/main.go:90","stacktrace":"main.main\n\t/workspace/main.go:90"}`,
      /^unable to start manager: open \/tmp\/serving-certs\/tls\.crt: no such file or directory$/,
    ],
    [
      'log4j, thrown with a cause',
      '{"thread":"main","level":"ERROR","loggerName":"a.B","message":"init failed","thrown":{"message":"cannot open","name":"java.lang.IllegalStateException","cause":{"name":"java.nio.file.AccessDeniedException","message":"/data/index"}},"endOfBatch":false}',
      /^init failed: java\.lang\.IllegalStateException: cannot open: java\.nio\.file\.AccessDeniedException: \/data\/index$/,
    ],
    [
      'logfmt, with a detail',
      'level=error ts=2026-01-31T12:00:00Z caller=main.go:9 msg="cannot load rules" file=/etc/rules/a.yml detail="yaml: line 4: mapping values are not allowed in this context"',
      /^cannot load rules: yaml: line 4: mapping values are not allowed in this context \(file=\/etc\/rules\/a\.yml\)$/,
    ],
    [
      'errors of Go that were logged as objects',
      '{"time":"2026-01-31T12:00:00Z","level":"ERROR","msg":"boot","err":{"msg":"connect","cause":{"msg":"x509: certificate signed by unknown authority"}}}',
      /^boot: connect: x509: certificate signed by unknown authority$/,
    ],
    [
      'the check that is down',
      String.raw`{"level":"ERROR","msg":"readiness","checks":{"cache":{"status":"up"},"db":{"status":"down","error":"password authentication failed for user \"shop\""}}}`,
      /^readiness: db: password authentication failed for user "shop"$/,
    ],
    [
      'a list of checks',
      String.raw`{"level":"error","msg":"not healthy","checks":[{"name":"cache","ok":true},{"name":"db","ok":false,"error":"password authentication failed for user \"shop\""}]}`,
      /^not healthy: db: password authentication failed for user "shop"$/,
    ],
    [
      'what a command said',
      `{"level":"error","message":"Job failed","cmd":"git clone","stderr":"fatal: could not read Username for 'https://git.acme.io': terminal prompts disabled","exitCode":128}`,
      /^Job failed: fatal: could not read Username for 'https:\/\/git\.acme\.io'/,
    ],
    [
      'a field of the name of a peer',
      '{"level":"error","event":"payment.init.failed","stripe_error":"No such account: acct_1","retry":3}',
      /^payment\.init\.failed: No such account: acct_1$/,
    ],
    [
      'what is wrong, by any name',
      '{"level":"error","msg":"schema check","want":7,"why":"schema version 3 is older than 7"}',
      /^schema check: schema version 3 is older than 7$/,
    ],
    [
      'two levels of Elixir or Go',
      '{"level":"error","msg":"supervisor: child failed","reason":{"shutdown":{"failed_to_start_child":"Repo","error":"tcp connect (pg:5432): non-existing domain - :nxdomain"}}}',
      /^supervisor: child failed: tcp connect \(pg:5432\): non-existing domain - :nxdomain$/,
    ],
    [
      "Rust's tracing, whose message is a field",
      '{"timestamp":"2026-01-31T12:00:00.000Z","level":"ERROR","fields":{"message":"ledger away","error":"error communicating with database: Connection refused (os error 111)"},"target":"shop::db"}',
      /^ledger away: error communicating with database: Connection refused \(os error 111\)$/,
    ],
    [
      'Quarkus, with what it was caused by',
      '{"sequence":1,"level":"ERROR","message":"Failed to start application","exception":{"refId":1,"exceptionType":"java.lang.RuntimeException","message":"Failed to start quarkus","frames":[],"causedBy":{"exception":{"refId":2,"exceptionType":"java.net.UnknownHostException","message":"pg-main","frames":[]}}}}',
      /^Failed to start application: java\.lang\.RuntimeException: Failed to start quarkus: java\.net\.UnknownHostException: pg-main$/,
    ],
    [
      'a template of Serilog with its values',
      '{"@t":"2026-01-31T12:00:00Z","@mt":"Cannot reach {Host} on port {Port}","Host":"ledger-db","Port":5432,"@l":"Error"}',
      /^Cannot reach ledger-db on port 5432$/,
    ],
    [
      "loguru's record",
      String.raw`{"text": "2026-01-31 12:00:00.000 | ERROR    | __main__:main:12 - cannot go on\nTraceback (most recent call last):\n  File \"/app/a.py\", line 12, in main\nConnectionError: no route to broker rabbit:5672\n", "record": {"exception": {"type": "ConnectionError", "value": "no route to broker rabbit:5672", "traceback": true}, "level": {"icon": "X", "name": "ERROR", "no": 40}, "line": 12, "message": "cannot go on", "module": "a", "name": "__main__"}}`,
      /ConnectionError: no route to broker rabbit:5672$/,
    ],
    [
      'what an HTTP client asked',
      '{"level":"error","msg":"keys missing","err":{"message":"Request failed with status code 401","name":"AxiosError","code":"ERR_BAD_REQUEST","status":401,"config":{"url":"/v1/keys","baseURL":"http://vault:8200","method":"get"}}}',
      /^keys missing: AxiosError: Request failed with status code 401 \(ERR_BAD_REQUEST\) \(http:\/\/vault:8200\/v1\/keys\)$/,
    ],
    [
      'the answer of a peer',
      '{"level":"error","message":"upload failed","response":{"status":403,"body":"AccessDenied: bucket backups"}}',
      /^upload failed: AccessDenied: bucket backups$/,
    ],
  ])('%s', (_what, line, wanted) => {
    expect(told(line)).toMatch(wanted);
    expect(lastFailure([line])?.line).toMatch(wanted);
  });

  it.each<[string, string, string | undefined]>([
    [
      'no field that says nothing of a failure',
      '{"level":"error","msg":"cannot open store","service":"api","version":"1.2.3","env":"production","user_agent":"curl/8.0","path":"/data"}',
      'cannot open store (path=/data)',
    ],
    [
      'no statement',
      `{"level":"error","msg":"query failed","sql":"select error, failed from errors where failed = true","error":"deadlock detected"}`,
      'query failed: deadlock detected',
    ],
    [
      'no value of a key that is secret',
      '{"level":"error","msg":"login failed","password":"invalid horse battery staple","api_token":"wrong wrong wrong wrong"}',
      'login failed',
    ],
    [
      'no secret in what is told',
      '{"level":"error","msg":"no session","detail":"bad password=hunter22 for app"}',
      'no session: bad password=*** for app',
    ],
    ['nothing of a line at info', '{"level":"info","msg":"order declined","detail":"card has expired"}', undefined],
    [
      'what the message has already',
      '{"level":"error","msg":"no such queue: jobs","detail":"no such queue: jobs"}',
      'no such queue: jobs',
    ],
  ])('%s', (_what, line, wanted) => {
    expect(told(line)).toBe(wanted);
  });
});

it('a record that was printed over several lines', () => {
  const record = {
    level: 'error',
    message: 'ledger away',
    error: { code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.4', port: 5672 },
  };
  const lines = ['starting', ...JSON.stringify(record, null, 2).split('\n')];
  expect(told(...lines)).toBe('ledger away: connect ECONNREFUSED 10.0.0.4:5672');
  expect(readLog(lines, { livedMs: 5000 }).decisive?.index).toBe(1);
});
