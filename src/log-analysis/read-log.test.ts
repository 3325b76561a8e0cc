/** Tests which line of a log decides: the general grammar, and a few rows for each dialect. */
import { describe, expect, it } from 'vitest';
import { readLog } from './read-log.ts';

type Row = readonly [what: string, lines: readonly string[], decisive: string | undefined, place?: string];

function decides(rows: readonly Row[]): void {
  const all = rows.map(([what, lines, decisive, place]) => ({ what, lines, decisive, place }));
  it.each(all)('$what', ({ lines, decisive, place }) => {
    const found = readLog(lines).decisive;
    expect(found?.line).toBe(decisive);
    if (place !== undefined) expect(found?.place).toBe(place);
  });
}

describe('in any log', () => {
  decides([
    ['nothing', [], undefined],
    ['nothing but ordinary lines', ['starting', 'reading settings', 'listening on :8080'], undefined],
    ['a level in text', ['INFO a', '2026-01-31 12:00:00,123 ERROR cannot read x', 'INFO bye'], 'cannot read x'],
    ['a level in brackets', ['[12:00:00] [error] cannot read x', '[12:00:00] [info] stopping'], 'cannot read x'],
    ['a level in JSON', ['{"level":"info","msg":"a"}', '{"level":"fatal","msg":"boom","error":"no x"}'], 'boom: no x'],
    ['a number as level', ['{"level":50,"time":1,"msg":"boom"}', '{"level":30,"time":2,"msg":"bye"}'], 'boom'],
    ['JSON that was cut off', ['{"level":"error","msg":"boom in \\"a\\"","config":{"a":'], 'boom in "a"'],
    ['logfmt', ['time=1 level=info msg=a', 'level=fatal msg="cannot start" err="no x"'], 'cannot start: no x'],
    ['klog', ['I0131 12:00:00.1       1 a.go:1] a', 'E0131 12:00:00.1       1 a.go:2] failed to x'], 'failed to x'],
    ['words of failure', ['loading', 'cannot open queue "jobs"', 'exiting'], 'cannot open queue "jobs"'],
    ['no closing line', ['ERROR cannot read x', 'Shutting down', 'exit status 1'], 'ERROR cannot read x'.slice(6)],
    [
      'no consequence',
      ['ERROR no tenant "a"', 'ERROR Application startup failed', 'ERROR giving up after 3 attempts'],
      'no tenant "a"',
    ],
    [
      'the cause above its consequences',
      ['[ERROR] file "/a" is damaged', '[ERROR] plugin "b" failed'],
      'file "/a" is damaged',
    ],
    [
      'the last of many tries',
      ['try 1: a:1 refused', 'try 2: a:1 refused', 'try 3: a:1 refused'],
      'try 3: a:1 refused',
    ],
    [
      'a server that listens, and whose start has not come to its end',
      [
        '2026-01-31 18:26:21.350 UTC [1] LOG:  listening on IPv6 address "::", port 5432',
        '2026-01-31 18:26:21.351 UTC [1] FATAL:  could not create lock file "/run/pg/a.lock": No such file or directory',
        '2026-01-31 18:26:21.352 UTC [1] LOG:  database system is shut down',
      ],
      'FATAL: could not create lock file "/run/pg/a.lock": No such file or directory',
    ],
    ['nothing that was overcome', ['ERROR connect to db:5432 refused', 'connected to database'], undefined],
    [
      'nothing after which the program went on',
      ['ERROR cannot read cache', 'opened store', 'loaded 7 plans'],
      undefined,
    ],
    [
      'what comes after that',
      ['ERROR db refused', 'listening on :80', 'panic: no price for plan 7'],
      'panic: no price for plan 7',
    ],
    ['a level that is no time zone', ['2026-01-31 12:00:00.1 INFO cannot happen', 'ERROR no x'], 'no x'],
    ['a thread before the level', ['[Worker(1 of 2)] ERROR a.b.C - cannot read x'], 'cannot read x'],
    ['a mark as level', ['[ ] loading', '[!] key values mismatch', '[ ] closing'], 'key values mismatch'],
    [
      'figures and tidying after the end',
      ['FATAL: bad rule', 'Terminated abnormally.', 'CPU Usage: 0.01 seconds', 'Removing PID file', 'Page faults: 4'],
      'FATAL: bad rule',
    ],
    [
      'the names in the warning above',
      ['WARNING cannot listen on 0.0.0.0:6432: in use', 'FATAL nowhere to listen on'],
      'cannot listen on 0.0.0.0:6432: in use',
    ],
    [
      'a peer in a field',
      ['{"level":"error","event":"away","error":"refused","peer":"a:1234"}'],
      'away: refused (peer=a:1234)',
    ],
    [
      'an error of Node.js without a message',
      ['{"level":60,"msg":"store","err":{"code":"ECONNREFUSED","syscall":"connect","address":"10.0.0.1","port":64}}'],
      'store: connect ECONNREFUSED 10.0.0.1:64',
    ],
    [
      'the file that was read',
      ['Loading key from file: /etc/tls.key', '[!] use_key: No such file or directory'],
      'use_key: No such file or directory (/etc/tls.key)',
    ],
    ['no client, once it works', ['listening on :80', '[ERR] 10.0.0.9:47524 - parser error'], undefined],
    ['no reload, once it works', ['listening on :80', '[ERR] Failed to reload configuration: line 3'], undefined],
    [
      'a message of several lines',
      ['Error: Invalid value for --app:', 'Unable to load it.', 'The module shop was not found.'],
      'Error: Invalid value for --app: Unable to load it. The module shop was not found.',
    ],
    [
      'C++',
      ["terminate called after throwing an instance of 'std::out_of_range'", '  what():  at: 9 >= 3'],
      'std::out_of_range: at: 9 >= 3',
    ],
    [
      'an assertion',
      ["a: /a.cc:19: int main(): Assertion `b != nullptr' failed."],
      "a: /a.cc:19: int main(): Assertion `b != nullptr' failed.",
    ],
    [
      'Lua',
      [
        'lua: main.lua:4: attempt to index a nil value',
        'stack traceback:',
        '\tmain.lua:4: in main chunk',
        '\t[C]: in ?',
      ],
      'lua: main.lua:4: attempt to index a nil value',
    ],
    [
      'Elixir',
      ['** (KeyError) key :price not found', '    Shop.price(1)', '    main.exs:2: (file)'],
      '** (KeyError) key :price not found',
    ],
    [
      'Tcl',
      ['no such variable', '    (read trace on "env(DSN)")', '    invoked from within', '"set a $env(DSN)"'],
      'no such variable (read trace on "env(DSN)")',
    ],
    ['the error of a memory checker', ['==7==ERROR: no such block', '==7==ABORTING'], 'ERROR: no such block'],
    [
      'advice below it',
      [
        'Error: no plan "a"',
        'This may be a typing error.',
        'Configure your plans in plans.yaml.',
        'Your plans are: b, c',
      ],
      'Error: no plan "a"',
    ],
    [
      'no advice about listening',
      ['Port 80 is in use.', 'Stop what is listening on port 80, please.'],
      'Port 80 is in use.',
    ],
    [
      'no pointer, whatever its level is',
      ['ERROR [a.B] (main) no plan "a"', 'ERROR [a.B] (main) For more details run a --verbose'],
      'no plan "a"',
    ],
    [
      'the rest of a message that names nothing',
      ['12:00:00 ERROR database is not set up', '    set one of:', '    - DB_PASSWORD'],
      'database is not set up set one of: - DB_PASSWORD',
    ],
    [
      'a class and its message below it',
      ['Shop\\PriceException', '  no price for plan "a"', '  at /app/a.php:3'],
      'Shop\\PriceException no price for plan "a"',
    ],
    [
      'a message over several lines above its frames',
      ['PlanError: no plan "a"', '  2 | plan', 'Error Count: 1', '    at load (/app/a.js:3:1)'],
      'PlanError: no plan "a"',
    ],
    [
      'what stands below a category of .NET',
      ['fail: Shop.Ledger[3]', '      no plan "a"', 'info: Shop.Host[0]', '      stopping'],
      'no plan "a"',
    ],
    [
      'causes below "Caused by:"',
      ['Error: cannot read prices', '', 'Caused by:', '    0: no file "/a"', '    1: not found'],
      'Error: cannot read prices: no file "/a": not found',
    ],
    ['an error after a time, level and thread', ['[2026-01-31 12:00:00,1: ERROR/Main] no plan "a"'], 'no plan "a"'],
    ['an error after brackets without blanks', ['[2026-01-31 12:00:00.1][7][error][main] no plan "a"'], 'no plan "a"'],
    ['a warning and one line of work', ['WARN db refused', 'INFO pool of 10 opened'], undefined],
    ['a try and one line of work', ['ERROR db refused, retrying in 2 s', 'INFO pool of 10 opened'], undefined],
    [
      'an error and one line of work a moment later',
      ['12:00:00 ERROR db refused', '12:00:05 INFO took 10 jobs'],
      undefined,
    ],
    [
      'an error and one line at once',
      ['12:00:00 ERROR db "a" refused', '12:00:00 INFO took 10 jobs'],
      'db "a" refused',
    ],
    ['a word in capitals that is no error number', ['starting', 'ENGINE and EVENTS are on'], undefined],
    [
      'fields below an error',
      ['open-file: cannot open it', '  path: /etc/a.json', '  system error: not found; errno=2', '  context...:'],
      'open-file: cannot open it (path: /etc/a.json, system error: not found; errno=2)',
    ],
    [
      'no help below a usage',
      [
        'flag provided but not defined: -prot',
        'Usage of shop:',
        '  -port int',
        '    \tfails when missing; listening on it',
      ],
      'flag provided but not defined: -prot',
    ],
    [
      'no command that a script did without',
      ['/usr/bin/a: 1: which: not found', 'starting', 'error: no plan "a"'],
      'error: no plan "a"',
    ],
    ['a command that it needed', ['/usr/bin/a: 1: serve: not found'], '/usr/bin/a: 1: serve: not found'],
    [
      'nothing that it does without',
      ['NOTICE: no file "/a" found - using defaults', 'Failed: no remote "b"'],
      'Failed: no remote "b"',
    ],
    [
      'a word as level before a number',
      ['msg="a is missing" level="0" prio="Notice"', 'msg="b" error="no c" level="0" prio="Critical"'],
      'b: no c',
    ],
    [
      "the system's words above an error without any",
      ['12:00:00 WARN bind() failed: Address already in use', '12:00:00 FATAL Listening failed'],
      'bind() failed: Address already in use',
    ],
    [
      'the address above it',
      ['LOG: Setting up socket for 127.0.0.1:9999', 'FATAL: cannot listen: Address already in use'],
      'FATAL: cannot listen: Address already in use (127.0.0.1:9999)',
    ],
    [
      'a message below the place of its error',
      ['Execution error (PlanException) at a/b (a.clj:2).', 'no plan "a"', 'Full report at:', '/tmp/x.edn'],
      'Execution error (PlanException) at a/b (a.clj:2). no plan "a"',
    ],
    [
      'Haskell',
      ['Main.hs: no plan "a"', 'CallStack (from HasCallStack):', '  error, called at Main.hs:9:26 in main:Main'],
      'Main.hs: no plan "a"',
    ],
    ['a compiler', ['a.c:3:5: error: no price', '  int p;', '1 error'], 'a.c:3:5: error: no price'],
    [
      'a pointer to what stands above',
      ['[warn] no user "a"', '[err] Reading config failed--see warnings above.'],
      'no user "a"',
    ],
    ['a letter in brackets as level', ['[E 260131 12:00:00 a:1] no plan "a"'], 'no plan "a"'],
    [
      'no handler of a request',
      ['[I 260131 12:00:00 a:1] listening on :80', '[E 260131 12:00:09 a:2] Uncaught exception GET /a'],
      undefined,
    ],
    ['no answer to a request', ['127.0.0.1 - - [31/Jan/2026:12:00:00 +0000] "GET /a HTTP/1.1" 404 153'], undefined],
    ['no question', ['ERROR db "a" refused', 'Is the server running and accepting connections?'], 'db "a" refused'],
    ['without colours', ['\u001b[31mERROR\u001b[0m cannot read x'], 'cannot read x'],
    ['without secrets', ['ERROR cannot reach postgres://a:hunter2@db/x'], 'cannot reach postgres://***@db/x'],
    [
      'an announcement with what it announces',
      ['ERROR could not start:', 'no space on /data'],
      'could not start: no space on /data',
    ],
  ]);
});

