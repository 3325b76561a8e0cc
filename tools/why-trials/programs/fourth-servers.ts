/** Trials of the fourth batch that is held out: servers. */
import type { Trial } from '../trial.ts';
import { occupied, trial } from './second-servers.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
const CONFIG = 'malformed-config exit-code bad-argument';
const FILE = 'missing-setting exit-code malformed-config';
const PORT = 'port-in-use';
const ARGUMENT = 'bad-argument exit-code malformed-config';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });

const SSHD = (text: string): Trial['files'] =>
  conf('etc/app/sshd_config', `Port 2222\nHostKey /etc/app/key\nUsePAM no\nPidFile none\n${text}`);
const KEY =
  'mkdir -p /run/sshd; ssh-keygen -q -t ed25519 -N "" -f /etc/app/key; grep -q sshd /etc/passwd || echo "sshd:x:74:74:sshd:/run/sshd:/bin/false" >> /etc/passwd';
export const sshd: Base = {
  program: 'sshd',
  run: 'exec /usr/sbin/sshd -D -e -f /etc/app/sshd_config',
  before: KEY,
  files: SSHD(''),
};
const sshdTrials: readonly Trial[] = [
  trial(sshd, 'port-taken', 'port', [PORT, '2222'], { before: `${KEY}; ${occupied(2222)}` }),
  trial(sshd, 'no-key', 'file', ['missing-setting exit-code', '/etc/app/key'], { before: `${KEY}; rm /etc/app/key` }),
  trial(sshd, 'key-open', 'permission', ['exit-code permission-denied', '/etc/app/key'], {
    before: `${KEY}; chmod 644 /etc/app/key`,
  }),
  trial(sshd, 'unknown-option', 'config', [CONFIG, 'PermitRootLogn'], { files: SSHD('PermitRootLogn no') }),
  trial(sshd, 'bad-value', 'config', [CONFIG, '/etc/app/sshd_config'], { files: SSHD('PermitRootLogin perhaps') }),
  trial(sshd, 'no-config', 'file', ['missing-setting', '/etc/app/none'], {
    run: 'exec /usr/sbin/sshd -D -e -f /etc/app/none',
  }),
];

export const pdns: Base = {
  program: 'pdns',
  run: 'exec pdns_server --config-dir=/etc/app --daemon=no --guardian=no --disable-syslog --socket-dir=/tmp',
  before: 'mkdir -p /etc/powerdns; touch /etc/app/zones.conf',
  files: conf(
    'etc/app/pdns.conf',
    'launch=bind\nbind-config=/etc/app/zones.conf\nlocal-address=127.0.0.1\nlocal-port=5300',
  ),
};
const PDNS = (text: string): Trial['files'] =>
  conf(
    'etc/app/pdns.conf',
    `launch=bind\nbind-config=/etc/app/zones.conf\nlocal-address=127.0.0.1\nlocal-port=5300\n${text}`,
  );
const pdnsTrials: readonly Trial[] = [
  trial(pdns, 'port-taken', 'port', ['port-in-use exit-code', '5300'], { before: `${pdns.before}; ${occupied(5300)}` }),
  trial(pdns, 'unknown-setting', 'config', [CONFIG, 'default-tll'], { files: PDNS('default-tll=60') }),
  trial(pdns, 'no-backend', 'library', ['exit-code missing-module malformed-config', 'ledger'], {
    files: PDNS('launch=ledger'),
  }),
  trial(pdns, 'no-zones', 'file', ['missing-setting exit-code', '/etc/app/zones.conf'], {
    before: 'rm -f /etc/app/zones.conf',
  }),
  trial(pdns, 'unknown-user', 'config', [CONFIG, 'dnsuser'], { files: PDNS('setuid=dnsuser') }),
];

