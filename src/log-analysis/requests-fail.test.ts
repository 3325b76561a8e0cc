import { describe, expect, it } from 'vitest';
import { requestsFail } from './requests-fail.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => lines).flat();
const TIMED_OUT =
  '2026/11/28 15:37:33 [error] 6#6: *17 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 10.244.1.50, server: , request: "GET / HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "shop:8080"';
const answered = (status: number, agent = 'curl/7.88.1'): string =>
  `10.244.1.50 - - [28/Nov/2026:15:37:33 +0000] "GET / HTTP/1.1" ${status} 167 "-" "${agent}"`;

describe('a server that fails each request', () => {
  it('is told with what it says of them', () => {
    const found = requestsFail([
      answered(200),
      ...times(6, TIMED_OUT, answered(504)),
      answered(200, 'kube-probe/1.36'),
    ]);
    expect(found?.said.line).toMatch(/upstream timed out/);
    expect(found).toMatchObject({ times: 6, answers: 504 });
  });

  it('is told without what it said of earlier ones that were answered otherwise', () => {
    const refused =
      '2026/11/28 15:37:33 [error] 6#6: *17 connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.1.50, server: , request: "GET / HTTP/1.1", upstream: "http://10.96.7.1:8000/"';
    const found = requestsFail([refused, answered(502), ...times(9, answered(500))]);
    expect(found).toMatchObject({ times: 9, answers: 500, isWordless: true });
  });

  it('is told after three that it explains, and only then', () => {
    const explained = [answered(200), ...times(3, 'ERROR front cart u17 could not be loaded', answered(500))];
    expect(requestsFail(explained)).toMatchObject({ times: 3, answers: 500 });
    expect(requestsFail([answered(200), ...times(3, answered(500))])).toBeUndefined();
  });

  it('is told with the errors of its own log', () => {
    const line =
      'E, [2026-11-28T16:10:28.851301 #1] ERROR -- order-api: GET /orders 500 Sequel::PoolTimeout: timeout: 3.0, elapsed: 3.0011';
    expect(requestsFail(times(6, line))).toMatchObject({ times: 6, answers: 500 });
    expect(requestsFail(times(6, line))?.said.line).toContain('Sequel::PoolTimeout');
  });

  it.each<[what: string, lines: readonly string[], said: RegExp, path: string]>([
    [
      'that its own warnings explain',
      [
        '2026-03-03 10:20:30,199 WARNING quotes: refusing to quote: rates updated_at=2026-03-01T04:15:02Z age=240324s max=3600s',
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "GET /quote HTTP/1.0" 503 29 "-" "curl"',
      ],
      /refusing to quote: rates updated_at/,
      '/quote',
    ],
    [
      'whose warnings differ in their identifiers',
      [
        '2026-03-03 10:20:44,591 WARNING signup: task b605c472-f117-467b-9c99-20c1512a1a94 is still PENDING after 5s',
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "POST /signup HTTP/1.0" 500 29 "-" "curl"',
        '2026-03-03 10:20:44,591 WARNING signup: task aeba6f1f-17c3-4b5d-8287-5e1723ba7935 is still PENDING after 5s',
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "POST /signup HTTP/1.0" 500 29 "-" "curl"',
      ],
      /still PENDING after 5s/,
      '/signup',
    ],
    [
      'whose traces stand below their records, and are long',
      [
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "GET /products HTTP/1.1" 500 265 "-" "-"',
        '2026-03-03 10:20:30,914 ERROR app: Exception on /products [GET]',
        'Traceback (most recent call last):',
        ...times(
          9,
          '  File "/usr/lib/python3/dist-packages/flask/app.py", line 2525, in wsgi_app',
          '    response = self.full_dispatch_request()',
        ),
        '  File "/app/app.py", line 10, in products',
        '    with connect(URL) as c:',
        'psycopg2.OperationalError: connection to server at "pool" (10.96.3.4), port 6432 failed: FATAL:  unsupported startup parameter: options',
        '',
      ],
      /unsupported startup parameter: options/,
      '/products',
    ],
    [
      'for scripts that FPM does not have',
      [
        '2026/11/28 15:37:33 [error] 6#6: *17 FastCGI sent in stderr: "Primary script unknown" while reading response header from upstream, client: 10.244.1.50, server: , request: "GET /search.php?q=a HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "wiki"',
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "GET /search.php?q=a HTTP/1.1" 404 27 "-" "Mozilla/5.0"',
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "GET /start HTTP/1.1" 200 27 "-" "Mozilla/5.0"',
      ],
      /Primary script unknown/,
      '/search.php',
    ],
    [
      'in JSON, where a line announces it',
      [
        '{"level":30,"reqId":"a-1","req":{"method":"POST","url":"/v1/carts"},"msg":"incoming request"}',
        '{"level":50,"reqId":"a-1","err":{"type":"ReplyError","message":"MISCONF cannot persist"},"msg":"MISCONF cannot persist"}',
        '{"level":30,"reqId":"a-1","res":{"statusCode":500},"msg":"request completed"}',
      ],
      /MISCONF cannot persist/,
      '/v1/carts',
    ],
    [
      'of Rails, beside a page for probes',
      [
        'I, [2026-03-03T10:20:30.100000 #1]  INFO -- : Started GET "/prices/7" for 10.4.0.3',
        'I, [2026-03-03T10:20:30.200000 #1]  INFO -- : Completed 500 Internal Server Error in 6ms',
        'F, [2026-03-03T10:20:30.300000 #1] FATAL -- : ArgumentError (key must be 16 bytes):',
        'I, [2026-03-03T10:20:31.100000 #1]  INFO -- : Started GET "/up" for 10.4.0.1',
        'I, [2026-03-03T10:20:31.200000 #1]  INFO -- : Completed 200 OK in 1ms',
      ],
      /key must be 16 bytes/,
      '/prices',
    ],
    [
      'of uWSGI',
      [
        '--- no python application found, check your startup logs for errors ---',
        '[pid: 9|app: -1|req: -1/7] 10.4.0.3 () {24 vars in 276 bytes} [Tue Mar  3 10:20:30 2026] GET /items => generated 21 bytes in 0 msecs (HTTP/1.1 500) 2 headers',
      ],
      /no python application found/,
      '/items',
    ],
    [
      'of one kind, where others are answered well',
      [
        'level=info msg=request method=GET path=/catalog/7 status=200',
        'level=error msg="cannot price: rates table is empty"',
        'level=info msg=request method=GET path=/quotes/7 status=500',
      ],
      /rates table is empty/,
      '/quotes',
    ],
    [
      'that are turned away, with the reason in fields',
      [
        '{"reason":"invalid_issuer","expected":"https://id.acme.example/staff","got":"https://id.acme.example/staf","event":"token_rejected","level":"warning"}',
        '10.4.0.3 - - [03/Mar/2026 10:20:30] "GET /v1/me HTTP/1.1" 401 -',
        '10.4.0.1 - - [03/Mar/2026 10:20:31] "GET /healthz HTTP/1.1" 200 -',
      ],
      /token_rejected: invalid_issuer \(expected https:\/\/id\.acme\.example\/staff, got https:\/\/id\.acme\.example\/staf\)/,
      '/v1/me',
    ],
    [
      'with the error below the line of a logger',
      [
        '2026-03-03 10:20:30,813 ERROR shop.api: request /invoices failed',
        'psycopg2.errors.UndefinedTable: relation "invoices" does not exist',
        'LINE 1: select id from invoices',
        '                       ^',
        '10.4.0.3 - - [03/Mar/2026:10:20:30 +0000] "GET /invoices HTTP/1.1" 500 27 "-" "curl"',
      ],
      /UndefinedTable: relation "invoices" does not exist/,
      '/invoices',
    ],
  ])('is told of requests %s', (_what, lines, said, path) => {
    const found = requestsFail(times(6, ...lines));
    expect(found?.said.line).toMatch(said);
    expect(found?.answers).toBe(Number(/ (401|404|503) /.exec(lines.join())?.[1] ?? 500));
    expect(found?.path).toBe(path);
  });

  it.each<[what: string, line: string, said: string]>([
    ['of the common format', answered(503), '"GET / HTTP/1.1" 503 167 "-" "curl/7.88.1"'],
    ['of those who are turned away', answered(401), '"GET / HTTP/1.1" 401 167 "-" "curl/7.88.1"'],
    [
      'in JSON',
      '{"level":"warn","msg":"upstream answered","path":"/products","status":500,"ms":4}',
      '{"level":"warn","msg":"upstream answered","path":"/products","status":500,"ms":4}',
    ],
  ])('is told by its records %s where it does not say why', (_what, line, said) => {
    expect(requestsFail([answered(200, 'kube-probe/1.36'), ...times(9, line)])).toMatchObject({
      said: { line: said },
      times: 9,
      isWordless: true,
    });
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', []],
    [
      'requests for its health',
      times(9, 'level=error msg="no leader yet"', 'level=info msg=request path=/readyz status=503'),
    ],
    ['requests that are answered well between', times(6, TIMED_OUT, answered(504), answered(200))],
    ['requests for what is not there', times(9, answered(404))],
    ['a few', times(2, TIMED_OUT, answered(504))],
  ])('is not told of %s', (_what, lines) => {
    expect(requestsFail(lines)).toBeUndefined();
  });

  it.each([
    '{"event":"api key rejected","expected":"horse-battery","got":"horse-staple","level":"error"}',
    '{"event":"signature mismatch","expected":"3f9a77c1d0","got":"a11be0c2ff","level":"error"}',
    '{"event":"login failed","expected":"horse-battery","got":"horse-staple","level":"error"}',
    '{"event":"password check failed with status 401","expected":"horse-battery","got":"horse-staple","level":"error"}',
    '{"event":"webhook signature type mismatch","expected":"3f9a77c1d0","got":"a11be0c2ff","level":"error"}',
  ])('quotes nothing that may be a secret beside the other one: %s', (line) => {
    const found = requestsFail(times(6, line, '10.4.0.3 - - [x] "GET /v1/me HTTP/1.1" 401 -'));
    expect(found?.said.line).not.toMatch(/horse|3f9a|a11b/);
  });
});

