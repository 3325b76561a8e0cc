/** Tests what findings about probes say of the answer: what was asked, what came back, and what the program's log says of that. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

type Type = 'liveness' | 'readiness' | 'startup';
const upper = (type: Type): string => type.replace(/^./, (letter) => letter.toUpperCase());
const http = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 2, failureThreshold: 3 };

interface Given {
  readonly probe?: object;
  readonly count?: number;
  readonly lines?: readonly string[];
  /** Seconds since its start, and since it was ready last. */
  readonly age?: number;
  readonly wasReady?: boolean;
  readonly container?: object;
}

/** A container that runs and is not ready, because this probe says so. */
function unready(type: Type, output: string, given: Given = {}): Partial<PodEvidence> {
  const { probe = http, count = 20, lines = [], age = 300, wasReady = false, container } = given;
  const one = pod({
    container: { [`${type}Probe`]: probe, ...container },
    status: { ready: false, started: type !== 'startup', state: { running: { startedAt: ago(age) } } },
  });
  const conditions = ['ContainersReady', 'Ready'].map((name) => ({
    type: name,
    status: 'False',
    lastTransitionTime: ago(wasReady ? age - 60 : age),
  }));
  return {
    pod: { ...one, status: { ...one.status, conditions } },
    events: [event('Unhealthy', `${upper(type)} probe failed: ${output}`, { container: 'web', seconds: 5, count })],
    logs: { web: { current: lines } },
  };
}

const STATUS = 'HTTP probe failed with statuscode: 400';
const TIMEOUT =
  'Get "http://10.0.0.9:8080/ready": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

const SILENT = 'Get "http://10.0.0.9:8080/ready": dial tcp 10.0.0.9:8080: connect: connection refused';
const RETRIES = (error: string): readonly string[] =>
  [1, 2, 3].map((attempt) => JSON.stringify({ level: 40, err: error, attempt, msg: 'not there yet, retrying' }));

