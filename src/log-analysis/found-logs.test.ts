/** Forms of logs that were met in reports of programs which no recording has. */
import { describe, expect, it } from 'vitest';
import { failsAgain } from './fails-again.ts';
import { keepsFailing } from './keeps-failing.ts';
import { lastFailure } from './last-failure.ts';
import { readLog } from './read-log.ts';
import { requestsFail } from './requests-fail.ts';
import { standingFault } from './standing-fault.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, (_, at) => lines.map((line) => line.replaceAll('#', String(at + 10)))).flat();

describe('the decisive line', () => {
  it.each<[what: string, lines: readonly string[], says: RegExp]>([
    [
      'a fatal line of a server that serves, with a page of help and a client in it',
      [
        '2026-01-31T10:00:00.100Z [INFO] serving on :53',
        '.:53',
        '2026-01-31T10:00:01.486Z [FATAL] plugin/ring: Ring (127.0.0.1:34614 -> :53) found for zone ".", see https://dns.example/ring. Query: "HINFO 1.2"',
      ],
      /^plugin\/ring: Ring \(127\.0\.0\.1:34614 -> :53\) found for zone/,
    ],
    [
      'a fatal message in brackets, below a warning with a name',
      [
        '[2026/01/31 10:00:00.117 +00:00] [INFO] [mod.rs:28] ["Welcome to the store."]',
        '[2026/01/31 10:00:00.135 +00:00] [WARN] [config.rs:19] ["cache_limit:Size(17) > recommended:Size(12), maybe the page cache is too small"]',
        '[2026/01/31 10:00:00.902 +00:00] [FATAL] [server.rs:51] ["store ID mismatch, local 68 != remote 69, you are trying to connect to another cluster, please reconnect"]',
      ],
      /^store ID mismatch, local 68 != remote 69/,
    ],
    [
      'a message in brackets with its error in a field',
      [
        '[2026/01/31 10:00:00.117 +00:00] [INFO] [main.go:8] [starting] [port=4000]',
        '[2026/01/31 10:00:00.902 +00:00] [FATAL] [main.go:51] ["create log dir failed"] [path=/var/log/db] [error="mkdir /var/log/db: permission denied"]',
      ],
      /^create log dir failed: mkdir \/var\/log\/db: permission denied$/,
    ],
    [
      'checks that are counted, and told below',
      [
        '[2026-01-31T10:00:00,548][INFO ][n.Node] [search-0] enforcing the checks of production',
        'ERROR: [1] start-up checks failed',
        '[1]: memory locking is asked for, but memory is not locked',
        'ERROR: the node did not exit normally - check the logs at /usr/share/search/logs/search.log',
        '[2026-01-31T10:00:00,577][INFO ][n.Node] [search-0] closed',
      ],
      /memory locking is asked for, but memory is not locked/,
    ],
    [
      'a cause on a line of its own in a field',
      [
        'time="2026-01-31T10:00:00Z" level=info msg="created client"',
        'time="2026-01-31T10:00:01Z" level=fatal msg="cannot list zones: WebIdentityErr: failed to retrieve credentials\\ncaused by: AccessDenied: not authorized to perform sts:AssumeRole\\n\\tstatus code: 403, request id: 13f1"',
      ],
      /failed to retrieve credentials, caused by AccessDenied: not authorized to perform sts:AssumeRole/,
    ],
    [
      'a place and a letter before the message',
      [
        '2026/01/31 10:00:00 cmd/web.go:86:runWeb() [I] starting on 0.0.0.0:3000',
        '2026/01/31 10:00:01 ...ns/migrations.go:552:Migrate() [F] The database (version 252) is of a newer release than this one (244)',
      ],
      /^The database \(version 252\) is of a newer release/,
    ],
    [
      'an end without a word about its reason, above an error that has one',
      [
        '2026-01-31 10:00:00,671 ERROR Unexpected exception, exiting abnormally (org.shop.Main) [main]',
        'java.lang.RuntimeException: Unable to run the server of the quorum',
        '\tat org.shop.Main.load(Main.java:956)',
        'Caused by: java.io.EOFException',
        '\t... 10 more',
      ],
      /^java\.io\.EOFException \(java\.lang\.RuntimeException: Unable to run the server of the quorum\)$/,
    ],
  ])('of %s', (_what, lines, says) => {
    expect(readLog(lines, { livedMs: 3000 }).decisive?.line).toMatch(says);
  });

  it('of Jenkins is the first of a chain, below which stand those that it led to', () => {
    const said = lastFailure([
      '2026-01-31 10:00:00.402+0000 [id=28] SEVERE jenkins.InitReactorRunner$1#onTaskFailed: Failed Config.init',
      'io.shop.casc.ConfiguratorException: Invalid elements for type class PodTemplate : id.',
      '\tat io.shop.casc.Base.handleUnknown(Base.java:376)',
      'Caused: java.lang.reflect.InvocationTargetException',
      '\tat java.base/java.lang.reflect.Method.invoke(Method.java:566)',
      'Caused: org.jvnet.hudson.reactor.ReactorException',
      '\tat org.jvnet.hudson.reactor.Reactor.execute(Reactor.java:282)',
    ]);
    expect(said?.line).toMatch(/Invalid elements for type class PodTemplate : id/);
  });
});

