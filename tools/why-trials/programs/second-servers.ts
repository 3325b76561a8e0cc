/** Trials of the servers of the second batch that is held out, and healthy programs whose logs are noisy. */
import type { Trial } from '../trial.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
type Truth = readonly [ids: string, must: string];

/** A trial: the ids that are right, apart by spaces, and the text that must be named. */
export function trial(base: Base, name: string, family: string, [ids, must]: Truth, more: Partial<Trial> = {}): Trial {
  return { ...base, name, family, truth: { ids: ids.split(' '), must: must === '' ? [] : [must] }, ...more };
}

/** A listener without SO_REUSEPORT, of TCP and UDP, that is there before the program starts. */
export const occupied = (port: number, family = 'AF_INET', host = '0.0.0.0'): string =>
  `nohup python3 -c 'import socket, time\nkeep = []\nfor kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n    s = socket.socket(socket.${family}, kind); s.bind(("${host}", ${port})); keep.append(s)\n    if kind == socket.SOCK_STREAM: s.listen()\nopen("/tmp/bound", "w")\ntime.sleep(99)' >/dev/null 2>&1 & while [ ! -e /tmp/bound ]; do sleep 0.1; done`;

const CONFIG = 'malformed-config exit-code';
const FILE = 'missing-setting exit-code';

const NAMED_CONF = (text: string): Trial['files'] => ({
  'etc/app/named.conf': `options { directory "/tmp"; listen-on port 5353 { 127.0.0.1; }; listen-on-v6 { none; }; pid-file none; session-keyfile "/tmp/s.key"; ${text} };\ncontrols { };\n`,
});
export const bind: Base = { program: 'bind', run: 'exec named -g -c /etc/app/named.conf', files: NAMED_CONF('') };
const bindTrials: readonly Trial[] = [
  trial(bind, 'no-config', 'file', ['missing-setting', '/etc/app/none.conf'], {
    run: 'exec named -g -c /etc/app/none.conf',
  }),
  trial(bind, 'unknown-option', 'config', [CONFIG, 'recursoin'], { files: NAMED_CONF('recursoin yes;') }),
  trial(bind, 'missing-semicolon', 'config', [CONFIG, '/etc/app/named.conf'], { files: NAMED_CONF('recursion yes') }),
  trial(bind, 'bad-directory', 'file', [FILE, '/var/none'], {
    files: { 'etc/app/named.conf': 'options { directory "/var/none"; };\n' },
  }),
  trial(bind, 'unknown-user', 'config', ['exit-code missing-setting bad-argument malformed-config', 'dnsuser'], {
    run: 'exec named -g -u dnsuser -c /etc/app/named.conf',
  }),
];

const LDAP = (text: string): Trial['files'] => ({
  'etc/app/slapd.conf': `include /etc/ldap/schema/core.schema\npidfile /tmp/slapd.pid\nmodulepath /usr/lib/ldap\nmoduleload back_mdb\n${text}\ndatabase mdb\nsuffix "dc=shop"\nrootdn "cn=admin,dc=shop"\ndirectory /data\n`,
});
export const slapd: Base = {
  program: 'slapd',
  run: 'exec slapd -d 256 -f /etc/app/slapd.conf -h ldap://0.0.0.0:3389',
  files: LDAP(''),
};
const slapdTrials: readonly Trial[] = [
  trial(slapd, 'port-taken', 'port', ['port-in-use', ''], { before: occupied(3389) }),
  trial(slapd, 'no-config', 'file', ['missing-setting', '/etc/app/none.conf'], {
    run: 'exec slapd -d 256 -f /etc/app/none.conf',
  }),
  trial(slapd, 'unknown-directive', 'config', [CONFIG, 'idletimout'], { files: LDAP('idletimout 30') }),
  trial(slapd, 'no-directory', 'file', [FILE, '/etc/app/slapd.conf'], { before: 'rmdir /data' }),
  trial(slapd, 'directory-denied', 'permission', ['permission-denied', '/etc/app/slapd.conf'], {
    user: 1000,
    before: 'chmod 700 /data',
  }),
  trial(slapd, 'module-missing', 'library', ['missing-module missing-setting exit-code', 'back_ledger'], {
    files: LDAP('moduleload back_ledger'),
  }),
  trial(slapd, 'no-schema', 'file', [FILE, '/etc/ldap/schema/shop.schema'], {
    files: LDAP('include /etc/ldap/schema/shop.schema'),
  }),
];

