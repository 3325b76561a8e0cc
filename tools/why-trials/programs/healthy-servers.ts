/** Healthy servers whose clients make mistakes: errors of sessions and requests end no server. */
import type { Trial } from '../trial.ts';

type Visit = readonly [name: string, during: string, more?: Partial<Trial>];

function visits(
  base: Pick<Trial, 'program' | 'run'> & Partial<Trial>,
  waitSeconds: number,
  all: readonly Visit[],
): readonly Trial[] {
  return all.map(([name, during, more]) => ({
    ...base,
    name: `well-${name}`,
    family: 'healthy',
    truth: { healthy: true },
    during: `sleep ${waitSeconds}; ${during}; sleep 0.3`,
    seconds: waitSeconds + 3,
    ...more,
  }));
}

const PSQL = (sql: string, password = 'right', database = 'postgres'): string =>
  `PGPASSWORD=${password} psql -h 127.0.0.1 -U app -d ${database} -c "${sql}"`;
const GOOD = PSQL('create table if not exists t (a int primary key)');
const curl = (url: string): string => `curl -s -o /dev/null ${url}`;

const postgres = visits(
  { program: 'postgres', user: 70, run: 'exec postgres -D /var/lib/postgresql/data -k /tmp' },
  2,
  [
    ['quiet', 'true'],
    ['wrong-password', PSQL('select 1', 'wrong')],
    ['no-database', PSQL('select 1', 'right', 'orders')],
    ['no-table', PSQL('select * from invoices')],
    ['syntax', PSQL('selec 1')],
    ['duplicate-key', `${GOOD}; ${PSQL('insert into t values (1)')}; ${PSQL('insert into t values (1)')}`],
    ['cancelled', PSQL('set statement_timeout = 50; select pg_sleep(1)')],
    ['lost-client', `${PSQL('select pg_sleep(9)')} & sleep 0.3; kill -9 $!`],
    [
      'recovered',
      'true',
      {
        before:
          'setpriv --reuid=70 --regid=70 --clear-groups pg_ctl -w -D /var/lib/postgresql/data -o "-k /tmp" -l /tmp/l start; PGPASSWORD=right psql -h 127.0.0.1 -U app -d postgres -c "create table x as select generate_series(1,9999)"; kill -9 $(head -1 /var/lib/postgresql/data/postmaster.pid); sleep 0.5',
      },
    ],
    ['all-at-once', `${PSQL('selec 1')}; ${PSQL('select 1', 'wrong')}; ${PSQL('select 1', 'right', 'x')}`],
  ],
);
const redis = visits({ program: 'redis', run: 'exec redis-server --dir /data' }, 1, [
  ['quiet', 'true'],
  ['wrong-command', 'redis-cli nonsense a b'],
  ['wrong-password', 'redis-cli -a wrong ping'],
  ['garbage', 'printf "GET / HTTP/1.0\\r\\nHost: a\\r\\n\\r\\n" | nc -w1 127.0.0.1 6379'],
  [
    'failed-save',
    'mount -t tmpfs -o ro none /data; redis-cli set a b; redis-cli bgsave; sleep 0.5; umount /data; redis-cli bgsave',
  ],
  [
    'restored',
    'true',
    {
      before:
        'redis-server --port 7777 --dir /data --daemonize yes; sleep 0.5; redis-cli -p 7777 set a b; redis-cli -p 7777 save; redis-cli -p 7777 shutdown nosave',
    },
  ],
]);
const NGINX = {
  'etc/app/nginx.conf':
    'daemon off;\nerror_log stderr;\npid /tmp/nginx.pid;\nevents {}\nhttp {\n access_log /dev/stdout;\n server { listen 8080; location /api { proxy_pass http://127.0.0.1:3000; } location /private { deny all; } location / { root /tmp; } location /ok { return 200 ok; } }\n}\n',
};
const nginx = visits({ program: 'nginx', files: NGINX, run: 'exec nginx -c /etc/app/nginx.conf -e stderr' }, 1, [
  ['quiet', 'true'],
  ['not-found', curl('http://127.0.0.1:8080/missing.png')],
  ['not-found-then-good', `${curl('http://127.0.0.1:8080/missing.png')}; ${curl('http://127.0.0.1:8080/ok')}`],
  ['upstream-away', curl('http://127.0.0.1:8080/api/orders')],
  [
    'upstream-back',
    `${curl('http://127.0.0.1:8080/api/orders')}; cd /tmp; python3 -m http.server 3000 >/dev/null 2>&1 & sleep 0.7; ${curl('http://127.0.0.1:8080/api')}; ${curl('http://127.0.0.1:8080/ok')}`,
  ],
  ['forbidden', curl('http://127.0.0.1:8080/private/a')],
  ['garbage', 'printf "\\x16\\x03\\x01" | nc -w1 127.0.0.1 8080'],
  [
    'reload-of-a-bad-file',
    'cp /etc/app/nginx.conf /tmp/good; echo "nonsense;" >> /etc/app/nginx.conf; kill -HUP $(cat /tmp/nginx.pid); sleep 0.3; cp /tmp/good /etc/app/nginx.conf; kill -HUP $(cat /tmp/nginx.pid)',
  ],
]);
const SQL = (sql: string, user = 'root', password = ''): string =>
  `mariadb -h 127.0.0.1 -u ${user} ${password === '' ? '' : `-p${password}`} -e "${sql}"`;
