/** Trials of the seventh batch that is held out: servers of mail, names and clusters, build tools, jobs, wrappers, and applications. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const ARGUMENT = 'bad-argument exit-code malformed-config';
const DENIED = 'permission-denied';
const LIBRARY = 'missing-module exit-code missing-setting';
const CODE = 'exit-code';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });

const SMTPD = 'listen on 127.0.0.1 port 2525\naction "local" mbox\nmatch for local action "local"';
const smtpd = (text: string): Base => ({
  program: 'opensmtpd',
  run: 'exec smtpd -d -f /etc/app/smtpd.conf',
  files: conf('etc/app/smtpd.conf', text),
});
const DHCPD = 'subnet 127.0.0.0 netmask 255.0.0.0 { range 127.0.0.50 127.0.0.60; }';
const dhcpd = (text: string): Base => ({
  program: 'dhcpd',
  before: 'mkdir -p /var/lib/dhcp; touch /var/lib/dhcp/dhcpd.leases',
  run: 'exec dhcpd -f -d -cf /etc/app/dhcpd.conf lo',
  files: conf('etc/app/dhcpd.conf', text),
});
const transmission: Base = {
  program: 'transmission',
  run: 'exec transmission-daemon -f -g /data --no-portmap --rpc-bind-address 127.0.0.1 -p 9091',
};
const rspamd: Base = {
  program: 'rspamd',
  before: 'mkdir -p /var/lib/rspamd /run/rspamd',
  run: 'exec rspamd -f -i -c /etc/app/rspamd.conf',
  files: conf(
    'etc/app/rspamd.conf',
    'options { pidfile = "/run/rspamd/r.pid"; tempdir = "/tmp"; }\nlogging { type = "console"; level = "info"; }\nworker "controller" { bind_socket = "127.0.0.1:11334"; count = 1; password = "q1"; }',
  ),
};
const rspamdConf = (text: string): Base => ({ ...rspamd, files: conf('etc/app/rspamd.conf', text) });
const gobgpd = (text: string): Base => ({
  program: 'gobgpd',
  run: 'exec gobgpd -f /etc/app/gobgpd.toml --api-hosts 127.0.0.1:50051',
  files: conf('etc/app/gobgpd.toml', text),
});
const GOBGP = '[global.config]\n  as = 64512\n  router-id = "127.0.0.1"\n  port = 1790';
const dnsdist = (text: string): Base => ({
  program: 'dnsdist',
  run: 'exec dnsdist --supervised --disable-syslog -C /etc/app/dnsdist.conf',
  files: conf('etc/app/dnsdist.conf', text),
});
const DNSDIST =
  'setLocal("127.0.0.1:5300")\nnewServer({address="127.0.0.1:5353", checkInterval=1})\nsetSecurityPollSuffix("")';
const krb5: Base = {
  program: 'krb5kdc',
  run: 'exec krb5kdc -n',
  files: {
    'etc/krb5.conf':
      '[libdefaults]\n default_realm = SHOP.EXAMPLE\n[realms]\n SHOP.EXAMPLE = { kdc = 127.0.0.1 }\n[logging]\n kdc = STDERR\n default = STDERR\n',
  },
};
const zabbix = (text: string): Base => ({
  program: 'zabbix-proxy',
  run: 'exec zabbix_proxy -f -c /etc/app/proxy.conf',
  files: conf('etc/app/proxy.conf', `LogType=console\nAllowRoot=1\nHostname=p\nDBName=/data/proxy.db\n${text}`),
});
const munged: Base = {
  program: 'munged',
  before:
    'mkdir -p /run/munge /var/lib/munge /var/log/munge /etc/munge; head -c 64 /dev/urandom > /etc/munge/k; chmod 600 /etc/munge/k; chmod 755 /run/munge',
  run: 'exec munged -F --key-file=/etc/munge/k --force',
};
const slurm = (text: string): Base => ({
  program: 'slurmctld',
  before: 'mkdir -p /data/spool',
  run: 'exec slurmctld-wlm -D -f /etc/app/slurm.conf',
  files: conf(
    'etc/app/slurm.conf',
    `ClusterName=shop\nSlurmctldHost=trial(127.0.0.1)\nSlurmUser=root\nAuthType=auth/none\nStateSaveLocation=/data/spool\nSlurmctldPidFile=/tmp/s.pid\nNodeName=trial NodeAddr=127.0.0.1 CPUs=1\nPartitionName=all Nodes=trial Default=YES\n${text}`,
  ),
});
const snmpd: Base = {
  program: 'snmpd',
  run: 'exec snmpd -f -Lo -C -c /etc/app/snmpd.conf udp:127.0.0.1:1161',
  files: conf('etc/app/snmpd.conf', 'rocommunity public'),
};
const murmur: Base = {
  program: 'mumble',
  run: 'exec murmurd -fg -ini /etc/app/murmur.ini',
  files: conf('etc/app/murmur.ini', 'database=/data/m.sqlite\nport=64738\nhost=127.0.0.1\nlogfile='),
};
const aria2: Base = { program: 'aria2', run: 'exec aria2c --enable-rpc --rpc-listen-port=6800 --dir=/data' };
const keepalived = (text: string): Base => ({
  program: 'keepalived',
  run: 'exec keepalived -n -l -f /etc/app/keepalived.conf',
  files: conf('etc/app/keepalived.conf', text),
});
const chasquid: Base = {
  program: 'chasquid',
  before:
    'mkdir -p /etc/app/certs/a /etc/app/domains/a /data; cd /etc/app/certs/a; openssl req -x509 -newkey rsa:2048 -nodes -keyout privkey.pem -out fullchain.pem -days 2 -subj /CN=a 2>/dev/null',
  run: 'exec chasquid --config_dir=/etc/app',
  files: conf(
    'etc/app/chasquid.conf',
    'hostname: "a"\nsmtp_address: "127.0.0.1:2525"\ndata_dir: "/data"\nmail_log_path: "<stdout>"',
  ),
};
const chasquidConf = (text: string): Partial<Trial> => ({ files: conf('etc/app/chasquid.conf', text) });

const servers: readonly Trial[] = [
  trial(smtpd(SMTPD), 'unknown-keyword', 'config', [CONFIG, '/etc/app/smtpd.conf'], {
    files: conf('etc/app/smtpd.conf', `${SMTPD}\nlisen on 127.0.0.1`),
  }),
  trial(smtpd(SMTPD), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec smtpd -d -f /etc/app/none.conf',
  }),
  trial(smtpd(`table users file:/etc/app/users\n${SMTPD}`), 'no-table', 'file', [FILE, '/etc/app/users']),
  trial(dhcpd(DHCPD), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec dhcpd -f -d -cf /etc/app/none.conf lo',
  }),
  trial(dhcpd(`${DHCPD}\nmax-lese-time 600;`), 'unknown-option', 'config', [CONFIG, '/etc/app/dhcpd.conf']),
  trial(dhcpd(DHCPD), 'no-interface', 'config', ['exit-code missing-setting bad-argument', 'eth7'], {
    run: 'exec dhcpd -f -d -cf /etc/app/dhcpd.conf eth7',
  }),
  trial(dhcpd(DHCPD), 'no-leases', 'file', [FILE, '/var/lib/dhcp/dhcpd.leases'], { before: 'rm -rf /var/lib/dhcp' }),
  trial(transmission, 'port-taken', 'port', [PORT, '9091'], { before: occupied(9091, 'AF_INET', '127.0.0.1') }),
  trial(transmission, 'unknown-option', 'config', [ARGUMENT, 'port-mapp'], {
    run: 'exec transmission-daemon -f -g /data --no-port-mapp',
  }),
  trial(rspamdConf('worker "controller" { bind_socket = "127.0.0.1:11334"; '), 'unclosed', 'config', [
    CONFIG,
    '/etc/app/rspamd.conf',
  ]),
  trial(rspamd, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec rspamd -f -i -c /etc/app/none.conf' }),
  trial(gobgpd(`${GOBGP}\n  routr-id = "127.0.0.2"\n[global.confg`), 'bad-toml', 'config', [
    CONFIG,
    '/etc/app/gobgpd.toml',
  ]),
  trial(gobgpd(GOBGP), 'no-config', 'file', [FILE, '/etc/app/none.toml'], { run: 'exec gobgpd -f /etc/app/none.toml' }),
  trial(gobgpd(GOBGP), 'port-taken', 'port', [PORT, '50051'], { before: occupied(50051, 'AF_INET', '127.0.0.1') }),
  trial(gobgpd(GOBGP), 'unknown-flag', 'config', [ARGUMENT, 'api-hots'], {
    run: 'exec gobgpd --api-hots 127.0.0.1:50051',
  }),
  trial(dnsdist('setLocl("127.0.0.1:5300")'), 'unknown-function', 'config', [CONFIG, 'setLocl']),
  trial(dnsdist(DNSDIST), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec dnsdist --supervised --disable-syslog -C /etc/app/none.conf',
  }),
  trial(dnsdist(DNSDIST), 'port-taken', 'port', [PORT, '5300'], { before: occupied(5300, 'AF_INET', '127.0.0.1') }),
  trial(krb5, 'no-database', 'data', ['missing-setting exit-code missing-data', 'principal']),
  trial(krb5, 'no-realm', 'config', ['exit-code missing-setting malformed-config', 'realm'], {
    files: { 'etc/krb5.conf': '[libdefaults]\n[logging]\n kdc = STDERR\n default = STDERR\n' },
  }),
  trial(zabbix('Server=127.0.0.1\nListenPort=10051\nStartPingrs=0'), 'unknown-parameter', 'config', [
    CONFIG,
    'StartPingrs',
  ]),
  trial(zabbix('ListenPort=10051'), 'no-server', 'config', [CONFIG, 'Server']),
  trial(zabbix('Server=127.0.0.1\nListenPort=99999'), 'bad-port', 'config', [CONFIG, 'ListenPort']),
  trial(zabbix('Server=127.0.0.1\nListenPort=10051'), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec zabbix_proxy -f -c /etc/app/none.conf',
  }),
  trial(munged, 'no-key', 'file', [FILE, '/etc/munge/none'], {
    run: 'exec munged -F --force --key-file=/etc/munge/none',
  }),
  trial(munged, 'short-key', 'data', ['exit-code corrupt-data missing-setting malformed-config', 'Keyfile'], {
    before: `${munged.before}; echo short > /etc/munge/k`,
  }),
  trial(munged, 'no-socket-folder', 'file', [FILE, '/run/none'], {
    run: 'exec munged -F --key-file=/etc/munge/k --socket=/run/none/munge.socket',
  }),
  trial(slurm('SchedulrType=sched/backfill'), 'unknown-key', 'config', [CONFIG, 'SchedulrType']),
  trial(slurm(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec slurmctld-wlm -D -f /etc/app/none.conf',
  }),
  trial(snmpd, 'port-taken', 'port', [PORT, '1161'], { before: occupied(1161, 'AF_INET', '127.0.0.1') }),
  trial(
    snmpd,
    'bad-address',
    'config',
    ['exit-code dependency-not-resolved address-not-available bad-argument', 'nowhere.shop.svc'],
    {
      run: 'exec snmpd -f -Lo -C -c /etc/app/snmpd.conf udp:nowhere.shop.svc:1161',
    },
  ),
  trial(murmur, 'database-denied', 'permission', [`${DENIED} exit-code missing-data`, 'database'], {
    user: 1000,
    before: 'chmod 700 /data',
  }),
  trial(murmur, 'bad-certificate', 'tls', ['exit-code malformed-config missing-setting', '/etc/app/none.pem'], {
    files: conf(
      'etc/app/murmur.ini',
      'database=/data/m.sqlite\nhost=127.0.0.1\nlogfile=\nsslCert=/etc/app/none.pem\nsslKey=/etc/app/none.key',
    ),
  }),
  trial(aria2, 'port-taken', 'port', [PORT, '6800'], { before: occupied(6800, 'AF_INET', '127.0.0.1') }),
  trial(aria2, 'unknown-option', 'config', [ARGUMENT, 'enable-rcp'], { run: 'exec aria2c --enable-rcp --dir=/data' }),
  trial(aria2, 'download-refused', 'peer', [REFUSED, '127.0.0.1:8081'], {
    run: 'exec aria2c -t 2 -m 1 http://127.0.0.1:8081/a.tar',
  }),
  trial(
    keepalived(
      'vrrp_instance A {\n  state MASTER\n  interface eth7\n  virtual_router_id 5\n  virtual_ipaddress {\n    10.1.1.1\n  }\n}',
    ),
    'no-interface',
    'config',
    [CONFIG, 'eth7'],
  ),
  trial(keepalived(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec keepalived -n -l -f /etc/app/none.conf',
  }),
  trial(
    chasquid,
    'bad-config',
    'config',
    [CONFIG, 'smtp_adress'],
    chasquidConf('hostname: "a"\nsmtp_adress: "127.0.0.1:2525"'),
  ),
  trial(chasquid, 'no-config', 'file', [FILE, '/etc/none'], { run: 'exec chasquid --config_dir=/etc/none' }),
  trial(chasquid, 'port-taken', 'port', [PORT, '2525'], {
    before: `${chasquid.before}; ${occupied(2525, 'AF_INET', '127.0.0.1')}`,
  }),
  trial(chasquid, 'no-certificates', 'tls', [FILE, 'certs'], { before: 'mkdir -p /etc/app/domains/a /data' }),
];

const job = (program: string, run: string, more: Partial<Trial> = {}): Base => ({ program, run, ...more });
const jobs: readonly Trial[] = [
  trial(job('pgbackrest', 'exec pgbackrest --stanza=shop --log-level-console=info backup'), 'no-path', 'config', [
    CONFIG,
    'pg1-path',
  ]),
  trial(
    job(
      'pgbackrest',
      'exec pgbackrest --stanza=shop --pg1-path=/data --repo1-path=/backup --log-level-console=info --config=/etc/app/none.conf backup',
    ),
    'no-config',
    'file',
    [FILE, '/etc/app/none.conf'],
  ),
  trial(
    job(
      'pgbackrest',
      'exec pgbackrest --stanza=shop --pg1-path=/var/lib/postgresql/data --pg1-port=5439 --pg1-socket-path=/tmp --log-path=/tmp --lock-path=/tmp --repo1-path=/tmp/b --log-level-console=info stanza-create',
    ),
    'database-away',
    'peer',
    ['dependency-refused exit-code missing-setting', '5439'],
  ),
  trial(job('kcat', 'exec kcat -b 127.0.0.1:9092 -L -m 3'), 'broker-refused', 'peer', [
    `${REFUSED} dependency-times-out exit-code`,
    '127.0.0.1:9092',
  ]),
  trial(job('kcat', 'exec kcat -b kafka.shop.svc:9092 -L -m 3'), 'no-name', 'peer', [NO_NAME, 'kafka.shop.svc']),
  trial(
    job('skopeo', 'exec skopeo inspect --tls-verify=false docker://127.0.0.1:5000/shop/cart:1'),
    'registry-refused',
    'peer',
    [REFUSED, '127.0.0.1:5000'],
  ),
  trial(job('skopeo', 'exec skopeo copy docker://registry.shop.svc/cart:1 dir:/tmp/c'), 'no-name', 'peer', [
    NO_NAME,
    'registry.shop.svc',
  ]),
  trial(job('skopeo', 'exec skopeo copy oci:/data/cart:1 dir:/tmp/c'), 'no-layout', 'file', [
    `${FILE} missing-data`,
    '/data/cart',
  ]),
  trial(job('hugo', 'cd /app; exec hugo'), 'bad-config', 'config', [CONFIG, 'config.toml'], {
    files: conf('app/config.toml', 'title = "shop'),
  }),
  trial(job('hugo', 'cd /app; exec hugo'), 'no-theme', 'file', [`${FILE} missing-module`, 'shop-theme'], {
    files: conf('app/config.toml', 'title = "shop"\ntheme = "shop-theme"'),
  }),
  trial(
    job('hugo', 'cd /app; exec hugo'),
    'bad-template',
    'code',
    ['exit-code malformed-config', 'layouts/index.html'],
    {
      files: { 'app/config.toml': 'title = "shop"\n', 'app/layouts/index.html': '{{ .Titel | upcase }}\n' },
    },
  ),
  trial(job('sqlite', 'exec sqlite3 -bail /data/shop.db "select * from orders"'), 'no-table', 'data', [
    'missing-data exit-code',
    'orders',
  ]),
  trial(
    job('sqlite', 'exec sqlite3 -bail /data/shop.db "select 1 from sqlite_master"'),
    'garbage',
    'data',
    ['corrupt-data exit-code', 'database'],
    {
      before: 'head -c 8192 /dev/urandom > /data/shop.db',
    },
  ),
  trial(job('wrappers', 'exec tini -- /app/strat.sh'), 'tini', 'config', [
    'missing-binary missing-setting exit-code',
    '/app/strat.sh',
  ]),
  trial(
    job('wrappers', 'exec dumb-init /app/start.sh'),
    'dumb-init-not-executable',
    'permission',
    ['not-executable permission-denied exit-code', '/app/start.sh'],
    {
      files: conf('app/start.sh', '#!/bin/sh\nexit 1'),
    },
  ),
  trial(job('wrappers', 'exec gosu shop /bin/true'), 'gosu-user', 'config', ['exit-code missing-setting', 'shop']),
  trial(job('wrappers', 'exec wait-for-it -t 2 shop-db:5432 -- true'), 'wait-for-it', 'peer', [
    'dependency-times-out dependency-not-resolved exit-code dependency-refused',
    'shop-db',
  ]),
  trial(
    job('cmake', 'cd /app; exec cmake -S . -B /tmp/b'),
    'no-package',
    'library',
    [`${LIBRARY} exit-code`, 'Ledger'],
    {
      files: conf(
        'app/CMakeLists.txt',
        'cmake_minimum_required(VERSION 3.10)\nproject(shop NONE)\nfind_package(Ledger REQUIRED)',
      ),
    },
  ),
  trial(job('cmake', 'cd /app; exec cmake -S . -B /tmp/b'), 'no-lists', 'file', [FILE, 'CMakeLists.txt']),
  trial(
    job('cmake', 'cd /app; exec cmake -S . -B /tmp/b'),
    'unknown-command',
    'code',
    ['exit-code malformed-config bad-argument', 'add_libary'],
    {
      files: conf('app/CMakeLists.txt', 'cmake_minimum_required(VERSION 3.10)\nproject(shop NONE)\nadd_libary(a a.c)'),
    },
  ),
  trial(job('meson', 'cd /app; exec meson setup /tmp/b'), 'no-dependency', 'library', [LIBRARY, 'ledger'], {
    files: conf('app/meson.build', "project('shop', 'c')\ndependency('ledger')"),
  }),
  trial(job('meson', 'cd /app; exec meson setup /tmp/b'), 'unknown-function', 'code', ['exit-code', 'executble'], {
    files: conf('app/meson.build', "project('shop')\nexecutble('a', 'a.c')"),
  }),
  trial(job('make', 'cd /app; exec make all'), 'no-rule', 'config', ['exit-code missing-setting', 'cart.o'], {
    files: conf('app/Makefile', 'all: cart.o\n\t@echo ok'),
  }),
  trial(job('make', 'cd /app; exec make'), 'compile-error', 'code', ['exit-code', 'cart.c'], {
    files: {
      'app/Makefile': 'cart: cart.c\n\tgcc -o cart cart.c\n',
      'app/cart.c': 'int main(void) { return totl; }\n',
    },
  }),
  trial(
    job('ant', 'cd /app; export JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64; exec ant'),
    'no-target',
    'config',
    ['exit-code bad-argument missing-setting', 'pakage'],
    {
      files: conf('app/build.xml', '<project default="pakage"><target name="package"/></project>'),
    },
  ),
  trial(job('ant', 'cd /app; export JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64; exec ant'), 'no-file', 'file', [
    FILE,
    'build.xml',
  ]),
  trial(
    job('ant', 'cd /app; export JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64; exec ant'),
    'compile-error',
    'code',
    ['exit-code', 'Ledger.java'],
    {
      files: {
        'app/build.xml':
          '<project default="c"><target name="c"><javac srcdir="src" destdir="." includeantruntime="false"/></target></project>\n',
        'app/src/Ledger.java': 'class Ledger { Money m; }\n',
      },
    },
  ),
];

const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin NODE_PATH=/opt/node/node_modules';
const LINK = 'ln -sfn /opt/node/node_modules /app/node_modules';
const js = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: LINK,
  run: `${NODE}; exec node /app/server.js`,
  files: conf('app/server.js', text),
  ...more,
});
const nodeApps: readonly Trial[] = [
  trial(
    js(
      'grpc',
      "const grpc = require('@grpc/grpc-js');\nconst s = new grpc.Server();\ns.bindAsync('127.0.0.1:50051', grpc.ServerCredentials.createInsecure(), (e) => { if (e) throw e; });",
      { before: `${LINK}; ${occupied(50051, 'AF_INET', '127.0.0.1')}` },
    ),
    'port-taken',
    'port',
    [PORT, '50051'],
  ),
  trial(
    js(
      'grpc',
      "const grpc = require('@grpc/grpc-js');\nconst c = new grpc.Client('127.0.0.1:50052', grpc.credentials.createInsecure());\nc.waitForReady(Date.now() + 2000, (e) => { if (e) { console.error('ledger is not ready', e); process.exit(1); } });",
    ),
    'peer-away',
    'peer',
    [`dependency-times-out ${REFUSED} exit-code`, 'ledger'],
  ),
  trial(
    js(
      'cassandra',
      "const { Client } = require('cassandra-driver');\nnew Client({ contactPoints: ['127.0.0.1:9042'], localDataCenter: 'dc1' }).connect().catch((e) => { console.error(e); process.exit(1); });",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:9042'],
  ),
  trial(
    js(
      'cassandra',
      "const { Client } = require('cassandra-driver');\nnew Client({ contactPoints: ['cass.shop.svc'], localDataCenter: 'dc1' }).connect();",
    ),
    'no-name',
    'peer',
    [`${NO_NAME} exit-code`, ''],
  ),
  trial(
    js(
      'elastic',
      "const { Client } = require('@elastic/elasticsearch');\nnew Client({ node: 'http://127.0.0.1:9200', maxRetries: 0 }).info();",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:9200'],
  ),
  trial(
    js(
      'elastic',
      "const { Client } = require('@elastic/elasticsearch');\nnew Client({ node: 'http://es.shop.svc:9200', maxRetries: 0 }).info().catch((e) => { console.error('search is away:', e.message); process.exit(1); });",
    ),
    'no-name',
    'peer',
    [NO_NAME, 'es.shop.svc'],
  ),
  trial(
    js(
      'moleculer',
      "const { ServiceBroker } = require('moleculer');\nconst b = new ServiceBroker({ nodeID: 'a' });\nb.createService({ name: 'cart', started() { throw new Error('tariff 17 has no price'); } });\nb.start().catch(() => process.exit(1));",
    ),
    'service-fails',
    'code',
    [CODE, 'tariff 17 has no price'],
  ),
  trial(
    js(
      'moleculer',
      "const { ServiceBroker } = require('moleculer');\nnew ServiceBroker({ nodeID: 'a', transporter: 'redis://127.0.0.1:6390' }).start();\nsetTimeout(() => process.exit(1), 4000);",
    ),
    'transporter-refused',
    'peer',
    [`${REFUSED} exit-code missing-module`, '127.0.0.1:6390'],
  ),
  trial(
    js(
      'joi',
      "const Joi = require('joi');\nconst { error } = Joi.object({ LEDGER_URL: Joi.string().uri().required() }).unknown().validate(process.env);\nif (error) throw error;",
    ),
    'no-variable',
    'config',
    ['missing-setting exit-code malformed-config', 'LEDGER_URL'],
  ),
  trial(
    js(
      'ajv',
      "const Ajv = require('ajv').default;\nconst ajv = new Ajv({ allErrors: true });\nif (!ajv.validate({ type: 'object', required: ['ledgerUrl'] }, JSON.parse(require('fs').readFileSync('/app/settings.json')))) { console.error('settings are not valid: ' + ajv.errorsText()); process.exit(1); }",
      {
        files: {
          'app/server.js':
            "const Ajv = require('ajv').default;\nconst ajv = new Ajv();\nif (!ajv.validate({ type: 'object', required: ['ledgerUrl'] }, JSON.parse(require('fs').readFileSync('/app/settings.json')))) { console.error('settings are not valid: ' + ajv.errorsText()); process.exit(1); }\n",
          'app/settings.json': '{"port": 1}\n',
        },
      },
    ),
    'missing-key',
    'config',
    ['exit-code missing-setting malformed-config', 'ledgerUrl'],
  ),
  trial(
    js(
      'node-config',
      "process.env.NODE_CONFIG_DIR = '/app/config';\nconst config = require('config');\nconsole.log(config.get('ledger.url'));",
      { before: `${LINK}; mkdir -p /app/config; echo '{"port": 1}' > /app/config/default.json` },
    ),
    'missing-key',
    'config',
    ['exit-code missing-setting malformed-config', 'ledger.url'],
  ),
  trial(
    js('node-config', "process.env.NODE_CONFIG_DIR = '/app/config';\nrequire('config');", {
      before: `${LINK}; mkdir -p /app/config; echo '{"port": 1,,}' > /app/config/default.json`,
    }),
    'bad-json',
    'config',
    [CONFIG, '/app/config/default.json'],
  ),
  trial(
    js('webpack', '', {
      run: `${NODE}; cd /app; exec webpack --mode production --entry ./src/main.js`,
      files: conf('app/src/main.js', "import './cart.js';"),
    }),
    'no-module',
    'code',
    [`${LIBRARY} exit-code`, './cart.js'],
  ),
  trial(
    js('webpack', '', {
      run: `${NODE}; cd /app; exec webpack --mode production`,
      files: conf('app/webpack.config.js', 'module.exports = { entri: "./main.js" };'),
    }),
    'unknown-key',
    'config',
    [CONFIG, 'entri'],
  ),
  trial(
    js('jest', '', {
      run: `${NODE}; cd /app; exec jest --ci`,
      files: {
        'app/package.json': '{"name":"a"}\n',
        'app/cart.test.js': "test('adds the prices', () => { expect(1 + 1).toBe(3); });\n",
      },
    }),
    'test-fails',
    'code',
    [CODE, 'adds the prices'],
  ),
  trial(
    js('mocha', '', {
      run: `${NODE}; cd /app; exec mocha cart.spec.js`,
      files: {
        'app/cart.spec.js':
          "const assert = require('assert');\nit('adds the prices', () => assert.strictEqual(1 + 1, 3));\n",
      },
    }),
    'test-fails',
    'code',
    [CODE, 'adds the prices'],
  ),
  trial(
    js('json-server', '', { run: `${NODE}; exec json-server --port 3000 /data/db.json`, files: {} }),
    'no-database',
    'file',
    [FILE, '/data/db.json'],
    { before: `${LINK}; rmdir /data; touch /data` },
  ),
  trial(
    js('json-server', '', {
      run: `${NODE}; exec json-server --host 127.0.0.1 --port 3000 /app/db.json`,
      files: conf('app/db.json', '{"orders": [],}'),
    }),
    'bad-json',
    'config',
    [CONFIG, '/app/db.json'],
  ),
  trial(
    js('gulp', '', {
      run: `${NODE}; cd /app; exec gulp pakage`,
      files: conf('app/gulpfile.js', 'exports.package = async () => {};'),
    }),
    'no-task',
    'config',
    ['exit-code bad-argument missing-setting', 'pakage'],
  ),
  trial(
    js('gulp', '', {
      run: `${NODE}; cd /app; exec gulp package`,
      files: conf('app/gulpfile.js', "exports.package = async () => { throw new Error('tariff 17 has no price'); };"),
    }),
    'task-throws',
    'code',
    [CODE, 'tariff 17 has no price'],
  ),
];

const py = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec python3 /app/main.py',
  files: conf('app/main.py', text),
  ...more,
});
const BOTTLE = "from bottle import run, route\n@route('/')\ndef i(): return 'ok'\n";
const CHERRY =
  "import cherrypy\nclass R:\n    @cherrypy.expose\n    def index(self): return 'ok'\n    @cherrypy.expose\n    def bad(self): raise ValueError('tariff 17 has no price')\n";
const cherry = py(
  'cherrypy',
  `${CHERRY}cherrypy.config.update({'server.socket_port': 8080})\ncherrypy.quickstart(R())`,
);
const FALCON = 'import falcon\nfrom wsgiref.simple_server import make_server\napp = falcon.App()\n';
const SPIDER =
  "import scrapy\nclass S(scrapy.Spider):\n    name = 's'\n    start_urls = ['http://127.0.0.1:8081/']\n    def parse(self, r): pass\n";
const FTP =
  "from pyftpdlib.servers import FTPServer\nfrom pyftpdlib.handlers import FTPHandler\nfrom pyftpdlib.authorizers import DummyAuthorizer\na = DummyAuthorizer()\na.add_anonymous('/data')\nFTPHandler.authorizer = a\nimport logging\nlogging.basicConfig(level=logging.INFO)\nFTPServer(('127.0.0.1', 2121), FTPHandler).serve_forever()";
const waitress = (args: string): Base => ({
  program: 'waitress',
  run: `cd /app; PYTHONPATH=/app exec waitress-serve ${args}`,
  files: conf(
    'app/shop.py',
    "def app(e, s):\n    if e['PATH_INFO'] == '/bad': raise ValueError('tariff 17 has no price')\n    s('200 OK', []); return [b'ok']",
  ),
});
const pythonApps: readonly Trial[] = [
  trial(waitress('--listen=127.0.0.1:8080 shop:app'), 'port-taken', 'port', [PORT, ''], {
    before: occupied(8080, 'AF_INET', '127.0.0.1'),
  }),
  trial(waitress('--listen=127.0.0.1:8080 ledger:app'), 'no-module', 'code', [LIBRARY, 'ledger']),
  trial(waitress('--listen=127.0.0.1:8080 shop:aplication'), 'no-attribute', 'code', [
    'exit-code missing-module bad-argument missing-setting',
    'aplication',
  ]),
  trial(py('bottle', `${BOTTLE}run(host='127.0.0.1', port=8080)`), 'port-taken', 'port', [PORT, '8080'], {
    before: occupied(8080, 'AF_INET', '127.0.0.1'),
  }),
  trial(
    py('bottle', `${BOTTLE}import os\nrun(host='127.0.0.1', port=int(os.environ['SHOP_PORT']))`),
    'bad-variable',
    'config',
    ['exit-code malformed-config missing-setting', 'eighty'],
    { env: { SHOP_PORT: 'eighty' } },
  ),
  trial(cherry, 'port-taken', 'port', [PORT, '8080'], { before: occupied(8080, 'AF_INET', '127.0.0.1') }),
  trial(py('cherrypy', `${CHERRY}cherrypy.quickstart(R(), '/', '/etc/app/cherry.conf')`), 'no-config', 'file', [
    FILE,
    '/etc/app/cherry.conf',
  ]),
  trial(py('falcon', `${FALCON}app.add_route('orders', object())`), 'bad-route', 'code', [CODE, '/']),
  trial(py('rq', '', { run: 'exec rq worker --url redis://127.0.0.1:6390', files: {} }), 'redis-refused', 'peer', [
    REFUSED,
    '127.0.0.1:6390',
  ]),
  trial(
    py('rq', '', { run: 'exec rq worker --url redis://:s3cr3t@127.0.0.1:6379', files: {} }),
    'redis-password',
    'authentication',
    ['authentication-refused', ''],
    { ...(f.redisPassword.before && { before: f.redisPassword.before }) },
  ),
  trial(
    py('scrapy', `${SPIDER}raise RuntimeError('no catalogue for shop 17')`, {
      run: 'exec scrapy runspider /app/main.py',
    }),
    'spider-fails',
    'code',
    [CODE, 'no catalogue for shop 17'],
  ),
  trial(
    py('pytest', '', {
      run: 'cd /app; exec pytest-3 -q',
      files: conf('app/test_cart.py', 'def test_prices():\n    assert 1 + 1 == 3'),
    }),
    'test-fails',
    'code',
    [CODE, 'test_prices'],
  ),
  trial(
    py('pytest', '', {
      run: 'cd /app; exec pytest-3 -q',
      files: conf('app/test_cart.py', 'import ledger\ndef test_prices():\n    pass'),
    }),
    'no-module',
    'library',
    [LIBRARY, 'ledger'],
  ),
  trial(py('pyftpdlib', FTP), 'port-taken', 'port', [PORT, '2121'], { before: occupied(2121, 'AF_INET', '127.0.0.1') }),
  trial(py('pyftpdlib', FTP.replace('/data', '/srv/none')), 'no-folder', 'file', [FILE, '/srv/none']),
];

const swipl = (text: string): Base => ({
  program: 'prolog',
  run: 'exec swipl -g main -t halt /app/main.pl',
  files: conf('app/main.pl', text),
});
const ada = (body: string, withs = ''): Base => ({
  program: 'ada',
  before: `cd /app && PATH=$PATH:/usr/bin gnatmake-12 --GCC=gcc-12 main.adb -o shop >/tmp/build.log 2>&1 || gnatmake main.adb -o shop`,
  run: 'exec /app/shop',
  files: conf('app/main.adb', `with Ada.Text_IO; use Ada.Text_IO;\n${withs}procedure Main is\n${body}`),
});
const dlang = (body: string): Base => ({
  program: 'dlang',
  before: 'cd /app && gdc-12 -o shop main.d',
  run: 'exec /app/shop',
  files: conf(
    'app/main.d',
    `import std.stdio, std.socket, std.file, std.json, std.process;\nvoid main() {\n${body}\n}`,
  ),
});
const CARGO = (deps: string): string =>
  `[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n${deps}\n`;
const rust = (
  body: string,
  deps = 'anyhow = "*"\nenv_logger = { version = "*", default-features = false }\nlog = "*"',
): Base => ({
  program: 'rust-apps',
  before:
    'cd /app && mkdir -p .cargo && printf \'[source.crates-io]\\nreplace-with = "d"\\n[source.d]\\ndirectory = "/usr/share/cargo/registry"\\n\' > .cargo/config.toml && CARGO_HOME=/tmp/c CARGO_NET_OFFLINE=true cargo build --offline -q',
  run: 'exec /app/target/debug/shop',
  env: { RUST_LOG: 'info' },
  files: { 'app/Cargo.toml': CARGO(deps), 'app/src/main.rs': body },
});
const RUST_MAIN = (body: string): string =>
  `use anyhow::{Context, Result};\nuse log::{error, info};\nfn run() -> Result<()> {\n${body}\n    Ok(())\n}\nfn main() {\n    env_logger::init();\n    info!("shop 0.1 starts");\n    if let Err(e) = run() { error!("shop cannot go on: {:#}", e); std::process::exit(1); }\n}\n`;
const languages: readonly Trial[] = [
  trial(swipl('main :- open("/etc/app/tariffs.pl", read, _).'), 'missing-file', 'file', [FILE, '/etc/app/tariffs.pl']),
  trial(swipl('main :- total(17, X), print(X).'), 'unknown-procedure', 'code', [CODE, 'total/2']),
  trial(swipl(":- use_module(library(socket)).\nmain :- tcp_connect('127.0.0.1':6400, _, [])."), 'refused', 'peer', [
    REFUSED,
    '',
  ]),
  trial(
    ada('begin\n   Put_Line ("shop starts");\n   raise Program_Error with "tariff 17 has no price";\nend Main;'),
    'raises',
    'code',
    [CODE, 'tariff 17 has no price'],
  ),
  trial(
    ada('   F : File_Type;\nbegin\n   Open (F, In_File, "/etc/app/tariffs.txt");\nend Main;'),
    'missing-file',
    'file',
    [FILE, '/etc/app/tariffs.txt'],
  ),
  trial(dlang('    writeln(readText("/etc/app/tariffs.txt"));'), 'missing-file', 'file', [
    FILE,
    '/etc/app/tariffs.txt',
  ]),
  trial(dlang('    new TcpSocket(new InternetAddress("127.0.0.1", 6400));'), 'refused', 'peer', [REFUSED, '']),
  trial(dlang('    parseJSON(`{"a": 1,,}`);'), 'bad-json', 'file', ['malformed-config exit-code', '']),
  trial(
    rust(
      RUST_MAIN(
        '    let text = std::fs::read_to_string("/etc/app/cart.toml").context("reading the tariffs")?;\n    drop(text);',
      ),
    ),
    'missing-file',
    'file',
    [FILE, 'No such file'],
  ),
  trial(
    rust(
      RUST_MAIN(
        '    std::net::TcpStream::connect("127.0.0.1:6400").context("connecting to the ledger at 127.0.0.1:6400")?;',
      ),
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:6400'],
  ),
  trial(
    rust(
      'use anyhow::{Context, Result};\nfn main() -> Result<()> {\n    let url = std::env::var("LEDGER_URL").context("LEDGER_URL")?;\n    drop(url);\n    Ok(())\n}\n',
    ),
    'no-variable',
    'config',
    ['missing-setting exit-code', 'LEDGER_URL'],
  ),
  trial(
    rust(
      'use anyhow::{Context, Result};\nfn main() -> Result<()> {\n    let l = std::net::TcpListener::bind("127.0.0.1:8080").with_context(|| format!("binding {}", "127.0.0.1:8080"))?;\n    drop(l);\n    Ok(())\n}\n',
    ),
    'port-taken',
    'port',
    [PORT, '8080'],
    { before: `${rust('').before}; ${occupied(8080, 'AF_INET', '127.0.0.1')}` },
  ),
];

const QUIET = ['quiet', 'true'] as const;
const http = (port: number, bad = '/bad'): readonly (readonly [string, string])[] => [
  QUIET,
  ['garbage', garbage(port)],
  ['missing-page', `${curl(`http://127.0.0.1:${port}/none`)}; ${curl(`http://127.0.0.1:${port}/`)}`],
  ['failing-page', `${curl(`http://127.0.0.1:${port}${bad}`)}; ${curl(`http://127.0.0.1:${port}/`)}`],
];
const healthy: readonly Trial[] = [
  ...well(waitress('--listen=127.0.0.1:8080 shop:app'), 3, http(8080)),
  ...well(cherry, 3, http(8080)),
  ...well(
    py(
      'bottle',
      `${BOTTLE}@route('/bad')\ndef b(): raise ValueError('tariff 17 has no price')\nrun(host='127.0.0.1', port=8080)`,
    ),
    3,
    http(8080),
  ),
  ...well(py('falcon', `${FALCON}make_server('127.0.0.1', 8080, app).serve_forever()`), 3, http(8080)),
  ...well(py('pyftpdlib', FTP), 2, [
    QUIET,
    ['garbage', garbage(2121)],
    ['login', "printf 'USER x\\r\\nPASS y\\r\\nQUIT\\r\\n' | nc -w3 127.0.0.1 2121"],
  ]),
  ...well(
    js('json-server', '', {
      run: `${NODE}; exec json-server --host 127.0.0.1 --port 3000 /app/db.json`,
      files: conf('app/db.json', '{"orders": []}'),
    }),
    4,
    http(3000, '/orders/9'),
  ),
  ...well(
    js(
      'moleculer',
      "const { ServiceBroker } = require('moleculer');\nconst b = new ServiceBroker({ nodeID: 'a' });\nb.createService({ name: 'cart', actions: { bad() { throw new Error('tariff 17 has no price'); } } });\nb.start().then(() => setInterval(() => b.call('cart.bad').catch((e) => b.logger.error(e)), 1000));",
    ),
    4,
    [QUIET],
  ),
  ...well(rspamd, 4, [QUIET, ['garbage', garbage(11_334)]]),
  ...well(dnsdist(DNSDIST), 4, [QUIET, ['garbage', 'printf nonsense | nc -u -w1 127.0.0.1 5300']]),
  ...well(
    gobgpd(`${GOBGP}\n[[neighbors]]\n  [neighbors.config]\n    neighbor-address = "127.0.0.9"\n    peer-as = 64513`),
    4,
    [QUIET, ['garbage', garbage(1790)]],
  ),
  ...well(chasquid, 3, [QUIET, ['garbage', garbage(2525)]]),
  ...well(transmission, 3, [QUIET, ['garbage', garbage(9091)]]),
  ...well(snmpd, 2, [QUIET, ['garbage', 'printf nonsense | nc -u -w1 127.0.0.1 1161']]),
  ...well(zabbix('Server=127.0.0.1\nListenPort=10051'), 4, [QUIET, ['garbage', garbage(10_051)]]),
];

export const SEVENTH: readonly Trial[] = [...servers, ...jobs, ...nodeApps, ...pythonApps, ...languages, ...healthy];
