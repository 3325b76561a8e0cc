/** Trials of the PostgreSQL server. */
import type { Trial } from '../trial.ts';

const DATA = '/var/lib/postgresql/data';
const base = { program: 'postgres', user: 70, run: `exec postgres -D ${DATA} -k /tmp` };
const conf = (line: string): string => `echo "${line}" >> ${DATA}/postgresql.conf`;

export const postgres: readonly Trial[] = [
  { ...base, name: 'port-taken', family: 'port', before: 'nohup nc -lk 127.0.0.1 5432 >/dev/null 2>&1 & sleep 0.3', truth: { ids: ['port-in-use'], must: ['5432'] } },
  { ...base, name: 'wrong-owner', family: 'permission', user: 1000, before: `chmod 755 ${DATA}`, truth: { ids: ['permission-denied'], must: [DATA] } },
  { ...base, name: 'wrong-owner-readable', family: 'permission', user: 70, before: `chown 1000 ${DATA}; chmod 777 ${DATA}`, truth: { ids: ['permission-denied'], must: [DATA] } },
  { ...base, name: 'open-permissions', family: 'permission', before: `chmod 777 ${DATA}`, truth: { ids: ['permission-denied', 'exit-code'], must: [DATA] } },
  { ...base, name: 'as-root', family: 'permission', user: 0, truth: { ids: ['exit-code', 'permission-denied'], must: ['root'] } },
  { ...base, name: 'no-data', family: 'file', run: 'exec postgres -D /data/pg', truth: { ids: ['exit-code', 'missing-setting'], must: ['/data/pg'] } },
  { ...base, name: 'other-version', family: 'version', before: `echo 13 > ${DATA}/PG_VERSION`, truth: { ids: ['version-mismatch'], must: ['13', '15'] } },
  { ...base, name: 'bad-parameter', family: 'config', before: conf('shared_bufers = 1GB'), truth: { ids: ['malformed-config', 'exit-code'], must: ['shared_bufers'] } },
  { ...base, name: 'bad-value', family: 'config', before: conf('max_connections = many'), truth: { ids: ['malformed-config', 'exit-code'], must: ['max_connections'] } },
  { ...base, name: 'syntax-error', family: 'config', before: conf('listen_addresses : all'), truth: { ids: ['malformed-config'], must: ['postgresql.conf'] } },
  { ...base, name: 'hba-syntax', family: 'config', before: `echo 'hostt all all all trust' >> ${DATA}/pg_hba.conf`, truth: { ids: ['malformed-config', 'exit-code'], must: ['hostt'] } },
  { ...base, name: 'too-much-memory', family: 'limit', before: conf('shared_buffers = 900GB'), truth: { ids: ['exit-code', 'heap-exhausted', 'no-memory'], must: ['shared memory'] } },
  { ...base, name: 'lock-file', family: 'lock', before: `printf '1\\n${DATA}\\n1700000000\\n5432\\n/tmp\\n\\n' > ${DATA}/postmaster.pid; chown 70:70 ${DATA}/postmaster.pid; chmod 600 ${DATA}/postmaster.pid`, truth: { ids: ['already-running', 'exit-code'], must: ['postmaster.pid'] } },
  { ...base, name: 'corrupt-control', family: 'data', before: `dd if=/dev/zero of=${DATA}/global/pg_control bs=100 count=1 conv=notrunc 2>/dev/null`, truth: { ids: ['exit-code', 'corrupt-data', 'version-mismatch'], must: ['CONTROL'] } },
  { ...base, name: 'missing-control', family: 'data', before: `rm ${DATA}/global/pg_control`, truth: { ids: ['exit-code', 'corrupt-data', 'missing-setting'], must: ['pg_control'] } },
  { ...base, name: 'lost-wal', family: 'data', before: `rm ${DATA}/pg_wal/0*`, truth: { ids: ['exit-code', 'corrupt-data'], must: ['checkpoint record'] } },
  { ...base, name: 'certificate-missing', family: 'tls', before: `${conf('ssl = on')}; ${conf("ssl_cert_file = '/etc/tls/tls.crt'")}`, truth: { ids: ['missing-setting'], must: ['/etc/tls/tls.crt'] } },
  { ...base, name: 'key-open-to-all', family: 'tls', before: `openssl req -x509 -newkey rsa:2048 -nodes -keyout ${DATA}/server.key -out ${DATA}/server.crt -days 2 -subj /CN=db 2>/dev/null; chown 70 ${DATA}/server.*; chmod 644 ${DATA}/server.key; ${conf('ssl = on')}`, truth: { ids: ['permission-denied', 'exit-code'], must: ['server.key'] } },
  { ...base, name: 'missing-library', family: 'library', before: conf("shared_preload_libraries = 'timescaledb'"), truth: { ids: ['exit-code', 'missing-module', 'missing-setting'], must: ['timescaledb'] } },
  { ...base, name: 'full-volume', family: 'limit', before: `cp -a ${DATA} /tmp/copy; mount -t tmpfs -o size=47M none ${DATA}; cp -a /tmp/copy/. ${DATA}/ 2>/dev/null; dd if=/dev/zero of=${DATA}/fill bs=1k 2>/dev/null; chown 70 ${DATA}; chmod 700 ${DATA}; true`, truth: { ids: ['no-space'], must: [] } },
  { ...base, name: 'read-only', family: 'permission', before: `mount --bind ${DATA} ${DATA}; mount -o remount,ro,bind ${DATA}`, truth: { ids: ['read-only-file-system'], must: ['postmaster.pid'] } },
];