const SQUID = (text: string): Trial['files'] => ({
  'etc/app/squid.conf': `http_port 3128\npid_filename /tmp/squid.pid\ncache_effective_user app\ncache_log /dev/stderr\naccess_log none\nlogfile_rotate 0\nvisible_hostname trial\n${text}\n`,
});
export const squid: Base = { program: 'squid', run: 'exec squid -N -d 1 -f /etc/app/squid.conf', files: SQUID('') };
const squidTrials: readonly Trial[] = [
  trial(squid, 'no-config', 'file', ['missing-setting', '/etc/app/none.conf'], {
    run: 'exec squid -N -d 1 -f /etc/app/none.conf',
  }),
  trial(squid, 'unknown-acl', 'config', [CONFIG, 'localnet'], { files: SQUID('http_access allow localnet') }),
  trial(squid, 'unknown-type', 'config', [CONFIG, 'srcc'], { files: SQUID('acl office srcc 10.0.0.0/8') }),
  trial(squid, 'cache-denied', 'permission', ['permission-denied', '/data/cache'], {
    before: 'mkdir -p /data/cache; chmod 700 /data/cache',
    files: SQUID('cache_dir ufs /data/cache 100 16 256'),
  }),
  trial(squid, 'unknown-user', 'config', [CONFIG, 'proxyuser'], { files: SQUID('cache_effective_user proxyuser') }),
];

const VCL = (text: string): Trial['files'] => ({
  'etc/app/default.vcl': `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "3000"; }\n${text}\n`,
});
export const varnish: Base = {
  program: 'varnish',
  run: 'exec varnishd -j none -F -a 0.0.0.0:6081 -n /tmp/v -f /etc/app/default.vcl',
  files: VCL(''),
};
const varnishTrials: readonly Trial[] = [
  trial(varnish, 'port-taken', 'port', ['port-in-use', '6081'], { before: occupied(6081) }),
  trial(varnish, 'syntax', 'config', [CONFIG, '/etc/app/default.vcl'], {
    files: VCL('sub vcl_recv { set req.http.host = ; }'),
  }),
  trial(varnish, 'no-vcl', 'file', ['missing-setting', '/etc/app/none.vcl'], {
    run: 'exec varnishd -j none -F -a :6081 -n /tmp/v -f /etc/app/none.vcl',
  }),
  trial(varnish, 'backend-no-name', 'peer', ['dependency-not-resolved malformed-config', 'shop.shop.svc'], {
    files: { 'etc/app/default.vcl': 'vcl 4.1;\nbackend default { .host = "shop.shop.svc"; .port = "80"; }\n' },
  }),
];

const TLS =
  'openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k.pem -out /tmp/c.pem -days 2 -subj /CN=a 2>/dev/null';
const STUNNEL = (text: string): Trial['files'] => ({
  'etc/app/stunnel.conf': `foreground = yes\npid =\nsyslog = no\n[web]\naccept = 0.0.0.0:8443\nconnect = 127.0.0.1:8080\n${text}\n`,
});
export const stunnel: Base = {
  program: 'stunnel',
  run: 'exec stunnel4 /etc/app/stunnel.conf',
  files: STUNNEL('cert = /tmp/c.pem\nkey = /tmp/k.pem'),
  before: TLS,
};
const stunnelTrials: readonly Trial[] = [
  trial(stunnel, 'port-taken', 'port', ['port-in-use', '8443'], { before: `${TLS}; ${occupied(8443)}` }),
  trial(stunnel, 'no-certificate', 'tls', [FILE, '/etc/tls/tls.crt'], {
    files: STUNNEL('cert = /etc/tls/tls.crt\nkey = /etc/tls/tls.key'),
  }),
  trial(stunnel, 'key-mismatch', 'tls', ['exit-code malformed-config certificate-not-trusted', 'key'], {
    before: `${TLS}; openssl genrsa -out /tmp/k.pem 2048 2>/dev/null`,
  }),
  trial(stunnel, 'unknown-option', 'config', [CONFIG, 'conect'], {
    files: STUNNEL('cert = /tmp/c.pem\nkey = /tmp/k.pem\nconect = 1'),
  }),
];

