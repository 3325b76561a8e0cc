import { describe, expect, it } from 'vitest';
import { ago, configMap, event, evidence, pod } from '../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../evidence/pod-evidence.ts';
import type { RankedFinding } from '../finding.ts';
import { isSameTrouble, nextPeers, troubleOf, withRoot } from './next-peer.ts';
import { diagnosePod } from '../diagnose-pod.ts';
import { namedServicesOf, quotedServices, wantsServiceNames } from '../wanted.ts';

const service = (name: string, port: number, lines: readonly string[] = []): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [port],
  ready: 1,
  notReady: 0,
  selector: { app: name },
  server: { pod: pod({ name: `${name}-1` }), owner: `deployment/${name}`, lines },
});

/** A pod that runs and says so again and again, with this service. */
const says = (line: string, behind: ServiceEvidence): PodEvidence =>
  evidence({
    pod: pod({ status: { state: { running: { startedAt: ago(300) } } } }),
    logs: { web: { current: ['starts', ...Array.from({ length: 6 }, () => line)] } },
    services: [behind],
  });

describe('who is to be diagnosed next', () => {
  it.each<[what: string, line: string, behind: ServiceEvidence]>([
    [
      'a peer that answers with an error of its own',
      'ERROR GET http://api:8080/orders returned 503: {"error":"no stock"}',
      service('api', 8080),
    ],
    [
      'one that lets nobody in, and is asked by HTTP',
      'ERROR AxiosError: Request failed with status code 401 (http://api:8080/orders) {"error":"invalid_token"}',
      service('api', 8080),
    ],
    [
      'a pooler that is not let in itself',
      'ERROR connection to server at "pool" (10.96.0.9), port 6432 failed: FATAL: password authentication failed for user "app"',
      service('pool', 6432, ['WARNING server login failed: FATAL password authentication failed for user "app"']),
    ],
  ])('is %s', (_what, line, behind) => {
    expect(nextPeers(says(line, behind)).services).toEqual([behind]);
  });

  it('is whom its configuration names, of a server that only records its answers', () => {
    const front = evidence({
      pod: pod({
        container: { env: [{ name: 'API_URL', value: 'http://api:8080' }] },
        status: { ready: true, state: { running: { startedAt: ago(300) } } },
      }),
      logs: {
        web: {
          current: Array.from(
            { length: 6 },
            () => '10.244.0.9 - - [31/Jan/2026:11:59:01 +0000] "GET /orders HTTP/1.1" 503 46 "-" "curl/7.88.1"',
          ),
        },
      },
      services: [service('api', 8080)],
    });
    expect(namedServicesOf(front)).toEqual([{ namespace: 'shop', name: 'api' }]);
    const [first] = diagnosePod(front).findings;
    expect(first).toMatchObject({ id: 'fails-again', severity: 'info' });
    expect(first?.says).toBe(
      'container web runs, answers each request for /orders with 503 (6 times), and does not say why',
    );
    expect(nextPeers(front).services.map(({ name }) => name)).toEqual(['api']);
    // What it says is the same as what the next one says, but not the same trouble.
    expect(isSameTrouble(first?.says ?? '', troubleOf(front) as RankedFinding)).toBe(false);
  });

  const proxy = (code: number, ...before: readonly string[]): PodEvidence =>
    evidence({
      pod: pod({
        container: {
          command: ['nginx', '-c', '/etc/front/nginx.conf'],
          readinessProbe: { httpGet: { path: '/orders', port: 8080 }, periodSeconds: 4 },
          volumeMounts: [{ name: 'conf', mountPath: '/etc/front' }],
        },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'conf' } }] },
        status: { ready: false, started: true, state: { running: { startedAt: ago(300) } } },
      }),
      configs: [
        configMap('conf', {
          'nginx.conf':
            'location /orders { proxy_pass http://api:8080; }\nlocation /stock { proxy_pass http://stock:8080; }\n',
        }),
      ],
      events: [
        event('Unhealthy', `Readiness probe failed: HTTP probe failed with statuscode: ${code}`, {
          count: 9,
          seconds: 3,
          first: 40,
          container: 'web',
        }),
      ],
      logs: {
        web: {
          current: [
            ...before,
            ...Array.from(
              { length: 9 },
              () =>
                `10.244.0.1 - - [31/Jan/2026:11:59:29 +0000] "GET /orders HTTP/1.1" ${code} 265 "-" "kube-probe/1.36"`,
            ),
          ],
        },
      },
      services: [service('api', 8080), service('stock', 8080)],
    });

  it.each([500, 503])('is whom a proxy names, of which the readiness probe is answered with %s', (code) => {
    expect(diagnosePod(proxy(code)).findings[0]?.says).toMatch(/readiness probe/);
    expect(nextPeers(proxy(code))).toMatchObject({
      services: [{ name: 'api' }, { name: 'stock' }],
      guess: 'complaining',
      mayPass: true,
    });
  });

  it('is no longer one for having refused a request that it has answered since', () => {
    const before = [
      '2026/01/31 11:58:21 [error] 7#7: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.1, server: , request: "GET /orders HTTP/1.1", upstream: "http://10.96.0.9:8080/orders", host: "10.244.0.43:8080"',
      '10.244.0.1 - - [31/Jan/2026:11:58:25 +0000] "GET /orders HTTP/1.1" 200 55 "-" "kube-probe/1.36"',
    ];
    expect(diagnosePod(proxy(500, ...before)).findings[0]?.says).toMatch(
      /readiness probe fails: \/orders .* answers 500$/,
    );
  });

  it('is whom its code names, where nothing else does', () => {
    const line = 'pika.exceptions.ConnectionBlockedTimeout: Blocked connection timeout expired.';
    const blocked: PodEvidence = {
      ...says(line, service('rabbitmq', 5672)),
      pod: pod({
        container: { command: ['python3', '/app/app.py'], volumeMounts: [{ name: 'code', mountPath: '/app' }] },
        spec: { volumes: [{ name: 'code', configMap: { name: 'code' } }] },
        status: { ready: true, state: { running: { startedAt: ago(300) } } },
      }),
      configs: [configMap('code', { 'app.py': 'params = pika.ConnectionParameters("rabbitmq", heartbeat=30)' })],
    };
    expect(wantsServiceNames({ ...blocked, services: [] })).toBe(true);
    const all = ['rabbitmq', 'rabbit', 'db'].map((name) => ({ metadata: { name }, spec: { selector: { app: name } } }));
    expect(quotedServices(blocked, all)).toEqual([{ namespace: 'shop', name: 'rabbitmq' }]);
    const itself = {
      ...blocked,
      pod: { ...blocked.pod, metadata: { ...blocked.pod.metadata, labels: { app: 'rabbitmq' } } },
    };
    expect(quotedServices(itself, all)).toEqual([]);
    expect(nextPeers(blocked).services.map(({ name }) => name)).toEqual(['rabbitmq']);
    expect(wantsServiceNames(says('ERROR GET http://api:8080/orders returned 503', service('api', 8080)))).toBe(false);
  });

  it('is one of those that it uses, where its words name none', () => {
    const env = ['api', 'stock'].map((name) => ({ name: `${name.toUpperCase()}_URL`, value: `http://${name}:8080` }));
    const front = {
      ...says('ERROR sync failed: backend unavailable', service('api', 8080)),
      pod: pod({ container: { env }, status: { ready: true, state: { running: { startedAt: ago(300) } } } }),
      services: [service('api', 8080), service('stock', 8080)],
    };
    expect(nextPeers(front)).toMatchObject({ services: [{ name: 'api' }, { name: 'stock' }], guess: 'in-trouble' });
  });

  it.each<[what: string, line: string, behind: ServiceEvidence]>([
    [
      'a database that refuses a password',
      'ERROR connection to server at "db" (10.96.0.9), port 5432 failed: FATAL: password authentication failed for user "app"',
      service('db', 5432, ['FATAL: password authentication failed for user "app"']),
    ],
    [
      'a peer without a pod that is ready',
      'ERROR GET http://api:8080/orders returned 503: {"error":"no stock"}',
      { ...service('api', 8080), ready: 0 },
    ],
    ['a peer of a line without failure', 'INFO GET http://api:8080/orders took 4 ms', service('api', 8080)],
  ])('is not %s', (_what, line, behind) => {
    expect(nextPeers(says(line, behind)).services).toEqual([]);
  });
});

