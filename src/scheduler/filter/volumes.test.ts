import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/index.ts';
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
const lazy = { metadata: { name: 'lazy' }, provisioner: 'x', volumeBindingMode: 'WaitForFirstConsumer' };

describe('volumes of claims', () => {
  const user = () => aPod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
  it.each<readonly [string, Omit<Written, 'nodes'>, string]>([
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
