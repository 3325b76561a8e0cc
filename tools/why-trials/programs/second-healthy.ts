/** Healthy programs of the second batch that is held out: their logs hold errors that were overcome, warnings and mistakes of clients. */
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import {
  alertmanager,
  bind,
  dovecot,
  influxdb,
  nats,
  nodeExporter,
  pgbouncer,
  registry,
  slapd,
  squid,
  stunnel,
  tomcat,
  varnish,
  zookeeper,
} from './second-servers.ts';

const servers: readonly Trial[] = [
  ...well(bind, 2, [
    ['quiet', 'true'],
    ['no-upstream', 'getent ahosts shop.example'],
  ]),
  ...well(slapd, 2, [
    ['quiet', 'true'],
    ['garbage', garbage(3389)],
  ]),
  ...well(squid, 2, [
    ['quiet', 'true'],
    ['upstream-away', 'curl -s -x http://127.0.0.1:3128 http://127.0.0.1:3000/a'],
    ['no-name', 'curl -s -x http://127.0.0.1:3128 http://ledger.shop.svc/a'],
  ]),
  ...well(varnish, 4, [
    ['quiet', 'true'],
    ['backend-away', curl('http://127.0.0.1:6081/')],
  ]),
  ...well(stunnel, 1, [
    ['quiet', 'true'],
    ['backend-away', curl('https://127.0.0.1:8443/')],
    ['plain-client', garbage(8443)],
  ]),
  ...well(pgbouncer, 1, [
    ['quiet', 'true'],
    ['database-away', 'psql -h 127.0.0.1 -p 6432 -U app shop -c "select 1"'],
    ['no-database', 'psql -h 127.0.0.1 -p 6432 -U app orders -c "select 1"'],
  ]),
  ...well(nats, 1, [
    ['quiet', 'true'],
    ['garbage', garbage(4222)],
    ['reload-bad', 'echo "nonsense: {" >> /etc/app/nats.conf; kill -HUP $(pidof nats-server)'],
  ]),
  ...well(alertmanager, 2, [
    ['quiet', 'true'],
    [
      'hook-away',
      `curl -s -H 'Content-Type: application/json' -d '[{"labels":{"alertname":"a"}}]' http://127.0.0.1:9093/api/v2/alerts`,
    ],
    ['reload-bad', 'echo "nonsense: {" >> /etc/app/alertmanager.yml; curl -s -X POST http://127.0.0.1:9093/-/reload'],
  ]),
  ...well(nodeExporter, 2, [
    ['quiet', 'true'],
    ['scraped', curl('http://127.0.0.1:9100/metrics')],
  ]),
  ...well(zookeeper, 5, [
    ['quiet', 'true'],
    ['garbage', garbage(2181)],
  ]),
  ...well(tomcat, 7, [
    ['quiet', 'true'],
    ['garbage', 'printf "\\x16\\x03\\x01\\r\\n\\r\\n" | nc -w1 127.0.0.1 8080'],
  ]),
  ...well(influxdb, 2, [
    ['quiet', 'true'],
    ['bad-query', curl("'http://127.0.0.1:8086/query?q=selec'")],
    ['no-database', `curl -s -d 'a b=1' 'http://127.0.0.1:8086/write?db=none'`],
  ]),
  ...well(registry, 2, [
    ['quiet', 'true'],
    ['no-image', curl('http://127.0.0.1:5000/v2/shop/manifests/latest')],
  ]),
  ...well(dovecot, 2, [['quiet', 'true']]),
];

const stories = (
  base: Base,
  language: readonly (readonly [name: string, file: string, text: string])[],
): readonly Trial[] =>
  language.map(([name, file, text]) => ({
    ...base,
    name: `well-${name}`,
    family: 'healthy',
    truth: { healthy: true },
    files: { [`app/${file}`]: text },
  }));

