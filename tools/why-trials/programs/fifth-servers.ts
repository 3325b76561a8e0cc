/** Trials of the fifth batch that is held out: servers and exporters. */
import type { Trial } from '../trial.ts';
import { occupied, trial } from './second-servers.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config';
const PORT = 'port-in-use';
const ARGUMENT = 'bad-argument exit-code malformed-config';
const DENIED = 'permission-denied';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const CLICKHOUSE = (more: string): Trial['files'] => ({
  'etc/app/config.xml': `<yandex><logger><level>information</level><console>1</console></logger><http_port>8123</http_port><tcp_port>9000</tcp_port><path>/data/</path><tmp_path>/data/tmp/</tmp_path><mark_cache_size>5368709120</mark_cache_size><users_config>/etc/app/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>${more}</yandex>\n`,
  'etc/app/users.xml':
    '<yandex><profiles><default><max_memory_usage>100000000</max_memory_usage></default></profiles><users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default></users><quotas><default/></quotas></yandex>\n',
});
const ZONE = 'ln -sf /usr/share/zoneinfo/UTC /etc/localtime';
export const clickhouse: Base = {
  program: 'clickhouse',
  run: 'exec clickhouse-server --config-file=/etc/app/config.xml',
  before: ZONE,
  files: CLICKHOUSE(''),
};
const clickhouseTrials: readonly Trial[] = [
  trial(clickhouse, 'no-config', 'file', [FILE, '/etc/app/none.xml'], {
    run: 'exec clickhouse-server --config-file=/etc/app/none.xml',
  }),
  trial(clickhouse, 'bad-xml', 'config', [CONFIG, '/etc/app/config.xml'], { files: CLICKHOUSE('<listen_host>') }),
  trial(clickhouse, 'no-users', 'file', [FILE, '/etc/app/nobody.xml'], {
    files: conf(
      'etc/app/config.xml',
      '<yandex><logger><console>1</console></logger><http_port>8123</http_port><path>/data/</path><mark_cache_size>5368709120</mark_cache_size><users_config>/etc/app/nobody.xml</users_config></yandex>',
    ),
  }),
  trial(clickhouse, 'data-denied', 'permission', [`${DENIED} exit-code`, '/data'], {
    user: 1000,
    before: `${ZONE}; chmod 700 /data`,
  }),
];

const JETTY_BASE = 'mkdir -p /app/base/webapps /app/base/start.d /app/base/lib/ext /app/base/resources /app/base/logs';
const JETTY =
  'cd /app/base; exec java -Djetty.home=/usr/share/jetty9 -jar /usr/share/jetty9/start.jar --module=http --module=deploy';
export const jetty: Base = { program: 'jetty', run: `${JETTY} jetty.http.port=8080`, before: JETTY_BASE };
const jettyTrials: readonly Trial[] = [
  trial(jetty, 'port-taken', 'port', [PORT, '8080'], { before: `${JETTY_BASE}; ${occupied(8080)}` }),
  trial(jetty, 'unknown-module', 'config', ['exit-code missing-module bad-argument malformed-config', 'ledger'], {
    run: `${JETTY} --module=ledger`,
  }),
  trial(jetty, 'bad-port', 'config', ['exit-code bad-argument malformed-config', '80a'], {
    run: `${JETTY} jetty.http.port=80a`,
  }),
  trial(jetty, 'bad-xml', 'config', [CONFIG, 'shop.xml'], {
    run: `${JETTY} /app/base/shop.xml`,
    files: conf(
      'app/base/shop.xml',
      '<?xml version="1.0"?><!DOCTYPE Configure PUBLIC "-//Jetty//Configure//EN" "http://www.eclipse.org/jetty/configure_9_3.dtd"><Configure id="Server" class="org.eclipse.jetty.server.Server"><Set name="nonsense">1</Set></Configure>',
    ),
  }),
];

