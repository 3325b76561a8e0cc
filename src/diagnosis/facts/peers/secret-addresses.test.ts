/** What is kept of the values of Secrets: where they lead, and nothing that opens anything. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretAddresses } from './secret-addresses.ts';

it.each<[string, string, string | undefined]>([
  ['DATABASE_URL', 'postgres://orders:s3cret@orders-pg:5432/shop?sslmode=require', 'postgres://orders-pg:5432'],
  ['uri', 'mongodb+srv://u:p%40x@mongo.shop.svc/db\n', 'mongodb+srv://mongo.shop.svc'],
  ['JDBC', 'jdbc:postgresql://pg:5433/shop?user=a&password=b', 'postgresql://pg:5433'],
  ['webhook', 'https://hooks.example.com/services/T000/B000/XXXX', 'https://hooks.example.com'],
  ['BROKERS', 'kafka-0:9092,kafka-1:9092', 'kafka-0:9092,kafka-1:9092'],
  ['host', 'db', 'db'],
  ['PGHOST', 'db.shop.svc.cluster.local', 'db.shop.svc.cluster.local'],
  ['host', 'db\n', undefined],
  ['DB_PORT', '5432', '5432'],
  ['port', 'x5432', undefined],
  ['password', 'db:5432', undefined],
  ['TOKEN', 'orders', undefined],
  ['HOST_KEY', 'abc', undefined],
  ['host', 'Tr0ub4dor&3', undefined],
  ['user', 'orders', undefined],
  ['app.yaml', 'db:\n  host: pg\n  port: 5432\n  password: geheim\n', '\n  host: pg\n  port: 5432\n'],
  ['.env', 'REDIS_URL=redis://:pw@cache:6380/0\nAPI_KEY=abc\n# OLD_HOST=db\n', 'redis://cache:6380\n\n'],
  ['app.conf', 'bind_address = 10.1.2.3\nlisten: http://0.0.0.0:80\n', undefined],
  ['DATABASE_URL', 'postgres://u:12/34@db:5432/x', undefined],
  ['DATABASE_URL', 'postgres://u:p@ss@db:5432/x', undefined],
  ['.env', 'A=redis://:p/q@c:6379\nB=http://api:80/x\n', '\nhttp://api:80'],
  ['GIT_URL', `https://${'ghp'.repeat(120)}@git.example/a`, 'https://git.example'],
  ['GIT_URL', `https://x-token:${'12345abc'.repeat(200)}@git.example/a`, 'https://git.example'],
  ['DATABASE_URL', `postgres://u:12345${'/a'.repeat(300)}@db:5432/x`, undefined],
  ['DATABASE_URL', `postgres://u:1234#56@db:5432/x`, undefined],
  ['DATABASE_URL', `postgres://u:1234?56@db:5432/x`, undefined],
  ['DATABASE_URL', 'postgres://u:12345', 'postgres://u:12345'],
  ['.env', `${'A=b\n'.repeat(4095)}DB=postgres://u:12345@db/x`, undefined],
  [
    'mongo',
    'mongodb://u:p@m-0.mongo:27017,m-1.mongo:27018/shop?replicaSet=rs0',
    'mongodb://m-0.mongo:27017 mongodb://m-1.mongo:27018',
  ],
  ['hosts', 'http://es-0:9200,http://es-1:9200', 'http://es-0:9200 http://es-1:9200'],
  ['CALLBACK', 'https://api:8443/a?mail=ann@shop.example', undefined],
  ['url', 'abcdef0123456789', undefined],
  ['url', 'db:5432', 'db:5432'],
  ['tls.key', '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n', undefined],
])('%s: %j', (key, value, kept) => {
  expect(secretAddresses(key, value)?.trimEnd()).toBe(kept?.trimEnd());
});

it('keeps no part of a password, whatever its letters and its length are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...'a1234/?#@:, "'.split('')), { minLength: 2, maxLength: 600 }),
      fc.constantFrom('postgres', 'redis', 'mongodb', 'amqp', 'https'),
      fc.constantFrom('DATABASE_URL', 'host', 'app.yaml', 'x'),
      (letters, scheme, key) => {
        // Numbers and letters of the password stand nowhere else in the value.
        const password = letters.join('');
        const kept = secretAddresses(key, `${scheme}://u:${password}@db.shop:5432/q`);
        expect(kept === undefined || kept === `${scheme}://db.shop:5432`).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

it('keeps no word of a user, a password, a path or a parameter, whatever their letters are', () => {
  const secret = 'Zq9-x_T~y';
  for (const value of [
    `amqp://${secret}:${secret}@mq:5672/${secret}?k=${secret}#${secret}`,
    `host=db user=${secret} password=${secret}`,
    `server: db\npassword: ${secret}\nurl: "https://${secret}@api/${secret}"\n${secret}: ${secret}\n`,
  ])
    for (const key of ['DATABASE_URL', 'host', 'app.yaml', 'x'])
      expect(secretAddresses(key, value) ?? '').not.toContain(secret);
});
