/** Trials of the fourth batch that is held out: nine languages, and frameworks of Node.js and Python. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';
import { trial } from './second-servers.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
const CODE = 'exit-code signal';
const SETTING = 'missing-setting exit-code';
const REFUSED = 'dependency-refused exit-code';
const NO_NAME = 'dependency-not-resolved exit-code';
const SETTINGS = '/etc/app/settings.json';

/** The trials of one language, by the text of its program. */
const of =
  (base: Base, file: string, frame: (text: string) => string) =>
  (name: string, family: string, truth: readonly [string, string], text: string, more: Partial<Trial> = {}): Trial =>
    trial(base, name, family, truth, { files: { [`app/${file}`]: frame(text) }, ...more });

const hs = of(
  { program: 'haskell', run: 'exec runghc Main.hs', seconds: 40 },
  'Main.hs',
  (text) =>
    `module Main where\nimport qualified Data.Map as M\nimport System.Environment\nimport System.Exit\nimport Control.Exception\nmain :: IO ()\nmain = do\n  putStrLn "starting"\n${text}\n`,
);
const haskell: readonly Trial[] = [
  hs('missing-file', 'file', [SETTING, SETTINGS], `  readFile "${SETTINGS}" >>= putStrLn`),
  hs(
    'error',
    'code',
    [CODE, 'tariff 17 has no price'],
    '  _ <- evaluate (length (error "tariff 17 has no price" :: String))\n  return ()',
  ),
  hs('head', 'code', [CODE, 'empty list'], '  print (head ([] :: [Int]))'),
  hs('not-found', 'code', [CODE, 'not an element'], '  print ((M.fromList [(1 :: Int, "a")]) M.! 7)'),
  hs('no-variable', 'config', [SETTING, 'LEDGER_DSN'], '  getEnv "LEDGER_DSN" >>= putStrLn'),
  hs('die', 'code', ['exit-code', 'plan gold is sold out'], '  die "plan gold is sold out"'),
  hs('type', 'code', ['exit-code', 'Main.hs'], '  putStrLn (1 + True)'),
];

const clj = of(
  { program: 'clojure', run: 'exec clojure1.11 main.clj', seconds: 30 },
  'main.clj',
  (text) => `(println "starting")\n${text}\n`,
);
const clojure: readonly Trial[] = [
  clj('missing-file', 'file', [SETTING, SETTINGS], `(println (slurp "${SETTINGS}"))`),
  clj('refused', 'peer', [REFUSED, 'refused'], '(java.net.Socket. "127.0.0.1" 6379)'),
  clj('no-name', 'peer', [NO_NAME, 'ledger.shop.svc'], '(java.net.Socket. "ledger.shop.svc" 80)'),
  clj('ex-info', 'code', [CODE, 'tariff has no price'], '(throw (ex-info "tariff has no price" {:tariff 17}))'),
  clj('undefined', 'code', [CODE, 'plan'], '(defn price [] (* 2 plan))\n(price)'),
  clj('nil', 'code', [CODE, 'NullPointerException'], '(+ 1 nil)'),
  clj('port-taken', 'port', ['port-in-use exit-code', 'in use'], '(java.net.ServerSocket. 8080)', {
    before: f.portTaken.before,
  }),
  clj('no-namespace', 'code', ['missing-module missing-setting exit-code', 'ledger/core'], "(require 'ledger.core)"),
];

const nimOf = of(
  {
    program: 'nim',
    run: 'exec /app/main',
    before: 'HOME=/tmp nim c --hints:off -o:/app/main /app/main.nim',
    seconds: 20,
  },
  'main.nim',
  (text) => `import std/[os, net, tables, strutils, json]\necho "starting"\n${text}\n`,
);
const nim: readonly Trial[] = [
  nimOf('missing-file', 'file', [SETTING, SETTINGS], `echo readFile("${SETTINGS}")`),
  nimOf('refused', 'peer', [REFUSED, 'refused'], 'let s = newSocket()\ns.connect("127.0.0.1", Port(6379))'),
  nimOf('key', 'code', [CODE, 'plan'], 'let t = {"a": 1}.toTable\necho t["plan"]'),
  nimOf('index', 'code', [CODE, 'index 9'], 'var s = @[1, 2]\necho s[parseInt("9")]'),
  nimOf('parse', 'code', [CODE, 'gold'], 'echo parseInt("gold")'),
  nimOf('quit', 'config', [SETTING, 'LEDGER_DSN'], 'if getEnv("LEDGER_DSN") == "": quit("LEDGER_DSN is not set")'),
];

