/** What the folders hold that the programs of trials run on. */

/** What one folder of programs holds. */
export interface Contents {
  /** Of Debian. */
  readonly packages: readonly string[];
  readonly npm: string;
}

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

/** Of the programs up to the fourth batch that was held out. */
const FIRST: Contents = {
  packages: [TOOLS, LANGUAGES, SERVERS, LATER_LANGUAGES, LATER_SERVERS, LAST_LANGUAGES, LAST_SERVERS]
    .join(' ')
    .split(' '),
  npm: NPM,
};

/** Of the fifth batch that was held out; the folder is its own, because no trial needs both. */
const FIFTH: Contents = {
  packages: [
    TOOLS,
    'perl python3 python3-psycopg2 python3-redis postgresql-15 redis-server redis-sentinel mariadb-server openjdk-17-jdk-headless libpostgresql-jdbc-java golang-go ruby php-cli php-mysql php-redis',
    'activemq jetty9 clickhouse-server ejabberd freeradius trafficserver postfix vsftpd syslog-ng-core keepalived clamav-daemon patroni python3-etcd prometheus-postgres-exporter prometheus-mysqld-exporter prometheus-redis-exporter zabbix-agent icinga2-bin rspamd kamailio h2o monit',
    'git rsync wget restic borgbackup ansible-core kubernetes-client ruby-rails ruby-sidekiq puma ruby-sqlite3 php-laravel-framework php-symfony php-sqlite3 libspring-core-java libspring-beans-java libspring-context-java libspring-web-java libspring-jdbc-java liblog4j2-java libcommons-logging-java jupyter-notebook python3-django alembic python3-alembic python3-celery python3-gunicorn',
  ]
    .join(' ')
    .split(' '),
  npm: 'bun deno next react react-dom typescript ts-node nodemon http-server sequelize sequelize-cli pg node-pg-migrate log4js roarr aedes nats mqtt hono @hono/node-server envalid',
};

/** Of the seventh batch that is held out. */
const SEVENTH: Contents = {
  packages: [
    TOOLS,
    'perl python3 python3-psycopg2 python3-redis postgresql-15 redis-server mariadb-server openjdk-17-jdk-headless php-cli php-mysql php-redis g++ make',
    'opensmtpd isc-dhcp-server transmission-daemon znc inspircd ejabberd keepalived rspamd crowdsec gobgpd chasquid dnsdist gdnsd krb5-kdc ocserv zabbix-proxy-sqlite3 munge slurmctld snmpd mumble-server activemq aria2 sslh yaws icinga2-bin',
    'pgbackrest kcat skopeo hugo sqlite3 tini dumb-init gosu wait-for-it cmake meson ninja-build ant maven cargo swi-prolog-nox groovy gnat-12 gdc-12',
    'python3-waitress python3-cherrypy3 python3-bottle python3-falcon python3-rq python3-scrapy python3-pytest python3-pyftpdlib',
    'librust-anyhow-dev librust-env-logger-dev librust-thiserror-dev librust-serde-json-dev librust-toml-dev',
  ]
    .join(' ')
    .split(' '),
  npm: 'webpack webpack-cli jest mocha json-server@0.17.4 moleculer @grpc/grpc-js cassandra-driver @elastic/elasticsearch joi ajv config gulp yargs pg ioredis',
};

/** Of the ninth batch that is held out. */
const NINTH: Contents = {
  packages: [
    TOOLS,
    'perl python3 python3-psycopg2 python3-redis postgresql-15 redis-server mariadb-server openjdk-17-jdk-headless php-cli php-mysql php-redis',
    'exim4-daemon-light vsftpd bird2 socat civetweb mini-httpd pen shadowsocks-libev tarantool tinc opendkim dbus nagios4-core radvd stubby corosync mtail prometheus-nginx-exporter prometheus-apache-exporter prometheus-snmp-exporter prometheus-process-exporter prometheus-bind-exporter',
    'golang-go golang-github-spf13-cobra-dev golang-github-spf13-viper-dev golang-github-rs-zerolog-dev golang-github-jackc-pgx-v4-dev golang-github-gin-gonic-gin-dev',
    'libh2-java libhikaricp-java libslf4j-java libpostgresql-jdbc-java junit4 libpicocli-java phpunit composer php-guzzlehttp-guzzle php-curl php-monolog',
    'daphne python3-apscheduler python3-peewee python3-typer python3-rich python3-marshmallow python3-loguru python3-paho-mqtt python3-kafka python3-boto3 python3-websockets python3-aio-pika python3-ldap3 python3-paramiko python3-invoke python3-behave mkdocs httpie scons',
    'ruby ruby-rack unicorn thin rake ruby-rspec ruby-sequel ruby-pg ruby-bunny ruby-dalli starman libmojolicious-perl libdancer2-perl',
    'openssh-client ldap-utils jq gpg logrotate rsnapshot duplicity pgloader mydumper msmtp xsltproc qpdf unzip bind9-dnsutils bats etcd-client lego',
  ]
    .join(' ')
    .split(' '),
  npm: 'rollup esbuild eslint vitest commander got nodemailer ldapjs ssh2 pg pg-boss graphile-worker umzug yup superstruct tslog kysely agenda prettier',
};

