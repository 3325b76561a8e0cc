/** Tests what is told of probes whose command fails without a word: what swallows its words, and what it may lack. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from './cases.fixtures.ts';

const probed = (
  command: string[],
  container: object,
  output = '',
  given: Partial<PodEvidence> = {},
  spec: object = {},
) =>
  ({
    pod: pod({
      container: { readinessProbe: { exec: { command }, periodSeconds: 5 }, ...container },
      status: { ready: false, state: { running: { startedAt: ago(120) } } },
      spec,
    }),
    logs: { web: { current: ['1:M 28 Nov 2026 02:18:39.781 * Ready to accept connections'] } },
    events: [
      event('Unhealthy', `Readiness probe failed: ${output}`, { seconds: 3, count: 13, first: 60, container: 'web' }),
    ],
    ...given,
  }) satisfies Partial<PodEvidence>;
const PING: string[] = ['sh', '-c', 'redis-cli ping | grep -q PONG'];
const PASSWORD = { env: [{ name: 'CACHE_PASSWORD', valueFrom: { secretKeyRef: { name: 'cache', key: 'password' } } }] };
const redis = (...words: readonly string[]): object => ({
  ...PASSWORD,
  command: ['sh', '-c', ['exec redis-server', ...words].join(' ')],
});

describe('a probe that fails without a word', () => {
  tellsEach([
    [
      'of a server that wants a password',
      probed(PING, redis('--requirepass "$CACHE_PASSWORD"')),
      'readiness-failing',
      /^container web is not ready: its readiness probe fails: its command sh -c redis-cli ping \| grep -q PONG fails without a word \(grep -q keeps what redis-cli answers to itself\); its server wants a password \(its command has --requirepass\), and the probe gives none$/,
    ],
    [
      'of a server that wants a password by a file of a ConfigMap',
      probed(
        ['sh', '-c', 'test "$(redis-cli -p 6379 ping)" = PONG'],
        { command: ['redis-server', '/conf/redis.conf'], volumeMounts: [{ name: 'c', mountPath: '/conf' }] },
        '',
        {
          configs: [
            {
              kind: 'ConfigMap',
              name: 'conf',
              state: 'found',
              keys: ['redis.conf'],
              texts: { 'redis.conf': 'port 6379\nrequirepass abcdef\n' },
            } satisfies ConfigEvidence,
          ],
        },
        { volumes: [{ name: 'c', configMap: { name: 'conf' } }] },
      ),
      'readiness-failing',
      /fails without a word \(test keeps what redis-cli answers to itself\); its server wants a password \(key redis\.conf of ConfigMap conf has requirepass\), and the probe gives none$/,
    ],
    [
      'of a server whose image takes its password of a variable',
      probed(['sh', '-c', 'mysql -uroot -e "select 1" >/dev/null 2>&1'], {
        image: 'mysql:8',
        env: [{ name: 'MYSQL_ROOT_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'root' } } }],
      }),
      'readiness-failing',
      /fails without a word \(>\/dev\/null 2>&1 keeps what mysql answers to itself\); its server wants a password \(variable MYSQL_ROOT_PASSWORD\), and the probe gives none$/,
    ],
    [
      'of a server of HTTP',
      probed(['sh', '-c', 'curl -fs http://localhost:9200/_cluster/health | grep -q green'], {
        image: 'elasticsearch:8.11',
        env: [{ name: 'ELASTIC_PASSWORD', valueFrom: { secretKeyRef: { name: 'es', key: 'password' } } }],
      }),
      'readiness-failing',
      /\(grep -q keeps what curl answers to itself\); its server wants a password \(variable ELASTIC_PASSWORD\), and the probe gives none$/,
    ],
    [
      'with nothing known of its server',
      probed(['sh', '-c', 'rabbitmqctl status | grep -q running'], {}),
      'readiness-failing',
      /fails without a word \(grep -q keeps what rabbitmqctl answers to itself\)$/,
    ],
  ]);

  const first = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0];

  it('is tried without what swallows its words', () => {
    expect(first(probed(PING, redis()))?.try).toContain('kubectl exec web-1 -c web -- redis-cli ping');
  });

  it('wants no password where it gives one, or where the server wants none', () => {
    for (const given of [
      probed(
        ['sh', '-c', 'redis-cli -a "$CACHE_PASSWORD" ping | grep -q PONG'],
        redis('--requirepass "$CACHE_PASSWORD"'),
      ),
      probed(PING, redis('--save ""')),
      probed(PING, {
        ...redis('--requirepass "$REDISCLI_AUTH"'),
        env: [{ name: 'REDISCLI_AUTH', valueFrom: { secretKeyRef: { name: 'cache', key: 'password' } } }],
      }),
      probed(['sh', '-c', 'test -f /tmp/ready'], redis('--requirepass x')),
    ]) {
      expect(first(given)?.says).not.toMatch(/wants a password/);
    }
  });
});