describe('Node.js', () => {
  decides([
    [
      'the error between its frames and its dump',
      [
        'node:internal/process/promises:288',
        '            triggerUncaughtException(err, true /* fromPromise */);',
        '            ^',
        '',
        'Error: connect ECONNREFUSED 127.0.0.1:5432',
        '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)',
        '    at async main (file:///app/server.js:12:3) {',
        '  errno: -111,',
        "  code: 'ECONNREFUSED',",
        '}',
        '',
        'Node.js v24.0.0',
      ],
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
      'server.js:12',
    ],
    [
      'the last of many errors',
      [
        'AggregateError [ECONNREFUSED]: ',
        '    at internalConnectMultiple (node:net:1114:18) {',
        "  code: 'ECONNREFUSED',",
        '  [errors]: [',
        '    Error: connect ECONNREFUSED ::1:5432',
        '        at createConnectionError (node:net:1634:14) {',
        '      errno: -111,',
        '    },',
        '    Error: connect ECONNREFUSED 127.0.0.1:5432',
        '        at createConnectionError (node:net:1634:14) {',
        '      errno: -111,',
        '    }',
        '  ]',
        '}',
      ],
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
    ],
    ['not what npm adds', ['Error: no plan "a"', 'npm ERR! code ELIFECYCLE', 'npm ERR! errno 1'], 'Error: no plan "a"'],
  ]);
});

