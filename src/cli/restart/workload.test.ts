import { describe, expect, it } from 'vitest';
import type { Pod, ReplicaSet } from '../../api/index.ts';
import { parseMaxUnavailable } from './flag-values.ts';
import { maxUnavailableOf, podsOf, type Workload } from './workload.ts';

const deployment = (replicas: number, maxUnavailable?: number | string): Workload =>
  ({
    kind: 'deployment',
    object: {
      metadata: { uid: 'd' },
      spec: { replicas, ...(maxUnavailable === undefined ? {} : { strategy: { rollingUpdate: { maxUnavailable } } }) },
    },
  }) as Workload;
const statefulSet = (replicas: number, maxUnavailable?: number | string): Workload =>
  ({
    kind: 'statefulset',
    object: { metadata: { uid: 's' }, spec: { replicas, updateStrategy: { rollingUpdate: { maxUnavailable } } } },
  }) as Workload;
const daemonSet = (nodes: number, maxUnavailable?: number | string): Workload =>
  ({
    kind: 'daemonset',
    object: {
      metadata: { uid: 'ds' },
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable } } },
      status: { desiredNumberScheduled: nodes },
    },
  }) as Workload;
const replicaSet = { kind: 'replicaset', object: { metadata: { uid: 'r' }, spec: { replicas: 5 } } } as Workload;

describe('maxUnavailableOf', () => {
  it.each<[Workload, string | undefined, number]>([
    [deployment(10, '25%'), undefined, 2],
    [deployment(3, '25%'), undefined, 1],
    [deployment(3, 0), undefined, 1],
    [deployment(3), undefined, 1],
    [deployment(8, 3), undefined, 3],
    [deployment(8, 3), '1', 1],
    [deployment(8), '50%', 4],
    [deployment(1), '50%', 1],
    [statefulSet(10), undefined, 1],
    [statefulSet(10, '25%'), undefined, 2],
    [daemonSet(10), undefined, 1],
    [daemonSet(10, '25%'), undefined, 3],
    [daemonSet(0, 0), undefined, 1],
    [replicaSet, undefined, 1],
  ])('%j with %s: %d', (workload, asked, wanted) => {
    expect(maxUnavailableOf(workload, asked === undefined ? undefined : parseMaxUnavailable(asked))).toBe(wanted);
  });
});

describe('podsOf', () => {
  const pod = (name: string, owner: string, more: { ready?: boolean; age?: number; node?: string } = {}): Pod => ({
    metadata: {
      name,
      creationTimestamp: `2026-01-0${9 - (more.age ?? 1)}T00:00:00Z`,
      ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: owner, controller: true }],
    },
    spec: { containers: [], ...(more.node === undefined ? {} : { nodeName: more.node }) },
    status: { conditions: [{ type: 'Ready', status: (more.ready ?? true) ? 'True' : 'False' }] },
  });
  const names = (workload: Workload, pods: readonly Pod[], sets: readonly ReplicaSet[] = []) =>
    podsOf(workload, pods, sets).map(({ metadata }) => metadata?.name);

  it('a deployment: those of all its replica sets, the sick first, then by age', () => {
    const set = (uid: string, owner: string): ReplicaSet => ({
      metadata: { uid, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: owner, controller: true }] },
    });
    const pods = [
      pod('young', 'old-set', { age: 1 }),
      pod('old', 'new-set', { age: 5 }),
      pod('sick', 'new-set', { ready: false, age: 2 }),
      pod('other', 'other-set'),
      pod('bare', 'd'),
    ];
    const sets = [set('old-set', 'd'), set('new-set', 'd'), set('other-set', 'x')];
    expect(names(deployment(3), pods, sets)).toEqual(['sick', 'old', 'young']);
  });

  it('a stateful set: by ordinals, as numbers', () => {
    const pods = ['db-9', 'db-10', 'db-0'].map((name) => pod(name, 's', { ready: name !== 'db-0' }));
    expect(names(statefulSet(3), pods)).toEqual(['db-10', 'db-9', 'db-0']);
  });

  it('a daemon set: by nodes', () => {
    const pods = [pod('x', 'ds', { node: 'b' }), pod('y', 'ds', { node: 'a' })];
    expect(names(daemonSet(2), pods)).toEqual(['y', 'x']);
  });
});