describe('a probe that keeps a container from being ready', () => {
  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    [
      'the answer, and the log about it',
      unready('readiness', STATUS, {
        lines: ["ERROR Invalid HTTP_HOST header: '10.0.0.9:8080'. You may need to add '10.0.0.9' to ALLOWED_HOSTS."],
      }),
      'readiness-failing',
      /\/ready on port 8080 answers 400, and its log says: .*ALLOWED_HOSTS/,
    ],
    [
      'a page that is forbidden, by the server itself',
      unready('readiness', 'HTTP probe failed with statuscode: 403', {
        lines: [
          '2026/01/31 16:57:12 [error] 7#7: *16 directory index of "/srv/html/" is forbidden, client: 10.244.0.1, server: , request: "GET /ready HTTP/1.1", host: "10.0.0.9:8080"',
          '10.244.0.1 - - [31/Jan/2026:16:57:12 +0000] "GET /ready HTTP/1.1" 403 153 "-" "kube-probe/1.36"',
        ],
      }),
      'probe-unauthorized',
      /\/ready on port 8080 answers 403, and its log says: directory index of "\/srv\/html\/" is forbidden/,
    ],
    [
      'a limit that its command sets',
      unready('readiness', TIMEOUT, {
        container: { command: ['sh', '-c', 'ulimit -n 48\nexec /srv/events'] },
        lines: Array.from(
          { length: 12 },
          (_, at) =>
            `2026/01/31 11:59:${20 + at} http: Accept error: accept tcp [::]:8080: accept4: too many open files; retrying in 1s`,
        ),
      }),
      'too-many-files',
      /too many open files.*; its command sets ulimit -n 48$/,
    ],
    [
      'a file that is not there for a page',
      unready('readiness', 'HTTP probe failed with statuscode: 404', {
        lines: [
          '2026/01/31 17:05:09 [error] 8#8: *14 open() "/var/www/landing/ready" failed (2: No such file or directory), client: 10.244.0.1, server: , request: "GET /ready HTTP/1.1"',
        ],
      }),
      'probe-path',
      /answers 404, and its log says: open\(\) "\/var\/www\/landing\/ready" failed/,
    ],
    [
      'a path that is not there, beside what the workers said at the start',
      unready('readiness', 'HTTP probe failed with statuscode: 404', {
        lines: [
          '[alert] (1)Operation not permitted: AH02156: setgid: unable to set group id to Group 33',
          '[alert] (1)Operation not permitted: AH02156: setgid: unable to set group id to Group 33',
          ...Array.from({ length: 9 }, () => '10.2.0.1 - - [31/Jan/2026:16:57:12 +0000] "GET /ready HTTP/1.1" 404 196'),
        ],
      }),
      'probe-path',
      /but the container answers: there is nothing at \/ready(?: on port \d+)? \(404\)$/,
    ],
    [
      'a path that is not there, beside an error of something else',
      unready('readiness', 'HTTP probe failed with statuscode: 404', {
        lines: ['ERROR cannot send metrics to http://metrics:9091', 'listening on :8080'],
      }),
      'probe-path',
      /but the container answers: there is nothing at \/ready(?: on port \d+)? \(404\)$/,
    ],
    [
      'a heartbeat that stands still, and at what',
      unready('readiness', '', {
        probe: { exec: { command: ['sh', '-c', 'test -f /tmp/beat'] } },
        lines: Array.from(
          { length: 4 },
          () => '{"lvl":"warn","m":"segment not stored","status":507,"url":"http://nas:8080/a.ts"}',
        ),
      }),
      'readiness-failing',
      /fails without a word, and its log says again and again: segment not stored .*http:\/\/nas:8080\/a\.ts/,
    ],
    [
      'what a command says',
      unready('readiness', 'cannot reach queue', { probe: { exec: { command: ['check', '--all'] } } }),
      'readiness-failing',
      /its readiness probe fails: its command check --all says: cannot reach queue$/,
    ],
    [
      'what a gRPC server says',
      unready('readiness', 'error: this server does not implement the grpc health protocol', {
        probe: { grpc: { port: 50051 } },
      }),
      'readiness-failing',
      /port 50051 gives: error: this server does not implement/,
    ],
    [
      'a redirect to a port where nothing listens',
      unready('readiness', 'Get "https://10.0.0.9:443/ready": dial tcp 10.0.0.9:443: connect: connection refused'),
      'probe-redirect',
      /\/ready on port 8080 is redirected to HTTPS on port 443, where nothing listens$/,
    ],
    [
      'a command line in one text',
      unready('readiness', 'exec: "redis-cli ping | grep PONG": executable file not found in $PATH', {
        probe: { exec: { command: ['redis-cli ping | grep PONG'] } },
      }),
      'probe-command',
      /its command is one text, "redis-cli ping \| grep PONG", which no shell takes apart/,
    ],
    [
      'nothing in TLS',
      unready('readiness', 'Get "https://10.0.0.9:8080/ready": net/http: TLS handshake timeout', {
        probe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTPS' } },
      }),
      'probe-scheme',
      /asks port 8080 by HTTPS, but nothing there has ever answered in TLS/,
    ],
    [
      'no answer of one that answered before',
      unready('readiness', TIMEOUT, { wasReady: true }),
      'probe-timeout',
      /no answer from \/ready on port 8080 within its timeout of 1s \(20 times\), although it answered before$/,
    ],
    [
      'no answer, and an error in the log',
      unready('readiness', TIMEOUT, {
        lines: ['2026/01/31 11:59:58 [emerg] 8#8: setgid(33) failed (1: Operation not permitted)'],
      }),
      'permission-denied',
      /setgid\(33\) failed.*; so its readiness probe gets no answer, and it is not ready$/,
    ],
    [
      'nothing listens, as a database that is asked again and again does not exist',
      unready('readiness', SILENT, { lines: ['starting', ...RETRIES('database "orders" does not exist')] }),
      'missing-data',
      /does not find data that it needs in its peer: .*database "orders" does not exist; so nothing listens on port 8080, and it is not ready$/,
    ],
    [
      'nothing listens, as workers die one after the other',
      unready('readiness', SILENT, {
        lines: [1, 2, 3].flatMap((pid) => [
          `worker ${pid} forked`,
          "Error: ENOENT: no such file or directory, open '/srv/assets.json'",
          '    at Object.openSync (node:fs:621:18)',
          '    at Object.<anonymous> (/app/worker.js:3:9)',
          `worker ${pid} exited with code 1, forking another`,
        ]),
      }),
      'missing-setting',
      /does not find its file \/srv\/assets\.json .*; so nothing listens on port 8080, and it is not ready$/,
    ],
    [
      'nothing listens, as a folder could not be made',
      unready('readiness', SILENT, {
        lines: [
          "Error: EACCES: permission denied, mkdir '/.tool/logs'",
          'tool log: in no daemon mode',
          'tool log: reads its settings',
          "Error: ENOENT: no such file or directory, open '/.tool/tool.pid'",
        ],
      }),
      'permission-denied',
      /may not (?:write|use) \/\.tool\/logs.*; so nothing listens/,
    ],
    [
      'no answer, as a peer refuses',
      unready('readiness', TIMEOUT, { lines: RETRIES('connect ECONNREFUSED 10.0.4.4:6379') }),
      'dependency-refused',
      /is refused by 10\.0\.4\.4:6379 and is not ready$/,
    ],
    [
      'nothing listens, and an error that was overcome',
      unready('readiness', SILENT, {
        lines: ['ERROR cannot load plugin: open /etc/plugin.yaml: no such file', 'loading index', 'index has 3 parts'],
      }),
      'readiness-failing',
      /its readiness probe fails(?!.*plugin)/,
    ],
    [
      'a dependency that the log names',
      unready('readiness', STATUS.replace('400', '503'), {
        lines: ['redis error getaddrinfo ENOTFOUND session-redis'],
      }),
      'dependency-not-resolved',
      /does not find session-redis \(no such name\) and is not ready/,
    ],
  ])('%s', (_what, given, id, says) => {
    const [first] = diagnosePod(evidence(given)).findings;
    expect(first?.says).toMatch(says);
    expect(first).toMatchObject({ id, severity: 'critical' });
  });

  it('only a slow program is told to get more time', () => {
    const patch = (wasReady: boolean): string | undefined =>
      diagnosePod(evidence(unready('readiness', TIMEOUT, { wasReady }))).findings[0]?.manifest;
    expect(patch(false)).toContain('timeoutSeconds: 5');
    expect(patch(true)).toBeUndefined();
  });
});

