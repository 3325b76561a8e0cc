/** Tests what is told of a container that has a value of a ConfigMap or Secret as that was before it was written last. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { credentialsWanted } from '../../wanted.ts';
import { tellsEach, withFiles } from './cases.fixtures.ts';

const map = (name: string, texts: Readonly<Record<string, string>>, seconds: number): ConfigEvidence => ({
  kind: 'ConfigMap',
  name,
  state: 'found',
  keys: Object.keys(texts),
  texts,
  writtenAt: ago(seconds),
});
const secret = (name: string, keys: readonly string[], seconds: number): ConfigEvidence => ({
  kind: 'Secret',
  name,
  state: 'found',
  keys,
  writtenAt: ago(seconds),
});
const WHOLE = { envFrom: [{ configMapRef: { name: 'feedback' } }] };
const owners = [{ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'web', uid: 'd' } }] as never;
/** One that has run for ten minutes and is not ready. */
const unready = (container: object, configs: readonly ConfigEvidence[], ...lines: readonly string[]) =>
  ({
    pod: pod({ container, status: { ready: false, state: { running: { startedAt: ago(600) } } } }),
    logs: { web: { current: lines } },
    configs,
    owners,
  }) satisfies Partial<PodEvidence>;
const inFile = (subPath: string | undefined, ...rest: Parameters<typeof unready>): Partial<PodEvidence> => {
  const given = unready(
    { volumeMounts: [{ name: 'c', mountPath: subPath === undefined ? '/etc/app' : '/etc/app/app.yaml', subPath }] },
    ...(rest.slice(1) as [readonly ConfigEvidence[], string]),
  );
  return {
    ...given,
    pod: {
      ...given.pod,
      spec: { ...given.pod.spec, volumes: [{ name: 'c', configMap: { name: 'feedback' } }] } as never,
    },
  };
};
const NO_NAME = 'ERROR redis redis-old: Error -2 connecting to redis-old:6379. Name or service not known.';