describe('Python', () => {
  const traceback = ['Traceback (most recent call last):', '  File "/app/main.py", line 3, in main', '    a()'];
  decides([
    ['the error below its frames', [...traceback, "KeyError: 'plan'"], "KeyError: 'plan'", 'main.py:3'],
    [
      'the last of a chain',
      [
        ...traceback,
        "KeyError: 'plan'",
        '',
        'The above exception was the direct cause of the following exception:',
        '',
        ...traceback,
        'PriceError: plan 7 has no price',
      ],
      'PriceError: plan 7 has no price',
    ],
    [
      'not what gunicorn adds',
      [
        '[2026-01-31 12:00:00 +0000] [7] [INFO] Booting worker with pid: 7',
        '[2026-01-31 12:00:00 +0000] [7] [ERROR] Exception in worker process',
        ...traceback,
        "ModuleNotFoundError: No module named 'a'",
        '[2026-01-31 12:00:00 +0000] [1] [INFO] Shutting down: Master',
        '[2026-01-31 12:00:00 +0000] [1] [INFO] Reason: Worker failed to boot.',
      ],
      "ModuleNotFoundError: No module named 'a'",
    ],
    [
      'no error of a request',
      [
        '[1] [INFO] Listening at: http://0.0.0.0:80',
        '[2] [ERROR] Exception on /a [GET]',
        ...traceback,
        "KeyError: 'plan'",
      ],
      undefined,
    ],
  ]);
});

