/** Causes that lie in a pod that is ready and serves behind a service: where it listens, and what it is told. */
import { describe } from 'vitest';
import { configMap, crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServerBehind, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, crash, tellsEach } from './cases.fixtures.ts';

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
      configs: [configMap('api', { HOST: 'localhost', PORT: '8080' })],
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
    'what a program lacks that listens there by default',
    refused({
      listening: inside,
      pod: serving(
        {
          command: ['mosquitto', '-c', '/etc/m/mosquitto.conf'],
          volumeMounts: [{ name: 'conf', mountPath: '/etc/m' }],
        },
        { volumes: [{ name: 'conf', configMap: { name: 'mqtt' } }] },
      ),
      configs: [configMap('mqtt', { 'mosquitto.conf': 'allow_anonymous true\n' })],
    }),
    'dependency-refused',
    /reaches it \(it has no listener, without which it listens only there; ConfigMap mqtt, key mosquitto\.conf\)$/,
  ],
  [
    'a line of a file',
    refused({
      listening: inside,
      pod: serving(
        { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
        { volumes: [{ name: 'conf', configMap: { name: 'api-conf' } }] },
      ),
      configs: [configMap('api-conf', { 'redis.conf': '# bind 127.0.0.1\nport 8080\nbind 127.0.0.1 ::1\n' })],
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

/** A container with a variable that names the service, which ended with this line. */
const told = (line: string, server: Partial<ServerBehind> = {}, container: object = {}): Partial<PodEvidence> => ({
  pod: pod({ container: { ...env('API_ADDR', 'api:80'), ...container }, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(line),
  services: [service(server)],
});
const withFile = (key: string, text: string): Partial<ServerBehind> => ({
  pod: serving(
    { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
    { volumes: [{ name: 'conf', configMap: { name: 'api-conf' } }] },
  ),
  configs: [configMap('api-conf', { [key]: text })],
});

const settings: readonly Case[] = [
  [
    'a certificate that the client lacks',
    told(
      'FATAL: https://api:8443/accounts answered 400: No required SSL certificate was sent',
      withFile('nginx.conf', 'ssl_verify_client on;\n'),
    ),
    'client-certificate-required',
    /shows no certificate of its own.*; deployment\/api behind service api has ssl_verify_client on \(ConfigMap \S+, key nginx\.conf, line 1\)/,
  ],
  [
    'logins without TLS, of which the answer speaks as of certificates',
    told(
      'login as invoices at api:143 refused: NO [PRIVACYREQUIRED] Plaintext authentication disallowed on non-secure (SSL/TLS) connections',
      withFile('dovecot.conf', 'ssl = no\ndisable_plaintext_auth = yes\n'),
    ),
    'exit-code',
    /; deployment\/api behind service api has disable_plaintext_auth yes \(ConfigMap \S+, key dovecot\.conf, line 2\)/,
  ],
  [
    'a quota of its command',
    told('Error: mvcc: database space exceeded', {
      pod: serving({ args: ['--quota-backend-bytes', '2097152', '--x'] }),
    }),
    'exit-code',
    /space exceeded \(exit code 1\); deployment\/api behind service api has quota-backend-bytes 2097152 \(its command\)$/,
    [/deployment\/api: serves service api/],
  ],
  [
    'a maximum of a file',
    told(
      'FATAL: sorry, too many clients already',
      withFile('server.conf', '# max_connections = 5\nmax_connections = 10\n'),
    ),
    'connections-exhausted',
    /; deployment\/api behind service api has max_connections 10 \(ConfigMap api-conf, key server\.conf, line 2\)$/,
  ],
  [
    'a size of a proxy',
    told(
      'upload failed: 413 Request Entity Too Large',
      withFile('nginx.conf', 'http {\n  client_max_body_size 1m;\n}\n'),
    ),
    'exit-code',
    /has client_max_body_size 1m \(ConfigMap api-conf, key nginx\.conf, line 2\)$/,
  ],
  [
    'the size of a message, by a variable',
    told('MessageSizeTooLargeError: the request included a message larger than the max', {
      pod: serving(env('KAFKA_MESSAGE_MAX_BYTES', '1024')),
    }),
    'exit-code',
    /has KAFKA_MESSAGE_MAX_BYTES 1024 \(its variable KAFKA_MESSAGE_MAX_BYTES\)$/,
  ],
  [
    'a module that is called otherwise there',
    told("@ERROR: Unknown module 'pictures'", withFile('d.conf', 'uid = root\n[picture]\n  path = /data\n')),
    'exit-code',
    /; deployment\/api behind service api has picture instead \(ConfigMap api-conf, key d\.conf, line 2\)$/,
  ],
  [
    'rules for those who connect',
    told(
      'connection to server at "api", port 80 failed: FATAL:  no pg_hba.conf entry for host "10.1.1.9", user "copy"',
      withFile('pg_hba.conf', 'local all all trust\n'),
    ),
    'authentication-refused',
    /; deployment\/api behind service api has its rules of ConfigMap api-conf, key pg_hba\.conf$/,
  ],
  [
    'a server that is read-only',
    told("READONLY You can't write against a read only replica.", {
      pod: serving({ args: ['--replicaof', 'main 6379'] }),
    }),
    'exit-code',
    /has replicaof \(its command\)$/,
  ],
  [
    'no value that may be a secret',
    told('ReplyError: ERR unknown command `FLUSHALL`', withFile('redis.conf', 'rename-command FLUSHALL b84e\n')),
    'exit-code',
    /has rename-command \(ConfigMap api-conf, key redis\.conf, line 1\)$/,
  ],
  [
    'no setting where none is',
    told('FATAL: sorry, too many clients already', withFile('server.conf', 'port = 80\n')),
    'connections-exhausted',
    /already$/,
  ],
  [
    'no setting for an error about something else',
    told('panic: no shard for tenant a', withFile('server.conf', 'max_connections = 10\n')),
    'exit-code',
    /tenant a \(exit code 1\)$/,
  ],
];

const NAME = 'Get "https://api/health": x509: certificate is valid for shop.example, not api';
const tls = (secret: string, mountPath: string): Partial<ServerBehind> => ({
  pod: serving(
    { volumeMounts: [{ name: 'a', mountPath }] },
    { volumes: [{ name: 'a', secret: { secretName: secret } }] },
  ),
});

const certificates: readonly Case[] = [
  [
    'the Secret of a certificate with another name',
    told(NAME, tls('api-tls', '/etc/tls')),
    'certificate-wrong-name',
    /; deployment\/api behind service api has its certificate of Secret api-tls, at \/etc\/tls$/,
  ],
  [
    'one that has expired',
    told('SSL error: certificate has expired (api:80)', tls('web', '/certs')),
    'certificate-expired',
    /has its certificate of Secret web, at \/certs$/,
  ],
  ['a server without one', told(NAME), 'certificate-wrong-name', /not api$/],
];

const port: readonly Case[] = [
  [
    'the variable with a port that the service does not have',
    { ...told('dial tcp 10.96.7.7:6379: connect: connection refused', {}, env('CACHE', 'api:6379')) },
    'dependency-refused',
    /service api has no port 6379, but 80; port 6379 is in its variable CACHE$/,
  ],
  [
    'a variable for the port alone, beside that of the host',
    {
      ...told(
        'Error: connect ECONNREFUSED 10.96.7.7:6380',
        {},
        {
          env: [
            { name: 'API_HOST', value: 'api' },
            { name: 'API_PORT', value: '6380' },
          ],
        },
      ),
    },
    'dependency-refused',
    /service api has no port 6380, but 80; port 6380 is in its variable API_PORT$/,
  ],
  [
    'no variable with another port',
    { ...told('dial tcp 10.96.7.7:6379: connect: connection refused') },
    'dependency-refused',
    /has no port 6379, but 80$/,
  ],
];

describe('settings of a server', () => {
  tellsEach(settings);
});
describe('certificates of a server', () => {
  tellsEach(certificates);
});
describe('ports that a service does not have', () => {
  tellsEach(port);
});
describe('where a server listens', () => {
  tellsEach(listening);
});
