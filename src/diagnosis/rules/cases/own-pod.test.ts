/** Tests what is told of a container that is refused within its own pod: who should listen there, and why that one does not. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, pod } from '../../evidence.fixtures.ts';
import type { Container, ContainerStatus } from '../../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';

interface Given {
  readonly web?: object;
  readonly webStatus?: Partial<ContainerStatus>;
  readonly other: Omit<Container, 'image'>;
  readonly otherStatus?: Partial<ContainerStatus>;
  readonly logs: PodEvidence['logs'];
  readonly configs?: readonly ConfigEvidence[];
  readonly spec?: object;
}

const UNREADY: Partial<ContainerStatus> = { ready: false, state: { running: { startedAt: ago(120) } } };
const REFUSED =
  '2026/11/28 02:33:50 [error] 6#6: *19 connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.1, server: , request: "GET /app/ HTTP/1.1", upstream: "http://127.0.0.1:9000/app/", host: "10.244.1.142:8080"';

function two({ web = {}, webStatus = UNREADY, other, otherStatus = {}, logs, configs = [], spec = {} }: Given) {
  const own = pod({ container: web, status: webStatus, spec });
  const status = {
    name: other.name,
    ready: true,
    restartCount: 0,
    image: 'x',
    imageID: '',
    state: { running: { startedAt: ago(600) } },
    ...otherStatus,
  };
  return evidence({
    pod: {
      ...own,
      spec: { ...own.spec, containers: [...(own.spec?.containers ?? []), { image: 'x', ...other }] },
      status: { ...own.status, containerStatuses: [...(own.status?.containerStatuses ?? []), status] },
    },
    logs,
    configs,
  });
}
const DIED = { ...crashed({ exitCode: 78 }), name: 'backend' };
const LOGS = {
  web: { current: [REFUSED, REFUSED] },
  backend: { previous: ['config error: SESSION_SECRET is required'] },
};

describe('a container that is refused within its own pod', () => {
  it.each<[string, Given, RegExp]>([
    [
      'by one that ends, and has the port in its code',
      {
        other: { name: 'backend', command: ['node', '/srv/b.js'], volumeMounts: [{ name: 'code', mountPath: '/srv' }] },
        otherStatus: DIED,
        logs: LOGS,
        spec: { volumes: [{ name: 'code', configMap: { name: 'code' } }] },
        configs: [
          {
            kind: 'ConfigMap',
            name: 'code',
            state: 'found',
            keys: ['b.js'],
            texts: { 'b.js': 'server.listen(9000);' },
          },
        ],
      },
      /refused by 127\.0\.0\.1:9000 and is not ready: container backend of its pod, which should listen there, ends: config error: SESSION_SECRET is required$/,
    ],
    [
      'by one that ends, and declares the port',
      { other: { name: 'backend', ports: [{ containerPort: 9000 }] }, otherStatus: DIED, logs: LOGS },
      /container backend of its pod, which should listen there, ends: config error/,
    ],
    [
      'perhaps by one that ends',
      { other: { name: 'backend' }, otherStatus: DIED, logs: LOGS },
      /container backend of its pod, which may be meant, ends: config error/,
    ],
  ])('%s: that one comes first', (_what, given, says) => {
    const [first, second] = diagnosePod(two(given)).findings;
    expect(first?.container).toBe('backend');
    expect(second?.says).toMatch(says);
    expect(second?.severity).toBe('warning');
  });

  it('by one that runs, and says nothing of the port', () => {
    const { findings } = diagnosePod(
      two({ other: { name: 'backend' }, logs: { web: { current: [REFUSED, REFUSED] } } }),
    );
    expect(findings[0]?.says).toMatch(/: nothing in its own pod listens there$/);
    expect(findings[0]?.severity).toBe('critical');
  });

  it.each<[string, Omit<Container, 'image'>]>([
    ['that declares the port', { name: 'pg-proxy', ports: [{ containerPort: 5432 }] }],
    [
      'that has the port in its command',
      { name: 'pg-proxy', command: ['socat', 'TCP-LISTEN:5432,fork', 'TCP:pg:5432'] },
    ],
  ])('by a container %s, and that starts only after it', (_what, other) => {
    const own = pod({ status: { ready: false, state: { waiting: { reason: 'PodInitializing' } } } });
    const given = evidence({
      pod: {
        ...own,
        spec: {
          ...own.spec,
          initContainers: [{ name: 'schema', image: 'x' }],
          containers: [...(own.spec?.containers ?? []), { image: 'x', ...other }],
        },
        status: {
          ...own.status,
          phase: 'Pending',
          initContainerStatuses: [{ ...crashed({ exitCode: 2 }), name: 'schema' } as ContainerStatus],
        },
      },
      logs: {
        schema: {
          previous: ['psql: error: connection to server at "127.0.0.1", port 5432 failed: Connection refused'],
        },
      },
    });
    expect(diagnosePod(given).findings[0]?.says).toBe(
      'init container schema is refused by 127.0.0.1:5432 and ends: container pg-proxy of its own pod starts only when the init containers have ended; in initContainers before it, with restartPolicy: Always, it would be there',
    );
  });
});

describe('a container whose connection within its own pod is closed', () => {
  const CLOSED =
    'cannot connect to orders database: connection to server at "127.0.0.1", port 5432 failed: server closed the connection unexpectedly';
  const relay = {
    name: 'relay',
    command: ['socat', 'TCP-LISTEN:5432,fork,reuseaddr', 'TCP:pg.data.svc.cluster.local:5432'],
  };
  const UNKNOWN =
    '2026/11/28 09:37:06 socat[7] E getaddrinfo("pg.data.svc.cluster.local", "NULL", {1,0,1,6}, {}): Name or service not known';
  const first = (given: Given): string => diagnosePod(two(given)).findings[0]?.says ?? '';

  it('is told with what the one suffers from that gives it on', () => {
    const said = first({
      web: {},
      webStatus: crashed({ exitCode: 255 }),
      other: relay,
      logs: { web: { previous: [CLOSED] }, relay: { current: Array.from({ length: 6 }, () => UNKNOWN) } },
    });
    expect(said).toMatch(
      /server closed the connection unexpectedly.*; in its pod, container relay does not find pg\.data\.svc\.cluster\.local/,
    );
    expect(said).not.toContain('service orders');
  });

  it('is told alone, where that works', () => {
    const said = first({
      web: {},
      webStatus: crashed({ exitCode: 255 }),
      other: relay,
      logs: { web: { previous: [CLOSED] }, relay: { current: ['starting accept loop'] } },
    });
    expect(said).not.toContain('in its pod');
  });
});

describe('a container that asks by the other kind of address', () => {
  const refusedAt = (host: string, loopback: string): string => {
    const line = `policy bundle not loaded: Error: connect ECONNREFUSED ${host}:8181`;
    const given = two({ other: { name: 'agent' }, logs: { web: { current: [line, line, line] } } });
    const listening = [{ port: 8181, loopback, container: 'agent' }];
    return diagnosePod({ ...given, listening }).findings[0]?.says ?? '';
  };
  it('is told which one the other listens at', () => {
    expect(refusedAt('::1', '127.0.0.1')).toMatch(
      /is refused by ::1:8181 and is not ready: container agent of its pod listens on 127\.0\.0\.1:8181 alone, which is IPv4, and it asks by IPv6/,
    );
    expect(refusedAt('127.0.0.1', '::1')).toMatch(/listens on \[::1\]:8181 alone, which is IPv6, and it asks by IPv4/);
  });
  it('is not told so where the other listens at its own', () => {
    expect(refusedAt('127.0.0.1', '127.0.0.1')).not.toMatch(/asks by/);
  });
});