describe('a start that takes its time', () => {
  const refused = 'Get "http://10.0.0.9:8080/ready": dial tcp 10.0.0.9:8080: connect: connection refused';
  const patient = { ...http, failureThreshold: 300 };

  it.each<[string, Partial<PodEvidence>, string, string, RegExp]>([
    [
      'a startup probe that has time left',
      unready('startup', refused, { probe: patient, age: 100 }),
      'starting-up',
      'info',
      /has not started up yet: its startup probe fails; it is killed in 8m21s, unless the probe succeeds before$/,
    ],
    [
      'one that can never succeed',
      unready('startup', refused, { probe: patient, age: 100, lines: ['listening on :9090'] }),
      'probe-port',
      'warning',
      /nothing listens on port 8080, and it says that it listens on 9090; it is killed in/,
    ],
    [
      'a program that says that it loads',
      unready('readiness', STATUS.replace('400', '503'), { lines: ['loading model, this takes a while'] }),
      'starting-up',
      'info',
      /is still starting: \/ready on port 8080 answers 503; its log says: loading model/,
    ],
  ])('%s', (_what, given, id, severity, says) => {
    const [first] = diagnosePod(evidence(given)).findings;
    expect(first?.says).toMatch(says);
    expect(first).toMatchObject({ id, severity });
  });
});