const mariadb = visits(
  {
    program: 'mariadb',
    user: 71,
    files: { 'etc/app/my.cnf': '[mysqld]\ndatadir=/var/lib/mysql\nsocket=/tmp/mysql.sock\nlog_warnings=4\n' },
    run: 'exec mariadbd --defaults-file=/etc/app/my.cnf',
  },
  4,
  [
    ['quiet', 'true'],
    ['wrong-password', SQL('select 1', 'app', 'wrong')],
    ['no-table', SQL('select * from a.b')],
    ['lost-client', `${SQL('select sleep(9)')} & sleep 0.5; kill -9 $!`],
    [
      'recovered',
      'true',
      {
        before:
          'setpriv --reuid=71 --regid=71 --clear-groups mariadbd --defaults-file=/etc/app/my.cnf & sleep 4; mariadb -h 127.0.0.1 -e "create database z; create table z.a (b int); insert into z.a values (1)"; kill -9 $!; sleep 0.5',
      },
    ],
  ],
);
const HTTPD = {
  'etc/app/httpd.conf': `ServerRoot /etc/apache2\nPidFile /tmp/httpd.pid\n${['mpm_event', 'authz_core', 'dir', 'mime', 'proxy', 'proxy_http'].map((each) => `LoadModule ${each}_module /usr/lib/apache2/modules/mod_${each}.so`).join('\n')}\nTypesConfig /etc/hosts\nUser www-data\nGroup www-data\nErrorLog /dev/stderr\nListen 8080\nDocumentRoot /tmp\nProxyPass /api http://127.0.0.1:3000\n<Location /private>\nRequire all denied\n</Location>\n`,
};
const apache = visits(
  { program: 'apache', files: HTTPD, run: 'exec apache2 -f /etc/app/httpd.conf -D FOREGROUND' },
  1,
  [
    ['quiet', 'true'],
    ['not-found', curl('http://127.0.0.1:8080/missing.png')],
    ['forbidden', curl('http://127.0.0.1:8080/private/a')],
    ['upstream-away', curl('http://127.0.0.1:8080/api/orders')],
    ['garbage', 'printf "\\x16\\x03\\x01\\r\\n\\r\\n" | nc -w1 127.0.0.1 8080'],
  ],
);
const etcd = visits({ program: 'etcd', run: 'exec etcd --data-dir /data/etcd' }, 2, [
  ['quiet', 'true'],
  ['tls-client', 'curl -sk https://127.0.0.1:2379/'],
  ['garbage', 'printf "GET / nonsense\\r\\n\\r\\n" | nc -w1 127.0.0.1 2379'],
  ['not-found', curl('http://127.0.0.1:2379/v9/none')],
]);
const caddy = visits(
  {
    program: 'caddy',
    files: {
      'etc/app/Caddyfile':
        '{\n auto_https off\n}\n:8080 {\n log\n handle /api/* {\n  reverse_proxy 127.0.0.1:3000\n }\n handle {\n  root * /tmp\n  file_server\n }\n}\n',
    },
    run: 'exec caddy run --config /etc/app/Caddyfile --adapter caddyfile',
  },
  2,
  [
    ['quiet', 'true'],
    ['not-found', curl('http://127.0.0.1:8080/missing.png')],
    ['upstream-away', curl('http://127.0.0.1:8080/api/orders')],
    [
      'upstream-away-then-good',
      `${curl('http://127.0.0.1:8080/api/orders')}; touch /tmp/a.txt; ${curl('http://127.0.0.1:8080/a.txt')}`,
    ],
  ],
);
const dnsmasq = visits(
  {
    program: 'dnsmasq',
    files: { 'etc/app/dnsmasq.conf': 'user=root\nserver=127.0.0.1#5353\nlog-queries\n' },
    run: 'exec dnsmasq -k --log-facility=- -C /etc/app/dnsmasq.conf',
  },
  1,
  [
    ['quiet', 'true'],
    ['upstream-away', 'getent ahosts shop.example'],
  ],
);
const lighttpd = visits(
  {
    program: 'lighttpd',
    files: {
      'etc/app/lighttpd.conf':
        'server.document-root = "/tmp"\nserver.port = 8080\nserver.modules = ("mod_accesslog")\naccesslog.filename = "/dev/stdout"\n',
    },
    run: 'exec lighttpd -D -f /etc/app/lighttpd.conf',
  },
  1,
  [
    ['quiet', 'true'],
    ['not-found', curl('http://127.0.0.1:8080/missing.png')],
    ['garbage', 'printf "nonsense\\r\\n\\r\\n" | nc -w1 127.0.0.1 8080'],
  ],
);
const gunicorn = visits(
  {
    program: 'python',
    files: {
      'app/main.py':
        'from flask import Flask\napp = Flask("shop")\n@app.route("/ok")\ndef ok():\n    return "ok"\n@app.route("/price")\ndef price():\n    return str({}["plan-7"])\n',
    },
    run: 'exec gunicorn -b 127.0.0.1:8080 --access-logfile - main:app',
  },
  2,
  [
    ['gunicorn-quiet', 'true'],
    ['gunicorn-exception', curl('http://127.0.0.1:8080/price')],
    ['gunicorn-exception-then-good', `${curl('http://127.0.0.1:8080/price')}; ${curl('http://127.0.0.1:8080/ok')}`],
    ['gunicorn-worker-killed', 'kill -9 $(pgrep -f "main:app" | tail -1); sleep 1'],
  ],
);
const express = visits(
  {
    program: 'node',
    env: { NODE_PATH: '/opt/node/node_modules' },
    files: {
      'app/server.js': `const app = require('express')();\napp.get('/ok', (q, r) => r.send('ok'));\napp.get('/price', () => { throw new Error('plan 7 has no price'); });\napp.use((q, r, n) => { console.log(q.method, q.url); n(); });\napp.listen(8080, () => console.log('listening on 8080'));\n`,
    },
    run: 'exec node server.js',
  },
  1,
  [
    ['express-exception', curl('http://127.0.0.1:8080/price')],
    ['express-not-found', curl('http://127.0.0.1:8080/none')],
  ],
);
const netHttp = visits(
  {
    program: 'go',
    before: 'export GO111MODULE=off GOCACHE=/tmp/gocache CGO_ENABLED=0; go build -o app main.go',
    files: {
      'app/main.go':
        'package main\n\nimport (\n\t"log"\n\t"net/http"\n)\n\nfunc main() {\n\thttp.HandleFunc("/price", func(w http.ResponseWriter, r *http.Request) { panic("plan 7 has no price") })\n\thttp.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) { log.Println("GET /ok 200") })\n\tlog.Println("listening on :8080")\n\tlog.Fatal(http.ListenAndServe(":8080", nil))\n}\n',
    },
    run: 'exec ./app',
  },
  1,
  [
    ['panic-in-handler', curl('http://127.0.0.1:8080/price')],
    ['panic-in-handler-then-good', `${curl('http://127.0.0.1:8080/price')}; ${curl('http://127.0.0.1:8080/ok')}`],
  ],
);

export const HEALTHY_SERVERS: readonly Trial[] = [
  ...postgres,
  ...redis,
  ...nginx,
  ...mariadb,
  ...apache,
  ...etcd,
  ...caddy,
  ...dnsmasq,
  ...lighttpd,
  ...gunicorn,
  ...express,
  ...netHttp,
];
