/** Tests that healthy pods have no findings. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnosePod } from './diagnose-pod.ts';
import { ago, crashed, event, evidence, history, NOW, pod, waiting } from './evidence.fixtures.ts';
import type { PodEvidence } from './evidence/pod-evidence.ts';

const running = { running: { startedAt: ago(3500) } };
const ended = (exitCode: number, seconds: number, reason = 'Error'): object => ({
  terminated: {
    exitCode,
    reason,
    startedAt: ago(seconds + 60),
    finishedAt: ago(seconds),
    containerID: 'containerd://dead',
  },
});
const readyNode = {
  name: 'n1',
  renewedAt: NOW - 5000,
  node: { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
};

/** A pod whose variables name services that cannot answer it. */
const wrongPeersOf = (status: object, lines: readonly string[] = [], more: object = {}): Partial<PodEvidence> => {
  const service = {
    namespace: 'shop',
    missing: false,
    clusterIPs: ['10.96.0.9'],
    ports: [5432],
    ready: 1,
    notReady: 0,
  };
  const env = [
    { name: 'DB_HOST', value: 'orders-db' },
    { name: 'DB_PORT', value: '5433' },
    { name: 'REDIS_URL', value: 'redis://cache:6379' },
    { name: 'AUTH_URL', value: 'http://auth' },
    { name: 'OLD_HOST', value: '10.96.7.7' },
  ];
  return {
    pod: pod({ container: { env }, status, ...more }),
    logs: { web: { current: lines } },
    services: [
      { ...service, name: 'orders-db' },
      { ...service, name: 'cache', ready: 0, notReady: 1 },
      { ...service, name: 'auth', missing: true, clusterIPs: [], ports: [], ready: 0 },
    ],
    unservedAddresses: ['10.96.7.7'],
  };
};

