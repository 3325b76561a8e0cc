/** Trials of Apache. */
import type { Trial } from '../trial.ts';

const MODULES = ['mpm_event', 'authz_core', 'dir', 'mime', 'ssl', 'socache_shmcb']
  .map((each) => `LoadModule ${each}_module /usr/lib/apache2/modules/mod_${each}.so`)
  .join('\n');
const conf = (text: string, listen = 'Listen 8080'): Trial['files'] => ({
  'etc/app/httpd.conf': `ServerRoot /etc/apache2\nPidFile /tmp/httpd.pid\n${MODULES}\nTypesConfig /etc/hosts\nErrorLog /dev/stderr\nServerName shop\n${listen}\n${text}\n`,
});
const base = { program: 'apache', run: 'exec apache2 -f /etc/app/httpd.conf -D FOREGROUND' };
const pod = {
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name: 'httpd-conf' } }] },
};

export const apache: readonly Trial[] = [
  {
    ...base,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk 0.0.0.0 8080 >/dev/null 2>&1 & sleep 0.3',
    files: conf('', 'Listen 0.0.0.0:8080'),
    truth: { ids: ['port-in-use'], must: ['8080'] },
  },
  {
    ...base,
    name: 'privileged-port',
    family: 'permission',
    user: 1000,
    before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start',
    files: conf('', 'Listen 0.0.0.0:80'),
    truth: { ids: ['permission-denied'], must: ['80'] },
  },
  {
    ...base,
    pod,
    name: 'invalid-command',
    family: 'config',
    files: conf('ProxyPasss / http://a/'),
    truth: { ids: ['malformed-config'], must: ['/etc/app/httpd.conf', 'httpd-conf'] },
  },
  {
    ...base,
    pod,
    name: 'module-not-loaded',
    family: 'config',
    files: conf('RewriteEngine on'),
    truth: { ids: ['malformed-config', 'missing-module'], must: [] },
  },
  {
    ...base,
    pod,
    name: 'unclosed-section',
    family: 'config',
    files: conf('<VirtualHost *:8080>'),
    truth: { ids: ['malformed-config'], must: ['/etc/app/httpd.conf'] },
  },
  {
    ...base,
    name: 'missing-module',
    family: 'library',
    files: conf('LoadModule php_module /usr/lib/apache2/modules/libphp.so'),
    truth: { ids: ['missing-module', 'malformed-config', 'missing-setting'], must: ['libphp.so'] },
  },
  {
    ...base,
    name: 'certificate-missing',
    family: 'tls',
    files: conf('SSLEngine on\nSSLCertificateFile /etc/tls/tls.crt\nSSLCertificateKeyFile /etc/tls/tls.key'),
    truth: { ids: ['missing-setting', 'malformed-config'], must: ['/etc/tls/tls.crt'] },
  },
  {
    ...base,
    name: 'document-root',
    family: 'file',
    files: conf('ErrorLog /var/none/error.log'),
    truth: { ids: ['exit-code', 'missing-setting'], must: ['/var/none'] },
  },
  {
    ...base,
    name: 'no-config',
    family: 'file',
    run: 'exec apache2 -f /etc/app/none.conf -D FOREGROUND',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none.conf'] },
  },
  {
    ...base,
    name: 'pid-denied',
    family: 'permission',
    user: 1000,
    before: 'sed -i s#/tmp/httpd.pid#/run/httpd.pid# /etc/app/httpd.conf',
    files: conf(''),
    truth: { ids: ['permission-denied'], must: ['/run/httpd.pid'] },
  },
  {
    ...base,
    name: 'log-denied',
    family: 'permission',
    user: 1000,
    files: conf('ErrorLog /var/log/apache2/e.log'),
    truth: { ids: ['permission-denied'], must: ['/var/log/apache2/e.log'] },
  },
  {
    ...base,
    name: 'no-mpm',
    family: 'config',
    files: { 'etc/app/httpd.conf': 'ServerRoot /etc/apache2\nListen 8080\nErrorLog /dev/stderr\n' },
    truth: { ids: ['exit-code', 'malformed-config'], must: ['MPM'] },
  },
  {
    ...base,
    name: 'env-not-defined',
    family: 'config',
    run: 'exec apache2 -D FOREGROUND',
    truth: { ids: ['exit-code', 'malformed-config', 'missing-setting'], must: ['APACHE_R'] },
  },
  {
    ...base,
    name: 'bad-group',
    family: 'config',
    files: conf('Group webteam'),
    truth: { ids: ['exit-code', 'malformed-config'], must: ['webteam'] },
  },
];