const BOUNCER = (text: string): Trial['files'] => ({
  'etc/app/pgbouncer.ini': `[databases]\nshop = host=127.0.0.1\n[pgbouncer]\nlisten_addr = 0.0.0.0\nlisten_port = 6432\nunix_socket_dir =\nauth_type = any\n${text}\n`,
});
export const pgbouncer: Base = {
  program: 'pgbouncer',
  user: 1000,
  run: 'exec pgbouncer /etc/app/pgbouncer.ini',
  files: BOUNCER(''),
};
const pgbouncerTrials: readonly Trial[] = [
  trial(pgbouncer, 'port-taken', 'port', ['port-in-use', '6432'], { before: occupied(6432) }),
  trial(pgbouncer, 'no-config', 'file', ['missing-setting', '/etc/app/none.ini'], {
    run: 'exec pgbouncer /etc/app/none.ini',
  }),
  trial(pgbouncer, 'bad-mode', 'config', [CONFIG, 'pool_mode'], { files: BOUNCER('pool_mode = sesion') }),
  trial(pgbouncer, 'unknown-key', 'config', [CONFIG, 'max_clients'], { files: BOUNCER('max_clients = 5') }),
  trial(pgbouncer, 'as-root', 'config', ['exit-code permission-denied', 'root'], { user: 0 }),
  trial(pgbouncer, 'log-denied', 'permission', ['permission-denied', '/var/log/bouncer.log'], {
    files: BOUNCER('logfile = /var/log/bouncer.log'),
  }),
];

export const nats: Base = {
  program: 'nats',
  run: 'exec nats-server -c /etc/app/nats.conf',
  files: { 'etc/app/nats.conf': 'port: 4222\n' },
};
const natsTrials: readonly Trial[] = [
  trial(nats, 'port-taken', 'port', ['port-in-use', '4222'], { before: occupied(4222, 'AF_INET6', '::') }),
  trial(nats, 'no-config', 'file', ['missing-setting', '/etc/app/none.conf'], {
    run: 'exec nats-server -c /etc/app/none.conf',
  }),
  trial(nats, 'unknown-flag', 'config', ['bad-argument exit-code', 'jetstrem'], { run: 'exec nats-server --jetstrem' }),
  trial(nats, 'unknown-field', 'config', [CONFIG, 'max_conections'], {
    files: { 'etc/app/nats.conf': 'port: 4222\nmax_conections: 5\n' },
  }),
  trial(nats, 'store-denied', 'permission', ['permission-denied', '/data'], {
    user: 1000,
    before: 'chmod 755 /data',
    run: 'exec nats-server -js -sd /data',
  }),
  trial(nats, 'no-certificate', 'tls', [FILE, '/etc/tls/tls.'], {
    files: { 'etc/app/nats.conf': 'port: 4222\ntls { cert_file: /etc/tls/tls.crt, key_file: /etc/tls/tls.key }\n' },
  }),
];

const ROUTE = 'route:\n  receiver: a\nreceivers:\n- name: a\n';
const ALERTS = (text: string): Trial['files'] => ({ 'etc/app/alertmanager.yml': text });
export const alertmanager: Base = {
  program: 'alertmanager',
  run: 'exec prometheus-alertmanager --config.file=/etc/app/alertmanager.yml --storage.path=/data --cluster.listen-address=',
  files: ALERTS(ROUTE),
};
const alertTrials: readonly Trial[] = [
  trial(alertmanager, 'port-taken', 'port', ['port-in-use', '9093'], { before: occupied(9093, 'AF_INET6', '::') }),
  trial(alertmanager, 'no-config', 'file', ['missing-setting', '/etc/app/none.yml'], {
    run: 'exec prometheus-alertmanager --config.file=/etc/app/none.yml --storage.path=/data --cluster.listen-address=',
  }),
  trial(alertmanager, 'undefined-receiver', 'config', [CONFIG, 'pager'], {
    files: ALERTS(ROUTE.replace('receiver: a', 'receiver: pager')),
  }),
  trial(alertmanager, 'unknown-field', 'config', [CONFIG, 'recievers'], { files: ALERTS(`${ROUTE}recievers: []\n`) }),
  trial(alertmanager, 'storage-denied', 'permission', ['permission-denied', '/data'], {
    user: 1000,
    before: 'chmod 755 /data',
  }),
];

