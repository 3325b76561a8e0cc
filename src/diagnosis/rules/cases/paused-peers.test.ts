/** Tests what is said of a peer that is ready and does not answer, as somebody holds its processes. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PausedContainer, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { serversWanted } from '../../servers-wanted.ts';
import { namedServicesOf } from '../../wanted.ts';

const service = (name: string, port: number, paused?: PausedContainer): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.0.0.7'],
  ports: [port],
  ready: 1,
  notReady: 0,
  selector: { app: name },
  server: { pod: pod({ metadata: { name: `${name}-x` } }), ...(paused && { paused }) },
});
const failing = (
  message: string,
  env: { name: string; value: string }[],
  ...lines: readonly string[]
): Partial<PodEvidence> => ({
  pod: pod({
    container: { env, readinessProbe: { httpGet: { path: '/', port: 8000 } }, ports: [{ containerPort: 8000 }] },
    status: { ready: false, started: true, state: { running: { startedAt: ago(120) } } },
  }),
  events: [
    event('Unhealthy', `Readiness probe failed: ${message}`, { count: 30, first: 110, seconds: 2, container: 'web' }),
  ],
  logs: { web: { current: lines } },
});
const ANSWERS = 'HTTP probe failed with statuscode: 503';
const SILENT =
  'Get "http://10.2.0.9:8000/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const STOPPED: PausedContainer = { container: 'cache', stopped: { process: 'memcached', pid: 7 } };
const says = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings.map((one) => one.says);

describe('a peer that is paused', () => {
  it.each<[string, Partial<PodEvidence>, ServiceEvidence, RegExp]>([
    [
      'as a probe fails for it',
      failing(ANSWERS, [], ...Array.from({ length: 9 }, () => 'user store users:11211: timed out')),
      service('users', 11_211, STOPPED),
      /: user store users:11211: timed out;.* container cache of pod users-x behind service users is paused: its process memcached \(pid 7\) is stopped \(SIGSTOP\) and waits for SIGCONT$/,
    ],
    [
      'as it ends for it',
      {
        pod: pod({ status: crashed({ exitCode: 1 }) }),
        logs: lastWords('redis.exceptions.TimeoutError: Timeout reading from queue:6379'),
      },
      service('queue', 6379, { container: 'cache', hold: 'frozen' }),
      /behind service queue is paused: its cgroup is frozen, so none of its processes runs$/,
    ],
    [
      'as it hangs itself without a word',
      failing(SILENT, [{ name: 'DATABASE_URL', value: 'postgres://orders-db/orders' }]),
      service('orders-db', 5432, { container: 'cache', hold: 'stopped' }),
      /behind service orders-db is paused: its main process is stopped \(SIGSTOP\) and waits for SIGCONT$/,
    ],
  ])('is told with who needs it, %s', (_, given, behind, text) => {
    expect(namedServicesOf(evidence(given))).toContainEqual({ namespace: 'shop', name: behind.name });
    const services = [behind];
    expect(serversWanted(evidence({ ...given, services }))).toMatchObject([{ service: behind, held: true }]);
    expect(says({ ...given, services })).toEqual([expect.stringMatching(text)]);
  });

  it('is not asked for, where the peer answered', () => {
    const given = failing(ANSWERS, [], ...Array.from({ length: 9 }, () => 'user store users:11211: bad key'));
    expect(serversWanted(evidence({ ...given, services: [service('users', 11_211)] }))).toEqual([]);
  });

  it('is not told, where nobody holds it', () => {
    const given = failing(ANSWERS, [], ...Array.from({ length: 9 }, () => 'user store users:11211: timed out'));
    expect(says({ ...given, services: [service('users', 11_211)] }).join()).not.toMatch(/paused/);
  });
});
