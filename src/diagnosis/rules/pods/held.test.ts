import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { ago, event, evidence, pod, waiting } from '../../evidence.fixtures.ts';

describe('a container that is held', () => {
  const probed = { container: { livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { httpGet: { port: 80 } } } };

  it.each([
    ['frozen', /container web is paused: its cgroup is frozen/],
    ['stopped', /container web is paused: its main process is stopped \(SIGSTOP\)/],
    ['traced', /a debugger or tracer holds/],
  ] as const)('%s', (hold, says) => {
    const { findings } = diagnosePod(evidence({ pod: pod(probed), held: { web: hold } }));
    expect(findings[0]).toMatchObject({ id: 'held', severity: 'critical' });
    expect(findings[0]?.says).toMatch(says);
  });

  it('comes before the probes that get no answer for that, and says what follows', () => {
    const message = 'Container web failed liveness probe, will be restarted';
    const given = evidence({
      pod: pod({ ...probed, status: { ready: false, state: { running: { startedAt: ago(300) } } } }),
      events: [
        event('Unhealthy', 'Liveness probe failed: context deadline exceeded', {
          container: 'web',
          count: 3,
          first: 40,
          seconds: 12,
        }),
        event('Killing', message, { container: 'web', seconds: 12 }),
      ],
      held: { web: 'stopped' },
    });
    const { findings } = diagnosePod(given);
    expect(findings[0]?.id).toBe('held');
    expect(findings[0]?.says).toMatch(
      /is killed \(SIGKILL\) in 18s, when its grace of 30s is over; then it is started again$/,
    );
  });

  const stopped = { web: { process: 'node', pid: 7 } };
  const failing = event('Unhealthy', 'Liveness probe failed: context deadline exceeded', { container: 'web' });
  const init = {
    spec: { initContainers: [{ name: 'migrate', image: 'x' }] },
    status: { ready: false, state: { waiting: { reason: 'PodInitializing' } } },
    podStatus: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'migrate',
          ready: false,
          restartCount: 0,
          image: 'x',
          imageID: '',
          state: { running: { startedAt: ago(60) } },
        },
      ],
    },
  };

  it.each<[string, Partial<PodEvidence>, string]>([
    ['that is not ready', { pod: pod({ ...probed, status: { ready: false } }), stopped }, 'container web'],
    [
      'whose probe fails so often that not each time is told',
      { pod: pod(probed), events: [{ ...failing, count: 3, lastTimestamp: ago(200) }], stopped },
      'container web',
    ],
    ['whose probe fails', { pod: pod(probed), events: [failing], stopped }, 'container web'],
    ['that others wait for', { pod: pod(init), stopped: { migrate: stopped.web } }, 'init container migrate'],
  ])('by a process that its main one waits for: one %s', (_, given, who) => {
    const [found] = diagnosePod(evidence({ held: {}, ...given })).findings;
    expect(found).toMatchObject({ id: 'held', severity: 'critical' });
    expect(found?.says).toBe(`${who} is paused: its process node (pid 7) is stopped (SIGSTOP) and waits for SIGCONT`);
    expect(found?.try[0]).toMatch(/ -- kill -CONT 7$/);
  });

  it.each<[string, Partial<PodEvidence>]>([
    ['is ready', { pod: pod(probed) }],
    [
      'was not ready at its start',
      {
        pod: pod(probed),
        events: [event('Unhealthy', 'Readiness probe failed: connection refused', { container: 'web', count: 5 })],
      },
    ],
    ['failed a probe once, and answered since', { pod: pod(probed), events: [{ ...failing, lastTimestamp: ago(90) }] }],
    ['failed a probe long ago', { pod: pod(probed), events: [{ ...failing, lastTimestamp: ago(600) }] }],
    [
      'failed a probe in the life before',
      { pod: pod({ ...probed, status: { state: { running: { startedAt: ago(20) } } } }), events: [failing] },
    ],
    ['does not run', { pod: pod({ status: waiting('ContainerCreating') }) }],
  ])('is not one that %s, whatever its helpers do', (_, given) => {
    const { findings } = diagnosePod(evidence({ held: {}, stopped, ...given }));
    expect(findings.filter(({ id }) => id === 'held')).toEqual([]);
  });

  it('goes on with the number that its main process has', () => {
    const given = { pod: pod(probed), held: { web: 'stopped' }, stopped } as const;
    expect(diagnosePod(evidence(given)).findings[0]?.try[0]).toMatch(/ -- kill -CONT 7$/);
    expect(diagnosePod(evidence({ ...given, stopped: {} })).findings[0]?.try[0]).toMatch(/ -- kill -CONT 1$/);
  });

  it('is none while nobody holds it', () => {
    expect(diagnosePod(evidence({ pod: pod(probed), held: {} })).findings).toEqual([]);
  });
});