export const nodeExporter: Base = { program: 'node-exporter', run: 'exec prometheus-node-exporter' };
const exporterTrials: readonly Trial[] = [
  trial(nodeExporter, 'port-taken', 'port', ['port-in-use', '9100'], { before: occupied(9100, 'AF_INET6', '::') }),
  trial(nodeExporter, 'unknown-flag', 'config', ['bad-argument exit-code', 'collector.disc'], {
    run: 'exec prometheus-node-exporter --collector.disc',
  }),
  trial(nodeExporter, 'web-config', 'file', [FILE, '/etc/app/web.yml'], {
    run: 'exec prometheus-node-exporter --web.config.file=/etc/app/web.yml',
  }),
];

const ZOO = (text: string): Trial['files'] => ({
  'etc/app/zoo.cfg': `tickTime=2000\ndataDir=/data\nadmin.enableServer=false\n${text}\n`,
});
export const zookeeper: Base = {
  program: 'zookeeper',
  seconds: 40,
  run: 'exec java -cp /etc/zookeeper/conf_example:$(ls /usr/share/java/{zookeeper,zookeeper-jute,slf4j-api,slf4j-simple,netty-all,metrics-core,snappy-java,commons-cli}.jar | paste -sd:) org.apache.zookeeper.server.quorum.QuorumPeerMain /etc/app/zoo.cfg',
  files: ZOO('clientPort=2181'),
};
const zooTrials: readonly Trial[] = [
  trial(zookeeper, 'port-taken', 'port', ['port-in-use exit-code', ''], { before: occupied(2181, 'AF_INET6', '::') }),
  trial(zookeeper, 'no-config', 'file', [FILE, '/etc/app/none.cfg'], {
    run: zookeeper.run.replace('zoo.cfg', 'none.cfg'),
  }),
  trial(zookeeper, 'bad-port', 'config', [CONFIG, 'many'], { files: ZOO('clientPort=many') }),
  trial(zookeeper, 'data-denied', 'permission', ['permission-denied exit-code', '/data'], {
    user: 1000,
    before: 'chmod 755 /data',
  }),
];

export const tomcat: Base = {
  program: 'tomcat',
  seconds: 40,
  env: {
    CATALINA_HOME: '/usr/share/tomcat10',
    CATALINA_BASE: '/srv/tomcat',
    JAVA_HOME: '/usr/lib/jvm/java-17-openjdk-amd64',
  },
  before:
    'mkdir -p /srv/tomcat/logs /srv/tomcat/temp /srv/tomcat/webapps /srv/tomcat/work; cp -r /etc/tomcat10 /srv/tomcat/conf; cp /usr/share/tomcat10/etc/* /srv/tomcat/conf/; chmod -R a+rwX /srv/tomcat',
  run: 'exec bash /usr/share/tomcat10/bin/catalina.sh run',
};
const tomcatTrials: readonly Trial[] = [
  trial(tomcat, 'bad-server-xml', 'config', [CONFIG, 'server.xml'], {
    before: `${tomcat.before}; echo '<Server>' > /srv/tomcat/conf/server.xml`,
  }),
  trial(tomcat, 'no-java', 'config', ['exit-code missing-setting missing-binary', 'JAVA_HOME'], {
    env: { ...tomcat.env, JAVA_HOME: '/opt/java' },
  }),
  trial(tomcat, 'bad-heap', 'config', ['exit-code bad-argument no-memory', '-Xmx2x'], {
    env: { ...tomcat.env, JAVA_OPTS: '-Xmx2x' },
  }),
  trial(tomcat, 'no-server-xml', 'file', [FILE, 'server.xml'], {
    before: `${tomcat.before}; rm /srv/tomcat/conf/server.xml`,
  }),
];

