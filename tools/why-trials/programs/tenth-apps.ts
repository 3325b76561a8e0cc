/** Trials of the tenth batch that is held out: applications on frameworks and clients of Python, Go, Java, Ruby, PHP, Perl, Erlang and Node.js. */
import type { Trial } from '../trial.ts';
import { type Base, curl, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary missing-data';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const ARGUMENT = 'bad-argument exit-code malformed-config missing-setting';
const SETTING = 'missing-setting exit-code malformed-config';
const LIBRARY = 'missing-module exit-code missing-setting';
const DATA = 'missing-data exit-code';
const CODE = 'exit-code';
const AUTH = 'authentication-refused';
const QUIET = ['quiet', 'true'] as const;
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const taken = (port: number): Partial<Trial> => ({ before: occupied(port, 'AF_INET', '127.0.0.1') });
const POSTGRES = `setpriv --reuid=70 --regid=70 --clear-groups /usr/lib/postgresql/15/bin/pg_ctl -w -D /var/lib/postgresql/data -o '-k /tmp' -l /tmp/pg.log start; PGPASSWORD=right psql -h 127.0.0.1 -U app -d postgres -c 'create database app'`;
const PAGE_FAILS = ['failing-page', `${curl('http://127.0.0.1:8080/bad')}; ${curl('http://127.0.0.1:8080/')}`] as const;
const URL = 'postgresql://app:s3cr3t-one@127.0.0.1:5433/shop';
const RIGHT = 'postgresql://app:right@127.0.0.1:5432/app';

const py = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec python3 /app/main.py',
  files: conf('app/main.py', text),
  ...more,
});
const pandas = (text: string, more: Partial<Trial> = {}): Base =>
  py('pandas', text, {
    env: { LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack' },
    ...more,
  });
const psycopg3 = (text: string): Base => py('psycopg3', text, { before: 'ldconfig' });
const starlette = (text: string, more: Partial<Trial> = {}): Base => ({
  program: 'starlette',
  run: 'cd /app; exec uvicorn --host 127.0.0.1 --port 8080 main:app',
  files: conf('app/main.py', text),
  ...more,
});
const STARLETTE = (lifespan: string): string =>
  `import os, contextlib\nfrom starlette.applications import Starlette\nfrom starlette.responses import PlainTextResponse\nfrom starlette.routing import Route\nasync def home(request): return PlainTextResponse('ok')\nasync def bad(request): raise RuntimeError('tariff 17 has no price')\nasync def start():\n    ${lifespan}\napp = Starlette(routes=[Route('/', home), Route('/bad', bad)], on_startup=[start])`;
const QUART =
  "from quart import Quart\napp = Quart(__name__)\n@app.route('/')\nasync def home(): return 'ok'\n@app.route('/bad')\nasync def bad(): raise RuntimeError('tariff 17 has no price')\napp.run(host='127.0.0.1', port=8080)";
const ALCHEMY = (url: string): string =>
  `import asyncio\nfrom sqlalchemy import text\nfrom sqlalchemy.ext.asyncio import create_async_engine\nasync def main():\n    engine = create_async_engine('${url}')\n    async with engine.connect() as c: print((await c.execute(text('select count(*) from orders'))).scalar())\nasyncio.run(main())`;
const PANDAS = (call: string): string =>
  `import pandas as pd\nprint('report of the day starts', flush=True)\nframe = pd.read_csv('/data/orders.csv')\n${call}`;
const ORDERS = 'id,total,day\n1,17.5,2026-01-01\n2,n/a,2026-01-02';
const JSON_LOG =
  "import json, logging, sys\nfrom pythonjsonlogger import jsonlogger\nh = logging.StreamHandler(sys.stdout)\nh.setFormatter(jsonlogger.JsonFormatter('%(asctime)s %(levelname)s %(name)s %(message)s'))\nlogging.basicConfig(level=logging.INFO, handlers=[h])\nlog = logging.getLogger('shop.worker')\nlog.info('worker starts', extra={'version': '2.4.1'})\n";
const DICT_CONFIG = (handler: string): string =>
  `import logging.config\nlogging.config.dictConfig({'version': 1, 'formatters': {'f': {'format': '%(asctime)s %(levelname)s %(message)s'}}, 'handlers': {'h': ${handler}}, 'root': {'level': 'INFO', 'handlers': ['h']}})\nlogging.info('shop starts')`;
const ARGPARSE =
  "import argparse, sys\np = argparse.ArgumentParser(prog='import-orders')\np.add_argument('--day', required=True)\np.add_argument('--format', choices=['csv', 'parquet'], default='csv')\np.parse_args()\nsys.exit(1)";
const DOCOPT =
  "'''Usage: shop sync --ledger=<url>'''\nfrom docopt import docopt\nprint(docopt(__doc__))\nraise SystemExit(1)";
const SCHEDULE =
  "import logging, sys, time, schedule\nlogging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(name)s: %(message)s')\nlog = logging.getLogger('scanner')\n";
const PYRAMID =
  "from pyramid.config import Configurator\nfrom pyramid.response import Response\nfrom wsgiref.simple_server import make_server\nwith Configurator() as config:\n    config.add_route('home', '/')\n    config.add_view(lambda r: Response('ok'), route_name='home')\n";
const GRPC =
  "import grpc\nfrom concurrent import futures\nserver = grpc.server(futures.ThreadPoolExecutor())\nserver.add_insecure_port('127.0.0.1:50051')\nserver.start()\nprint('ledger serves')\nserver.wait_for_termination()";

const GO_BUILD =
  'export GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS= GOCACHE=/tmp/gocache CGO_ENABLED=0; cd /app; go build -o /app/app main.go || exit 1';
const go = (program: string, imports: string, body: string, run = 'exec /app/app'): Base => ({
  program,
  before: GO_BUILD,
  run,
  files: conf('app/main.go', `package main\nimport (\n${imports}\n)\nfunc main() {\n${body}\n}`),
});
const echo = go(
  'go-echo',
  '"errors"; "github.com/labstack/echo"; "github.com/labstack/echo/middleware"',
  'e := echo.New()\ne.Use(middleware.Logger(), middleware.Recover())\ne.GET("/", func(c echo.Context) error { return c.String(200, "ok") })\ne.GET("/bad", func(c echo.Context) error { return errors.New("tariff 17 has no price") })\ne.GET("/panic", func(c echo.Context) error { panic("tariff 17 has no price") })\ne.Logger.Fatal(e.Start("127.0.0.1:8080"))',
);
const chi = go(
  'go-chi',
  '"log"; "net/http"; "github.com/go-chi/chi"; "github.com/go-chi/chi/middleware"',
  'r := chi.NewRouter()\nr.Use(middleware.Logger, middleware.Recoverer)\nr.Get("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) })\nr.Get("/bad", func(w http.ResponseWriter, r *http.Request) { panic("tariff 17 has no price") })\nlog.Fatal(http.ListenAndServe("127.0.0.1:8080", r))',
);
const klog = (body: string): Base =>
  go(
    'go-klog',
    '"errors"; "net"; "os"; "time"; "k8s.io/klog"',
    `_, _, _, _ = errors.New, net.IPv4len, os.Args, time.Now\n${body}`,
  );
const hclog = (body: string): Base =>
  go(
    'go-hclog',
    '"net/http"; "os"; "time"; "github.com/hashicorp/go-hclog"',
    `log := hclog.New(&hclog.LoggerOptions{Name: "shop"})\nlog.Info("shop starts", "version", "2.4.1")\n_, _, _ = http.Get, os.Args, time.Now\n${body}`,
  );
const goSql = (address: string): Base =>
  go(
    'go-mysql',
    '"database/sql"; "log"; _ "github.com/go-sql-driver/mysql"',
    `db, err := sql.Open("mysql", "app:s3cr3t-one@tcp(${address})/shop")\nif err != nil { log.Fatal(err) }\nif err := db.Ping(); err != nil { log.Fatalf("shop: cannot reach the database: %v", err) }`,
  );
const CLI = go(
  'go-urfave-cli',
  '"log"; "os"; "github.com/urfave/cli/v2"',
  'app := &cli.App{Name: "shop", Flags: []cli.Flag{&cli.StringFlag{Name: "ledger", Required: true}}, Action: func(c *cli.Context) error { return cli.Exit("ledger "+c.String("ledger")+" is of version 3, and this is for version 2", 4) }}\nif err := app.Run(os.Args); err != nil { log.Fatal(err) }',
);

const JARS = [
  'netty-common',
  'netty-buffer',
  'netty-resolver',
  'netty-transport',
  'netty-handler',
  'quartz2',
  'c3p0',
  'slf4j-api',
  'slf4j-simple',
  'postgresql',
  'mariadb-java-client',
  'hsqldb',
  'derby',
  'commons-cli',
  'servlet-api',
  'jetty9-server',
  'jetty9-http',
  'jetty9-io',
  'jetty9-util',
]
  .map((name) => `:/usr/share/java/${name}.jar`)
  .join('');
const JAVAC = `cd /app && javac -cp /app${JARS} Main.java || exit 1`;
const JAVA = `exec java -cp /app${JARS} Main`;
const java = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: JAVAC,
  run: JAVA,
  files: conf('app/Main.java', text),
  ...more,
});
const javaTaken = (port: number): Partial<Trial> => ({
  before: `${JAVAC}; ${occupied(port, 'AF_INET', '127.0.0.1')}`,
});
const main = (imports: string, body: string): string =>
  `${imports}\npublic class Main {\n  public static void main(String[] a) throws Exception {\n${body}\n  }\n}`;
