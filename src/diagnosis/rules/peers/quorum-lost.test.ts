/** Tests what is said of members of clusters whose set was scaled down, in the words of several programs. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { WorkloadObject } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const set = (name: string, replicas: number, start?: number): WorkloadObject => ({
  kind: 'StatefulSet',
  metadata: { name, namespace: 'shop', uid: 's' },
  spec: {
    replicas,
    serviceName: name,
    selector: {},
    template: {},
    ...(start !== undefined && { ordinals: { start } }),
  },
});

const member = (
  name: string,
  replicas: number,
  container: object,
  lines: readonly string[],
  more: Partial<PodEvidence> = {},
): Partial<PodEvidence> => ({
  pod: pod({
    name: `${name}-0`,
    container: { readinessProbe: { httpGet: { path: '/health', port: 2379 } }, ...container },
    status: { ready: false },
    spec: { subdomain: name },
  }),
  owners: [set(name, replicas)],
  logs: { web: { current: lines } },
  ...more,
});
const unhealthy = event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', {
  container: 'web',
  of: 'keys-0',
  count: 12,
});
const ETCD = [
  '2026-01-31 11:59:21.804060 W | rafthttp: health check for peer 63cdb3774b98cc2e could not connect: dial tcp: lookup keys-2.keys on 10.244.0.1:53: no such host',
  '2026-01-31 11:59:21.808391 W | rafthttp: health check for peer 7e44220b60d58d6a could not connect: dial tcp: lookup keys-1.keys on 10.244.0.1:53: no such host',
  'raft2026/01/31 11:59:22 INFO: 69691ed70da97612 is starting a new election at term 36',
  'raft2026/01/31 11:59:22 INFO: 69691ed70da97612 became candidate at term 37',
  '2026-01-31 11:59:25.862847 W | etcdserver/api/etcdhttp: /health error; no leader (status code 503)',
  'raft2026/01/31 11:59:27 INFO: 69691ed70da97612 is starting a new election at term 39',
  '2026-01-31 11:59:30.860618 W | etcdserver/api/etcdhttp: /health error; no leader (status code 503)',
];
const initial = {
  args: [
    '--initial-cluster',
    'keys-0=http://keys-0.keys:2380,keys-1=http://keys-1.keys:2380,keys-2=http://keys-2.keys:2380',
  ],
};

const headline = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0];

describe('a cluster that was scaled below its majority', () => {
  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'etcd, whose arguments name its members',
      member('keys', 1, initial, ETCD, { events: [unhealthy] }),
      /^container web is not ready: statefulset\/keys is scaled to 1, so that its members keys-1 and keys-2, which its command names, are gone, and 1 of 3 is no majority: .*no leader \(status code 503\)$/,
    ],
    [
      'etcd, whose log alone names them',
      member('keys', 1, {}, ETCD),
      /its members keys-1 and keys-2, which its log names, are gone/,
    ],
    [
      'one with a variable',
      member(
        'keys',
        1,
        {
          env: [
            { name: 'ETCD_INITIAL_CLUSTER', value: 'keys-0=http://keys-0.keys:2380,keys-1=http://keys-1.keys:2380' },
          ],
        },
        ['{"level":"warn","ts":"2026-01-31T11:59:30Z","msg":"serving /health false; no leader"}'],
      ),
      /its member keys-1, which its variable ETCD_INITIAL_CLUSTER names, is gone, and 1 of 2 is no majority/,
    ],
    [
      'ZooKeeper, by its configuration',
      member(
        'zk',
        2,
        { volumeMounts: [{ name: 'c', mountPath: '/conf' }] },
        [
          '2026-01-31 11:59:30,001 [myid:1] - WARN  [QuorumConnectionThread-[myid=1]-2:QuorumCnxManager@401] - Cannot open channel to 4 at election address zk-3.zk/<unresolved>:3888',
          'java.net.UnknownHostException: zk-3.zk',
        ],
        {
          configs: [
            {
              kind: 'ConfigMap',
              name: 'zoo',
              state: 'found',
              keys: ['zoo.cfg'],
              texts: {
                'zoo.cfg': [0, 1, 2, 3, 4].map((at) => `server.${at + 1}=zk-${at}.zk:2888:3888`).join('\n'),
              },
            },
          ],
          pod: pod({
            name: 'zk-0',
            container: { volumeMounts: [{ name: 'c', mountPath: '/conf' }] },
            spec: { volumes: [{ name: 'c', configMap: { name: 'zoo' } }] },
            status: { ready: false },
          }),
        },
      ),
      /statefulset\/zk is scaled to 2, so that its members zk-2, zk-3 and zk-4, which its ConfigMap zoo, key zoo\.cfg names, are gone, and 2 of 5 are no majority/,
    ],
    [
      'MongoDB, whose members stand in its data',
      member('mongo', 1, {}, [
        '{"t":{"$date":"2026-01-31T11:59:30.000Z"},"s":"I","c":"REPL_HB","id":23974,"ctx":"ReplCoord-7","msg":"Heartbeat failed after max retries","attr":{"target":"mongo-1.mongo.shop.svc.cluster.local:27017","error":{"code":6,"codeName":"HostUnreachable"}}}',
        '{"t":{"$date":"2026-01-31T11:59:30.000Z"},"s":"I","c":"REPL_HB","id":23974,"ctx":"ReplCoord-7","msg":"Heartbeat failed after max retries","attr":{"target":"mongo-2.mongo.shop.svc.cluster.local:27017","error":{"code":6,"codeName":"HostUnreachable"}}}',
        '{"t":{"$date":"2026-01-31T11:59:31.000Z"},"s":"I","c":"ELECTION","id":4615655,"ctx":"ReplCoord-8","msg":"Not starting an election, since we are not electable","attr":{"reason":"Not standing for election because I cannot see a majority (mask 0x1)"}}',
      ]),
      /statefulset\/mongo is scaled to 1, so that its members mongo-1 and mongo-2, which its log names, are gone/,
    ],
    [
      'RabbitMQ, which waits for its tables',
      member('rabbit', 1, {}, [
        '2026-01-31 11:59:00.001 [info] <0.222.0> Waiting for Mnesia tables for 30000 ms, 9 retries left',
        "2026-01-31 11:59:30.002 [warning] <0.222.0> Error while waiting for Mnesia tables: {timeout_waiting_for_tables,['rabbit@rabbit-2.rabbit.shop.svc.cluster.local','rabbit@rabbit-1.rabbit.shop.svc.cluster.local','rabbit@rabbit-0.rabbit.shop.svc.cluster.local'],[rabbit_user]}",
        '2026-01-31 11:59:30.003 [info] <0.222.0> Waiting for Mnesia tables for 30000 ms, 8 retries left',
      ]),
      /statefulset\/rabbit is scaled to 1, so that its members rabbit-1 and rabbit-2, which its log names, are gone/,
    ],
    [
      'Kafka, by its voters',
      member(
        'kafka',
        1,
        {
          env: [
            {
              name: 'KAFKA_CONTROLLER_QUORUM_VOTERS',
              value: '0@kafka-0.kafka:9093,1@kafka-1.kafka:9093,2@kafka-2.kafka:9093',
            },
          ],
        },
        [
          '[2026-01-31 11:59:30,001] INFO [RaftManager id=0] Election has timed out, backing off before becoming a candidate again',
        ],
      ),
      /members kafka-1 and kafka-2, which its variable KAFKA_CONTROLLER_QUORUM_VOTERS names, are gone/,
    ],
    [
      'Galera, which ends',
      {
        pod: pod({
          name: 'galera-0',
          container: { args: ['--wsrep-cluster-address=gcomm://galera-0.galera,galera-1.galera,galera-2.galera'] },
          status: crashed({ exitCode: 1 }),
        }),
        owners: [set('galera', 1)],
        logs: lastWords(
          '2026-01-31 11:59:28 0 [Warning] WSREP: no nodes coming from prim view, prim not possible',
          '2026-01-31 11:59:58 0 [ERROR] WSREP: failed to open gcomm backend connection: 110: failed to reach primary view (pc.wait_prim_timeout): 110 (Connection timed out)',
        ),
      },
      /^container web ends: statefulset\/galera is scaled to 1, so that its members galera-1 and galera-2, .*failed to reach primary view/,
    ],
  ])('%s', (_, given, says) => {
    const first = headline(given);
    expect(first?.id).toBe('quorum-lost');
    expect(first?.says).toMatch(says);
  });

  it('is scaled up again with a command', () => {
    expect(headline(member('keys', 1, initial, ETCD))?.try[0]).toBe('kubectl scale statefulset/keys --replicas=3');
  });
});

describe('a cluster whose trouble is another', () => {
  it.each<[string, Partial<PodEvidence>]>([
    ['has as many pods as members', member('keys', 3, initial, ETCD)],
    ['has a majority left', member('keys', 2, initial, ETCD)],
    [
      'says nothing of a majority',
      member('keys', 1, initial, ['2026-01-31 11:59:30 E | etcdmain: open /data/member: permission denied']),
    ],
    [
      'has been made smaller by its members',
      member('keys', 1, initial, [
        ...ETCD,
        'raft2026/01/31 11:59:40 INFO: 69691ed70da97612 became leader at term 40',
        '2026-01-31 11:59:41 E | etcdserver: cannot open the backend snapshot',
      ]),
    ],
    [
      'has the others still, which end',
      member('keys', 1, initial, ETCD, { siblings: ['keys-1', 'keys-2'].map((name) => pod({ name })) }),
    ],
    [
      'ends for something else, in code whose names speak of a quorum',
      {
        ...member('keys', 1, initial, []),
        pod: pod({
          name: 'keys-0',
          container: initial,
          spec: { subdomain: 'keys' },
          status: crashed({ exitCode: 2 }),
        }),
        logs: lastWords(
          '[main] INFO org.apache.zookeeper.server.quorum.QuorumPeerConfig - Reading configuration from: /etc/zk/zoo.cfg',
          '[main] ERROR org.apache.zookeeper.server.quorum.QuorumPeerMain - Invalid config, exiting abnormally',
          'org.apache.zookeeper.server.quorum.QuorumPeerConfig$ConfigException: Error processing /etc/zk/zoo.cfg',
          '\tat org.apache.zookeeper.server.quorum.QuorumPeerMain.main(QuorumPeerMain.java:91)',
          'Caused by: java.lang.IllegalArgumentException: myid file is missing',
          '\tat org.apache.zookeeper.server.quorum.QuorumPeerConfig.parse(QuorumPeerConfig.java:194)',
        ),
      },
    ],
    ['names others of its own name', member('keys', 1, {}, ['no leader for old-keys-1, keys-2024 and keys-7x'])],
  ])('%s', (_, given) => {
    const found = diagnosePod(evidence(given)).findings.map(({ id }) => id);
    expect(found).not.toContain('quorum-lost');
  });

  it('is well', () => {
    const well = evidence({
      ...member('keys', 1, initial, ETCD.slice(0, 4)),
      pod: pod({ name: 'keys-0', container: initial, metadata: { creationTimestamp: ago(300) } }),
    });
    expect(diagnosePod(well).findings).toEqual([]);
  });
});
