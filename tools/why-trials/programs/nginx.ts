/** Trials of nginx. */
import type { Trial } from '../trial.ts';

const conf = (server: string, main = ''): Trial['files'] => ({
  'etc/app/nginx.conf': `daemon off;\n${main}\nerror_log stderr;\npid /tmp/nginx.pid;\nevents {}\nhttp {\n  access_log off;\n  client_body_temp_path /tmp/a; proxy_temp_path /tmp/b; fastcgi_temp_path /tmp/c; uwsgi_temp_path /tmp/d; scgi_temp_path /tmp/e;\n  server {\n    listen 8080;\n    ${server}\n  }\n}\n`,
});
const base = { program: 'nginx', run: 'exec nginx -c /etc/app/nginx.conf -e stderr' };
const pod = {
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name: 'nginx-conf' } }] },
};
const KEY = 'openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k1.pem -out /tmp/c1.pem -days 2 -subj /CN=a 2>/dev/null; openssl genrsa -out /tmp/k2.pem 2048 2>/dev/null';

export const nginx: readonly Trial[] = [
  { ...base, pod, name: 'upstream-no-name', family: 'peer', files: conf('location / { proxy_pass http://api.shop.svc:3000; }'), truth: { ids: ['dependency-not-resolved'], must: ['api.shop.svc'] } },
  { ...base, pod, name: 'unknown-directive', family: 'config', files: conf('proxy_passs http://127.0.0.1;'), truth: { ids: ['malformed-config'], must: ['/etc/app/nginx.conf', 'nginx-conf'] } },
  { ...base, pod, name: 'missing-semicolon', family: 'config', files: conf('root /srv'), truth: { ids: ['malformed-config'], must: ['/etc/app/nginx.conf'] } },
  { ...base, pod, name: 'missing-brace', family: 'config', files: { 'etc/app/nginx.conf': 'daemon off;\nevents {}\nhttp {\n server {\n listen 8080;\n' }, truth: { ids: ['malformed-config'], must: ['/etc/app/nginx.conf'] } },
  { ...base, pod, name: 'bad-value', family: 'config', files: conf('client_max_body_size big;'), truth: { ids: ['malformed-config'], must: ['/etc/app/nginx.conf'] } },
  { ...base, pod, name: 'duplicate-location', family: 'config', files: conf('location /a {} location /a {}'), truth: { ids: ['malformed-config'], must: ['/etc/app/nginx.conf'] } },
  { ...base, name: 'port-taken', family: 'port', before: 'nohup nc -lk 0.0.0.0 8080 >/dev/null 2>&1 & sleep 0.3', files: conf(''), truth: { ids: ['port-in-use'], must: ['8080'] } },
  { ...base, name: 'privileged-port', family: 'permission', user: 1000, before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start; sed -i s/8080/80/ /etc/app/nginx.conf', files: conf(''), truth: { ids: ['permission-denied'], must: ['80'] } },
  { ...base, name: 'certificate-missing', family: 'tls', files: conf('listen 8443 ssl; ssl_certificate /etc/tls/tls.crt; ssl_certificate_key /etc/tls/tls.key;'), truth: { ids: ['missing-setting'], must: ['/etc/tls/tls.crt'] } },
  { ...base, name: 'key-of-another', family: 'tls', before: KEY, files: conf('listen 8443 ssl; ssl_certificate /tmp/c1.pem; ssl_certificate_key /tmp/k2.pem;'), truth: { ids: ['malformed-config'], must: ['/tmp/k2.pem'] } },
  { ...base, name: 'certificate-garbage', family: 'tls', before: 'echo none > /tmp/c.pem', files: conf('listen 8443 ssl; ssl_certificate /tmp/c.pem; ssl_certificate_key /tmp/c.pem;'), truth: { ids: ['malformed-config'], must: ['/tmp/c.pem'] } },
  { ...base, name: 'pid-denied', family: 'permission', user: 1000, before: 'sed -i "s#/tmp/nginx.pid#/run/nginx.pid#" /etc/app/nginx.conf', files: conf(''), truth: { ids: ['permission-denied'], must: ['/run/nginx.pid'] } },
  { ...base, name: 'temp-read-only', family: 'permission', before: 'sed -i "s#/tmp/a#/cache/a#" /etc/app/nginx.conf; mkdir /cache; mount -t tmpfs -o ro none /cache', files: conf(''), truth: { ids: ['read-only-file-system'], must: ['/cache/a'] } },
  { ...base, name: 'log-denied', family: 'permission', user: 1000, files: conf('access_log /var/log/nginx/a.log;'), truth: { ids: ['permission-denied'], must: ['/var/log/nginx/a.log'] } },
  { ...base, name: 'include-missing', family: 'file', files: conf('include /etc/nginx/extra.conf;'), truth: { ids: ['missing-setting'], must: ['/etc/nginx/extra.conf'] } },
  { ...base, name: 'no-config', family: 'file', run: 'exec nginx -c /etc/app/none.conf -e stderr', truth: { ids: ['missing-setting'], must: ['/etc/app/none.conf'] } },
  { ...base, name: 'unknown-user', family: 'config', files: conf('', 'user web;'), truth: { ids: ['malformed-config', 'exit-code'], must: ['web'] } },
  { ...base, name: 'bad-address', family: 'config', files: conf('listen 10.99.99.99:8081;'), truth: { ids: ['exit-code', 'address-not-available'], must: ['10.99.99.99:8081'] } },
  { ...base, name: 'bad-expression', family: 'config', files: conf('location ~ "([" {}'), truth: { ids: ['malformed-config'], must: ['/etc/app/nginx.conf'] } },
  { ...base, name: 'missing-module', family: 'library', files: conf('', 'load_module modules/ngx_http_geoip2_module.so;'), truth: { ids: ['exit-code', 'missing-module', 'missing-setting'], must: ['ngx_http_geoip2_module.so'] } },
];