const INFLUX = (text: string): Trial['files'] => ({
  'etc/app/influxdb.conf': `reporting-disabled = true\nbind-address = "127.0.0.1:8088"\n[meta]\ndir = "/data/meta"\n[data]\ndir = "/data/data"\nwal-dir = "/data/wal"\n[http]\nbind-address = ":8086"\n${text}\n`,
});
export const influxdb: Base = {
  program: 'influxdb',
  run: 'exec influxd run -config /etc/app/influxdb.conf',
  files: INFLUX(''),
};
const influxTrials: readonly Trial[] = [
  trial(influxdb, 'port-taken', 'port', ['port-in-use', '8086'], { before: occupied(8086, 'AF_INET6', '::') }),
  trial(influxdb, 'no-config', 'file', ['missing-setting', '/etc/app/none.conf'], {
    run: 'exec influxd run -config /etc/app/none.conf',
  }),
  trial(influxdb, 'bad-toml', 'config', [CONFIG, ''], { files: INFLUX('auth-enabled = yes') }),
  trial(influxdb, 'data-denied', 'permission', ['permission-denied', '/data'], {
    user: 1000,
    before: 'chmod 755 /data',
  }),
];

const REGISTRY = (text: string): Trial['files'] => ({
  'etc/app/registry.yml': `version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: /data\nhttp:\n  addr: :5000\n${text}\n`,
});
export const registry: Base = {
  program: 'registry',
  run: 'exec docker-registry serve /etc/app/registry.yml',
  files: REGISTRY(''),
};
const registryTrials: readonly Trial[] = [
  trial(registry, 'port-taken', 'port', ['port-in-use', '5000'], { before: occupied(5000, 'AF_INET6', '::') }),
  trial(registry, 'no-config', 'file', ['missing-setting', '/etc/app/none.yml'], {
    run: 'exec docker-registry serve /etc/app/none.yml',
  }),
  trial(registry, 'bad-version', 'config', [CONFIG, ''], {
    files: { 'etc/app/registry.yml': 'version: 9.9\nstorage: inmemory\n' },
  }),
  trial(registry, 'unknown-storage', 'config', [CONFIG, 'gluster'], {
    files: { 'etc/app/registry.yml': 'version: 0.1\nstorage:\n  gluster: {}\nhttp:\n  addr: :5000\n' },
  }),
  trial(registry, 'no-certificate', 'tls', [FILE, '/etc/tls/tls.'], {
    files: REGISTRY('  tls:\n    certificate: /etc/tls/tls.crt\n    key: /etc/tls/tls.key'),
  }),
];

const DOVE = (text: string): Trial['files'] => ({
  'etc/app/dovecot.conf': `base_dir = /tmp/dovecot\nlog_path = /dev/stderr\nprotocols = \nssl = no\ndefault_internal_user = app\ndefault_login_user = nobody\ndefault_internal_group = app\n${text}\n`,
});
export const dovecot: Base = { program: 'dovecot', run: 'exec dovecot -F -c /etc/app/dovecot.conf', files: DOVE('') };
const dovecotTrials: readonly Trial[] = [
  trial(dovecot, 'no-config', 'file', ['missing-setting', '/etc/app/none.conf'], {
    run: 'exec dovecot -F -c /etc/app/none.conf',
  }),
  trial(dovecot, 'unknown-setting', 'config', [CONFIG, 'mail_locaton'], {
    files: DOVE('mail_locaton = maildir:/data'),
  }),
  trial(dovecot, 'unknown-user', 'config', [CONFIG, 'mailuser'], { files: DOVE('default_login_user = mailuser') }),
  trial(dovecot, 'port-taken', 'port', ['port-in-use', '2143'], {
    before: occupied(2143),
    files: DOVE(
      'service log {\n}\nservice stats {\n  inet_listener web {\n    address = 0.0.0.0\n    port = 2143\n  }\n}',
    ),
  }),
];

export const SECOND_SERVERS: readonly Trial[] = [
  ...bindTrials,
  ...slapdTrials,
  ...squidTrials,
  ...varnishTrials,
  ...stunnelTrials,
  ...pgbouncerTrials,
  ...natsTrials,
  ...alertTrials,
  ...exporterTrials,
  ...zooTrials,
  ...tomcatTrials,
  ...influxTrials,
  ...registryTrials,
  ...dovecotTrials,
];
