/** Probes that are wrong about a container: what is said, and what would fit. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, crashed, event, evidence, history, NOW, pod, type PodGiven } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { quoteText } from '../quote-text.ts';

const http = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 3 };
const killed = event('Killing', 'Container web failed liveness probe, will be restarted', {
  container: 'web',
  seconds: 31,
});
const unhealthy = (output: string, given: Parameters<typeof event>[2] = {}): ReturnType<typeof event> =>
  event('Unhealthy', `Liveness probe failed: ${output}`, { container: 'web', seconds: 31, count: 3, ...given });

function killedBy(output: string, container: PodGiven['container'] = { livenessProbe: http }): Partial<PodEvidence> {
  return { pod: pod({ container, status: crashed({ exitCode: 137, lived: 4 }) }), events: [killed, unhealthy(output)] };
}

const refused = 'Get "http://10.0.0.9:8080/healthz": dial tcp 10.0.0.9:8080: connect: connection refused';

describe('probes that kill', () => {
  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    ['404', killedBy('HTTP probe failed with statuscode: 404'), 'probe-path', /nothing at \/healthz \(404\)/],
    ['403', killedBy('HTTP probe failed with statuscode: 403'), 'probe-unauthorized', /wants to know who asks \(403\)/],
    ['500', killedBy('HTTP probe failed with statuscode: 500'), 'liveness-failing', /is killed by its liveness probe$/],
    [
      'HTTPS where there is HTTP',
      killedBy('Get "https://10.0.0.9:8080/": http: server gave HTTP response to HTTPS client', {
        livenessProbe: { ...http, httpGet: { ...http.httpGet, scheme: 'HTTPS' } },
      }),
      'probe-scheme',
      /asks by HTTPS, but the container answers by HTTP$/,
    ],
    [
      'HTTP where there is HTTPS',
      killedBy('Get "http://10.0.0.9:8080/": net/http: HTTP/1.x transport connection broken: malformed HTTP response'),
      'probe-scheme',
      /asks by HTTP, but the container answers by HTTPS$/,
    ],
    [
      'another port is declared',
      killedBy(refused, { livenessProbe: http, ports: [{ containerPort: 9090 }] }),
      'probe-port',
      /nothing listens on port 8080, and it declares 9090/,
    ],
    [
      'it says that it listens elsewhere',
      { ...killedBy(refused), logs: { web: { previous: ['Listening on 0.0.0.0:3000'] } } },
      'probe-port',
      /it says that it listens on 3000/,
    ],
    [
      'its own loopback alone',
      { ...killedBy(refused), logs: { web: { previous: ['listening on http://127.0.0.1:8080'] } } },
      'probe-port',
      /its own loopback address alone/,
    ],
    ['too early', killedBy(refused), 'probe-too-early', /before anything listens on port 8080: the probe leaves it 3s/],
    [
      'it listened, and stopped',
      {
        ...killedBy(refused),
        pod: pod({ container: { livenessProbe: http }, status: crashed({ exitCode: 137, lived: 900 }) }),
      },
      'liveness-failing',
      /is killed by its liveness probe$/,
    ],
    [
      'no answer in time',
      killedBy(
        'Get "http://10.0.0.9:8080/healthz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      ),
      'probe-timeout',
      /no answer within its timeout of 1s \(3 times\)/,
    ],
    [
      'as the node remembers it',
      {
        pod: pod({ container: { livenessProbe: http }, status: crashed({ exitCode: 137 }) }),
        history: history({
          exitCode: 137,
          probe: { type: 'liveness', outputs: [{ at: ago(31), output: 'HTTP probe failed with statuscode: 404' }] },
        }),
      },
      'probe-path',
      /404/,
    ],
    [
      'events come late when there are many',
      {
        ...killedBy('HTTP probe failed with statuscode: 404'),
        events: [
          event('Killing', 'Container web failed liveness probe, will be restarted', {
            container: 'web',
            seconds: 900,
            count: 4,
          }),
          unhealthy('HTTP probe failed with statuscode: 404', { seconds: 900, count: 12 }),
        ],
      },
      'probe-path',
      /404/,
    ],
  ])('%s', (_, given, id, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
  });

  it("a death that the node did not cause is not its probe's", () => {
    const { findings } = diagnosePod(
      evidence({ ...killedBy('HTTP probe failed with statuscode: 404'), history: history({ exitCode: 137 }) }),
    );
    expect(findings[0]?.id).toBe('signal');
  });

  it('a startup probe that fits: twice the start that a sibling needed', () => {
    const ready = pod({
      name: 'web-2',
      container: { readinessProbe: http },
      status: { state: { running: { startedAt: ago(900) } } },
      podStatus: { conditions: [{ type: 'ContainersReady', status: 'True', lastTransitionTime: ago(820) }] },
    });
    const [finding] = diagnosePod(evidence({ ...killedBy(refused), siblings: [ready] })).findings;
    expect(finding?.says).toContain('it needs 80s to be ready (pod web-2)');
    expect(finding?.manifest).toBe(
      [
        'containers:',
        '- name: web',
        '  startupProbe:',
        '    httpGet:',
        '      path: /healthz',
        '      port: 8080',
        '    periodSeconds: 5',
        '    failureThreshold: 32',
        '',
      ].join('\n'),
    );
  });
});

describe('probes that do not kill', () => {
  const timeout = (given: Parameters<typeof event>[2]): ReturnType<typeof event> =>
    unhealthy('command timed out: "x" timed out after 1s', given);
  const running = pod({ container: { livenessProbe: http, resources: { limits: { cpu: '50m' } } } });

  it.each<[string, Partial<PodEvidence>, readonly string[]]>([
    ['three time-outs lately', { events: [timeout({ count: 3, seconds: 20, first: 60 })] }, ['probe-timeout']],
    ['two', { events: [timeout({ count: 2, seconds: 20, first: 60 })] }, []],
    ['long ago', { events: [timeout({ count: 9, seconds: 1200, first: 1300 })] }, []],
    ['one an hour', { events: [timeout({ count: 3, seconds: 20, first: 7200 })] }, []],
    ['while it started', { events: [timeout({ count: 3, seconds: 3589, first: 3590 })] }, []],
    [
      'throttled',
      {
        events: [timeout({ count: 3, seconds: 20, first: 60 })],
        throttling: { web: { periods: 100, throttledPeriods: 90 } },
      },
      ['cpu-throttled'],
    ],
    ['throttled, and all is well', { throttling: { web: { periods: 100, throttledPeriods: 90 } } }, []],
  ])('%s', (_, given, ids) => {
    expect(diagnosePod(evidence({ pod: running, ...given })).findings.map(({ id }) => id)).toEqual(ids);
  });

  const unready = (startedAt: string, extra: object = {}): PodEvidence['pod'] =>
    pod({
      container: { readinessProbe: http, ...extra },
      status: { ready: false, state: { running: { startedAt } } },
      podStatus: {
        conditions: [
          { type: 'ContainersReady', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: ago(3600) },
        ],
      },
    });
  const failing = event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', {
    container: 'web',
    count: 9,
  });

  it.each<[string, Partial<PodEvidence>, readonly string[]]>([
    ['not ready for long', { pod: unready(ago(300)), events: [failing] }, ['readiness-failing']],
    ['not ready yet', { pod: unready(ago(20)), events: [failing] }, []],
    [
      'in the time that its startup probe leaves it',
      {
        pod: unready(ago(300), {
          startupProbe: { ...http, failureThreshold: 600 },
        }),
        events: [failing],
      },
      [],
    ],
    ['nobody says why', { pod: unready(ago(300)) }, ['not-ready']],
    [
      'it was ready before',
      {
        pod: {
          ...unready(ago(300)),
          status: {
            ...unready(ago(300)).status,
            conditions: [{ type: 'ContainersReady', status: 'False', lastTransitionTime: ago(10) }],
          },
        },
        events: [failing],
      },
      ['readiness-failing'],
    ],
    [
      'its log says what it waits for',
      {
        pod: unready(ago(300)),
        events: [failing],
        logs: { web: { current: ['retrying: dial tcp 10.0.0.7:5432: connect: connection refused'] } },
      },
      ['dependency-refused'],
    ],
  ])('%s', (_, given, ids) => {
    expect(diagnosePod(evidence(given)).findings.map(({ id }) => id)).toEqual(ids);
  });

  it('a command that is not there neither kills nor passes', () => {
    const probe = { exec: { command: ['/no/probe'] } };
    const errored = event(
      'Unhealthy',
      'Liveness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: exec: "/no/probe": stat /no/probe: no such file or directory: unknown',
      { container: 'web' },
    );
    const [finding] = diagnosePod(
      evidence({ pod: pod({ container: { livenessProbe: probe } }), events: [errored] }),
    ).findings;
    expect(finding).toMatchObject({ id: 'probe-command', severity: 'warning' });
    expect(finding?.says).toContain('can never run: its command /no/probe');
    expect(quoteText(finding!.evidence[0]!, NOW)).toContain('/no/probe');
  });
});