const crystalOf = of(
  { program: 'crystal', run: 'exec /app/main', before: 'crystal build -o /app/main /app/main.cr', seconds: 20 },
  'main.cr',
  (text) => `require "socket"\nrequire "json"\nputs "starting"\n${text}\n`,
);
const crystal: readonly Trial[] = [
  crystalOf('missing-file', 'file', [SETTING, SETTINGS], `puts File.read("${SETTINGS}")`),
  crystalOf('refused', 'peer', [REFUSED, '6379'], 'TCPSocket.new("127.0.0.1", 6379)'),
  crystalOf('variable', 'config', [SETTING, 'LEDGER_DSN'], 'puts ENV["LEDGER_DSN"]'),
  crystalOf('raise', 'code', [CODE, 'tariff 17 has no price'], 'raise "tariff 17 has no price"'),
  crystalOf('port-taken', 'port', ['port-in-use', '8080'], 'TCPServer.new("0.0.0.0", 8080)', {
    before: `crystal build -o /app/main /app/main.cr; ${f.portTaken.before}`,
  }),
];

const lisp = of(
  { program: 'sbcl', run: 'exec sbcl --script main.lisp' },
  'main.lisp',
  (text) => `(format t "starting~%")\n${text}\n`,
);
const sbcl: readonly Trial[] = [
  lisp('missing-file', 'file', [SETTING, SETTINGS], `(open "${SETTINGS}")`),
  lisp('error', 'code', [CODE, 'tariff 17 has no price'], '(error "tariff ~a has no price" 17)'),
  lisp('undefined', 'code', [CODE, 'PRICE'], '(print (price 7))'),
  lisp('unbound', 'code', [CODE, 'PLAN'], '(print plan)'),
  lisp('zero', 'code', [CODE, 'DIVISION-BY-ZERO'], '(defun f (x) (/ 1 x))\n(print (f 0))'),
];

const rkt = of(
  { program: 'racket', run: 'exec racket main.rkt' },
  'main.rkt',
  (text) => `#lang racket/base\n(require racket/tcp racket/file)\n(displayln "starting")\n${text}\n`,
);
const racket: readonly Trial[] = [
  rkt('missing-file', 'file', [SETTING, SETTINGS], `(file->string "${SETTINGS}")`),
  rkt('refused', 'peer', [REFUSED, '6379'], '(tcp-connect "127.0.0.1" 6379)'),
  rkt('error', 'code', [CODE, 'tariff has no price'], '(error \'price "tariff has no price: ~a" 17)'),
  rkt('hash', 'code', [CODE, 'plan'], '(hash-ref (hash) "plan")'),
  rkt('port-taken', 'port', ['port-in-use exit-code', '8080'], '(tcp-listen 8080)', { before: f.portTaken.before }),
];

const p6 = of({ program: 'raku', run: 'exec raku main.raku' }, 'main.raku', (text) => `say "starting";\n${text}\n`);
const raku: readonly Trial[] = [
  p6('missing-file', 'file', [SETTING, SETTINGS], `say slurp "${SETTINGS}";`),
  p6('die', 'code', [CODE, 'tariff 17 has no price'], 'sub price { die "tariff 17 has no price" }\nprice();'),
  p6('refused', 'peer', [REFUSED, 'refused'], 'IO::Socket::INET.new(:host<127.0.0.1>, :port(6379));'),
  p6('module', 'code', ['missing-module exit-code', 'Ledger::Client'], 'use Ledger::Client;'),
];