const recursor: Base = {
  program: 'recursor',
  run: 'exec pdns_recursor --config-dir=/etc/app --daemon=no --disable-syslog --socket-dir=/tmp',
};
const RECURSOR = (text: string): Trial['files'] =>
  conf('etc/app/recursor.conf', `local-address=127.0.0.1\nlocal-port=5301\n${text}`);
const recursorTrials: readonly Trial[] = [
  trial(recursor, 'port-taken', 'port', ['port-in-use exit-code', '5301'], {
    before: occupied(5301),
    files: RECURSOR(''),
  }),
  trial(recursor, 'unknown-setting', 'config', [CONFIG, 'max-cache-entires'], {
    files: RECURSOR('max-cache-entires=1'),
  }),
  trial(recursor, 'no-script', 'file', ['missing-setting exit-code', '/etc/app/none.lua'], {
    files: RECURSOR('lua-config-file=/etc/app/none.lua'),
  }),
];

const prosodyConf = (text: string): Trial['files'] =>
  conf(
    'etc/app/prosody.cfg.lua',
    `run_as_root = true\npidfile = "/tmp/p.pid"\ndata_path = "/data"\nlog = { info = "*console" }\nauthentication = "internal_hashed"\ncertificates = "/etc/app"\n${text}\nVirtualHost "shop.example"`,
  );
export const prosody: Base = {
  program: 'prosody',
  run: 'exec prosody -F --config /etc/app/prosody.cfg.lua',
  files: prosodyConf(''),
};
const prosodyTrials: readonly Trial[] = [
  trial(prosody, 'syntax', 'config', [CONFIG, '/etc/app/prosody.cfg.lua'], {
    files: prosodyConf('modules_enabled = { "roster"'),
  }),
  trial(prosody, 'no-config', 'file', [FILE, '/etc/app/none.cfg.lua'], {
    run: 'exec prosody -F --config /etc/app/none.cfg.lua',
  }),
];

const IRC = (text: string): Trial['files'] =>
  conf(
    'etc/app/ngircd.conf',
    `[Global]\nName = irc.shop.example\nInfo = shop\nListen = 127.0.0.1\nPorts = 6667\nServerUID = app\nServerGID = app\n${text}`,
  );
export const ngircd: Base = { program: 'ngircd', run: 'exec ngircd -n -f /etc/app/ngircd.conf', files: IRC('') };
const ircTrials: readonly Trial[] = [
  trial(ngircd, 'port-taken', 'port', ['port-in-use exit-code', '6667'], { before: occupied(6667) }),
  trial(ngircd, 'no-config', 'file', ['missing-setting exit-code', '/etc/app/none.conf'], {
    run: 'exec ngircd -n -f /etc/app/none.conf',
  }),
  trial(ngircd, 'unknown-user', 'config', [CONFIG, 'ircuser'], {
    files: conf('etc/app/ngircd.conf', '[Global]\nName = irc.shop.example\nServerUID = ircuser'),
  }),
];

const PRIVOXY = (text: string): Trial['files'] =>
  conf('etc/app/privoxy.conf', `listen-address 127.0.0.1:8118\nlogdir /tmp\nconfdir /etc/privoxy\n${text}`);
export const privoxy: Base = {
  program: 'privoxy',
  run: 'exec privoxy --no-daemon /etc/app/privoxy.conf',
  files: PRIVOXY(''),
};
const privoxyTrials: readonly Trial[] = [
  trial(privoxy, 'port-taken', 'port', [PORT, '8118'], { before: occupied(8118) }),
  trial(privoxy, 'no-config', 'file', ['missing-setting exit-code', '/etc/app/none.conf'], {
    run: 'exec privoxy --no-daemon /etc/app/none.conf',
  }),
  trial(privoxy, 'no-actions', 'file', ['missing-setting exit-code', 'shop.action'], {
    files: PRIVOXY('actionsfile shop.action'),
  }),
  trial(privoxy, 'unknown-user', 'config', [CONFIG, 'proxyuser'], {
    run: 'exec privoxy --no-daemon --user proxyuser /etc/app/privoxy.conf',
  }),
];

