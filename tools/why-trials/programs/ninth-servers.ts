/** Trials of the ninth batch that is held out: servers of mail, files, routes, names and metrics, proxies, and a database. */
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const LIBRARY = 'missing-module exit-code missing-setting';
const QUIET = ['quiet', 'true'] as const;
const HERE = '127.0.0.1';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const taken = (port: number): Partial<Trial> => ({ before: occupied(port, 'AF_INET', HERE) });

const exim = (text: string): Base => ({
  program: 'exim',
  before:
    'echo Debian-exim:x:101:101::/var/spool/exim4:/bin/false >>/etc/passwd; echo Debian-exim:x:101: >>/etc/group; mkdir -p /var/spool/exim4 /var/log/exim4; chown 101:101 /var/spool/exim4 /var/log/exim4',
  run: 'exec exim4 -bdf -oX 2525 -C /etc/app/exim.conf',
  files: conf('etc/app/exim.conf', text),
});
const bird = (text: string): Base => ({
  program: 'bird',
  run: 'exec bird -f -c /etc/app/bird.conf -s /tmp/bird.ctl',
  files: conf('etc/app/bird.conf', text),
});
const BIRD = 'log stderr all;\nrouter id 10.0.0.1;\nprotocol device { }';
const socat = (args: string): Base => ({ program: 'socat', run: `exec socat ${args}` });
const civetweb = (args: string): Base => ({ program: 'civetweb', run: `exec civetweb ${args}` });
const miniHttpd = (args: string): Base => ({ program: 'mini-httpd', run: `exec mini_httpd -D -u nobody ${args}` });
const pen: Base = { program: 'pen', run: 'exec pen -f -u nobody 127.0.0.1:8080 127.0.0.1:9090' };
const shadowsocks = (args: string): Base => ({ program: 'shadowsocks', run: `exec ss-server ${args}` });
const tarantool = (text: string): Base => ({
  program: 'tarantool',
  run: 'cd /data; exec tarantool /app/init.lua',
  files: conf('app/init.lua', text),
});
const tinc = (files: Trial['files']): Base => ({ program: 'tinc', run: 'exec tincd -D -c /etc/app/tinc', files });
const opendkim = (text: string): Base => ({
  program: 'opendkim',
  run: 'exec opendkim -f -x /etc/app/opendkim.conf',
  files: conf('etc/app/opendkim.conf', text),
});
const dbus = (text: string): Base => ({
  program: 'dbus',
  run: 'exec dbus-daemon --nofork --config-file=/etc/app/bus.conf',
  files: conf('etc/app/bus.conf', text),
});
const nagios = (text: string): Base => ({
  program: 'nagios',
  run: 'exec nagios4 /etc/app/nagios.cfg',
  files: {
    'etc/app/nagios.cfg':
      'log_file=/tmp/n.log\ncfg_file=/etc/app/o.cfg\ncheck_result_path=/tmp\nnagios_user=root\nnagios_group=root\n',
    'etc/app/o.cfg': `${text}\n`,
  },
});
const radvd = (text: string): Base => ({
  program: 'radvd',
  run: 'exec radvd -n -m stderr -p /tmp/r.pid -C /etc/app/radvd.conf',
  files: { 'etc/app/radvd.conf': [`${text}\n`, 0o644] },
});
const exporter = (name: string, args: string, more: Partial<Trial> = {}): Base => ({
  program: `${name}-exporter`,
  run: `exec prometheus-${name}-exporter ${args}`,
  ...more,
});
const h2: Base = {
  program: 'h2',
  run: "exec java -cp '/usr/share/java/h2.jar' org.h2.tools.Server -tcp -tcpPort 9092",
};
const h2Client = (url: string): Base => ({
  program: 'h2',
  run: "exec java -cp '/usr/share/java/h2.jar' /app/Main.java",
  files: conf(
    'app/Main.java',
    `public class Main { public static void main(String[] a) throws Exception { java.sql.DriverManager.getConnection("${url}", "app", "s3cr3t-one"); } }`,
  ),
});
const SNMP = 'ifs:\n  walk: [1.3.6.1.2.1.2]';

