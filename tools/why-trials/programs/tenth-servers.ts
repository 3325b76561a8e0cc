/** Trials of the tenth batch that is held out: servers of files, mail, time, routes and names, supervisors of containers, and exporters. */
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const DENIED = 'permission-denied';
const ARGUMENT = 'bad-argument exit-code malformed-config missing-setting';
const USER = 'missing-setting exit-code malformed-config bad-argument missing-data';
const QUIET = ['quiet', 'true'] as const;
const HERE = '127.0.0.1';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const taken = (port: number): Partial<Trial> => ({ before: occupied(port, 'AF_INET', HERE) });
const account = (name: string): string =>
  `echo ${name}:x:150:150::/tmp:/bin/sh >>/etc/passwd; echo ${name}:x:150: >>/etc/group`;
const server = (program: string, run: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: `exec ${run}`,
  ...more,
});

const acng = (args: string, more: Partial<Trial> = {}): Base =>
  server('apt-cacher-ng', `apt-cacher-ng -c /etc/apt-cacher-ng ForeGround=1 BindAddress=127.0.0.1 Port=3142 ${args}`, {
    before: 'mkdir -p /data/c /data/l',
    ...more,
  });
const munin = (text: string): Base =>
  server('munin-node', 'munin-node --config /etc/app/munin-node.conf', {
    files: conf('etc/app/munin-node.conf', text),
    before: 'mkdir -p /run/munin /var/log/munin /etc/munin/plugins',
  });
const MUNIN =
  'log_file /dev/stderr\npid_file /tmp/m.pid\nbackground 0\nsetsid 0\nuser root\ngroup root\nhost 127.0.0.1\nport 4949\nallow ^127\\.0\\.0\\.1$';
const charon = (text: string): Base =>
  server('strongswan', '/usr/lib/ipsec/charon', { files: conf('etc/strongswan.conf', text), before: 'mkdir -p /run' });
const CHARON = 'charon {\n  filelog { stderr { default = 1 } }\n}';
const spamd = (args: string): Base => server('spamd', `spamd -x -s stderr -i 127.0.0.1 -p 1783 ${args}`);
const RULES = 'mkdir -p /etc/app/sa; echo "score A 1" >/etc/app/sa/a.cf';
const postgrey = (args: string): Base =>
  server('postgrey', `postgrey --inet=127.0.0.1:10023 --user=root --group=root ${args}`);
const opendmarc = (text: string): Base =>
  server('opendmarc', 'opendmarc -f -c /etc/app/opendmarc.conf', { files: conf('etc/app/opendmarc.conf', text) });
const upsd = (more: Partial<Trial> = {}): Base =>
  server('nut', '/lib/nut/upsd -F -u root', {
    env: { NUT_CONFPATH: '/etc/app', NUT_STATEPATH: '/tmp' },
    before: 'mkdir -p /run/nut',
    ...more,
  });
const UPS: Trial['files'] = {
  'etc/app/ups.conf': '[rack]\n driver = dummy-ups\n port = /etc/app/rack.dev\n',
  'etc/app/upsd.conf': 'LISTEN 127.0.0.1 3493\n',
  'etc/app/upsd.users': '[admin]\n password = s3cr3t-one\n',
};
const ntpd = (text: string): Base =>
  server('ntpsec', 'ntpd -n -c /etc/app/ntp.conf', { files: conf('etc/app/ntp.conf', text) });
const zabbix = (text: string): Base =>
  server('zabbix-server', 'zabbix_server -f -c /etc/app/zabbix.conf', { files: conf('etc/app/zabbix.conf', text) });
const ZABBIX =
  'LogType=console\nAllowRoot=1\nPidFile=/tmp/z.pid\nSocketDir=/tmp\nDBHost=127.0.0.1\nDBName=app\nDBUser=app\nDBPassword=right';
const POSTGRES = `setpriv --reuid=70 --regid=70 --clear-groups /usr/lib/postgresql/15/bin/pg_ctl -w -D /var/lib/postgresql/data -o '-k /tmp' -l /tmp/pg.log start; PGPASSWORD=right psql -h 127.0.0.1 -U app -d postgres -c 'create database app'`;
const sphinx = (text: string): Base =>
  server('sphinxsearch', 'searchd --nodetach --config /etc/app/sphinx.conf', {
    files: conf('etc/app/sphinx.conf', text),
  });
