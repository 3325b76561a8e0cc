/** Tests that secrets are masked in whatever form logs print them, and that what decides is left. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

describe('what is masked', () => {
  it.each<[given: string, masked: string]>([
    ['cannot reach postgres://app:hunter2@db:5432/shop', 'cannot reach postgres://***@db:5432/shop'],
    ['redis://:hunter2@cache:6379/0 refused', 'redis://***@cache:6379/0 refused'],
    ['amqp://u:p/w#1@mq:5672', 'amqp://***@mq:5672'],
    ['http://auth:12345@auth:8080/session', 'http://***@auth:8080/session'],
    ['auth: 12345', 'auth: ***'],
    ['https://ghp_012345678901234567890123456789@github.com/a', 'https://***@github.com/a'],
    ['app:hunter2@tcp(10.0.0.7:3306)/shop', '***@tcp(10.0.0.7:3306)/shop'],
    ['host=db user=app password=hunter2 dbname=shop', 'host=db user=app password=*** dbname=shop'],
    ["connect(password='hun ter2', host='db')", "connect(password='***', host='db')"],
    ['{"user":"app","password":"hunter2","port":1}', '{"user":"app","password":"***","port":1}'],
    [String.raw`"{\"api_key\":\"hunter2\",\"a\":1}"`, String.raw`"{\"api_key\":\"***\",\"a\":1}"`],
    ['DB_PASSWORD=hunter2', 'DB_PASSWORD=***'],
    ['PGPASSWORD: hunter2', 'PGPASSWORD: ***'],
    ['X-Api-Key: 0123abcd', 'X-Api-Key: ***'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer ***'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic ***'],
    ['sent Bearer abcdef0123456789', 'sent Bearer ***'],
    ['mysqld --password hunter2 --port 3306', 'mysqld --password *** --port 3306'],
    ["ALTER USER app IDENTIFIED BY 'hunter2'", "ALTER USER app IDENTIFIED BY '***'"],
    ['requirepass hunter2', 'requirepass ***'],
    [`token is ${JWT}.`, 'token is ***.'],
    ['AKIAIOSFODNN7EXAMPLE is not allowed', '*** is not allowed'],
    ['AccountKey=abcd/efgh==;EndpointSuffix=x', 'AccountKey=***;EndpointSuffix=x'],
    [
      '-----BEGIN PRIVATE KEY-----\nMIIEabc\nDEF+/=\n-----END PRIVATE KEY-----\nend',
      '-----BEGIN PRIVATE KEY-----***\nend',
    ],
    ['-----BEGIN PRIVATE KEY-----\nMIIEabc', '-----BEGIN PRIVATE KEY-----***'],
    [`MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj`, '***'],
    [
      'could not translate host name "ssw0rd@postgres.shop" to address',
      'could not translate host name "***@postgres.shop" to address',
    ],
    ['login to server password:12345 failed', 'login to server password:*** failed'],
    ['read from token:98765, and went on', 'read from token:***, and went on'],
    ['host db-password:4711', 'host db-password:***'],
    ['sent password: 403 as it was typed', 'sent password: *** as it was typed'],
    ['a fresh token: 123 accepted', 'a fresh token: *** accepted'],
    ['token_rejected: invalid_issuer (want a)', 'token_rejected: invalid_issuer (want a)'],
    ['password_rejected: hunter-two', 'password_rejected: ***'],
    ['password_rejected: wrong-horse-battery', 'password_rejected: ***'],
    ['secret_invalid: not-my-real-secret', 'secret_invalid: ***'],
    ['token: invalid_issuer', 'token: ***'],
    ['mosquitto_pub --pw horse-battery -t a', 'mosquitto_pub --pw *** -t a'],
  ])('%s', (given, masked) => {
    expect(maskSecrets(given)).toBe(masked);
    expect(maskSecrets(masked)).toBe(masked);
  });

  it('values that are known to be secret, the longest first', () => {
    expect(maskSecrets('key s3cr3t-long and s3cr3t', ['s3cr3t', 's3cr3t-long'])).toBe('key *** and ***');
    expect(maskSecrets('a yes b', ['yes'])).toBe('a yes b');
  });
});

it.each([
  'FATAL: password authentication failed for user "app"',
  "Access denied for user 'app'@'localhost' (using password: YES)",
  'refuses its credentials: Server accounts/acc1 is DOWN, reason: Layer7 wrong status, code: 401',
  'refuses its credentials: curl: (22) The requested URL returned error: 401',
  'request failed (err.url=http://auth:8080/session)',
  'self-check: GET http://orders:8080/orders with a fresh token: 401 signature verification failed',
  'container web is refused by auth:8080 and is not ready',
  'dial tcp auth:8080: connect: connection refused',
  'dial http://token-service:9000: connection refused',
  'password: must not be empty',
  'get secret: connection refused',
  'Unexpected token: }',
  'dial tcp 10.0.0.7:5432: connect: connection refused',
  'http://127.0.0.1:8081/health@v1 not found',
  'open /etc/secret/passwords: no such file or directory',
  '/bin/sh: /etc/passwd: Permission denied',
  'cat: /run/secrets/db-password: Is a directory',
  'cannot start from ENCRYPTION_KEY: ArgumentError: key must be 32 bytes',
  'psql host=db password=$(PGPASSWORD_APP) user=app',
  'password=${DB_PASSWORD} is not set',
  'there is no Secret db in namespace shop',
  'image registry.example/web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
])('leaves %s', (line) => {
  expect(maskSecrets(line)).toBe(line);
});

describe('whatever the secret is', () => {
  const secret = fc
    .stringMatching(/^[A-Za-z0-9_+.!-]{8,40}$/)
    .filter((text) => /\d/.test(text) && !text.startsWith('-'));
  it.each<[string, (text: string) => string]>([
    ['URL', (text) => `error: postgres://app:${text}@db:5432/shop: refused`],
    ['field', (text) => `user=app password=${text} host=db`],
    ['quoted field', (text) => `{"client_secret": "${text}", "b": 2}`],
    ['variable', (text) => `export AWS_SECRET_ACCESS_KEY=${text}`],
    ['header', (text) => `> Authorization: Bearer ${text}`],
    ['flag', (text) => `run --db-password ${text} --verbose`],
  ])('%s', (_, line) => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 30 }), (text, other) => {
        expect(maskSecrets(`${other.replaceAll(text, '')} ${line(text)}`)).not.toContain(text);
      }),
    );
  });

  it('known: in whatever text', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (text, before, after) => {
        expect(maskSecrets(before + text + after, [text])).not.toContain(text);
      }),
    );
  });
});
