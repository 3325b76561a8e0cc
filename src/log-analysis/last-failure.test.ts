/** Tests what a program that still works says of a request that it fails just now. */
import { expect, it } from 'vitest';
import { lastFailure } from './last-failure.ts';

it.each([
  [
    'an answer in JSON, with the URL that was asked',
    [
      '{"event": "sync_started", "level": "info", "timestamp": "2026-01-31T12:14:28.206328Z"}',
      '{"attempt": 1, "status": 403, "url": "http://crm-api:8080/v2/contacts", "body": "{\\"error\\": \\"token_expired\\"}", "event": "sync_failed", "level": "error", "timestamp": "2026-01-31T12:14:28.221538Z"}',
    ],
    /token_expired.* \(status=403 url=http:\/\/crm-api:8080\/v2\/contacts\)$/,
  ],
  [
    'a trace of one request, followed by its access log',
    [
      'Exception on /health [GET]',
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/dist-packages/flask/app.py", line 2525, in wsgi_app',
      '    response = self.full_dispatch_request()',
      '  File "/app/main.py", line 9, in health',
      '    psycopg2.connect(host="orders-db")',
      'psycopg2.OperationalError: connection to server at "orders-db" (10.96.163.144), port 5432 failed: Connection refused',
      '\tIs the server running on that host and accepting TCP/IP connections?',
      '10.246.0.1 - - [24/Nov/2026 13:24:14] "GET /health HTTP/1.1" 500 -',
    ],
    /connection to server at "orders-db" .* refused.*connections\?$/,
  ],
  [
    'a host that is not allowed',
    [
      "Invalid HTTP_HOST header: '10.2.0.8:8000'. You may need to add '10.2.0.8' to ALLOWED_HOSTS.",
      'Bad Request: /ready',
    ],
    /ALLOWED_HOSTS/,
  ],
  [
    'the latest of several',
    [
      'level=error msg="cache is away"',
      'level=info msg="cache is back"',
      'level=error msg="dial tcp 10.0.0.4:5672: i/o timeout"',
    ],
    /10\.0\.0\.4:5672/,
  ],
  [
    'no alert of the start, where the same failure comes with each request',
    [
      "[alert] AH02155: getpwuid: couldn't determine user name from uid 4294967295, you probably need to modify the User directive",
      '[proxy:error] (111)Connection refused: AH00957: http: attempt to connect to 127.0.0.1:9001 (127.0.0.1:9001) failed',
      '10.2.0.1 - - [24/Nov/2026:16:57:12 +0000] "GET / HTTP/1.1" 503 299',
      '[proxy:error] (111)Connection refused: AH00957: http: attempt to connect to 127.0.0.1:9001 (127.0.0.1:9001) failed',
      '10.2.0.1 - - [24/Nov/2026:16:57:17 +0000] "GET / HTTP/1.1" 503 299',
    ],
    /AH00957: .*127\.0\.0\.1:9001/,
  ],
  [
    'why a proxy has nobody left',
    [
      '[WARNING]  (1) : Server orders/a is DOWN, reason: Layer7 wrong status, code: 404, info: "File not found".',
      "[ALERT]    (1) : backend 'orders' has no server available!",
      '10.2.0.1:43338 [24/Nov/2026:16:57:25.128] in orders/<NOSRV> 0/-1/-1/-1/0 503 217 - - SC-- 1/1 "GET / HTTP/1.1"',
    ],
    /^Server orders\/a is DOWN, reason: Layer7 wrong status, code: 404/,
  ],
])('%s', (_what, lines, said) => {
  expect(lastFailure(lines)?.line).toMatch(said);
});

it('nothing where nothing failed', () => {
  expect(lastFailure(['listening on :8080', '10.0.0.1 - - "GET / HTTP/1.1" 200 -'])).toBeUndefined();
});
