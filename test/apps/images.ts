/** Images of the programs that people run most, made of Debian's packages and of the Node.js that runs this, and cached. */
import { join } from 'node:path';
import { postgresArchive, redisArchive } from '../e2e/database-images.ts';
import { root } from '../e2e/harness.ts';
import { nodeImage } from '../e2e/node-image.ts';
import { type SystemImage, systemArchive } from '../e2e/system-archive.ts';

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);
const user = (name: string): Readonly<Record<string, string>> => ({
  'etc/passwd': `root:x:0:0:root:/root:/bin/sh\n${name}:x:999:999::/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
  'etc/group': `root:x:0:\n${name}:x:999:\nnogroup:x:65534:\n`,
});

const NGINX: SystemImage = {
  name: 'docker.io/library/nginx:1',
  packages: words('nginx nginx-common libc6 libcrypt1 libpcre2-8-0 libssl3 zlib1g'),
  programs: ['usr/sbin/nginx'],
  content: { 'etc/nginx/mime.types': 'etc/nginx/mime.types' },
  folders: { 'var/log/nginx': 0o777, 'var/lib/nginx': 0o777, run: 0o755, 'etc/nginx/conf.d': 0o755 },
  texts: {
    ...user('nginx'),
    'etc/nginx/nginx.conf':
      'user nginx;\nerror_log /dev/stderr notice;\nevents {}\nhttp { access_log off; include /etc/nginx/conf.d/*.conf; }\n',
  },
  config: { command: ['nginx', '-g', 'daemon off;'], env: [PATH] },
};

const MARIADB_ENTRY = `#!/bin/sh
set -eu
if [ "$1" != mariadbd ]; then exec "$@"; fi
if [ ! -d /var/lib/mysql/mysql ]; then
  sh /usr/bin/mariadb-install-db --datadir=/var/lib/mysql --auth-root-authentication-method=normal --skip-test-db >/dev/null
fi
exec "$@"
`;

const MARIADB: SystemImage = {
  name: 'docker.io/library/mariadb:10',
  packages: words(`
    mariadb-server-core libc6 libc-bin libcrypt1 libgcc-s1 libstdc++6 libpcre2-8-0 libssl3 libsystemd0 zlib1g
    liburing2 libcap2 libgcrypt20 libgpg-error0 liblz4-1 liblzma5 libzstd1 libaio1 mariadb-client-core libtinfo6 libncurses6
  `),
  programs: ['usr/sbin/mariadbd', 'usr/bin/my_print_defaults', 'usr/bin/resolveip'],
  content: { 'usr/share/mysql': 'usr/share/mysql', 'usr/bin/mariadb-install-db': 'usr/bin/mariadb-install-db' },
  folders: { 'var/lib/mysql': 0o1777, 'run/mysqld': 0o1777, 'etc/mysql': 0o755 },
  texts: { ...user('mysql'), 'usr/local/bin/docker-entrypoint.sh': MARIADB_ENTRY },
  config: { entrypoint: ['docker-entrypoint.sh'], command: ['mariadbd'], env: [PATH] },
};

const PYTHON: SystemImage = {
  name: 'docker.io/library/python:3.11',
  packages: words(
    'python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libc6 libexpat1 zlib1g libssl3 libffi8 libbz2-1.0 liblzma5',
  ),
  programs: ['usr/bin/python3.11'],
  content: { 'usr/lib/python3.11': 'usr/lib/python3.11' },
  links: { 'usr/bin/python3': 'python3.11' },
  folders: { app: 0o755 },
  texts: user('app'),
  config: { command: ['python3'], env: [PATH, 'PYTHONUNBUFFERED=1', 'LANG=C.UTF-8'] },
};

const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : 'arm64';
const JVM = `usr/lib/jvm/java-17-openjdk-${ARCHITECTURE}`;
const JAVA: SystemImage = {
  name: 'docker.io/library/eclipse-temurin:17-jre',
  packages: words('openjdk-17-jre-headless libc6 zlib1g libgcc-s1 libstdc++6'),
  // The libraries beside these find each other by themselves.
  programs: ['bin/java', 'bin/rmiregistry', 'lib/libjli.so', 'lib/server/libjvm.so'].map((path) => `${JVM}/${path}`),
  content: {
    [`${JVM}/lib`]: `${JVM}/lib`,
    [`${JVM}/lib/jvm.cfg`]: `etc/java-17-openjdk/jvm-${ARCHITECTURE}.cfg`,
    [`${JVM}/conf`]: 'etc/java-17-openjdk',
  },
  links: { 'usr/bin/java': `/${JVM}/bin/java`, 'usr/bin/rmiregistry': `/${JVM}/bin/rmiregistry` },
  folders: { app: 0o755 },
  texts: user('app'),
  config: { command: ['java', '-version'], env: [PATH, `JAVA_HOME=/${JVM}`] },
};

/** The archives of all images, made when they are not there (a network, some minutes, 1 GB). */
export function appArchives(): readonly string[] {
  const folder = join(root, '.cache/e2e');
  return [
    postgresArchive(),
    redisArchive(),
    ...[NGINX, MARIADB, PYTHON, JAVA, nodeImage('docker.io/library/node:24', user('node'))].map((image) =>
      systemArchive(image, folder),
    ),
  ];
}

if (process.argv[1] === import.meta.filename) console.log(appArchives().join('\n'));
