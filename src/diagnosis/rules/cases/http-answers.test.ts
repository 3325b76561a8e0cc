/** Tests what is said of requests that an HTTP peer refused: the body of its answer, its own log, and what proxies ask those behind them. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { serversWanted } from '../../servers-wanted.ts';
import { namedServicesOf } from '../../wanted.ts';

const server = (
  name: string,
  port: number,
  lines: readonly string[] = [],
  configs: PodEvidence['configs'] = [],
): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.0.0.7'],
  ports: [port],
  ready: 1,
  notReady: 0,
  selector: { app: name },
  server: {
    owner: `deployment/${name}`,
    pod: pod({
      metadata: { name: `${name}-x` },
      spec: { volumes: [{ name: 'c', configMap: { name: `${name}-conf` } }] },
      container: { volumeMounts: [{ name: 'c', mountPath: '/etc/c' }] },
    }),
    lines,
    configs,
  },
});
const curl = (url: string, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: { command: ['sh', '-c', `sleep 6; curl -sS --fail-with-body -m 5 ${url}`] },
    status: crashed({ exitCode: 22 }),
    podStatus: { podIP: '10.244.3.24' },
  }),
  logs: lastWords(...lines),
});
const proxy = (code: number, key: string, text: string, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    container: {
      readinessProbe: { httpGet: { path: '/', port: 8080 } },
      ports: [{ containerPort: 8080 }],
      volumeMounts: [{ name: 'conf', mountPath: '/etc/p' }],
    },
    spec: { volumes: [{ name: 'conf', configMap: { name: 'edge' } }] },
    status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
    podStatus: { podIP: '10.244.3.24' },
  }),
  events: [
    event('Unhealthy', `Readiness probe failed: HTTP probe failed with statuscode: ${code}`, {
      count: 30,
      first: 290,
      seconds: 5,
      container: 'web',
    }),
  ],
  logs: { web: { current: lines } },
  configs: [configMap('edge', { [key]: text })],
});
const says = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0]?.says ?? '';

const HAPROXY = `defaults
 mode http
backend api
 option httpchk GET /health
 http-check expect status 200
 server api1 api:8000 check inter 2s
`;
const DOWN =
  'Server api/api1 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 0 active and 0 backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue.';
const NOSRV =
  '10.244.0.1:35952 [28/Nov/2026:09:40:01.100] fe api/<NOSRV> 0/-1/-1/-1/0 503 217 - - SC-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"';
const CADDY = ':8080 {\n log\n reverse_proxy pay:443\n}\n';
const HANDLED =
  '{"level":"error","ts":1795858498.78,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.244.0.1","proto":"HTTP/1.1","method":"GET","host":"10.2.3.7:8080","uri":"/"},"duration":0.001,"size":255,"status":400}';

describe('a request that a peer refused', () => {
  it.each<[string, Partial<PodEvidence>, ServiceEvidence, RegExp]>([
    [
      'is told with the body in HTML',
      curl(
        'https://bank/',
        'curl: (22) The requested URL returned error: 400',
        '<head><title>400 No required SSL certificate was sent</title></head>',
        '<center><h1>400 Bad Request</h1></center>',
      ),
      server('bank', 443),
      /curl: \(22\) The requested URL returned error: 400.*; its peer bank answers: No required SSL certificate was sent$/,
    ],
    [
      'is told with the body in JSON',
      curl(
        'http://stock:8080/list',
        'curl: (22) The requested URL returned error: 422',
        '{"error":{"message":"the tenant has no plan"}}',
      ),
      server('stock', 8080),
      /error: 422.*; its peer stock answers: the tenant has no plan$/,
    ],
    [
      'is told with the log of the peer',
      curl('http://stock:8080/list', 'curl: (22) The requested URL returned error: 401'),
      server('stock', 8080, ['GET /healthz 200', '401 jwt expired at 2026-10-01T00:00:00.000Z']),
      /credentials: curl: \(22\) The requested URL returned error: 401; its command asks http:\/\/stock:8080\/list; deployment\/stock behind service stock says: 401 jwt expired at 2026-10-01T00:00:00\.000Z$/,
    ],
    [
      'is told with the rule of the peer',
      proxy(
        503,
        'a.js',
        '// empty',
        ...Array.from({ length: 4 }, () => 'fetch failed: stock answered 403 http://stock:8080/items'),
      ),
      server(
        'stock',
        8080,
        [
          '2026/11/28 09:56:57 [error] 8#8: *36 access forbidden by rule, client: 10.244.3.24, server: , request: "GET /items HTTP/1.1"',
        ],
        [configMap('stock-conf', { 'nginx.conf': 'location / {\n allow 10.0.0.0/24;\n deny all;\n}\n' })],
      ),
      /answered 403 http:\/\/stock:8080\/items; so \/ on port 8080 answers 503, and it is not ready; deployment\/stock behind service stock says: access forbidden by rule, and has allow 10\.0\.0\.0\/24 \(ConfigMap stock-conf, key nginx\.conf, line 2\)$/,
    ],
  ])('%s', (_, given, behind, text) => {
    expect(namedServicesOf(evidence(given))).toContainEqual({ namespace: 'shop', name: behind.name });
    const all = { ...given, services: [behind] };
    expect(serversWanted(evidence(all))).toMatchObject([{ service: behind, lines: true }]);
    expect(says(all)).toMatch(text);
  });

  it('is told with the port for clients', () => {
    const given = curl('http://etcd:2380/v3', 'ERROR: POST http://etcd:2380/v3/kv/range: 404 404 page not found');
    const services = [{ ...server('etcd', 2379), ports: [2379, 2380] }];
    expect(says({ ...given, services })).toMatch(
      /; port 2380 is the one at which members of etcd speak to each other; service etcd has port 2379 for clients$/,
    );
  });

  it('is told with the newer pod of the peer', () => {
    const lines = Array.from({ length: 4 }, () => 'ERROR cannot render: GET http://api:8080/v1/items -> 404 NOT FOUND');
    const given: Partial<PodEvidence> = {
      pod: pod({ status: { ready: true, state: { running: { startedAt: ago(300) } } } }),
      logs: { web: { current: lines } },
    };
    const made = (seconds: number): ServiceEvidence => {
      const behind = server('api', 8080);
      return {
        ...behind,
        server: {
          owner: 'deployment/api',
          lines: [],
          pod: pod({ name: 'api-2', metadata: { creationTimestamp: ago(seconds) } }),
        },
      };
    };
    expect(says({ ...given, services: [made(48)] })).toMatch(
      /; deployment\/api behind service api has another pod since 48s ago, after this container had started/,
    );
    expect(says({ ...given, services: [made(900)] })).not.toContain('another pod');
  });

  it('is told as it is, where nobody says more', () => {
    const given = {
      ...curl('http://stock:8080/list', 'curl: (22) The requested URL returned error: 404'),
      services: [server('stock', 8080)],
    };
    expect(says(given)).not.toMatch(/says|answers:/);
  });
});

describe('a proxy', () => {
  it('that takes those behind it for down tells which health check they fail', () => {
    const given = proxy(
      503,
      'haproxy.cfg',
      HAPROXY,
      DOWN,
      'backend api has no server available!',
      ...Array.from({ length: 24 }, () => NOSRV),
    );
    const services = [server('api', 8000, ['GET /healthz 200', 'GET /health 404', 'GET /health 404'])];
    expect(serversWanted(evidence({ ...given, services }))).toMatchObject([{ lines: true }]);
    expect(says({ ...given, services })).toMatch(
      /\/ on port 8080 answers 503; it asks service api for \/health to know if that is well, and gets 404 \(ConfigMap edge, key haproxy\.cfg, line 4\); \/healthz is answered well$/,
    );
    expect(says({ ...given, services: [server('api', 8000, ['GET /health 200'])] })).not.toMatch(/to know if/);
  });

  it('that looks well and has nobody behind it tells likewise', () => {
    const lines = [DOWN, 'backend api has no server available!'];
    const given: Partial<PodEvidence> = {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/p' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'edge' } }] },
      }),
      logs: { web: { current: lines } },
      configs: [configMap('edge', { 'haproxy.cfg': HAPROXY })],
    };
    expect(namedServicesOf(evidence(given))).toContainEqual({ namespace: 'shop', name: 'api' });
    const services = [server('api', 8000, ['404 GET /health', '404 GET /health'])];
    expect(serversWanted(evidence({ ...given, services: [server('api', 8000)] }))).toMatchObject([{ lines: true }]);
    const [first] = diagnosePod(evidence({ ...given, services })).findings;
    expect(first?.severity).toBe('warning');
    expect(first?.says).toMatch(
      /^container web runs, and does not do all of its work: backend api has no server available!; it asks service api for \/health to know if that is well, and gets 404/,
    );
  });

  it('is never refused by the one who asks it', () => {
    const given = proxy(503, 'haproxy.cfg', HAPROXY, DOWN, NOSRV, NOSRV, NOSRV);
    expect(says({ ...given, services: [server('api', 8000)] })).not.toContain('10.244.0.1');
  });

  it('that asks a port for TLS in plain HTTP says so, and quotes no record of a request', () => {
    const text = says({
      ...proxy(400, 'Caddyfile', CADDY, ...Array.from({ length: 9 }, () => HANDLED)),
      services: [server('pay', 443)],
    });
    expect(text).toMatch(
      /answers 400; it asks pay:443 in plain HTTP, where servers mostly want TLS \(ConfigMap edge, key Caddyfile, line 3\)$/,
    );
    const withTls = CADDY.replace('pay:443', 'https://pay:443');
    expect(says(proxy(400, 'Caddyfile', withTls, ...Array.from({ length: 9 }, () => HANDLED)))).not.toMatch(
      /plain HTTP|handled request/,
    );
  });
});
