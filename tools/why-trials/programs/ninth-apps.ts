/** Trials of the ninth batch that is held out: applications on frameworks and clients of Go, Java, Python, Ruby, Perl, PHP and Node.js. */
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const ARGUMENT = 'bad-argument exit-code malformed-config missing-setting';
const LIBRARY = 'missing-module exit-code missing-setting';
const CODE = 'exit-code';
const AUTH = 'authentication-refused';
const QUIET = ['quiet', 'true'] as const;
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const taken = (port: number): Partial<Trial> => ({ before: occupied(port, 'AF_INET', '127.0.0.1') });
const POSTGRES = `setpriv --reuid=70 --regid=70 --clear-groups /usr/lib/postgresql/15/bin/pg_ctl -w -D /var/lib/postgresql/data -o '-k /tmp' -l /tmp/pg.log start`;
const PAGE_FAILS = ['failing-page', `${curl('http://127.0.0.1:8080/bad')}; ${curl('http://127.0.0.1:8080/')}`] as const;

const GO_BUILD =
  'export GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS= GOCACHE=/tmp/gocache CGO_ENABLED=0; cd /app; go build -o /app/app main.go';
const go = (program: string, imports: string, body: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: GO_BUILD,
  run: 'exec /app/app',
  files: conf('app/main.go', `package main\nimport (\n${imports}\n)\nfunc main() {\n${body}\n}`),
  ...more,
});
const COBRA = go(
  'go-cobra',
  '"fmt"; "os"; "github.com/spf13/cobra"',
  'c := &cobra.Command{Use: "shop", RunE: func(c *cobra.Command, a []string) error { if _, err := os.ReadFile("/etc/app/tariffs.json"); err != nil { return fmt.Errorf("cannot read the tariffs: %w", err) }; return nil }}\nc.Flags().Int("port", 80, "where it listens")\nif c.Execute() != nil { os.Exit(1) }',
);
const viper = (file: string, text: string): Base =>
  go(
    'go-viper',
    '"fmt"; "github.com/spf13/viper"',
    `viper.SetConfigFile("${file}")\nif err := viper.ReadInConfig(); err != nil { panic(fmt.Errorf("fatal error config file: %w", err)) }`,
    {
      files: {
        'app/main.go': `package main\nimport (\n"fmt"; "github.com/spf13/viper"\n)\nfunc main() {\nviper.SetConfigFile("${file}")\nif err := viper.ReadInConfig(); err != nil { panic(fmt.Errorf("fatal error config file: %w", err)) }\n}\n`,
        'etc/app/shop.yaml': `${text}\n`,
      },
    },
  );
const ZEROLOG = '"net"; "os"; "time"; "github.com/rs/zerolog/log"';
const zerolog = (body: string): Base =>
  go('go-zerolog', ZEROLOG, `_ = net.IPv4len; _ = os.Args; _ = time.Now\n${body}`);
const gin = (body: string): Base =>
  go(
    'go-gin',
    '"errors"; "github.com/gin-gonic/gin"',
    `_ = errors.New\nr := gin.Default()\n${body}\nif err := r.Run("127.0.0.1:8080"); err != nil { panic(err) }`,
  );
const pgx = (url: string): Base =>
  go(
    'go-pgx',
    '"context"; "fmt"; "os"; "github.com/jackc/pgx/v4"',
    `_, err := pgx.Connect(context.Background(), "${url}")\nif err != nil { fmt.Fprintf(os.Stderr, "Unable to connect to database: %v\\n", err); os.Exit(1) }`,
  );

const JAVA = "exec java -cp '/app:/usr/share/java/*' /app/Main.java";
const java = (program: string, text: string, run = JAVA): Base => ({
  program,
  run,
  files: conf('app/Main.java', text),
});
const hikari = (url: string): Base =>
  java(
    'hikaricp',
    `import com.zaxxer.hikari.*;\npublic class Main { public static void main(String[] a) { HikariConfig c = new HikariConfig(); c.setJdbcUrl("${url}"); c.setUsername("app"); c.setPassword("s3cr3t-one"); c.setConnectionTimeout(1500); new HikariDataSource(c); } }`,
  );