const RADIUS = (authorize: string, user = ''): Trial['files'] =>
  conf(
    'etc/app/radius/radiusd.conf',
    `prefix = /usr\nlogdir = /tmp\nraddbdir = /etc/app/radius\nradacctdir = /tmp\nname = radiusd\nconfdir = /etc/app/radius\nmodconfdir = /etc/app/radius\nrun_dir = /tmp\nlibdir = /usr/lib/freeradius\npidfile = /tmp/r.pid\nsecurity {\n${user}\nmax_attributes = 200\n}\nclient localhost {\nipaddr = 127.0.0.1\nsecret = s\n}\nmodules {\npap {\n}\n}\nserver default {\nlisten {\ntype = auth\nipaddr = 127.0.0.1\nport = 1812\n}\nauthorize {\n${authorize}\n}\nauthenticate {\npap\n}\n}`,
  );
export const freeradius: Base = {
  program: 'freeradius',
  run: 'exec freeradius -f -l stdout -d /etc/app/radius',
  files: RADIUS('pap'),
};
const freeradiusTrials: readonly Trial[] = [
  trial(freeradius, 'port-taken', 'port', [PORT, '1812'], { before: occupied(1812) }),
  trial(freeradius, 'no-directory', 'file', [FILE, '/etc/none'], { run: 'exec freeradius -f -l stdout -d /etc/none' }),
  trial(freeradius, 'unclosed', 'config', [CONFIG, '/etc/app/radius/radiusd.conf'], { files: RADIUS('group {') }),
  trial(freeradius, 'unknown-module', 'config', ['exit-code missing-module malformed-config', 'ledger'], {
    files: RADIUS('ledger'),
  }),
  trial(freeradius, 'unknown-user', 'config', [`${CONFIG} missing-data`, 'nosuchuser'], {
    files: RADIUS('pap', 'user = nosuchuser'),
  }),
];

const SYSLOG = (text: string): Trial['files'] =>
  conf(
    'etc/app/syslog-ng.conf',
    `@version: 3.38\nsource s { network(ip("127.0.0.1") port(5514)); };\ndestination d { file("/dev/stdout"); };\nlog { source(s); destination(d); };\n${text}`,
  );
export const syslogNg: Base = {
  program: 'syslog-ng',
  run: 'exec syslog-ng -F --no-caps --stderr -f /etc/app/syslog-ng.conf -R /tmp/s.persist -p /tmp/s.pid -c /tmp/s.ctl',
  files: SYSLOG(''),
};
const syslogTrials: readonly Trial[] = [
  trial(syslogNg, 'port-taken', 'port', [PORT, '5514'], { before: occupied(5514) }),
  trial(syslogNg, 'syntax', 'config', [CONFIG, '/etc/app/syslog-ng.conf'], { files: SYSLOG('destinaton e { };') }),
  trial(syslogNg, 'unknown-source', 'config', [CONFIG, 's_nosuch'], {
    files: SYSLOG('log { source(s_nosuch); destination(d); };'),
  }),
  trial(syslogNg, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec syslog-ng -F --no-caps --stderr -f /etc/app/none.conf -R /tmp/s.persist -p /tmp/s.pid -c /tmp/s.ctl',
  }),
];

const CLAMD = (text: string): Trial['files'] =>
  conf(
    'etc/app/clamd.conf',
    `Foreground yes\nTCPSocket 3310\nTCPAddr 127.0.0.1\nLogSyslog no\nDatabaseDirectory /data\nUser root\n${text}`,
  );