/** Of the tenth batch that is held out. */
const TENTH: Contents = {
  packages: [
    TOOLS,
    'perl python3 python3-psycopg2 python3-redis postgresql-15 redis-server mariadb-server openjdk-17-jdk-headless php-cli php-mysql php-redis',
    'pure-ftpd apt-cacher-ng munin-node lldpd strongswan-charon strongswan-starter spamd postgrey opendmarc nut-server ntpsec zabbix-server-pgsql sphinxsearch frr postsrsd redir websockify ser2net atftpd xinetd nebula yggdrasil vip-manager nagios-nrpe-server nsca rrdcached knot-resolver netdata-core iperf3 postfix runit s6 barman repmgr',
    'prometheus-haproxy-exporter prometheus-elasticsearch-exporter prometheus-mongodb-exporter prometheus-squid-exporter prometheus-varnish-exporter prometheus-pgbouncer-exporter prometheus-mqtt-exporter prometheus-exporter-exporter prometheus-sql-exporter',
    'uvicorn python3-starlette python3-quart python3-psycopg python3-aiosqlite python3-asyncpg python3-sqlalchemy python3-pandas python3-cliff python3-docopt python3-decouple python3-dynaconf python3-pyramid python3-zmq python3-pony python3-grpcio python3-schedule python3-absl python3-cerberus python3-voluptuous python3-pythonjsonlogger python3-tenacity python3-hvac python3-docker python3-kubernetes python3-asyncssh python3-aiosmtpd python3-gevent python3-oslo.config python3-oslo.messaging keystone glance-api swift-proxy mailman3 buildbot',
    'libnetty-java libquartz2-java libslf4j-java libhsqldb-java libderby-java jsvc libmina-java libmariadb-java libcommons-cli-java libjcommander-java libargparse4j-java libokhttp-java testng libjetty9-java libpostgresql-jdbc-java libjackson2-databind-java',
    'golang-go golang-github-labstack-echo-dev golang-github-go-chi-chi-dev golang-github-gorilla-mux-dev golang-github-nats-io-go-nats-dev golang-github-segmentio-kafka-go-dev golang-mongodb-mongo-driver-dev golang-k8s-klog-dev golang-github-urfave-cli-v2-dev golang-github-go-sql-driver-mysql-dev golang-github-streadway-amqp-dev golang-github-hashicorp-go-hclog-dev golang-github-alecthomas-kong-dev golang-github-jessevdk-go-flags-dev golang-github-go-kit-log-dev golang-google-grpc-dev',
    'mediawiki roundcube-core roundcube-sqlite3 php-slim php-slim-psr7 php-doctrine-dbal php-twig php-predis php-amqplib php-codesniffer php-sqlite3 php-pgsql',
    'ruby jekyll puppet-agent ruby-grape ruby-activerecord ruby-thor ruby-mongo ruby-faraday capistrano bundler ruby-rufus-scheduler ruby-eventmachine rubocop ruby-minitest ruby-pg ruby-sqlite3 ruby-webrick asciidoctor',
    'erlang-base gnucobol4 fp-compiler valac libglib2.0-dev fish liblog-log4perl-perl libdbix-class-perl libdbd-sqlite3-perl libanyevent-perl libanyevent-http-perl',
    's3cmd pgbadger mypy flake8 pylint tox ffmpeg imagemagick lftp csvkit miller yamllint shellcheck xmlstarlet aptly packer mosquitto-clients amqp-tools apache2-utils hey sphinx-common python3-sphinx git',
  ]
    .join(' ')
    .split(' '),
  npm: '--legacy-peer-deps verdaccio hono @hono/node-server restify @feathersjs/feathers @feathersjs/express drizzle-orm node-cron bree statsd hexo migrate-mongo mongodb pino pino-pretty signale objection knex pg pg-promise postgres env-var nconf valibot class-validator @aws-sdk/client-s3 minio dockerode rhea stompit bee-queue classic-level graphql-yoga graphql http-proxy sails ava@6 typescript pm2 polka soap fastify fastify-cli consola zx astro',
};

/** The folders, by name. */
export const ROOTS = {
  root: FIRST,
  fifth: FIFTH,
  seventh: SEVENTH,
  ninth: NINTH,
  tenth: TENTH,
} as const satisfies Record<string, Contents>;

/** What packages do when they are installed, as far as the trials need it: folders, links, first databases. */
export const FIRST_DATABASES = `
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
rm -f /tmp/pw; [ ! -e /usr/bin/ghc-pkg ] || ghc-pkg recache --global
mkdir -p /etc/ssl/certs && openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -out /etc/ssl/certs/ca-certificates.crt -days 3650 -subj /CN=nobody 2>/dev/null
mkdir -p /etc/ssl/certs/java /etc/rabbitmq
rm -f /etc/ssl/certs/java/cacerts
keytool -importcert -noprompt -storepass changeit -keystore /etc/ssl/certs/java/cacerts -file /etc/ssl/certs/ca-certificates.crt 2>/dev/null
for each in $(find /usr/share/php8.2* -name '*.ini') /etc/php/8.2/mods-available/*.ini; do [ -e $each ] && for sapi in cli fpm; do mkdir -p /etc/php/8.2/$sapi/conf.d; cp $each /etc/php/8.2/$sapi/conf.d/20-$(basename $each); done; done
for sapi in cli fpm; do mv /etc/php/8.2/$sapi/conf.d/20-pdo.ini /etc/php/8.2/$sapi/conf.d/10-pdo.ini; mv /etc/php/8.2/$sapi/conf.d/20-mysqlnd.ini /etc/php/8.2/$sapi/conf.d/10-mysqlnd.ini; mv /etc/php/8.2/$sapi/conf.d/20-redis.ini /etc/php/8.2/$sapi/conf.d/25-redis.ini; done
`;