it("tells the user's line of code with an error that names nothing", () => {
  const lines = [
    'Traceback (most recent call last):',
    '  File "/app/main.py", line 3, in main',
    '    app.listen(8080)',
    '  File "/usr/lib/python3/dist-packages/a.py", line 9, in listen',
    '    s.bind(a)',
    'OSError: [Errno 98] Address already in use',
  ];
  expect(readLog(lines).decisive).toMatchObject({ place: 'main.py:3', related: ['app.listen(8080)'] });
});

describe('Java, Kafka', () => {
  decides([
    [
      'the root that holds names',
      [
        'Exception in thread "main" java.lang.IllegalStateException: Failed to start',
        '\tat a.B.c(B.java:5)',
        'Caused by: java.lang.IllegalArgumentException: "a.url" must be set',
        '\tat a.D.e(D.java:7)',
        '\t... 8 more',
      ],
      'java.lang.IllegalArgumentException: "a.url" must be set',
      'D.java:7',
    ],
    [
      'the wrapper when only it holds names',
      [
        'Exception in thread "main" x.PSQLException: Connection to db:5432 refused.',
        '\tat org.postgresql.A.b(A.java:1)',
        'Caused by: java.net.ConnectException: Connection refused',
        '\tat java.base/sun.nio.A.b(A.java:2)',
      ],
      'x.PSQLException: Connection to db:5432 refused.',
    ],
    [
      'the error that was logged with its trace',
      [
        '12:00:00.1 [main] ERROR a.B -- ledger at db:6400 is away',
        'java.net.ConnectException: Connection refused',
        '\tat a.B.c(B.java:5)',
      ],
      'ledger at db:6400 is away',
    ],
    [
      'not how Kafka ends',
      [
        '[2026-01-31 12:00:00,1] ERROR No "log.dirs" (kafka.Kafka$)',
        '[2026-01-31 12:00:00,2] INFO [KafkaServer id=0] shut down completed (kafka.server.KafkaServer)',
      ],
      'No "log.dirs" (kafka.Kafka$)',
    ],
  ]);
});