export const clamd: Base = {
  program: 'clamd',
  run: 'exec clamd -F -c /etc/app/clamd.conf',
  before: "printf '44d88612fea8a8f36de82e1278abb02f:68:Eicar\\n' > /data/a.hdb",
  files: CLAMD(''),
};
const clamdTrials: readonly Trial[] = [
  trial(clamd, 'port-taken', 'port', ['port-in-use exit-code', '3310'], {
    before: `${clamd.before}; ${occupied(3310)}`,
  }),
  trial(clamd, 'no-database', 'file', [`${FILE} missing-data`, '/none'], {
    files: conf('etc/app/clamd.conf', 'Foreground yes\nTCPSocket 3310\nDatabaseDirectory /none'),
  }),
  trial(clamd, 'unknown-option', 'config', [CONFIG, 'MaxThreds'], { files: CLAMD('MaxThreds 4') }),
  trial(clamd, 'bad-value', 'config', [CONFIG, 'MaxThreads'], { files: CLAMD('MaxThreads many') }),
  trial(clamd, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec clamd -F -c /etc/app/none.conf' }),
];

const PATRONI = (text: string): Trial['files'] =>
  conf(
    'etc/app/patroni.yml',
    `scope: shop\nname: n1\nrestapi:\n  listen: 127.0.0.1:8008\n  connect_address: 127.0.0.1:8008\n${text}`,
  );
const patroni: Base = {
  program: 'patroni',
  run: 'exec patroni /etc/app/patroni.yml',
  user: 70,
  before: 'chown 70 /data',
};
const PATRONI_DB =
  'postgresql:\n  listen: 127.0.0.1:5432\n  connect_address: 127.0.0.1:5432\n  data_dir: /data/pg\n  authentication:\n    superuser: {username: app, password: right}\n    replication: {username: app, password: right}';
const patroniTrials: readonly Trial[] = [
  trial(
    patroni,
    'no-store',
    'config',
    ['exit-code malformed-config missing-setting', 'distributed configuration store'],
    {
      files: PATRONI(PATRONI_DB),
    },
  ),
  trial(patroni, 'bad-yaml', 'config', [CONFIG, '/etc/app/patroni.yml'], { files: PATRONI('postgresql: [') }),
  trial(patroni, 'no-config', 'file', [FILE, 'Config is empty'], { run: 'exec patroni /etc/app/none.yml' }),
  trial(patroni, 'config-denied', 'permission', [`${DENIED} exit-code`, '/etc/app/patroni.yml'], {
    files: PATRONI(PATRONI_DB),
    before: 'chmod 600 /etc/app/patroni.yml',
  }),
];

const exporterRun = (kind: string, more = ''): string => `exec prometheus-${kind}-exporter ${more}`;
export const postgresExporter: Base = {
  program: 'postgres-exporter',
  run: exporterRun('postgres'),
  env: { DATA_SOURCE_NAME: 'postgresql://app:right@127.0.0.1:5432/postgres?sslmode=disable' },
};
const postgresExporterTrials: readonly Trial[] = [
  trial(postgresExporter, 'port-taken', 'port', [PORT, '9187'], { before: occupied(9187, 'AF_INET6', '::') }),
  trial(postgresExporter, 'unknown-flag', 'config', [ARGUMENT, '--web.listen'], {
    run: exporterRun('postgres', '--web.listen=:1'),
  }),
  trial(postgresExporter, 'no-web-config', 'file', [FILE, '/etc/app/none.yml'], {
    run: exporterRun('postgres', '--web.config.file=/etc/app/none.yml'),
  }),
  trial(postgresExporter, 'no-password-file', 'file', [FILE, '/etc/app/none'], {
    env: {
      DATA_SOURCE_URI: '127.0.0.1:5432/postgres',
      DATA_SOURCE_USER: 'app',
      DATA_SOURCE_PASS_FILE: '/etc/app/none',
    },
  }),
];
export const mysqldExporter: Base = {
  program: 'mysqld-exporter',
  run: exporterRun('mysqld'),
  env: { DATA_SOURCE_NAME: 'app:right@(127.0.0.1:3306)/' },
};
const mysqldExporterTrials: readonly Trial[] = [
  trial(mysqldExporter, 'port-taken', 'port', [PORT, '9104'], { before: occupied(9104, 'AF_INET6', '::') }),
  trial(mysqldExporter, 'no-credentials', 'file', [FILE, '.my.cnf'], { env: {} }),
  trial(mysqldExporter, 'bad-web-config', 'config', [CONFIG, 'tls_servr_config'], {
    run: exporterRun('mysqld', '--web.config.file=/etc/app/web.yml'),
    files: conf('etc/app/web.yml', 'tls_servr_config:\n  cert_file: /a'),
  }),
];
export const redisExporter: Base = { program: 'redis-exporter', run: exporterRun('redis') };
const redisExporterTrials: readonly Trial[] = [
  trial(redisExporter, 'port-taken', 'port', [PORT, '9121'], { before: occupied(9121, 'AF_INET6', '::') }),
  trial(redisExporter, 'no-certificate', 'file', [FILE, '/etc/tls/none.crt'], {
    run: exporterRun('redis', '-tls-client-cert-file /etc/tls/none.crt -tls-client-key-file /etc/tls/none.key'),
  }),
  trial(redisExporter, 'no-script', 'file', [FILE, '/etc/app/none.lua'], {
    run: exporterRun('redis', '-script /etc/app/none.lua'),
  }),
  trial(redisExporter, 'unknown-flag', 'config', [ARGUMENT, 'redis.adress'], {
    run: exporterRun('redis', '-redis.adress redis://a:1'),
  }),
];

const ZABBIX = (text: string): Trial['files'] =>
  conf(
    'etc/app/agent.conf',
    `LogType=console\nServer=127.0.0.1\nListenPort=10050\nPidFile=/tmp/z.pid\nAllowRoot=1\n${text}`,
  );
export const zabbix: Base = {
  program: 'zabbix-agent',
  run: 'exec zabbix_agentd -f -c /etc/app/agent.conf',
  files: ZABBIX(''),
};
const zabbixTrials: readonly Trial[] = [
  trial(zabbix, 'unknown-parameter', 'config', [CONFIG, 'Timeuot'], { files: ZABBIX('Timeuot=3') }),
  trial(zabbix, 'bad-value', 'config', [CONFIG, 'Timeout'], { files: ZABBIX('Timeout=300') }),
  trial(zabbix, 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec zabbix_agentd -f -c /etc/app/none.conf',
  }),
  trial(zabbix, 'root', 'permission', ['exit-code permission-denied malformed-config missing-setting', 'root'], {
    files: conf('etc/app/agent.conf', 'LogType=console\nServer=127.0.0.1\nPidFile=/tmp/z.pid'),
  }),
];