const f90 = of(
  { program: 'fortran', run: 'exec /app/main', before: 'gfortran -g -o /app/main /app/main.f90' },
  'main.f90',
  (text) =>
    `program main\nimplicit none\ninteger :: i\ninteger, allocatable :: a(:)\nprint *, "starting"\n${text}\nend program\n`,
);
const fortran: readonly Trial[] = [
  f90('missing-file', 'file', [SETTING, SETTINGS], `open(10, file="${SETTINGS}", status="old")`),
  f90('stop', 'code', ['exit-code', 'tariff has no price'], 'error stop "tariff has no price"'),
  f90('bounds', 'code', [CODE, 'above upper bound'], 'allocate(a(2))\ni = command_argument_count() + 9\na(i) = 1', {
    before: 'gfortran -g -fcheck=all -o /app/main /app/main.f90',
  }),
];

const octaveOf = of(
  {
    program: 'octave',
    run: 'exec octave-cli --no-gui main.m',
    env: { LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack' },
  },
  'main.m',
  (text) => `disp("starting");\n${text}\n`,
);
const octave: readonly Trial[] = [
  octaveOf('error', 'code', [CODE, 'tariff 17 has no price'], 'error("tariff %d has no price", 17);'),
  octaveOf('undefined', 'code', [CODE, 'plan'], 'x = plan + 1;'),
  octaveOf(
    'missing-file',
    'file',
    ['exit-code missing-setting', '/etc/app/settings.mat'],
    'load("/etc/app/settings.mat");',
  ),
];

const awk = of(
  { program: 'gawk', run: 'exec gawk -f main.awk' },
  'main.awk',
  (text) => `BEGIN {\nprint "starting"\n${text}\n}\n`,
);
const gawk: readonly Trial[] = [
  awk('syntax', 'code', ['exit-code', 'syntax error'], 'print price('),
  awk('zero', 'code', [CODE, 'division by zero'], 'x = 0; print 1 / x'),
  awk('missing-file', 'file', [SETTING, '/etc/app/prices.awk'], '', { run: 'exec gawk -f /etc/app/prices.awk' }),
];

const NODE = { NODE_PATH: '/opt/node/node_modules' };
const js = (program: string) =>
  of({ program, run: 'exec node main.js', env: NODE, seconds: 20 }, 'main.js', (text) => `${text}\n`);
const hapiOf = js('hapi');
const HAPI = "const Hapi = require('@hapi/hapi');\n";
const hapi: readonly Trial[] = [
  hapiOf('port-taken', 'port', ['port-in-use', '8080'], `${HAPI}Hapi.server({ port: 8080 }).start();`, {
    before: f.portTaken.before,
  }),
  hapiOf(
    'same-route',
    'code',
    [CODE, '/orders'],
    `${HAPI}const s = Hapi.server({ port: 8080 });\nfor (const n of [1, 2]) s.route({ method: 'GET', path: '/orders', handler: () => n });`,
  ),
  hapiOf(
    'bad-option',
    'config',
    ['exit-code malformed-config bad-argument', 'prot'],
    `${HAPI}Hapi.server({ prot: 8080 });`,
  ),
  hapiOf(
    'plugin',
    'code',
    ['missing-module exit-code', '@shop/ledger'],
    `${HAPI}Hapi.server({ port: 8080 }).register(require('@shop/ledger'));`,
  ),
];
const graph = js('apollo');
const APOLLO =
  "const { ApolloServer } = require('@apollo/server');\nconst { startStandaloneServer } = require('@apollo/server/standalone');\n";
const apollo: readonly Trial[] = [
  graph(
    'unknown-type',
    'code',
    [CODE, 'Price'],
    `${APOLLO}new ApolloServer({ typeDefs: 'type Query { price: Price }', resolvers: {} });`,
  ),
  graph(
    'syntax',
    'code',
    ['exit-code malformed-config', 'Syntax Error'],
    `${APOLLO}new ApolloServer({ typeDefs: 'type Query { price: }', resolvers: {} });`,
  ),
  graph(
    'port-taken',
    'port',
    ['port-in-use', '8080'],
    `${APOLLO}startStandaloneServer(new ApolloServer({ typeDefs: 'type Query { a: Int }' }), { listen: { port: 8080 } });`,
    { before: f.portTaken.before },
  ),
];
const red: Base = {
  program: 'node-red',
  run: 'exec node /opt/node/node_modules/node-red/red.js -u /data',
  env: NODE,
  seconds: 40,
};
const nodeRed: readonly Trial[] = [
  trial(red, 'port-taken', 'port', ['port-in-use exit-code', '1880'], {
    before: `mkdir -p /data; ${f.portTaken.before.replaceAll('8080', '1880')}`,
  }),
  trial(red, 'bad-settings', 'config', ['exit-code malformed-config', '/data/settings.js'], {
    files: { 'data/settings.js': 'module.exports = {\n  uiPort: 1880,,\n};\n' },
  }),
  trial(red, 'data-denied', 'permission', ['permission-denied', '/data'], {
    user: 1000,
    before: 'mkdir -p /data; chown 0:0 /data; chmod 755 /data',
  }),
];

const py = (program: string, run = 'exec python3 main.py') => of({ program, run }, 'main.py', (text) => `${text}\n`);
const tornadoOf = py('tornado');
const TORNADO = 'import asyncio, tornado.web, tornado.httpclient\n';
const tornado: readonly Trial[] = [
  tornadoOf(
    'port-taken',
    'port',
    ['port-in-use', '8080'],
    `${TORNADO}async def main():\n    tornado.web.Application([]).listen(8080)\n    await asyncio.Event().wait()\nasyncio.run(main())`,
    { before: f.portTaken.before },
  ),
  tornadoOf(
    'http-refused',
    'peer',
    [REFUSED, '127.0.0.1:8081'],
    `${TORNADO}async def main():\n    await tornado.httpclient.AsyncHTTPClient().fetch('http://127.0.0.1:8081/prices')\nasyncio.run(main())`,
  ),
  tornadoOf('setting', 'config', [SETTING, 'LEDGER_DSN'], `import os\n${TORNADO}dsn = os.environ['LEDGER_DSN']`),
];
const twistedOf = py('twisted', 'exec twistd3 -n -y main.py');
const twisted: readonly Trial[] = [
  twistedOf(
    'port-taken',
    'port',
    ['port-in-use', '8080'],
    `from twisted.application import service, internet\nfrom twisted.web import server, resource\napplication = service.Application('shop')\ninternet.TCPServer(8080, server.Site(resource.Resource())).setServiceParent(application)`,
    { before: f.portTaken.before },
  ),
  twistedOf('no-application', 'code', ['exit-code', 'application'], 'app = None'),
  twistedOf('missing-module', 'code', ['missing-module', 'ledger'], 'import ledger\napplication = None'),
  twistedOf('no-file', 'file', [SETTING, 'none.py'], '', { run: 'exec twistd3 -n -y /etc/app/none.py' }),
];
const hyperOf = py('hypercorn', 'exec python3 -m hypercorn main:app --bind 0.0.0.0:8080');
const hypercorn: readonly Trial[] = [
  hyperOf('port-taken', 'port', ['port-in-use exit-code', '8080'], 'async def app(scope, receive, send): pass', {
    before: f.portTaken.before,
  }),
  hyperOf('no-app', 'code', ['exit-code missing-module', 'app'], 'application = 1'),
  hyperOf(
    'startup',
    'peer',
    [REFUSED, '127.0.0.1'],
    "import socket\nsocket.create_connection(('127.0.0.1', 6400))\nasync def app(scope, receive, send): pass",
  ),
];

export const FOURTH_LANGUAGES: readonly Trial[] = [
  ...haskell,
  ...clojure,
  ...nim,
  ...crystal,
  ...sbcl,
  ...racket,
  ...raku,
  ...fortran,
  ...octave,
  ...gawk,
  ...hapi,
  ...apollo,
  ...nodeRed,
  ...tornado,
  ...twisted,
  ...hypercorn,
];
