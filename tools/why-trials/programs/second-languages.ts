/** Trials of the languages of the second batch that is held out: C++, Lua, Elixir, C# on Mono, Tcl, and frameworks of Python and Node. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';

type Fault = Pick<Trial, 'name' | 'family' | 'truth'> & Partial<Trial>;
const REFUSED: Fault = {
  name: 'refused',
  family: 'peer',
  truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6379'] },
};
const NO_NAME: Fault = {
  name: 'no-name',
  family: 'peer',
  truth: { ids: ['dependency-not-resolved'], must: ['ledger.shop.svc'] },
};
const NO_VARIABLE: Fault = {
  name: 'missing-variable',
  family: 'config',
  truth: { ids: ['missing-setting'], must: ['LEDGER_DSN'] },
};
const own = (name: string, family: string, must: readonly string[], ids: readonly string[] = ['exit-code']): Fault => ({
  name,
  family,
  truth: { ids, must },
});

const BUILD = 'g++ -O0 -o /app/main /app/main.cpp';
const cpp = { program: 'cpp', run: 'exec /app/main', before: BUILD };
const cc = (text: string, more = ''): Trial['files'] => ({
  'app/main.cpp': `#include <arpa/inet.h>\n#include <cassert>\n#include <cerrno>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <filesystem>\n#include <fstream>\n#include <iostream>\n#include <netdb.h>\n#include <stdexcept>\n#include <sys/socket.h>\n#include <system_error>\n#include <vector>\n${more}\nstatic sockaddr_in at(const char *host, int port) { sockaddr_in a{}; a.sin_family = AF_INET; a.sin_port = htons(port); inet_pton(AF_INET, host, &a.sin_addr); return a; }\nint main() {\n  std::cout << "ledger 2.1 starting" << std::endl;\n${text}\n}\n`,
});
const cppTrials: readonly Trial[] = [
  {
    ...cpp,
    ...REFUSED,
    files: cc(
      `auto a = at("127.0.0.1", 6379); int s = socket(AF_INET, SOCK_STREAM, 0);\nif (connect(s, (sockaddr *)&a, sizeof a) < 0) throw std::system_error(errno, std::generic_category(), "connect to 127.0.0.1:6379");`,
    ),
  },
  {
    ...cpp,
    ...NO_NAME,
    files: cc(
      `addrinfo *r; int e = getaddrinfo("ledger.shop.svc", "80", nullptr, &r);\nif (e) { std::cerr << "ledger.shop.svc: " << gai_strerror(e) << std::endl; return 1; }`,
    ),
  },
  {
    ...cpp,
    ...NO_VARIABLE,
    files: cc(`if (!getenv("LEDGER_DSN")) throw std::invalid_argument("LEDGER_DSN is not set");`),
  },
  {
    ...cpp,
    ...f.portTaken,
    before: `${BUILD}; ${f.portTaken.before}`,
    files: cc(
      `auto a = at("0.0.0.0", 8080); int s = socket(AF_INET, SOCK_STREAM, 0);\nif (bind(s, (sockaddr *)&a, sizeof a) < 0) { perror("bind 0.0.0.0:8080"); return 1; }`,
    ),
  },
  {
    ...cpp,
    ...f.fileDenied,
    before: `${BUILD}; ${f.fileDenied.before}`,
    files: cc(
      `if (!fopen("/data/state.db", "a")) { fprintf(stderr, "main: /data/state.db: %s\\n", strerror(errno)); return 3; }`,
    ),
  },
  {
    ...cpp,
    ...own('range', 'code', ['_M_range_check'], ['exit-code', 'signal']),
    files: cc(`std::vector<int> plans(3); std::cout << plans.at(9);`),
  },
  {
    ...cpp,
    ...own('assert', 'code', ['plan != nullptr'], ['exit-code', 'signal']),
    files: cc(`int *plan = nullptr; assert(plan != nullptr);`),
  },
  {
    ...cpp,
    ...own('no-file', 'file', ['/etc/app/ledger.toml'], ['missing-setting', 'exit-code']),
    files: cc(`std::cout << std::filesystem::file_size("/etc/app/ledger.toml");`),
  },
  {
    ...cpp,
    ...own('memory', 'limit', ['bad_alloc'], ['no-memory', 'exit-code', 'signal', 'heap-exhausted']),
    run: 'ulimit -v 200000; exec /app/main',
    files: cc(`std::vector<char> all(4000000000u); std::cout << all[7];`),
  },
  {
    ...cpp,
    ...own('library', 'library', ['libledger.so.1'], ['missing-module', 'missing-binary']),
    before:
      'echo "int plan() { return 1; }" > /tmp/l.cpp; g++ -shared -fPIC -Wl,-soname,libledger.so.1 -o /tmp/libledger.so /tmp/l.cpp; g++ -o /app/main /app/main.cpp -L/tmp -lledger; rm /tmp/libledger.so',
    files: cc(`return plan();`, 'int plan();'),
  },
  {
    ...cpp,
    ...own('nested', 'code', ['tariff 17 has no price']),
    files: cc(
      `try { throw std::runtime_error("tariff 17 has no price"); } catch (const std::exception &e) { std::cerr << "[ledger] FATAL: " << e.what() << std::endl; std::cerr << "[ledger] shutting down" << std::endl; return 2; }`,
    ),
  },
  {
    ...cpp,
    ...own('segfault', 'code', ['SIGSEGV'], ['signal', 'exit-code']),
    files: cc(`volatile int *plan = nullptr; *plan = 3;`),
  },
];

const lua = { program: 'lua', run: 'exec lua5.4 main.lua' };
const lu = (text: string): Trial['files'] => ({
  'app/main.lua': `io.stdout:setvbuf("no")\nprint("starting")\n${text}\n`,
});
const luaTrials: readonly Trial[] = [
  {
    ...lua,
    ...REFUSED,
    files: lu(
      `local socket = require("socket")\nlocal ok, err = socket.tcp():connect("127.0.0.1", 6379)\nif not ok then error("redis at 127.0.0.1:6379: " .. err) end`,
    ),
  },
  {
    ...lua,
    ...NO_NAME,
    files: lu(
      `local socket = require("socket")\nlocal ip, err = socket.dns.toip("ledger.shop.svc")\nassert(ip, "cannot resolve ledger.shop.svc: " .. tostring(err))`,
    ),
  },
  { ...lua, ...NO_VARIABLE, files: lu(`local dsn = os.getenv("LEDGER_DSN") or error("LEDGER_DSN is not set")`) },
  {
    ...lua,
    ...f.portTaken,
    files: lu(
      `local socket = require("socket")\nlocal s, err = socket.bind("0.0.0.0", 8080)\nif not s then io.stderr:write("cannot bind 0.0.0.0:8080: " .. err .. "\\n") os.exit(1) end`,
    ),
  },
  { ...lua, ...f.fileDenied, files: lu(`local f = assert(io.open("/data/state.db", "a"))`) },
  { ...lua, ...f.missingFile, files: lu(`local f = assert(io.open("/etc/app/settings.json"))`) },
  { ...lua, ...f.missingModule('resty.http'), files: lu(`local http = require("resty.http")`) },
  {
    ...lua,
    ...own('nil-field', 'code', ["attempt to index a nil value (field 'plan')"]),
    files: lu(`local t = {}\nprint(t.plan.price)`),
  },
  { ...lua, ...own('syntax', 'code', ["'end' expected"]), files: lu(`if true then\nprint(1)`) },
  {
    ...lua,
    ...f.malformedFile,
    files: {
      ...lu(`local json = require("cjson")\nlocal f = io.open("/etc/app/settings.json")\njson.decode(f:read("a"))`),
      'etc/app/settings.json': '{"port": 8080,\n}',
    },
    truth: { ids: ['malformed-config', 'exit-code'], must: ['Expected object key string'] },
  },
];

const elixir = { program: 'elixir', run: 'exec elixir main.exs', seconds: 40 };
const ex = (text: string): Trial['files'] => ({ 'app/main.exs': `IO.puts("starting")\n${text}\n` });
const elixirTrials: readonly Trial[] = [
  {
    ...elixir,
    ...REFUSED,
    truth: { ids: ['dependency-refused', 'exit-code'], must: ['econnrefused'] },
    files: ex(`{:ok, _s} = :gen_tcp.connect('127.0.0.1', 6379, [])`),
  },
  { ...elixir, ...NO_VARIABLE, files: ex(`System.fetch_env!("LEDGER_DSN")`) },
  { ...elixir, ...f.missingFile, files: ex(`File.read!("/etc/app/settings.json")`) },
  { ...elixir, ...f.fileDenied, files: ex(`File.write!("/data/state.db", "1")`) },
  {
    ...elixir,
    ...f.portTaken,
    truth: { ids: ['port-in-use', 'exit-code'], must: ['eaddrinuse'] },
    files: ex(`{:ok, _s} = :gen_tcp.listen(8080, [])`),
  },
  {
    ...elixir,
    ...own('no-function', 'code', ['Ledger.price/1']),
    files: ex(`defmodule Ledger do\n def plan, do: 1\nend\nIO.inspect(apply(Ledger, :price, [1]))`),
  },
  { ...elixir, ...own('raise', 'code', ['tariff 17 has no price']), files: ex(`raise "tariff 17 has no price"`) },
  { ...elixir, ...own('key', 'code', ['key :price not found']), files: ex(`Map.fetch!(%{plan: 1}, :price)`) },
  {
    ...elixir,
    ...own('server-init', 'code', ['tariff 17 has no price']),
    files: ex(
      `defmodule Ledger do\n use GenServer\n def init(_), do: raise("tariff 17 has no price")\nend\n{:ok, _} = Supervisor.start_link([%{id: Ledger, start: {GenServer, :start_link, [Ledger, nil]}}], strategy: :one_for_one)`,
    ),
  },
  {
    ...elixir,
    ...own('escript', 'code', ['no_tariff']),
    run: 'exec escript main.erl',
    files: { 'app/main.erl': '#!/usr/bin/env escript\nmain(_) -> io:format("starting~n"), error({no_tariff, 17}).\n' },
  },
];

const CS = 'mcs -out:/app/main.exe /app/main.cs';
const mono = { program: 'mono', run: 'exec mono /app/main.exe', before: CS, seconds: 40 };
const cs = (text: string): Trial['files'] => ({
  'app/main.cs': `using System;\nusing System.Collections.Generic;\nusing System.IO;\nusing System.Net.Sockets;\nusing System.Threading.Tasks;\nclass Program {\n  static void Main() {\n    Console.WriteLine("info: Ledger[0] starting");\n${text}\n  }\n}\n`,
});
const monoTrials: readonly Trial[] = [
  {
    ...mono,
    ...REFUSED,
    truth: { ids: ['dependency-refused'], must: [] },
    files: cs(`new TcpClient("127.0.0.1", 6379);`),
  },
  { ...mono, ...f.missingFile, files: cs(`File.ReadAllText("/etc/app/settings.json");`) },
  {
    ...mono,
    ...f.fileDenied,
    before: `${CS}; ${f.fileDenied.before}`,
    files: cs(`File.AppendAllText("/data/state.db", "1");`),
  },
  {
    ...mono,
    ...f.portTaken,
    before: `${CS}; ${f.portTaken.before}`,
    truth: { ids: ['port-in-use'], must: [] },
    files: cs(`new TcpListener(System.Net.IPAddress.Any, 8080).Start();`),
  },
  {
    ...mono,
    ...own('null', 'code', ['NullReferenceException']),
    files: cs(`string plan = null; Console.WriteLine(plan.Length);`),
  },
  {
    ...mono,
    ...own('inner', 'code', ['tariff 17 has no price']),
    files: cs(
      `try { throw new ArgumentException("tariff 17 has no price"); } catch (Exception e) { throw new InvalidOperationException("ledger cannot be opened", e); }`,
    ),
  },
  {
    ...mono,
    ...own('aggregate', 'code', ['tariff 17 has no price']),
    files: cs(`Task.Run(() => { throw new InvalidDataException("tariff 17 has no price"); }).Wait();`),
  },
  {
    ...mono,
    ...own('native', 'library', ['libledger'], ['missing-module', 'exit-code']),
    files: {
      'app/main.cs':
        'using System;\nusing System.Runtime.InteropServices;\nclass P { [DllImport("libledger")] static extern int plan(); static void Main() { Console.WriteLine(plan()); } }\n',
    },
  },
  {
    ...mono,
    ...NO_VARIABLE,
    files: cs(
      `var dsn = Environment.GetEnvironmentVariable("LEDGER_DSN"); if (dsn == null) { Console.Error.WriteLine("crit: Ledger[0] LEDGER_DSN is not set"); Environment.Exit(1); }`,
    ),
  },
];

const tcl = { program: 'tcl', run: 'exec tclsh main.tcl' };
const tk = (text: string): Trial['files'] => ({ 'app/main.tcl': `puts starting\n${text}\n` });
const tclTrials: readonly Trial[] = [
  { ...tcl, ...REFUSED, truth: { ids: ['dependency-refused'], must: [] }, files: tk('set s [socket 127.0.0.1 6379]') },
  { ...tcl, ...f.missingFile, files: tk('set f [open /etc/app/settings.json]') },
  { ...tcl, ...f.portTaken, truth: { ids: ['port-in-use'], must: [] }, files: tk('socket -server accept 8080') },
  { ...tcl, ...own('command', 'code', ['invalid command name "plan"']), files: tk('proc run {} { plan 3 }\nrun') },
  { ...tcl, ...NO_VARIABLE, files: tk('set dsn $env(LEDGER_DSN)') },
  { ...tcl, ...f.missingModule('ledger'), files: tk('package require ledger 2.0') },
];

const pyweb = { program: 'pyweb', seconds: 30 };
const py = (text: string): Trial['files'] => ({ 'app/main.py': `${text}\n` });
const UVICORN = 'exec python3 -m uvicorn main:app --host 0.0.0.0 --port 8080';
const APP = 'async def app(scope, receive, send):\n    pass';
const pywebTrials: readonly Trial[] = [
  { ...pyweb, ...f.portTaken, name: 'uvicorn-port', run: UVICORN, files: py(APP) },
  {
    ...pyweb,
    ...own('uvicorn-attribute', 'code', ['"ap"']),
    run: UVICORN.replace('main:app', 'main:ap'),
    files: py(APP),
  },
  { ...pyweb, ...f.missingModule('ledger'), name: 'uvicorn-module', run: UVICORN, files: py(`import ledger\n${APP}`) },
  {
    ...pyweb,
    ...REFUSED,
    name: 'fastapi-startup',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6379'] },
    run: UVICORN,
    files: py(
      `import redis\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.on_event('startup')\nasync def start():\n    redis.Redis(host='127.0.0.1').ping()`,
    ),
  },
  {
    ...pyweb,
    ...own('celery-app', 'code', ['shop'], ['missing-module', 'exit-code', 'bad-argument']),
    run: 'exec python3 -m celery -A shop worker',
    files: py(''),
  },
  {
    ...pyweb,
    ...own('celery-broker', 'peer', ['127.0.0.1:5672'], ['dependency-refused']),
    run: 'exec python3 -m celery -A main worker -P solo',
    files: py(
      `from celery import Celery\napp = Celery('main', broker='amqp://u:s3cr3t-wrong@127.0.0.1:5672//')\napp.conf.broker_connection_retry = False\napp.conf.broker_connection_retry_on_startup = False`,
    ),
  },
  {
    ...pyweb,
    ...own('pydantic', 'config', ['ledger_dsn'], ['missing-setting', 'malformed-config', 'exit-code']),
    run: 'exec python3 main.py',
    files: py(`from pydantic import BaseSettings\nclass Settings(BaseSettings):\n    ledger_dsn: str\nSettings()`),
  },
  {
    ...pyweb,
    ...own('structlog', 'peer', ['127.0.0.1', '6400'], ['dependency-refused']),
    run: 'exec python3 main.py',
    files: py(
      `import socket, sys, structlog\nstructlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt='iso'), structlog.processors.dict_tracebacks if hasattr(structlog.processors, 'dict_tracebacks') else structlog.processors.format_exc_info, structlog.processors.JSONRenderer()])\nlog = structlog.get_logger()\nlog.info('boot', version='2.1')\ntry:\n    socket.create_connection(('127.0.0.1', 6400))\nexcept OSError as e:\n    log.error('ledger unreachable', peer='127.0.0.1:6400', error=str(e))\n    log.info('exit', code=4)\n    sys.exit(4)`,
    ),
  },
  {
    ...pyweb,
    ...own('alembic', 'file', ['alembic.ini'], ['missing-setting', 'exit-code']),
    run: 'exec python3 -m alembic.config upgrade head',
    files: py(''),
  },
  {
    ...pyweb,
    ...own('aiohttp', 'peer', ['127.0.0.1:8081'], ['dependency-refused']),
    run: 'exec python3 main.py',
    files: py(
      `import asyncio, aiohttp\nasync def main():\n    async with aiohttp.ClientSession() as s:\n        await s.get('http://127.0.0.1:8081/health')\nasyncio.run(main())`,
    ),
  },
  {
    ...pyweb,
    ...own('asyncpg-no-name', 'peer', ['name resolution'], ['dependency-not-resolved']),
    run: 'exec python3 main.py',
    files: py(`import asyncio, asyncpg\nasyncio.run(asyncpg.connect('postgres://u:s3cr3t-wrong@ledger.shop.svc/x'))`),
  },
  {
    ...pyweb,
    ...own('pymongo', 'peer', ['127.0.0.1:27017'], ['dependency-refused']),
    run: 'exec python3 main.py',
    files: py(
      `import pymongo\npymongo.MongoClient('mongodb://127.0.0.1:27017', serverSelectionTimeoutMS=500).admin.command('ping')`,
    ),
  },
  {
    ...pyweb,
    ...f.portTaken,
    name: 'uwsgi-port',
    run: 'exec uwsgi_python311 --http-socket 0.0.0.0:8080 --wsgi-file main.py --need-app',
    files: py('def application(e, s): pass'),
  },
  {
    ...pyweb,
    ...f.missingModule('ledger'),
    name: 'uwsgi-module',
    run: 'exec uwsgi_python311 --http-socket 0.0.0.0:8080 --wsgi-file main.py --need-app',
    files: py('import ledger\ndef application(e, s): pass'),
  },
  {
    ...pyweb,
    ...own('uwsgi-ini', 'file', ['/etc/app/uwsgi.ini'], ['missing-setting', 'exit-code']),
    run: 'exec uwsgi_python311 --ini /etc/app/uwsgi.ini',
    files: py(''),
  },
];

const nodeweb = { program: 'nodeweb', env: { NODE_PATH: '/opt/node/node_modules' }, run: 'exec node main.js' };
const js = (text: string): Trial['files'] => ({ 'app/main.js': `${text}\n` });
const NEST = `require('reflect-metadata');\nconst { NestFactory } = require('@nestjs/core');\nconst { Module, Injectable } = require('@nestjs/common');\n`;
const nodewebTrials: readonly Trial[] = [
  {
    ...nodeweb,
    ...own('nest-provider', 'code', ['ShopService']),
    files: js(
      `${NEST}class Ledger {}\nclass ShopService {}\nReflect.defineMetadata('design:paramtypes', [Ledger], ShopService);\nInjectable()(ShopService);\nclass AppModule {}\nModule({ providers: [ShopService] })(AppModule);\nNestFactory.create(AppModule).then((app) => app.listen(8080));`,
    ),
  },
  {
    ...nodeweb,
    ...f.portTaken,
    name: 'nest-port',
    before: `nohup nc -lk :: 8080 >/dev/null 2>&1 & sleep 0.3`,
    files: js(
      `${NEST}class AppModule {}\nModule({})(AppModule);\nNestFactory.create(AppModule).then((app) => app.listen(8080));`,
    ),
  },
  {
    ...nodeweb,
    ...own('sequelize', 'peer', ['127.0.0.1:5432'], ['dependency-refused']),
    files: js(
      `const { Sequelize } = require('sequelize');\nnew Sequelize('postgres://app:s3cr3t-wrong@127.0.0.1:5432/shop', { logging: false }).authenticate();`,
    ),
  },
  {
    ...nodeweb,
    ...own('typeorm', 'peer', ['127.0.0.1:5432'], ['dependency-refused']),
    files: js(
      `require('reflect-metadata');\nconst { DataSource } = require('typeorm');\nnew DataSource({ type: 'postgres', host: '127.0.0.1', username: 'app', password: 's3cr3t-wrong', database: 'shop' }).initialize();`,
    ),
  },
  {
    ...nodeweb,
    ...own('mongoose', 'peer', ['ledger.shop.svc'], ['dependency-not-resolved']),
    files: js(
      `require('mongoose').connect('mongodb://ledger.shop.svc:27017/shop', { serverSelectionTimeoutMS: 2000 });`,
    ),
  },
  {
    ...nodeweb,
    ...own('redis', 'peer', ['127.0.0.1:6379'], ['dependency-refused']),
    files: js(
      `const { createClient } = require('redis');\nconst c = createClient({ socket: { reconnectStrategy: false } });\nc.on('error', (e) => console.error('redis client', e));\nc.connect().catch((e) => { console.log('bye'); process.exit(1); });`,
    ),
  },
  {
    ...nodeweb,
    ...own('bunyan', 'peer', ['127.0.0.1:6400'], ['dependency-refused']),
    files: js(
      `const log = require('bunyan').createLogger({ name: 'ledger' });\nlog.info({ pid: 1 }, 'booting');\nrequire('net').connect(6400, '127.0.0.1').on('error', (err) => { log.fatal({ err }, 'cannot reach tariff store'); log.info('draining'); process.exit(1); });`,
    ),
  },
  {
    ...nodeweb,
    ...own('zod', 'config', ['LEDGER_DSN'], ['missing-setting', 'malformed-config', 'exit-code']),
    files: js(`const { z } = require('zod');\nz.object({ LEDGER_DSN: z.string().url() }).parse(process.env);`),
  },
  {
    ...nodeweb,
    ...own('convict', 'config', ['port'], ['malformed-config', 'missing-setting', 'exit-code']),
    env: { ...nodeweb.env, LEDGER_PORT: 'many' },
    files: js(
      `const c = require('convict')({ port: { doc: 'port', format: 'port', default: 80, env: 'LEDGER_PORT' } });\nc.validate({ allowed: 'strict' });`,
    ),
  },
  {
    ...nodeweb,
    ...f.portTaken,
    name: 'koa-port',
    files: js(`const Koa = require('koa');\nnew Koa().listen(8080, '0.0.0.0');`),
  },
  {
    ...nodeweb,
    ...own('tsx-syntax', 'code', ['main.ts'], ['exit-code']),
    run: 'exec node /opt/node/node_modules/tsx/dist/cli.mjs main.ts',
    files: { 'app/main.ts': 'const plan: number = ;\nconsole.log(plan);\n' },
  },
  {
    ...nodeweb,
    ...own('knex-no-table', 'data', ['invoices'], ['missing-data', 'exit-code']),
    before: f.pgNoTable.before,
    files: js(
      `require('knex')({ client: 'pg', connection: 'postgres://app:right@127.0.0.1:5432/postgres' })('invoices').select('id').then(() => process.exit(0));`,
    ),
  },
  {
    ...nodeweb,
    ...own('typeorm-password', 'authentication', ['app'], ['authentication-refused']),
    before: f.pgPassword.before,
    files: js(
      `require('reflect-metadata');\nconst { DataSource } = require('typeorm');\nnew DataSource({ type: 'postgres', host: '127.0.0.1', username: 'app', password: 's3cr3t-wrong', database: 'postgres' }).initialize().catch((e) => { console.error('Unable to initialise data source', e); process.exit(1); });`,
    ),
  },
];

export const SECOND_LANGUAGES: readonly Trial[] = [
  ...cppTrials,
  ...luaTrials,
  ...elixirTrials,
  ...monoTrials,
  ...tclTrials,
  ...pywebTrials,
  ...nodewebTrials,
];
