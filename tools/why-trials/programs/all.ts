/** All trials, and which programs are held out: their logs are recorded only after the rules are frozen. */
import type { Trial } from '../trial.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { EIGHTH } from './eighth.ts';
import { etcd } from './etcd.ts';
import { FIFTH_APPS } from './fifth-apps.ts';
import { FIFTH_HEALTHY } from './fifth-healthy.ts';
import { FIFTH_SERVERS } from './fifth-servers.ts';
import { FOURTH_HEALTHY } from './fourth-healthy.ts';
import { FOURTH_LANGUAGES } from './fourth-languages.ts';
import { FOURTH_SERVERS } from './fourth-servers.ts';
import { goTrials } from './go.ts';
import { HEALTHY, HEALTHY_HELD_OUT } from './healthy.ts';
import { HEALTHY_SERVERS } from './healthy-servers.ts';
import { HELD_OUT_TRIALS } from './held-out.ts';
import { javaTrials } from './java.ts';
import { mariadb } from './mariadb.ts';
import { NINTH_APPS } from './ninth-apps.ts';
import { NINTH_JOBS } from './ninth-jobs.ts';
import { NINTH_SERVERS } from './ninth-servers.ts';
import { nginx } from './nginx.ts';
import { node } from './node.ts';
import { perl } from './perl.ts';
import { postgres } from './postgres.ts';
import { python } from './python.ts';
import { redis } from './redis.ts';
import { SECOND_HEALTHY } from './second-healthy.ts';
import { SECOND_LANGUAGES } from './second-languages.ts';
import { SECOND_SERVERS } from './second-servers.ts';
import { SEVENTH } from './seventh.ts';
import { shell } from './shell.ts';
import { SIXTH } from './sixth.ts';
import { smallServers } from './small-servers.ts';
import { TENTH_APPS } from './tenth-apps.ts';
import { TENTH_JOBS } from './tenth-jobs.ts';
import { TENTH_SERVERS } from './tenth-servers.ts';
import { THIRD } from './third.ts';

const NINTH: readonly Trial[] = [...NINTH_SERVERS, ...NINTH_APPS, ...NINTH_JOBS];
const TENTH: readonly Trial[] = [...TENTH_SERVERS, ...TENTH_APPS, ...TENTH_JOBS];

/** Programs with which no rule was made, by the batch in which they were recorded and scored for the first time. */
export const BATCHES: readonly (readonly string[])[] = [
  ['ruby', 'php', 'rust', 'haproxy', 'rabbitmq', 'mosquitto', 'prometheus', 'unbound'],
  [
    'cpp',
    'lua',
    'elixir',
    'mono',
    'tcl',
    'pyweb',
    'nodeweb',
    'bind',
    'slapd',
    'squid',
    'varnish',
    'stunnel',
    'pgbouncer',
    'nats',
    'alertmanager',
    'node-exporter',
    'zookeeper',
    'tomcat',
    'influxdb',
    'registry',
    'dovecot',
  ],
  [
    'r',
    'ocaml',
    'guile',
    'nsd',
    'knot',
    'tinyproxy',
    'openvpn',
    'proftpd',
    'pushgateway',
    'icecast',
    'supervisor',
    'rsyslog',
  ],
  [
    'haskell',
    'clojure',
    'nim',
    'crystal',
    'sbcl',
    'racket',
    'raku',
    'fortran',
    'octave',
    'gawk',
    'hapi',
    'apollo',
    'node-red',
    'tornado',
    'twisted',
    'hypercorn',
    'sshd',
    'pdns',
    'recursor',
    'prosody',
    'ngircd',
    'privoxy',
    'chrony',
    'beanstalkd',
    'gearmand',
    'kea',
    'victoria',
    'blackbox',
    'pgpool',
    'tor',
    'hitch',
    'nghttpx',
    'rclone',
    'radicale',
    'webhook',
    'coturn',
    'samba',
    'collectd',
    'dante',
    'carbon',
    'syncthing',
  ],
  [
    'clickhouse',
    'jetty',
    'freeradius',
    'syslog-ng',
    'clamd',
    'patroni',
    'postgres-exporter',
    'mysqld-exporter',
    'redis-exporter',
    'zabbix-agent',
    'kamailio',
    'h2o',
    'monit',
    'sentinel',
    'spring',
    'rails',
    'sidekiq',
    'symfony',
    'laravel',
    'bun',
    'deno',
    'next',
    'sequelize-cli',
    'envalid',
    'http-server',
    'mqtt',
    'nats-client',
    'log4js',
    'pg-jobs',
    'git',
    'wget',
    'rsync',
    'restic',
    'borg',
    'ansible',
    'kubectl',
    'alembic',
    'jupyter',
  ],
  ['mysql-jobs', 'archive-jobs', 'node-pg-migrate', 'log4j', 'django-jobs', 'puma'],
  [...new Set(SEVENTH.map(({ program }) => program))],
  [...new Set(EIGHTH.map(({ program }) => program))],
  [...new Set(NINTH.map(({ program }) => program))],
  [...new Set(TENTH.map(({ program }) => program))],
];

/** The programs of the fifth and the sixth batch, which run on a folder of their own. */
export const FIFTH: ReadonlySet<string> = new Set(BATCHES.slice(4, 6).flat());

/** The programs of the seventh and the eighth batch, which have a folder, too. */
export const OF_SEVENTH: ReadonlySet<string> = new Set(BATCHES.slice(6, 8).flat());

/** The programs of the ninth batch. */
export const OF_NINTH: ReadonlySet<string> = new Set(BATCHES.slice(8, 9).flat());

/** The programs of the tenth batch. */
export const OF_TENTH: ReadonlySet<string> = new Set(BATCHES.slice(9).flat());

export const HELD_OUT: ReadonlySet<string> = new Set(BATCHES.flat());

export const TRIALS: readonly Trial[] = [
  ...node,
  ...python,
  ...javaTrials,
  ...goTrials,
  ...shell,
  ...perl,
  ...postgres,
  ...redis,
  ...nginx,
  ...mariadb,
  ...apache,
  ...etcd,
  ...caddy,
  ...smallServers,
  ...HEALTHY,
  ...HEALTHY_SERVERS,
  ...HELD_OUT_TRIALS,
  ...HEALTHY_HELD_OUT,
  ...SECOND_LANGUAGES,
  ...SECOND_SERVERS,
  ...SECOND_HEALTHY,
  ...THIRD,
  ...FOURTH_LANGUAGES,
  ...FOURTH_SERVERS,
  ...FOURTH_HEALTHY,
  ...FIFTH_SERVERS,
  ...FIFTH_APPS,
  ...FIFTH_HEALTHY,
  ...SIXTH,
  ...SEVENTH,
  ...EIGHTH,
  ...NINTH,
  ...TENTH,
];
