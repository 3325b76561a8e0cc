import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from '../../api/index.ts';
import { seededRandom } from '../../lib/index.ts';
import { chooseNode } from '../choose-node.ts';
import { aNode, aPod, clusterFrom, running, type Written } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';
import { nodeVolumeLimits } from './volume-limits.ts';
import { promisesFor } from './volumes.ts';

const DRIVER = 'disk.example.com';
const NO_ZONE = '0/2 nodes are available: 2 node(s) had no available volume zone.';
const NO_SPACE = '0/2 nodes are available: 2 node(s) did not have enough free storage.';
const TOO_MANY = '0/2 nodes are available: 2 node(s) exceed max volume count.';

const claim = (name: string, volumeName?: string, storage = '1Gi'): PersistentVolumeClaim => ({
  metadata: { namespace: 'default', name, uid: `uid-${name}` },
  spec: {
    storageClassName: 'disk',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    ...(volumeName === undefined ? {} : { volumeName }),
  },
  status: { phase: volumeName === undefined ? 'Pending' : 'Bound' },
});
const volume = (name: string, labels: Record<string, string> = {}): PersistentVolume => ({
  metadata: { name, labels },
  spec: { csi: { driver: DRIVER, volumeHandle: `handle-${name}` } },
});
const user = (...claims: readonly string[]): Pod =>
  aPod({ volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) });
const limit = (name: string, count?: number, driver = DRIVER): CSINode => ({
  metadata: { name },
  spec: { drivers: [{ name: driver, nodeID: name, ...(count === undefined ? {} : { allocatable: { count } }) }] },
});
const attached = (nodeName: string, persistentVolumeName: string): VolumeAttachment => ({
  metadata: { name: `${nodeName}-${persistentVolumeName}` },
  spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName } },
});
const disk: StorageClass = {
  metadata: { name: 'disk' },
  provisioner: DRIVER,
  volumeBindingMode: 'WaitForFirstConsumer',
};
const free: PersistentVolume = {
  metadata: { name: 'free' },
  spec: {
    storageClassName: 'disk',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    csi: { driver: DRIVER, volumeHandle: 'free' },
  },
};
const written = (more: Partial<Written>): Written => ({
  nodes: [aNode('a'), aNode('b')],
  storageClasses: [disk],
  ...more,
});

/** The node, or why there is none. */
function decide(pod: Pod, more: Partial<Written>): string {
  const choice = chooseNode(podInfo(pod), clusterFrom(written(more)), {
    random: seededRandom(1),
    nominated: () => [],
    now: 0,
  });
  return choice.kind === 'node' ? choice.nodeName : choice.message;
}