const SPHINX = 'searchd {\n  listen = 127.0.0.1:9306:mysql41\n  pid_file = /tmp/s.pid\n  binlog_path =\n}';
const SPHINX_INDEX =
  'index orders {\n  type = rt\n  path = /data/orders\n  rt_field = title\n  rt_attr_uint = total\n}';
const postsrsd = (args: string): Base => server('postsrsd', `postsrsd -e -l 127.0.0.1 -f 10001 -r 10002 ${args}`);
const redir = (args: string): Base => server('redir', `redir -n ${args}`);
const websockify = (args: string): Base => server('websockify', `websockify ${args}`);
const ser2net = (text: string): Base =>
  server('ser2net', 'ser2net -n -d -c /etc/app/ser2net.yaml', { files: conf('etc/app/ser2net.yaml', text) });
const atftpd = (args: string): Base =>
  server(
    'atftpd',
    `atftpd --daemon --no-fork --user root.root --logfile - --bind-address 127.0.0.1 --port 6969 ${args}`,
  );
const xinetd = (text: string): Base =>
  server('xinetd', 'xinetd -dontfork -filelog /dev/stderr -pidfile /tmp/x.pid -f /etc/app/xinetd.conf', {
    files: conf('etc/app/xinetd.conf', text),
  });
const nebula = (text: string): Base =>
  server('nebula', 'nebula -config /etc/app/config.yml', { files: conf('etc/app/config.yml', text) });
const vip = (text: string): Base =>
  server('vip-manager', 'vip-manager --config /etc/app/vip.yml', { files: conf('etc/app/vip.yml', text) });
const VIP =
  'interval: 500\ntrigger-key: "/service/pg/leader"\ntrigger-value: "pg1"\nip: 10.0.0.9\nnetmask: 24\ninterface: lo\nhosting-type: basic\ndcs-type: etcd\ndcs-endpoints:\n  - http://127.0.0.1:2379';
const rrdcached = (args: string): Base => server('rrdcached', `rrdcached -g -p /tmp/r.pid ${args}`);
const kresd = (text: string): Base =>
  server('knot-resolver', 'kresd -n -c /etc/app/kresd.conf /tmp', { files: conf('etc/app/kresd.conf', text) });
const runit = (run: string, more: Partial<Trial> = {}): Base => server('runit', run, more);
const s6 = (run: string, more: Partial<Trial> = {}): Base => server('s6', run, more);
const barman = (args: string, text: string): Base =>
  server('barman', `barman -c /etc/app/barman.conf ${args}`, {
    files: conf('etc/app/barman.conf', text),
    before: account('barman'),
  });
const BARMAN =
  '[barman]\nbarman_user = root\nbarman_home = /data\nlog_level = INFO\n[main]\ndescription = "orders"\nconninfo = host=127.0.0.1 port=5433 user=app dbname=app\nbackup_method = postgres\narchiver = on';
const repmgr = (args: string, text = ''): Base =>
  server('repmgr', `/usr/lib/postgresql/15/bin/repmgrd --daemonize=false ${args}`, {
    user: 70,
    files: conf('etc/app/repmgr.conf', text),
  });
const REPMGR =
  "node_id=1\nnode_name='pg1'\nconninfo='host=127.0.0.1 port=5433 user=app dbname=app connect_timeout=2'\ndata_directory='/var/lib/postgresql/data'";
const exporter = (name: string, args: string, more: Partial<Trial> = {}): Base =>
  server(`${name}-exporter`, `prometheus-${name}-exporter ${args}`, more);
const HAPROXY = '--haproxy.scrape-uri=http://127.0.0.1:8404/stats;csv --web.listen-address=127.0.0.1:9101';
const ELASTIC = '--es.uri=http://127.0.0.1:9200 --web.listen-address=127.0.0.1:9114';

