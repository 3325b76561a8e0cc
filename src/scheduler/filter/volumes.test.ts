import { describe, expect, it } from 'vitest';
import {
  LOCAL_PROVISIONER,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PROVISIONED_BY,
  SELECTED_NODE,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { seededRandom } from '../../lib/index.ts';
import { chooseNode } from '../choose-node.ts';
import { aNode, aPod, clusterFrom, running, type Written } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';

const claim = (spec: PersistentVolumeClaim['spec'] = {}, more: Partial<PersistentVolumeClaim> = {}) => ({
  metadata: { namespace: 'default', name: 'data' },
  spec,
  ...more,
});
const bound = { volumeName: 'pv', accessModes: ['ReadWriteOnce'] };
const Bound = { status: { phase: 'Bound' } };
const volume = (values?: string[]): PersistentVolume => ({
  metadata: { name: 'pv' },
  spec:
    values === undefined
      ? {}
      : {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }],
            },
          },
        },
});
const WAITS = { volumeBindingMode: 'WaitForFirstConsumer' };
const lazy = { metadata: { name: 'lazy' }, provisioner: 'kubernetes.io/no-provisioner', ...WAITS };
const made = { metadata: { name: 'made' }, provisioner: 'x', ...WAITS };
const folders = { metadata: { name: 'folders' }, provisioner: LOCAL_PROVISIONER, ...WAITS };
const asking = (storageClassName: string, storage = '1Gi', annotations: Record<string, string> = {}) => ({
  metadata: { namespace: 'default', name: 'data', uid: 'u', annotations },
  spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});
/** A node that has so many gibibytes for volumes. */
const roomy = (name: string, gibibytes: number): Node => {
  const node = aNode(name);
  const annotations = { [VOLUME_SPACE_ANNOTATION]: JSON.stringify({ capacityBytes: gibibytes * 2 ** 30 }) };
  return { ...node, metadata: { ...node.metadata, annotations } };
};
/** A volume of the class on the node, taken unless it is `free`. */
const folder = (name: string, node: string, storage: string, free = false): PersistentVolume => ({
  metadata: { name, annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } },
  spec: {
    storageClassName: 'folders',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage },
    local: { path: `/volumes/${name}` },
    ...(free ? {} : { claimRef: { namespace: 'default', name: 'other', uid: 'o' } }),
    ...volume([node]).spec,
  },
});
const NO_SPACE = '0/2 nodes are available: 2 node(s) did not have enough free storage.';
const NO_VOLUME = "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.";

describe('volumes of claims', () => {
  const user = () => aPod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
  it.each<readonly [string, Partial<Written>, string]>([
    ['no such claim', {}, '0/2 nodes are available: persistentvolumeclaim "data" not found.'],
    ['unbound', { claims: [claim()] }, '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.'],
    [
      'lost',
      { claims: [claim(bound, { status: { phase: 'Lost' } })] },
      '0/2 nodes are available: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv".',
    ],
    [
      'being deleted',
      {
        claims: [
          claim(bound, { metadata: { namespace: 'default', name: 'data', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
        ],
      },
      '0/2 nodes are available: persistentvolumeclaim "data" is being deleted.',
    ],
    [
      'its volume is gone',
      { claims: [claim(bound, Bound)] },
      '0/2 nodes are available: 2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).',
    ],
    ['bound', { claims: [claim(bound, Bound)], volumes: [volume(['b'])] }, 'b'],
    [
      'bound to a volume elsewhere',
      { claims: [claim(bound, Bound)], volumes: [volume(['z'])] },
      "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.",
    ],
    [
      'waits for its consumer, and is not bound yet',
      { claims: [claim({ storageClassName: 'lazy' })], storageClasses: [lazy] },
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
    ],
    ['waits for its provisioner', { claims: [asking('made')], storageClasses: [made], nodes: [aNode('a')] }, 'a'],
    [
      'waits for its provisioner, elsewhere',
      { claims: [asking('made', '1Gi', { [SELECTED_NODE]: 'b' })], storageClasses: [made] },
      'b',
    ],
    [
      'waits for a provisioner that makes none there',
      {
        claims: [asking('made')],
        storageClasses: [
          { ...made, allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['east'] }] }] },
        ],
      },
      NO_VOLUME,
    ],
    [
      'waits for a provisioner that makes some on one node',
      {
        claims: [asking('made')],
        storageClasses: [
          {
            ...made,
            allowedTopologies: [{ matchLabelExpressions: [{ key: 'kubernetes.io/hostname', values: ['b'] }] }],
          },
        ],
      },
      'b',
    ],
    ['a folder, where no node makes any', { claims: [asking('folders')], storageClasses: [folders] }, NO_SPACE],
    [
      'a folder, where there is room',
      { claims: [asking('folders', '5Gi')], storageClasses: [folders], nodes: [roomy('a', 4), roomy('b', 5)] },
      'b',
    ],
    [
      'a folder that is too big for each node',
      { claims: [asking('folders', '6Gi')], storageClasses: [folders], nodes: [roomy('a', 4), roomy('b', 5)] },
      NO_SPACE,
    ],
    [
      'a folder, where others are already',
      {
        claims: [asking('folders', '2Gi')],
        storageClasses: [folders],
        nodes: [roomy('a', 4), roomy('b', 4)],
        volumes: [folder('x', 'a', '3Gi'), folder('y', 'b', '2Gi')],
      },
      'b',
    ],
    [
      'a folder, where others are about to be',
      {
        claims: [
          asking('folders', '2Gi'),
          {
            ...asking('folders', '3Gi'),
            metadata: { namespace: 'x', name: 'y', uid: 'z', annotations: { [SELECTED_NODE]: 'a' } },
          },
        ],
        storageClasses: [folders],
        nodes: [roomy('a', 4), roomy('b', 4)],
      },
      'b',
    ],
    [
      'a folder, where a free one suits',
      {
        claims: [asking('folders', '2Gi')],
        storageClasses: [folders],
        nodes: [roomy('a', 0), roomy('b', 0)],
        volumes: [folder('x', 'a', '1Gi', true), folder('y', 'b', '2Gi', true)],
      },
      'b',
    ],
    [
      'a folder, where the node says nonsense',
      {
        claims: [asking('folders')],
        storageClasses: [folders],
        nodes: ['a', 'b'].map((name) => ({
          ...aNode(name),
          metadata: { name, annotations: { [VOLUME_SPACE_ANNOTATION]: '{' } },
        })),
      },
      NO_SPACE,
    ],
    [
      'used by another that must be alone',
      {
        claims: [claim({ ...bound, accessModes: ['ReadWriteOncePod'] }, Bound)],
        volumes: [volume()],
        pods: [running('a', user())],
      },
      '0/2 nodes are available: 2 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
    ],
  ])('%s', (_, written, answer) => {
    const cluster = clusterFrom({ nodes: [aNode('a'), aNode('b')], ...written });
    const choice = chooseNode(podInfo(user()), cluster, { random: seededRandom(1), nominated: () => [], now: 0 });
    expect(choice.kind === 'node' ? choice.nodeName : choice.message).toBe(answer);
  });
});
