/** Makes the folder that the programs run on: Debian packages with all that they depend on, unpacked, and packages of npm. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { machineSource } from '../debian.ts';

const cache = join(resolve(import.meta.dirname, '..', '..'), '.cache', 'why-trials');
const SUITE = 'bookworm';
const TOOLS =
  'base-files libc-bin findutils mawk hostname gzip diffutils debianutils bash coreutils dash sed grep tar util-linux iproute2 netcat-openbsd openssl procps locales-all curl';
const LANGUAGES =
  'perl libdbi-perl libdbd-pg-perl python3 python3-psycopg2 python3-redis python3-pika python3-pymysql python3-flask python3-django gunicorn python3-yaml python3-requests python3-sqlalchemy openjdk-17-jre-headless openjdk-17-jdk-headless libpostgresql-jdbc-java libslf4j-java liblogback-java golang-go golang-github-lib-pq-dev golang-github-sirupsen-logrus-dev golang-go.uber-zap-dev golang-github-gomodule-redigo-dev ruby ruby-pg ruby-redis puma ruby-sinatra php-cli php-pgsql php-mysql php-redis php-fpm rustc';
const SERVERS =
  'postgresql-15 redis-server nginx mariadb-server apache2 etcd-server caddy memcached dnsmasq-base lighttpd haproxy rabbitmq-server mosquitto prometheus unbound';
/** Of the programs that were held out later. */
const LATER_LANGUAGES =
  'g++ erlang-base elixir lua5.4 lua-socket lua-cjson tcl mono-runtime mono-mcs python3-celery python3-structlog python3-uvicorn python3-fastapi python3-aiohttp python3-alembic python3-pydantic python3-asyncpg python3-pymongo python3-httpx ocaml-base ocaml-nox r-base-core guile-3.0 swi-prolog-nox';
const LATER_SERVERS =
  'bind9 slapd squid varnish stunnel4 pgbouncer nats-server prometheus-alertmanager prometheus-node-exporter zookeeper dovecot-core tomcat10 influxdb docker-registry uwsgi-core uwsgi-plugin-python3 nsd knot tinyproxy openvpn proftpd-core prometheus-pushgateway icecast2 supervisor rsyslog';
/** Of the programs that were held out last. */
const LAST_LANGUAGES =
  'ghc clojure nim crystal sbcl racket rakudo gfortran fp-compiler octave ruby-rails ruby-sidekiq python3-tornado python3-twisted python3-hypercorn groovy kotlin gawk luajit';
const LAST_SERVERS =
  'openssh-server pdns-server pdns-backend-bind pdns-recursor freeradius coturn prosody ngircd privoxy chrony snmpd beanstalkd gearman-job-server syncthing kea-dhcp4-server kea-ctrl-agent victoria-metrics prometheus-blackbox-exporter prometheus-postgres-exporter pgpool2 tor hitch nghttp2-proxy jetty9 firebird3.0-server activemq ejabberd crowdsec rclone graphite-carbon radicale webhook samba minidlna mumble-server dante-server collectd-core trafficserver';
const NPM =
  'pg ioredis express mysql2 amqplib mongodb kafkajs pino winston axios fastify dotenv @nestjs/core @nestjs/common @nestjs/platform-express reflect-metadata rxjs sequelize typeorm mongoose redis bunyan knex koa bullmq tsx zod convict @hapi/hapi node-red @apollo/server graphql pm2 vite ws socket.io';

const PACKAGES: readonly string[] = [
  TOOLS,
  LANGUAGES,
  SERVERS,
  LATER_LANGUAGES,
  LATER_SERVERS,
  LAST_LANGUAGES,
  LAST_SERVERS,
]
  .join(' ')
  .split(' ');

/** The folder; made when it is not there (root, a network, 3 GB). */
export function trialRoot(): string {
  const root = join(cache, 'root');
  const note = join(root, '.complete');
  // A root that was made for other packages is made again.
  const wanted = [...PACKAGES, NPM].join(' ');
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return root;
  const part = `${root}.part`;
  rmSync(part, { recursive: true, force: true });
  for (const folder of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64'])
    mkdirSync(join(part, folder), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(part, name));
  for (const deb of download()) {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink', 'sh', deb, part],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${deb} cannot be unpacked: ${stderr}`);
  }
  finish(part);
  writeFileSync(join(part, '.complete'), wanted);
  rmSync(root, { recursive: true, force: true });
  renameSync(part, root);
  return root;
}

function download(): readonly string[] {
  const folder = join(cache, 'apt');
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${machineSource()} ${SUITE} main\n`);
  const settings = [
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${folder}/lists`,
    `Dir::State::status=${folder}/status`,
    `Dir::Cache=${folder}`,
    `Dir::Cache::archives=${folder}/archives`,
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
  ].flatMap((setting) => ['-o', setting]);
  must('apt-get', [...settings, 'update', '-q']);
  must('apt-get', [...settings, 'install', '-y', '-q', '--no-install-recommends', '--download-only', ...PACKAGES]);
  return readdirSync(join(folder, 'archives')).flatMap((name) =>
    name.endsWith('.deb') ? [join(folder, 'archives', name)] : [],
  );
}