it('takes no record of an answer for the rest of an error above it', () => {
  const lines = times(3, '2026-01-31 10:20:30,461 ERROR front cart u17 could not be loaded', answered(500));
  expect(requestsFail(lines)?.said.line).toBe('front cart u17 could not be loaded');
});

it('takes nothing for the reason that was said before most of them', () => {
  const early = ['Error: connect ECONNREFUSED 10.96.65.118:80', answered(503)];
  expect(requestsFail([...times(3, ...early), ...times(9, answered(503))])).toMatchObject({
    times: 12,
    isWordless: true,
  });
  expect(requestsFail(times(9, ...early))?.said.line).toMatch(/ECONNREFUSED/);
});

it('tells of those who ask in a wrong way again and again', () => {
  expect(requestsFail(times(6, '10.4.0.3 - - [x] "POST /checkout HTTP/1.1" 409 25'))).toMatchObject({
    answers: 409,
    isMinor: true,
  });
});

it('knows what a proxy is asked to connect to', () => {
  const denied = '1764382671.120      0 10.4.0.3 TCP_DENIED/403 3900 CONNECT bank.example:8443 - HIER_NONE/- text/html';
  const passed = '1764382671.320     20 10.4.0.3 TCP_TUNNEL/200 3900 CONNECT api.example:443 - HIER_DIRECT/- -';
  const probe = '1764382671.420      0 10.4.0.1 NONE_NONE/000 0 - error:transaction-end-before-headers - HIER_NONE/- -';
  expect(requestsFail(times(6, denied, probe, passed))).toMatchObject({
    answers: 403,
    path: 'bank.example:8443',
    isMinor: true,
    isWordless: true,
    said: { line: expect.stringMatching(/TCP_DENIED\/403 3900 CONNECT bank/) as string },
  });
});
