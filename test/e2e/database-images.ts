/**
 * Images of Debian's PostgreSQL and Redis, with the names and manners of the ones that everybody runs, so that ordinary
 * manifests fit them unchanged.
 */
import { join } from 'node:path';
import { root } from './harness.ts';
import { type SystemImage, systemArchive } from './system-archive.ts';

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);
const users = (name: string, home: string): Readonly<Record<string, string>> => ({
  'etc/passwd': `root:x:0:0:root:/root:/bin/sh\n${name}:x:999:999::${home}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
  'etc/group': `root:x:0:\n${name}:x:999:\nnobody:x:65534:\n`,
});

/** The first start makes the database and runs the scripts of /docker-entrypoint-initdb.d; every start runs the server. */
const POSTGRES_ENTRY = `#!/bin/sh
set -eu
if [ "$1" != postgres ]; then exec "$@"; fi
mkdir -p "$PGDATA"
# PostgreSQL refuses a folder that others may read, and the volume's group may.
chmod 0700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=\${POSTGRES_USER:-postgres}
  name=\${POSTGRES_DB:-$user}
  printf '%s\\n' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username="$user" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  # Nobody else sees the server before it is complete.
  pg_ctl -w start -o "-c listen_addresses=''"
  [ "$name" = postgres ] || createdb -U "$user" "$name"
  for script in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -f "$script" ] || psql -v ON_ERROR_STOP=1 -U "$user" -d "$name" -f "$script"
  done
  pg_ctl -w -m fast stop
fi
exec "$@"
`;

/** Its home is as in the usual image: the programs are not in /usr/bin. */
const POSTGRES_HOME = 'usr/lib/postgresql/15';

const POSTGRES: SystemImage = {
  name: 'docker.io/library/postgres:15',
  packages: words(`
    postgresql-15 postgresql-client-15 libc6 libc-bin libaudit1 libcap-ng0 libcap2 libcom-err2 libffi8 libgcc-s1
    libgcrypt20 libgmp10 libgnutls30 libgpg-error0 libgssapi-krb5-2 libhogweed6 libicu72 libidn2-0 libk5crypto3
    libkeyutils1 libkrb5-3 libkrb5support0 libldap-2.5-0 liblz4-1 liblzma5 libnettle8 libp11-kit0 libpam0g libpq5
    libreadline8 libsasl2-2 libssl3 libstdc++6 libsystemd0 libtasn1-6 libtinfo6 libunistring2 libxml2 libzstd1
    zlib1g
  `),
  programs: [
    ...['postgres', 'initdb', 'pg_ctl', 'psql', 'pg_isready', 'createdb'].map((name) => `${POSTGRES_HOME}/bin/${name}`),
    ...['plpgsql', 'dict_snowball'].map((name) => `${POSTGRES_HOME}/lib/${name}.so`),
  ],
  content: {
    'usr/share/postgresql/15': 'usr/share/postgresql/15',
    'usr/lib/locale/C.utf8': 'usr/lib/locale/C.utf8',
  },
  folders: {
    'docker-entrypoint-initdb.d': 0o755,
    'var/lib/postgresql/data': 0o1777,
    'var/run/postgresql': 0o3777,
  },
  texts: { ...users('postgres', '/var/lib/postgresql'), 'usr/local/bin/docker-entrypoint.sh': POSTGRES_ENTRY },
  config: {
    entrypoint: ['docker-entrypoint.sh'],
    command: ['postgres'],
    env: [`${PATH}:/${POSTGRES_HOME}/bin`, 'LANG=C.UTF-8', 'PGDATA=/var/lib/postgresql/data'],
  },
};

const REDIS: SystemImage = {
  name: 'docker.io/library/redis:7',
  packages: words(`
    redis-tools libc6 libatomic1 libcap2 libgcc-s1 libgcrypt20 libgpg-error0 libjemalloc2 liblz4-1 liblzf1
    liblzma5 libssl3 libstdc++6 libsystemd0 libzstd1
  `),
  // The server is a link to this tool in Debian: one program, which looks at its own name.
  programs: ['usr/bin/redis-check-rdb', 'usr/bin/redis-cli'],
  content: {},
  links: { 'usr/bin/redis-server': 'redis-check-rdb' },
  folders: { data: 0o1777 },
  texts: users('redis', '/data'),
  config: { command: ['redis-server'], env: [PATH] },
};

/** Archives of both images. The first call downloads the packages. */
export const postgresArchive = (): string => systemArchive(POSTGRES, join(root, '.cache/e2e'));
export const redisArchive = (): string => systemArchive(REDIS, join(root, '.cache/e2e'));
