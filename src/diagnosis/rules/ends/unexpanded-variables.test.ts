/** Tests what is told of references between variables that nothing fills in, of which a log often shows only a part. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from '../cases/cases.fixtures.ts';

const ended = (container: object, ...lines: readonly string[]) =>
  ({
    pod: pod({ container, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(...lines),
  }) satisfies Partial<PodEvidence>;
const later = {
  env: [
    { name: 'CACHE_URL', value: 'redis://$(CACHE_HOST):6379/0' },
    { name: 'CACHE_HOST', value: 'cache' },
  ],
};
const CACHE: ServiceEvidence = {
  namespace: 'shop',
  name: 'cache',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [6379],
  ready: 1,
  notReady: 0,
};
const LOWER = 'redis.exceptions.ConnectionError: Error -2 connecting to $(cache_host):6379. Name or service not known.';

describe('a reference that nothing fills in', () => {
  tellsEach([
    [
      'in small letters, as URLs are read',
      { ...ended(later, 'connecting to redis://$(CACHE_HOST):6379/0', LOWER), services: [CACHE] },
      'unexpanded-variable',
      /^variable CACHE_URL of container web refers to \$\(CACHE_HOST\), which is defined after it, and only what is defined before is filled in/,
    ],
    [
      'with its signs encoded',
      ended(later, 'aiohttp: cannot connect to host %24%28cache_host%29:6379 ssl:default [Name or service not known]'),
      'unexpanded-variable',
      /refers to \$\(CACHE_HOST\), which is defined after it/,
    ],
    [
      'of which the log shows only a part',
      ended(later, "ValueError: invalid redis url: port 'CACHE_HOST)' could not be cast to integer value"),
      'unexpanded-variable',
      /refers to \$\(CACHE_HOST\), which is defined after it/,
    ],
    [
      'of which the log shows nothing',
      { ...ended(later, 'socket.gaierror: [Errno -2] Name or service not known'), services: [CACHE] },
      'unexpanded-variable',
      /refers to \$\(CACHE_HOST\), which is defined after it/,
    ],
    [
      'with the password that a peer refuses',
      ended(
        {
          env: [
            { name: 'DATABASE_URL', value: 'postgres://app:$(APP_PASSWORD)@db:5432/app' },
            { name: 'APP_PASSWORD', valueFrom: { secretKeyRef: { name: 'app', key: 'password' } } },
          ],
        },
        'psycopg2.OperationalError: connection to server at "db" (10.96.0.9), port 5432 failed: FATAL: password authentication failed for user "app"',
      ),
      'unexpanded-variable',
      /^variable DATABASE_URL of container web refers to \$\(APP_PASSWORD\), which is defined after it/,
    ],
    [
      'in an argument',
      ended(
        { args: ['--dsn=postgres://$(DB_HOST)/app'], env: [{ name: 'DBHOST', value: 'pg' }] },
        'dial tcp: lookup $(DB_HOST): no such host',
      ),
      'unexpanded-variable',
      /^the arguments of container web refer to \$\(DB_HOST\), which nothing defines; it has DBHOST$/,
    ],
    [
      'that no key of its ConfigMap defines',
      {
        ...ended(
          { env: [{ name: 'URL', value: 'http://$(API_HOST)/' }], envFrom: [{ configMapRef: { name: 'app' } }] },
          'Error: getaddrinfo ENOTFOUND $(api_host)',
        ),
        configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: ['API_HOSTNAME'] } satisfies ConfigEvidence],
      },
      'unexpanded-variable',
      /refers to \$\(API_HOST\), which nothing defines; it has API_HOSTNAME$/,
    ],
    [
      'of one that tries again',
      {
        pod: pod({ container: later, status: { ready: false, state: { running: { startedAt: ago(600) } } } }),
        logs: { web: { current: [LOWER, LOWER, LOWER] } },
        services: [CACHE],
      },
      'unexpanded-variable',
      /refers to \$\(CACHE_HOST\), which is defined after it/,
    ],
  ]);

  it('leaves nothing to be said of DNS servers', () => {
    const given = { ...ended(later, LOWER), services: [CACHE] };
    const { findings } = diagnosePod(evidence(given));
    expect(findings.map(({ says }) => says).join('\n')).not.toMatch(/DNS server|kube-dns/);
  });

  it('is no matter of another trouble, nor of what a shell fills in', () => {
    const ids = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings.map(({ id }) => id);
    expect(ids(ended(later, 'panic: index out of range'))).not.toContain('unexpanded-variable');
    expect(ids(ended(later, 'Error: connect ECONNREFUSED orders:80'))).not.toContain('unexpanded-variable');
    const shell = { command: ['sh', '-c', 'exec app --id=$(hostname)'] };
    expect(ids(ended(shell, 'Error: hostname is not allowed: no such host'))).not.toContain('unexpanded-variable');
  });
});
