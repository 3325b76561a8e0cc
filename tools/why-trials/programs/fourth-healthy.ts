/** Healthy programs of the fourth batch that is held out: errors that were overcome, mistakes of clients, peers that are away. */
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import {
  beanstalkd,
  blackbox,
  coturn,
  FOURTH_BASES,
  gearmand,
  hitch,
  kea,
  nghttpx,
  ngircd,
  pdns,
  pgpool,
  privoxy,
  prosody,
  radicale,
  rclone,
  sshd,
  tor,
  victoria,
  webhook,
} from './fourth-servers.ts';

const QUIET = ['quiet', 'true'] as const;

const servers: readonly Trial[] = [
  ...well(sshd, 1, [
    QUIET,
    ['garbage', garbage(2222)],
    ['no-user', 'ssh -o StrictHostKeyChecking=no -o BatchMode=yes -p 2222 nobodyhere@127.0.0.1 true'],
    ['scanned', 'nc -z 127.0.0.1 2222; nc -z 127.0.0.1 2222'],
  ]),
  ...well(pdns, 2, [
    QUIET,
    [
      'no-zone',
      'python3 -c "import socket;s=socket.socket(2,2);s.sendto(bytes([0,1,1,0,0,1,0,0,0,0,0,0,1,97,0,0,1,0,1]),(\'127.0.0.1\',5300))"',
    ],
  ]),
  ...well(FOURTH_BASES.recursor, 2, [QUIET]),
  ...well(prosody, 3, [QUIET, ['garbage', garbage(5222)]]),
  ...well(ngircd, 1, [QUIET, ['bad-command', `printf 'NONSENSE a\\r\\nNICK 1\\r\\n' | nc -w1 127.0.0.1 6667`]]),
  ...well(privoxy, 1, [
    QUIET,
    ['upstream-away', 'curl -s -x http://127.0.0.1:8118 http://127.0.0.1:3000/'],
    ['no-name', 'curl -s -x http://127.0.0.1:8118 http://ledger.shop.svc/'],
    ['garbage', garbage(8118)],
  ]),
  ...well(FOURTH_BASES.chrony, 2, [QUIET]),
  ...well(beanstalkd, 1, [QUIET, ['garbage', garbage(11300)]]),
  ...well(gearmand, 1, [QUIET, ['garbage', garbage(4730)]]),
  ...well(kea, 2, [QUIET]),
  ...well(victoria, 2, [
    QUIET,
    ['bad-query', curl("'http://127.0.0.1:8428/api/v1/query?query=sum('")],
    ['bad-write', `curl -s -d 'a b c' http://127.0.0.1:8428/api/v1/import`],
    ['no-path', curl('http://127.0.0.1:8428/none')],
  ]),
  ...well(blackbox, 2, [
    QUIET,
    ['target-away', curl("'http://127.0.0.1:9115/probe?module=web&target=http://127.0.0.1:3000/'")],
    ['reload-bad', 'echo "nonsense: {" >> /etc/app/bb.yml; kill -HUP $(pidof prometheus-blackbox-exporter)'],
  ]),
  ...well(pgpool, 2, [QUIET, ['database-away', 'psql -h 127.0.0.1 -p 9999 -U app shop -c "select 1"']]),
  ...well(tor, 4, [QUIET, ['garbage', garbage(9050)]]),
  ...well(hitch, 2, [QUIET, ['plain-client', garbage(8443)], ['backend-away', curl('https://127.0.0.1:8443/')]]),
  ...well(nghttpx, 1, [QUIET, ['backend-away', curl('http://127.0.0.1:3000/')], ['garbage', garbage(3000)]]),
  ...well(rclone, 2, [QUIET, ['no-file', curl('http://127.0.0.1:8090/none')]]),
  ...well(radicale, 2, [QUIET, ['garbage', garbage(5232)], ['no-path', curl('http://127.0.0.1:5232/none')]]),
  ...well(webhook, 1, [
    QUIET,
    ['command-fails', curl('http://127.0.0.1:9000/hooks/a')],
    ['no-hook', curl('http://127.0.0.1:9000/hooks/none')],
  ]),
  ...well(coturn, 2, [QUIET, ['garbage', garbage(3478)]]),
  ...well(FOURTH_BASES.samba, 2, [QUIET]),
  ...well(FOURTH_BASES.collectd, 2, [QUIET]),
  ...well(FOURTH_BASES.dante, 1, [QUIET, ['garbage', garbage(1080)]]),
  ...well(FOURTH_BASES.carbon, 3, [QUIET, ['bad-line', `printf 'a b c d\\n' | nc -w1 127.0.0.1 2003`]]),
  ...well(FOURTH_BASES.syncthing, 5, [QUIET]),
];

