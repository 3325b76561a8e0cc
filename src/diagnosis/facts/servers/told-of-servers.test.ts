import { expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, evidence, pod } from '../../evidence.fixtures.ts';
import { serversWanted } from '../../servers-wanted.ts';

const running = { ready: true, started: true, restartCount: 0, state: { running: { startedAt: ago(300) } } };

it('tells of a client that another one with its name throws out, as its broker logs that', () => {
  const broker = {
    namespace: 'shop',
    name: 'broker',
    missing: false,
    clusterIPs: ['10.96.0.9'],
    ports: [1883],
    ready: 1,
    notReady: 0,
    selector: { app: 'broker' },
  };
  const lines = Array.from({ length: 5 }, (_, at) => [
    `2026-01-31 11:59:${10 + at},023 INFO ingest: connected to broker:1883 (rc=0), asks for calibration`,
    `2026-01-31 11:59:${10 + at},925 INFO ingest: The connection was lost. reconnecting in 1s`,
  ]).flat();
  const given = {
    pod: pod({
      container: { env: ['broker', 'redis'].map((value) => ({ name: `${value.toUpperCase()}_HOST`, value })) },
      status: running,
    }),
    logs: { web: { current: lines } },
  };
  expect(serversWanted(evidence({ ...given, services: [broker] }))).toMatchObject([{ lines: true }]);
  const server = {
    pod: pod({ name: 'broker-1' }),
    owner: 'deployment/broker',
    lines: [
      '1795907728: Client line-1 already connected, closing old connection.',
      '1795907728: No will message specified.',
    ],
  };
  const [first] = diagnosePod(evidence({ ...given, services: [{ ...broker, server }] })).findings;
  expect(first?.says).toMatch(
    /deployment\/broker behind service broker says: .*Client line-1 already connected, closing old connection$/,
  );
});

it('tells of a service that leads to pods of several workloads', () => {
  const line = "ERROR ReadOnlyError: READONLY You can't write against a read only replica.";
  const redis = {
    namespace: 'shop',
    name: 'redis',
    missing: false,
    clusterIPs: ['10.96.0.9'],
    ports: [6379],
    ready: 2,
    notReady: 0,
    selector: { app: 'redis' },
    server: { pod: pod({ name: 'redis-1' }), owner: 'deployment/redis', others: ['deployment/redis-replica'] },
  };
  const given = {
    pod: pod({ container: { env: [{ name: 'REDIS_HOST', value: 'redis' }] }, status: running }),
    logs: { web: { current: Array.from({ length: 6 }, () => line) } },
    services: [redis],
  };
  const [first] = diagnosePod(evidence(given)).findings;
  expect(first?.says).toMatch(
    /READONLY .*; service redis leads to pods of deployment\/redis and deployment\/redis-replica/,
  );
});