const NETTY = main(
  'import io.netty.bootstrap.*;\nimport io.netty.channel.*;\nimport io.netty.channel.nio.*;\nimport io.netty.channel.socket.nio.*;',
  '    EventLoopGroup g = new NioEventLoopGroup(1);\n    try {\n      ServerBootstrap b = new ServerBootstrap().group(g).channel(NioServerSocketChannel.class).childHandler(new ChannelInboundHandlerAdapter() { public void channelRead(ChannelHandlerContext c, Object m) { throw new IllegalStateException("tariff 17 has no price"); } });\n      Channel c = b.bind("127.0.0.1", 8080).sync().channel();\n      System.out.println("ledger listens");\n      c.closeFuture().sync();\n    } finally { g.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS); }',
);
const NETTY_CLIENT = main(
  'import io.netty.bootstrap.*;\nimport io.netty.channel.*;\nimport io.netty.channel.nio.*;\nimport io.netty.channel.socket.nio.*;',
  '    EventLoopGroup g = new NioEventLoopGroup(1);\n    try { new Bootstrap().group(g).channel(NioSocketChannel.class).handler(new ChannelInboundHandlerAdapter()).connect("127.0.0.1", 8081).sync(); }\n    finally { g.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS); }',
);
const QUARTZ = (body: string): string =>
  `import org.quartz.*;\nimport org.quartz.impl.*;\npublic class Main {\n  public static class Bill implements Job { public void execute(JobExecutionContext c) throws JobExecutionException { throw new JobExecutionException("tariff 17 has no price"); } }\n  public static void main(String[] a) throws Exception {\n    try {\n      Scheduler s = StdSchedulerFactory.getDefaultScheduler();\n      ${body}\n      s.start();\n    } catch (Throwable e) { e.printStackTrace(); System.exit(1); }\n  }\n}`;
const JUL = main(
  'import java.util.logging.*;\nimport java.sql.*;',
  '    Logger log = Logger.getLogger("shop.batch");\n    log.info("batch of the night starts");\n    try (Connection c = DriverManager.getConnection(a[0], "app", a[1]); Statement s = c.createStatement()) { s.executeUpdate("insert into orders values (1)"); }\n    catch (SQLException e) { log.log(Level.SEVERE, "batch of the night failed", e); System.exit(3); }',
);
const jdbc = (url: string, password: string, more: Partial<Trial> = {}): Base =>
  java('jdbc-batch', JUL, { run: `${JAVA} '${url}' ${password}`, ...more });
const HSQL = (url: string): string =>
  main(
    'import java.sql.*;',
    `    DriverManager.getConnection("${url}", "SA", "").createStatement().execute("select * from orders");`,
  );
const JETTY = main(
  'import org.eclipse.jetty.server.*;',
  '    Server s = new Server(new java.net.InetSocketAddress("127.0.0.1", 8080));\n    s.setHandler(new org.eclipse.jetty.server.handler.AbstractHandler() { public void handle(String t, Request r, javax.servlet.http.HttpServletRequest q, javax.servlet.http.HttpServletResponse p) { if (t.equals("/bad")) throw new IllegalStateException("tariff 17 has no price"); r.setHandled(true); } });\n    try { s.start(); s.join(); } catch (Exception e) { e.printStackTrace(); System.exit(1); }',
);
const COMMONS_CLI = main(
  'import org.apache.commons.cli.*;',
  '    Options o = new Options().addRequiredOption("l", "ledger", true, "the ledger");\n    new DefaultParser().parse(o, a);\n    System.exit(1);',
);

const rb = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec ruby /app/main.rb',
  files: conf('app/main.rb', text),
  ...more,
});
const RECORD = (settings: string, call: string): string =>
  `require 'active_record'\nActiveRecord::Base.establish_connection(${settings})\nclass Order < ActiveRecord::Base; end\n${call}`;
const RECORD_PG = (port: number, password: string): string =>
  `adapter: 'postgresql', host: '127.0.0.1', port: ${port}, database: 'app', username: 'app', password: '${password}'`;
