import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, history, NOW, pod } from '../../evidence.fixtures.ts';
import type { DeathRecord } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { quoteText } from '../../quote-text.ts';
import { wantsThrottling } from '../../wanted.ts';

const probe = { httpGet: { path: '/healthz', port: 8080 } };
const container = { livenessProbe: probe, resources: { limits: { cpu: '20m' } } };
const late = (output = 'command timed out: "x" timed out after 1s') => ({
  type: 'liveness' as const,
  outputs: [{ at: ago(31), output }],
});
const cpu = { periods: 60, throttledPeriods: 58, limitMillicores: 20 };
const killed = (change: Partial<DeathRecord> = {}) =>
  history({ exitCode: 137, signal: 'SIGKILL', probe: late(), cpu, ...change });
const waiting = pod({ container, status: crashed({ exitCode: 137 }) });
const again = pod({ container, status: { state: { running: { startedAt: ago(10) } } } });

describe('a container that its liveness probe killed', () => {
  it.each<[string, Partial<PodEvidence>, readonly string[]]>([
    ['starved, as its node counted', { history: killed() }, ['cpu-throttled']],
    [
      'and died otherwise since',
      { history: history({ exitCode: 137, probe: late(), cpu, finishedAt: ago(300) }, { exitCode: 1, cpu }) },
      ['exit-code'],
    ],
    ['was not held back', { history: killed({ cpu: { ...cpu, throttledPeriods: 3 } }) }, ['probe-timeout']],
    [
      'starved in a short life',
      { history: killed({ cpu: { ...cpu, periods: 11, throttledPeriods: 11 } }) },
      ['cpu-throttled'],
    ],
    [
      'hardly wanted to run',
      { history: killed({ cpu: { ...cpu, periods: 5, throttledPeriods: 5 } }) },
      ['probe-timeout'],
    ],
    ['was not counted', { history: killed({ cpu: undefined }) }, ['probe-timeout']],
    ['answered, and said that it is not well', { history: killed({ probe: late('HTTP 500') }) }, ['liveness-failing']],
    [
      'had a lower limit then',
      {
        history: killed(),
        pod: pod({
          container: { ...container, resources: { limits: { cpu: '1' } } },
          status: crashed({ exitCode: 137 }),
        }),
      },
      ['probe-timeout'],
    ],
    [
      'has no limit any more',
      { history: killed(), pod: pod({ container: { livenessProbe: probe }, status: crashed({ exitCode: 137 }) }) },
      ['probe-timeout'],
    ],
    ['runs again', { history: killed(), pod: again }, ['cpu-throttled']],
    [
      'runs again, and is not held back so far',
      { history: killed(), pod: again, throttling: { web: { periods: 30, throttledPeriods: 0 } } },
      ['cpu-throttled'],
    ],
    [
      'runs again on another kubelet, and starves',
      {
        pod: pod({
          container,
          status: { ...crashed({ exitCode: 137 }), ready: true, state: { running: { startedAt: ago(10) } } },
        }),
        events: [
          event('Unhealthy', 'Liveness probe failed: command timed out: "x" timed out after 1s', {
            container: 'web',
            count: 3,
          }),
          event('Killing', 'Container web failed liveness probe, will be restarted', { container: 'web' }),
        ],
        throttling: { web: { periods: 30, throttledPeriods: 29 } },
      },
      ['cpu-throttled'],
    ],
  ])('%s', (_, given, ids) => {
    expect(diagnosePod(evidence({ pod: waiting, ...given })).findings.map(({ id }) => id)).toEqual(ids);
  });

  it('quotes the figure of its death', () => {
    const [finding] = diagnosePod(evidence({ pod: waiting, history: killed() })).findings;
    expect(finding).toMatchObject({ severity: 'critical', container: 'web' });
    expect(finding?.says).toBe(
      'container web starves: its CPU limit of 20m held it back in 97% of the time before its end, and it was killed by its liveness probe, which got no answer in time',
    );
    expect(finding?.evidence.map((quote) => quoteText(quote, NOW))).toEqual([
      'death 1 of web, 30s ago after 5s: exit 137 (SIGKILL), Error',
      'cpu.stat: throttled in 58 of 60 periods (97%), before death 1',
      'spec.containers[0].resources.limits.cpu: 20m',
      'liveness probe, 31s ago: command timed out: "x" timed out after 1s',
    ]);
    expect(finding?.try[0]).toContain('100m');
    expect(diagnosePod(evidence({ pod: again, history: killed() })).findings[0]?.severity).toBe('warning');
  });
});

describe('a container that is killed before it listens', () => {
  const refusal = 'Get "http://10.244.0.249:8080/healthz": dial tcp 10.244.0.249:8080: connect: connection refused';
  const refused = (change: Partial<DeathRecord> = {}, listening: readonly object[] = []) =>
    killed({ probe: { ...late(refusal), listening } as never, ...change });
  const first = (given: Partial<PodEvidence>) => diagnosePod(evidence({ pod: waiting, ...given })).findings[0];

  it('starves, as its node counted', () => {
    expect(first({ history: refused() })?.says).toBe(
      'container web starves: its CPU limit of 20m held it back in 97% of the time before its end, and it was killed by its liveness probe before anything listened on its port',
    );
    expect(first({ history: refused() })?.try[0]).toContain('100m');
  });

  it('has a tiny limit, and nobody counted', () => {
    const found = first({ history: refused({ cpu: undefined }) });
    expect(found?.id).toBe('probe-too-early');
    expect(found?.says).toMatch(
      /^container web is killed by its liveness probe before anything listens on port 8080: its CPU limit of 20m leaves it 2% of one CPU, and the probe leaves it \d+s/,
    );
    expect(found?.manifest).toBeUndefined();
    expect(found?.try[0]).toContain('100m');
  });

  it('listens elsewhere, is hardly held back, or has CPU enough', () => {
    const elsewhere = first({ history: refused({}, [{ port: 9000, own: true }]) });
    expect(elsewhere?.id).toBe('probe-port');
    const little = first({ history: refused({ cpu: { ...cpu, throttledPeriods: 20 } }) });
    expect(little?.id).toBe('probe-too-early');
    expect(little?.says).not.toContain('CPU');
    const big = { ...container, resources: { limits: { cpu: '2' } } };
    const plain = first({
      pod: pod({ container: big, status: crashed({ exitCode: 137 }) }),
      history: refused({ cpu: undefined }),
    });
    expect(plain?.says).not.toContain('CPU');
    expect(plain?.manifest).toContain('startupProbe');
  });
});

it('the figures of living containers are asked for where one lives', () => {
  const events = [event('Unhealthy', 'Liveness probe failed: HTTP 500', { container: 'web' })];
  expect(wantsThrottling(evidence({ pod: again, events }))).toBe(true);
  expect(wantsThrottling(evidence({ pod: waiting, events }))).toBe(false);
  expect(wantsThrottling(evidence({ pod: again }))).toBe(false);
});
