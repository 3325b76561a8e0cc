import { describe, expect, it } from 'vitest';
import { standingFault } from './standing-fault.ts';

const DOWN = [
  '[WARNING]  (7) : Server catalog/cat1 is DOWN, reason: Layer7 wrong status, code: 404, info: "Not Found", check duration: 2ms. 0 active and 0 backup servers left.',
  "[ALERT]    (7) : backend 'catalog' has no server available!",
];
const ZONE = [
  '28-Nov-2026 15:05:23.401 dns_master_load: /zones/db.corp.internal:11: mail.corp.internal: CNAME and other data',
  '28-Nov-2026 15:05:23.401 zone corp.internal/IN: loading from master file /zones/db.corp.internal failed: CNAME and other data',
  '28-Nov-2026 15:05:23.401 zone corp.internal/IN: not loaded due to errors.',
];
const NOISE = Array.from(
  { length: 60 },
  () => "28-Nov-2026 15:05:23.456 network unreachable resolving './NS/IN': 2001:7fe::53#53",
);

describe('a part of its work that a server does not do', () => {
  it.each<[what: string, lines: readonly string[], says: RegExp]>([
    [
      'a backend without a server',
      DOWN,
      /catalog\/cat1 is DOWN, reason: .*code: 404.*\(backend 'catalog' has no server available/,
    ],
    [
      'a backend of Varnish',
      ['         0 Backend_health - shop Still sick 4---X-R- 0 3 5 0.001 0.000 "HTTP/1.0 404 Not Found"'],
      /^backend shop is sick: its probe gets HTTP\/1\.0 404 Not Found$/,
    ],
    [
      'a zone, above much else',
      [...ZONE, ...NOISE],
      /db\.corp\.internal:11: mail\.corp\.internal: CNAME and other data \(zone corp\.internal\/IN: not loaded/,
    ],
    [
      'what a broker takes no more',
      [
        '2026-11-28 15:06:58.1+00:00 [info] <0.3.0> Free disk space is insufficient. Free bytes: 70GB. Limit: 900GB',
        '2026-11-28 15:06:58.2+00:00 [warning] <0.4.0> disk resource limit alarm set on node rabbit@localhost.',
      ],
      /Free disk space is insufficient.*\(disk resource limit alarm set/,
    ],
    [
      'a thread of Rust that panicked',
      [
        '[2026-03-03T10:20:30Z INFO  spool] took 40 readings',
        "thread 'writer' panicked at 'called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }', src/writer.rs:21:54",
        'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
        ...Array.from({ length: 200 }, () => '[2026-03-03T10:20:33Z INFO  spool] took 40 readings'),
      ],
      /thread 'writer' panicked at .*ParseIntError/,
    ],
    [
      'a thread of Rust, with its message below',
      [
        "thread 'writer' (17) panicked at src/writer.rs:21:54:",
        'WRITE_EVERY must be a number of seconds: "30s"',
        'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
        '[2026-03-03T10:20:33Z INFO  spool] took 40 readings',
      ],
      /WRITE_EVERY must be a number of seconds/,
    ],
    [
      'a thread of Python',
      [
        'INFO serves on 8080',
        'Exception in thread Thread-1 (refresh):',
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3.11/threading.py", line 1038, in _bootstrap_inner',
        '    self.run()',
        '  File "/app/rates.py", line 14, in refresh',
        "    table = json.load(open('/data/rates.json'))",
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/rates.json'",
        'INFO GET /quote 200',
        'INFO GET /quote 200',
      ],
      /^FileNotFoundError: .*rates\.json.*\(Exception in thread Thread-1/,
    ],
    [
      'a thread of Java',
      [
        'Exception in thread "invoice-poller" java.lang.NumberFormatException: For input string: "5m"',
        '\tat java.base/java.lang.Integer.parseInt(Integer.java:652)',
        '\tat com.acme.Poller.run(Poller.java:31)',
        '10:20:30.123 INFO  com.acme.Http - GET /health 200',
      ],
      /NumberFormatException: For input string: "5m"/,
    ],
    [
      'a thread of Ruby',
      [
        '#<Thread:0x00007f1 /app/sync.rb:8 run> terminated with exception (report_on_exception is true):',
        '/app/sync.rb:11:in `fetch\': key not found: "LEDGER_URL" (KeyError)',
        "\tfrom /app/sync.rb:11:in `block in start'",
        'INFO tick',
      ],
      /LEDGER_URL/,
    ],
    [
      'a reload',
      ['ready', 'ERROR failed to reload configuration: line 4: unknown key "prot"', 'GET / 200'],
      /unknown key/,
    ],
  ])('%s', (_what, lines, says) => {
    const found = standingFault(lines);
    expect(found?.said.line).toMatch(says);
    expect(found?.isStanding).toBe(true);
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', ['ready', 'GET / 200']],
    [
      'a thread that was started again',
      ["thread 'writer' panicked at 'disk is away', src/writer.rs:21:54", "INFO thread 'writer' restarted"],
    ],
    ['a backend that has come up', [...DOWN, '[NOTICE] (7) : Server catalog/cat1 is UP, reason: Layer4 check passed']],
    ['a zone that was mended', [...ZONE, '28-Nov-2026 15:09:00.000 zone corp.internal/IN: loaded serial 2']],
    [
      'an alarm that is over',
      [
        'disk resource limit alarm set on node rabbit@localhost',
        'disk resource limit alarm cleared on node rabbit@localhost',
      ],
    ],
  ])('is not told of %s', (_what, lines) => {
    expect(standingFault(lines)).toBeUndefined();
  });
});
