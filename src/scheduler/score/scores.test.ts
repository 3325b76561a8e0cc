import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../api/index.ts';
import { aNode, aPod, clusterFrom, running, type Written } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';
import { imageLocality } from './image-locality.ts';
import { preferredPodAffinity } from './inter-pod-affinity.ts';
import { preferredNodeAffinity, softTaints } from './preferences.ts';
import { balancedAllocation, leastAllocated } from './resources.ts';
import type { Score } from './score.ts';
import { topologySpread } from './topology-spread.ts';

function scores(score: Score, pod: Pod, written: Written): readonly number[] | undefined {
  const cluster = clusterFrom(written);
  return score(podInfo(pod), cluster.nodes, cluster);
}

const ZONE = 'topology.kubernetes.io/zone';
const zoned = (...zones: string[]): Node[] => zones.map((zone, i) => aNode(`${zone}${i}`, {}, { [ZONE]: zone }));
const web = (spec: Partial<Pod['spec']> = {}): Pod => aPod(spec ?? {}, undefined, { labels: { app: 'web' } });
const prefer = (kind: 'podAffinity' | 'podAntiAffinity', weight = 10) => ({
  affinity: {
    [kind]: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight, podAffinityTerm: { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: ZONE } },
      ],
    },
  },
});
const soft = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};
const ofSet = (set: string): Pod =>
  aPod({}, undefined, {
    labels: { app: 'web' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: set, uid: set, controller: true }],
  });
const set = { metadata: { namespace: 'default', name: 's' }, spec: { selector: { matchLabels: { app: 'web' } } } };
const withImage = (name: string, image: string, mib: number): Node => {
  const node = aNode(name);
  return { ...node, status: { ...node.status, images: [{ names: [image], sizeBytes: mib * 1024 * 1024 }] } };
};

describe('scores', () => {
  it.each<readonly [string, Score, Pod, Written, readonly number[] | undefined]>([
    [
      'the emptier is better',
      leastAllocated,
      aPod({}, { cpu: '500m', memory: '512Mi' }),
      { nodes: [aNode('a'), aNode('b')], pods: [running('b', aPod({}, { cpu: '1', memory: '1Gi' }))] },
      [75, 25],
    ],
    [
      'pods that ask for nothing count a little',
      leastAllocated,
      aPod(),
      { nodes: [aNode('a'), aNode('b')], pods: [running('b', aPod())] },
      [92, 85],
    ],
    [
      'even shares are better',
      balancedAllocation,
      aPod({}, { cpu: '1', memory: '1Gi' }),
      { nodes: [aNode('a'), aNode('b')], pods: [running('b', aPod({}, { cpu: '1' }))] },
      [100, 75],
    ],
    ['nothing asked, nothing balanced', balancedAllocation, aPod(), { nodes: [aNode('a')] }, undefined],
    [
      'fewer soft taints are better',
      softTaints,
      aPod({ tolerations: [{ key: 'x', operator: 'Exists' }] }),
      {
        nodes: [
          aNode('a', { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] }),
          aNode('b', { taints: [{ key: 'y', effect: 'PreferNoSchedule' }] }),
          aNode('c', { taints: ['y', 'z'].map((key) => ({ key, effect: 'PreferNoSchedule' })) }),
        ],
      },
      [100, 50, 0],
    ],
    [
      'preferred nodes by weight',
      preferredNodeAffinity,
      aPod({
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 30, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
              { weight: 10, preference: { matchExpressions: [{ key: 'b', operator: 'Exists' }] } },
            ],
          },
        },
      }),
      { nodes: [aNode('n'), aNode('a', {}, { a: '' }), aNode('ab', {}, { a: '', b: '' }), aNode('b', {}, { b: '' })] },
      [0, 75, 100, 25],
    ],
    [
      'near those whom it likes',
      preferredPodAffinity,
      aPod(prefer('podAffinity')),
      { nodes: zoned('a', 'b', 'a'), pods: [running('a0', web())] },
      [100, 0, 100],
    ],
    [
      'away from those whom it does not',
      preferredPodAffinity,
      aPod(prefer('podAntiAffinity')),
      { nodes: zoned('a', 'b'), pods: [running('a0', web())] },
      [0, 100],
    ],
    [
      'near those that like it',
      preferredPodAffinity,
      web(),
      { nodes: zoned('a', 'b'), pods: [running('b1', aPod(prefer('podAffinity')))] },
      [0, 100],
    ],
    [
      'away from those that do not',
      preferredPodAffinity,
      web(),
      { nodes: zoned('a', 'b'), pods: [running('b1', aPod(prefer('podAntiAffinity')))] },
      [100, 0],
    ],
    [
      'near those that need it',
      preferredPodAffinity,
      web(),
      {
        nodes: zoned('a', 'b'),
        pods: [
          running(
            'b1',
            aPod({
              affinity: {
                podAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: [
                    { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: ZONE },
                  ],
                },
              },
            }),
          ),
        ],
      },
      [0, 100],
    ],
    [
      'nobody likes anybody',
      preferredPodAffinity,
      web(),
      { nodes: zoned('a', 'b'), pods: [running('a0', web())] },
      undefined,
    ],
    [
      'zones with fewer of its like',
      topologySpread,
      web(soft),
      {
        nodes: [...zoned('a', 'b'), aNode('none')],
        pods: [running('a0', web()), running('a0', web()), running('b1', web())],
      },
      [33, 100, 0],
    ],
    [
      'hosts with fewer of its set, by default, also without zones',
      topologySpread,
      ofSet('s'),
      {
        nodes: [aNode('a'), aNode('b')],
        pods: [running('a', ofSet('s')), running('a', ofSet('s')), running('b', ofSet('s'))],
        replicaSets: [set],
      },
      [60, 100],
    ],
    [
      'hosts with fewer of its service',
      topologySpread,
      web(),
      {
        nodes: [aNode('a'), aNode('b')],
        pods: [running('a', web())],
        services: [{ metadata: { namespace: 'default', name: 's' }, spec: { selector: { app: 'web' } } }],
      },
      [66, 100],
    ],
    [
      'a pod of nothing has no like',
      topologySpread,
      web(),
      { nodes: [aNode('a')], pods: [running('a', web())] },
      undefined,
    ],
    [
      'nodes that have the image',
      imageLocality,
      aPod({ containers: [{ name: 'c', image: 'registry.example/big' }] }),
      { nodes: [withImage('a', 'registry.example/big:latest', 1000), aNode('b')] },
      [48, 0],
    ],
  ])('%s', (_, score, pod, written, expected) => {
    expect(scores(score, pod, written)).toEqual(expected);
  });
});
