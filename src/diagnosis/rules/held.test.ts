import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, event, evidence, pod } from '../evidence.fixtures.ts';

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

  it('is none while nobody holds it', () => {
    expect(diagnosePod(evidence({ pod: pod(probed), held: {} })).findings).toEqual([]);
  });
});