const CHRONY = (text: string): Trial['files'] =>
  conf('etc/app/chrony.conf', `port 1123\ncmdport 0\nbindcmdaddress /\npidfile /tmp/c.pid\nuser root\n${text}`);
const chrony: Base = { program: 'chrony', run: 'exec chronyd -d -x -f /etc/app/chrony.conf', files: CHRONY('') };
const chronyTrials: readonly Trial[] = [
  trial(chrony, 'unknown-directive', 'config', [CONFIG, 'makestpe'], { files: CHRONY('makestpe 1 3') }),
  trial(chrony, 'no-config', 'file', ['missing-setting exit-code', '/etc/app/none.conf'], {
    run: 'exec chronyd -d -x -f /etc/app/none.conf',
  }),
  trial(chrony, 'bad-value', 'config', [CONFIG, '/etc/app/chrony.conf'], { files: CHRONY('maxdistance far') }),
  trial(chrony, 'unknown-user', 'config', [CONFIG, 'timeuser'], {
    run: 'exec chronyd -d -x -u timeuser -f /etc/app/chrony.conf',
  }),
];

export const beanstalkd: Base = {
  program: 'beanstalkd',
  run: 'exec beanstalkd -l 127.0.0.1 -p 11300 -b /data',
  before: 'mkdir -p /data',
};
const beanTrials: readonly Trial[] = [
  trial(beanstalkd, 'port-taken', 'port', ['port-in-use exit-code', 'in use'], {
    before: `mkdir -p /data; ${occupied(11300)}`,
  }),
  trial(beanstalkd, 'no-folder', 'file', ['missing-setting exit-code', '/data/none'], {
    run: 'exec beanstalkd -l 127.0.0.1 -b /data/none',
  }),
  trial(beanstalkd, 'unknown-flag', 'config', [ARGUMENT, '-y'], { run: 'exec beanstalkd -y' }),
  trial(beanstalkd, 'unknown-user', 'config', [CONFIG, 'queueuser'], { run: 'exec beanstalkd -u queueuser' }),
];

export const gearmand: Base = { program: 'gearmand', run: 'exec gearmand -l stderr --listen=127.0.0.1' };
const gearTrials: readonly Trial[] = [
  trial(gearmand, 'port-taken', 'port', [PORT, '4730'], { before: occupied(4730) }),
  trial(gearmand, 'unknown-flag', 'config', [ARGUMENT, 'threds'], { run: 'exec gearmand -l stderr --threds=2' }),
  trial(gearmand, 'no-queue', 'config', [CONFIG, 'ledger'], { run: 'exec gearmand -l stderr -q ledger' }),
];

const KEA = (text: string): Trial['files'] =>
  conf(
    'etc/app/kea.conf',
    `{ "Dhcp4": { "interfaces-config": { "interfaces": [] }, "lease-database": { "type": "memfile", "persist": false }, "valid-lifetime": 600, "subnet4": [ ${text} ], "loggers": [ { "name": "kea-dhcp4", "severity": "INFO", "output_options": [ { "output": "stdout" } ] } ] } }`,
  );