const JUNIT =
  'import org.junit.*;\npublic class Main { @Test public void addsPrices() { Assert.assertEquals(3, 1 + 1); } public static void main(String[] a) { org.junit.runner.JUnitCore.main("Main"); } }';
const PICOCLI =
  'import picocli.CommandLine;\n@CommandLine.Command(name = "shop")\npublic class Main implements Runnable { @CommandLine.Option(names = "--ledger", required = true) String ledger; public void run() { } public static void main(String[] a) { System.exit(new CommandLine(new Main()).execute(a)); } }';

const py = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec python3 /app/main.py',
  files: conf('app/main.py', text),
  ...more,
});
const APSCHEDULER = (trigger: string): string =>
  `import logging\nfrom apscheduler.schedulers.blocking import BlockingScheduler\nlogging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s %(message)s')\ns = BlockingScheduler(timezone='UTC')\ndef bill(): raise RuntimeError('tariff 17 has no price')\ns.add_job(bill, ${trigger})\ns.start()`;
const TYPER =
  "import typer\ndef main(ledger: str = typer.Option(...), count: int = 1):\n    open('/etc/app/tariffs.json')\ntyper.run(main)";
const daphne = (text: string, app = 'main:app'): Base => ({
  program: 'daphne',
  run: `cd /app; exec daphne -b 127.0.0.1 -p 8080 ${app}`,
  files: conf('app/main.py', text),
});
const ASGI =
  "async def app(scope, receive, send):\n    if scope['type'] != 'http': return\n    if scope['path'] == '/bad': raise RuntimeError('tariff 17 has no price')\n    await send({'type': 'http.response.start', 'status': 200, 'headers': []})\n    await send({'type': 'http.response.body', 'body': b'ok'})";
const WS_SERVER =
  "import asyncio, logging, websockets\nlogging.basicConfig(level=logging.INFO)\nasync def echo(ws):\n    async for m in ws: await ws.send(m)\nasync def main():\n    async with websockets.serve(echo, '127.0.0.1', 8080): await asyncio.Future()\nasyncio.run(main())";
const logged = (module: string, call: string): string =>
  `import logging\nlogging.basicConfig(level=logging.INFO)\n${module}\n${call}`;

const rb = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec ruby /app/main.rb',
  files: conf('app/main.rb', text),
  ...more,
});
const RACK =
  "run lambda { |env| env['PATH_INFO'] == '/bad' ? raise('tariff 17 has no price') : [200, { 'Content-Type' => 'text/plain' }, ['ok']] }";
const unicorn = (rack: string, more: Partial<Trial> = {}): Base => ({
  program: 'unicorn',
  run: 'exec unicorn -l 127.0.0.1:8080 -c /app/unicorn.rb /app/config.ru',
  files: { 'app/unicorn.rb': 'worker_processes 1\npreload_app true\n', 'app/config.ru': `${rack}\n` },
  ...more,
});
const pl = (program: string, run: string, text: string): Base => ({ program, run, files: conf('app/app.pl', text) });
const PSGI = "sub { die 'tariff 17 has no price' if $_[0]->{PATH_INFO} eq '/bad'; return [200, [], ['ok']] }";
const starman = (text: string): Base =>
  pl('starman', 'exec starman --listen 127.0.0.1:8080 --workers 1 /app/app.pl', text);
const MOJO =
  "use Mojolicious::Lite -signatures;\nget '/' => { text => 'ok' };\nget '/bad' => sub ($c) { die 'tariff 17 has no price' };\napp->start;";
const mojo = pl('mojolicious', 'exec perl /app/app.pl daemon -l http://127.0.0.1:8080', MOJO);
const DANCER =
  "use Dancer2;\nset host => '127.0.0.1'; set port => 8080; set log => 'core'; set logger => 'console';\nget '/' => sub { 'ok' };\nget '/bad' => sub { die 'tariff 17 has no price' };\nstart;";
const dancer = pl('dancer2', 'exec perl /app/app.pl', DANCER);
const php = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec php /app/main.php',
  files: conf('app/main.php', `<?php\n${text}`),
  ...more,
});
const GUZZLE = (url: string): string =>
  `require '/usr/share/php/GuzzleHttp/autoload.php';\n$c = new GuzzleHttp\\Client(['timeout' => 2]);\n$c->get('${url}');`;
