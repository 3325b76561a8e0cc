/** Tests what is told of values with characters that nobody sees: line ends, spaces and quotation marks that became part of them. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from './cases.fixtures.ts';

const map = (texts: Readonly<Record<string, string>>): ConfigEvidence => ({
  kind: 'ConfigMap',
  name: 'worker',
  state: 'found',
  keys: Object.keys(texts),
  texts,
});
const ended = (container: object, configs: readonly ConfigEvidence[], ...lines: readonly string[]) =>
  ({
    pod: pod({ container, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(...lines),
    configs,
  }) satisfies Partial<PodEvidence>;
const WHOLE = { envFrom: [{ configMapRef: { name: 'worker' } }] };
const BROKEN = [
  'worker starts, queue jobs',
  'Traceback (most recent call last):',
  '  File "/srv/w.py", line 5, in <module>',
  '    x=r.blpop(os.environ["QUEUE"],timeout=30)',
  '  File "/usr/lib/python3/dist-packages/redis/connection.py", line 617, in connect',
  '    raise ConnectionError(self._error_message(e))',
  'redis.exceptions.ConnectionError: Error -2 connecting to cache',
  ':6379. Name or service not known.',
];

describe('a value with what nobody sees', () => {
  tellsEach([
    [
      'a line end, which breaks the line of the log',
      ended(WHOLE, [map({ CACHE_HOST: 'cache\n', QUEUE: 'jobs' })], ...BROKEN),
      'dependency-not-resolved',
      /as a line end stands in it \(the value of its variable CACHE_HOST of ConfigMap worker, key CACHE_HOST\)$/,
      [/envFrom\[0\] \(CACHE_HOST\): cache/],
    ],
    [
      'a line end, with a name that the log quotes',
      ended(
        WHOLE,
        [map({ DB_HOST: 'pg\n', MODE: 'a' })],
        'Error: getaddrinfo ENOTFOUND pg',
        '    at GetAddrInfoReqWrap.onlookup',
      ),
      'dependency-not-resolved',
      /as a line end stands in it \(the value of its variable DB_HOST of ConfigMap worker/,
    ],
    [
      'a line end in the specification itself',
      ended({ env: [{ name: 'LISTEN_PORT', value: '8080\n' }] }, [], "ValueError: port must be a number, not '8080 '"),
      'exit-code',
      /; the value of its variable LISTEN_PORT ends with a line end/,
    ],
    [
      'a space at the end',
      ended({ env: [{ name: 'S3_REGION', value: 'eu-west-1 ' }] }, [], "InvalidRegion: no region 'eu-west-1 '"),
      'exit-code',
      /; the value of its variable S3_REGION ends with a space/,
    ],
    [
      'quotation marks of a file of variables',
      ended(WHOLE, [map({ DB_HOST: '"pg"', MODE: 'a' })], 'Error: getaddrinfo ENOTFOUND "pg"'),
      'dependency-not-resolved',
      /as quotation marks stand in it \(the value of its variable DB_HOST of ConfigMap worker/,
    ],
    [
      'a line end in a Secret of which all keys are variables',
      ended(
        { envFrom: [{ secretRef: { name: 'creds' } }] },
        [
          {
            kind: 'Secret',
            name: 'creds',
            state: 'found',
            keys: ['API_HOST'],
            odd: { API_HOST: 'ends with a line end' },
          },
        ],
        ...BROKEN.slice(1, -2),
        'redis.exceptions.ConnectionError: Error -2 connecting to api',
        ':443. Name or service not known.',
      ),
      'dependency-not-resolved',
      /; the value of its variable API_HOST, of Secret creds, ends with a line end/,
    ],
  ]);

  it('is told of one that runs and tries again, too', () => {
    const given = {
      pod: pod({
        container: WHOLE,
        status: { ready: false, state: { running: { startedAt: '2026-01-31T11:50:00Z' } } },
      }),
      logs: { web: { current: Array.from({ length: 4 }, () => 'ERROR getaddrinfo ENOTFOUND pg') } },
      configs: [map({ DB_HOST: 'pg\n' })],
    };
    expect(first(given)).toMatch(
      /is not ready.*; the value of its variable DB_HOST, of ConfigMap worker, ends with a line end/,
    );
  });

  const first = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0]?.says ?? '';

  it('is not told of a value that the log does not speak of', () => {
    expect(first(ended(WHOLE, [map({ MOTD: 'hello\n' })], 'Error: connect ECONNREFUSED 10.0.0.7:5432'))).not.toMatch(
      /line end/,
    );
    expect(first(ended(WHOLE, [map({ QUERY: 'select 1\n' })], 'panic: index out of range'))).not.toMatch(/line end/);
  });

  it('a variable that is read beside an error of a peer is no cause of it', () => {
    expect(first(ended(WHOLE, [map({ QUEUE: 'jobs' })], ...BROKEN))).not.toContain('QUEUE');
  });
});
