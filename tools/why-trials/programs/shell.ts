/** Trials of shells and small programs that entry points call. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';

const program = 'shell';
const sh = (text: string, shell = '/bin/bash'): Trial['files'] => ({ 'app/entrypoint.sh': [`#!${shell}\n${text}`, 0o755] });
const base = { program, run: 'exec ./entrypoint.sh' };

export const shell: readonly Trial[] = [
  { ...base, name: 'command-not-found', family: 'file', files: sh('echo preparing\nset -e\nenvsubst < /etc/hosts > /tmp/b\n'), truth: { ids: ['missing-binary'], must: ['envsubst'] } },
  { ...base, name: 'dash-not-found', family: 'file', files: sh('set -e\necho preparing\nwait-for-it db:5432\n', '/bin/sh'), truth: { ids: ['missing-binary'], must: ['wait-for-it'] } },
  { ...base, name: 'unbound-variable', family: 'config', files: sh('set -eu\necho "region $REGION"\n'), truth: { ids: ['missing-setting', 'exit-code'], must: ['REGION'] } },
  { ...base, name: 'required-variable', family: 'config', files: sh('echo start\n: "${API_BASE_URL:?must be set}"\n'), truth: { ids: ['missing-setting'], must: ['API_BASE_URL'] } },
  { ...base, name: 'dash-parameter', family: 'config', files: sh('set -u\necho "$QUEUE_NAME"\n', '/bin/sh'), truth: { ids: ['missing-setting', 'exit-code'], must: ['QUEUE_NAME'] } },
  { ...base, name: 'syntax-error', family: 'code', files: sh('if true; then\n  echo a\n'), truth: { ids: ['exit-code'], must: ['syntax error'] } },
  { ...base, name: 'windows-line-ends', family: 'encoding', files: { 'app/entrypoint.sh': ['#!/bin/bash\r\necho a\r\n', 0o755] }, run: './entrypoint.sh', truth: { ids: ['missing-binary'], must: ['entrypoint.sh'] } },
  { ...base, name: 'windows-body', family: 'encoding', files: { 'app/entrypoint.sh': ['#!/bin/bash\nset -e\r\necho a\r\n', 0o755] }, truth: { ids: ['exit-code', 'encoding', 'missing-binary'], must: [] } },
  { ...base, name: 'curl-refused', family: 'peer', files: sh('set -e\ncurl -sS http://127.0.0.1:8081/config -o /tmp/c\n'), truth: { ids: ['dependency-refused'], must: ['127.0.0.1'] } },
  { ...base, name: 'curl-no-name', family: 'peer', files: sh('set -e\ncurl -sS http://config.shop.svc/config -o /tmp/c\n'), truth: { ids: ['dependency-not-resolved'], must: ['config.shop.svc'] } },
  { ...base, name: 'curl-status', family: 'peer', before: 'cd /tmp; nohup python3 -m http.server 9001 >/dev/null 2>&1 & sleep 3', files: sh('set -e\ncurl -sSf http://127.0.0.1:9001/config -o /tmp/c\n'), truth: { ids: ['exit-code'], must: ['404'] } },
  { ...base, name: 'curl-self-signed', family: 'tls', before: f.selfSigned.before, files: sh('set -e\ncurl -sS https://127.0.0.1:8443/ -o /tmp/c\n'), truth: { ids: ['certificate-not-trusted'], must: [] } },
  { ...base, name: 'psql-refused', family: 'peer', files: sh('set -e\npsql -h 127.0.0.1 -U app -c "select 1"\n'), truth: { ids: ['dependency-refused'], must: ['127.0.0.1:5432'] } },
  { ...base, name: 'psql-password', family: 'authentication', before: f.pgPassword.before, env: { PGPASSWORD: 's3cr3t-wrong' }, files: sh('set -ex\npsql "host=127.0.0.1 user=app password=s3cr3t-wrong dbname=postgres" -c "select 1"\n'), truth: { ids: ['authentication-refused'], must: ['app'], mustNot: ['s3cr3t'] } },
  { ...base, name: 'redis-cli-refused', family: 'peer', files: sh('set -e\nredis-cli -h 127.0.0.1 -p 6380 ping\n'), truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6380'] } },
  { ...base, name: 'cannot-create', family: 'permission', user: 1000, files: sh('set -e\necho a > /etc/app.conf\n'), truth: { ids: ['permission-denied'], must: ['/etc/app.conf'] } },
  { ...base, name: 'read-only', family: 'permission', before: f.readOnly.before, pod: f.readOnly.pod, files: sh('set -e\ntouch /data/cache.json\n'), truth: { ids: ['read-only-file-system'], must: ['/data/cache.json'] } },
  { ...base, name: 'full-volume', family: 'limit', before: f.fullVolume.before, pod: f.fullVolume.pod, files: sh('set -e\ndd if=/dev/zero of=/data/big bs=1M count=3\n'), truth: { ids: ['no-space'], must: ['/data/big'] } },
  { ...base, name: 'chown-denied', family: 'permission', user: 1000, before: 'mkdir -p /data; touch /data/a', files: sh('set -e\nchown -R app:app /data\n'), truth: { ids: ['permission-denied'], must: ['/data'] } },
  { ...base, name: 'cp-missing', family: 'file', files: sh('set -e\ncp /config/nginx.conf /tmp/\n'), truth: { ids: ['missing-setting'], must: ['/config/nginx.conf'] } },
  { ...base, name: 'not-executable', family: 'permission', files: { ...sh('exec /app/server\n'), 'app/server': ['#!/bin/sh\n', 0o644] }, truth: { ids: ['not-executable'], must: [] } },
  { ...base, name: 'wrong-binary', family: 'file', files: { ...sh('/app/server\n'), 'app/server': ['\u007fELF\u0002\u0001\u0001\u0000 not really', 0o755] }, truth: { ids: ['wrong-architecture'], must: ['/app/server'] } },
  { ...base, name: 'missing-library', family: 'file', before: 'cp /usr/bin/curl /app/curl; mv /usr/lib/x86_64-linux-gnu/libcurl.so.4 /usr/lib/x86_64-linux-gnu/away', run: 'exec /app/curl --version', truth: { ids: ['missing-binary', 'missing-module'], must: ['libcurl.so.4'] } },
  { ...base, name: 'waits-in-vain', family: 'peer', files: sh('for i in 1 2 3; do nc -z 127.0.0.1 5432 && break; echo "waiting for postgres at 127.0.0.1:5432 ($i/3)"; sleep 0.2; done\nnc -zv 127.0.0.1 5432 || { echo "postgres did not come up, giving up" >&2; exit 1; }\n'), truth: { ids: ['dependency-refused'], must: ['127.0.0.1'] } },
  { ...base, name: 'mount-check', family: 'config', files: sh('[ -d /var/lib/shop/media ] || { echo "FATAL: /var/lib/shop/media is not mounted" >&2; exit 78; }\n'), truth: { ids: ['exit-code'], must: ['/var/lib/shop/media is not mounted'] } },
  { ...base, name: 'jq-like', family: 'file', files: sh('set -eo pipefail\npython3 -c "import json,sys; json.load(sys.stdin)" <<< "not json" | head -1\n'), truth: { ids: ['malformed-config', 'exit-code'], must: [] } },
  { ...base, name: 'token-on-command-line', family: 'secret', files: sh('set -ex\ncurl -sS -H "Authorization: Bearer abcdef123456789" http://127.0.0.1:8081/\n'), truth: { ids: ['dependency-refused'], must: ['127.0.0.1'], mustNot: ['abcdef123456789'] } },
];
