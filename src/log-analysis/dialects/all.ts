/** All dialects. Their order does not matter. */
import type { Dialect } from './dialect.ts';
import { apache } from './apache.ts';
import { bind } from './bind.ts';
import { caddy } from './caddy.ts';
import { dotnet } from './dotnet.ts';
import { etcd } from './etcd.ts';
import { go } from './go.ts';
import { haproxy } from './haproxy.ts';
import { java } from './java.ts';
import { kafka } from './kafka.ts';
import { mariadb } from './mariadb.ts';
import { mongodb } from './mongodb.ts';
import { nginx } from './nginx.ts';
import { node } from './node.ts';
import { pgbouncer } from './pgbouncer.ts';
import { php } from './php.ts';
import { postgres } from './postgres.ts';
import { python } from './python.ts';
import { rabbitmq } from './rabbitmq.ts';
import { redis } from './redis.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { shell } from './shell.ts';
import { squid } from './squid.ts';
import { stunnel } from './stunnel.ts';
import { supervisor } from './supervisor.ts';
import { varnish } from './varnish.ts';

export const DIALECTS: readonly Dialect[] = [
  apache,
  bind,
  caddy,
  dotnet,
  etcd,
  go,
  haproxy,
  java,
  kafka,
  mariadb,
  mongodb,
  nginx,
  node,
  pgbouncer,
  php,
  postgres,
  python,
  rabbitmq,
  redis,
  ruby,
  rust,
  shell,
  squid,
  stunnel,
  supervisor,
  varnish,
];