const KAMAILIO = (text: string): Trial['files'] =>
  conf(
    'etc/app/kamailio.cfg',
    `#!KAMAILIO\ndebug=2\nlog_stderror=yes\nfork=no\nlisten=udp:127.0.0.1:5060\nmpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/"\nloadmodule "sl.so"\n${text}\nrequest_route { exit; }`,
  );
export const kamailio: Base = {
  program: 'kamailio',
  run: 'exec kamailio -DD -E -f /etc/app/kamailio.cfg -Y /tmp -P /tmp/k.pid -m 64 -M 8',
  files: KAMAILIO(''),
};
const kamailioTrials: readonly Trial[] = [
  trial(kamailio, 'port-taken', 'port', [PORT, '5060'], { before: occupied(5060) }),
  trial(kamailio, 'syntax', 'config', [CONFIG, '/etc/app/kamailio.cfg'], { files: KAMAILIO('debog=2') }),
  trial(kamailio, 'no-module', 'library', ['missing-module exit-code missing-setting malformed-config', 'ledger'], {
    files: KAMAILIO('loadmodule "ledger.so"'),
  }),
  trial(kamailio, 'no-config', 'file', [FILE, '/etc/app/none.cfg'], {
    run: 'exec kamailio -DD -E -f /etc/app/none.cfg -Y /tmp -P /tmp/k.pid',
  }),
];