describe('limits of volumes', () => {
  const one = { claims: [claim('x', 'pv-x'), claim('y', 'pv-y')], volumes: [volume('pv-x'), volume('pv-y')] };
  const limits = [limit('a', 1), limit('b', 0)];
  it.each<readonly [string, Pod, Partial<Written>, string]>([
    ['room for one', user('x'), { ...one, csiNodes: limits }, 'a'],
    ['room for one of two', user('x', 'y'), { ...one, csiNodes: limits }, TOO_MANY],
    ['the same claim twice', user('x', 'x'), { ...one, csiNodes: limits }, 'a'],
    ['a driver without a limit', user('x', 'y'), { ...one, csiNodes: [limit('a'), limit('b', 0)] }, 'a'],
    ['a node that knows no drivers', user('x', 'y'), { ...one, csiNodes: [limit('b', 0)] }, 'a'],
    ['limits of another driver', user('x'), { ...one, csiNodes: [limit('a', 0, 'other'), limit('b', 0)] }, 'a'],
    [
      'a pod there with another volume',
      user('x'),
      { ...one, csiNodes: limits, pods: [running('a', user('y'))] },
      TOO_MANY,
    ],
    ['a pod there with the same volume', user('x'), { ...one, csiNodes: limits, pods: [running('a', user('x'))] }, 'a'],
    [
      'one attached without a pod',
      user('x'),
      { ...one, csiNodes: limits, attachments: [attached('a', 'pv-y')] },
      TOO_MANY,
    ],
    ['its own, attached already', user('x'), { ...one, csiNodes: limits, attachments: [attached('a', 'pv-x')] }, 'a'],
    [
      'one attached, of a pod there',
      user('y'),
      {
        ...one,
        csiNodes: [limit('a', 2), limit('b', 0)],
        pods: [running('a', user('x'))],
        attachments: [attached('a', 'pv-x')],
      },
      'a',
    ],
    ['a volume to be made', user('new'), { claims: [claim('new')], csiNodes: [limit('a', 0), limit('b', 1)] }, 'b'],
    [
      'a volume to be made for another pod',
      user('new'),
      { claims: [claim('new'), claim('newer')], csiNodes: limits, pods: [running('a', user('newer'))] },
      TOO_MANY,
    ],
    [
      'a volume of another kind',
      user('x'),
      { claims: [claim('x', 'nfs')], volumes: [{ metadata: { name: 'nfs' }, spec: {} }], csiNodes: limits },
      'ab',
    ],
    [
      'a node that is over its limit, and nothing new',
      user('x'),
      {
        ...one,
        csiNodes: [limit('a', 0), limit('b', 0)],
        pods: [running('a', user('x'))],
      },
      'a',
    ],
  ])('%s', (_, pod, more, expected) => {
    if (expected.length <= 2) expect(expected).toContain(decide(pod, more));
    else expect(decide(pod, more)).toBe(expected);
  });

  it('ephemeral volumes count by their claims', () => {
    const pod = aPod({ volumes: [{ name: 'tmp', ephemeral: {} }] });
    const name = `${pod.metadata?.name}-tmp`;
    const owner = { apiVersion: 'v1', kind: 'Pod', name: '', uid: pod.metadata?.uid ?? '', controller: true };
    const made = { ...claim(name), metadata: { namespace: 'default', name, uid: 'e', ownerReferences: [owner] } };
    expect(decide(pod, { claims: [made], csiNodes: [limit('a', 0), limit('b', 0)] })).toBe(TOO_MANY);
    expect(decide(pod, { claims: [made], csiNodes: [limit('a', 0), limit('b', 1)] })).toBe('b');
  });

  it('never lets more volumes of a driver on a node than it can have', () => {
    const names = ['u', 'v', 'w', 'x', 'y', 'z'];
    const claims = names.map((name) => claim(name, `pv-${name}`));
    const volumes = names.map((name) => volume(`pv-${name}`));
    const some = fc.subarray(names, { minLength: 1 });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), fc.subarray(names), fc.nat(4), (pods, held, count) => {
        const attachments = held.slice(0, count).map((name) => attached('a', `pv-${name}`));
        const on = new Set(attachments.map(({ spec }) => spec.source.persistentVolumeName));
        const there: Pod[] = [];
        for (const wanted of pods) {
          const pod = user(...wanted);
          const cluster = clusterFrom(
            written({ nodes: [aNode('a')], claims, volumes, csiNodes: [limit('a', count)], attachments, pods: there }),
          );
          const prepared = nodeVolumeLimits.prepare(podInfo(pod), cluster);
          if (prepared === undefined || 'rejection' in prepared) throw new Error('it concerns the pod');
          const [node] = cluster.nodes;
          const after = new Set([...on, ...wanted.map((name) => `pv-${name}`)]);
          const fits = node !== undefined && prepared.check(node) === undefined;
          // Exactly what keeps within the limit, or adds nothing.
          expect(fits).toBe(after.size <= count || after.size === on.size);
          if (!fits) continue;
          there.push(running('a', pod));
          for (const name of after) on.add(name);
        }
        expect(on.size).toBeLessThanOrEqual(count);
      }),
      { numRuns: 200 },
    );
  });
});

describe('zones of volumes', () => {
  const ZONE = 'topology.kubernetes.io/zone';
  const REGION = 'topology.kubernetes.io/region';
  const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
  const zoned = { nodes: [aNode('a', {}, { [ZONE]: 'east' }), aNode('b', {}, { [ZONE]: 'west', [REGION]: 'r' })] };
  it.each<readonly [string, Record<string, string>, string]>([
    ['one zone', { [ZONE]: 'west' }, 'b'],
    ['several zones', { [ZONE]: 'south__west' }, 'b'],
    ['a zone of no node', { [ZONE]: 'south' }, NO_ZONE],
    ['the old label', { [OLD_ZONE]: 'east' }, 'a'],
    ['zone and region', { [ZONE]: 'west', [REGION]: 'r' }, 'b'],
    ['a region that a node does not say', { [ZONE]: 'east', [REGION]: 'r' }, NO_ZONE],
    ['a label that says nothing', { [ZONE]: '', [REGION]: 'r' }, 'b'],
  ])('%s', (_, labels, expected) => {
    const more = { ...zoned, claims: [claim('x', 'pv')], volumes: [volume('pv', labels)] };
    expect(decide(user('x'), more)).toBe(expected);
  });

  it('nodes without zones have all volumes', () => {
    const more = { claims: [claim('x', 'pv')], volumes: [volume('pv', { [ZONE]: 'west' })] };
    expect(['a', 'b']).toContain(decide(user('x'), more));
  });
});

