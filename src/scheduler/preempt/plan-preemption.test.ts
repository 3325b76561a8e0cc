import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod, PodDisruptionBudget } from '../../api/index.ts';
import { seededRandom } from '../../lib/index.ts';
import { chooseNode } from '../choose-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { aNode, aPod, clusterFrom, running, type Written } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';
import { prepareFitting } from '../filter/fitting.ts';
import { pickVictims } from './pick-victims.ts';
import { planPreemption } from './plan-preemption.ts';

const named = (name: string, priority: number, cpu: string, more: Pod['metadata'] = {}): Pod =>
  aPod({ priority }, { cpu }, { name, uid: name, ...more });

const withClaims = (name: string, priority: number, ...claims: readonly string[]): Pod =>
  aPod(
    { priority, volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
    undefined,
    { name, uid: name },
  );
/** Two nodes that can have one volume each (node b) and none (node a), and two claims that are bound to volumes of their names. */
const disks = (mode: string): Written => ({
  nodes: [aNode('a'), aNode('b')],
  csiNodes: [
    { metadata: { name: 'a' }, spec: { drivers: [{ name: 'disk', nodeID: 'a', allocatable: { count: 0 } }] } },
    { metadata: { name: 'b' }, spec: { drivers: [{ name: 'disk', nodeID: 'b', allocatable: { count: 1 } }] } },
  ],
  claims: ['x', 'y'].map((name) => ({
    metadata: { namespace: 'default', name },
    spec: { volumeName: name, accessModes: [mode] },
    status: { phase: 'Bound' },
  })),
  volumes: ['x', 'y'].map((name) => ({ metadata: { name }, spec: { csi: { driver: 'disk', volumeHandle: name } } })),
});

/** "NODE: VICTIM…", or why not. */
function plan(pod: Pod, written: Written): string {
  const cluster = clusterFrom(written);
  const random = seededRandom(1);
  const choice = chooseNode(podInfo(pod), cluster, { random, nominated: () => [], now: 0 });
  if (choice.kind === 'node') return `fits on ${choice.nodeName}`;
  const made = planPreemption(podInfo(pod), choice, cluster, random);
  if (made.kind === 'none') return made.message;
  return `${made.victims.nodeName}: ${made.victims.pods.map((victim) => victim.pod.metadata?.name).join(' ')}`;
}

const preempted = {
  deletionTimestamp: '2026-01-01T00:00:00Z',
};
const budget = (
  app: string,
  disruptionsAllowed: number,
  disruptedPods: Record<string, string> = {},
): PodDisruptionBudget => ({
  metadata: { namespace: 'default', name: app },
  spec: { selector: { matchLabels: { app } } },
  status: { disruptionsAllowed, disruptedPods, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});
const app = (name: string) => ({ labels: { app: name } });
const started = (pod: Pod, startTime: string): Pod => ({ ...pod, status: { startTime } });

describe('preemption', () => {
  const two = [aNode('a'), aNode('b')];
  it.each<readonly [string, Pod, Written, string]>([
    [
      'takes the lesser',
      named('vip', 10, '2'),
      { nodes: [aNode('a')], pods: [running('a', named('low', 1, '1'))] },
      'a: low',
    ],
    [
      'as few as needed, the least important',
      named('vip', 10, '1'),
      { nodes: [aNode('a')], pods: [running('a', named('one', 1, '1')), running('a', named('two', 2, '1'))] },
      'a: one',
    ],
    [
      'the one that has the claim alone',
      withClaims('vip', 10, 'x'),
      {
        ...disks('ReadWriteOncePod'),
        pods: [running('b', withClaims('low', 1, 'x')), running('a', named('web', 1, '1'))],
      },
      'b: low',
    ],
    [
      'nobody for a claim that an equal has alone',
      withClaims('vip', 10, 'x'),
      { ...disks('ReadWriteOncePod'), pods: [running('b', withClaims('same', 10, 'x'))] },
      'preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
    ],
    [
      'one that has a volume where no more can be',
      withClaims('vip', 10, 'x'),
      {
        ...disks('ReadWriteOnce'),
        pods: [running('b', withClaims('low', 1, 'y')), running('a', named('web', 1, '1'))],
      },
      'b: low',
    ],
    [
      'nobody for a volume that stays attached',
      withClaims('vip', 10, 'x'),
      {
        ...disks('ReadWriteOnce'),
        pods: [running('b', withClaims('low', 1, 'y'))],
        attachments: [
          { spec: { attacher: 'disk', nodeName: 'b', source: { persistentVolumeName: 'y' } } },
          { spec: { attacher: 'disk', nodeName: 'a', source: { persistentVolumeName: 'y' } } },
        ],
      },
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 node(s) exceed max volume count.',
    ],
    [
      'never its equals',
      named('vip', 1, '2'),
      { nodes: [aNode('a')], pods: [running('a', named('same', 1, '1'))] },
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'not in vain',
      named('vip', 10, '2'),
      { nodes: [aNode('a')], pods: [running('a', named('low', 1, '1')), running('a', named('high', 11, '1'))] },
      'preemption: 0/1 nodes are available: 1 Insufficient cpu.',
    ],
    [
      'not where nothing helps',
      named('vip', 10, '9'),
      { nodes: two, pods: [running('a', named('low', 1, '1'))] },
      'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    ],
    [
      'where the most important victim is least important',
      named('vip', 10, '2'),
      {
        nodes: two,
        pods: [
          running('a', named('five', 5, '1')),
          running('b', named('two', 2, '1')),
          running('b', named('three', 3, '1')),
        ],
      },
      'b: three two',
    ],
    [
      'where fewer go',
      named('vip', 10, '2'),
      {
        nodes: two,
        pods: [
          running('a', named('x', 1, '500m')),
          running('a', named('y', 1, '500m')),
          running('b', named('z', 1, '1')),
        ],
      },
      'b: z',
    ],
    [
      'where a budget allows it, even if they matter more',
      named('vip', 10, '2'),
      {
        nodes: two,
        pods: [running('a', named('kept', 1, '1', app('kept'))), running('b', named('free', 5, '1', app('free')))],
        budgets: [budget('kept', 0), budget('free', 1)],
      },
      'b: free',
    ],
    [
      'against a budget when there is no other way',
      named('vip', 10, '2'),
      {
        nodes: [aNode('a')],
        pods: [running('a', named('kept', 1, '1', app('kept')))],
        budgets: [budget('kept', 0)],
      },
      'a: kept',
    ],
    [
      'spares whom the budget protects, though it matters less',
      named('vip', 10, '1'),
      {
        nodes: [aNode('a')],
        pods: [running('a', named('kept', 1, '1', app('kept'))), running('a', named('free', 2, '1'))],
        budgets: [budget('kept', 0)],
      },
      'a: free',
    ],
    [
      'where they have run for the shortest time',
      named('vip', 10, '2'),
      {
        nodes: two,
        pods: [
          running('a', started(named('old', 1, '1'), '2026-01-01T00:00:00Z')),
          running('b', started(named('new', 1, '1'), '2026-01-02T00:00:00Z')),
        ],
      },
      'b: new',
    ],
    [
      'for anti-affinity',
      aPod({
        priority: 10,
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'x' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      }),
      {
        nodes: [aNode('a')],
        pods: [running('a', named('x', 1, '100m', app('x'))), running('a', named('y', 1, '100m'))],
      },
      'a: x',
    ],
    [
      'never when it must not',
      {
        ...named('vip', 10, '2'),
        spec: {
          ...named('vip', 10, '2').spec,
          containers: named('vip', 10, '2').spec?.containers ?? [],
          preemptionPolicy: 'Never',
        },
      },
      { nodes: [aNode('a')], pods: [running('a', named('low', 1, '1'))] },
      'preemption: not eligible due to preemptionPolicy=Never.',
    ],
    [
      'waits for those that it has preempted',
      { ...named('vip', 10, '2'), status: { nominatedNodeName: 'a' } },
      {
        nodes: two,
        pods: [
          running('b', named('other', 1, '1')),
          {
            ...running('a', named('low', 1, '1', preempted)),
            status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
          },
        ],
      },
      'preemption: not eligible due to a terminating pod on the nominated node.',
    ],
  ])('%s', (_, pod, written, answer) => {
    expect(plan(pod, written)).toBe(answer);
  });

  it('leaves the nodes as they were, takes only the lesser, and none too many', () => {
    const pods = fc.array(
      fc.record({ priority: fc.integer({ min: 0, max: 5 }), cpu: fc.integer({ min: 1, max: 8 }), port: fc.boolean() }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(pods, fc.integer({ min: 1, max: 20 }), fc.boolean(), (there, wanted, port) => {
        const containers = (cpu: number, hasPort: boolean) => [
          {
            name: 'c',
            resources: { requests: { cpu: `${cpu * 100}m` } },
            ...(hasPort ? { ports: [{ containerPort: 1, hostPort: 80 }] } : {}),
          },
        ];
        let portTaken = false;
        const on = there.map(({ priority, cpu, port: asks }) => {
          const hasPort = asks && !portTaken;
          portTaken ||= hasPort;
          return running('a', aPod({ priority, containers: containers(cpu, hasPort) }));
        });
        const cluster: Cluster = clusterFrom({ nodes: [aNode('a')], pods: on });
        const [info] = cluster.nodes;
        if (info === undefined) return;
        const pod = podInfo(aPod({ priority: 3, containers: containers(wanted, port) }));
        const fitting = prepareFitting(pod, cluster, () => []);
        if (fitting.kind !== 'fitting' || fitting.check(info) === undefined) return;
        const before = JSON.stringify([
          info.requested,
          info.scoredCpu,
          [...info.pods()].map(({ key }) => key).toSorted(),
        ]);
        const found = pickVictims(fitting, info, []);
        expect(
          JSON.stringify([info.requested, info.scoredCpu, [...info.pods()].map(({ key }) => key).toSorted()]),
        ).toBe(before);
        if (!('nodeName' in found)) return;
        expect(found.pods.every(({ priority }) => priority < 3)).toBe(true);
        for (const victim of found.pods) fitting.take(info, victim);
        expect(fitting.check(info)).toBeUndefined();
        for (const victim of found.pods) {
          fitting.put(info, victim);
          expect(fitting.check(info)).toBeDefined();
          fitting.take(info, victim);
        }
      }),
    );
  });
});