const MONOLOG =
  "require '/usr/share/php/Monolog/autoload.php';\n$log = new Monolog\\Logger('shop');\n$log->pushHandler(new Monolog\\Handler\\StreamHandler('php://stdout'));\nMonolog\\ErrorHandler::register($log);\n$log->info('shop starts');\nif (!getenv('LEDGER_URL')) throw new RuntimeException('LEDGER_URL is not set');";

const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin';
const js = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: 'ln -sfn /opt/node/node_modules /app/node_modules',
  run: `${NODE}; exec node /app/main.mjs`,
  files: conf('app/main.mjs', text),
  ...more,
});
const COMMANDER =
  "import { program } from 'commander';\nprogram.requiredOption('--ledger <url>').option('--count <n>').parse();\nsetTimeout(() => process.exit(1), 500);";
const KYSELY =
  "import { Kysely, PostgresDialect } from 'kysely';\nimport pg from 'pg';\nconst db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ host: '127.0.0.1', port: 5433, user: 'app', password: 's3cr3t-one', database: 'shop' }) }) });\n";

const faults: readonly Trial[] = [
  trial(COBRA, 'missing-file', 'file', [FILE, '/etc/app/tariffs.json']),
  trial({ ...COBRA, run: 'exec /app/app --prot 8080' }, 'unknown-flag', 'config', [ARGUMENT, '--prot']),
  trial(viper('/etc/app/none.yaml', ''), 'no-config', 'file', [FILE, '/etc/app/none.yaml']),
  trial(viper('/etc/app/shop.yaml', 'a: [1\nb: 2'), 'bad-yaml', 'config', [CONFIG, 'yaml']),
  trial(
    zerolog(
      'if _, err := net.DialTimeout("tcp", "127.0.0.1:8081", time.Second); err != nil { log.Fatal().Err(err).Str("service", "ledger").Msg("ledger is away") }',
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:8081'],
  ),
  trial(
    zerolog('if os.Getenv("LEDGER_URL") == "" { log.Fatal().Msg("LEDGER_URL is not set") }'),
    'no-variable',
    'config',
    ['missing-setting exit-code', 'LEDGER_URL'],
  ),
  trial(gin(''), 'port-taken', 'port', [PORT, '8080'], {
    before: `${GO_BUILD}; ${occupied(8080, 'AF_INET', '127.0.0.1')}`,
  }),
  trial(gin('h := func(c *gin.Context) { }\nr.GET("/orders", h)\nr.GET("/orders", h)'), 'same-route-twice', 'code', [
    CODE,
    '/orders',
  ]),
  trial(pgx('postgres://app:s3cr3t-one@127.0.0.1:5433/shop'), 'refused', 'peer', [REFUSED, '127.0.0.1:5433']),
  trial(pgx('postgres://app:s3cr3t-one@127.0.0.1:5432/shop'), 'password', 'authentication', [AUTH, 'app'], {
    before: `${GO_BUILD}; ${POSTGRES}`,
  }),
  trial(pgx('postgres://app:s3cr3t-one@db.shop.svc:5432/shop'), 'no-name', 'peer', [NO_NAME, 'db.shop.svc']),
  trial(hikari('jdbc:postgresql://127.0.0.1:5433/shop'), 'refused', 'peer', [REFUSED, '127.0.0.1:5433']),
  trial(hikari('jdbc:postgresql://127.0.0.1:5432/shop'), 'password', 'authentication', [AUTH, 'app'], {
    before: POSTGRES,
  }),
  trial(hikari('jdbc:ledger://127.0.0.1/shop'), 'no-driver', 'config', [`${CONFIG} missing-module`, 'jdbc:ledger']),
  trial(
    java('junit4', JUNIT, "exec java -cp '/app:/usr/share/java/*' Main"),
    'test-fails',
    'code',
    [CODE, 'addsPrices'],
    { before: "cd /app && javac -cp '/usr/share/java/*' Main.java" },
  ),
  trial(java('picocli', PICOCLI), 'missing-option', 'config', [ARGUMENT, '--ledger']),
  trial(java('picocli', PICOCLI, `${JAVA} --ledger a --nonsense`), 'unknown-option', 'config', [
    ARGUMENT,
    '--nonsense',
  ]),
  trial(py('apscheduler', APSCHEDULER("'intervall', seconds=1")), 'no-trigger', 'config', [
    `${CONFIG} missing-module`,
    'intervall',
  ]),
  trial(
    py(
      'peewee',
      "from peewee import *\ndb = PostgresqlDatabase('shop', host='127.0.0.1', port=5433, user='app')\ndb.connect()",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1'],
  ),
  trial(
    py(
      'peewee',
      "from peewee import *\ndb = SqliteDatabase('/tmp/a.db')\nclass Order(Model):\n    class Meta: database = db\nprint(list(Order.select()))",
    ),
    'no-table',
    'data',
    ['missing-data exit-code', 'no such table'],
  ),
  trial(py('typer', TYPER), 'missing-option', 'config', [ARGUMENT, '--ledger']),
  trial(py('typer', TYPER, { run: 'exec python3 /app/main.py --ledger a' }), 'missing-file', 'file', [
    FILE,
    '/etc/app/tariffs.json',
  ]),
  trial(
    py(
      'marshmallow',
      "from marshmallow import Schema, fields\nclass S(Schema):\n    port = fields.Integer(required=True)\nS().load({'port': 'eighty'})",
    ),
    'bad-value',
    'config',
    [CONFIG, 'port'],
  ),
  trial(
    py(
      'loguru',
      "import socket, sys\nfrom loguru import logger\n@logger.catch(onerror=lambda _: sys.exit(1))\ndef main():\n    logger.info('shop starts')\n    socket.create_connection(('127.0.0.1', 8081))\nmain()",
    ),
    'refused',
    'peer',
    [REFUSED, ''],
  ),
  trial(
    py(
      'loguru',
      "import os, sys\nfrom loguru import logger\nlogger.info('shop starts')\nif 'LEDGER_URL' not in os.environ:\n    logger.critical('LEDGER_URL is not set')\n    sys.exit(1)",
    ),
    'no-variable',
    'config',
    ['missing-setting exit-code', 'LEDGER_URL'],
  ),
  trial(
    py('paho-mqtt', "import paho.mqtt.client as mqtt\nmqtt.Client().connect('mq.shop.svc', 1883)"),
    'no-name',
    'peer',
    [NO_NAME, 'mq.shop.svc'],
  ),
  trial(
    py('kafka-python', logged('from kafka import KafkaProducer', "KafkaProducer(bootstrap_servers='127.0.0.1:9092')")),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, '127.0.0.1:9092'],
  ),
  trial(
    py(
      'kafka-python',
      logged('from kafka import KafkaProducer', "KafkaProducer(bootstrap_servers='kafka.shop.svc:9092')"),
    ),
    'no-name',
    'peer',
    [NO_NAME, 'kafka.shop.svc'],
  ),
  trial(
    py(
      'boto3',
      "import boto3\nboto3.client('s3', region_name='a', endpoint_url='http://127.0.0.1:9000').list_buckets()",
    ),
    'no-credentials',
    'config',
    ['missing-setting exit-code authentication-refused', 'credentials'],
  ),
  trial(
    py(
      'boto3',
      "import boto3\nfrom botocore.config import Config\nboto3.client('s3', region_name='a', endpoint_url='http://127.0.0.1:9000', aws_access_key_id='a', aws_secret_access_key='b', config=Config(retries={'total_max_attempts': 1})).list_buckets()",
    ),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, '127.0.0.1:9000'],
  ),
  trial(daphne(ASGI), 'port-taken', 'port', [PORT, '8080'], taken(8080)),
  trial(daphne('import ledgr'), 'no-module', 'library', [LIBRARY, 'ledgr']),
  trial(daphne(ASGI, 'main:ap'), 'no-application', 'config', [`${CONFIG} missing-module`, 'ap']),
  trial(py('websockets', WS_SERVER), 'port-taken', 'port', [PORT, '8080'], taken(8080)),
  trial(
    py(
      'websockets',
      "import asyncio, websockets\nasync def main(): await websockets.connect('ws://127.0.0.1:8081')\nasyncio.run(main())",
    ),
    'refused',
    'peer',
    [REFUSED, '8081'],
  ),
  trial(
    py('aio-pika', "import asyncio, aio_pika\nasyncio.run(aio_pika.connect('amqp://app:s3cr3t-one@127.0.0.1:5672/'))"),
    'refused',
    'peer',
    [REFUSED, '5672'],
  ),
  trial(
    py('ldap3', "import ldap3\nldap3.Connection(ldap3.Server('127.0.0.1', port=3890), auto_bind=True)"),
    'refused',
    'peer',
    [REFUSED, ''],
  ),
  trial(
    py(
      'paramiko',
      "import paramiko\nc = paramiko.SSHClient()\nc.set_missing_host_key_policy(paramiko.AutoAddPolicy())\nc.connect('127.0.0.1', 2222, 'app', password='s3cr3t-one')",
    ),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, '2222'],
  ),
  trial(py('paramiko', "import paramiko\nparamiko.RSAKey.from_private_key_file('/etc/app/id_rsa')"), 'no-key', 'file', [
    FILE,
    '/etc/app/id_rsa',
  ]),
  trial(unicorn(RACK), 'port-taken', 'port', [PORT, '8080'], taken(8080)),
  trial(unicorn(RACK, { run: 'exec unicorn -l 127.0.0.1:8080 /app/none.ru' }), 'no-application', 'file', [
    FILE,
    'none.ru',
  ]),
  trial(unicorn("raise 'LEDGER_URL is not set' unless ENV['LEDGER_URL']"), 'no-variable', 'config', [
    'missing-setting exit-code',
    'LEDGER_URL',
  ]),
  trial(
    {
      program: 'thin',
      run: 'exec thin -a 127.0.0.1 -p 8080 -R /app/config.ru start',
      files: conf('app/config.ru', RACK),
    },
    'port-taken',
    'port',
    [`${PORT} exit-code`, 'port'],
    taken(8080),
  ),
  trial(
    rb('sequel', "require 'sequel'\nSequel.connect('postgres://app:s3cr3t-one@127.0.0.1:5433/shop').test_connection"),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1'],
  ),
  trial(rb('bunny', "require 'bunny'\nBunny.new('amqp://app:s3cr3t-one@127.0.0.1:5672').start"), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1:5672',
  ]),
  trial(rb('dalli', "require 'dalli'\nDalli::Client.new('127.0.0.1:11211').get('a')"), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    '127.0.0.1:11211',
  ]),
  trial(starman(PSGI), 'port-taken', 'port', [PORT, '8080'], taken(8080)),
  trial(starman(`use Ledgr;\n${PSGI}`), 'no-module', 'library', [LIBRARY, 'Ledgr']),
  trial(mojo, 'port-taken', 'port', [PORT, ''], taken(8080)),
  trial(php('guzzle', GUZZLE('http://127.0.0.1:8081/orders')), 'refused', 'peer', [REFUSED, '8081']),
  trial(php('guzzle', GUZZLE('http://ledger.shop.svc/orders')), 'no-name', 'peer', [NO_NAME, 'ledger.shop.svc']),
  trial(php('monolog', MONOLOG), 'no-variable', 'config', ['missing-setting exit-code', 'LEDGER_URL']),
  trial(js('commander', COMMANDER), 'missing-option', 'config', [ARGUMENT, '--ledger']),
  trial(
    js('commander', COMMANDER, { run: 'exec node /app/main.mjs --ledger a --cuont 3' }),
    'unknown-option',
    'config',
    [ARGUMENT, '--cuont'],
  ),
  trial(
    js('got', "import got from 'got';\nawait got('http://127.0.0.1:8081/', { retry: { limit: 0 } });"),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:8081'],
  ),
  trial(
    js(
      'nodemailer',
      "import nodemailer from 'nodemailer';\nawait nodemailer.createTransport({ host: '127.0.0.1', port: 2525 }).verify();",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:2525'],
  ),
  trial(
    js('ldapjs', "import ldap from 'ldapjs';\nldap.createClient({ url: 'ldap://127.0.0.1:3890' });"),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:3890'],
  ),
  trial(
    js(
      'ssh2',
      "import ssh2 from 'ssh2';\nnew ssh2.Client().connect({ host: '127.0.0.1', port: 2222, username: 'app', password: 's3cr3t-one' });",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:2222'],
  ),
  trial(
    js(
      'pg-boss',
      "import * as lib from 'pg-boss';\nconst Boss = lib.PgBoss ?? lib.default;\nconst boss = new Boss('postgres://app:s3cr3t-one@127.0.0.1:5433/shop');\nboss.on('error', (e) => console.error('queue', e));\nawait boss.start();",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:5433'],
  ),
  trial(
    js('graphile-worker', '', {
      run: `${NODE}; exec graphile-worker -c postgres://app:s3cr3t-one@127.0.0.1:5433/shop`,
    }),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:5433'],
  ),
  trial(
    js(
      'umzug',
      "import { Umzug, JSONStorage } from 'umzug';\nawait new Umzug({ migrations: [{ name: '001-orders', up: async () => { throw new Error('column tariff does not exist'); } }], storage: new JSONStorage({ path: '/tmp/m.json' }), logger: console }).up();",
    ),
    'migration-fails',
    'data',
    ['missing-data exit-code', 'tariff'],
  ),
  trial(
    js(
      'yup',
      "import * as yup from 'yup';\nawait yup.object({ port: yup.number().required(), ledgerUrl: yup.string().required() }).validate({ port: 'eighty', ledgerUrl: 'a' });",
    ),
    'bad-value',
    'config',
    [CONFIG, 'port'],
  ),
  trial(
    js(
      'superstruct',
      "import { assert, object, number } from 'superstruct';\nassert({ port: 'eighty' }, object({ port: number() }));",
    ),
    'bad-value',
    'config',
    [CONFIG, 'port'],
  ),
  trial(
    js(
      'tslog',
      "import { Logger } from 'tslog';\nimport net from 'node:net';\nconst log = new Logger({ name: 'shop' });\nlog.info('shop starts');\nnet.connect(8081, '127.0.0.1').on('error', (e) => { log.fatal('ledger is away', e); process.exitCode = 1; });",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:8081'],
  ),
  trial(js('kysely', `${KYSELY}await db.selectFrom('orders').selectAll().execute();`), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1:5433',
  ]),
];

const POLLER = (program: string): Base =>
  js(
    program,
    `${KYSELY}console.log('shop polls its orders');\nsetInterval(() => db.selectFrom('orders').selectAll().execute().catch((e) => console.error('poll failed', e)), 900);`,
  );
const healthy: readonly Trial[] = [
  ...well(
    gin(
      'r.GET("/", func(c *gin.Context) { c.String(200, "ok") })\nr.GET("/bad", func(c *gin.Context) { panic("tariff 17 has no price") })',
    ),
    3,
    [QUIET, PAGE_FAILS, ['page-not-found', curl('http://127.0.0.1:8080/none')]],
  ),
  ...well(
    zerolog(
      'log.Info().Msg("worker polls the ledger")\nfor { if c, err := net.DialTimeout("tcp", "127.0.0.1:8081", time.Second); err != nil { log.Error().Err(err).Msg("poll failed") } else { c.Close(); log.Info().Msg("ledger polled") }; time.Sleep(700 * time.Millisecond) }',
    ),
    3,
    [
      ['peer-away', 'true'],
      ['peer-comes', 'nohup python3 -m http.server 8081 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 2'],
    ],
  ),
  ...well(py('apscheduler', APSCHEDULER("'interval', seconds=1")), 4, [['failing-job', 'true']]),
  ...well(daphne(ASGI), 4, [QUIET, PAGE_FAILS]),
  ...well(py('websockets', WS_SERVER), 3, [
    QUIET,
    ['garbage', garbage(8080)],
    ['client-leaves', 'nc -z 127.0.0.1 8080'],
  ]),
  ...well(unicorn(RACK), 3, [QUIET, PAGE_FAILS]),
  ...well(starman(PSGI), 3, [QUIET, PAGE_FAILS]),
  ...well(mojo, 3, [QUIET, PAGE_FAILS]),
  ...well(dancer, 3, [QUIET, PAGE_FAILS]),
  ...well(POLLER('kysely'), 4, [['peer-away', 'true']]),
];

export const NINTH_APPS: readonly Trial[] = [...faults, ...healthy];
