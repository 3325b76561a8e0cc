/** What an HTTP peer answered, as a client printed it. */
import { expect, it } from 'vitest';
import { answerBody, httpStatusIn } from './answer-body.ts';

it.each<[string, number | undefined]>([
  ['curl: (22) The requested URL returned error: 401', 401],
  ['wget: server returned error: HTTP/1.1 403 Forbidden', 403],
  ['2026-01-31 08:00:00 ERROR 404: Not Found.', 404],
  ['urllib.error.HTTPError: HTTP Error 503: Service Unavailable', 503],
  ['AxiosError: Request failed with status code 422', 422],
  ['fetch failed: catalog answered 403 http://catalog:8080/items', 403],
  ['requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: http://api:8080/', 401],
  ['Error: Unexpected response: 500 from billing', 500],
  ['java.io.IOException: Server returned HTTP response code: 502 for URL: http://api', 502],
  ['could not find code 4711', undefined],
  ['listening on port 443', undefined],
  ['connect to db:500 refused', undefined],
  ['processed 404 records', undefined],
])('the status of %s', (line, status) => {
  expect(httpStatusIn(line)).toBe(status);
});

it.each<[string, string[], string | undefined]>([
  [
    'a page of nginx',
    [
      'curl: (22) The requested URL returned error: 400',
      '<html>',
      '<head><title>400 No required SSL certificate was sent</title></head>',
      '<body>',
      '<center><h1>400 Bad Request</h1></center>',
      '<center>No required SSL certificate was sent</center>',
      '<hr><center>nginx/1.22.1</center>',
    ],
    'No required SSL certificate was sent',
  ],
  [
    'a generic page',
    [
      '<html><head><title>403 Forbidden</title></head>',
      '<center><h1>403 Forbidden</h1></center>',
      '<hr><center>nginx</center>',
    ],
    undefined,
  ],
  [
    'a page of Werkzeug',
    ['<title>403 Forbidden</title>', '<h1>Forbidden</h1>', '<p>The tenant is suspended</p>'],
    'The tenant is suspended',
  ],
  ['JSON', ['curl: (22) The requested URL returned error: 401', '{"error":"jwt expired"}'], 'jwt expired'],
  [
    'JSON of OAuth',
    ['{"error":"invalid_grant","error_description":"the refresh token was revoked"}'],
    'the refresh token was revoked',
  ],
  ['JSON with a list', ['{"errors":[{"code":17,"message":"amount must be positive"}]}'], 'amount must be positive'],
  ['a record of its own log', ['{"level":"error","msg":"giving up","error":"no"}'], undefined],
  ['nothing', ['curl: (22) The requested URL returned error: 401'], undefined],
  ['a secret', ['{"error":"token=abcdef0123456789 is not valid"}'], 'token=*** is not valid'],
])('the body: %s', (_, lines, said) => {
  expect(answerBody(lines)).toBe(said);
});