export const kea: Base = {
  program: 'kea',
  run: 'mkdir -p /run/kea /run/lock/kea; KEA_PIDFILE_DIR=/tmp KEA_LOCKFILE_DIR=/tmp exec kea-dhcp4 -c /etc/app/kea.conf',
  files: KEA(''),
};
const keaTrials: readonly Trial[] = [
  trial(kea, 'syntax', 'config', [CONFIG, '/etc/app/kea.conf'], { files: KEA('{ "subnet": "10.1.0.0/24", ') }),
  trial(kea, 'unknown-key', 'config', [CONFIG, 'subnett'], { files: KEA('{ "subnett": "10.1.0.0/24" }') }),
  trial(kea, 'bad-pool', 'config', [CONFIG, '10.9.0.1'], {
    files: KEA('{ "id": 1, "subnet": "10.1.0.0/24", "pools": [ { "pool": "10.9.0.1 - 10.9.0.9" } ] }'),
  }),
  trial(kea, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec kea-dhcp4 -c /etc/app/none.conf' }),
];

export const victoria: Base = {
  program: 'victoria',
  run: 'exec victoria-metrics -storageDataPath=/data -httpListenAddr=127.0.0.1:8428',
  before: 'mkdir -p /data',
};
const victoriaTrials: readonly Trial[] = [
  trial(victoria, 'port-taken', 'port', [PORT, '8428'], { before: `mkdir -p /data; ${occupied(8428)}` }),
  trial(victoria, 'unknown-flag', 'config', [ARGUMENT, 'retentionPerod'], {
    run: 'exec victoria-metrics -retentionPerod=1',
  }),
  trial(victoria, 'data-denied', 'permission', ['permission-denied', '/data'], {
    user: 1000,
    before: 'mkdir -p /data; chown 0:0 /data; chmod 755 /data',
  }),
  trial(victoria, 'no-scrape', 'file', ['missing-setting exit-code malformed-config', '/etc/app/none.yml'], {
    run: 'exec victoria-metrics -storageDataPath=/data -promscrape.config=/etc/app/none.yml',
  }),
  trial(victoria, 'bad-scrape', 'config', [CONFIG, 'scrape_confgs'], {
    run: 'exec victoria-metrics -storageDataPath=/data -promscrape.config=/etc/app/s.yml -promscrape.config.strictParse',
    files: conf('etc/app/s.yml', 'scrape_confgs: []'),
  }),
];

export const blackbox: Base = {
  program: 'blackbox',
  run: 'exec prometheus-blackbox-exporter --config.file=/etc/app/bb.yml',
  files: conf('etc/app/bb.yml', 'modules:\n  web:\n    prober: http'),
};
const blackboxTrials: readonly Trial[] = [
  trial(blackbox, 'port-taken', 'port', [PORT, '9115'], { before: occupied(9115, 'AF_INET6', '::') }),
  trial(blackbox, 'bad-config', 'config', [CONFIG, 'probr'], {
    files: conf('etc/app/bb.yml', 'modules:\n  web:\n    probr: http'),
  }),
  trial(blackbox, 'no-config', 'file', ['missing-setting exit-code malformed-config', '/etc/app/none.yml'], {
    run: 'exec prometheus-blackbox-exporter --config.file=/etc/app/none.yml',
  }),
];

const PGPOOL = (text: string): Trial['files'] =>
  conf(
    'etc/app/pgpool.conf',
    `listen_addresses = '127.0.0.1'\nport = 9999\nbackend_hostname0 = '127.0.0.1'\nbackend_port0 = 5432\nbackend_clustering_mode = 'raw'\npid_file_name = '/tmp/pgpool.pid'\nsocket_dir = '/tmp'\npcp_socket_dir = '/tmp'\nlogdir = '/tmp'\n${text}`,
  );
export const pgpool: Base = {
  program: 'pgpool',
  run: 'exec pgpool -n -f /etc/app/pgpool.conf -F /etc/app/pcp.conf -a /etc/app/pool_hba.conf',
  files: { ...PGPOOL(''), 'etc/app/pcp.conf': '', 'etc/app/pool_hba.conf': '' },
};
const pgpoolTrials: readonly Trial[] = [
  trial(pgpool, 'port-taken', 'port', [PORT, '9999'], { before: occupied(9999) }),
  trial(pgpool, 'unknown-parameter', 'config', [CONFIG, 'num_init_childs'], { files: PGPOOL('num_init_childs = 4') }),
  trial(pgpool, 'no-config', 'file', ['missing-setting exit-code malformed-config', '/etc/app/none.conf'], {
    run: 'exec pgpool -n -f /etc/app/none.conf',
  }),
];

const TOR = (text: string): Trial['files'] => conf('etc/app/torrc', `SocksPort 9050\nDataDirectory /tmp/tor\n${text}`);
export const tor: Base = { program: 'tor', run: 'exec tor -f /etc/app/torrc', files: TOR('') };
const torTrials: readonly Trial[] = [
  trial(tor, 'port-taken', 'port', ['port-in-use', '9050'], { before: occupied(9050, 'AF_INET', '127.0.0.1') }),
  trial(tor, 'unknown-option', 'config', [CONFIG, 'ExitPolcy'], { files: TOR('ExitPolcy reject *:*') }),
  trial(tor, 'no-config', 'file', [FILE, '/etc/app/none'], { run: 'exec tor -f /etc/app/none' }),
  trial(tor, 'data-denied', 'permission', ['permission-denied exit-code', '/data/tor'], {
    user: 1000,
    before: 'mkdir -p /data; chmod 755 /data',
    files: conf('etc/app/torrc', 'DataDirectory /data/tor'),
  }),
  trial(tor, 'unknown-user', 'config', [CONFIG, 'onion'], { files: TOR('User onion') }),
];

const PEM =
  'openssl req -x509 -newkey rsa:2048 -nodes -keyout /etc/app/k.pem -out /etc/app/c.pem -days 2 -subj /CN=a 2>/dev/null; cat /etc/app/k.pem /etc/app/c.pem > /etc/app/both.pem; chmod 644 /etc/app/*.pem';
const HITCH = (text: string): Trial['files'] =>
  conf('etc/app/hitch.conf', `frontend = "[127.0.0.1]:8443"\nbackend = "[127.0.0.1]:8080"\nworkers = 1\n${text}`);
export const hitch: Base = {
  program: 'hitch',
  user: 1000,
  run: 'exec hitch --config=/etc/app/hitch.conf',
  before: PEM,
  files: HITCH('pem-file = "/etc/app/both.pem"'),
};
const hitchTrials: readonly Trial[] = [
  trial(hitch, 'port-taken', 'port', ['port-in-use exit-code', '8443'], { before: `${PEM}; ${occupied(8443)}` }),
  trial(hitch, 'no-pem', 'tls', ['missing-setting exit-code', '/etc/app/none.pem'], {
    files: HITCH('pem-file = "/etc/app/none.pem"'),
  }),
  trial(hitch, 'unknown-key', 'config', [CONFIG, 'frontent'], { files: HITCH('frontent = "a"') }),
  trial(hitch, 'no-config', 'file', ['missing-setting exit-code', '/etc/app/none.conf'], {
    run: 'exec hitch --config=/etc/app/none.conf',
  }),
];

export const nghttpx: Base = {
  program: 'nghttpx',
  run: "exec nghttpx -f'127.0.0.1,3000;no-tls' -b127.0.0.1,8080 --errorlog-file=/dev/stderr --conf=/etc/app/nghttpx.conf",
  files: conf('etc/app/nghttpx.conf', 'workers=1'),
};
const nghttpxTrials: readonly Trial[] = [
  trial(nghttpx, 'port-taken', 'port', ['port-in-use exit-code', '3000'], { before: occupied(3000) }),
  trial(nghttpx, 'unknown-key', 'config', [CONFIG, 'wokers'], { files: conf('etc/app/nghttpx.conf', 'wokers=1') }),
  trial(nghttpx, 'no-key', 'tls', ['missing-setting exit-code', '/etc/app/none.key'], {
    run: "exec nghttpx -f'127.0.0.1,3000' --conf=/etc/app/nghttpx.conf /etc/app/none.key /etc/app/none.crt",
  }),
];

export const rclone: Base = {
  program: 'rclone',
  run: 'exec rclone serve http /data --addr 127.0.0.1:8090',
  before: 'mkdir -p /data',
};
const rcloneTrials: readonly Trial[] = [
  trial(rclone, 'port-taken', 'port', [PORT, '8090'], { before: `mkdir -p /data; ${occupied(8090)}` }),
  trial(rclone, 'no-remote', 'config', [`${FILE} missing-data`, 'ledger'], {
    run: 'exec rclone serve http ledger:prices',
  }),
  trial(rclone, 'unknown-flag', 'config', [ARGUMENT, '--adr'], {
    run: 'exec rclone serve http /data --adr 127.0.0.1:8090',
  }),
];

const RADICALE = (text: string): Trial['files'] =>
  conf(
    'etc/app/radicale.conf',
    `[server]\nhosts = 127.0.0.1:5232\n[storage]\nfilesystem_folder = /tmp/collections\n${text}`,
  );
export const radicale: Base = {
  program: 'radicale',
  run: 'exec radicale --config /etc/app/radicale.conf',
  files: RADICALE(''),
};
const radicaleTrials: readonly Trial[] = [
  trial(radicale, 'port-taken', 'port', ['port-in-use', '5232'], { before: occupied(5232) }),
  trial(radicale, 'unknown-option', 'config', [CONFIG, 'file_system'], { files: RADICALE('file_system = a') }),
  trial(radicale, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec radicale --config /etc/app/none.conf',
  }),
  trial(radicale, 'no-users', 'file', ['missing-setting exit-code', '/etc/app/users'], {
    files: RADICALE('[auth]\ntype = htpasswd\nhtpasswd_filename = /etc/app/users\nhtpasswd_encryption = plain'),
  }),
];