describe('a value of before a ConfigMap was written', () => {
  tellsEach([
    [
      'of a host without a name',
      unready(WHOLE, [map('feedback', { REDIS_HOST: 'redis', MODE: 'a' }, 120)], NO_NAME, NO_NAME),
      'dependency-not-resolved',
      /^container web does not find redis-old \(no such name\) and is not ready: ConfigMap feedback, of which it has variable REDIS_HOST, was written 2m ago, after its start, and names redis now; a restart takes that$/,
      [/configmap\/feedback: written last at/],
    ],
    [
      'of a peer that refuses',
      unready(
        { env: [{ name: 'DATABASE_URL', valueFrom: { configMapKeyRef: { name: 'feedback', key: 'db' } } }] },
        [map('feedback', { db: 'postgres://pg:5432/app' }, 60)],
        'dial tcp: connect to pg-legacy:5432: connect: connection refused',
        'dial tcp: connect to pg-legacy:5432: connect: connection refused',
      ),
      'dependency-refused',
      /refused by pg-legacy:5432 and is not ready: ConfigMap feedback, of which it has variable DATABASE_URL, was written 60s ago, after its start, and names pg:5432 now; a restart takes that$/,
    ],
    [
      'of a peer that its log does not name',
      unready(
        WHOLE,
        [map('feedback', { DB_HOST: 'orders-db' }, 60)],
        'database: connection refused',
        'database: connection refused',
      ),
      'dependency-refused',
      /is refused by a peer and is not ready: ConfigMap feedback, of which it has variable DB_HOST, was written 60s ago, after its start, and names orders-db now; a restart takes that/,
    ],
    [
      'of a peer that does not answer',
      {
        pod: pod({ container: WHOLE, status: crashed({ exitCode: 1, ended: 20, lived: 8 }) }),
        logs: lastWords('ERROR Get "http://api-blue:8080/": dial tcp: i/o timeout'),
        configs: [map('feedback', { API_URL: 'http://api:8080' }, 24)],
      },
      'dependency-times-out',
      /; ConfigMap feedback, of which it has variable API_URL, was written 24s ago, after its start, and names api:8080 now; its next start takes that/,
    ],
    [
      'of a file that is mounted alone',
      inFile(
        'app.yaml',
        {},
        [map('feedback', { 'app.yaml': 'cache:\n  host: cache\n  port: 6379\n' }, 60)],
        NO_NAME.replaceAll('redis-old', 'cache-old'),
      ),
      'dependency-not-resolved',
      /: ConfigMap feedback, of which it has file \/etc\/app\/app\.yaml, was written 60s ago, after its start, and names cache:6379 now; a file that is mounted by its subPath stays as it was until a restart$/,
    ],
    [
      'of a file that it read at its start',
      inFile(
        undefined,
        {},
        [map('feedback', { 'app.yaml': 'upstream: http://cache:6379\n' }, 60)],
        NO_NAME.replaceAll('redis-old', 'cache-old'),
      ),
      'dependency-not-resolved',
      /: ConfigMap feedback, of which it has file \/etc\/app\/app\.yaml, was written 60s ago, after its start, and names cache:6379 now; a restart takes that$/,
    ],
    [
      'of a variable that a Secret has',
      unready(
        { env: [{ name: 'REDIS_URL', valueFrom: { secretKeyRef: { name: 'cache', key: 'url' } } }] },
        [secret('cache', ['url'], 90)],
        NO_NAME,
        NO_NAME,
      ),
      'dependency-not-resolved',
      /: Secret cache, of which it has variable REDIS_URL, was written 90s ago, after its start; a restart takes that$/,
    ],
    [
      'of a variable that it lacks, in a Job that is over',
      {
        pod: pod({
          container: WHOLE,
          spec: { restartPolicy: 'Never' },
          podStatus: { phase: 'Failed' },
          status: {
            ready: false,
            state: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(300), finishedAt: ago(299) } },
          },
        }),
        logs: { web: { current: ["KeyError: 'SMTP_HOST'"] } },
        configs: [map('feedback', { SMTP_HOST: 'mail' }, 60)],
      },
      'missing-setting',
      /lacks the environment variable SMTP_HOST; ConfigMap feedback, of which it has variable SMTP_HOST, was written 60s ago, after its start, and names mail now; a new pod takes that/,
    ],
    [
      'that the next start takes',
      {
        pod: pod({ container: WHOLE, status: crashed({ exitCode: 1, ended: 100, lived: 5 }) }),
        logs: lastWords(NO_NAME),
        configs: [map('feedback', { REDIS_HOST: 'redis' }, 20)],
      },
      'dependency-not-resolved',
      /was written 20s ago, after its start, and names redis now; its next start takes that$/,
    ],
  ]);

  const first = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0];

  it('is told with the restart of its workload', () => {
    const given = unready(WHOLE, [map('feedback', { REDIS_HOST: 'redis' }, 120)], NO_NAME, NO_NAME);
    expect(first(given)?.try[0]).toBe('kubectl rollout restart deployment/web');
  });

  it('is none where it still has the value, was written before, or has nothing to do with it', () => {
    const config = (host: string, seconds: number) => [map('feedback', { REDIS_HOST: host }, seconds)];
    for (const given of [
      unready(WHOLE, config('redis-old', 120), NO_NAME, NO_NAME),
      unready(WHOLE, config('redis', 900), NO_NAME, NO_NAME),
      unready(WHOLE, [map('feedback', { MODE: 'fast' }, 120)], NO_NAME, NO_NAME),
      unready({ ...WHOLE, args: ['--cache=redis-old:6379'] }, config('redis', 120), NO_NAME, NO_NAME),
      unready({}, config('redis', 120), NO_NAME, NO_NAME),
      // A Secret may have it as well.
      unready(
        { ...WHOLE, env: [{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'db', key: 'url' } } }] },
        [map('feedback', { CACHE_HOST: 'memo' }, 120), secret('db', ['url'], 7200)],
        NO_NAME,
        NO_NAME,
      ),
    ]) {
      expect(first(given)?.says).not.toMatch(/was written/);
    }
  });

  it('is looked for in the Secrets of variables, where a peer that no other place names is the trouble', () => {
    const env = [
      { name: 'REDIS_URL', valueFrom: { secretKeyRef: { name: 'cache', key: 'url' } } },
      { name: 'COLOUR', valueFrom: { secretKeyRef: { name: 'theme', key: 'colour' } } },
    ];
    const wanted = credentialsWanted(evidence(unready({ env }, [], NO_NAME, NO_NAME)));
    expect(wanted).toContainEqual({ kind: 'Secret', name: 'cache' });
    expect(wanted).not.toContainEqual({ kind: 'Secret', name: 'theme' });
  });
});

it('tells of a file that is mounted by its subPath and names another host by now', () => {
  const conf = 'http {\n  set $up catalog-api.shop.svc.cluster.local;\n  proxy_pass http://$up:8080;\n}\n';
  const line = (at: number): string =>
    `2026/01/31 11:59:${at} [error] 7#7: *1 catalog.shop.svc.cluster.local could not be resolved (3: Host not found), client: 10.244.0.9, server: , request: "GET / HTTP/1.1"`;
  const given = {
    pod: pod({
      ...withFiles,
      container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/nginx/nginx.conf', subPath: 'nginx.conf' }] },
      status: { ready: true, started: true, restartCount: 0, state: { running: { startedAt: ago(300) } } },
    }),
    logs: {
      web: {
        current: [10, 20, 30, 40, 50].flatMap((at) => [
          line(at),
          '10.244.0.9 - - [31/Jan/2026:11:59:01 +0000] "GET / HTTP/1.1" 502 157 "-" "curl/7.88.1"',
        ]),
      },
    },
    configs: [{ ...configMap('app', { 'nginx.conf': conf }), writtenAt: ago(100) }],
  };
  const [first] = diagnosePod(evidence(given)).findings;
  expect(first?.says).toMatch(
    /ConfigMap app, of which it has file \/etc\/nginx\/nginx\.conf, was written .* ago, after its start, and names catalog-api\.shop\.svc\.cluster\.local now; a file that is mounted by its subPath stays as it was until a restart/,
  );
  expect(first?.try[0]).toMatch(/restart/);
});