const stories = (base: Base, file: string, all: readonly (readonly [name: string, text: string])[]): readonly Trial[] =>
  all.map(([name, text]) => ({
    ...base,
    name: `well-${name}`,
    family: 'healthy',
    truth: { healthy: true },
    files: { [`app/${file}`]: text },
  }));

const haskell = stories({ program: 'haskell', run: 'exec runghc Main.hs', seconds: 12 }, 'Main.hs', [
  [
    'cache-missing',
    'import Control.Concurrent\nimport Control.Exception\nimport System.IO\nmain :: IO ()\nmain = do\n  hSetBuffering stdout NoBuffering\n  r <- try (readFile "/var/cache/shop.db" >>= putStrLn) :: IO (Either IOException ())\n  either (\\e -> hPutStrLn stderr ("[Warn] cache: " ++ show e)) return r\n  putStrLn "[Info] cache is rebuilt"\n  putStrLn "[Info] warp is on port 8080"\n  threadDelay 60000000\n',
  ],
  [
    'retried',
    'import Control.Concurrent\nimport System.IO\nmain :: IO ()\nmain = do\n  hSetBuffering stdout NoBuffering\n  mapM_ (\\n -> putStrLn ("ledger 127.0.0.1:6400: connection refused (try " ++ show n ++ ")") >> threadDelay 200000) [1 :: Int, 2, 3]\n  putStrLn "ledger answered"\n  putStrLn "12 tariffs in use"\n  threadDelay 60000000\n',
  ],
]);
const clojure = stories({ program: 'clojure', run: 'exec clojure1.11 main.clj', seconds: 12 }, 'main.clj', [
  [
    'caught',
    '(binding [*out* *err*] (try (slurp "/var/cache/shop.db") (catch Exception e (println "ERROR cache" (.getMessage e)))))\n(println "INFO  prices come from the ledger")\n(println "INFO  jetty is up on 8080")\n(Thread/sleep 60000)\n',
  ],
  [
    'trace-printed',
    '(try (java.net.Socket. "127.0.0.1" 6400) (catch Exception e (.printStackTrace e)))\n(println "no ledger, so the last prices are used")\n(println "server is up on 8080")\n(Thread/sleep 60000)\n',
  ],
]);
const sbcl = stories({ program: 'sbcl', run: 'exec sbcl --script main.lisp', seconds: 6 }, 'main.lisp', [
  [
    'caught',
    '(handler-case (open "/var/cache/shop.db") (error (e) (format t "warning: ~a~%" e)))\n(format t "the cache is empty~%hunchentoot answers on 8080~%")\n(finish-output)\n(sleep 60)\n',
  ],
]);
const racket = stories({ program: 'racket', run: 'exec racket main.rkt', seconds: 7 }, 'main.rkt', [
  [
    'caught',
    '#lang racket/base\n(require racket/file)\n(with-handlers ([exn:fail? (lambda (e) (eprintf "cache: ~a\\n" (exn-message e)))]) (file->string "/var/cache/shop.db"))\n(displayln "cache rebuilt in 12 ms")\n(displayln "web server answers on port 8080")\n(flush-output)\n(sleep 60)\n',
  ],
  [
    'thread-died',
    '#lang racket/base\n(displayln "web server answers on port 8080")\n(flush-output)\n(void (thread (lambda () (error \'job "tariff has no price"))))\n(sleep 0.5)\n(displayln "next job in 60 s")\n(displayln "7 tariffs refreshed")\n(flush-output)\n(sleep 60)\n',
  ],
]);
const raku = stories({ program: 'raku', run: 'exec raku main.raku', seconds: 7 }, 'main.raku', [
  [
    'caught',
    '$*OUT.out-buffer = 0;\ntry { slurp "/var/cache/shop.db"; CATCH { default { note "cache: $_" } } }\nsay "starting with no cache";\nsay "cro listens at http://0.0.0.0:8080";\nsleep 60;\n',
  ],
]);
const gawk = stories({ program: 'gawk', run: 'exec gawk -f main.awk', seconds: 5 }, 'main.awk', [
  [
    'warned',
    'BEGIN { LINT = 1; x = y + 1; if ((getline line < "/var/cache/shop.db") < 0) print "error: cannot read /var/cache/shop.db" > "/dev/stderr"; print "reading prices of today"; print "prices: 12"; fflush(); system("sleep 60") }\n',
  ],
]);
const NODE = { env: { NODE_PATH: '/opt/node/node_modules' }, run: 'exec node main.js', seconds: 8 };
const hapi = stories({ program: 'hapi', ...NODE }, 'main.js', [
  [
    'handler-throws',
    "const s = require('@hapi/hapi').server({ port: 8080, debug: { request: ['error'] } });\ns.route({ method: 'GET', path: '/orders/{id}', handler: () => { throw new Error('plan 7 has no price'); } });\ns.start().then(() => { console.log('up at', s.info.uri); setTimeout(() => fetch('http://127.0.0.1:8080/orders/7'), 1500); });\n",
  ],
  [
    'startup-caught',
    "require('net').connect(6400, '127.0.0.1').on('error', (e) => { console.error('ledger:', e); console.log('last prices are used'); const s = require('@hapi/hapi').server({ port: 8080 }); s.start().then(() => console.log('Server running on %s', s.info.uri)); });\n",
  ],
]);
const apollo = stories({ program: 'apollo', ...NODE }, 'main.js', [
  [
    'resolver-throws',
    "const { ApolloServer } = require('@apollo/server');\nconst { startStandaloneServer } = require('@apollo/server/standalone');\nconst s = new ApolloServer({ typeDefs: 'type Query { price: Int }', resolvers: { Query: { price: () => { throw new Error('plan 7 has no price'); } } }, plugins: [{ requestDidStart: async () => ({ didEncounterErrors: async ({ errors }) => { for (const e of errors) console.error(e); } }) }] });\nstartStandaloneServer(s, { listen: { port: 8080 } }).then(({ url }) => { console.log(`Server ready at ${url}`); setTimeout(() => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: '{ price }' }) }), 1500); });\n",
  ],
]);
const tornado = stories({ program: 'tornado', run: 'exec python3 main.py', seconds: 7 }, 'main.py', [
  [
    'handler-throws',
    "import asyncio, threading, time, urllib.request, logging, tornado.web, tornado.log\ntornado.log.enable_pretty_logging()\nclass Order(tornado.web.RequestHandler):\n    def get(self):\n        raise KeyError('price')\ndef visit():\n    time.sleep(2)\n    try:\n        urllib.request.urlopen('http://127.0.0.1:8080/orders')\n    except Exception:\n        pass\nasync def main():\n    tornado.web.Application([('/orders', Order)]).listen(8080)\n    logging.info('listening on 8080')\n    await asyncio.Event().wait()\nthreading.Thread(target=visit, daemon=True).start()\nasyncio.run(main())\n",
  ],
  [
    'callback-throws',
    "import asyncio, logging, tornado.ioloop, tornado.log, tornado.web\ntornado.log.enable_pretty_logging()\nasync def main():\n    tornado.web.Application([]).listen(8080)\n    tornado.ioloop.PeriodicCallback(lambda: 1 / 0, 900).start()\n    await asyncio.sleep(2.5)\n    logging.info('12 prices refreshed')\n    await asyncio.sleep(0.2)\n    logging.info('7 tariffs refreshed')\n    await asyncio.Event().wait()\nasyncio.run(main())\n",
  ],
]);
const twisted = stories({ program: 'twisted', run: 'exec twistd3 -n -y main.py', seconds: 7 }, 'main.py', [
  [
    'deferred-fails',
    "from twisted.application import service, internet\nfrom twisted.internet import defer, reactor\nfrom twisted.python import log\nfrom twisted.web import server, resource\napplication = service.Application('shop')\ninternet.TCPServer(8080, server.Site(resource.Resource())).setServiceParent(application)\ndef go():\n    d = defer.fail(KeyError('price'))\n    d.addErrback(log.err)\n    reactor.callLater(1.5, log.msg, 'prices refreshed')\nreactor.callLater(1.5, go)\n",
  ],
]);

export const FOURTH_HEALTHY: readonly Trial[] = [
  ...servers,
  ...haskell,
  ...clojure,
  ...sbcl,
  ...racket,
  ...raku,
  ...gawk,
  ...hapi,
  ...apollo,
  ...tornado,
  ...twisted,
];
