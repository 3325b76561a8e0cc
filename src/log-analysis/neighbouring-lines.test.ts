/** Tests what is told with the decisive line of the lines around it, and which lines only sum up others. */
import { describe, expect, it } from 'vitest';
import { readLog } from './read-log.ts';

type Row = readonly [what: string, lines: readonly string[], decisive: string | undefined];
const decides = (rows: readonly Row[]): void => {
  it.each(rows)('%s', (_what, lines, decisive) => {
    expect(readLog(lines, { livedMs: 2000 }).decisive?.line).toBe(decisive);
  });
};

describe('a summary only follows, whatever its level is', () => {
  decides([
    [
      'which asks for another run',
      [
        '[12:00:00] error/config: attribute "prize" does not exist.',
        '[12:00:00] critical/cli: Config validation failed. Re-run with --check after fixing the config.',
      ],
      'attribute "prize" does not exist.',
    ],
    [
      'without a number',
      ['error: no field "prize"', 'error: could not build `shop` due to previous error'],
      'error: no field "prize"',
    ],
    ['which counts', ['ERROR no plan "a"', 'ERROR found 2 configuration errors'], 'no plan "a"'],
    ['which counts what ended it', ['ERROR no plan "a"', 'FATAL exited with 1 error'], 'no plan "a"'],
    ['an HTTP server that cannot start', ['ERROR no key /a.pem', 'ERROR Unable to start HTTP server'], 'no key /a.pem'],
  ]);
});

describe('what stands below', () => {
  decides([
    [
      'the place',
      ['critical/config: syntax error, unexpected end', 'Location: in /etc/a.conf: 5:0-5:0', '/etc/a.conf(5): {'],
      'syntax error, unexpected end Location: in /etc/a.conf: 5:0-5:0',
    ],
    [
      'what was looked for',
      ['Shop was unable to find its configuration.', 'We looked for: /etc/shop/shop.cfg', 'Good luck!'],
      'Shop was unable to find its configuration. (/etc/shop/shop.cfg)',
    ],
    [
      'the same error with its name',
      ['E       assert (1 + 1) == 3', '', 'FAILED cart.py::test_prices - assert (1 + 1) == 3'],
      'FAILED cart.py::test_prices - assert (1 + 1) == 3',
    ],
  ]);
});

describe('what stands around', () => {
  decides([
    [
      'the name of an address',
      ['Waiting for: tcp://db:5432', 'dial tcp 10.1.2.3:5432: connect: connection refused'],
      'dial tcp 10.1.2.3:5432: connect: connection refused (db:5432)',
    ],
    [
      'no name where there are two',
      ['connecting to a:5432', 'connecting to b:5432', 'dial tcp 10.1.2.3:5432: connect: connection refused'],
      'dial tcp 10.1.2.3:5432: connect: connection refused',
    ],
    [
      'a name in parentheses',
      ['ERROR failed to connect: 10.1.2.3:5432 (db): connection refused'],
      'failed to connect: 10.1.2.3:5432 (db): connection refused (db:5432)',
    ],
    [
      'the port of an address',
      ['Listening on', '   udp: 10.0.0.1:5060', 'ERROR: bind() on 10.0.0.1: Address already in use'],
      'ERROR: bind() on 10.0.0.1: Address already in use (10.0.0.1:5060)',
    ],
    [
      'the trace right above a logged error without names',
      [
        'Traceback (most recent call last):',
        '  File "/app/a.py", line 1, in a',
        'ConnectionError: queue:9092 is away',
        'CRITICAL:shop:the feed has ended',
      ],
      'ConnectionError: queue:9092 is away',
    ],
    [
      'the warning above a trace',
      [
        '12:00:00 WARN a.B - cannot resolve queue:9092',
        'Exception in thread "main" java.lang.IllegalStateException: cannot construct the client',
        '\tat a.B.c(B.java:1)',
      ],
      'java.lang.IllegalStateException: cannot construct the client (cannot resolve queue:9092)',
    ],
  ]);
});

