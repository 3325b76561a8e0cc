/** Trials of Caddy. */
import type { Trial } from '../trial.ts';

const base = { program: 'caddy', run: 'exec caddy run --config /etc/app/Caddyfile --adapter caddyfile' };
const conf = (text: string): Trial['files'] => ({ 'etc/app/Caddyfile': `{\n  auto_https off\n}\n${text}\n` });
const pod = {
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name: 'caddyfile' } }] },
};

export const caddy: readonly Trial[] = [
  {
    ...base,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk 0.0.0.0 8080 >/dev/null 2>&1 & sleep 0.3',
    files: conf(':8080 {\n  bind 0.0.0.0\n  respond hi\n}'),
    truth: { ids: ['port-in-use'], must: ['8080'] },
  },
  {
    ...base,
    name: 'admin-port-taken',
    family: 'port',
    before: 'nohup nc -lk 127.0.0.1 2019 >/dev/null 2>&1 & sleep 0.3',
    files: conf(':8080 {\n  respond hi\n}'),
    truth: { ids: ['port-in-use'], must: ['2019'] },
  },
  {
    ...base,
    name: 'privileged-port',
    family: 'permission',
    user: 1000,
    before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start',
    files: conf(':80 {\n  respond hi\n}'),
    truth: { ids: ['permission-denied'], must: ['80'] },
  },
  {
    ...base,
    pod,
    name: 'unknown-directive',
    family: 'config',
    files: conf(':8080 {\n  reverse_prox db:80\n}'),
    truth: { ids: ['malformed-config'], must: ['Caddyfile'] },
  },
  {
    ...base,
    pod,
    name: 'missing-brace',
    family: 'config',
    files: conf(':8080 {\n  respond hi\n'),
    truth: { ids: ['malformed-config'], must: ['Caddyfile'] },
  },
  {
    ...base,
    name: 'no-config',
    family: 'file',
    run: 'exec caddy run --config /etc/app/none',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none'] },
  },
  {
    ...base,
    name: 'certificate-missing',
    family: 'tls',
    files: conf('https://shop:8443 {\n  tls /etc/tls/tls.crt /etc/tls/tls.key\n}'),
    truth: { ids: ['missing-setting'], must: ['/etc/tls/tls.crt'] },
  },
  {
    ...base,
    pod,
    name: 'import-missing',
    family: 'file',
    files: conf('import /etc/app/sites/one.caddy'),
    truth: { ids: ['missing-setting', 'malformed-config'], must: ['one.caddy'] },
  },
  {
    ...base,
    name: 'json-malformed',
    family: 'config',
    run: 'exec caddy run --config /etc/app/caddy.json',
    files: { 'etc/app/caddy.json': '{"apps": {,}}' },
    truth: { ids: ['malformed-config'], must: [] },
  },
  {
    ...base,
    name: 'unknown-module',
    family: 'library',
    run: 'exec caddy run --config /etc/app/caddy.json',
    files: { 'etc/app/caddy.json': '{"apps": {"layer4": {}}}' },
    truth: { ids: ['exit-code', 'missing-module', 'malformed-config'], must: ['layer4'] },
  },
  {
    ...base,
    pod,
    name: 'bad-duration',
    family: 'config',
    files: conf(':8080 {\n  reverse_proxy db:80 {\n    lb_try_duration soon\n  }\n}'),
    truth: { ids: ['malformed-config'], must: ['Caddyfile', 'soon'] },
  },
];