describe('healthy pods', () => {
  it.each<[string, Partial<PodEvidence>]>([
    ['runs', {}],
    [
      'gives a service another address, has old values and DNS settings of its own, and works',
      {
        pod: pod({
          container: {
            command: ['sh', '-c', 'pkill -HUP nginx; exec app --cache=$(CACHE_HOST)'],
            env: [
              { name: 'CACHE_URL', value: 'redis://$(CACHE_HOST):6379' },
              { name: 'CACHE_HOST', valueFrom: { configMapKeyRef: { name: 'app', key: 'host' } } },
              { name: 'REGION', value: 'eu-west-1 ' },
              { name: 'SHARD', valueFrom: { fieldRef: { fieldPath: "metadata.labels['shard']" } } },
            ],
            volumeMounts: [{ name: 'tok', mountPath: '/tok' }],
            resources: { limits: { cpu: '10m' } },
            livenessProbe: { exec: { command: ['sh', '-c', 'redis-cli ping | grep -q PONG'] } },
          },
          spec: {
            hostAliases: [{ ip: '10.9.9.9', hostnames: ['cache'] }],
            dnsPolicy: 'None',
            dnsConfig: { nameservers: ['8.8.8.8'] },
            volumes: [
              { name: 'tok', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }] } },
            ],
          },
          status: { state: running },
        }),
        configs: [
          {
            kind: 'ConfigMap',
            name: 'app',
            state: 'found',
            keys: ['host'],
            texts: { host: 'cache\n' },
            writtenAt: ago(60),
          },
        ],
        logs: {
          web: {
            current: [
              'GET /a 401 Unauthorized',
              'GET /b 200',
              'PRI * HTTP/2.0 400',
              'GET /c 200',
              'loaded to shared memory',
            ],
          },
        },
      },
    ],
    [
      'declines orders, with the reason in a field',
      {
        logs: {
          web: {
            current: Array.from({ length: 6 }, (_, at) => [
              `{"level":"info","msg":"order ${at} received"}`,
              `{"level":"error","msg":"order declined","order":${at},"detail":"card has expired"}`,
              `{"level":"info","msg":"order ${at} answered","status":402}`,
            ]).flat(),
          },
        },
      },
    ],
    [
      'serves pages, of which one application was not loaded',
      {
        logs: {
          web: {
            current: [
              '31-Jan-2026 11:00:34.374 SEVERE [main] org.apache.catalina.core.StandardContext.startInternal Context [/old] startup failed due to previous errors',
              '31-Jan-2026 11:00:34.394 INFO [main] org.apache.catalina.startup.Catalina.start Server startup in [1056] milliseconds',
            ],
          },
        },
      },
    ],
    [
      'had all its workers busy for a moment',
      {
        logs: {
          web: {
            current: [
              '[31-Jan-2026 11:59:01] NOTICE: ready to handle connections',
              '[31-Jan-2026 11:59:02] WARNING: [pool www] server reached pm.max_children setting (5), consider raising it',
            ],
          },
        },
      },
    ],
    ['runs on a node that is well', { node: readyNode }],
    [
      'has a cache that may grow beyond its limit, and has not',
      {
        pod: pod({
          container: {
            resources: { limits: { memory: '64Mi' } },
            volumeMounts: [{ name: 'conf', mountPath: '/etc/kv' }],
          },
          spec: { volumes: [{ name: 'conf', configMap: { name: 'kv' } }] },
        }),
        configs: [
          { kind: 'ConfigMap', name: 'kv', state: 'found', keys: ['a.conf'], texts: { 'a.conf': 'maxmemory 1gb\n' } },
        ],
      },
    ],
    [
      'is the first of a StatefulSet, which elected itself while the others are being made',
      {
        pod: pod({ name: 'kv-0', spec: { subdomain: 'kv' } }),
        owners: [
          {
            kind: 'StatefulSet',
            metadata: { name: 'kv', namespace: 'shop' },
            spec: { serviceName: 'kv', replicas: 3 },
          },
        ],
        logs: { web: { current: ['no leader yet', 'starting a new election', 'elected leader of 1 member'] } },
      },
    ],
    [
      'serves others on an address of its own alone, and is asked by nobody',
      {
        pod: pod({ container: { env: [{ name: 'ADMIN_ADDR', value: '127.0.0.1:9901' }] } }),
        listening: [{ port: 8080 }, { port: 9901, loopback: '127.0.0.1' }],
      },
    ],
    [
      'runs, of a rollout that was just now',
      {
        rollout: {
          workload: 'deployment/web',
          revision: 2,
          from: 1,
          at: ago(3605),
          changes: ['container web image: a → b'],
          makers: [],
        },
      },
    ],
    [
      'restarted once, long ago, after a Secret had changed',
      {
        pod: pod({ status: { restartCount: 1, state: running, lastState: ended(1, 3600) } }),
        history: history({
          startedAt: ago(3660),
          finishedAt: ago(3600),
          changes: [{ at: ago(3610), what: 'Secret db changed (resourceVersion 1 → 2)' }],
        }),
      },
    ],
    [
      'restarted once, long ago',
      { pod: pod({ status: { restartCount: 1, state: running, lastState: ended(1, 3600) } }) },
    ],
    [
      'restarted twice today',
      {
        pod: pod({ status: { restartCount: 2, state: running, lastState: ended(1, 7200) } }),
        history: history(
          { finishedAt: ago(9000), startedAt: ago(9100) },
          { finishedAt: ago(7200), startedAt: ago(7300) },
        ),
      },
    ],
    [
      'restarted just now, because somebody asked for it',
      {
        pod: pod({ status: { restartCount: 1, state: running, lastState: ended(137, 20) } }),
        history: history({ exitCode: 137, finishedAt: ago(20), requested: { by: 'ann', scope: 'pod' } }),
      },
    ],
    [
      'has two sources of one path in a volume, and an empty configuration',
      {
        pod: pod({
          container: { volumeMounts: [{ name: 'c', mountPath: '/etc/app' }] },
          spec: {
            volumes: [
              { name: 'c', projected: { sources: [{ configMap: { name: 'a' } }, { configMap: { name: 'b' } }] } },
            ],
          },
        }),
        configs: ['a', 'b'].map((name) => ({
          kind: 'ConfigMap' as const,
          name,
          state: 'found' as const,
          keys: ['app.yaml'],
          odd: { 'app.yaml': 'is empty' },
        })),
      },
    ],
    ['runs, and names peers that are away, gone, or have other ports', wrongPeersOf({})],
    [
      'runs, and says that a peer was away when it started',
      wrongPeersOf({}, ['waiting for database', 'connected to database']),
    ],
    [
      'has just started, and names such peers',
      wrongPeersOf({ ready: false, started: false, state: { running: { startedAt: ago(5) } } }, ['starting']),
    ],
    [
      'has done its work, and names such peers',
      wrongPeersOf({ ready: false, state: ended(0, 60, 'Completed') }, ['done'], {
        spec: { restartPolicy: 'OnFailure' },
        podStatus: { phase: 'Succeeded' },
      }),
    ],
    [
      'is a job that starts a server beside it',
      {
        pod: pod({
          container: { command: ['sh', '-c', 'service nginx start; curl localhost'] },
          spec: { restartPolicy: 'OnFailure' },
          podStatus: { phase: 'Succeeded' },
          status: { ready: false, state: ended(0, 60, 'Completed') },
        }),
      },
    ],
    [
      'restarted just now, for a new image',
      {
        pod: pod({ status: { restartCount: 1, state: running, lastState: ended(143, 20) } }),
        events: [
          event('Killing', 'Container web definition changed, will be restarted', { container: 'web', seconds: 21 }),
        ],
      },
    ],
    [
      'completed',
      {
        pod: pod({
          spec: { restartPolicy: 'Never' },
          podStatus: { phase: 'Succeeded' },
          status: { ready: false, state: ended(0, 60, 'Completed') },
        }),
      },
    ],
    [
      'one container has done its work, another goes on',
      {
        pod: pod({ spec: { restartPolicy: 'OnFailure' }, status: { ready: false, state: ended(0, 60, 'Completed') } }),
      },
    ],
    [
      'is scheduled',
      {
        pod: {
          ...pod({ spec: { nodeName: undefined }, metadata: { creationTimestamp: ago(3) } }),
          status: { phase: 'Pending' },
        },
      },
    ],
    [
      'is created',
      {
        pod: pod({
          metadata: { creationTimestamp: ago(8) },
          status: waiting('ContainerCreating'),
          podStatus: { phase: 'Pending' },
        }),
      },
    ],
    [
      'pulls a large image, after it had been warned of something that it got over',
      {
        pod: pod({
          metadata: { creationTimestamp: ago(90) },
          status: waiting('ContainerCreating'),
          podStatus: { phase: 'Pending' },
        }),
        events: [
          event('FailedSomethingNew', 'not yet', { seconds: 80 }),
          { ...event('Pulling', 'Pulling image "web"', { seconds: 60 }), type: 'Normal' },
        ],
      },
    ],
    [
      'has said that its database is locked, and is ready',
      { logs: { web: { current: ['starting', 'database is locked'] } } },
    ],
    [
      'pulls a large image',
      {
        pod: pod({
          metadata: { creationTimestamp: ago(200) },
          status: waiting('ContainerCreating'),
          podStatus: { phase: 'Pending' },
        }),
      },
    ],
    [
      'starts, and is not ready yet',
      {
        pod: pod({
          metadata: { creationTimestamp: ago(12) },
          status: { ready: false, state: { running: { startedAt: ago(10) } } },
          container: { readinessProbe: { tcpSocket: { port: 80 } } },
        }),
      },
    ],
    ['ends as it should', { pod: pod({ metadata: { deletionTimestamp: ago(-20) } }) }],
    ['ends a little late', { pod: pod({ metadata: { deletionTimestamp: ago(5), finalizers: ['a/b'] } }) }],
    [
      'was crashing when it was deleted',
      { pod: pod({ metadata: { deletionTimestamp: ago(-5) }, status: crashed({ exitCode: 1 }) }) },
    ],
    [
      'mounted at the second try',
      { events: [event('FailedMount', 'MountVolume.SetUp failed for volume "x" : configmap "x" not found')] },
    ],
    [
      'got its sandbox at the second try',
      { events: [event('FailedCreatePodSandBox', 'Failed to create pod sandbox: plugin type="calico" failed')] },
    ],
    [
      'was scheduled at the second try',
      { events: [event('FailedScheduling', '0/1 nodes are available: 1 Insufficient cpu.')] },
    ],
    [
      'missed a probe once',
      {
        pod: pod({ container: { livenessProbe: { tcpSocket: { port: 80 } } } }),
        events: [event('Unhealthy', 'Liveness probe failed: dial tcp 10.0.0.9:80: i/o timeout', { container: 'web' })],
      },
    ],
    [
      'complains in its log',
      { logs: { web: { current: ['connection refused', 'permission denied', 'no such host'] } } },
    ],
    [
      'was not let into its database or broker for a while, and is ready',
      {
        logs: {
          web: {
            current: [
              'FATAL: server login failed: wrong password type',
              'Connection Refused: not authorised.',
              "pymysql.err.OperationalError: (1040, 'Too many connections')",
              'could not resize shared memory segment "/PostgreSQL.1" to 8 bytes: No space left on device',
              'connected',
            ],
          },
        },
      },
    ],
    [
      'names a file in its configuration that its Secret lacks, runs as a user who may not read that, and is ready',
      {
        pod: pod({
          container: {
            volumeMounts: [
              { name: 'conf', mountPath: '/etc/app' },
              { name: 'tls', mountPath: '/tls' },
            ],
          },
          spec: {
            securityContext: { runAsUser: 1000, runAsGroup: 1000 },
            volumes: [
              { name: 'conf', configMap: { name: 'app' } },
              { name: 'tls', secret: { secretName: 'tls', defaultMode: 0o400 } },
            ],
          },
        }),
        configs: [
          { kind: 'ConfigMap', name: 'app', state: 'found', keys: ['a'], texts: { a: 'ca=/tls/ca.crt\n' } },
          { kind: 'Secret', name: 'tls', state: 'found', keys: ['tls.crt'] },
        ],
        logs: { web: { current: ["Run 'app init' to create folders", 'Unable to open "/tls/ca.crt"', 'ready'] } },
      },
    ],
    [
      'is done, and had waited for a lock',
      {
        pod: pod({
          spec: { restartPolicy: 'Never' },
          podStatus: { phase: 'Succeeded' },
          status: { ready: false, state: ended(0, 60, 'Completed') },
        }),
        logs: {
          web: {
            current: [
              'unable to create lock in backend: repository is already locked by PID 16 on other-1 by root',
              'the `unlock` command can be used to remove stale locks',
              'snapshot 5319544f saved',
            ],
          },
        },
      },
    ],
    [
      'starts to serve names, and is asked for one that it does not know yet',
      {
        pod: pod({
          metadata: { creationTimestamp: ago(12) },
          status: { ready: false, state: { running: { startedAt: ago(10) } } },
          container: { readinessProbe: { exec: { command: ['dig', '@127.0.0.1', 'www.corp.example'] } } },
        }),
        events: [event('Unhealthy', 'Readiness probe failed: ', { container: 'web', seconds: 2 })],
        logs: { web: { current: ['zone corp.example/IN: has no NS records'] } },
      },
    ],
    [
      'is healed, and well now',
      {
        pod: pod({
          podStatus: {
            conditions: [
              { type: 'mendlet.dev/HealingStopped', status: 'False' },
              { type: 'mendlet.dev/Healing', status: 'True', reason: 'Container' },
            ],
          },
        }),
      },
    ],
    [
      'its claim is bound',
      { claims: [{ name: 'data', missing: false, claim: { status: { phase: 'Bound' } }, events: [] }] },
    ],
    [
      'a child was killed for memory an hour ago',
      { history: history({ survived: true, finishedAt: ago(3600), exitCode: 137, reason: 'OOMKilled' }) },
    ],
  ])('%s', (_, given) => {
    expect(diagnosePod(evidence(given)).findings).toEqual([]);
  });

  it('whatever its log says, whatever happened long ago', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 200 }), { maxLength: 50 }),
        fc.integer({ min: 601, max: 80_000 }),
        fc.integer({ min: -1, max: 255 }),
        fc.integer({ min: 1, max: 50 }),
        (lines, seconds, exitCode, restartCount) => {
          const status = { restartCount, state: running, lastState: ended(exitCode, seconds) };
          const given = { pod: pod({ status }), logs: { web: { current: lines, previous: lines } }, node: readyNode };
          expect(diagnosePod(evidence(given)).findings).toEqual([]);
        },
      ),
    );
  });
});

