import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, evidence, pod } from '../../evidence.fixtures.ts';

const running = (container: object, current: readonly string[], more: object = {}): ReturnType<typeof evidence> =>
  evidence({
    pod: pod({
      container,
      status: { state: { running: { startedAt: ago(300) } } },
      spec: (more as { spec?: object }).spec ?? {},
    }),
    logs: { web: { current: [...current] } },
    ...more,
    ...({ spec: undefined } as object),
  });
const BUCKET = { env: [{ name: 'EXPORT_BUCKET', value: 'acme-exports' }] };
const SAYS = [
  'cron starts, bucket acme-exports',
  'prune: 0 old archives removed',
  'export: start 02:19:01',
  '/opt/jobs/export.sh: 5: EXPORT_BUCKET: parameter not set',
  'export: start 02:20:01',
  '/opt/jobs/export.sh: 5: EXPORT_BUCKET: parameter not set',
  'prune: 0 old archives removed',
];

describe('a variable that the container sets and a program in it does not see', () => {
  it.each<[what: string, command: readonly string[], says: RegExp]>([
    [
      'cron',
      ['sh', '-c', 'echo bucket $EXPORT_BUCKET; exec cron -f'],
      /does not find its variable EXPORT_BUCKET: the container sets it, but cron starts its jobs with variables of its own alone: /,
    ],
    ['su', ['su', '-', 'app', '-c', '/opt/jobs/loop.sh'], /su with a login shell begins with variables/],
    ['somebody', ['/opt/jobs/loop'], /the container sets it, but what runs in it does not hand it on/],
  ])('is kept back by %s', (_what, command, says) => {
    const [first] = diagnosePod(running({ ...BUCKET, command }, SAYS)).findings;
    expect(first?.id).toBe('missing-setting');
    expect(first?.says).toMatch(says);
  });
  it('is none where the container does not set it', () => {
    expect(diagnosePod(running({ command: ['cron', '-f'] }, SAYS)).findings).toEqual([]);
  });

  const fpm = (pool: string): ReturnType<typeof evidence> =>
    running(
      {
        command: ['php-fpm8.2', '-F'],
        env: [{ name: 'REDIS_HOST', value: 'orders-redis' }],
        volumeMounts: [
          { name: 'code', mountPath: '/app' },
          { name: 'pool', mountPath: '/etc/php/pool.d' },
        ],
      },
      Array.from(
        { length: 5 },
        () => 'PHP Fatal error:  Uncaught RedisException: Connection refused in /app/index.php:3',
      ),
      {
        spec: {
          volumes: [
            { name: 'code', configMap: { name: 'code' } },
            { name: 'pool', configMap: { name: 'pool' } },
          ],
        },
        configs: [
          configMap('code', { 'index.php': "<?php $r->connect(getenv('REDIS_HOST') ?: '127.0.0.1');" }),
          configMap('pool', { 'www.conf': `[www]\npm = static\npm.max_children = 2\n${pool}` }),
        ],
      },
    );
  it('is cleared by PHP-FPM', () => {
    expect(diagnosePod(fpm('')).findings[0]?.says).toMatch(
      /; PHP-FPM clears the environment, as ConfigMap pool, key www\.conf does not say clear_env = no, so that index\.php does not see the variable REDIS_HOST/,
    );
  });
  it.each(['clear_env = no', 'env[REDIS_HOST] = $REDIS_HOST'])('is handed on by %s', (pool) => {
    expect(diagnosePod(fpm(pool)).findings[0]?.says).not.toMatch(/clears the environment/);
  });
});