describe('a kill by a probe that was answered', () => {
  it('is told with the peer that refuses', () => {
    const container = { livenessProbe: { ...http, httpGet: { path: '/health', port: 8080 } } };
    const given: Partial<PodEvidence> = {
      pod: pod({ container, status: crashed({ exitCode: 137, lived: 400 }) }),
      events: [
        event('Killing', 'Container web failed liveness probe, will be restarted', { container: 'web', seconds: 31 }),
        event('Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 500', {
          container: 'web',
          count: 3,
        }),
      ],
      logs: lastWords(
        'ERROR health: connection to server at "orders-db", port 5432 failed: Connection refused',
        '10.0.0.1 - - [31/Jan/2026 11:59:30] "GET /health HTTP/1.1" 500 -',
      ),
    };
    expect(diagnosePod(evidence(given)).findings[0]).toMatchObject({
      id: 'dependency-refused',
      says: expect.stringMatching(
        /is refused by orders-db:5432, so its liveness probe fails and it is killed/,
      ) as string,
    });
  });
});

describe('a kill by a probe before anything listens', () => {
  const killed = (...lines: readonly string[]): Partial<PodEvidence> => ({
    pod: pod({ container: { startupProbe: http }, status: crashed({ exitCode: 137, lived: 12 }) }),
    events: [
      event('Killing', 'Container web failed startup probe, will be restarted', { container: 'web', seconds: 31 }),
      event('Unhealthy', `Startup probe failed: ${SILENT}`, { container: 'web', count: 3, seconds: 31 }),
    ],
    logs: lastWords(...lines),
  });

  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    [
      'is told with the peer for which the program waits',
      killed('starting', ...RETRIES('connect ECONNREFUSED 10.0.4.4:5432')),
      'dependency-refused',
      /is refused by 10\.0\.4\.4:5432, so nothing listens when its startup probe asks, and it is killed$/,
    ],
    [
      'is told with the name that it does not find',
      killed(...RETRIES('getaddrinfo ENOTFOUND orders-db')),
      'dependency-not-resolved',
      /does not find orders-db \(no such name\), so nothing listens/,
    ],
    [
      'is told with the password that is refused',
      killed(...RETRIES('password authentication failed for user "app"')),
      'authentication-refused',
      /which refuses its password or user.*; so nothing listens on port 8080, and its startup probe kills it$/,
    ],
    [
      'is early for a slow program',
      killed('starting', 'loading 40 modules'),
      'probe-too-early',
      /before anything listens/,
    ],
    [
      'is told with what it waits for, at level info',
      killed('database connected', ...Array.from({ length: 4 }, () => 'waiting for schema version 42, current is 41')),
      'probe-too-early',
      /its startup probe while it says again and again: waiting for schema version 42, current is 41, before anything listens/,
    ],
    [
      'is told with an error that comes again, and holds a secret',
      killed(...Array.from({ length: 3 }, () => 'ERROR tenant postgres://app:hunter22@db:5432/shop is not migrated')),
      'probe-too-early',
      /its log says again and again: tenant postgres:\/\/\*\*\*@db:5432\/shop is not migrated$/,
    ],
    [
      'is told with its last word, where it fell silent',
      killed('portal is coming up', 'binding to directory ldaps://ldap:636'),
      'probe-too-early',
      /; its last word: binding to directory ldaps:\/\/ldap:636$/,
    ],
    [
      'is early for a program that has got over its peer',
      killed('connect ECONNREFUSED 10.0.4.4:5432, retrying', 'connected to database', 'loading 40 modules'),
      'probe-too-early',
      /before anything listens/,
    ],
  ])('%s', (_what, given, id, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings[0]?.says).toMatch(says);
    expect(findings.map((one) => one.id)).toEqual([id]);
    if (id !== 'probe-too-early') expect(findings[0]?.manifest).toBeUndefined();
  });
});