/** What packages do when they are installed, as far as the trials need it: users, folders, links, first databases. */
function finish(root: string): void {
  mkdirSync(join(root, 'opt/node'), { recursive: true });
  copyFileSync(process.execPath, join(root, 'usr/bin/node'));
  must('npm', [
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--prefix',
    join(root, 'opt/node'),
    ...NPM.split(' '),
  ]);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000:app:/tmp:/bin/sh\npostgres:x:70:70:postgres:/var/lib/postgresql:/bin/sh\nmysql:x:71:71:mysql:/var/lib/mysql:/bin/sh\nrabbitmq:x:72:72:rabbitmq:/var/lib/rabbitmq:/bin/sh\nwww-data:x:33:33:www-data:/var/www:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n',
  );
  writeFileSync(
    join(root, 'etc/group'),
    'root:x:0:\napp:x:1000:\npostgres:x:70:\nmysql:x:71:\nrabbitmq:x:72:\nwww-data:x:33:\nnogroup:x:65534:\n',
  );
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost trial\n');
  writeFileSync(join(root, 'etc/resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  const devices = `mkdir -p ${root}/proc; mount --bind /proc ${root}/proc; mount -t tmpfs none ${root}/dev; for d in null zero random urandom; do touch ${root}/dev/$d; mount --bind /dev/$d ${root}/dev/$d; done`;
  mkdirSync(join(root, 'dev'), { recursive: true });
  must('unshare', ['-m', 'sh', '-ec', `${devices}; exec chroot ${root} /bin/sh -ec "$0"`, FIRST_DATABASES]);
}

const FIRST_DATABASES = `
export PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin
mkdir -p /proc /sys /tmp /run /app /data /var/tmp && chmod 1777 /tmp /var/tmp
ln -sf /usr/bin/mawk /usr/bin/awk; ln -sf /usr/bin/php8.2 /usr/bin/php
for each in java javac keytool; do ln -sf /usr/lib/jvm/java-17-openjdk-amd64/bin/$each /usr/bin/$each; done
ln -sf /usr/lib/go/bin/go /usr/bin/go
ln -sf /usr/bin/nc.openbsd /usr/bin/nc; ln -sf gcc /usr/bin/cc
mkdir -p /var/lib/postgresql /run/postgresql && chown 70:70 /var/lib/postgresql /run/postgresql
echo right > /tmp/pw
setpriv --reuid=70 --regid=70 --clear-groups initdb -D /var/lib/postgresql/data -A scram-sha-256 -U app --pwfile=/tmp/pw -E UTF8 --locale=C.UTF-8 >/dev/null
mkdir -p /var/lib/mysql /run/mysqld && chown 71:71 /var/lib/mysql /run/mysqld
mariadb-install-db --user=mysql --datadir=/var/lib/mysql --auth-root-authentication-method=normal >/dev/null
mkdir -p /var/lib/rabbitmq /var/log/rabbitmq && chown -R 72:72 /var/lib/rabbitmq /var/log/rabbitmq
rm -f /tmp/pw; ghc-pkg recache --global
mkdir -p /etc/ssl/certs && openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -out /etc/ssl/certs/ca-certificates.crt -days 3650 -subj /CN=nobody 2>/dev/null
mkdir -p /etc/ssl/certs/java /etc/rabbitmq
rm -f /etc/ssl/certs/java/cacerts
keytool -importcert -noprompt -storepass changeit -keystore /etc/ssl/certs/java/cacerts -file /etc/ssl/certs/ca-certificates.crt 2>/dev/null
for each in $(find /usr/share/php8.2* -name '*.ini') /etc/php/8.2/mods-available/*.ini; do [ -e $each ] && for sapi in cli fpm; do mkdir -p /etc/php/8.2/$sapi/conf.d; cp $each /etc/php/8.2/$sapi/conf.d/20-$(basename $each); done; done
for sapi in cli fpm; do mv /etc/php/8.2/$sapi/conf.d/20-pdo.ini /etc/php/8.2/$sapi/conf.d/10-pdo.ini; mv /etc/php/8.2/$sapi/conf.d/20-mysqlnd.ini /etc/php/8.2/$sapi/conf.d/10-mysqlnd.ini; mv /etc/php/8.2/$sapi/conf.d/20-redis.ini /etc/php/8.2/$sapi/conf.d/25-redis.ini; done
`;

function must(file: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${file}: ${error?.message ?? `${stdout}${stderr}`.trim().slice(-2000)}`);
}