describe('withRoot', () => {
  const front = says('ERROR GET http://api:8080/orders returned 503: {"error":"no stock"}', service('api', 8080));
  const api = says(
    'ERROR connection to server at "db" (10.96.0.9), port 5432 failed: FATAL: sorry',
    service('db', 5432),
  );

  it('tells the last of them first, with the way there, and keeps what it begins with', () => {
    const trouble = troubleOf(api);
    if (trouble === undefined) throw new Error('it fails');
    const before = diagnosePod(front);
    const { findings } = withRoot(before, [
      { object: 'deployment/api', trouble },
      { object: 'statefulset/db', trouble },
    ]);
    expect(findings[0]?.says).toMatch(/^web-1 needs api, that needs db, and there container web /);
    expect(findings.slice(1)).toEqual(before.findings);
    expect(JSON.stringify(findings[0]?.evidence)).toContain('"object":"statefulset/db"');
  });

  it('masks what it tells', () => {
    const trouble = troubleOf(
      says('ERROR login failed for url http://api:8080/?password=hunter2 with 500', service('api', 8080)),
    );
    if (trouble === undefined) throw new Error('it fails');
    expect(JSON.stringify(withRoot(diagnosePod(front), [{ object: 'deployment/api', trouble }]))).not.toContain(
      'hunter2',
    );
  });

  it('leaves a diagnosis as it is without a step', () => {
    expect(withRoot(diagnosePod(front), [])).toEqual(diagnosePod(front));
  });
});