export const webhook: Base = {
  program: 'webhook',
  run: 'exec webhook -verbose -hooks /etc/app/hooks.json -port 9000',
  files: conf('etc/app/hooks.json', '[{"id":"a","execute-command":"/bin/false"}]'),
};
const webhookTrials: readonly Trial[] = [
  trial(webhook, 'port-taken', 'port', [PORT, '9000'], { before: occupied(9000) }),
  trial(webhook, 'unknown-flag', 'config', [ARGUMENT, 'hoks'], { run: 'exec webhook -hoks /etc/app/hooks.json' }),
];

export const coturn: Base = {
  program: 'coturn',
  run: 'exec turnserver -n --log-file=stdout --listening-ip=127.0.0.1 --relay-ip=127.0.0.1 --no-cli --realm=shop --db=/tmp/turn.db',
};
const samba: Base = {
  program: 'samba',
  run: 'exec smbd -F --no-process-group --debug-stdout -s /etc/app/smb.conf',
  files: conf(
    'etc/app/smb.conf',
    '[global]\nlog level = 1\nlock directory = /tmp\nstate directory = /tmp\ncache directory = /tmp\npid directory = /tmp\nprivate dir = /tmp',
  ),
};
const sambaTrials: readonly Trial[] = [
  trial(samba, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec smbd -F --no-process-group --debug-stdout -s /etc/app/none.conf',
  }),
];

