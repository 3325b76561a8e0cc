/** Trials of Node.js, with clients and loggers of npm. */
import { CLIENT_FAULTS } from '../peers.ts';
import type { Trial } from '../trial.ts';

const program = 'node';
const env = { NODE_PATH: '/opt/node/node_modules' };
const js = (text: string): Trial['files'] => ({ 'app/server.js': text });
const run = 'exec node server.js';
const base = { program, env, run };
const PG = (url: string) =>
  `const { Client } = require('pg');\nasync function main() {\n  console.log('starting');\n  const client = new Client(${url});\n  await client.connect();\n  await client.query('select 1');\n  console.log('connected');\n}\nmain();\n`;

export const node: readonly Trial[] = [
  {
    ...base,
    ...CLIENT_FAULTS.pgRefused,
    files: js(PG("{ host: '127.0.0.1', port: 5432, user: 'app', database: 'shop' }")),
  },
  {
    ...base,
    ...CLIENT_FAULTS.pgNoName,
    files: js(PG("{ host: 'db.shop.svc', port: 5432, user: 'app', database: 'shop' }")),
  },
  { ...base, ...CLIENT_FAULTS.pgPassword, files: js(PG("'postgres://app:s3cr3t-wrong@127.0.0.1:5432/postgres'")) },
  { ...base, ...CLIENT_FAULTS.pgNoDatabase, files: js(PG("'postgres://app:right@127.0.0.1:5432/orders'")) },
  {
    ...base,
    ...CLIENT_FAULTS.pgNoTable,
    files: js(PG("'postgres://app:right@127.0.0.1:5432/postgres'").replace('select 1', 'select * from invoices')),
  },
  {
    ...base,
    ...CLIENT_FAULTS.redisRefused,
    files: js(
      `const Redis = require('ioredis');\nconst redis = new Redis({ port: 6379, host: '127.0.0.1', maxRetriesPerRequest: 1, retryStrategy: () => null });\nredis.on('error', (error) => console.error('redis', error));\nredis.get('a').catch((error) => { console.error(error); process.exit(1); });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.redisPassword,
    files: js(
      `const Redis = require('ioredis');\nconst redis = new Redis('redis://:s3cr3t-wrong@127.0.0.1:6379/0', { maxRetriesPerRequest: 1 });\nredis.on('error', (error) => console.error('redis', error.message));\nredis.get('a').catch((error) => { console.error(error); process.exit(1); });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.httpRefused,
    files: js(
      `const axios = require('axios');\naxios.get('http://127.0.0.1:8081/health').then(() => console.log('ok'), (error) => { console.error('upstream check failed', error.message); process.exit(1); });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.mysqlRefused,
    files: js(
      `const mysql = require('mysql2/promise');\n(async () => { const c = await mysql.createConnection({ host: '127.0.0.1', port: 3306, user: 'app', password: 'x' }); await c.query('select 1'); })();\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.amqpRefused,
    files: js(
      `const amqp = require('amqplib');\n(async () => { await amqp.connect('amqp://guest:guest@127.0.0.1:5672'); })().catch((error) => { console.error('worker could not start:', error); process.exit(1); });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.mongoRefused,
    files: js(
      `const { MongoClient } = require('mongodb');\n(async () => { const c = new MongoClient('mongodb://127.0.0.1:27017', { serverSelectionTimeoutMS: 1500 }); await c.connect(); })();\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.kafkaRefused,
    files: js(
      `const { Kafka } = require('kafkajs');\n(async () => { const p = new Kafka({ brokers: ['127.0.0.1:9092'], retry: { retries: 2, initialRetryTime: 100 } }).producer(); await p.connect(); })().catch((e) => { console.error(e); process.exit(1); });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.selfSigned,
    files: js(
      `require('https').get('https://127.0.0.1:8443/', (r) => console.log(r.statusCode)).on('error', (error) => { throw error; });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.portTaken,
    files: js(
      `const app = require('express')();\napp.listen(8080, (error) => { if (error) throw error; console.log('listening on 8080'); });\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.privilegedPort,
    user: 1000,
    before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start',
    files: js(`require('http').createServer(() => {}).listen(80, () => console.log('listening on 80'));\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.fileDenied,
    files: js(
      `const fs = require('fs');\nconst file = fs.openSync('/data/state.db', 'a');\nconsole.log('opened', file);\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.readOnly,
    files: js(`const fs = require('fs');\nfs.writeFileSync('/data/cache.json', '{}');\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.fullVolume,
    files: js(`const fs = require('fs');\nfs.writeFileSync('/data/upload.bin', Buffer.alloc(3_000_000));\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.missingFile,
    files: js(
      `const fs = require('fs');\nconst settings = JSON.parse(fs.readFileSync('/etc/app/settings.json', 'utf8'));\nconsole.log(settings);\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.malformedFile,
    files: {
      ...js(`const settings = require('/etc/app/settings.json');\nconsole.log(settings);\n`),
      'etc/app/settings.json': '{"port": 8080,\n}',
    },
  },
  {
    ...base,
    ...CLIENT_FAULTS.missingVariable,
    files: js(
      `const need = (name) => { if (!process.env[name]) throw new Error(\`Missing required environment variable: \${name}\`); return process.env[name]; };\nneed('DATABASE_URL');\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.missingModule('left-pad'),
    files: js(`const pad = require('left-pad');\nconsole.log(pad);\n`),
  },
  {
    ...base,
    name: 'esm-export-missing',
    family: 'code',
    run: 'exec node main.mjs',
    files: {
      'app/main.mjs': `import { nothing } from './other.mjs';\nnothing();\n`,
      'app/other.mjs': 'export const something = 1;\n',
    },
    truth: { ids: ['exit-code'], must: ['SyntaxError', 'nothing'] },
  },
  {
    ...base,
    name: 'null-member',
    family: 'code',
    files: js(
      `console.log('boot');\nconst config = {};\nfunction start() {\n  return config.server.port;\n}\nstart();\n`,
    ),
    truth: { ids: ['exit-code'], must: ['Cannot read properties of undefined', 'server.js:4'], mustNot: ['Node.js v'] },
  },
  {
    ...base,
    name: 'syntax-error',
    family: 'code',
    files: js(`const a = {\n  b: 1\n  c: 2\n};\n`),
    truth: { ids: ['exit-code'], must: ['SyntaxError', 'server.js:3'] },
  },
  {
    ...base,
    name: 'rejected-without-error',
    family: 'code',
    files: js(`Promise.reject('queue is not configured');\n`),
    truth: { ids: ['exit-code'], must: ['queue is not configured'] },
  },
  {
    ...base,
    name: 'assertion',
    family: 'code',
    files: js(
      `require('assert').strictEqual(process.env.REGION ?? 'none', 'eu-west-1', 'region must be eu-west-1');\n`,
    ),
    truth: { ids: ['exit-code'], must: ['region must be eu-west-1'] },
  },
  {
    ...base,
    name: 'cause-chain',
    family: 'code',
    files: js(
      `function load() { throw new RangeError('plan 7 has no price'); }\ntry { load(); } catch (error) { throw new Error('bootstrap failed', { cause: error }); }\n`,
    ),
    truth: { ids: ['exit-code'], must: ['plan 7 has no price'] },
  },
  {
    ...base,
    name: 'pino-fatal',
    family: 'code',
    files: js(
      `const log = require('pino')();\nlog.info('starting');\ntry { JSON.parse(undefined.x); } catch (err) { log.fatal({ err }, 'startup failed'); process.exitCode = 1; }\nlog.info('bye');\n`,
    ),
    truth: { ids: ['exit-code'], must: ['startup failed', 'Cannot read properties of undefined'] },
  },
  {
    ...base,
    name: 'winston-error',
    family: 'peer',
    files: js(
      `const w = require('winston');\nconst log = w.createLogger({ format: w.format.combine(w.format.timestamp(), w.format.json()), transports: [new w.transports.Console()] });\nlog.info('connecting', { host: 'cache' });\nrequire('net').connect(6380, '127.0.0.1').on('error', (e) => { log.error('cache is away', { error: e.message }); process.exitCode = 3; log.info('shutting down'); });\n`,
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6380'] },
  },
  {
    ...base,
    name: 'heap-full',
    family: 'limit',
    run: 'exec node --max-old-space-size=24 server.js',
    files: js(`const all = [];\nfor (;;) all.push(new Array(1000).fill({}).map(() => ({ a: Math.random() })));\n`),
    seconds: 40,
    truth: { ids: ['heap-exhausted'], must: ['heap'] },
  },
  {
    ...base,
    name: 'stack-overflow',
    family: 'code',
    files: js(`function walk(n) {\n  return walk(n + 1) + 1;\n}\nwalk(0);\n`),
    truth: { ids: ['exit-code'], must: ['Maximum call stack size exceeded', 'server.js:2'] },
  },
  {
    ...base,
    name: 'too-many-files',
    family: 'limit',
    run: 'ulimit -n 40; exec node server.js',
    files: js(`const fs = require('fs');\nfor (let i = 0; i < 100; i++) fs.openSync('/etc/hosts');\n`),
    truth: { ids: ['too-many-files'], must: [] },
  },
  {
    ...base,
    name: 'bad-option',
    family: 'config',
    run: 'exec node --no-such-flag server.js',
    files: js(''),
    truth: { ids: ['exit-code', 'bad-argument'], must: ['--no-such-flag'] },
  },
  {
    ...base,
    name: 'no-program',
    family: 'config',
    run: 'exec node dist/main.js',
    truth: { ids: ['exit-code', 'missing-module', 'missing-setting'], must: ['/app/dist/main.js'] },
  },
  {
    ...base,
    name: 'npm-script',
    family: 'config',
    run: 'exec npm run serve',
    files: { 'app/package.json': '{"name":"a","scripts":{"serve":"node missing.js"}}' },
    truth: { ids: ['exit-code', 'missing-module', 'missing-setting', 'missing-binary'], must: [] },
  },
  {
    ...base,
    name: 'overcome-then-code',
    family: 'code',
    files: js(
      `console.error('Error: connect ECONNREFUSED 10.0.0.9:5432, retrying in 1s');\nconsole.log('connected to database');\nconsole.log('listening on 8080');\nsetTimeout(() => { const jobs = null; jobs.push(1); }, 300);\n`,
    ),
    truth: { ids: ['exit-code'], must: ["reading 'push'"], mustNot: ['10.0.0.9'] },
  },
  {
    ...base,
    name: 'secret-in-url',
    family: 'secret',
    files: js(
      `throw new Error('cannot use postgres://app:hunter2-hunter2@db:5432/shop: unsupported option ssl=maybe');\n`,
    ),
    truth: { ids: ['exit-code', 'malformed-config'], must: ['ssl=maybe'], mustNot: ['hunter2'] },
  },
];
