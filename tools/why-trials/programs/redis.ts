/** Trials of the Redis server. */
import type { Trial } from '../trial.ts';

const base = { program: 'redis', run: 'exec redis-server /etc/app/redis.conf' };
const conf = (text: string): Trial['files'] => ({ 'etc/app/redis.conf': `dir /data\n${text}\n` });
const pod = {
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name: 'redis-conf' } }] },
};

export const redis: readonly Trial[] = [
  {
    ...base,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk 0.0.0.0 6379 >/dev/null 2>&1 & sleep 0.3',
    files: conf('bind 0.0.0.0'),
    truth: { ids: ['port-in-use'], must: ['6379'] },
  },
  {
    ...base,
    name: 'bad-directive',
    family: 'config',
    pod,
    files: conf('maxmemori 100mb'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['maxmemori'] },
  },
  {
    ...base,
    name: 'bad-value',
    family: 'config',
    pod,
    files: conf('maxmemory lots'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['maxmemory'] },
  },
  {
    ...base,
    name: 'no-config',
    family: 'file',
    run: 'exec redis-server /etc/redis/missing.conf',
    truth: { ids: ['missing-setting'], must: ['/etc/redis/missing.conf'] },
  },
  {
    ...base,
    name: 'no-folder',
    family: 'file',
    files: { 'etc/app/redis.conf': 'dir /var/lib/none\n' },
    truth: { ids: ['exit-code', 'missing-setting', 'malformed-config'], must: ['/var/lib/none'] },
  },
  {
    ...base,
    name: 'corrupt-dump',
    family: 'data',
    before: 'echo "no dump at all" > /data/dump.rdb',
    files: conf(''),
    truth: { ids: ['exit-code', 'corrupt-data', 'version-mismatch'], must: [] },
  },
  {
    ...base,
    name: 'newer-dump',
    family: 'version',
    before: 'printf "REDIS0099xxxxxxxx" > /data/dump.rdb',
    files: conf(''),
    truth: { ids: ['version-mismatch'], must: ['99'] },
  },
  {
    ...base,
    name: 'dump-denied',
    family: 'permission',
    user: 1000,
    before:
      'redis-server --port 7777 --dir /data --daemonize yes; sleep 0.5; redis-cli -p 7777 set a b; redis-cli -p 7777 save; redis-cli -p 7777 shutdown; sleep 0.3; chmod 600 /data/dump.rdb; chown 0 /data/dump.rdb',
    files: conf(''),
    truth: { ids: ['permission-denied'], must: [] },
  },
  {
    ...base,
    name: 'corrupt-log',
    family: 'data',
    before:
      'mkdir -p /data/appendonlydir; printf "file a.1.base.rdb seq 1 type b\\n" > /data/appendonlydir/appendonly.aof.manifest',
    files: conf('appendonly yes'),
    truth: { ids: ['exit-code', 'corrupt-data', 'missing-setting'], must: [] },
  },
  {
    ...base,
    name: 'append-denied',
    family: 'permission',
    user: 1000,
    before: 'chmod 755 /data',
    files: conf('appendonly yes'),
    truth: { ids: ['permission-denied'], must: ['appendonlydir'] },
  },
  {
    ...base,
    name: 'append-read-only',
    family: 'permission',
    before: 'mount -t tmpfs -o ro none /data',
    files: conf('appendonly yes'),
    truth: { ids: ['read-only-file-system'], must: [] },
  },
  {
    ...base,
    name: 'certificate-missing',
    family: 'tls',
    files: conf(
      'tls-port 6380\ntls-cert-file /etc/tls/tls.crt\ntls-key-file /etc/tls/tls.key\ntls-ca-cert-file /etc/tls/ca.crt',
    ),
    truth: { ids: ['missing-setting', 'malformed-config'], must: ['/etc/tls/tls.crt'] },
  },
  {
    ...base,
    name: 'missing-module',
    family: 'library',
    files: conf('loadmodule /usr/lib/redis/redisearch.so'),
    truth: { ids: ['exit-code', 'missing-module', 'missing-setting'], must: ['redisearch.so'] },
  },
  {
    ...base,
    name: 'bad-address',
    family: 'config',
    files: conf('bind 10.99.99.99'),
    truth: { ids: ['exit-code', 'malformed-config', 'address-not-available'], must: ['10.99.99.99'] },
  },
  {
    ...base,
    name: 'log-file-denied',
    family: 'permission',
    user: 1000,
    files: conf('logfile /var/log/redis.log'),
    truth: { ids: ['permission-denied'], must: [] },
  },
];