describe('storage capacity', () => {
  const speaks = { metadata: { name: DRIVER }, spec: { storageCapacity: true } };
  const capacity = (values: readonly string[], size: Partial<CSIStorageCapacity>): CSIStorageCapacity => ({
    metadata: { name: `c-${values.join('-')}` },
    storageClassName: 'disk',
    nodeTopology: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [...values] }] },
    ...size,
  });
  const asking = { claims: [claim('x', undefined, '10Gi')], csiDrivers: [speaks] };
  it.each<readonly [string, Partial<Written>, string]>([
    ['no driver says so', { ...asking, csiDrivers: [] }, 'ab'],
    ['the driver does not say', { ...asking, csiDrivers: [{ ...speaks, spec: {} }] }, 'ab'],
    ['it says nothing of the class', asking, NO_SPACE],
    ['on one node', { ...asking, capacities: [capacity(['b'], { capacity: '10Gi' })] }, 'b'],
    ['too little', { ...asking, capacities: [capacity(['a', 'b'], { capacity: '9Gi' })] }, NO_SPACE],
    [
      'enough in all, and not for one volume',
      { ...asking, capacities: [capacity(['a'], { capacity: '90Gi', maximumVolumeSize: '9Gi' })] },
      NO_SPACE,
    ],
    ['of a size that is not said', { ...asking, capacities: [capacity(['a'], {})] }, NO_SPACE],
    [
      'of another class',
      { ...asking, capacities: [{ ...capacity(['a'], { capacity: '90Gi' }), storageClassName: 'other' }] },
      NO_SPACE,
    ],
    [
      'reached by all nodes',
      { ...asking, capacities: [{ ...capacity([], { capacity: '90Gi' }), nodeTopology: {} }] },
      'ab',
    ],
    [
      'a selector that nobody understands',
      {
        ...asking,
        capacities: [
          capacity(['a'], { capacity: '90Gi', nodeTopology: { matchExpressions: [{ key: 'k', operator: 'Near' }] } }),
          capacity(['b'], { capacity: '90Gi' }),
        ],
      },
      'b',
    ],
  ])('%s', (_, more, expected) => {
    if (expected.length <= 2) expect(expected).toContain(decide(user('x'), more));
    else expect(decide(user('x'), more)).toBe(expected);
  });
});

it('a claim of a snapshot takes no free volume, whose data is another', () => {
  const cluster = clusterFrom(written({ volumes: [free], claims: [claim('x')] }));
  const plain = promisesFor(podInfo(user('x')), 'a', cluster);
  expect(plain.map(({ volume: name }) => name)).toEqual(['free']);
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
  const copy = { ...claim('x'), spec: { ...claim('x').spec, dataSource } };
  const asked = promisesFor(podInfo(user('x')), 'a', clusterFrom(written({ volumes: [free], claims: [copy] })));
  expect(asked.map(({ volume: name }) => name)).toEqual([undefined]);
});

it('a claim that names its volume waits for the controller, whatever its class', () => {
  const named = { ...claim('x', 'pv'), status: { phase: 'Pending' } };
  expect(decide(user('x'), { claims: [named] })).toBe(
    '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  );
});

it('the work of a pod without claims is none', () => {
  const asked: string[] = [];
  const cluster = clusterFrom(written({ csiNodes: [limit('a', 0)], pods: [running('a', user('x'))] }));
  const drivers = new Proxy(cluster.drivers, {
    get: (_, name) => {
      asked.push(String(name));
      return () => undefined;
    },
  });
  const watched = { ...cluster, drivers };
  const choice = chooseNode(podInfo(aPod()), watched, { random: seededRandom(1), nominated: () => [], now: 0 });
  expect(choice.kind).toBe('node');
  expect(asked).toEqual([]);
});