const faults: readonly Trial[] = [
  trial(acng('CacheDir=/proc/none LogDir=/data/l'), 'no-cache-folder', 'file', [`${FILE} ${DENIED}`, '']),
  trial(acng('CacheDir=/data/c LogDir=/data/l', { user: 1000 }), 'log-denied', 'permission', [
    `${DENIED} missing-setting exit-code`,
    '/data/l',
  ]),
  trial(munin(MUNIN), 'port-taken', 'port', [PORT, '4949'], {
    before: `${munin('').before}; ${occupied(4949, 'AF_INET', HERE)}`,
  }),
  trial(munin(MUNIN), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec munin-node --config /etc/app/none.conf',
  }),
  trial(munin(MUNIN.replace('user root', 'user munni')), 'no-user', 'config', [USER, 'munni']),
  trial(charon('charon {\n  filelog { stderr { default = 1 }\n'), 'syntax', 'config', [CONFIG, '/etc/strongswan.conf']),
  trial(charon(CHARON), 'no-plugins', 'library', ['exit-code missing-module missing-setting', ''], {
    before: 'rm -rf /usr/lib/ipsec/plugins',
  }),
  trial(spamd(''), 'no-rules', 'file', [`${FILE} missing-data`, 'rules'], {
    before: 'rm -rf /usr/share/spamassassin /var/lib/spamassassin /etc/spamassassin',
  }),
  trial(spamd('--siteconfigpath=/etc/app/sa'), 'port-taken', 'port', [PORT, '1783'], {
    before: `${RULES}; ${occupied(1783, 'AF_INET', HERE)}`,
  }),
  trial(spamd('--max-chldren=2'), 'unknown-option', 'config', [ARGUMENT, 'max-chldren']),
  trial(spamd('-u spamdd'), 'no-user', 'config', [USER, 'spamdd'], { before: RULES }),
  trial(postgrey('--dbdir=/data/none'), 'no-folder', 'file', [`${FILE} missing-data`, '/data/none']),
  trial(postgrey('--dbdir=/data'), 'port-taken', 'port', [PORT, '10023'], taken(10_023)),
  trial(opendmarc('Sokcet inet:8893@127.0.0.1'), 'unknown-option', 'config', [CONFIG, '/etc/app/opendmarc.conf']),
  trial(opendmarc(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec opendmarc -f -c /etc/app/none.conf',
  }),
  trial(upsd(), 'no-config', 'file', [FILE, '/etc/app/upsd.conf'], { before: 'rm -f /etc/nut/*; mkdir -p /etc/app' }),
  trial(upsd({ files: UPS }), 'port-taken', 'port', [PORT, '3493'], taken(3493)),
  trial(upsd({ files: { ...UPS, 'etc/app/ups.conf': '\n' } }), 'no-ups', 'config', [CONFIG, 'UPS']),
  trial(zabbix(ZABBIX), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec zabbix_server -f -c /etc/app/none.conf',
  }),
  trial(zabbix(`${ZABBIX}\nStartPolers=4`), 'unknown-parameter', 'config', [CONFIG, 'StartPolers']),
  trial(zabbix(ZABBIX), 'no-tables', 'data', ['missing-data exit-code', 'users'], { before: POSTGRES }),
  trial(zabbix(`${ZABBIX}\nStartPollers=20000`), 'out-of-range', 'config', [CONFIG, 'StartPollers']),
  trial(sphinx(SPHINX), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec searchd --nodetach --config /etc/app/none.conf',
  }),
  trial(sphinx(`${SPHINX_INDEX}\n${SPHINX.replace('pid_file', 'pid_fiel')}`), 'unknown-key', 'config', [
    CONFIG,
    'pid_fiel',
  ]),
  trial(sphinx(`${SPHINX_INDEX.replace('/data/orders', '/data/none/orders')}\n${SPHINX}`), 'no-folder', 'file', [
    `${FILE} missing-data`,
    'orders',
  ]),
  trial(postsrsd('-d shop.example -s /etc/app/none.secret'), 'no-secret', 'file', [FILE, '/etc/app/none.secret']),
  trial(postsrsd('-d shop.example -s /etc/app/s'), 'port-taken', 'port', [PORT, ''], {
    before: occupied(10_001, 'AF_INET', HERE),
    files: conf('etc/app/s', 'a-secret-of-the-shop'),
  }),
  trial(redir('127.0.0.1:8080 127.0.0.1:9090'), 'port-taken', 'port', [PORT, ''], taken(8080)),
  trial(websockify('127.0.0.1:6080 127.0.0.1:5901'), 'port-taken', 'port', [PORT, ''], taken(6080)),
  trial(websockify('--ssl-only --cert=/etc/app/none.pem 127.0.0.1:6080 127.0.0.1:5901'), 'no-certificate', 'tls', [
    FILE,
    '/etc/app/none.pem',
  ]),
  trial(websockify('127.0.0.1:6080'), 'no-target', 'config', [ARGUMENT, '']),
  trial(ser2net(''), 'no-config', 'file', [FILE, '/etc/app/none.yaml'], {
    run: 'exec ser2net -n -d -c /etc/app/none.yaml',
  }),
  trial(atftpd('/srv'), 'port-taken', 'port', [PORT, '6969'], {
    before: `mkdir -p /srv; ${occupied(6969, 'AF_INET', HERE)}`,
  }),
  trial(xinetd(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec xinetd -dontfork -filelog /dev/stderr -pidfile /tmp/x.pid -f /etc/app/none.conf',
  }),
  trial(nebula(''), 'no-config', 'file', [FILE, '/etc/app/none.yml'], { run: 'exec nebula -config /etc/app/none.yml' }),
  trial(nebula('pki:\n  ca: /etc/app/ca.crt\n  cert: /etc/app/host.crt\n  key: /etc/app/host.key'), 'no-ca', 'file', [
    FILE,
    '/etc/app/ca.crt',
  ]),
  trial(nebula('pki: [\nlisten:'), 'bad-yaml', 'config', [CONFIG, 'yaml']),
  trial(server('yggdrasil', 'yggdrasil -useconffile /etc/app/none.conf'), 'no-config', 'file', [
    FILE,
    '/etc/app/none.conf',
  ]),
  trial(
    server('yggdrasil', 'yggdrasil -useconffile /etc/app/y.conf', { files: conf('etc/app/y.conf', '{ Peers: [ }') }),
    'syntax',
    'config',
    [CONFIG, ''],
  ),
  trial(vip(VIP.replace(/trigger-key.*\n/, '')), 'no-key', 'config', [CONFIG, 'trigger-key']),
  trial(vip(VIP.replace('interface: lo', 'interface: eth7')), 'no-interface', 'config', [
    `${CONFIG} address-not-available`,
    'eth7',
  ]),
  trial(rrdcached('-l 127.0.0.1:42217 -b /data'), 'port-taken', 'port', [PORT, ''], taken(42_217)),
  trial(kresd("net.listen('127.0.0.1', 5353, { kind = 'dns' })"), 'port-taken', 'port', [PORT, '5353'], taken(5353)),
  trial(kresd("modules = { 'ledgr' }"), 'no-module', 'library', [`missing-module ${CONFIG}`, 'ledgr']),
  trial(kresd("net.listen('127.0.0.1', 5353"), 'syntax', 'config', [CONFIG, '']),
  trial(server('iperf3', 'iperf3 -c 127.0.0.1 -p 5202'), 'refused', 'peer', [`${REFUSED} exit-code`, '']),
  trial(server('iperf3', 'iperf3 -c perf.shop.svc -p 5202'), 'no-name', 'peer', [`${NO_NAME} exit-code`, '']),
  trial(server('iperf3', 'iperf3 -s -B 127.0.0.1 -p 5201'), 'port-taken', 'port', [PORT, ''], taken(5201)),
  trial(runit('chpst -u ledger sleep 99'), 'no-user', 'config', [USER, 'ledger']),
  trial(runit('chpst -u app:app ledger-worker'), 'no-program', 'file', [
    'missing-binary exit-code missing-setting',
    'ledger-worker',
  ]),
  trial(runit('runsv /etc/sv/ledger'), 'no-service', 'file', [`${FILE} missing-data`, '/etc/sv/ledger']),
  trial(runit('runsv /etc/sv/ledger'), 'locked', 'data', ['already-running exit-code', ''], {
    before:
      'mkdir -p /etc/sv/ledger; printf "#!/bin/sh\\nexec sleep 99\\n" >/etc/sv/ledger/run; chmod 755 /etc/sv/ledger/run; nohup runsv /etc/sv/ledger >/dev/null 2>&1 & sleep 1',
  }),
  trial(s6('s6-svscan /etc/none'), 'no-folder', 'file', [FILE, 'chdir']),
  trial(s6('s6-setuidgid ledger sleep 99'), 'no-user', 'config', [USER, 'ledger']),
  trial(s6('s6-setuidgid app ledger-worker'), 'no-program', 'file', [
    'missing-binary exit-code missing-setting',
    'ledger-worker',
  ]),
  trial(s6('s6-supervise /etc/sv/ledger'), 'already-supervised', 'data', ['already-running exit-code', ''], {
    before:
      'mkdir -p /etc/sv/ledger; printf "#!/bin/sh\\nexec sleep 99\\n" >/etc/sv/ledger/run; chmod 755 /etc/sv/ledger/run; nohup s6-supervise /etc/sv/ledger >/dev/null 2>&1 & sleep 1',
  }),
  trial(barman('check main', BARMAN), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec barman -c /etc/app/none.conf check main',
  }),
  trial(barman('check orders', BARMAN), 'unknown-server', 'config', [`${ARGUMENT} missing-data`, 'orders']),
  trial(barman('backup main', BARMAN), 'refused', 'peer', [`${REFUSED} exit-code`, '5433']),
  trial(repmgr('-f /etc/app/none.conf'), 'no-config', 'file', [FILE, '/etc/app/none.conf']),
  trial(repmgr('-f /etc/app/repmgr.conf', REPMGR), 'refused', 'peer', [REFUSED, '5433']),
  trial(repmgr('-f /etc/app/repmgr.conf', REPMGR.replace('node_id=1\n', '')), 'no-id', 'config', [CONFIG, 'node_id']),
  trial(exporter('haproxy', HAPROXY), 'port-taken', 'port', [PORT, '9101'], taken(9101)),
  trial(exporter('haproxy', '--haproxy.scrape-url=http://127.0.0.1:8404/'), 'unknown-flag', 'config', [
    ARGUMENT,
    'haproxy.scrape-url',
  ]),
  trial(exporter('elasticsearch', ELASTIC), 'port-taken', 'port', [PORT, '9114'], taken(9114)),
  trial(exporter('elasticsearch', `${ELASTIC} --es.ca=/etc/app/none.pem`), 'no-ca', 'file', [
    FILE,
    '/etc/app/none.pem',
  ]),
  trial(exporter('mqtt', '-config.file /etc/app/none.yml'), 'unknown-flag', 'config', [ARGUMENT, '-config.file']),
  trial(exporter('exporter', '-config.file /etc/app/none.yml'), 'no-config', 'file', [FILE, '/etc/app/none.yml']),
  trial(
    exporter('exporter', '-config.file /etc/app/e.yml', { files: conf('etc/app/e.yml', 'modules:\n  node: [') }),
    'bad-yaml',
    'config',
    [CONFIG, ''],
  ),
  trial(exporter('sql', '-config.file /etc/app/none.yml'), 'no-config', 'file', [FILE, '/etc/app/none.yml']),
  trial(exporter('pgbouncer', '--web.listen-address=127.0.0.1:9127'), 'unknown-argument', 'config', [
    ARGUMENT,
    'web.listen-address',
  ]),
];

