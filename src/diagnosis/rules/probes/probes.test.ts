/** Tests findings about faulty probes, and the suggested probes. */
import { describe, expect, it } from 'vitest';
import type { FailedProbe } from '../../../api/index.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, history, lastWords, NOW, pod, type PodGiven } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { quoteText } from '../../quote-text.ts';

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

describe('a kill that waits for the end of its grace', () => {
  const frozen = (type: 'Liveness' | 'Startup', spec: object = {}): Partial<PodEvidence> => ({
    pod: pod({
      container: { livenessProbe: http, startupProbe: http },
      spec,
      status: { ready: false, state: { running: { startedAt: ago(600) } } },
    }),
    events: [
      event('Killing', `Container web failed ${type.toLowerCase()} probe, will be restarted`, {
        container: 'web',
        seconds: 12,
      }),
      event('Unhealthy', `${type} probe failed: Get "http://10.0.0.9:8080/healthz": context deadline exceeded`, {
        container: 'web',
        seconds: 12,
        count: 3,
      }),
      event('Unhealthy', 'Readiness probe failed: timeout: context deadline exceeded', { container: 'web', count: 9 }),
    ],
  });

  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'what happens next, and when',
      frozen('Liveness'),
      /is being killed by its liveness probe: no answer .*; it still runs 12s after it was told to end, and is killed \(SIGKILL\) in 18s, when its grace of 30s is over; then it is started again$/,
    ],
    [
      'a pod that starts nothing again',
      frozen('Startup', { restartPolicy: 'Never', terminationGracePeriodSeconds: 60 }),
      /by its startup probe: .* in 48s, .* of 60s is over; it is not started again$/,
    ],
  ])('%s', (_, given, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings.map(({ id, severity }) => [id, severity])).toEqual([['probe-timeout', 'critical']]);
    expect(findings[0]?.says).toMatch(says);
  });

  it('is not taken from the life before', () => {
    const given = frozen('Liveness');
    const again = pod({ container: { livenessProbe: http }, status: { state: { running: { startedAt: ago(12) } } } });
    expect(diagnosePod(evidence({ ...given, pod: again })).findings).toEqual([]);
  });

  it('a pod that is deleted, and takes long', () => {
    const ending = (seconds: number, spec: object = {}, container: object = {}): Partial<PodEvidence> => ({
      pod: pod({
        metadata: { deletionTimestamp: ago(-600 + seconds), deletionGracePeriodSeconds: 600 },
        spec,
        container,
      }),
    });
    const preStop = { lifecycle: { preStop: { exec: { command: ['sleep', '500'] } } } };
    const told = (given: Partial<PodEvidence>) => diagnosePod(evidence(given));
    expect(told(ending(10))).toMatchObject({
      state: 'Terminating, web still runs, and is killed in 9m50s',
      findings: [],
    });
    expect(told(ending(90)).findings).toMatchObject([{ id: 'slow-end', severity: 'info' }]);
    expect(told(ending(90, {}, preStop)).findings[0]?.says).toMatch(
      /takes long\): it still runs 90s after .*, its preStop hook included, and is killed \(SIGKILL\) in 8m30s/,
    );
  });
});