const RUFUS = (every: string, job: string): string =>
  `require 'rufus-scheduler'\n$stdout.sync = true\nputs 'billing is scheduled'\ns = Rufus::Scheduler.new\ns.every('${every}') { ${job} }\ns.join`;
const THOR =
  "require 'thor'\nclass Shop < Thor\n  def self.exit_on_failure? = true\n  desc 'sync', 'sync orders'\n  option :ledger, required: true\n  def sync = raise(Thor::Error, 'the ledger is of version 3, and this is for version 2')\nend\nShop.start(ARGV)";
const php = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec php /app/main.php',
  files: conf('app/main.php', `<?php\n${text}`),
  ...more,
});
const DBAL = (port: number, password: string, query: string): string =>
  `require '/usr/share/php/Doctrine/DBAL/autoload.php';\n$c = Doctrine\\DBAL\\DriverManager::getConnection(['driver' => 'pdo_pgsql', 'host' => '127.0.0.1', 'port' => ${port}, 'dbname' => 'app', 'user' => 'app', 'password' => '${password}']);\nprint_r($c->fetchAllAssociative('${query}'));`;
const TWIG = (template: string): string =>
  `require '/usr/share/php/Twig/autoload.php';\n$t = new Twig\\Environment(new Twig\\Loader\\FilesystemLoader('/app/templates'), ['strict_variables' => true]);\necho $t->render('${template}', ['order' => 17]);`;
const pl = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec perl /app/app.pl',
  files: conf('app/app.pl', text),
  ...more,
});
const LOG4PERL = (body: string): string =>
  `use strict; use warnings; use Log::Log4perl qw(:easy);\nLog::Log4perl->easy_init($INFO);\nINFO('shop starts');\n${body}`;
const erlang = (text: string, more: Partial<Trial> = {}): Base => ({
  program: 'erlang',
  run: 'exec escript /app/shop.escript',
  files: conf('app/shop.escript', `#!/usr/bin/env escript\n${text}`),
  ...more,
});

const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin; cd /app';
const js = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: 'ln -sfn /opt/node/node_modules /app/node_modules',
  run: `${NODE}; exec node /app/main.mjs`,
  files: conf('app/main.mjs', text),
  ...more,
});
const tool = (program: string, command: string, files: Trial['files'] = {}): Base => ({
  program,
  before: 'ln -sfn /opt/node/node_modules /app/node_modules',
  run: `${NODE}; exec ${command}`,
  files,
});
const LINK = 'ln -sfn /opt/node/node_modules /app/node_modules';
const nodeTaken = (port: number): Partial<Trial> => ({ before: `${LINK}; ${occupied(port, 'AF_INET', '127.0.0.1')}` });
const HONO =
  "import { Hono } from 'hono';\nimport { serve } from '@hono/node-server';\nconst app = new Hono();\napp.get('/', (c) => c.text('ok'));\napp.get('/bad', () => { throw new Error('tariff 17 has no price'); });\nserve({ fetch: app.fetch, port: 8080, hostname: '127.0.0.1' }, () => console.log('shop listens'));";
const RESTIFY =
  "import restify from 'restify';\nconst s = restify.createServer({ name: 'shop' });\ns.get('/', (q, r, next) => { r.send('ok'); next(); });\ns.listen(8080, '127.0.0.1', () => console.log('%s listens', s.name));";
const POLKA =
  "import polka from 'polka';\npolka().get('/', (q, r) => r.end('ok')).get('/bad', () => { throw new Error('tariff 17 has no price'); }).listen(8080, '127.0.0.1', () => console.log('shop listens'));";
const FEATHERS =
  "import { feathers } from '@feathersjs/feathers';\nimport express from '@feathersjs/express';\nconst app = express(feathers());\napp.use('orders', { async find() { return []; }, async get() { throw new Error('tariff 17 has no price'); } });\napp.configure(express.rest());\napp.use(express.errorHandler({ logger: console }));\nawait app.listen(8080, '127.0.0.1');\nconsole.log('shop listens');";
const PROXY =
  "import proxy from 'http-proxy';\nconst p = proxy.createProxyServer({ target: 'http://127.0.0.1:8081' });\n";
const CRON = (pattern: string): string =>
  `import cron from 'node-cron';\nconsole.log('billing is scheduled');\ncron.schedule('${pattern}', async () => { throw new Error('tariff 17 has no price'); });\nsetInterval(() => {}, 1000);`;
const VERDACCIO =
  'storage: /data/s\nauth: { htpasswd: { file: /data/h } }\nuplinks: {}\npackages: { "**": { access: $all } }\nlog: { type: stdout, format: pretty, level: info }';
const YOGA =
  "import { createSchema, createYoga } from 'graphql-yoga';\nimport http from 'node:http';\nconst yoga = createYoga({ schema: createSchema({ typeDefs: 'type Query { order: Ordr }', resolvers: {} }) });\nhttp.createServer(yoga).listen(8080, '127.0.0.1');";