const faults: readonly Trial[] = [
  trial(exim('primary_hostnme = shop.example'), 'unknown-option', 'config', [CONFIG, 'primary_hostnme']),
  trial(exim(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec exim4 -bdf -oX 2525 -C /etc/app/none.conf',
  }),
  trial(bird(BIRD.replace('router id', 'ruter id')), 'syntax', 'config', [CONFIG, '/etc/app/bird.conf']),
  trial(bird(BIRD), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec bird -f -c /etc/app/none.conf -s /tmp/bird.ctl',
  }),
  trial(
    socat('TCP-LISTEN:8080,bind=127.0.0.1,fork TCP:127.0.0.1:9090'),
    'port-taken',
    'port',
    [PORT, '8080'],
    taken(8080),
  ),
  trial(socat('- TCP:127.0.0.1:5433'), 'refused', 'peer', [REFUSED, '127.0.0.1:5433']),
  trial(socat('- TCP:db.shop.svc:5432'), 'no-name', 'peer', [NO_NAME, 'db.shop.svc']),
  trial(socat('TCP-LISTEN:8080,frok -'), 'unknown-option', 'config', [CONFIG, 'frok']),
  trial(civetweb('-listning_ports 8080'), 'unknown-option', 'config', [CONFIG, 'listning_ports']),
  trial(
    civetweb('-listening_ports 127.0.0.1:8080 -document_root /app'),
    'port-taken',
    'port',
    [PORT, '8080'],
    taken(8080),
  ),
  trial(miniHttpd('-h 127.0.0.1 -p 8080 -d /app'), 'port-taken', 'port', [PORT, ''], taken(8080)),
  trial(miniHttpd('-C /etc/app/none.conf'), 'no-config', 'file', [FILE, '/etc/app/none.conf']),
  trial(pen, 'port-taken', 'port', [PORT, ''], taken(8080)),
  trial(shadowsocks('-s 127.0.0.1 -p 8388 -k a -m aes-256-gcm'), 'port-taken', 'port', [PORT, ''], taken(8388)),
  trial(shadowsocks('-c /etc/app/none.json'), 'no-config', 'file', [FILE, 'config']),
  trial(tarantool('box.cfg{listen = "127.0.0.1:3301"}'), 'port-taken', 'port', [PORT, '3301'], taken(3301)),
  trial(tarantool('require("ledgr")'), 'no-module', 'library', [LIBRARY, 'ledgr']),
  trial(tarantool('box.cfg{lisen = "127.0.0.1:3301"}'), 'unknown-option', 'config', [CONFIG, 'lisen']),
  trial(tarantool('box.cfg{memtx_dir = "/data/none"}'), 'no-folder', 'file', [FILE, '/data/none']),
  trial(tinc({}), 'no-config', 'file', [FILE, '/etc/app/tinc']),
  trial(tinc(conf('etc/app/tinc/tinc.conf', 'Device = /dev/null')), 'no-name', 'config', [CONFIG, 'Name']),
  trial(
    tinc({
      'etc/app/tinc/tinc.conf': 'Name = trial\nDeviceType = dummy\n',
      'etc/app/tinc/hosts/trial': 'Port = 6550\n',
    }),
    'no-key',
    'file',
    [FILE, 'rsa_key.priv'],
  ),
  trial(opendkim('Sokcet inet:8891@127.0.0.1'), 'unknown-option', 'config', [CONFIG, '/etc/app/opendkim.conf']),
  trial(
    opendkim('Mode s\nDomain shop.example\nSelector a\nKeyFile /etc/app/none.key\nSocket inet:8891@127.0.0.1'),
    'no-key',
    'file',
    [FILE, '/etc/app/none.key'],
  ),
  trial(opendkim(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec opendkim -f -x /etc/app/none.conf',
  }),
  trial(dbus(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec dbus-daemon --nofork --config-file=/etc/app/none.conf',
  }),
  trial(dbus('<busconfig><lisen>unix:tmpdir=/tmp</lisen></busconfig>'), 'unknown-element', 'config', [CONFIG, 'lisen']),
  trial(nagios(''), 'no-config', 'file', [FILE, '/etc/app/none.cfg'], { run: 'exec nagios4 /etc/app/none.cfg' }),
  trial(nagios('define hst {\n  host_name a\n}'), 'bad-object', 'config', [CONFIG, 'hst']),
  trial(radvd('interface lo { AdvSendAdvrt on; };'), 'syntax', 'config', [CONFIG, '/etc/app/radvd.conf']),
  trial(radvd(''), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec radvd -n -m stderr -p /tmp/r.pid -C /etc/app/none.conf',
  }),
  trial({ program: 'stubby', run: 'exec stubby -C /etc/app/none.yml' }, 'no-config', 'file', [
    FILE,
    '/etc/app/none.yml',
  ]),
  trial({ program: 'corosync', run: 'exec corosync -f -c /etc/app/none.conf' }, 'no-config', 'file', [
    FILE,
    '/etc/app/none.conf',
  ]),
  trial({ program: 'mtail', run: 'exec mtail --logtostderr --logs /tmp/a.log' }, 'no-programs', 'config', [
    CONFIG,
    'progs',
  ]),
  trial(exporter('nginx', '-nginx.scrape-uri http://127.0.0.1:8081/status'), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1:8081',
  ]),
  trial(exporter('nginx', '-nginx.scrape-uri http://web.shop.svc:8081/status'), 'no-name', 'peer', [
    NO_NAME,
    'web.shop.svc',
  ]),
  trial(exporter('apache', '--scrape_url=http://127.0.0.1:8081/'), 'unknown-flag', 'config', [CONFIG, 'scrape_url']),
  trial(exporter('snmp', '--config.file=/etc/app/none.yml'), 'no-config', 'file', [FILE, '/etc/app/none.yml']),
  trial(
    exporter('snmp', '--config.file=/etc/app/snmp.yml', {
      files: conf('etc/app/snmp.yml', SNMP.replace('walk', 'wlak')),
    }),
    'unknown-option',
    'config',
    [CONFIG, 'wlak'],
  ),
  trial(
    exporter('snmp', '--config.file=/etc/app/snmp.yml --web.listen-address=127.0.0.1:9116', {
      files: conf('etc/app/snmp.yml', SNMP),
    }),
    'port-taken',
    'port',
    [PORT, '9116'],
    taken(9116),
  ),
  trial(exporter('process', '-config.path /etc/app/none.yml'), 'no-config', 'file', [FILE, '/etc/app/none.yml']),
  trial(
    exporter('process', '-procnames bash -web.listen-address 127.0.0.1:9256'),
    'port-taken',
    'port',
    [PORT, '9256'],
    taken(9256),
  ),
  trial(exporter('bind', '--web.listen-address=127.0.0.1:9119'), 'port-taken', 'port', [PORT, '9119'], taken(9119)),
  trial(h2, 'port-taken', 'port', [PORT, '9092'], taken(9092)),
  trial(h2Client('jdbc:h2:tcp://127.0.0.1:9093/shop'), 'refused', 'peer', [REFUSED, '127.0.0.1:9093']),
];

