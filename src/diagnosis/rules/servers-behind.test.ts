/** Causes that lie in a pod that is ready and serves behind a service: where it listens, and what it is told. */
import { describe } from 'vitest';
import { pod } from '../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence, ServerBehind, ServiceEvidence } from '../evidence/pod-evidence.ts';
import { type Case, crash, tellsEach } from './cases.fixtures.ts';

const map = (name: string, texts: Readonly<Record<string, string>>): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys: Object.keys(texts),
  texts,
});

/** A service "api" on port 80 of pods that listen on 8080, and one of them that is ready. */
const service = (server: Partial<ServerBehind> = {}, given: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name: 'api',
  missing: false,
  clusterIPs: ['10.96.7.7'],
  ports: [80],
  targets: [{ port: 80, target: 8080 }],
  ready: 1,
  notReady: 0,
  selector: { app: 'api' },
  server: { pod: serving(), owner: 'deployment/api', ...server },
  ...given,
});
const serving = (container: object = {}, spec: object = {}): PodEvidence['pod'] =>
  pod({ name: 'api-7', container, spec });
const inside = [{ port: 8080, loopback: '127.0.0.1', container: 'web', process: 'api' }];
const env = (name: string, value: string): object => ({ env: [{ name, value }] });

const REFUSED = 'dial tcp 10.96.7.7:80: connect: connection refused';
const refused = (server: Partial<ServerBehind>, given: Partial<ServiceEvidence> = {}): Partial<PodEvidence> => ({
  ...crash(1, REFUSED),
  services: [service(server, given)],
});
const only =
  /service api leads to port 8080 of pod api-7, which listens on 127\.0\.0\.1:8080 only, where no other pod reaches it/;

const listening: readonly Case[] = [
  [
    'a server that listens inside of its pod only',
    refused({ listening: inside }),
    'dependency-refused',
    only,
    [/pod\/api-7: listens on/],
  ],
  [
    'the variable that says so',
    refused({ listening: inside, pod: serving(env('LISTEN_ADDR', '127.0.0.1:8080')) }),
    'dependency-refused',
    /reaches it \(its variable LISTEN_ADDR\)$/,
  ],
  [
    'a variable of a ConfigMap',
    refused({
      listening: inside,
      pod: serving({ envFrom: [{ configMapRef: { name: 'api' } }] }),
      configs: [map('api', { HOST: 'localhost', PORT: '8080' })],
    }),
    'dependency-refused',
    /reaches it \(its variable HOST of ConfigMap api, key HOST\)$/,
  ],
  [
    'an option of its command',
    refused({ listening: inside, pod: serving({ command: ['gunicorn', '-b', '127.0.0.1:8080', 'app:app'] }) }),
    'dependency-refused',
    /reaches it \(its -b 127\.0\.0\.1:8080\)$/,
  ],
  [
    'an option of uvicorn',
    refused({ listening: inside, pod: serving({ args: ['uvicorn', 'app:app', '--host=127.0.0.1', '--port=8080'] }) }),
    'dependency-refused',
    /reaches it \(its --host 127\.0\.0\.1\)$/,
  ],
  [
    'a line of a file',
    refused({
      listening: inside,
      pod: serving(
        { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        { volumes: [{ name: 'conf', configMap: { name: 'api-conf' } }] },
      ),
      configs: [map('api-conf', { 'redis.conf': '# bind 127.0.0.1\nport 8080\nbind 127.0.0.1 ::1\n' })],
    }),
    'dependency-refused',
    /reaches it \(ConfigMap api-conf, key redis\.conf, line 3\)$/,
  ],
  [
    'no peer of its own that it has beside it',
    refused({ listening: inside, pod: serving(env('CACHE_URL', 'redis://127.0.0.1:6379')) }),
    'dependency-refused',
    /reaches it$/,
  ],
  [
    'a server that listens everywhere',
    refused({ listening: [{ port: 8080 }] }),
    'dependency-refused',
    /\(service api\) and ends$/,
  ],
  ['a node that cannot tell', refused({}), 'dependency-refused', /\(service api\) and ends$/],
  [
    'a service whose port leads elsewhere',
    refused({ listening: [...inside, { port: 9090 }] }, { targets: [{ port: 80, target: 9090 }] }),
    'dependency-refused',
    /\(service api\) and ends$/,
  ],
];

describe('where a server listens', () => {
  tellsEach(listening);
});
