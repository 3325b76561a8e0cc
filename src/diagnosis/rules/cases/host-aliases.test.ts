/** Tests what is told of a peer to which the pod itself gives an address, and which it does not reach. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { namedServicesOf } from '../../wanted.ts';
import { tellsEach } from './cases.fixtures.ts';

const service = (name: string, address: string, given: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: [address],
  ports: [6379],
  ready: 1,
  notReady: 0,
  ...given,
});
const ended = (ip: string, hostnames: readonly string[], services: readonly ServiceEvidence[], ...lines: string[]) =>
  ({
    pod: pod({ spec: { hostAliases: [{ ip, hostnames }] }, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(...lines),
    services,
  }) satisfies Partial<PodEvidence>;
const CACHE = service('cache', '10.96.10.178');

describe('a peer to which the pod gives an address', () => {
  tellsEach([
    [
      'no way to it',
      ended(
        '10.244.99.9',
        ['cache'],
        [CACHE],
        'redis.exceptions.ConnectionError: Error 113 connecting to cache:6379. No route to host.',
      ),
      'dependency-times-out',
      /^container web finds no way to its peer \(its hostAliases give cache the address 10\.244\.99\.9, while service cache has 10\.96\.10\.178\): redis/,
      [/spec\.hostAliases\[0\]: 10\.244\.99\.9 cache/],
    ],
    [
      'no answer of it in time',
      ended('10.9.9.9', ['db', 'db.shop'], [service('db', '10.96.0.4')], 'Error: connect ETIMEDOUT db:5432'),
      'dependency-times-out',
      /its hostAliases give db the address 10\.9\.9\.9, while service db has 10\.96\.0\.4/,
    ],
    [
      'a refusal by it, of whatever its service has',
      ended(
        '10.244.0.31',
        ['orders'],
        [service('orders', '10.96.0.8', { ready: 0 })],
        'dial tcp: connect to orders:8080: connect: connection refused',
      ),
      'dependency-refused',
      /^container web is refused by orders:8080 and ends: its hostAliases give orders the address 10\.244\.0\.31, while service orders has 10\.96\.0\.8$/,
    ],
    [
      'a refusal by an address that has no name in the log',
      ended(
        '10.3.3.3',
        ['ledger'],
        [service('ledger', '10.96.0.9')],
        'java.net.ConnectException: Connection refused: /10.3.3.3:8443',
      ),
      'dependency-refused',
      /its hostAliases give ledger the address 10\.3\.3\.3, while service ledger has 10\.96\.0\.9/,
    ],
    [
      'an answer of somebody else',
      ended(
        '10.99.99.99',
        ['cache'],
        [CACHE],
        'connecting to cache:6379',
        "redis.exceptions.InvalidResponse: Protocol Error from cache:6379: b'HTTP/1.1 400 Bad Request'",
      ),
      'exit-code',
      /; its hostAliases give cache the address 10\.99\.99\.99, while service cache has 10\.96\.10\.178/,
    ],
    [
      'a peer outside of the cluster',
      ended('10.2.3.4', ['mail.example'], [], 'Error: connect ECONNREFUSED mail.example:25'),
      'dependency-refused',
      /its hostAliases give mail\.example the address 10\.2\.3\.4$/,
    ],
  ]);

  it('is not told of the address that its service has, nor of a peer without one', () => {
    const line = 'Error: connect ECONNREFUSED cache:6379';
    for (const given of [
      ended('10.96.10.178', ['cache'], [CACHE], line),
      ended('10.1.1.1', ['other'], [CACHE], line),
    ]) {
      expect(diagnosePod(evidence(given)).findings[0]?.says).not.toContain('hostAliases');
    }
  });

  it('is no matter of a name that nobody knows', () => {
    const line = 'getaddrinfo ENOTFOUND redis-0.cache';
    const { findings } = diagnosePod(evidence(ended('10.1.1.1', ['cache'], [CACHE], line)));
    expect(findings[0]?.says).not.toContain('hostAliases');
  });

  it('has its service read, whatever the log names', () => {
    const given = ended('10.3.3.3', ['ledger'], [], 'java.net.ConnectException: Connection refused: /10.3.3.3:8443');
    expect(namedServicesOf(evidence(given))).toContainEqual({ namespace: 'shop', name: 'ledger' });
  });
});
