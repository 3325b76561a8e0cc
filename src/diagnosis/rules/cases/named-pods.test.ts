/** Tests what is said of names of StatefulSets' pods that do not resolve although their service is there. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import type { NamedPodEvidence, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { podOfHost } from '../../facts/peers/pod-names.ts';
import { namedPodsOf, namedServicesOf } from '../../wanted.ts';

const headless = (name: string, given: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: [],
  ports: [6379],
  ready: 1,
  notReady: 0,
  ...given,
});
const named = (
  name: string,
  set: NamedPodEvidence['set'],
  given: Partial<NamedPodEvidence> = {},
): NamedPodEvidence => ({
  namespace: 'shop',
  pod: name,
  state: 'missing',
  ...(set && { set }),
  ...given,
});
const of = (name: string, replicas: number, serviceName = name, start = 0) => ({ name, replicas, start, serviceName });
const unready = (...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ status: { ready: false } }),
  logs: { web: { current: lines } },
});
const headline = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0];

describe('a name of a pod below a service', () => {
  it.each<[string, string | undefined]>([
    ['kv-1.kv', 'shop/kv-1 kv'],
    ['kv-1.kv.stock', 'stock/kv-1 kv'],
    ['kv-1.kv-headless.stock.svc.cluster.local', 'stock/kv-1 kv-headless'],
    ['kv-1.shop.svc', undefined],
    ['kv.shop', undefined],
    ['kv-1', undefined],
    ['10.0.0.1', undefined],
    ['kv-1.example.com.', 'com/kv-1 example'],
  ])('%s', (host, expected) => {
    const found = podOfHost(host, 'shop');
    expect(found && `${found.namespace}/${found.pod} ${found.service}`).toBe(expected);
  });

  it('asks for the service and for the pod, whichever of the two readings of it is right', () => {
    const given = evidence(
      unready(
        'psycopg2.OperationalError: could not translate host name "pg-0.postgres" to address: Name or service not known',
      ),
    );
    expect(namedServicesOf(given)).toEqual([
      { namespace: 'postgres', name: 'pg-0' },
      { namespace: 'shop', name: 'postgres' },
    ]);
    expect(namedPodsOf(given)).toMatchObject([{ namespace: 'shop', pod: 'pg-0', set: 'pg', service: 'postgres' }]);
  });
});

describe('a pod that has no name', () => {
  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'since its set was scaled down',
      {
        ...unready('Could not connect to Redis at kv-1.kv:6379: Name or service not known'),
        services: [headless('kv')],
        namedPods: [named('kv-1', of('kv', 1))],
      },
      /^container web does not find kv-1\.kv \(no such name\) and is not ready: statefulset\/kv is scaled to 1, so that there is no pod kv-1$/,
    ],
    [
      'in another namespace, of a program that ends',
      {
        pod: pod({ status: crashed({ exitCode: 1 }) }),
        logs: lastWords('dial tcp: lookup mongo-2.mongo.stock.svc.cluster.local on 10.96.0.10:53: no such host'),
        services: [headless('mongo', { namespace: 'stock', ready: 2 })],
        namedPods: [named('mongo-2', of('mongo', 2), { namespace: 'stock' })],
      },
      /statefulset\/mongo is scaled to 2, so that there is no pod mongo-2$/,
    ],
    [
      'below the first ordinal',
      {
        ...unready('java.net.UnknownHostException: broker-0.broker: Name or service not known'),
        services: [headless('broker', { ready: 3 })],
        namedPods: [named('broker-0', of('broker', 3, 'broker', 1))],
      },
      /statefulset\/broker is scaled to 3 from pod broker-1 on, so that there is no pod broker-0$/,
    ],
    [
      'below another service than that of its set',
      {
        ...unready('orders: could not translate host name "pg-0.postgres" to address: Name or service not known'),
        services: [headless('pg-0', { namespace: 'postgres', missing: true, ready: 0 }), headless('postgres')],
        namedPods: [named('pg-0', of('pg', 1), { state: 'ready' })],
      },
      /^container web does not find pg-0\.postgres \(no such name\) and is not ready: statefulset\/pg has the serviceName pg, so that service postgres has no names of its pods$/,
    ],
    [
      'below a service that is not headless',
      {
        ...unready('getaddrinfo ENOTFOUND kv-0.kv'),
        services: [headless('kv', { clusterIPs: ['10.96.4.4'] })],
        namedPods: [named('kv-0', of('kv', 1), { state: 'ready' })],
      },
      /: service kv has an address of its own, and only a headless one \(clusterIP: None\) has names of its pods$/,
    ],
    [
      'because its set has another name',
      {
        ...unready(
          'redis.exceptions.ConnectionError: Error -2 connecting to redis-0.redis:6379. Name or service not known.',
        ),
        services: [headless('redis')],
        namedPods: [named('redis-0', undefined, { ofService: [of('redis-master', 1, 'redis')] })],
      },
      /: there is no statefulset\/redis, of which redis-0 would be a pod; service redis is that of statefulset\/redis-master, whose pods have names such as redis-master-0$/,
    ],
    [
      'because it is not ready',
      {
        ...unready('getaddrinfo ENOTFOUND kv-1.kv'),
        services: [headless('kv', { notReady: 1 })],
        namedPods: [named('kv-1', of('kv', 2), { state: 'unready' })],
      },
      /: pod kv-1 is not ready, and has no name before it is$/,
    ],
    [
      'for which an init container waits',
      {
        pod: pod({
          spec: {
            initContainers: [
              { name: 'wait', image: 'a', command: ['sh', '-c', 'until nslookup kv-1.kv; do sleep 2; done'] },
            ],
          },
          status: waiting('PodInitializing'),
          podStatus: {
            phase: 'Pending',
            initContainerStatuses: [
              {
                name: 'wait',
                ready: false,
                restartCount: 0,
                image: 'a',
                imageID: 'a',
                state: { running: { startedAt: ago(60) } },
              },
            ],
          },
        }),
        services: [headless('kv')],
        namedPods: [named('kv-1', of('kv', 1))],
      },
      /^init container wait has waited for kv-1\.kv for 60s, .*: statefulset\/kv is scaled to 1, so that there is no pod kv-1$/,
    ],
    [
      'and of which a probe tells',
      {
        pod: pod({
          container: { readinessProbe: { exec: { command: ['check'] } } },
          status: { ready: false },
        }),
        events: [
          event('Unhealthy', "Readiness probe failed: nslookup: can't resolve 'kv-1.kv': Name or service not known", {
            container: 'web',
          }),
        ],
        services: [headless('kv')],
        namedPods: [named('kv-1', of('kv', 1))],
      },
      /statefulset\/kv is scaled to 1/,
    ],
  ])('%s', (_, given, says) => {
    expect(headline(given)?.says).toMatch(says);
  });

  it('is made again with a command', () => {
    const first = headline({
      ...unready('Could not connect to Redis at kv-1.kv:6379: Name or service not known'),
      services: [headless('kv')],
      namedPods: [named('kv-1', of('kv', 1))],
    });
    expect(first?.try[0]).toBe('kubectl scale statefulset/kv --replicas=2 -n shop');
  });

  it.each<[string, Partial<PodEvidence>]>([
    [
      'its set has it, and it is not there yet',
      { services: [headless('kv')], namedPods: [named('kv-1', of('kv', 2))] },
    ],
    [
      'it still goes',
      { services: [headless('kv', { ready: 0 })], namedPods: [named('kv-1', of('kv', 1), { state: 'unready' })] },
    ],
    ['nothing is known of its set', { services: [headless('kv')] }],
  ])('is not blamed on the size of its set when %s', (_, given) => {
    expect(headline({ ...unready('getaddrinfo ENOTFOUND kv-1.kv'), ...given })?.says).not.toMatch(/scaled/);
  });
});