describe('probes that kill', () => {
  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    [
      '404',
      killedBy('HTTP probe failed with statuscode: 404'),
      'probe-path',
      /nothing at \/healthz on port 8080 \(404\)/,
    ],
    ['403', killedBy('HTTP probe failed with statuscode: 403'), 'probe-unauthorized', /wants to know who asks \(403\)/],
    [
      '500',
      killedBy('HTTP probe failed with statuscode: 500'),
      'liveness-failing',
      /is killed by its liveness probe: \/healthz on port 8080 answers 500$/,
    ],
    [
      'HTTPS where there is HTTP',
      killedBy('Get "https://10.0.0.9:8080/": http: server gave HTTP response to HTTPS client', {
        livenessProbe: { ...http, httpGet: { ...http.httpGet, scheme: 'HTTPS' } },
      }),
      'probe-scheme',
      /asks port 8080 by HTTPS, but the container answers by HTTP$/,
    ],
    [
      'HTTP where there is HTTPS',
      killedBy('Get "http://10.0.0.9:8080/": net/http: HTTP/1.x transport connection broken: malformed HTTP response'),
      'probe-scheme',
      /asks port 8080 by HTTP, but the container answers by HTTPS$/,
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
    [
      'HTTP where a port that speaks TLS answers 400',
      killedBy('HTTP probe failed with statuscode: 400', {
        livenessProbe: { ...http, httpGet: { path: '/', port: 8443 } },
      }),
      'probe-scheme',
      /asks port 8443 by HTTP, but the container answers by HTTPS$/,
    ],
    [
      'a bad request at a plain port',
      killedBy('HTTP probe failed with statuscode: 400'),
      'liveness-failing',
      /is killed by its liveness probe: \/healthz on port 8080 answers 400$/,
    ],
    [
      'a command that asks too early',
      {
        ...killedBy('pg_isready: no response', {
          livenessProbe: { exec: { command: ['pg_isready'] }, periodSeconds: 1, failureThreshold: 3 },
        }),
        logs: {
          web: { previous: ['LOG:  database system was not properly shut down; automatic recovery in progress'] },
        },
      },
      'probe-too-early',
      /before its command succeeds: the probe leaves it 3s/,
    ],
    [
      'a command that never succeeds',
      killedBy('no', { livenessProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 3 } }),
      'liveness-failing',
      /is killed by its liveness probe: its command false says: no$/,
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
      /no answer from \/healthz on port 8080 within its timeout of 1s \(3 times\)/,
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

describe('a start whose time only another version or the log tells', () => {
  const hashed = (name: string, hash: string, given: PodGiven = {}) =>
    pod({ name, metadata: { labels: { 'pod-template-hash': hash } }, ...given });
  const old = hashed('web-2', 'a', {
    container: { readinessProbe: http },
    status: { state: { running: { startedAt: ago(900) } } },
    podStatus: { conditions: [{ type: 'ContainersReady', status: 'True', lastTransitionTime: ago(897) }] },
  });
  const killed = (line: string): Partial<PodEvidence> => ({
    ...killedBy(refused),
    pod: hashed('web-1', 'b', {
      container: { livenessProbe: http },
      status: crashed({ exitCode: 137, lived: 4 }),
    }),
    logs: lastWords(line),
    siblings: [old],
  });

  it.each<[string, string, string]>([
    ['the log says how long', 'loading index, this takes 60 s', 'periodSeconds: 2\n    failureThreshold: 60'],
    ['the log says minutes', 'INFO warming caches, up to 5 min', 'periodSeconds: 5\n    failureThreshold: 120'],
    ['nothing says how long', 'loading index', 'periodSeconds: 2\n    failureThreshold: 30'],
  ])('%s', (_, line, budget) => {
    const [finding] = diagnosePod(evidence(killed(line))).findings;
    expect(finding?.id).toBe('probe-too-early');
    expect(finding?.says).not.toContain('to be ready (pod web-2)');
    expect(finding?.manifest).toContain(budget);
  });
});

describe('where the node saw the pod listen when it refused', () => {
  type Ports = NonNullable<FailedProbe['listening']>;
  const seen = (listening: Ports | undefined, type: FailedProbe['type'] = 'liveness'): FailedProbe => ({
    type,
    outputs: [{ at: ago(31), output: refused }],
    ...(listening === undefined ? {} : { listening }),
  });
  const killedWhile = (listening: Ports | undefined, given: PodGiven = {}): Partial<PodEvidence> => ({
    pod: pod({
      ...given,
      container: { livenessProbe: http, ...given.container },
      status: crashed({ exitCode: 137, lived: 4 }),
    }),
    history: history({ exitCode: 137, probe: seen(listening) }),
  });
  const own = (port: number, loopback?: string): Ports[number] => ({
    port,
    own: true,
    ...(loopback === undefined ? {} : { loopback }),
  });
  const unreadyWhile = (listening: Ports, container: PodGiven['container'] = {}): Partial<PodEvidence> => ({
    pod: pod({
      container: { readinessProbe: http, ...container },
      status: { ready: false, state: { running: { startedAt: ago(300) } } },
      podStatus: { conditions: [{ type: 'ContainersReady', status: 'False', lastTransitionTime: ago(3600) }] },
    }),
    events: [event('Unhealthy', `Readiness probe failed: ${refused}`, { container: 'web', count: 9 })],
    history: [{ name: 'web', total: 0, deaths: [], refused: [seen(listening, 'readiness')] }],
  });
  const other = { name: 'proxy', image: 'proxy:1' };
  const beside = (proxy: object): PodGiven => ({
    spec: { initContainers: [{ ...other, restartPolicy: 'Always', ...proxy }] },
  });
  const readySibling = (readinessProbe: object): Partial<PodEvidence> => ({
    siblings: [pod({ name: 'web-2', container: { readinessProbe } })],
  });

  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    ['elsewhere', killedWhile([own(9090)]), 'probe-port', /: nothing listens on port 8080, but it listens on 9090$/],
    [
      'elsewhere, twice',
      killedWhile([own(9090), own(9091)]),
      'probe-port',
      /: nothing listens on port 8080, but it listens on 9090 and 9091$/,
    ],
    [
      'elsewhere, and declares the wrong port as well',
      killedWhile([own(9090)], { container: { ports: [{ containerPort: 8080 }] } }),
      'probe-port',
      /: nothing listens on port 8080 within the 3s that the probe leaves it, but it listens on 9090$/,
    ],
    [
      'elsewhere than declared',
      killedWhile([own(9090)], { container: { ports: [{ containerPort: 7070 }] } }),
      'probe-port',
      /but it listens on 9090$/,
    ],
    [
      'its loopback address alone',
      killedWhile([own(8080, '127.0.0.1')]),
      'probe-port',
      /is killed by its liveness probe: it listens on 127\.0\.0\.1:8080 only/,
    ],
    ['its loopback of IPv6', killedWhile([own(8080, '::1')]), 'probe-port', /it listens on \[::1\]:8080 only/],
    [
      'somebody of the pod',
      killedWhile([{ port: 9090 }]),
      'probe-port',
      /: nothing listens on port 8080, but the pod listens on 9090$/,
    ],
    [
      'somebody, on a port that another container declares',
      killedWhile([{ port: 9090 }], beside({ ports: [{ containerPort: 9090 }] })),
      'probe-too-early',
      /before anything listens on port 8080/,
    ],
    [
      'somebody, on a port that the probe of another container asks',
      killedWhile([{ port: 9090 }], beside({ startupProbe: { tcpSocket: { port: 9090 } } })),
      'probe-too-early',
      /before anything/,
    ],
    [
      'somebody, on two ports of which another container declares one',
      killedWhile([{ port: 9090 }, { port: 9091 }], beside({ ports: [{ containerPort: 9090 }] })),
      'probe-port',
      /the pod listens on 9091$/,
    ],
    [
      'another container alone',
      killedWhile([{ port: 9090, own: false }]),
      'probe-too-early',
      /before anything listens/,
    ],
    ['nowhere', killedWhile([]), 'probe-too-early', /before anything listens on port 8080/],
    ['nobody looked', killedWhile(undefined), 'probe-too-early', /before anything listens on port 8080/],
    ['there by now', killedWhile([own(8080), own(9090)]), 'probe-too-early', /before anything listens on port 8080/],
    ['a debugger, before it serves', killedWhile([own(5005, '127.0.0.1')]), 'probe-too-early', /before anything/],
    [
      'a management port first: a sibling answers the probe',
      { ...killedWhile([own(9010)]), ...readySibling(http) },
      'probe-too-early',
      /before anything/,
    ],
    [
      'elsewhere, and a sibling answers elsewhere as well',
      { ...killedWhile([own(9090)]), ...readySibling({ tcpSocket: { port: 9090 } }) },
      'probe-port',
      /but it listens on 9090$/,
    ],
    [
      'a management port first: an earlier life answered',
      {
        ...killedWhile([own(9010)]),
        history: history(
          { exitCode: 1, startedAt: ago(4000), finishedAt: ago(100) },
          { exitCode: 137, probe: seen([own(9010)]) },
        ),
      },
      'probe-too-early',
      /before anything/,
    ],
    [
      'elsewhere, and the machine was slow to kill it once',
      {
        ...killedWhile([own(9090)]),
        history: history(
          { exitCode: 137, startedAt: ago(200), finishedAt: ago(100) },
          { exitCode: 137, probe: seen([own(9090)]) },
        ),
      },
      'probe-port',
      /but it listens on 9090$/,
    ],
    [
      'a management port still: it served, and stopped',
      {
        ...killedWhile([own(9010)]),
        pod: pod({ container: { livenessProbe: http }, status: crashed({ exitCode: 137, lived: 900 }) }),
        history: history({ exitCode: 137, startedAt: ago(930), probe: seen([own(9010)]) }),
      },
      'liveness-failing',
      /is killed by its liveness probe: nothing listens on port 8080$/,
    ],
    [
      'elsewhere, where its startup probe finds it',
      killedWhile([own(9090)], { container: { startupProbe: { tcpSocket: { port: 9090 } } } }),
      'probe-port',
      /but it listens on 9090$/,
    ],
    [
      'a management port still: its startup probe was answered',
      killedWhile([own(9010)], { container: { startupProbe: http } }),
      'liveness-failing',
      /nothing listens on port 8080$/,
    ],
    [
      'not ready: elsewhere',
      unreadyWhile([own(9090)]),
      'probe-port',
      /is not ready.*: nothing listens on port 8080, but it listens on 9090$/,
    ],
    ['not ready: its loopback address', unreadyWhile([own(8080, '127.0.0.1')]), 'probe-port', /127\.0\.0\.1:8080 only/],
    [
      'not ready: nowhere',
      unreadyWhile([]),
      'readiness-failing',
      /is not ready: its readiness probe fails: nothing listens on port 8080$/,
    ],
  ])('%s', (_, given, id, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
  });

  const unconnected = 'timeout: failed to connect service "10.0.0.9:8080" within 1s: context deadline exceeded';
  const grpcWhile = (listening: Ports | undefined): Partial<PodEvidence> => {
    const livenessProbe = { grpc: { port: 8080 }, periodSeconds: 1 };
    const outputs = [{ at: ago(31), output: unconnected }];
    const given = killedWhile(listening, { container: { livenessProbe } });
    return { ...given, history: history({ exitCode: 137, probe: { ...seen(listening), outputs } }) };
  };
  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    ['elsewhere', grpcWhile([own(9090)]), 'probe-port', /nothing listens on port 8080, but it listens on 9090$/],
    ['its loopback address alone', grpcWhile([own(8080, '::1')]), 'probe-port', /it listens on \[::1\]:8080 only/],
    ['nowhere', grpcWhile([]), 'probe-too-early', /before anything listens on port 8080/],
    [
      'there, and speaks something else',
      grpcWhile([own(8080)]),
      'probe-scheme',
      /asks port 8080 by gRPC, but what listens there does not speak it/,
    ],
    ['nobody looked', grpcWhile(undefined), 'probe-timeout', /no answer from port 8080 within its timeout of 1s/],
  ])('by gRPC: %s', (_, given, id, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
  });

  it('was ready before: its port was right then', () => {
    const given = unreadyWhile([own(9010)]);
    const conditions = [{ type: 'ContainersReady', status: 'False', lastTransitionTime: ago(10) }];
    const lost = { ...given.pod, status: { ...given.pod?.status, conditions } };
    expect(diagnosePod(evidence({ ...given, pod: lost })).findings[0]?.id).toBe('readiness-failing');
  });

  it.each<[string, Ports, string]>([
    ['ports', [own(9090), own(9091, '::1'), { port: 80, own: false }], '9090, [::1]:9091 only, 80 (another container)'],
    ['none', [], 'none'],
  ])('quotes it: %s', (_, listening, text) => {
    const quotes = diagnosePod(evidence(killedWhile(listening))).findings[0]?.evidence ?? [];
    expect(quotes.map((quote) => quoteText(quote, NOW))).toContain(`ports listened on then: ${text}`);
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

  const unready = (startedAt: string, extra: object = {}, started?: boolean): PodEvidence['pod'] =>
    pod({
      container: { readinessProbe: http, ...extra },
      status: { ready: false, state: { running: { startedAt } }, ...(started !== undefined && { started }) },
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
        pod: unready(ago(300), { startupProbe: { ...http, failureThreshold: 600 } }, false),
        events: [failing],
      },
      [],
    ],
    [
      'started up, and its other probe fails within the time of both: a note',
      {
        pod: unready(ago(60), { startupProbe: { ...http, failureThreshold: 600 } }, true),
        events: [
          event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', {
            container: 'web',
            count: 3,
            first: 40,
            seconds: 20,
          }),
        ],
      },
      ['readiness-failing'],
    ],
    [
      'a start whose probe has failed as often as it may: a note',
      {
        pod: unready(ago(20)),
        events: [
          event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 404', {
            container: 'web',
            count: 3,
            first: 15,
            seconds: 5,
          }),
        ],
      },
      ['probe-path'],
    ],
    [
      'a start whose probe has failed twice',
      {
        pod: unready(ago(20)),
        events: [
          event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 404', {
            container: 'web',
            count: 2,
            first: 15,
            seconds: 5,
          }),
        ],
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

  it.each([
    ['Liveness', 'livenessProbe', 'invalid port: htp'],
    ['Liveness', 'livenessProbe', 'strconv.Atoi: parsing "htp": invalid syntax'],
    ['Readiness', 'readinessProbe', 'invalid port: htp'],
  ])('%s: a port whose name nobody has', (type, field, problem) => {
    const ready = field === 'livenessProbe';
    const errored = event('Unhealthy', `${type} probe errored and resulted in unknown state: ${problem}`, {
      container: 'web',
    });
    const container = { ports: [{ name: 'http', containerPort: 80 }], [field]: { httpGet: { port: 'htp' } } };
    const [finding] = diagnosePod(evidence({ pod: pod({ container, status: { ready } }), events: [errored] })).findings;
    expect(finding).toMatchObject({ id: 'probe-port', severity: ready ? 'warning' : 'critical' });
    expect(finding?.says).toContain('no port of its container is called htp');
    expect(finding?.evidence.map((quote) => quoteText(quote, NOW)).join()).toContain('http');
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