describe('sick pods', () => {
  it('dies again and again, however well it runs now', () => {
    const deaths = [20_000, 10_000, 5000].map((seconds) => ({
      startedAt: ago(seconds + 900),
      finishedAt: ago(seconds),
      exitCode: 137,
      reason: 'OOMKilled',
    }));
    const status = { restartCount: 3, state: running, lastState: ended(137, 5000, 'OOMKilled') };
    const { findings } = diagnosePod(evidence({ pod: pod({ status }), history: history(...deaths) }));
    expect(findings).toMatchObject([{ id: 'out-of-memory', severity: 'warning' }]);
  });

  it('any last words: an answer, each finding with evidence, the same each time', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.constantFrom(
              'permission denied',
              'connection refused',
              'bind: address already in use',
              'exec format error',
            ),
          ),
          { maxLength: 60 },
        ),
        fc.integer({ min: 0, max: 255 }),
        (lines, exitCode) => {
          const given = evidence({
            pod: pod({ status: crashed({ exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' }) }),
            logs: { web: { previous: lines } },
          });
          const { findings } = diagnosePod(given);
          expect(findings.length).toBeGreaterThan(0);
          for (const finding of findings) {
            expect(finding.evidence.length).toBeGreaterThan(0);
            expect(finding.says).not.toMatch(/\n|undefined|\.$/);
          }
          expect(diagnosePod(given).findings).toEqual(findings);
        },
      ),
    );
  });
});