const healthy: readonly Trial[] = [
  ...well(bird(BIRD), 2, [QUIET]),
  ...well(socat('TCP-LISTEN:8080,bind=127.0.0.1,fork TCP:127.0.0.1:9090'), 2, [
    QUIET,
    ['backend-away', garbage(8080)],
    ['backend-away-often', `${garbage(8080)}; ${garbage(8080)}; ${garbage(8080)}`],
  ]),
  ...well(pen, 2, [QUIET, ['backend-away', garbage(8080)]]),
  ...well(civetweb('-listening_ports 127.0.0.1:8080 -document_root /app'), 2, [
    QUIET,
    ['garbage', garbage(8080)],
    ['not-found', curl('http://127.0.0.1:8080/none')],
  ]),
  ...well(miniHttpd('-h 127.0.0.1 -p 8080 -d /app'), 2, [QUIET, ['garbage', garbage(8080)]]),
  ...well(tarantool('box.cfg{listen = "127.0.0.1:3301"}'), 3, [QUIET, ['garbage', garbage(3301)]]),
  ...well(exporter('apache', '--scrape_uri=http://127.0.0.1:8081/'), 2, [
    QUIET,
    ['peer-away', curl('http://127.0.0.1:9117/metrics')],
  ]),
  ...well(exporter('bind', '--web.listen-address=127.0.0.1:9119'), 2, [
    QUIET,
    ['peer-away', `${curl('http://127.0.0.1:9119/metrics')}; ${curl('http://127.0.0.1:9119/metrics')}`],
  ]),
  ...well(h2, 3, [QUIET, ['garbage', garbage(9092)]]),
];

export const NINTH_SERVERS: readonly Trial[] = [...faults, ...healthy];
