/** Trials of memcached, dnsmasq and lighttpd, which no dialect knows. */
import type { Trial } from '../trial.ts';

const memcached = { program: 'memcached', run: 'exec memcached -u nobody' };
const dnsmasq = { program: 'dnsmasq', run: 'exec dnsmasq -k --log-facility=- -C /etc/app/dnsmasq.conf' };
const lighttpd = { program: 'lighttpd', run: 'exec lighttpd -D -f /etc/app/lighttpd.conf' };
const light = (text: string): Trial['files'] => ({
  'etc/app/lighttpd.conf': `server.document-root = "/tmp"\nserver.port = 8080\n${text}\n`,
});
const taken = (port: number): string =>
  `nohup nc -lk 0.0.0.0 ${port} >/dev/null 2>&1 & nohup nc -lku 0.0.0.0 ${port} >/dev/null 2>&1 & sleep 0.3`;

export const smallServers: readonly Trial[] = [
  { ...memcached, name: 'port-taken', family: 'port', before: taken(11211), truth: { ids: ['port-in-use'], must: [] } },
  {
    ...memcached,
    name: 'as-root',
    family: 'permission',
    run: 'exec memcached',
    truth: { ids: ['exit-code', 'permission-denied'], must: ['root'] },
  },
  {
    ...memcached,
    name: 'no-user',
    family: 'config',
    run: 'exec memcached -u cache',
    truth: { ids: ['exit-code'], must: ['cache'] },
  },
  {
    ...memcached,
    name: 'bad-option',
    family: 'config',
    run: 'exec memcached -u nobody --max-memory 64',
    truth: { ids: ['exit-code', 'bad-argument'], must: ['max-memory'] },
  },
  {
    ...memcached,
    name: 'bad-extension',
    family: 'config',
    run: 'exec memcached -u nobody -o no_such_thing',
    truth: { ids: ['exit-code', 'bad-argument'], must: ['no_such_thing'] },
  },
  {
    ...memcached,
    name: 'too-much-connections',
    family: 'limit',
    run: 'ulimit -Hn 100; exec memcached -u nobody -c 5000',
    truth: { ids: ['exit-code', 'too-many-files'], must: [] },
  },
  {
    ...dnsmasq,
    name: 'port-taken',
    family: 'port',
    before: taken(53),
    files: { 'etc/app/dnsmasq.conf': 'listen-address=127.0.0.1\nbind-interfaces\n' },
    truth: { ids: ['port-in-use'], must: ['127.0.0.1'] },
  },
  {
    ...dnsmasq,
    name: 'bad-option',
    family: 'config',
    files: { 'etc/app/dnsmasq.conf': 'cache-siz=10\n' },
    truth: { ids: ['malformed-config', 'exit-code'], must: ['/etc/app/dnsmasq.conf'] },
  },
  {
    ...dnsmasq,
    name: 'no-config',
    family: 'file',
    run: 'exec dnsmasq -k -C /etc/app/none.conf',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none.conf'] },
  },
  {
    ...dnsmasq,
    name: 'no-user',
    family: 'config',
    files: { 'etc/app/dnsmasq.conf': 'user=dns\n' },
    truth: { ids: ['exit-code', 'malformed-config'], must: ['dns'] },
  },
  {
    ...dnsmasq,
    name: 'bad-address',
    family: 'config',
    files: { 'etc/app/dnsmasq.conf': 'address=/a/300.1.1.1\n' },
    truth: { ids: ['malformed-config', 'exit-code'], must: ['/etc/app/dnsmasq.conf'] },
  },
  {
    ...dnsmasq,
    name: 'interface-missing',
    family: 'config',
    files: { 'etc/app/dnsmasq.conf': 'user=root\ninterface=eth7\nbind-interfaces\n' },
    truth: { ids: ['exit-code'], must: ['eth7'] },
  },
  {
    ...lighttpd,
    name: 'port-taken',
    family: 'port',
    before: taken(8080),
    files: light(''),
    truth: { ids: ['port-in-use'], must: ['8080'] },
  },
  {
    ...lighttpd,
    name: 'unknown-key',
    family: 'config',
    files: light('server.modules = ( "mod_nothing" )'),
    truth: { ids: ['exit-code', 'missing-module', 'missing-setting'], must: ['mod_nothing'] },
  },
  {
    ...lighttpd,
    name: 'syntax-error',
    family: 'config',
    files: light('server.tag = = "a"'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['lighttpd.conf'] },
  },
  {
    ...lighttpd,
    name: 'no-root',
    family: 'file',
    files: { 'etc/app/lighttpd.conf': 'server.document-root = "/srv/none"\nserver.port = 8080\n' },
    truth: { ids: ['exit-code', 'missing-setting'], must: ['/srv/none'] },
  },
  {
    ...lighttpd,
    name: 'log-denied',
    family: 'permission',
    user: 1000,
    files: light('server.errorlog = "/var/log/l.log"'),
    truth: { ids: ['permission-denied'], must: ['/var/log/l.log'] },
  },
  {
    ...lighttpd,
    name: 'include-missing',
    family: 'file',
    files: light('include "/etc/app/none.conf"'),
    truth: { ids: ['missing-setting', 'malformed-config'], must: ['/etc/app/none.conf'] },
  },
];
