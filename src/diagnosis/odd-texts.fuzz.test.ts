/** Fuzz test: a ConfigMap with a text of any kind holds no diagnosis up. Its owner may be a stranger to the one who asks. */
import { expect, it } from 'vitest';
import { diagnosePod } from './diagnose-pod.ts';
import { ago, configMap, event, evidence, pod } from './evidence.fixtures.ts';

const LONG = 64 * 1024;
const SHORT = LONG / 16;
/** Sixteen times the length: up to 16 when it is linear, up to 256 when each character is looked at for each other one. */
const MORE_THAN_LINEAR = 32;

/** A program that answers its probe with 404: rules about paths and, by what it logs, about other causes read its files. */
const asked = (text: string, logged: readonly string[]) => {
  const container = {
    command: ['node', '/app/server.js'],
    env: [{ name: 'API_URL', value: 'http://api:80' }],
    readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
    volumeMounts: [{ name: 'code', mountPath: '/app' }],
  };
  return evidence({
    pod: pod({
      container,
      spec: { volumes: [{ name: 'code', configMap: { name: 'code' } }] },
      status: { ready: false, state: { running: { startedAt: ago(120) } } },
    }),
    configs: [configMap('code', { 'server.js': text, 'nginx.conf': text, passwd: text })],
    events: [
      event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 404', {
        container: 'web',
        count: 20,
        first: 110,
      }),
    ],
    logs: { web: { current: logged } },
  });
};

/** Each reads the files for another thing: paths, names of peers, roles, limits, calls, users, hosts. */
const SAID = [
  'listening',
  'ERROR gaierror: [Errno -2] Name or service not known',
  'ERROR: permission denied for table orders',
  'ERROR OSError: [Errno 24] Too many open files',
  'ERROR grpc: code = Unimplemented desc = unknown method Locate for service geo.Geo',
  'ERROR: the server refuses the password: authentication failed',
  'ERROR ConnectionRefusedError: [Errno 111] Connection refused',
  "ERROR FileNotFoundError: [Errno 2] No such file or directory: '/data/orders.csv'",
];

const took = (piece: string, characters: number): number => {
  const text = piece.repeat(Math.ceil(characters / piece.length));
  const given = SAID.map((line) => asked(text, [line, line, line]));
  const runs = Array.from({ length: 3 }, () => {
    // Not the time on the clock, of which a busy machine gives a long run less than a short one.
    const begun = process.cpuUsage();
    for (const each of given) diagnosePod(each);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  });
  return Math.min(...runs);
};

it.each([
  '\n',
  ' ',
  '\t\n',
  '/',
  '"/',
  '.get("',
  'path == "',
  'location ',
  'location /',
  'kv-',
  'psql ',
  'postgres://a:',
  'a:b@',
  "'-h', 'a",
  '"--host","a",',
  '("a", 80',
  'server a ',
  'http://a',
  'process.env.A || "',
  'host=',
])('a text of %j costs what its length is, not the square of it', (piece) => {
  took(piece, 100);
  expect(took(piece, LONG) / took(piece, SHORT)).toBeLessThan(MORE_THAN_LINEAR);
});
