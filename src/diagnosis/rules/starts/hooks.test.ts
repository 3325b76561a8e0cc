import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { crashed, evidence, event, pod, waiting } from '../../evidence.fixtures.ts';
import { namedServicesOf } from '../../wanted.ts';

const hooked = { lifecycle: { postStart: { exec: { command: ['sh', '-c', 'curl http://conf/'] } } } };

function failed(message: string, given: Partial<PodEvidence> = {}): PodEvidence {
  const events = [event('FailedPostStartHook', message, { container: 'web' })];
  return evidence({ pod: pod({ container: hooked, status: crashed({ exitCode: 137 }) }), events, ...given });
}

const failure = (said: string, code = 6) =>
  `PostStartHook failed: command 'sh -c curl http://conf/' exited with ${code}: ${said}`;
const conf: ServiceEvidence = {
  namespace: 'shop',
  name: 'conf',
  missing: false,
  clusterIPs: ['10.97.0.9'],
  ports: [80],
  ready: 0,
  notReady: 1,
};

function headline(given: PodEvidence): string {
  const [found] = diagnosePod(given).findings;
  expect(found?.id).toBe('post-start-hook');
  return found?.says ?? '';
}

describe('a postStart hook that fails', () => {
  const begin = 'container web is ended because its postStart hook fails';

  it.each<[string, PodEvidence, string]>([
    ['nobody knows', failed('PostStartHook failed'), ''],
    [
      'its output',
      failed(failure('curl: (6) Could not resolve host: conf')),
      ': curl: (6) Could not resolve host: conf (exit code 6)',
    ],
    [
      'of several lines the one that decides',
      failed(failure('warming the cache\nError: open /cache/index: permission denied\ndone', 1)),
      ': open /cache/index: permission denied (exit code 1)',
    ],
    ['nothing', failed(failure('', 1)), ": command 'sh -c curl http://conf/' said nothing (exit code 1)"],
    [
      'an address that does not answer',
      failed('PostStartHook failed: Get "http://10.1.2.3:80/": dial tcp 10.1.2.3:80: connect: connection refused'),
      ': Get "http://10.1.2.3:80/": dial tcp 10.1.2.3:80: connect: connection refused',
    ],
    [
      'that there is no such program',
      failed(
        'PostStartHook failed: failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: exec: "warmer": executable file not found in $PATH: unknown',
      ),
      ': exec: "warmer": executable file not found in $PATH',
    ],
    [
      'of another kubelet, whose state alone tells',
      failed('PostStartHook failed', {
        pod: pod({
          container: hooked,
          status: waiting(
            'PostStartHookError',
            'Exec lifecycle hook ([sh -c x]) for Container "web" in Pod "web-1_shop(uid)" failed - error: command \'sh -c x\' exited with 3: , message: "warming\\nno such index: orders"',
          ),
        }),
      }),
      ': no such index: orders (exit code 3)',
    ],
  ])('says %s', (_, given, says) => {
    expect(headline(given)).toBe(`${begin}${says}`);
  });

  it.each<[string, string, ServiceEvidence, string]>([
    [
      'does not exist',
      'curl: (6) Could not resolve host: conf',
      { ...conf, missing: true, similar: ['config'], clusterIPs: [] },
      ': there is no service conf; there is config',
    ],
    [
      'has nothing ready',
      'curl: (7) Failed to connect to conf port 80 after 2 ms: Connection refused',
      conf,
      ': service conf has no endpoint that is ready',
    ],
  ])('names a service that %s', (_, said, service, says) => {
    const given = failed(failure(said), { services: [service] });
    expect(namedServicesOf(given)).toEqual([{ namespace: 'shop', name: 'conf' }]);
    expect(headline(given)).toBe(`${begin}: ${said} (exit code 6)${says}`);
  });
});

describe('a postStart hook that does not end', () => {
  const asks = { exec: { command: ['sh', '-c', 'until curl -sf http://localhost:8080/ready; do sleep 2; done'] } };
  const starting = (seconds: number, container: object = {}): PodEvidence =>
    evidence({
      pod: pod({
        container: { lifecycle: { postStart: asks }, ports: [{ containerPort: 9090 }], ...container },
        status: waiting('ContainerCreating'),
        podStatus: { phase: 'Pending' },
      }),
      events: [event('Started', 'Container started', { container: 'web', seconds })],
    });

  it('is told with whom it asks', () => {
    expect(headline(starting(75))).toBe(
      'container web was started 75s ago, and its postStart hook has not come to its end: until then it does not count as started; it asks localhost:8080, and its pod has port 9090',
    );
  });

  it('has its time', () => {
    expect(diagnosePod(starting(5)).findings.map(({ id }) => id)).not.toContain('post-start-hook');
    expect(diagnosePod(starting(75, { lifecycle: {} })).findings.map(({ id }) => id)).not.toContain('post-start-hook');
  });
});
