/** Where that stands which a user would change: the variable, the file, the volume, the container beside. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, endedWith, withFiles, tellsEach } from './cases.fixtures.ts';

const unready = (
  given: Parameters<typeof pod>[0],
  failure: string,
  lines: readonly string[],
  configs: readonly ConfigEvidence[] = [],
): Partial<PodEvidence> => ({
  pod: pod({
    ...given,
    container: { readinessProbe: { httpGet: { path: '/health.php', port: 8080 } }, ...given?.container },
    status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
  }),
  events: [
    event('Unhealthy', `Readiness probe failed: ${failure}`, { container: 'web', count: 20, first: 290, seconds: 2 }),
  ],
  logs: { web: { current: lines } },
  configs,
});

const cases: readonly Case[] = [
  [
    'the heap of a JVM, by the variable that its command uses',
    endedWith(
      {
        container: {
          command: ['sh', '-c', 'exec java $JVM_ARGS -jar /a.jar'],
          envFrom: [{ configMapRef: { name: 'app' } }],
        },
      },
      ['java.lang.OutOfMemoryError: Java heap space'],
      [configMap('app', { JVM_ARGS: '-Xmx32m' })],
    ),
    'heap-exhausted',
    /its Java heap is full \(-Xmx32m of its variable JVM_ARGS of ConfigMap app, key JVM_ARGS\)/,
  ],
  [
    'the only other container that listens, for an error without a port',
    {
      ...endedWith({}, ['java.net.BindException: Address already in use']),
      listening: [{ port: 8080, container: 'proxy', process: 'envoy' }],
    },
    'port-in-use',
    /^container web cannot listen: container proxy of its pod listens on 8080 \(java\.net\.BindException/,
  ],
  [
    'the peer of a variable that the code reads there',
    endedWith({ container: { env: [{ name: 'CATALOG_URL', value: 'http://catalog:8080' }] } }, [
      '/app/a.js:1',
      'const r=await fetch(process.env.CATALOG_URL+"/items")',
      '      ^',
      '',
      'Error: the list has no items',
      '    at m (/app/a.js:1:120)',
    ]),
    'exit-code',
    /that line reads its variable CATALOG_URL \(catalog:8080\)$/,
  ],
  [
    'a file without a private key, which another line names',
    endedWith(
      {
        container: { volumeMounts: [{ name: 't', mountPath: '/tls' }] },
        spec: { volumes: [{ name: 't', secret: { secretName: 'tunnel' } }] },
      },
      [
        '[ ] Loading private key from file: /tls/stunnel.pem',
        '[!] Unhandled error library: 60',
        '[!] error queue: ../ssl/ssl_rsa.c:385: error:0A080009:SSL routines::PEM lib',
        '[!] SSL_CTX_use_PrivateKey_file: ../crypto/encode_decode/decoder_lib.c:103: error:1E08010C:DECODER routines::unsupported',
      ],
    ),
    'private-key-unreadable',
    /^container web finds no private key that it can read in its file \/tls\/stunnel\.pem in volume t \(Secret tunnel\)/,
  ],
  [
    'a file of a ConfigMap that is to be written',
    endedWith(
      withFiles,
      ['*** FATAL: could not write /etc/app/sentinel.conf: Read-only file system'],
      [configMap('app', { 'sentinel.conf': 'port 26379' })],
    ),
    'read-only-file-system',
    /^container web cannot write \/etc\/app\/sentinel\.conf: the file system is read-only \(it is of ConfigMap app, of which nobody can write files; a copy in another volume can be written\)/,
  ],
  [
    'a name that a file does not define, whose line is told',
    endedWith(
      withFiles,
      [
        '2026/01/31 13:47:42| ACL not found: nets',
        '2026/01/31 13:47:42| FATAL: Bungled /etc/app/squid.conf line 8: http_access allow nets',
      ],
      [configMap('app', { 'squid.conf': '\n' })],
    ),
    'missing-setting',
    /^container web does not find what its configuration \/etc\/app\/squid\.conf names: FATAL: Bungled .* line 8: http_access allow nets \(ACL not found: nets\)/,
  ],
  [
    'what Kubernetes sets for a service, whose address alone is told',
    {
      ...endedWith({}, ["ValueError: invalid literal for int() with base 10: 'tcp://10.96.219.12:6379'"]),
      services: [
        {
          namespace: 'shop',
          name: 'redis',
          missing: false,
          clusterIPs: ['10.96.219.12'],
          ports: [6379],
          ready: 1,
          notReady: 0,
        },
      ],
    },
    'exit-code',
    /its variable REDIS_PORT is set by Kubernetes for service redis; enableServiceLinks: false/,
  ],
];

describe('tells the place', () => {
  tellsEach(cases);
});

describe('tells the place of a container that is not ready', () => {
  it('a probe that asks its node', () => {
    const given = unready({}, 'Get "http://localhost:8080/": dial tcp localhost:8080: connect: connection refused', []);
    const asked = pod({
      container: { readinessProbe: { httpGet: { path: '/', port: 8080, host: 'localhost' } } },
      status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
    });
    const { findings } = diagnosePod(evidence({ ...given, pod: asked }));
    expect(findings[0]?.says).toMatch(/: it asks host localhost, which is the node and not the pod/);
  });

  it('the setting of a framework, by a variable with a prefix', () => {
    const { findings } = diagnosePod(
      evidence(
        unready(
          { container: { env: [{ name: 'SHOP_ALLOWED_HOSTS', value: 'a.example' }] } },
          'HTTP probe failed with statuscode: 400',
          ["Invalid HTTP_HOST header: '10.244.0.39:8000'. You may need to add '10.244.0.39' to ALLOWED_HOSTS."],
        ),
      ),
    );
    expect(findings[0]?.says).toMatch(/; its variable SHOP_ALLOWED_HOSTS sets ALLOWED_HOSTS$/);
  });

  it('the script that a web server gives to FPM, whatever the root of its site is', () => {
    const conf =
      'server {\n  listen 8080;\n  root /srv/app/public;\n  fastcgi_param SCRIPT_FILENAME /var/www/html$fastcgi_script_name;\n}\n';
    const given = unready(
      withFiles,
      'HTTP probe failed with statuscode: 404',
      [
        '2026/11/28 07:00:00 [error] 9#9: *1 FastCGI sent in stderr: "Primary script unknown" while reading response header from upstream, client: 10.2.0.1, server: , request: "GET /health.php HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "10.2.0.7:8080"',
      ],
      [configMap('app', { 'default.conf': conf })],
    );
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(
      /; it asks for \/var\/www\/html\/health\.php, and the root of its site is \/srv\/app\/public \(fastcgi_param SCRIPT_FILENAME\)/,
    );
  });

  it('the script that a web server asks FPM for', () => {
    const given = unready(
      {
        container: {
          volumeMounts: [
            { name: 'conf', mountPath: '/etc/nginx/conf.d' },
            { name: 'code', mountPath: '/var/www/html' },
          ],
        },
        spec: {
          volumes: [
            { name: 'conf', configMap: { name: 'app' } },
            { name: 'code', emptyDir: {} },
          ],
        },
      },
      'HTTP probe failed with statuscode: 404',
      [
        '2026/11/28 07:00:00 [error] 9#9: *1 FastCGI sent in stderr: "Primary script unknown" while reading response header from upstream, client: 10.2.0.1, server: , request: "GET /health.php HTTP/1.1", upstream: "fastcgi://127.0.0.1:9000", host: "10.2.0.7:8080"',
      ],
      [configMap('app', { 'default.conf': 'server {\n  listen 8080;\n  root /var/www/html;\n}\n' })],
    );
    const web = given.pod as PodEvidence['pod'];
    const fpm = { name: 'fpm', image: 'fpm', volumeMounts: [{ name: 'code', mountPath: '/srv/app' }] };
    const whole = {
      ...web,
      spec: { ...web.spec, containers: [...(web.spec?.containers ?? []), fpm] },
    } as PodEvidence['pod'];
    const { findings } = diagnosePod(evidence({ ...given, pod: whole }));
    expect(findings[0]?.says).toMatch(
      /; it asks for \/var\/www\/html\/health\.php, and container fpm has volume code at \/srv\/app, not at \/var\/www\/html$/,
    );
  });
});
