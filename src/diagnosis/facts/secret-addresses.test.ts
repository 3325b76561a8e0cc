/** What is kept of the values of Secrets: where they lead, and nothing that opens anything. */
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
  ['tls.key', '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n', undefined],
])('%s: %j', (key, value, kept) => {
  expect(secretAddresses(key, value)?.trimEnd()).toBe(kept?.trimEnd());
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
