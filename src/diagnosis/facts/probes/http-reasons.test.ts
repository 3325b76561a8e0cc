/** Why an HTTP server refused a client, as its own log tells. */
import { describe, expect, it } from 'vitest';
import { httpReason, pathAnswered, statusOfPath } from './http-reasons.ts';

const ADDRESS = '10.244.3.24';

describe('a refusal in the log of', () => {
  it.each<[string, number, string[], string | undefined]>([
    [
      'nginx by its rule',
      403,
      [
        '10.244.0.1 - - [28/Nov/2026:09:56:55 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.36"',
        '2026/11/28 09:56:57 [error] 8#8: *36 access forbidden by rule, client: 10.244.3.24, server: , request: "GET /items HTTP/1.1", host: "stock:8080"',
        '10.244.3.24 - - [28/Nov/2026:09:56:57 +0000] "GET /items HTTP/1.1" 403 153 "-" "-"',
      ],
      'access forbidden by rule',
    ],
    [
      'nginx without a certificate',
      400,
      [
        '2026/11/28 09:48:57 [info] 7#7: *4 client sent no required SSL certificate while reading client request headers, client: 10.244.3.24, server: , request: "GET / HTTP/1.1", host: "bank"',
        '2026/11/28 09:48:58 [info] 7#7: *5 client closed connection while SSL handshaking, client: 10.244.0.1, server: 0.0.0.0:8443',
      ],
      'client sent no required SSL certificate',
    ],
    [
      'nginx in plain HTTP',
      400,
      [
        '2026/11/28 09:48:57 [info] 7#7: *4 client sent plain HTTP request to HTTPS port while reading client request headers, client: 10.244.3.24',
      ],
      'client sent plain HTTP request to HTTPS port',
    ],
    [
      'Apache',
      403,
      [
        '[Sat Nov 28 09:48:57 2026] [authz_core:error] [pid 7] [client 10.244.3.24:41000] AH01630: client denied by server configuration: /srv/private',
      ],
      'client denied by server configuration: /srv/private',
    ],
    [
      'tinyproxy, of this client and not of the prober',
      403,
      [
        'NOTICE    Nov 28 09:47:30.345 [1]: Unauthorized connection from "10.244.3.24".',
        'ERROR     Nov 28 09:47:36.345 [1]: Error reading readable client_fd 5 (Invalid argument)',
        'NOTICE    Nov 28 09:47:36.345 [1]: Unauthorized connection from "10.244.3.240".',
      ],
      'Unauthorized connection from "10.244.3.24"',
    ],
    [
      'squid',
      403,
      ['1795858494.190      0 10.244.3.24 TCP_DENIED/403 3865 CONNECT bank:443 - HIER_NONE/- text/html'],
      'TCP_DENIED/403 3865 CONNECT bank:443',
    ],
    [
      'a program of one’s own',
      401,
      ['GET /products 401', '401 jwt expired at 2026-10-01T00:00:00.000Z'],
      '401 jwt expired at 2026-10-01T00:00:00.000Z',
    ],
    [
      'a program, in words',
      403,
      ['[auth] 403: tenant acme is not in the list of tenants'],
      '[auth] 403: tenant acme is not in the list of tenants',
    ],
    [
      'one that fails itself',
      500,
      [
        'sqlite3.OperationalError: no such table: stock',
        'GET /items 500',
        'sqlite3.OperationalError: no such table: stock',
        'GET /items 500',
      ],
      'sqlite3.OperationalError: no such table: stock',
    ],
    ['one that says nothing', 403, ['GET /items 403', 'listening on 8080', 'worker 403 started'], undefined],
    [
      'one that refused others with another status',
      404,
      ['2026/11/28 [error] 8#8: *36 access forbidden by rule, client: 10.9.9.9'],
      undefined,
    ],
    [
      'one that refused others alone',
      403,
      [
        '2026/11/28 09:56:57 [error] 8#8: *36 access forbidden by rule, client: 10.9.9.9, server: , request: "GET / HTTP/1.1"',
        'NOTICE    Nov 28 09:47:36.345 [1]: Unauthorized connection from "10.244.0.1".',
      ],
      undefined,
    ],
    ['a secret', 401, ['401 invalid token=abcdef0123456789abcdef'], '401 invalid token=***'],
  ])('%s', (_, status, lines, said) => {
    expect(httpReason(lines, { status, address: ADDRESS })).toBe(said);
  });
});

it('tells what is answered to the path of a health check', () => {
  const lines = [
    'GET /health 404',
    'GET /healthz 200',
    '"GET /ready HTTP/1.1" 200',
    '10.2.0.1 - - [x] "OPTIONS /live?a=1 HTTP/1.0" 501 0',
  ];
  expect(['/health', '/healthz', '/ready', '/live', '/none'].map((path) => statusOfPath(lines, path))).toEqual([
    404,
    200,
    200,
    501,
    undefined,
  ]);
  expect(pathAnswered(lines, '/health')).toBe('/healthz');
  expect(pathAnswered(lines, '/status')).toBeUndefined();
});

it.each([
  ['F, [2026-03-03T10:20:30.1 #1] FATAL -- : ActionController::RoutingError (No route matches [GET] "/healthz"):'],
  ['Cannot GET /healthz'],
  ['WARN 1 --- o.s.w.servlet.PageNotFound : No mapping for GET /healthz'],
  ['Not Found: /healthz'],
])('knows the words of frameworks for a path that nobody serves: %s', (line) => {
  expect(statusOfPath([line], '/healthz')).toBe(404);
  expect(statusOfPath([line], '/health')).toBeUndefined();
});