const healthy: readonly Trial[] = [
  ...well(munin(MUNIN), 3, [QUIET, ['unknown-command', "printf 'nonsense\\nquit\\n' | nc -w1 127.0.0.1 4949"]]),
  ...well(postgrey('--dbdir=/data'), 3, [QUIET, ['garbage', garbage(10_023)]]),
  ...well(redir('127.0.0.1:8080 127.0.0.1:9090'), 2, [['backend-away', `${garbage(8080)}; ${garbage(8080)}`]]),
  ...well(websockify('127.0.0.1:6080 127.0.0.1:5901'), 3, [
    ['garbage', garbage(6080)],
    [
      'backend-away',
      "curl -s -m 2 -H 'Upgrade: websocket' -H 'Connection: Upgrade' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Protocol: binary' http://127.0.0.1:6080/",
    ],
  ]),
  ...well(exporter('haproxy', HAPROXY), 2, [QUIET, ['peer-away', curl('http://127.0.0.1:9101/metrics')]]),
  ...well(exporter('elasticsearch', ELASTIC), 2, [QUIET, ['peer-away', curl('http://127.0.0.1:9114/metrics')]]),
  ...well(zabbix(ZABBIX), 4, [['database-away', 'true']]),
  ...well(sphinx(`${SPHINX_INDEX}\n${SPHINX}`), 3, [QUIET, ['garbage', garbage(9306)]]),
  ...well(server('iperf3', 'iperf3 -s -B 127.0.0.1 -p 5201'), 2, [['garbage', garbage(5201)]]),
  ...well(ntpd('server 127.0.0.1 iburst\ndriftfile /tmp/d'), 4, [['no-time-source', 'true']]),
  ...well(
    server('runit', 'runsvdir /srv/sv', {
      before:
        'mkdir -p /srv/sv/ledger; printf "#!/bin/sh\\necho ledger: cannot reach 127.0.0.1:8081: Connection refused >&2\\nsleep 1\\nexit 1\\n" >/srv/sv/ledger/run; chmod 755 /srv/sv/ledger/run',
    }),
    4,
    [['service-restarts', 'true']],
  ),
];

export const TENTH_SERVERS: readonly Trial[] = [...faults, ...healthy];