const SILENT_COMMAND = { exec: { command: ['test', '-e', '/tmp/ok'] }, periodSeconds: 2, failureThreshold: 3 };
const CERTIFICATE =
  "cannot reach billing: HTTPSConnectionPool(host='billing', port=8443): Max retries exceeded with url: / (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:992)')))";
const ONCE_REFUSED =
  "cannot reach billing: HTTPSConnectionPool(host='billing', port=8443): Max retries exceeded with url: / (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7faf89515710>: Failed to establish a new connection: [Errno 111] Connection refused'))";
const UNAVAILABLE = 'HTTP probe failed with statuscode: 503';
const cart = (error: string): string => `ERROR CartController - cart store redis cache:6379 failed: ${error}`;

describe('a probe whose answer says nothing, of a program whose log tells of a known cause', () => {
  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    [
      'a command without a word',
      unready('readiness', '', { probe: SILENT_COMMAND, lines: [CERTIFICATE, CERTIFICATE, CERTIFICATE] }),
      'certificate-expired',
      /^container web refuses the certificate of billing:8443.*expired.*; so its readiness probe fails, and it is not ready$/,
    ],
    [
      'a status',
      unready('readiness', UNAVAILABLE, {
        lines: [
          'ERROR db down: FATAL:  database "shop" does not exist',
          'ERROR db down: FATAL:  database "shop" does not exist',
        ],
      }),
      'missing-data',
      /database "shop" does not exist; so \/ready on port 8080 answers 503, and it is not ready$/,
    ],
    [
      'an older refusal, which later errors have outdated',
      unready('readiness', '', {
        probe: SILENT_COMMAND,
        lines: [ONCE_REFUSED, CERTIFICATE, CERTIFICATE, CERTIFICATE],
      }),
      'certificate-expired',
      /expired/,
    ],
    [
      'an older refusal, of what no rule knows',
      unready('readiness', UNAVAILABLE, {
        lines: [
          'cart-api started on 8080',
          cart('java.net.ConnectException: Connection refused'),
          ...Array.from({ length: 5 }, () => cart('java.io.IOException: the replica is stale')),
        ],
      }),
      'readiness-failing',
      /answers 503, and its log says: .*the replica is stale/,
    ],
    [
      'a refusal that goes on',
      unready('readiness', UNAVAILABLE, {
        lines: [CERTIFICATE, CERTIFICATE, ONCE_REFUSED, ONCE_REFUSED],
      }),
      'dependency-refused',
      /refused by billing:8443/,
    ],
  ])('%s', (_what, given, id, says) => {
    const { findings } = diagnosePod(evidence(given));
    expect(findings[0]?.says).toMatch(says);
    expect(findings.map((one) => one.id)).toEqual([id]);
  });
});

describe('an end that was got over', () => {
  const back = (seconds: number, restartCount = 1): Partial<PodEvidence> => ({
    pod: pod({
      status: {
        restartCount,
        state: { running: { startedAt: ago(seconds) } },
        lastState: {
          terminated: { exitCode: 1, reason: 'Error', startedAt: ago(seconds + 8), finishedAt: ago(seconds + 3) },
        },
      },
    }),
    logs: lastWords('Error: connect ECONNREFUSED 10.0.0.4:7000'),
  });

  it.each<[string, Partial<PodEvidence>, string, RegExp]>([
    ['just now', back(20), 'warning', /and ends$/],
    ['some time ago', back(120), 'info', /and ends; it has run well since, for 2m$/],
    ['of several at its start', back(120, 4), 'info', /it has run well since, for 2m$/],
    ['of many', back(120, 7), 'warning', /and ends$/],
  ])('%s', (_what, given, severity, says) => {
    const [first] = diagnosePod(evidence(given)).findings;
    expect(first).toMatchObject({ id: 'dependency-refused', severity });
    expect(first?.says).toMatch(says);
  });
});