const lua = stories({ program: 'lua', run: 'exec lua5.4 main.lua' }, [
  [
    'cache-missing',
    'main.lua',
    `io.stdout:setvbuf("no")\nlocal ok, err = pcall(function() return assert(io.open("/var/cache/shop.db")) end)\nprint("WARN  cache: " .. tostring(err))\nprint("INFO  starting without a cache")\nprint("INFO  http server bound to 0.0.0.0:8080")\nos.execute("sleep 60")\n`,
  ],
  [
    'retried',
    'main.lua',
    `io.stdout:setvbuf("no")\nlocal socket = require("socket")\nfor i = 1, 3 do local _, err = socket.tcp():connect("127.0.0.1", 6379) print("[error] redis 127.0.0.1:6379: " .. err .. " (try " .. i .. ")") end\nprint("[notice] redis is up after 3 tries")\nos.execute("sleep 60")\n`,
  ],
]);
const elixir = stories({ program: 'elixir', run: 'exec elixir main.exs', seconds: 15 }, [
  [
    'restarted',
    'main.exs',
    `require Logger\ndefmodule Ledger do\n use GenServer\n def start_link(_), do: GenServer.start_link(__MODULE__, nil)\n def init(_) do\n  if File.exists?("/tmp/seen") do\n   Logger.info("ledger joined the cluster")\n   {:ok, nil}\n  else\n   File.write!("/tmp/seen", "")\n   Process.send_after(self(), :fall, 100)\n   {:ok, nil}\n  end\n end\n def handle_info(:fall, _), do: raise("tariff 17 has no price")\nend\n{:ok, _} = Supervisor.start_link([Ledger], strategy: :one_for_one)\nProcess.sleep(60_000)\n`,
  ],
  [
    'task-failed',
    'main.exs',
    `require Logger\nTask.start(fn -> File.read!("/var/cache/shop.db") end)\nProcess.sleep(300)\nLogger.info("rebuilding the cache")\nLogger.info("Running Shop.Endpoint with cowboy at 0.0.0.0:4000 (http)")\nProcess.sleep(60_000)\n`,
  ],
]);
const PY = { program: 'pyweb', seconds: 9 };
const pyweb: readonly Trial[] = [
  ...stories({ ...PY, run: 'exec python3 -m uvicorn main:app --port 8080' }, [
    [
      'request-fails',
      'main.py',
      `import asyncio, threading, time, urllib.request\nasync def app(scope, receive, send):\n    if scope['type'] != 'http':\n        raise RuntimeError('no lifespan here')\n    raise KeyError('price')\ndef visit():\n    time.sleep(2)\n    try:\n        urllib.request.urlopen('http://127.0.0.1:8080/orders/7')\n    except Exception:\n        pass\nthreading.Thread(target=visit, daemon=True).start()\n`,
    ],
    [
      'startup-retries',
      'main.py',
      `import logging, socket\nfrom fastapi import FastAPI\nlog = logging.getLogger('uvicorn.error')\napp = FastAPI()\n@app.on_event('startup')\nasync def start():\n    for n in (1, 2):\n        try:\n            socket.create_connection(('127.0.0.1', 5432))\n        except OSError:\n            log.exception('database is not there yet')\n    log.warning('going on with the replica')\n`,
    ],
  ]),
  ...stories({ ...PY, run: 'exec python3 main.py' }, [
    [
      'deprecation',
      'main.py',
      `import sys, time, warnings\nwarnings.simplefilter('always')\nwarnings.warn('tariff v1 is deprecated and will be removed; an error is raised from 3.0 on', DeprecationWarning)\nsys.stderr.write('Exception ignored in: <function Ledger.__del__ at 0x7f>\\nTraceback (most recent call last):\\n  File "/app/main.py", line 2, in __del__\\nAttributeError: plan\\n')\nprint('worker 1 booted', flush=True)\nprint('worker 2 booted', flush=True)\nprint('tariffs refreshed in 12 ms', flush=True)\ntime.sleep(60)\n`,
    ],
    [
      'structlog',
      'main.py',
      `import structlog, time\nstructlog.configure(processors=[structlog.processors.add_log_level, structlog.processors.JSONRenderer()])\nlog = structlog.get_logger()\nlog.error('ledger unreachable', peer='127.0.0.1:6400', attempt=1)\nlog.error('ledger unreachable', peer='127.0.0.1:6400', attempt=2)\nlog.info('ledger connected', attempt=3)\nlog.info('tariffs loaded', count=12)\nlog.info('http server up', port=8080)\ntime.sleep(60)\n`,
    ],
  ]),
];
const NODE = { program: 'nodeweb', env: { NODE_PATH: '/opt/node/node_modules' }, run: 'exec node main.js', seconds: 7 };
const nodeweb = stories(NODE, [
  [
    'bunyan',
    'main.js',
    `const log = require('bunyan').createLogger({ name: 'ledger' });\nconst net = require('net');\nlet tries = 0;\nconst go = () => net.connect(6400, '127.0.0.1').on('error', (err) => { log.error({ err, tries }, 'tariff store'); if (++tries < 3) go(); else { log.info('tariffs come from the disk'); log.info({ port: 8080 }, 'ready for traffic'); } });\ngo();\nsetInterval(() => {}, 1000);\n`,
  ],
  [
    'redis-late',
    'main.js',
    `const { createClient } = require('redis');\nconst c = createClient({ socket: { reconnectStrategy: () => 300 } });\nc.on('error', (e) => console.error('Redis Client Error', e));\nc.on('ready', () => console.log('Redis Client Ready'));\nc.connect();\nsetTimeout(() => require('child_process').spawn('redis-server', ['--save', ''], { stdio: 'ignore' }), 700);\nsetInterval(() => {}, 1000);\n`,
  ],
  [
    'rejection-caught',
    'main.js',
    `process.on('unhandledRejection', (e) => console.error('unhandled rejection (ignored):', e));\nPromise.reject(new Error('mailer: ECONNREFUSED 127.0.0.1:25'));\nsetTimeout(() => { console.log('mail queue drained by fallback'); console.log('api listening on port 8080'); }, 200);\nsetInterval(() => {}, 1000);\n`,
  ],
  [
    'nest-404',
    'main.js',
    `require('reflect-metadata');\nconst { NestFactory } = require('@nestjs/core');\nconst { Module, Logger } = require('@nestjs/common');\nclass AppModule {}\nModule({})(AppModule);\nNestFactory.create(AppModule).then(async (app) => { await app.listen(8080); new Logger('Mail').error('SMTP 127.0.0.1:25 refused, mails are queued'); new Logger('Http').log('GET /orders 200 3ms'); });\n`,
  ],
  [
    'warnings',
    'main.js',
    `process.emitWarning('Buffer() is deprecated due to security and usability issues', 'DeprecationWarning', 'DEP0005');\nconsole.warn('(node) warning: possible EventEmitter memory leak detected. 11 listeners added.');\nconsole.log('compiled 12 templates');\nconsole.log('server listening');\nsetInterval(() => {}, 1000);\n`,
  ],
]);
const cpp = stories({ program: 'cpp', run: 'exec /app/main', before: 'g++ -o /app/main /app/main.cpp' }, [
  [
    'glog',
    'main.cpp',
    `#include <cstdio>\n#include <unistd.h>\nint main() { fprintf(stderr, "E1123 13:00:00.120000     7 cache.cc:88] cannot open /var/cache/shop.db: No such file or directory\\nW1123 13:00:00.130000     7 cache.cc:91] running with an empty cache\\nI1123 13:00:00.140000     7 server.cc:12] Serving at 0.0.0.0:8080\\n"); sleep(60); }\n`,
  ],
  [
    'retried',
    'main.cpp',
    `#include <cerrno>\n#include <cstdio>\n#include <cstring>\n#include <unistd.h>\nint main() { for (int i = 1; i < 4; i++) fprintf(stderr, "ledger: connect 127.0.0.1:6400: %s, retrying in %d ms\\n", strerror(ECONNREFUSED), i * 100); fprintf(stderr, "ledger: connected to 127.0.0.1:6400\\nledger: 12 tariffs loaded\\n"); sleep(60); }\n`,
  ],
]);
const mono = stories(
  { program: 'mono', run: 'exec mono /app/main.exe', before: 'mcs -out:/app/main.exe /app/main.cs', seconds: 7 },
  [
    [
      'caught',
      'main.cs',
      `using System;\nusing System.IO;\nclass P { static void Main() { try { File.ReadAllText("/var/cache/shop.db"); } catch (Exception e) { Console.Error.WriteLine("fail: Shop.Cache[3]\\n      cache cannot be read\\n      " + e); } Console.WriteLine("info: Microsoft.Hosting.Lifetime[14]\\n      Now listening on: http://[::]:8080\\ninfo: Microsoft.Hosting.Lifetime[0]\\n      Application started. Press Ctrl+C to shut down."); System.Threading.Thread.Sleep(60000); } }\n`,
    ],
  ],
);
const tcl = stories({ program: 'tcl', run: 'exec tclsh main.tcl' }, [
  [
    'caught',
    'main.tcl',
    `if {[catch {open /var/cache/shop.db} e]} { puts "warning: $e" }\nputs "cache starts empty"\nputs "accepting clients on 8080"\nflush stdout\nafter 60000\n`,
  ],
]);

export const SECOND_HEALTHY: readonly Trial[] = [
  ...servers,
  ...lua,
  ...elixir,
  ...pyweb,
  ...nodeweb,
  ...cpp,
  ...mono,
  ...tcl,
];
