import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../api/index.ts';
import { ALLOCATABLE, aNode, aPod } from '../cluster/cluster.testing.ts';
import { NodeInfo } from '../cluster/node-info.ts';
import { podInfo } from '../cluster/pod-info.ts';
import type { FilterName } from '../filter/filter.ts';
import type { ClusterEvent, DriverNews } from './cluster-event.ts';
import { mayHelp } from './may-help.ts';

const base = aNode('n');
const changed = (node: Node, before: Node | undefined = base): ClusterEvent => ({
  kind: 'node',
  info: NodeInfo.of(node),
  before,
});
const allocatable = (more: Record<string, string>): Node => ({
  ...base,
  status: { allocatable: { ...ALLOCATABLE, ...more } },
});
const gone = (pod: Pod): ClusterEvent => ({ kind: 'pod-gone', pod: podInfo(pod) });
const placed = (pod: Pod, before?: Pod): ClusterEvent => ({
  kind: 'pod-placed',
  pod: podInfo(pod),
  before: before === undefined ? undefined : podInfo(before),
});
const driver = (news: DriverNews): ClusterEvent => ({ kind: 'driver', news });
const web = aPod({}, undefined, { labels: { app: 'web' } });
const db = aPod({}, undefined, { labels: { app: 'db' } });
const likes = (kind: 'podAffinity' | 'podAntiAffinity') =>
  aPod({
    affinity: {
      [kind]: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
        ],
      },
    },
  });
const spread = aPod({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'z',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
});
const port = (hostPort: number) => aPod({ containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort }] }] });
const withClaim = aPod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });

describe('mayHelp', () => {
  it.each<readonly [string, FilterName | undefined, Pod, ClusterEvent, boolean]>([
    ['the first node', undefined, aPod(), changed(base, undefined), true],
    ['a pod gone, without a node', undefined, aPod(), gone(web), false],
    ['more room', 'NodeResourcesFit', aPod({}, { cpu: '3' }), changed(allocatable({ cpu: '4' })), true],
    ['more room, not enough', 'NodeResourcesFit', aPod({}, { cpu: '9' }), changed(allocatable({ cpu: '4' })), false],
    [
      'more room, for one that needs another node',
      'NodeAffinity',
      aPod({ nodeSelector: { a: 'b' } }),
      changed(allocatable({ cpu: '4' })),
      false,
    ],
    [
      'a label, for one that needs room',
      'NodeResourcesFit',
      aPod({}, { cpu: '1' }),
      changed(aNode('n', {}, { a: 'b' })),
      false,
    ],
    ['the label', 'NodeAffinity', aPod({ nodeSelector: { a: 'b' } }), changed(aNode('n', {}, { a: 'b' })), true],
    ['another label', 'NodeAffinity', aPod({ nodeSelector: { a: 'b' } }), changed(aNode('n', {}, { a: 'c' })), false],
    [
      'the taint is gone',
      'TaintToleration',
      aPod(),
      changed(base, aNode('n', { taints: [{ key: 'a', effect: 'NoSchedule' }] })),
      true,
    ],
    [
      'one taint of two is gone',
      'TaintToleration',
      aPod(),
      changed(
        aNode('n', { taints: [{ key: 'b', effect: 'NoSchedule' }] }),
        aNode('n', { taints: ['a', 'b'].map((key) => ({ key, effect: 'NoSchedule' })) }),
      ),
      false,
    ],
    ['uncordoned', 'NodeUnschedulable', aPod(), changed(base, aNode('n', { unschedulable: true })), true],
    [
      'still cordoned',
      'NodeUnschedulable',
      aPod(),
      changed(aNode('n', { unschedulable: true }, { a: '' }), aNode('n', { unschedulable: true })),
      false,
    ],
    ['a pod gone', 'NodeResourcesFit', aPod({}, { cpu: '1' }), gone(web), true],
    ['a pod gone, for one that needs a label', 'NodeAffinity', aPod(), gone(web), false],
    ['the port is free', 'NodePorts', port(80), gone(port(80)), true],
    ['another port is free', 'NodePorts', port(80), gone(port(81)), false],
    ['whom it wants came', 'InterPodAffinity', likes('podAffinity'), placed(web), true],
    ['somebody came', 'InterPodAffinity', likes('podAffinity'), placed(db), false],
    ['whom it cannot stand went', 'InterPodAffinity', likes('podAntiAffinity'), gone(web), true],
    ['somebody went', 'InterPodAffinity', likes('podAntiAffinity'), gone(db), false],
    ['who could not stand it went', 'InterPodAffinity', web, gone(likes('podAntiAffinity')), true],
    ['whom it cannot stand is another now', 'InterPodAffinity', likes('podAntiAffinity'), placed(db, web), true],
    ['one of its like came', 'PodTopologySpread', spread, placed(web), true],
    ['one of another kind came', 'PodTopologySpread', spread, placed(db), false],
    ['a domain less', 'PodTopologySpread', spread, { kind: 'node-gone' }, true],
    [
      'its claim',
      'VolumeBinding',
      withClaim,
      { kind: 'claim', claim: { metadata: { namespace: 'default', name: 'data' } } },
      true,
    ],
    [
      "another's claim",
      'VolumeBinding',
      withClaim,
      { kind: 'claim', claim: { metadata: { namespace: 'default', name: 'x' } } },
      false,
    ],
    [
      'room for volumes',
      'VolumeBinding',
      withClaim,
      changed({ ...base, metadata: { ...base.metadata, annotations: { 'mendlet.dev/volume-space': '{}' } } }),
      true,
    ],
    ['who shared its claim went', 'VolumeRestrictions', withClaim, gone(withClaim), true],
    ['who had a volume went', 'NodeVolumeLimits', withClaim, gone(withClaim), true],
    ['who had no volume went', 'NodeVolumeLimits', withClaim, gone(web), false],
    ['a volume was detached', 'NodeVolumeLimits', withClaim, driver('VolumeAttachmentDelete'), true],
    ['a driver can have more volumes', 'NodeVolumeLimits', withClaim, driver('CSINodeUpdate'), true],
    ['a driver has more room', 'NodeVolumeLimits', withClaim, driver('CSIStorageCapacityUpdate'), false],
    ['more room, for new volumes', 'VolumeBinding', withClaim, driver('CSIStorageCapacityUpdate'), true],
    ['a detached one is of no use', 'VolumeBinding', withClaim, driver('VolumeAttachmentDelete'), false],
    ['the zone of a node', 'VolumeZone', withClaim, changed(aNode('n', {}, { zone: 'z' })), true],
    ['a volume has another zone', 'VolumeZone', withClaim, { kind: 'volume' }, true],
    ['a pod more', 'VolumeZone', withClaim, placed(web), false],
  ])('%s', (_, rejectedBy, pod, event, helps) => {
    const filters = new Set(rejectedBy === undefined ? [] : [rejectedBy]);
    expect(mayHelp({ pod: podInfo(pod), rejectedBy: filters }, event, () => undefined)).toBe(helps);
  });
});