const H2O = (text: string): Trial['files'] =>
  conf(
    'etc/app/h2o.conf',
    `user: nobody\nhosts:\n  "default":\n    listen:\n      port: 8080\n    paths:\n      /:\n        file.dir: /data\naccess-log: /dev/stdout\n${text}`,
  );
export const h2o: Base = { program: 'h2o', run: 'exec h2o -c /etc/app/h2o.conf', files: H2O('') };
const h2oTrials: readonly Trial[] = [
  trial(h2o, 'port-taken', 'port', [PORT, '8080'], { before: occupied(8080) }),
  trial(h2o, 'unknown-command', 'config', [CONFIG, 'num-threds'], { files: H2O('num-threds: 2') }),
  trial(h2o, 'bad-yaml', 'config', [CONFIG, '/etc/app/h2o.conf'], { files: H2O('a: [') }),
  trial(h2o, 'no-certificate', 'file', [FILE, '/etc/tls/none.pem'], {
    files: H2O(
      'listen:\n  port: 8443\n  ssl:\n    certificate-file: /etc/tls/none.pem\n    key-file: /etc/tls/none.key',
    ),
  }),
  trial(h2o, 'no-config', 'file', [FILE, '/etc/app/none.conf'], { run: 'exec h2o -c /etc/app/none.conf' }),
];

const MONIT = (text: string): Trial['files'] => ({
  'etc/app/monitrc': [
    `set daemon 5\nset httpd port 2812 and use address 127.0.0.1\n  allow localhost\n${text}\n`,
    0o600,
  ],
});
export const monit: Base = {
  program: 'monit',
  run: 'exec monit -I -c /etc/app/monitrc -s /tmp/m.state -p /tmp/m.pid',
  files: MONIT(''),
};
const monitTrials: readonly Trial[] = [
  trial(monit, 'open-config', 'permission', ['permission-denied exit-code malformed-config', '/etc/app/monitrc'], {
    files: conf('etc/app/monitrc', 'set daemon 5'),
  }),
  trial(monit, 'syntax', 'config', [CONFIG, '/etc/app/monitrc'], { files: MONIT('chek system a') }),
  trial(monit, 'no-config', 'file', [FILE, '/etc/app/none'], { run: 'exec monit -I -c /etc/app/none' }),
];

const SENTINEL = (text: string): Trial['files'] => conf('data/sentinel.conf', `port 26379\ndir /tmp\n${text}`);
export const sentinel: Base = {
  program: 'sentinel',
  run: 'exec redis-sentinel /data/sentinel.conf',
  files: SENTINEL('sentinel monitor shop 127.0.0.1 6379 1'),
};
const sentinelTrials: readonly Trial[] = [
  trial(sentinel, 'unknown-option', 'config', [CONFIG, 'down-after-miliseconds'], {
    files: SENTINEL('sentinel monitor shop 127.0.0.1 6379 1\nsentinel down-after-miliseconds shop 1'),
  }),
  trial(sentinel, 'config-denied', 'permission', [`${DENIED} exit-code read-only-file-system`, '/data/sentinel.conf'], {
    user: 1000,
    before: 'chmod 755 /data; chmod 644 /data/sentinel.conf',
  }),
  trial(sentinel, 'port-taken', 'port', ['port-in-use', '26379'], { before: occupied(26379) }),
];

export const FIFTH_SERVERS: readonly Trial[] = [
  ...clickhouseTrials,
  ...jettyTrials,
  ...freeradiusTrials,
  ...syslogTrials,
  ...clamdTrials,
  ...patroniTrials,
  ...postgresExporterTrials,
  ...mysqldExporterTrials,
  ...redisExporterTrials,
  ...zabbixTrials,
  ...kamailioTrials,
  ...h2oTrials,
  ...monitTrials,
  ...sentinelTrials,
];
