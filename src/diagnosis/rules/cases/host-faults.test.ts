/** Names that are not found because they are no names: a port, a scheme, a path or a blank stands in them. */
import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const DB: ServiceEvidence = {
  namespace: 'shop',
  name: 'orders-db',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [5432],
  ready: 1,
  notReady: 0,
};

const ended = (
  texts: Readonly<Record<string, string>>,
  line: string,
  services: readonly ServiceEvidence[] = [DB],
): Partial<PodEvidence> => ({
  pod: pod({ container: { envFrom: [{ configMapRef: { name: 'app' } }] }, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(line),
  configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: Object.keys(texts), texts }],
  services,
});

const OF_DB_HOST = String.raw`\(the value of its variable DB_HOST of ConfigMap app, key DB_HOST\)`;
const WITH_PORT = { DB_HOST: 'orders-db:5432', DB_NAME: 'orders' };

const faults: readonly Case[] = [
  [
    'Node.js, a port',
    ended(WITH_PORT, 'database not reachable: Error: getaddrinfo ENOTFOUND orders-db:5432'),
    'dependency-not-resolved',
    new RegExp(
      `does not find orders-db:5432 \\(no such name\\) and ends: that is no host name, as a port stands in it ${OF_DB_HOST}$`,
    ),
    [/envFrom\[0\] \(DB_HOST\): orders-db:5432/],
  ],
  [
    'libpq, of a variable that is not known',
    ended({}, 'psql: error: could not translate host name "orders-db:5432" to address: Name or service not known'),
    'dependency-not-resolved',
    /does not find orders-db:5432 \(no such name\) and ends: that is no host name, as a port stands in it$/,
  ],
  [
    'redis-py, which puts its own port behind',
    ended(
      { REDIS_HOST: 'cache:6379' },
      'redis.exceptions.ConnectionError: Error -2 connecting to cache:6379:6379. Name or service not known.',
    ),
    'dependency-not-resolved',
    /does not find cache:6379 \(no such name\).*as a port stands in it \(the value of its variable REDIS_HOST/,
  ],
  [
    'Java, a scheme',
    ended({ API_HOST: 'http://orders-db' }, 'java.net.UnknownHostException: http://orders-db'),
    'dependency-not-resolved',
    /does not find http:\/\/orders-db \(no such name\).*as a scheme stands in it \(the value of its variable API_HOST/,
  ],
  [
    'Go, a scheme',
    ended({}, 'dial tcp: lookup https://orders-db on 10.96.0.10:53: no such host'),
    'dependency-not-resolved',
    /does not find https:\/\/orders-db \(no such name\).*as a scheme stands in it$/,
  ],
  [
    'PHP',
    ended(
      WITH_PORT,
      'PDOException: php_network_getaddresses: getaddrinfo for orders-db:5432 failed: Name or service not known',
    ),
    'dependency-not-resolved',
    /does not find orders-db:5432 .*as a port stands in it/,
  ],
  [
    'MySQL',
    ended({}, "ERROR 2005 (HY000): Unknown MySQL server host 'orders-db:3306' (-2)"),
    'dependency-not-resolved',
    /does not find orders-db:3306 .*as a port stands in it$/,
  ],
  [
    'a path',
    ended({ DB_HOST: 'orders-db/orders' }, 'Error: getaddrinfo ENOTFOUND orders-db/orders'),
    'dependency-not-resolved',
    new RegExp(`does not find orders-db/orders .*as a path stands in it ${OF_DB_HOST}$`),
  ],
  [
    'a blank at its end',
    ended(
      { DB_HOST: 'orders-db ' },
      'could not translate host name "orders-db " to address: Name or service not known',
    ),
    'dependency-not-resolved',
    new RegExp(`does not find "orders-db " .*as a blank stands in it ${OF_DB_HOST}$`),
  ],
  [
    'quotation marks',
    ended({ DB_HOST: '"orders-db"' }, 'Error: getaddrinfo ENOTFOUND "orders-db"'),
    'dependency-not-resolved',
    /as quotation marks stand in it \(the value of its variable DB_HOST/,
  ],
  [
    'a line that names no host',
    ended(WITH_PORT, 'socket.gaierror: [Errno -2] Name or service not known'),
    'dependency-not-resolved',
    new RegExp(`does not find orders-db:5432 .*that is no host name, as a port stands in it ${OF_DB_HOST}$`),
  ],
  [
    'a scheme before a whole URL',
    ended({ API_HOST: 'http://orders-db', DB_HOST: 'orders-db' }, 'curl: (6) Could not resolve host: http'),
    'dependency-not-resolved',
    /does not find http:\/\/orders-db .*as a scheme stands in it \(the value of its variable API_HOST/,
  ],
  [
    'Go, with two ports',
    ended(WITH_PORT, 'failed to connect: dial tcp: address orders-db:5432:5432: too many colons in address'),
    'exit-code',
    /; a port stands in the value of its variable DB_HOST of ConfigMap app, key DB_HOST, which is no host name with that$/,
  ],
];

const GONE: ServiceEvidence = { ...DB, name: 'redis', missing: true, clusterIPs: [], ports: [], ready: 0 };

const none: readonly Case[] = [
  [
    '.NET, which writes the port behind the host',
    ended({ REDIS_HOST: 'redis' }, 'System.Net.Sockets.SocketException (11): Name or service not known (redis:6379)', [
      GONE,
    ]),
    'dependency-not-resolved',
    /does not find redis \(no such name\) and ends: there is no service redis$/,
  ],
  [
    'nginx, whose upstreams have ports',
    ended({}, 'nginx: [emerg] host not found in upstream "redis:6379" in /etc/nginx/nginx.conf:9', [GONE]),
    'dependency-not-resolved',
    /does not find redis \(no such name\) and ends: there is no service redis/,
  ],
  [
    'an old Node.js, which writes both',
    ended({}, 'Error: getaddrinfo ENOTFOUND redis redis:6379', [GONE]),
    'dependency-not-resolved',
    /does not find redis \(no such name\) and ends: there is no service redis$/,
  ],
  [
    'a variable with a port, of another host',
    ended(WITH_PORT, 'Error: getaddrinfo ENOTFOUND redis', [DB, GONE]),
    'dependency-not-resolved',
    /does not find redis \(no such name\) and ends: there is no service redis$/,
  ],
];

describe('what is no name', () => {
  tellsEach(faults);
});
describe('what is one', () => {
  tellsEach(none);
});