describe('what runs and fails', () => {
  it('is told with the error that says why a name is not there', () => {
    const lines = [
      'time="2026-01-31T10:00:00Z" level=info msg="configuration loaded"',
      'time="2026-01-31T10:00:00Z" level=error msg="the resolver \\"acme\\" is left out of the list because: permissions 755 for /certs/acme.json are too open"',
      ...times(
        4,
        'time="2026-01-31T10:00:#Z" level=error msg="the router shop@docker uses a resolver that is not there: acme"',
      ),
    ];
    expect(keepsFailing(lines)?.said.line).toMatch(
      /^the resolver "acme" is left out .*\/certs\/acme\.json are too open \(the router shop@docker uses/,
    );
  });

  it('is a part that has given up its work for good, a note', () => {
    const lines = [
      'level=error ts=2026-01-31T10:00:00Z caller=compact.go:48 msg="critical error detected; halting" err="compaction: overlaps found in group 0"',
      ...times(5, 'level=info ts=2026-01-31T10:01:#Z caller=clean.go:34 msg="cleaning of blocks done"'),
    ];
    expect(standingFault(lines)).toMatchObject({
      isMinor: true,
      said: { line: expect.stringMatching(/halting: compaction: overlaps found/) as string },
    });
    expect(standingFault([...lines, 'level=info msg="compaction resumed"'])).toBeUndefined();
  });

  it('is a statement that waits for a lock, of which PostgreSQL says so once', () => {
    const waits = (process: number): string =>
      `2026-01-31 10:00:00.528 UTC [${process}] LOG:  process ${process} still waiting for AccessShareLock on relation 16387 of database 16385 after 1000.254 ms`;
    const more = times(9, '2026-01-31 10:05:# UTC [1] LOG:  checkpoint starting: time');
    expect(standingFault([waits(70), ...more])).toMatchObject({
      times: 1,
      said: { line: expect.stringMatching(/process 70 still waiting/) as string },
    });
    expect(standingFault([waits(70), waits(71), ...more])).toMatchObject({ times: 2 });
    expect(
      standingFault([
        waits(70),
        ...more,
        '2026-01-31 10:06:00 UTC [70] LOG:  process 70 acquired AccessShareLock on relation 16387',
      ]),
    ).toBeUndefined();
    expect(
      standingFault([
        waits(70),
        ...more,
        '2026-01-31 10:06:00 UTC [70] ERROR:  canceling statement due to statement timeout',
      ]),
    ).toBeUndefined();
  });

  it('is a server of PHP whose only two requests met an error that nobody caught', () => {
    const request = [
      'NOTICE: PHP message: PHP Fatal error:  Uncaught UnexpectedValueException: The file "/var/www/storage/shop.log" could not be opened in append mode: Permission denied in /var/www/src/Log.php:15',
      'Stack trace:',
      '#0 {main}',
      '  thrown in /var/www/src/Log.php on line 15',
      '10.4.0.5 -  31/Jan/2026:10:00:# +0000 "GET /index.php" 500',
    ];
    expect(requestsFail(times(2, ...request))).toMatchObject({
      times: 2,
      answers: 500,
      said: { line: expect.stringMatching(/shop\.log" could not be opened/) as string },
    });
    expect(requestsFail(times(1, ...request))).toBeUndefined();
    expect(
      requestsFail(['10.4.0.5 -  31/Jan/2026:09:00:00 +0000 "GET /index.php" 200', ...times(2, ...request)]),
    ).toBeUndefined();
  });
});

describe('what is tried again and succeeds', () => {
  const refresh = (at: number): readonly string[] => [
    `2026-01-31T10:00:${at}.205Z WARN  [fx-refresh] c.e.fx.Refresher - attempt 1 of 3 failed, will retry`,
    'java.io.IOException: unexpected status 503 from http://quotes:7070/eur',
    '\tat shop.Rates.main(Rates.java:12)',
    `2026-01-31T10:00:${at}.712Z INFO  [fx-refresh] c.e.fx.Refresher - rates refreshed, attempt 2, eur=1.04${at}`,
    `2026-01-31T10:00:${at + 1}.712Z INFO  [fx-refresh] c.e.fx.Refresher - rates refreshed, attempt 1, eur=1.03${at}`,
  ];
  const lines = Array.from({ length: 10 }, (_, at) => refresh(10 + at * 4)).flat();
  it('is no failure', () => {
    expect(failsAgain(lines)).toBeUndefined();
    expect(keepsFailing(lines)).toBeUndefined();
  });
  it('is one where no try succeeds', () => {
    const failing = lines.filter((line) => !line.includes('refreshed'));
    expect(failsAgain(failing)?.said.line).toMatch(/unexpected status 503/);
  });
});

it('of a chain of causes is told the one that has the words of the deepest and more', () => {
  const said = readLog([
    'Exception in thread "main" java.lang.IllegalStateException: cannot rate',
    '\tat shop.Rating.main(Rating.java:7)',
    "Caused by: java.time.format.DateTimeParseException: Text '2026-02-30' could not be parsed: Invalid date 'FEBRUARY 30'",
    '\t... 3 more',
    "Caused by: java.time.DateTimeException: Invalid date 'FEBRUARY 30'",
    '\t... 5 more',
  ]).decisive?.line;
  expect(said).toMatch(/Text '2026-02-30' could not be parsed: Invalid date 'FEBRUARY 30'/);
});

it('takes the words of the pinger of Squid for nothing', () => {
  const lines = times(
    6,
    '2026/01/31 10:00:00| Recv recv: (111) Connection refused',
    '1764382671.420      0 10.4.0.1 NONE_NONE/000 0 - error:transaction-end-before-headers - HIER_NONE/- -',
    '1764382671.320     20 10.4.0.3 TCP_MISS/200 900 GET http://api/x - HIER_DIRECT/- -',
  );
  expect(keepsFailing(lines)).toBeUndefined();
  expect(failsAgain(lines)).toBeUndefined();
});

describe('what varnishlog writes', () => {
  const asked = (...steps: readonly string[]): readonly string[] =>
    times(
      6,
      '*   << BeReq    >> 3',
      '-   BereqMethod    GET',
      '-   BereqURL       /prices',
      '-   VCL_call       BACKEND_FETCH',
      ...steps,
      '-   End',
    );

  it('is no failure where a header has words like one', () => {
    const lines = asked(
      '-   BerespStatus   200',
      '-   BerespHeader   Keep-Alive: timeout=5',
      '-   BerespHeader   X-Error-Policy: none',
    );
    expect(keepsFailing(lines)).toBeUndefined();
    expect(failsAgain(lines)).toBeUndefined();
  });

  it('is one where it has an error of its own', () => {
    const said = readLog(asked('-   FetchError     first byte timeout', '-   BerespStatus   503')).decisive?.line;
    expect(said).toBe('- FetchError first byte timeout');
  });
});

it('takes what a directory answered for the cause of a user that Apache does not find', () => {
  const lines = times(
    6,
    '[Sun Jan 31 08:47:30.704846 2026] [authnz_ldap:info] [pid 9:tid 57] [client 10.2.0.73:48340] AH01695: auth_ldap authenticate: user alice authentication failed; URI /wiki/index.html [ldap_search_ext_s() for user failed][No such object]',
    '[Sun Jan 31 08:47:30.704863 2026] [auth_basic:error] [pid 9:tid 57] [client 10.2.0.73:48340] AH01618: user alice not found: /wiki/index.html',
    '10.2.0.73 - alice [31/Jan/2026:08:47:30 +0000] "GET /wiki/index.html HTTP/1.1" 401 421 "curl/7.88.1"',
    '10.2.0.1 - - [31/Jan/2026:08:47:33 +0000] "GET /index.html HTTP/1.1" 200 18 "kube-probe/1.36"',
  );
  expect(requestsFail(lines)?.said.line).toMatch(/AH01695: .*No such object/);
});

it('takes the answer of another server for the reason of its own failed requests, at whatever level it is logged', () => {
  const lines = times(
    6,
    '2026-01-31 10:20:02,711 INFO GET http://orders:8080/orders 401, token dropped (attempt 1)',
    '10.2.1.18 - - [31/Jan/2026:10:20:02 +0000] "GET /my/orders HTTP/1.1" 502 24 "-" "curl/7.88.1"',
    '10.2.0.1 - - [31/Jan/2026:10:20:04 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.36"',
  );
  expect(requestsFail(lines)).toMatchObject({
    answers: 502,
    said: { line: 'GET http://orders:8080/orders 401, token dropped (attempt 1)' },
  });
});

it('takes the connections that a check of MariaDB only opens for nothing, also where nothing else is in the log', () => {
  const lines = times(
    40,
    "2026-01-31 10:22:01 184 [Warning] Aborted connection 184 to db: 'unconnected' user: 'unauthenticated' host: '10.2.1.110' (This connection closed normally without authentication)",
  );
  expect(failsAgain(lines) ?? keepsFailing(lines)).toBeUndefined();
});