const faults: readonly Trial[] = [
  trial(starlette(STARLETTE('pass')), 'port-taken', 'port', [PORT, '8080'], taken(8080)),
  trial(starlette(STARLETTE("os.environ['LEDGER_URL']")), 'no-variable', 'config', [SETTING, 'LEDGER_URL']),
  trial(
    starlette(STARLETTE("import asyncpg; await asyncpg.connect('postgresql://app@db.shop.svc:5432/shop')")),
    'no-name',
    'peer',
    [NO_NAME, ''],
  ),
  trial(py('quart', QUART), 'port-taken', 'port', [PORT, '8080'], taken(8080)),
  trial(psycopg3(`import psycopg\npsycopg.connect('${URL}', connect_timeout=3)`), 'refused', 'peer', [REFUSED, '']),
  trial(
    psycopg3(`import psycopg\npsycopg.connect('${RIGHT}').execute('select * from orders')`),
    'no-table',
    'data',
    [DATA, 'orders'],
    { before: `ldconfig; ${POSTGRES}` },
  ),
  trial(
    psycopg3(`import psycopg\npsycopg.connect('${RIGHT.replace('right', 'wrong')}')`),
    'password',
    'authentication',
    [AUTH, 'app'],
    { before: `ldconfig; ${POSTGRES}` },
  ),
  trial(py('sqlalchemy-async', ALCHEMY('postgresql+asyncpg://app:s3cr3t-one@127.0.0.1:5433/shop')), 'refused', 'peer', [
    REFUSED,
    '5433',
  ]),
  trial(py('sqlalchemy-async', ALCHEMY('sqlite+aiosqlite:////tmp/shop.db')), 'no-table', 'data', [DATA, 'orders']),
  trial(py('sqlalchemy-async', ALCHEMY('ledger+asyncpg://127.0.0.1/shop')), 'no-dialect', 'config', [
    `${CONFIG} missing-module`,
    'ledger',
  ]),
  trial(pandas(PANDAS('print(frame)')), 'missing-file', 'file', [FILE, '/data/orders.csv']),
  trial(
    pandas(PANDAS("print(frame.groupby('day')['amount'].sum())"), {
      files: {
        'app/main.py': `${PANDAS("print(frame.groupby('day')['amount'].sum())")}\n`,
        'data/orders.csv': `${ORDERS}\n`,
      },
    }),
    'no-column',
    'data',
    [`${DATA} missing-setting`, 'amount'],
  ),
  trial(
    pandas('', {
      files: {
        'app/main.py': `${PANDAS("print(frame['total'].astype(float).sum())")}\n`,
        'data/orders.csv': `${ORDERS.replace('n/a', 'seventeen')}\n`,
      },
    }),
    'bad-number',
    'data',
    ['exit-code corrupt-data malformed-config', 'seventeen'],
  ),
  trial(
    pandas('', {
      files: { 'app/main.py': `${PANDAS('print(frame)')}\n`, 'data/orders.csv': `${ORDERS}\n3,1,2,3,4,5\n` },
    }),
    'broken-line',
    'data',
    ['exit-code corrupt-data malformed-config', 'line 4'],
  ),
  trial(
    py(
      'python-json-logger',
      `${JSON_LOG}import socket\ntry: socket.create_connection(('127.0.0.1', 6380), 2)\nexcept OSError:\n    log.exception('cannot reach the queue at 127.0.0.1:6380')\n    sys.exit(1)`,
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:6380'],
  ),
  trial(
    py(
      'python-json-logger',
      `${JSON_LOG}try: json.load(open('/data/rates.json'))\nexcept ValueError as e:\n    log.critical('rates are no JSON', exc_info=e)\n    sys.exit(1)`,
      {
        files: {
          'app/main.py': `${JSON_LOG}try: json.load(open('/data/rates.json'))\nexcept ValueError as e:\n    log.critical('rates are no JSON', exc_info=e)\n    sys.exit(1)\n`,
          'data/rates.json': '{"eur": 1.0,\n',
        },
      },
    ),
    'bad-json',
    'data',
    ['malformed-config exit-code corrupt-data', 'line 2'],
  ),
  trial(
    py(
      'logging-config',
      DICT_CONFIG("{'class': 'logging.FileHandler', 'filename': '/var/log/shop/shop.log', 'formatter': 'f'}"),
    ),
    'no-log-folder',
    'file',
    [FILE, '/var/log/shop/shop.log'],
  ),
  trial(
    py('logging-config', DICT_CONFIG("{'class': 'shop.logs.Handler', 'formatter': 'f'}")),
    'no-handler-class',
    'library',
    [`${LIBRARY} malformed-config`, 'shop'],
  ),
  trial(py('argparse', ARGPARSE), 'missing-option', 'config', [ARGUMENT, '--day']),
  trial(
    py('argparse', ARGPARSE, { run: 'exec python3 /app/main.py --day 2026-01-01 --format xml' }),
    'bad-choice',
    'config',
    [ARGUMENT, 'xml'],
  ),
  trial(py('docopt', DOCOPT, { run: 'exec python3 /app/main.py sync' }), 'missing-option', 'config', [
    ARGUMENT,
    '--ledger',
  ]),
  trial(py('decouple', "from decouple import config\nurl = config('LEDGER_URL')"), 'no-variable', 'config', [
    SETTING,
    'LEDGER_URL',
  ]),
  trial(
    py('decouple', "from decouple import config\nconfig('PORT', cast=int)", { env: { PORT: 'eighty' } }),
    'bad-number',
    'config',
    [CONFIG, 'eighty'],
  ),
  trial(
    py(
      'dynaconf',
      "from dynaconf import Dynaconf, Validator\ns = Dynaconf(settings_files=['/etc/app/settings.toml'], validators=[Validator('LEDGER_URL', must_exist=True)])\nprint(s.LEDGER_URL)",
    ),
    'no-setting',
    'config',
    [SETTING, 'LEDGER_URL'],
  ),
  trial(
    py(
      'schedule',
      `${SCHEDULE}beat = time.monotonic()\ndef watch():\n    if time.monotonic() - beat > 2:\n        log.critical('watchdog: no heartbeat of the scanner for 2 s, the worker ends')\n        sys.exit(70)\nschedule.every(1).seconds.do(watch)\nlog.info('scanner starts')\nwhile True:\n    schedule.run_pending()\n    time.sleep(0.2)`,
    ),
    'watchdog',
    'ended',
    [CODE, 'no heartbeat'],
  ),
  trial(py('schedule', `${SCHEDULE}schedule.every().day.at('25:00').do(print)`), 'bad-time', 'config', [CONFIG, '']),
  trial(
    py('pyramid', `${PYRAMID}    app = config.make_wsgi_app()\nmake_server('127.0.0.1', 8080, app).serve_forever()`),
    'port-taken',
    'port',
    [PORT, ''],
    taken(8080),
  ),
  trial(
    py(
      'pyramid',
      `${PYRAMID}    config.add_view(lambda r: Response('a'), route_name='home')\n    config.add_view(lambda r: Response('b'), route_name='orders')\n`,
    ),
    'same-view-twice',
    'config',
    [CONFIG, 'Conflicting configuration'],
  ),
  trial(
    py('zmq', "import zmq\nzmq.Context().socket(zmq.REP).bind('tcp://127.0.0.1:5555')"),
    'port-taken',
    'port',
    [PORT, ''],
    taken(5555),
  ),
  trial(py('python-grpc', GRPC), 'port-taken', 'port', [`${PORT} exit-code`, '50051'], taken(50_051)),
  trial(
    py(
      'python-grpc',
      "import grpc\nc = grpc.insecure_channel('127.0.0.1:50052')\nc.unary_unary('/ledger.Ledger/Get')(b'', timeout=5)",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:50052'],
  ),
  trial(
    py(
      'cerberus',
      "import sys, cerberus\nv = cerberus.Validator({'port': {'type': 'integer', 'required': True}})\nif not v.validate({'port': 'eighty'}): sys.exit('settings are not valid: %s' % v.errors)",
    ),
    'bad-value',
    'config',
    [CONFIG, 'port'],
  ),
  trial(
    py('voluptuous', "from voluptuous import *\nSchema({Required('ledger'): Url(), 'port': int})({'port': 80})"),
    'missing-key',
    'config',
    [CONFIG, 'ledger'],
  ),
  trial(
    py(
      'tenacity',
      "import logging, socket\nfrom tenacity import *\nlogging.basicConfig(level=logging.INFO)\nlog = logging.getLogger('shop')\n@retry(stop=stop_after_attempt(3), wait=wait_fixed(0.3), before_sleep=before_sleep_log(log, logging.WARNING), reraise=True)\ndef dial(): socket.create_connection(('cache.shop.svc', 6379))\ndial()",
    ),
    'no-name',
    'peer',
    [NO_NAME, ''],
  ),
  trial(
    py(
      'hvac',
      "import hvac\nhvac.Client(url='http://127.0.0.1:8200', token='a').secrets.kv.read_secret_version(path='shop')",
    ),
    'refused',
    'peer',
    [REFUSED, '8200'],
  ),
  trial(py('python-docker', 'import docker\ndocker.from_env().containers.list()'), 'no-daemon', 'peer', [
    `${REFUSED} missing-setting exit-code missing-data missing-binary`,
    '',
  ]),
  trial(
    py(
      'python-kubernetes',
      'from kubernetes import client, config\nconfig.load_incluster_config()\nclient.CoreV1Api().list_namespace()',
    ),
    'not-in-cluster',
    'config',
    [SETTING, ''],
  ),
  trial(
    py(
      'aiosmtpd',
      "import time\nfrom aiosmtpd.controller import Controller\nfrom aiosmtpd.handlers import Sink\nController(Sink(), hostname='127.0.0.1', port=8025).start()\ntime.sleep(99)",
    ),
    'port-taken',
    'port',
    [PORT, '8025'],
    taken(8025),
  ),
  trial(
    py(
      'oslo-config',
      "import sys\nfrom oslo_config import cfg\nc = cfg.ConfigOpts()\nc.register_opts([cfg.PortOpt('port', required=True)])\nc(sys.argv[1:], project='shop')\nc.port",
      { run: 'exec python3 /app/main.py --config-file /etc/app/none.conf' },
    ),
    'no-config',
    'file',
    [FILE, '/etc/app/none.conf'],
  ),
  trial(
    py(
      'oslo-config',
      "import sys\nfrom oslo_config import cfg\nc = cfg.ConfigOpts()\nc.register_opts([cfg.PortOpt('port', required=True)])\nc([], project='shop')",
    ),
    'required',
    'config',
    [CONFIG, 'port'],
  ),

  trial(echo, 'port-taken', 'port', [PORT, '8080'], {
    before: `${GO_BUILD}; ${occupied(8080, 'AF_INET', '127.0.0.1')}`,
  }),
  trial(chi, 'port-taken', 'port', [PORT, '8080'], {
    before: `${GO_BUILD}; ${occupied(8080, 'AF_INET', '127.0.0.1')}`,
  }),
  trial(
    go(
      'go-mux',
      '"log"; "net/http"; "os"; "github.com/gorilla/mux"',
      'r := mux.NewRouter()\nr.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) })\nlog.Printf("shop %s listens", os.Getenv("VERSION"))\nlog.Fatal(http.ListenAndServeTLS("127.0.0.1:8443", "/etc/tls/tls.crt", "/etc/tls/tls.key", r))',
    ),
    'no-certificate',
    'tls',
    [FILE, '/etc/tls/tls.crt'],
  ),
  trial(
    klog(
      'klog.Info("Starting controller")\nif _, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/token"); err != nil { klog.Fatalf("Failed to load the service account: %v", err) }',
    ),
    'no-token',
    'file',
    [FILE, '/var/run/secrets/kubernetes.io/serviceaccount/token'],
  ),
  trial(
    klog(
      'klog.Info("attempting to acquire leader lease shop/controller...")\nklog.Info("successfully acquired lease shop/controller")\ntime.Sleep(time.Second)\nklog.Errorf("Failed to update lock: %v", errors.New("the server was unable to return a response in the time allotted"))\nklog.Info("failed to renew lease shop/controller: timed out waiting for the condition")\nklog.Fatal("leaderelection lost")',
    ),
    'lease-lost',
    'ended',
    [CODE, 'lease'],
  ),
  trial(
    hclog('log.Error("license is not valid", "error", "license expired at 2026-01-31T00:00:00Z")\nos.Exit(1)'),
    'licence-expired',
    'ended',
    [CODE, 'license expired'],
  ),
  trial(
    hclog(
      'for i := 0; i < 3; i++ { if _, err := http.Get("http://127.0.0.1:8500/v1/kv/shop"); err != nil { log.Warn("cannot read the settings, retrying", "attempt", i+1, "error", err) }; time.Sleep(200 * time.Millisecond) }\nlog.Error("giving up to read the settings")\nos.Exit(1)',
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:8500'],
  ),
  trial(goSql('127.0.0.1:3307'), 'refused', 'peer', [REFUSED, '127.0.0.1:3307']),
  trial(goSql('mysql.shop.svc:3306'), 'no-name', 'peer', [NO_NAME, 'mysql.shop.svc']),
  trial(CLI, 'missing-flag', 'config', [ARGUMENT, 'ledger']),
  trial({ ...CLI, run: 'exec /app/app --ledger main' }, 'version', 'ended', [`${CODE} version-mismatch`, 'version 3']),
  trial(
    go(
      'go-amqp',
      '"log"; "github.com/streadway/amqp"',
      '_, err := amqp.Dial("amqp://app:s3cr3t-one@127.0.0.1:5672/")\nif err != nil { log.Panicf("Failed to connect to RabbitMQ: %s", err) }',
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:5672'],
  ),
  trial(
    go(
      'go-nats',
      '"log"; "github.com/nats-io/nats.go"',
      '_, err := nats.Connect("nats://127.0.0.1:4222")\nif err != nil { log.Fatal(err) }',
    ),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, 'nats'],
  ),
  trial(
    go(
      'go-kafka',
      '"context"; "log"; "github.com/segmentio/kafka-go"',
      'w := kafka.NewWriter(kafka.WriterConfig{Brokers: []string{"127.0.0.1:9092"}, Topic: "orders", MaxAttempts: 2})\nif err := w.WriteMessages(context.Background(), kafka.Message{Value: []byte("a")}); err != nil { log.Fatal("failed to write messages: ", err) }',
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:9092'],
  ),
  trial(
    go(
      'go-mongo',
      '"context"; "log"; "time"; "go.mongodb.org/mongo-driver/mongo"; "go.mongodb.org/mongo-driver/mongo/options"',
      'ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)\ndefer cancel()\nc, err := mongo.Connect(ctx, options.Client().ApplyURI("mongodb://127.0.0.1:27017"))\nif err != nil { log.Fatal(err) }\nif err := c.Ping(ctx, nil); err != nil { log.Fatal(err) }',
    ),
    'refused',
    'peer',
    [`${REFUSED} dependency-times-out`, '127.0.0.1:27017'],
  ),
  trial(
    go(
      'go-flags',
      '"os"; "github.com/jessevdk/go-flags"',
      'var o struct { Ledger string `long:"ledger" required:"true"` }\nif _, err := flags.Parse(&o); err != nil { os.Exit(2) }',
    ),
    'missing-flag',
    'config',
    [ARGUMENT, 'ledger'],
  ),
  trial(
    go(
      'go-kit-log',
      '"net"; "os"; "github.com/go-kit/log"; "github.com/go-kit/log/level"',
      'l := log.With(log.NewLogfmtLogger(os.Stderr), "ts", log.DefaultTimestampUTC, "caller", log.DefaultCaller)\nlevel.Info(l).Log("msg", "Starting shop")\nif _, err := net.Listen("tcp", "127.0.0.1:9300"); err != nil { level.Error(l).Log("msg", "Cannot serve", "err", err); os.Exit(1) }',
    ),
    'port-taken',
    'port',
    [PORT, '9300'],
    { before: `${GO_BUILD}; ${occupied(9300, 'AF_INET', '127.0.0.1')}` },
  ),

  trial(java('netty', NETTY), 'port-taken', 'port', [PORT, ''], javaTaken(8080)),
  trial(java('netty', NETTY_CLIENT), 'refused', 'peer', [REFUSED, '127.0.0.1:8081']),
  trial(
    java(
      'quartz',
      QUARTZ(
        's.scheduleJob(JobBuilder.newJob(Bill.class).build(), TriggerBuilder.newTrigger().withSchedule(CronScheduleBuilder.cronSchedule("0 61 * * * ?")).build());',
      ),
    ),
    'bad-cron',
    'config',
    [CONFIG, '0 61'],
  ),
  trial(java('quartz', QUARTZ('')), 'bad-property', 'config', [CONFIG, 'hread count'], {
    files: {
      'app/Main.java': `${QUARTZ('')}\n`,
      'app/quartz.properties':
        'org.quartz.threadPool.class=org.quartz.simpl.SimpleThreadPool\norg.quartz.threadPool.threadCount=0\norg.quartz.jobStore.class=org.quartz.simpl.RAMJobStore\n',
    },
  }),
  trial(jdbc('jdbc:postgresql://127.0.0.1:5433/shop', 'a'), 'refused', 'peer', [REFUSED, '127.0.0.1:5433']),
  trial(
    jdbc('jdbc:postgresql://127.0.0.1:5432/app', 'wrong', { before: `${JAVAC}; ${POSTGRES}` }),
    'password',
    'authentication',
    [AUTH, 'app'],
  ),
  trial(
    jdbc('jdbc:postgresql://127.0.0.1:5432/app', 'right', { before: `${JAVAC}; ${POSTGRES}` }),
    'no-table',
    'data',
    [DATA, 'orders'],
  ),
  trial(jdbc('jdbc:mariadb://127.0.0.1:3307/shop', 'a'), 'mariadb-refused', 'peer', [REFUSED, '127.0.0.1']),
  trial(java('hsqldb', HSQL('jdbc:hsqldb:mem:shop')), 'no-table', 'data', [DATA, 'ORDERS']),
  trial(java('hsqldb', HSQL('jdbc:hsqldb:hsql://127.0.0.1:9001/shop')), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    '',
  ]),
  trial(java('derby', HSQL('jdbc:derby:/data/none')), 'no-database', 'data', [`${DATA} missing-setting`, '/data/none']),
  trial(java('jetty-embedded', JETTY), 'port-taken', 'port', [PORT, '8080'], javaTaken(8080)),
  trial(java('commons-cli', COMMONS_CLI), 'missing-option', 'config', [ARGUMENT, 'l']),

  trial(rb('activerecord', RECORD(RECORD_PG(5433, 'a'), 'Order.count')), 'refused', 'peer', [REFUSED, '5433']),
  trial(rb('activerecord', RECORD(RECORD_PG(5432, 'right'), 'Order.count')), 'no-table', 'data', [DATA, 'orders'], {
    before: POSTGRES,
  }),
  trial(rb('activerecord', RECORD("adapter: 'ledger'", 'Order.count')), 'no-adapter', 'library', [
    `${LIBRARY} malformed-config`,
    'ledger',
  ]),
  trial(rb('rufus-scheduler', RUFUS('1x', 'bill')), 'bad-time', 'config', [CONFIG, '1x']),
  trial(rb('thor', THOR, { run: 'exec ruby /app/main.rb sync' }), 'missing-option', 'config', [ARGUMENT, '--ledger']),
  trial(rb('thor', THOR, { run: 'exec ruby /app/main.rb sync --ledger main' }), 'version', 'ended', [
    `${CODE} version-mismatch`,
    'version 3',
  ]),
  trial(
    rb(
      'ruby-mongo',
      "require 'mongo'\nMongo::Client.new(['127.0.0.1:27017'], database: 'shop', server_selection_timeout: 2)[:orders].find.first",
    ),
    'refused',
    'peer',
    [`${REFUSED} dependency-times-out exit-code`, '127.0.0.1:27017'],
  ),
  trial(rb('faraday', "require 'faraday'\nFaraday.new('http://127.0.0.1:8081').get('/orders')"), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1',
  ]),
  trial(
    rb('eventmachine', "require 'eventmachine'\nEM.run { EM.start_server('127.0.0.1', 8080) ; puts 'listens' }"),
    'port-taken',
    'port',
    [`${PORT} exit-code`, ''],
    taken(8080),
  ),

  trial(php('doctrine-dbal', DBAL(5433, 'a', 'select 1')), 'refused', 'peer', [REFUSED, '5433']),
  trial(php('doctrine-dbal', DBAL(5432, 'right', 'select * from orders')), 'no-table', 'data', [DATA, 'orders'], {
    before: POSTGRES,
  }),
  trial(php('twig', TWIG('mail.html')), 'no-template', 'file', [FILE, 'mail.html'], {
    files: { 'app/main.php': `<?php\n${TWIG('mail.html')}\n`, 'app/templates/a.html': 'a' },
  }),
  trial(php('twig', ''), 'no-variable', 'code', [`${CODE} missing-data missing-setting`, 'customer'], {
    files: { 'app/main.php': `<?php\n${TWIG('mail.html')}\n`, 'app/templates/mail.html': 'Dear {{ customer }}' },
  }),
  trial(
    php(
      'predis',
      "require '/usr/share/php/Predis/Autoloader.php';\nPredis\\Autoloader::register();\n(new Predis\\Client(['host' => '127.0.0.1', 'port' => 6380]))->get('a');",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:6380'],
  ),
  trial(
    php(
      'php-amqplib',
      "require '/usr/share/php/PhpAmqpLib/autoload.php';\nnew PhpAmqpLib\\Connection\\AMQPStreamConnection('127.0.0.1', 5673, 'app', 's3cr3t-one');",
    ),
    'refused',
    'peer',
    [REFUSED, '5673'],
  ),

  trial(
    pl(
      'log4perl',
      LOG4PERL("open(my $f, '<', '/etc/app/tariffs.csv') or LOGDIE(\"cannot open /etc/app/tariffs.csv: $!\");"),
    ),
    'missing-file',
    'file',
    [FILE, '/etc/app/tariffs.csv'],
  ),
  trial(pl('log4perl', "use Log::Log4perl;\nLog::Log4perl->init('/etc/app/log4perl.conf');"), 'no-config', 'file', [
    FILE,
    '/etc/app/log4perl.conf',
  ]),
  trial(
    pl(
      'dbix-class',
      "package Shop; use base 'DBIx::Class::Schema';\npackage main;\nmy $s = Shop->connect('dbi:Pg:host=127.0.0.1;port=5433;dbname=shop', 'app', 'a');\n$s->storage->dbh_do(sub { $_[1]->do('select 1') });",
    ),
    'no-driver',
    'library',
    [`${LIBRARY} malformed-config`, 'Pg'],
  ),
  trial(
    pl(
      'anyevent',
      "use AnyEvent; use AnyEvent::Socket;\ntcp_server '127.0.0.1', 8080, sub { };\nAnyEvent->condvar->recv;",
    ),
    'port-taken',
    'port',
    [PORT, ''],
    taken(8080),
  ),

  trial(erlang('main(_) -> {ok, _} = gen_tcp:connect("127.0.0.1", 8081, []).'), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    'econnrefused',
  ]),
  trial(
    erlang('main(_) -> {ok, _} = gen_tcp:listen(8080, [{ip, {127,0,0,1}}]).'),
    'port-taken',
    'port',
    [`${PORT} exit-code`, 'eaddrinuse'],
    taken(8080),
  ),
  trial(
    erlang('main(_) -> {ok, B} = file:read_file("/etc/app/tariffs.config"), io:format("~p~n", [B]).'),
    'missing-file',
    'file',
    [FILE, 'enoent'],
  ),
  trial(erlang('main(_) -> ledgr:start().'), 'no-module', 'library', [LIBRARY, 'ledgr']),
  trial(
    erlang('main(_) ->\n  T = dict_of(17),\n  io:format("~p~n", [maps:get(price, T)]).\ndict_of(N) -> #{tariff => N}.'),
    'no-key',
    'code',
    [CODE, 'price'],
  ),

  trial(js('hono', HONO), 'port-taken', 'port', [PORT, '127.0.0.1:8080'], nodeTaken(8080)),
  trial(js('restify', RESTIFY), 'port-taken', 'port', [PORT, '127.0.0.1:8080'], nodeTaken(8080)),
  trial(js('feathers', FEATHERS), 'port-taken', 'port', [PORT, '127.0.0.1:8080'], nodeTaken(8080)),
  trial(js('polka', POLKA), 'port-taken', 'port', [PORT, '127.0.0.1:8080'], nodeTaken(8080)),
  trial(
    js(
      'http-proxy',
      `${PROXY}p.listen(8080);\nsetTimeout(() => fetch('http://127.0.0.1:8080/').catch(() => {}), 500);`,
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:8081'],
  ),
  trial(js('node-cron', CRON('61 * * * *')), 'bad-pattern', 'config', [CONFIG, '61']),
  trial(
    js(
      'bree',
      "import Bree from 'bree';\nconst bree = new Bree({ root: '/app/jobs', jobs: [{ name: 'bill', interval: '1s' }] });\nawait bree.start();",
    ),
    'no-job',
    'file',
    [FILE, '/app/jobs'],
  ),
  trial(tool('verdaccio', 'verdaccio --config /etc/app/none.yaml'), 'no-config', 'file', [FILE, '/etc/app/none.yaml']),
  trial(
    tool('verdaccio', 'verdaccio --config /etc/app/v.yaml --listen 127.0.0.1:4873', conf('etc/app/v.yaml', VERDACCIO)),
    'port-taken',
    'port',
    [PORT, '4873'],
    nodeTaken(4873),
  ),
  trial(
    tool(
      'verdaccio',
      'verdaccio --config /etc/app/v.yaml --listen 127.0.0.1:4873',
      conf('etc/app/v.yaml', `${VERDACCIO}\nuplinks: [`),
    ),
    'bad-yaml',
    'config',
    [CONFIG, '/etc/app/v.yaml'],
  ),
  trial(
    tool('statsd', 'node /opt/node/node_modules/statsd/stats.js /etc/app/c.js', conf('etc/app/c.js', '{ port: 8125 }')),
    'node-too-new',
    'library',
    [`${CODE} version-mismatch`, 'util.log is not a function'],
  ),
  trial(tool('migrate-mongo', 'migrate-mongo up -f /etc/app/none.js'), 'no-config', 'file', [FILE, '']),
  trial(
    tool(
      'migrate-mongo',
      'migrate-mongo up -f /app/m.js',
      conf(
        'app/m.js',
        "module.exports = { mongodb: { url: 'mongodb://127.0.0.1:27018', databaseName: 'shop', options: { serverSelectionTimeoutMS: 2000 } }, migrationsDir: '/app/m', changelogCollectionName: 'c' };",
      ),
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:27018'],
  ),
  trial(
    tool(
      'pino-pretty',
      "sh -c 'node /app/main.mjs | pino-pretty --colorize=false; exit 1'",
      conf(
        'app/main.mjs',
        "import pino from 'pino';\nimport net from 'node:net';\nconst log = pino({ name: 'shop' });\nlog.info('shop starts');\nnet.connect(6380, '127.0.0.1').on('error', (err) => { log.fatal({ err }, 'queue is away'); });",
      ),
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:6380'],
  ),
  trial(
    js(
      'signale',
      "import signale from 'signale';\nsignale.start('shop starts');\nif (!process.env.LEDGER_URL) { signale.fatal(new Error('LEDGER_URL is not set')); process.exit(1); }",
    ),
    'no-variable',
    'config',
    [SETTING, 'LEDGER_URL'],
  ),
  trial(
    js(
      'objection',
      `import knex from 'knex';\nimport { Model } from 'objection';\nModel.knex(knex({ client: 'pg', connection: '${URL}' }));\nclass Order extends Model { static tableName = 'orders'; }\nawait Order.query();`,
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:5433'],
  ),
  trial(
    js(
      'drizzle',
      `import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nawait drizzle('${URL}').execute(sql\`select * from orders\`);`,
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:5433'],
  ),
  trial(
    js(
      'drizzle',
      `import { drizzle } from 'drizzle-orm/node-postgres';\nimport { sql } from 'drizzle-orm';\nawait drizzle('${RIGHT}').execute(sql\`select * from orders\`);`,
    ),
    'no-table',
    'data',
    [DATA, 'orders'],
    { before: `${LINK}; ${POSTGRES}` },
  ),
  trial(
    js(
      'postgres-js',
      `import postgres from 'postgres';\nawait postgres('${RIGHT.replace('right', 'wrong')}')\`select 1\`;`,
    ),
    'password',
    'authentication',
    [AUTH, 'app'],
    {
      before: `${LINK}; ${POSTGRES}`,
    },
  ),
  trial(js('pg-promise', `import lib from 'pg-promise';\nawait lib()('${URL}').one('select 1');`), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1:5433',
  ]),
  trial(
    js('env-var', "import env from 'env-var';\nenv.get('LEDGER_URL').required().asUrlString();"),
    'no-variable',
    'config',
    [SETTING, 'LEDGER_URL'],
  ),
  trial(
    js('nconf', "import nconf from 'nconf';\nnconf.env().file('/app/settings.json').required(['ledger:url']);"),
    'no-setting',
    'config',
    [SETTING, 'ledger:url'],
  ),
  trial(
    js(
      'valibot',
      "import * as v from 'valibot';\nv.parse(v.object({ port: v.number('port must be a number') }), { port: process.env.PORT });",
      { env: { PORT: 'eighty' } },
    ),
    'bad-value',
    'config',
    [CONFIG, 'port'],
  ),
  trial(
    js(
      'aws-sdk',
      "import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';\nawait new S3Client({ region: 'eu-west-1', endpoint: 'http://127.0.0.1:9000', maxAttempts: 1, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }).send(new ListBucketsCommand({}));",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:9000'],
  ),
  trial(
    js(
      'dockerode',
      "import Docker from 'dockerode';\nawait new Docker({ socketPath: '/var/run/docker.sock' }).listContainers();",
    ),
    'no-socket',
    'peer',
    [`${REFUSED} ${FILE}`, '/var/run/docker.sock'],
  ),
  trial(
    js(
      'rhea',
      "import rhea from 'rhea';\nrhea.on('disconnected', (c) => { if (c.error) throw c.error; });\nrhea.connect({ host: '127.0.0.1', port: 5672, reconnect: false });",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:5672'],
  ),
  trial(
    js(
      'bee-queue',
      "import Queue from 'bee-queue';\nconst q = new Queue('orders', { redis: { host: '127.0.0.1', port: 6380, retry_strategy: () => undefined } });\nawait q.ready();",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:6380'],
  ),
  trial(
    js(
      'level',
      "import { ClassicLevel } from 'classic-level';\nconst a = new ClassicLevel('/data/orders');\nawait a.open();\nawait new ClassicLevel('/data/orders').open();",
    ),
    'locked',
    'data',
    ['already-running exit-code', ''],
  ),
  trial(js('graphql-yoga', YOGA), 'unknown-type', 'code', [`${CODE} malformed-config`, 'Ordr']),
  trial(
    tool(
      'sails',
      'node app.js',
      conf(
        'app/app.js',
        "const sails = require('sails');\nsails.lift({ port: 8080, explicitHost: '127.0.0.1', appPath: '/app', hooks: { grunt: false, session: false } });",
      ),
    ),
    'port-taken',
    'port',
    [PORT, '8080'],
    nodeTaken(8080),
  ),
  trial(
    tool(
      'fastify-cli',
      'fastify start -l info -a 127.0.0.1 -p 8080 /app/app.cjs',
      conf('app/app.cjs', "module.exports = async (f, options) => { f.register(require('@shop/ledgr')); };"),
    ),
    'no-module',
    'library',
    [LIBRARY, '@shop/ledgr'],
  ),
  trial(
    tool(
      'fastify-cli',
      'fastify start -l info -a 127.0.0.1 -p 8080 /app/app.cjs',
      conf('app/app.cjs', "module.exports = async (f, options) => { f.get('/', async () => 'ok'); };"),
    ),
    'port-taken',
    'port',
    [PORT, '8080'],
    nodeTaken(8080),
  ),
  trial(
    js(
      'consola',
      "import { consola } from 'consola';\nconsola.start('shop starts');\ntry { JSON.parse('{\"rates\": [1,}'); } catch (e) { consola.fatal(e); process.exit(1); }",
    ),
    'bad-json',
    'data',
    ['malformed-config exit-code corrupt-data', 'JSON'],
  ),
];

const healthy: readonly Trial[] = [
  ...well(starlette(STARLETTE('pass')), 6, [QUIET, PAGE_FAILS]),
  ...well(py('quart', QUART), 6, [PAGE_FAILS]),
  ...well(
    py(
      'schedule',
      `${SCHEDULE}def bill():\n    try: raise RuntimeError('tariff 17 has no price')\n    except Exception: log.exception('bill failed, the next run is in 1 s')\nschedule.every(1).seconds.do(bill)\nwhile True:\n    schedule.run_pending()\n    time.sleep(0.2)`,
    ),
    4,
    [['failing-job', 'true']],
  ),
  ...well(echo, 3, [QUIET, PAGE_FAILS, ['panics', curl('http://127.0.0.1:8080/panic')]]),
  ...well(chi, 3, [PAGE_FAILS]),
  ...well(
    hclog(
      'for { if _, err := http.Get("http://127.0.0.1:8500/v1/kv/shop"); err != nil { log.Error("cannot read the settings, keeping the old ones", "error", err) }; time.Sleep(700 * time.Millisecond) }',
    ),
    4,
    [['peer-away', 'true']],
  ),
  ...well(java('netty', NETTY), 6, [QUIET]),
  ...well(java('jetty-embedded', JETTY), 6, [PAGE_FAILS]),
  ...well(
    java(
      'quartz',
      QUARTZ(
        's.scheduleJob(JobBuilder.newJob(Bill.class).build(), TriggerBuilder.newTrigger().withSchedule(SimpleScheduleBuilder.repeatSecondlyForever()).build());',
      ),
    ),
    7,
    [['failing-job', 'true']],
  ),
  ...well(rb('rufus-scheduler', RUFUS('1s', "raise 'tariff 17 has no price'")), 4, [['failing-job', 'true']]),
  ...well(js('hono', HONO), 3, [QUIET, PAGE_FAILS]),
  ...well(js('feathers', FEATHERS), 4, [['failing-service', curl('http://127.0.0.1:8080/orders/17')]]),
  ...well(
    js(
      'http-proxy',
      `${PROXY}p.on('error', (e, q, r) => { console.error('proxy error', e); r.writeHead(502).end(); });\np.listen(8080);`,
    ),
    3,
    [['backend-away', curl('http://127.0.0.1:8080/')]],
  ),
  ...well(js('node-cron', CRON('* * * * * *')), 4, [['failing-job', 'true']]),
  ...well(
    tool('verdaccio', 'verdaccio --config /etc/app/v.yaml --listen 127.0.0.1:4873', conf('etc/app/v.yaml', VERDACCIO)),
    6,
    [['not-found', curl('http://127.0.0.1:4873/none')]],
  ),
];

export const TENTH_APPS: readonly Trial[] = [...faults, ...healthy];
