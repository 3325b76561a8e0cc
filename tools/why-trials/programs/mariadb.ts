/** Trials of the MariaDB server. */
import type { Trial } from '../trial.ts';

const base = {
  program: 'mariadb',
  user: 71,
  run: 'exec mariadbd --defaults-file=/etc/app/my.cnf',
  files: { 'etc/app/my.cnf': '[mysqld]\ndatadir=/var/lib/mysql\nsocket=/tmp/mysql.sock\n' },
  seconds: 30,
};
const conf = (text: string): Trial['files'] => ({
  'etc/app/my.cnf': `[mysqld]\ndatadir=/var/lib/mysql\nsocket=/tmp/mysql.sock\n${text}\n`,
});

export const mariadb: readonly Trial[] = [
  {
    ...base,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk 0.0.0.0 3306 >/dev/null 2>&1 & sleep 0.3',
    files: conf('bind-address=0.0.0.0'),
    truth: { ids: ['port-in-use'], must: ['3306'] },
  },
  {
    ...base,
    name: 'unknown-variable',
    family: 'config',
    files: conf('innodb_bufer_pool_size=1G'),
    truth: { ids: ['malformed-config', 'exit-code', 'bad-argument'], must: ['innodb_bufer_pool_size'] },
  },
  {
    ...base,
    name: 'wrong-owner',
    family: 'permission',
    user: 1000,
    truth: { ids: ['permission-denied'], must: ['/var/lib/mysql'] },
  },
  {
    ...base,
    name: 'data-not-writable',
    family: 'permission',
    before: 'chown -R 0 /var/lib/mysql/ibdata1; chmod 644 /var/lib/mysql/ibdata1',
    truth: { ids: ['permission-denied', 'exit-code'], must: ['ibdata1'] },
  },
  {
    ...base,
    name: 'no-data',
    family: 'file',
    before: 'rm -rf /var/lib/mysql/mysql',
    truth: { ids: ['exit-code', 'missing-data'], must: ['mysql'] },
  },
  {
    ...base,
    name: 'no-folder',
    family: 'file',
    before: 'sed -i "s#/var/lib/mysql#/data/db#" /etc/app/my.cnf',
    truth: { ids: ['exit-code', 'missing-setting', 'missing-data'], must: ['/data/db'] },
  },
  {
    ...base,
    name: 'corrupt-log',
    family: 'data',
    before: 'dd if=/dev/urandom of=/var/lib/mysql/ib_logfile0 bs=4k count=3 conv=notrunc 2>/dev/null',
    truth: { ids: ['exit-code', 'corrupt-data'], must: [] },
  },
  {
    ...base,
    name: 'read-only',
    family: 'permission',
    before: 'mount --bind /var/lib/mysql /var/lib/mysql; mount -o remount,ro,bind /var/lib/mysql',
    truth: { ids: ['read-only-file-system', 'permission-denied'], must: [] },
  },
  {
    ...base,
    name: 'full-volume',
    family: 'limit',
    before:
      'cp -a /var/lib/mysql /tmp/copy; mount -t tmpfs -o size=130M none /var/lib/mysql; cp -a /tmp/copy/. /var/lib/mysql/; rm /var/lib/mysql/ib_logfile0; dd if=/dev/zero of=/var/lib/mysql/fill bs=1k 2>/dev/null; chown 71 /var/lib/mysql; true',
    truth: { ids: ['no-space', 'exit-code'], must: [] },
  },
  {
    ...base,
    name: 'no-include',
    family: 'file',
    files: { 'etc/app/my.cnf': '!include /etc/app/extra.cnf\n[mysqld]\n' },
    truth: { ids: ['missing-setting', 'malformed-config'], must: ['/etc/app/extra.cnf'] },
  },
  {
    ...base,
    name: 'no-group',
    family: 'config',
    files: { 'etc/app/my.cnf': 'port=3307\n[mysqld]\n' },
    truth: { ids: ['malformed-config'], must: ['/etc/app/my.cnf'] },
  },
  {
    ...base,
    name: 'too-much-memory',
    family: 'limit',
    files: conf('innodb_buffer_pool_size=9000G'),
    truth: { ids: ['exit-code', 'no-memory', 'heap-exhausted'], must: ['uffer'] },
  },
  {
    ...base,
    name: 'as-root',
    family: 'permission',
    user: 0,
    truth: { ids: ['exit-code', 'permission-denied'], must: ['root'] },
  },
  {
    ...base,
    name: 'certificate-missing',
    family: 'tls',
    files: conf('ssl_cert=/etc/tls/tls.crt\nssl_key=/etc/tls/tls.key\nrequire_secure_transport=ON'),
    truth: { ids: ['missing-setting', 'exit-code', 'malformed-config'], must: [] },
  },
  {
    ...base,
    name: 'missing-plugin',
    family: 'library',
    files: conf('plugin-load-add=ha_rocksdb_missing\nplugin-maturity=unknown\ndefault-storage-engine=rocksdb'),
    truth: { ids: ['exit-code', 'missing-module', 'missing-setting'], must: ['rocksdb'] },
  },
];