const collectd: Base = {
  program: 'collectd',
  run: 'exec collectd -f -C /etc/app/collectd.conf',
  files: conf('etc/app/collectd.conf', 'BaseDir "/tmp"\nPIDFile "/tmp/c.pid"\nLoadPlugin load'),
};
const collectdTrials: readonly Trial[] = [
  trial(collectd, 'syntax', 'config', [CONFIG, '/etc/app/collectd.conf'], {
    files: conf('etc/app/collectd.conf', 'BaseDir "/tmp"\n<Plugin load>'),
  }),
  trial(collectd, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec collectd -f -C /etc/app/none.conf' }),
];

const dante: Base = {
  program: 'dante',
  run: 'exec danted -f /etc/app/danted.conf',
  files: conf(
    'etc/app/danted.conf',
    'logoutput: stderr\ninternal: 127.0.0.1 port = 1080\nexternal: 127.0.0.1\nsocksmethod: none\nclientmethod: none',
  ),
};
const danteTrials: readonly Trial[] = [
  trial(dante, 'port-taken', 'port', ['port-in-use exit-code', '1080'], { before: occupied(1080) }),
  trial(dante, 'no-config', 'file', ['missing-setting exit-code', '/etc/app/none.conf'], {
    run: 'exec danted -f /etc/app/none.conf',
  }),
  trial(dante, 'syntax', 'config', [CONFIG, '/etc/app/danted.conf'], {
    files: conf('etc/app/danted.conf', 'logoutput: stderr\ninternall: 127.0.0.1 port = 1080'),
  }),
];

const carbonConf =
  '[cache]\nSTORAGE_DIR = /tmp/g\nCONF_DIR = /etc/app\nLOG_DIR = /tmp/g\nPID_DIR = /tmp\nLOCAL_DATA_DIR = /tmp/g\nLINE_RECEIVER_INTERFACE = 127.0.0.1\nLINE_RECEIVER_PORT = 2003\nPICKLE_RECEIVER_PORT = 2004\nCACHE_QUERY_PORT = 7002\nUSER =\nMAX_CACHE_SIZE = inf\nMAX_UPDATES_PER_SECOND = 500';
const carbon: Base = {
  program: 'carbon',
  run: 'exec carbon-cache --config=/etc/app/carbon.conf --nodaemon --logdir=/tmp/g start',
  files: {
    'etc/app/carbon.conf': `${carbonConf}\n`,
    'etc/app/storage-schemas.conf': '[all]\npattern = .*\nretentions = 60s:1d\n',
  },
};
const carbonTrials: readonly Trial[] = [
  trial(carbon, 'no-schemas', 'file', ['missing-setting exit-code', '/etc/app/storage-schemas.conf'], {
    before: 'rm /etc/app/storage-schemas.conf',
  }),
  trial(carbon, 'port-taken', 'port', ['port-in-use', '2003'], { before: occupied(2003, 'AF_INET', '127.0.0.1') }),
  trial(carbon, 'no-config', 'file', ['missing-setting exit-code', '/etc/app/none.conf'], {
    run: 'exec carbon-cache --config=/etc/app/none.conf --nodaemon start',
  }),
];

const syncthing: Base = {
  program: 'syncthing',
  run: 'exec syncthing serve --home=/data --no-browser --no-default-folder --gui-address=127.0.0.1:8384',
  before: 'mkdir -p /data',
};
const syncTrials: readonly Trial[] = [
  trial(syncthing, 'data-denied', 'permission', ['permission-denied', '/data'], {
    user: 1000,
    before: 'mkdir -p /data; chown 0:0 /data; chmod 755 /data',
  }),
  trial(syncthing, 'unknown-flag', 'config', [ARGUMENT, '--hom'], { run: 'exec syncthing serve --hom=/data' }),
  trial(syncthing, 'bad-config', 'config', [`${CONFIG} corrupt-data`, ''], {
    before: 'mkdir -p /data; echo "<configuration" > /data/config.xml',
  }),
];

export const FOURTH_BASES = {
  coturn,
  chrony,
  collectd,
  dante,
  carbon,
  syncthing,
  samba,
  recursor: { ...recursor, files: RECURSOR('') },
};

export const FOURTH_SERVERS: readonly Trial[] = [
  ...sshdTrials,
  ...pdnsTrials,
  ...recursorTrials,
  ...prosodyTrials,
  ...ircTrials,
  ...privoxyTrials,
  ...chronyTrials,
  ...beanTrials,
  ...gearTrials,
  ...keaTrials,
  ...victoriaTrials,
  ...blackboxTrials,
  ...pgpoolTrials,
  ...torTrials,
  ...hitchTrials,
  ...nghttpxTrials,
  ...rcloneTrials,
  ...radicaleTrials,
  ...webhookTrials,
  ...sambaTrials,
  ...collectdTrials,
  ...danteTrials,
  ...carbonTrials,
  ...syncTrials,
];