describe('Go, Rust, Ruby, PHP, .NET, shells', () => {
  decides([
    [
      'a panic',
      ['panic: nil map', '', 'goroutine 1 [running]:', 'main.main()', '\t/app/main.go:12 +0x1d', 'exit status 2'],
      'panic: nil map',
      'main.go:12',
    ],
    [
      'the error above a panic without names',
      ['level=error msg="cannot open" file=/data/a err="open /data/a: permission denied"', 'panic: cannot go on'],
      'cannot open: open /data/a: permission denied',
    ],
    [
      'no panic of a request',
      [
        '2026/01/31 12:00:00 listening on :80',
        '2026/01/31 12:00:00 http: panic serving 10.0.0.1:2: boom',
        'goroutine 7 [running]:',
        'main.a()',
        '\t/app/main.go:12 +0x1d',
      ],
      undefined,
    ],
    [
      'Rust: the message below its place',
      ["thread 'main' panicked at src/main.rs:4:5:", 'no plan "a"', 'note: run with `RUST_BACKTRACE=1`'],
      'panic: no plan "a" (src/main.rs:4)',
    ],
    [
      'Ruby',
      ["/app/main.rb:3:in `a': no plan (KeyError)", "\tfrom /app/main.rb:9:in `<main>'"],
      "/app/main.rb:3:in `a': no plan (KeyError)",
    ],
    [
      'PHP',
      [
        'PHP Fatal error:  Uncaught Error: no plan in /app/a.php:3',
        'Stack trace:',
        '#0 {main}',
        '  thrown in /app/a.php on line 3',
      ],
      'PHP Fatal error: Uncaught Error: no plan in /app/a.php:3',
    ],
    [
      '.NET',
      [
        'Unhandled exception. System.Exception: no plan "a"',
        '   at A.B.C() in /src/B.cs:line 12',
        '   --- End of inner exception stack trace ---',
      ],
      'System.Exception: no plan "a"',
      'B.cs:12',
    ],
    [
      'a shell',
      ['+ serve', '/app/run.sh: line 4: serve: command not found'],
      '/app/run.sh: line 4: serve: command not found',
    ],
  ]);
});

