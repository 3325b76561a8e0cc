/** Trials of the third batch that is held out: R, OCaml, Guile, Prolog, and nine servers. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';
import { occupied, trial } from './second-servers.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
const CONFIG = 'malformed-config exit-code';
const FILE = 'missing-setting exit-code';

const r: Base = {
  program: 'r',
  run: 'exec Rscript main.R',
  env: { LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack' },
};
const R = (text: string): Trial['files'] => ({ 'app/main.R': `cat("starting\\n")\n${text}\n` });
const rTrials: readonly Trial[] = [
  { ...r, ...f.missingModule('plumber'), files: R('library(plumber)') },
  { ...r, ...f.missingFile, files: R('x <- readLines("/etc/app/settings.json")') },
  {
    ...r,
    ...f.httpRefused,
    truth: { ids: ['dependency-refused', 'exit-code'], must: ['127.0.0.1:8081'] },
    files: R('s <- socketConnection("127.0.0.1", 8081)'),
  },
  trial(r, 'undefined', 'code', ['exit-code', "object 'plan' not found"], {
    files: R('price <- function() plan$price\nprice()'),
  }),
  trial(r, 'stop', 'config', ['missing-setting exit-code', 'LEDGER_DSN'], {
    files: R('if (Sys.getenv("LEDGER_DSN") == "") stop("LEDGER_DSN is not set")'),
  }),
];

const ocaml: Base = { program: 'ocaml', run: 'exec ocaml unix.cma main.ml' };
const ml = (text: string): Trial['files'] => ({ 'app/main.ml': `let () = print_endline "starting"\n${text}\n` });
const ocamlTrials: readonly Trial[] = [
  { ...ocaml, ...f.missingFile, files: ml('let f = open_in "/etc/app/settings.json"') },
  trial(ocaml, 'refused', 'peer', ['dependency-refused exit-code', 'ECONNREFUSED'], {
    files: ml(
      'let s = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0\nlet () = Unix.connect s (Unix.ADDR_INET (Unix.inet_addr_loopback, 6379))',
    ),
  }),
  trial(ocaml, 'failwith', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: ml('let () = failwith "tariff 17 has no price"'),
  }),
  trial(ocaml, 'not-found', 'code', ['exit-code', 'Not_found'], { files: ml('let _ = List.assoc 3 [ (1, 2) ]') }),
  trial(ocaml, 'type', 'code', ['exit-code', 'expected of type'], { files: ml('let _ = 1 + "a"') }),
];

const guile: Base = { program: 'guile', run: 'exec guile-3.0 --no-auto-compile main.scm' };
const scm = (text: string): Trial['files'] => ({ 'app/main.scm': `(display "starting\\n")\n${text}\n` });
const guileTrials: readonly Trial[] = [
  { ...guile, ...f.missingFile, files: scm('(open-input-file "/etc/app/settings.json")') },
  trial(guile, 'unbound', 'code', ['exit-code', 'plan'], { files: scm('(define (price) (* 2 plan))\n(price)') }),
  trial(guile, 'error', 'code', ['exit-code', 'tariff has no price'], {
    files: scm('(error "tariff has no price" 17)'),
  }),
];

const nsd: Base = { program: 'nsd', run: 'exec nsd -d -c /etc/app/nsd.conf' };
const NSD = (text: string): Trial['files'] => ({
  'etc/app/nsd.conf': `server:\n  ip-address: 127.0.0.1@5300\n  username: ""\n  pidfile: ""\n  xfrdfile: ""\n  zonelistfile: "/tmp/z.list"\n  database: ""\n${text}\nremote-control:\n  control-enable: no\n`,
});
const nsdTrials: readonly Trial[] = [
  trial(nsd, 'port-taken', 'port', ['port-in-use', '5300'], { before: occupied(5300), files: NSD('') }),
  trial(nsd, 'unknown-key', 'config', [CONFIG, 'hide-versoin'], { files: NSD('  hide-versoin: yes') }),
  trial(nsd, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec nsd -d -c /etc/app/none.conf' }),
  trial(nsd, 'unknown-user', 'config', [CONFIG, 'dnsuser'], {
    run: 'exec nsd -d -u dnsuser -c /etc/app/nsd.conf',
    files: NSD(''),
  }),
];

const knot: Base = { program: 'knot', run: 'exec knotd -c /etc/app/knot.conf' };
const KNOT = (text: string): Trial['files'] => ({
  'etc/app/knot.conf': `server:\n  rundir: /tmp\n  listen: 127.0.0.1@5301\nlog:\n  - target: stderr\n    any: info\ndatabase:\n  storage: /data\n${text}\n`,
});
const knotTrials: readonly Trial[] = [
  trial(knot, 'unknown-key', 'config', [CONFIG, '/etc/app/knot.conf'], { files: KNOT('zones:\n  - domain: a') }),
  trial(knot, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec knotd -c /etc/app/none.conf' }),
];

const tinyproxy: Base = { program: 'tinyproxy', run: 'exec tinyproxy -d -c /etc/app/tinyproxy.conf' };
const TINY = (text: string): Trial['files'] => ({
  'etc/app/tinyproxy.conf': `Port 8888\nListen 127.0.0.1\nTimeout 60\nMaxClients 10\n${text}\n`,
});
const tinyTrials: readonly Trial[] = [
  trial(tinyproxy, 'port-taken', 'port', ['port-in-use exit-code', 'listening sockets'], {
    before: occupied(8888),
    files: TINY(''),
  }),
  trial(tinyproxy, 'unknown-key', 'config', [CONFIG, 'line 5'], { files: TINY('MaxClient 3') }),
  trial(tinyproxy, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec tinyproxy -d -c /etc/app/none.conf',
  }),
  trial(tinyproxy, 'unknown-user', 'config', [CONFIG, 'proxyuser'], { files: TINY('User proxyuser') }),
];

const openvpn: Base = { program: 'openvpn', run: 'exec openvpn --config /etc/app/vpn.conf' };
const VPN = (text: string): Trial['files'] => ({ 'etc/app/vpn.conf': `dev null\nport 1194\nproto udp\n${text}\n` });
const vpnTrials: readonly Trial[] = [
  trial(openvpn, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec openvpn --config /etc/app/none.conf',
  }),
  trial(openvpn, 'unknown-option', 'config', ['malformed-config exit-code bad-argument', 'keepalve'], {
    files: VPN('keepalve 10 60'),
  }),
  trial(openvpn, 'no-key', 'tls', [FILE, '/etc/tls/ca.crt'], {
    files: VPN('tls-server\nca /etc/tls/ca.crt\ncert /etc/tls/tls.crt\nkey /etc/tls/tls.key\ndh none'),
  }),
];

const proftpd: Base = { program: 'proftpd', run: 'exec proftpd -n -c /etc/app/proftpd.conf' };
const FTP = (text: string): Trial['files'] => ({
  'etc/app/proftpd.conf': `ServerName trial\nServerType standalone\nPort 2121\nUseIPv6 off\nUser app\nGroup app\nPidFile /data/ftp.pid\nScoreboardFile /data/ftp.score\nWtmpLog off\n${text}\n`,
});
const ftpTrials: readonly Trial[] = [
  trial(proftpd, 'port-taken', 'port', ['port-in-use', '2121'], { before: occupied(2121), files: FTP('') }),
  trial(proftpd, 'unknown-directive', 'config', [CONFIG, 'MaxInstance'], { files: FTP('MaxInstance 3') }),
  trial(proftpd, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec proftpd -n -c /etc/app/none.conf' }),
];

const pushgateway: Base = {
  program: 'pushgateway',
  run: 'exec prometheus-pushgateway --persistence.file=/data/metrics',
};
const pushTrials: readonly Trial[] = [
  trial(pushgateway, 'port-taken', 'port', ['port-in-use', '9091'], { before: occupied(9091, 'AF_INET6', '::') }),
  trial(pushgateway, 'unknown-flag', 'config', ['bad-argument exit-code', 'persistance.file'], {
    run: 'exec prometheus-pushgateway --persistance.file=/data/metrics',
  }),
  trial(pushgateway, 'corrupt', 'data', ['corrupt-data malformed-config exit-code', ''], {
    before: 'echo garbage > /data/metrics',
  }),
];

const icecast: Base = { program: 'icecast', user: 1000, run: 'exec icecast2 -c /etc/app/icecast.xml' };
const ICE = (text: string): Trial['files'] => ({
  'etc/app/icecast.xml': `<icecast><hostname>a</hostname><listen-socket><port>8000</port></listen-socket><authentication><source-password>a</source-password></authentication><paths><basedir>/usr/share/icecast2</basedir><logdir>/tmp</logdir><webroot>/usr/share/icecast2/web</webroot></paths><logging><errorlog>-</errorlog><accesslog>-</accesslog></logging>${text}</icecast>\n`,
});
const iceTrials: readonly Trial[] = [
  trial(icecast, 'port-taken', 'port', ['port-in-use exit-code', '8000'], {
    before: occupied(8000, 'AF_INET6', '::'),
    files: ICE(''),
  }),
  trial(icecast, 'bad-xml', 'config', [CONFIG, '/etc/app/icecast.xml'], { files: ICE('<limits>') }),
  trial(icecast, 'no-config', 'file', ['missing-setting malformed-config exit-code', '/etc/app/none.xml'], {
    run: 'exec icecast2 -c /etc/app/none.xml',
  }),
];

const supervisor: Base = { program: 'supervisor', run: 'exec supervisord -n -c /etc/app/supervisord.conf' };
const SUPER = (text: string): Trial['files'] => ({
  'etc/app/supervisord.conf': `[supervisord]\nlogfile=/dev/null\nlogfile_maxbytes=0\npidfile=/tmp/s.pid\n${text}\n`,
});
const superTrials: readonly Trial[] = [
  trial(supervisor, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec supervisord -n -c /etc/app/none.conf',
  }),
  trial(supervisor, 'bad-value', 'config', [CONFIG, 'autorestart'], {
    files: SUPER('[program:web]\ncommand=/bin/web\nautorestart=perhaps'),
  }),
  trial(supervisor, 'no-folder', 'file', [FILE, '/var/log/none'], { files: SUPER('childlogdir=/var/log/none') }),
  trial(supervisor, 'port-taken', 'port', ['port-in-use exit-code', 'already listening'], {
    before: occupied(9001),
    files: SUPER('[inet_http_server]\nport=0.0.0.0:9001'),
  }),
];

const rsyslog: Base = { program: 'rsyslog', run: 'exec rsyslogd -n -f /etc/app/rsyslog.conf -i /tmp/r.pid' };
const rsyslogTrials: readonly Trial[] = [
  trial(rsyslog, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec rsyslogd -n -f /etc/app/none.conf -i /tmp/r.pid',
  }),
];

const well = (
  base: Base,
  waitSeconds: number,
  all: readonly (readonly [name: string, during: string])[],
): readonly Trial[] =>
  all.map(([name, during]) => ({
    ...base,
    name: `well-${name}`,
    family: 'healthy',
    truth: { healthy: true },
    during: `sleep ${waitSeconds}; ${during}; sleep 0.3`,
    seconds: waitSeconds + 4,
  }));
const healthy: readonly Trial[] = [
  ...well({ ...nsd, files: NSD('zone:\n  name: a\n  zonefile: /data/a.zone') }, 1, [['no-zone', 'true']]),
  ...well({ ...knot, files: KNOT('zone:\n  - domain: a\n    file: a.zone') }, 2, [['no-zone', 'true']]),
  ...well({ ...tinyproxy, files: TINY('') }, 1, [
    ['quiet', 'true'],
    ['upstream-away', 'curl -s -x http://127.0.0.1:8888 http://127.0.0.1:3000/'],
    ['garbage', `printf 'GET / nonsense\\r\\n\\r\\n' | nc -w1 127.0.0.1 8888`],
  ]),
  ...well({ ...proftpd, files: FTP('') }, 1, [
    ['quiet', 'true'],
    ['wrong-password', `printf 'USER app\\r\\nPASS x\\r\\nQUIT\\r\\n' | nc -w2 127.0.0.1 2121`],
  ]),
  ...well(pushgateway, 1, [
    ['quiet', 'true'],
    ['bad-push', `curl -s -d 'a b c' http://127.0.0.1:9091/metrics/job/a`],
  ]),
  ...well({ ...icecast, files: ICE('') }, 2, [['quiet', 'curl -s http://127.0.0.1:8000/none']]),
  ...well(
    {
      ...supervisor,
      files: SUPER(
        '[program:web]\ncommand=/bin/sh -c "if [ -e /tmp/x ]; then exec sleep 60; fi; touch /tmp/x; exit 3"\nstartsecs=1',
      ),
    },
    4,
    [['restarted', 'true']],
  ),
  {
    ...r,
    name: 'well-caught',
    family: 'healthy',
    truth: { healthy: true },
    files: R(
      'x <- tryCatch(readLines("/var/cache/shop.db"), error = function(e) message("Error in cache: ", conditionMessage(e)))\nmessage("building the cache")\nmessage("Running plumber API at http://0.0.0.0:8000")\nSys.sleep(60)',
    ),
  },
  {
    ...guile,
    name: 'well-caught',
    family: 'healthy',
    truth: { healthy: true },
    files: scm(
      '(catch #t (lambda () (open-input-file "/var/cache/shop.db")) (lambda (k . a) (format #t "error: ~a ~a~%" k a)))\n(display "cache is empty\\n")\n(display "web server on port 8080\\n")\n(force-output)\n(sleep 60)',
    ),
  },
];

export const THIRD: readonly Trial[] = [
  ...rTrials,
  ...ocamlTrials,
  ...guileTrials,
  ...nsdTrials,
  ...knotTrials,
  ...tinyTrials,
  ...vpnTrials,
  ...ftpTrials,
  ...pushTrials,
  ...iceTrials,
  ...superTrials,
  ...rsyslogTrials,
  ...healthy,
];