describe('errors inside of a logged error', () => {
  const logged = (error: object): readonly string[] => [
    JSON.stringify({ level: 'error', msg: 'no start', err: error }),
  ];
  decides([
    ['a cause', logged({ message: 'a', cause: { message: 'no b' } }), 'no start: a: no b'],
    ['causes without end', logged({ message: 'a', cause: { message: 'b', cause: { cause: {} } } }), 'no start: a: b'],
    ['several', logged({ errors: [{ message: 'no a' }, { message: 'no b' }] }), 'no start: no a'],
    [
      'a thrown one',
      ['{"level":"FATAL","message":"no start","thrown":{"name":"E","message":"no a"}}'],
      'no start: E: no a',
    ],
  ]);
});

describe('forms of messages', () => {
  decides([
    [
      'a failed test of TAP, with its diagnosis',
      ['1..1', 'not ok 1 adds prices', '# (in test file cart.bats, line 2)', "#   `[ 2 = 3 ]' failed"],
      "not ok 1 adds prices (in test file cart.bats, line 2) `[ 2 = 3 ]' failed",
    ],
    [
      'a numbered test above its error',
      ['1) Cart::addsPrices', 'Failed asserting that 2 is 3.', '', 'FAILURES!'],
      '1) Cart::addsPrices: Failed asserting that 2 is 3.',
    ],
    [
      "a message of Symfony's console",
      ['In JsonFile.php line 347:', '', '  "./shop.json" does not contain valid JSON', "  Expected one of: '}'"],
      '"./shop.json" does not contain valid JSON',
    ],
    [
      'a level of GLib',
      ["** (shop:36): CRITICAL **: 04:17:28.305: can't connect to '10.0.0.1'"],
      "can't connect to '10.0.0.1'",
    ],
    ['nothing done is no work', ["shop: can't open '/a'", 'shop: number processed: 0'], "shop: can't open '/a'"],
    ['an aborted job only follows', ['job aborted!', "Don't know how to build 'a'"], "Don't know how to build 'a'"],
    [
      'the reason within a message',
      [
        'LoadError: cannot load',
        'Details: no library libssl.so',
        '    at a (/app/a.js:1:1)',
        '    at b (/app/a.js:2:1)',
      ],
      'LoadError: cannot load Details: no library libssl.so',
    ],
    [
      'values below the code of a trace',
      [
        'Traceback (most recent call last):',
        '  File "/app/a.py", line 1',
        '    f(x)',
        '    │ └ <a.b>',
        'ValueError: no x',
      ],
      'ValueError: no x',
    ],
    [
      'a trace of which each line is stamped',
      [
        '12:00:00 [console] Traceback (most recent call last):',
        '12:00:00 [console]   File "/app/a.py", line 1, in a',
        '12:00:00 [console]     b.bind(c)',
        '12:00:00 [console] OSError: [Errno 98] Address already in use',
      ],
      'OSError: [Errno 98] Address already in use',
    ],
    [
      'an uncaught error above what the other stream held back',
      ["/app/a.rb:3:in `b': no port (RuntimeError)", "\tfrom /app/a.rb:9:in `<main>'", 'Listening on 127.0.0.1:80'],
      "/app/a.rb:3:in `b': no port (RuntimeError)",
    ],
    [
      'the folder of a file whose syntax is wrong',
      ['  File "/srv/a.py", line 2', '    def f(', '         ^', "SyntaxError: '(' was never closed"],
      "SyntaxError: '(' was never closed (/srv/a.py:2)",
    ],
  ]);
});

it.each(['free(): invalid pointer', 'double free or corruption (out)', '*** stack smashing detected ***: terminated'])(
  'an abort of the C library decides: %s',
  (line) => {
    const { decisive } = readLog(['12 plans', line, 'Aborted (core dumped)']);
    expect(decisive).toMatchObject({ line, firmness: 'firm' });
  },
);

it.each([
  'proxy.c:110:connect: Connection refused',
  '{backend-connect}: Connection refused',
  'upstream 10.1.2.3:80 refused the connection',
])('one connection of a program that lived for long is no cause of its end: %s', (line) => {
  expect(readLog(['starting', line], { livedMs: 3_600_000 }).decisive).toBeUndefined();
  expect(readLog(['starting', line], { livedMs: 2000 }).decisive?.line).toContain('efused');
});