describe('servers', () => {
  decides([
    [
      'PostgreSQL, with its detail',
      [
        '2026-01-31 12:00:00.1 UTC [1] FATAL:  database files are incompatible with server',
        '2026-01-31 12:00:00.1 UTC [1] DETAIL:  They are of version 13.',
        '2026-01-31 12:00:00.1 UTC [1] LOG:  database system is shut down',
      ],
      'FATAL: database files are incompatible with server (They are of version 13)',
    ],
    [
      'a tool that prints its name before the detail',
      [
        'initdb: error: directory "/var/lib/pg/data" exists but is not empty',
        'initdb: detail: It contains a lost+found directory, perhaps due to it being a mount point.',
        'initdb: hint: Using a mount point directly as the data directory is not recommended.',
      ],
      'initdb: error: directory "/var/lib/pg/data" exists but is not empty (It contains a lost+found directory, perhaps due to it being a mount point)',
    ],
    [
      'PostgreSQL: a session',
      ['LOG:  database system is ready to accept connections', 'FATAL:  password authentication failed for user "a"'],
      undefined,
    ],
    [
      'MariaDB: the first error',
      [
        "2026-01-31 12:00:00 0 [ERROR] InnoDB: file './ibdata1' must be writable",
        "2026-01-31 12:00:00 0 [ERROR] Plugin 'InnoDB' init function returned error.",
        '2026-01-31 12:00:00 0 [ERROR] Unknown/unsupported storage engine: InnoDB',
        '2026-01-31 12:00:00 0 [ERROR] Aborting',
      ],
      "InnoDB: file './ibdata1' must be writable",
    ],
    [
      'Redis, with the setting',
      [
        '*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***',
        'Reading the configuration file, at line 2',
        ">>> 'maxmemori 1gb'",
        'Bad directive or wrong number of arguments',
      ],
      'Bad directive or wrong number of arguments (maxmemori 1gb)',
    ],
    [
      'nginx',
      ['2026/01/31 12:00:00 [emerg] 1#1: host not found in upstream "db" in /etc/nginx/nginx.conf:3'],
      'host not found in upstream "db" in /etc/nginx/nginx.conf:3',
    ],
    [
      'nginx: a request',
      [
        '2026/01/31 12:00:00 [error] 7#7: *1 open() "/a" failed (2: No such file or directory), client: 10.0.0.1, server: , request: "GET /a HTTP/1.1"',
      ],
      undefined,
    ],
    [
      'Apache',
      [
        'AH00526: Syntax error on line 3 of /etc/httpd.conf:',
        "Invalid command 'Lissten', perhaps misspelled",
        "Action '-D FOREGROUND' failed.",
      ],
      "AH00526: Syntax error on line 3 of /etc/httpd.conf: Invalid command 'Lissten', perhaps misspelled",
    ],
    [
      'HAProxy',
      [
        '[NOTICE]   (1) : haproxy version is 2.6.12',
        "[ALERT]    (1) : config : parsing [/etc/haproxy.cfg:3] : unknown keyword 'bindd'",
        '[ALERT]    (1) : config : Fatal errors found in configuration.',
      ],
      "config : parsing [/etc/haproxy.cfg:3] : unknown keyword 'bindd'",
    ],
    [
      'Caddy',
      [
        '{"level":"info","ts":1,"msg":"using provided configuration","config_file":"/etc/Caddyfile"}',
        'Error: adapting config using caddyfile: /etc/Caddyfile:3: unrecognized directive: a',
      ],
      'Error: adapting config using caddyfile: /etc/Caddyfile:3: unrecognized directive: a',
    ],
    [
      'RabbitMQ',
      [
        'BOOT FAILED',
        '===========',
        'ERROR: could not bind to distribution port 25672, it is in use by another node: a@b',
        'Kernel pid terminated (application_controller)',
      ],
      'ERROR: could not bind to distribution port 25672, it is in use by another node: a@b',
    ],
    [
      'etcd',
      [
        '2026-01-31 12:00:00.1 I | etcdmain: etcd Version: 3.4.23',
        '2026-01-31 12:00:00.1 C | etcdmain: listen tcp 127.0.0.1:2380: bind: address already in use',
      ],
      'etcdmain: listen tcp 127.0.0.1:2380: bind: address already in use',
    ],
    [
      'MongoDB',
      [
        '{"t":{"$date":"a"},"s":"E","c":"STORAGE","id":1,"ctx":"a","msg":"Failed to open \\"/data/db\\"","attr":{"error":"permission denied"}}',
        '{"t":{"$date":"a"},"s":"I","c":"CONTROL","id":2,"ctx":"a","msg":"Now exiting"}',
      ],
      'Failed to open "/data/db": permission denied',
    ],
  ]);
});
