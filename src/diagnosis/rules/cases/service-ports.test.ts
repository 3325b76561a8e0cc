/** Tests what is said of peers whose service has the port not at all, or for the other protocol alone. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';

const service = (name: string, ...served: readonly string[]): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.4.4'],
  ports: served.map((each) => Number(each.split('/')[0])),
  served,
  ready: 1,
  notReady: 0,
});
const ended = (...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
});
const unready = (...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ status: { ready: false } }),
  logs: { web: { current: lines } },
});
const says = (given: Partial<PodEvidence>): string => diagnosePod(evidence(given)).findings[0]?.says ?? '';

const DIG = [';; communications error to 10.96.4.4#53: connection refused', ';; no servers could be reached'];

describe('a peer of the wrong protocol', () => {
  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'dig, refused',
      { ...unready(...DIG, ...DIG), services: [service('names', '53/TCP')] },
      /^container web is refused by 10\.96\.4\.4:53 \(service names\) and is not ready: service names has port 53 with TCP only, and it is asked with UDP$/,
    ],
    [
      'dig below words of its own, by the name of the service',
      {
        ...unready(
          'ERROR: no address of ldap at names:53: ;; communications error to 10.96.4.4#53: connection refused',
        ),
        services: [service('names', '53/TCP')],
      },
      /is refused by names:53 .*: service names has port 53 with TCP only, and it is asked with UDP$/,
    ],
    [
      'Go',
      {
        ...ended(
          'level=fatal msg="send metrics: write udp 10.244.0.5:4001->10.96.4.4:9125: write: connection refused"',
        ),
        services: [service('metrics', '9125/TCP')],
      },
      /: service metrics has port 9125 with TCP only, and it is asked with UDP/,
    ],
    [
      'a headless service, whose ports are mapped to nothing',
      {
        ...ended('ConnectionRefusedError: [Errno 111] Connection refused: connect to web:80'),
        services: [{ ...service('web', '80/TCP'), clusterIPs: [], targets: [{ port: 80, target: 8080 }] }],
      },
      /: service web is headless, so that its pods are asked at port 80 themselves, and serve at 8080/,
    ],
    [
      'a client of statsd',
      {
        ...ended('StatsdError: connect ECONNREFUSED 10.96.4.4:8125'),
        services: [service('statsd', '8125/TCP', '9125/UDP')],
      },
      /: service statsd has port 8125 with TCP only, and it is asked with UDP/,
    ],
    [
      'a client of Python, where there is UDP only',
      {
        ...ended('ConnectionRefusedError: [Errno 111] Connection refused (syslog:514)'),
        services: [service('syslog', '514/UDP')],
      },
      /: service syslog has port 514 with UDP only, and it is asked with TCP/,
    ],
    [
      'one that runs on, whose line names no peer',
      {
        pod: pod({
          container: {
            env: [
              { name: 'SYSLOG_HOST', value: 'syslog' },
              { name: 'SYSLOG_PORT', value: '5514' },
            ],
          },
          status: { ready: false },
        }),
        logs: {
          web: {
            current: Array.from({ length: 12 }, (_, at) =>
              at % 2 === 0
                ? 'ERROR ConnectionRefusedError: [Errno 111] Connection refused'
                : '10.244.0.1 - - [28/Nov/2026 17:00:21] "GET /ready HTTP/1.1" 503 -',
            ),
          },
        },
        services: [service('syslog', '5514/UDP')],
      },
      /a peer, which by its variable SYSLOG_HOST is syslog:5514.*: service syslog has port 5514 with UDP only, and it is asked with TCP/,
    ],
    [
      'TCP, where there is UDP only',
      { ...ended('dial tcp 10.96.4.4:514: connect: connection refused'), services: [service('syslog', '514/UDP')] },
      /: service syslog has port 514 with UDP only, and it is asked with TCP/,
    ],
    [
      'Python, where there is UDP only',
      {
        ...ended("ConnectionRefusedError: [Errno 111] Connect call failed ('10.96.4.4', 12201)"),
        services: [service('gelf', '12201/UDP')],
      },
      /: service gelf has port 12201 with UDP only, and it is asked with TCP/,
    ],
    [
      'no answer',
      {
        ...ended('dns.resolver.LifetimeTimeout: Server Do53:10.96.4.4@53 answered The DNS operation timed out.'),
        services: [service('names', '53/TCP')],
      },
      /gets no answer from its peer in time \(service names has port 53 with TCP only, and it is asked with UDP\)/,
    ],
    [
      'no answer at a port that it has not',
      { ...ended('Error: connect ETIMEDOUT 10.96.4.4:6379'), services: [service('kv', '6380/TCP')] },
      /gets no answer from its peer in time \(service kv has no port 6379, but 6380\)/,
    ],
    [
      'a port that leads to a name which no pod has',
      {
        ...unready('dial tcp: connect to shop:80: connection refused'),
        services: [{ ...service('shop', '80/TCP'), unled: [{ port: 80, target: 'web' }] }],
      },
      /is refused by shop:80 and is not ready: port 80 of service shop leads to the port "web", which none of its pods has$/,
    ],
  ])('%s', (_, given, expected) => {
    expect(says(given)).toMatch(expected);
  });

  it.each<[string, Partial<PodEvidence>]>([
    ['has both', { ...unready(...DIG), services: [service('names', '53/TCP', '53/UDP')] }],
    [
      'is asked with TCP',
      { ...unready('dial tcp 10.96.4.4:53: connect: connection refused'), services: [service('names', '53/TCP')] },
    ],
    [
      'has UDP, and may be asked with it',
      { ...ended('metrics: send ECONNREFUSED 10.96.4.4:9125'), services: [service('metrics', '9125/UDP')] },
    ],
    [
      'is headless, and leads to its pods',
      {
        ...unready('dial tcp: connect to kv:6379: connection refused'),
        services: [{ ...service('kv', '6380/TCP'), clusterIPs: [] }],
      },
    ],
  ])('is not blamed where the service %s', (_, given) => {
    expect(says(given)).not.toMatch(/ only|no port/);
  });
});

describe('a service that has the port for the other protocol', () => {
  const [first] = diagnosePod(
    evidence({
      ...ended('ConnectionRefusedError: [Errno 111] Connection refused (syslog:514)'),
      services: [service('syslog', '514/UDP')],
    }),
  ).findings;

  it('is to be edited', () => {
    expect(first?.try).toContain('kubectl edit service/syslog -n shop');
  });

  it('is shown with its protocol', () => {
    expect(first?.evidence).toContainEqual({
      source: 'object',
      object: 'service/syslog',
      says: '1 of 1 endpoints ready, port 514/UDP',
    });
  });
});
