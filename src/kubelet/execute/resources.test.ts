import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/index.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import {
  containerResources,
  cpuQuota,
  cpuShares,
  oomScoreAdj,
  podCgroupLimits,
  podCgroupPath,
  qosCgroups,
} from './resources.ts';

const GIB = 1024 ** 3;
const node = { memoryBytes: 16 * GIB, cgroupVersion: 'v1' as const };
const container = (requests?: Record<string, string>, limits?: Record<string, string>, name = 'main'): Container => ({
  name,
  image: 'i',
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
});
const podOf = (...containers: Container[]) => testPod({ containers });

it.each([
  [0, 2],
  [1, 2],
  [2, 2],
  [100, 102],
  [1000, 1024],
  [10_000_000, 262_144],
])('%i m are %i shares', (milli, shares) => expect(cpuShares(milli)).toBe(shares));

it.each([
  [0, 0],
  [1, 1000],
  [10, 1000],
  [500, 50_000],
  [2500, 250_000],
])('%i m are a quota of %i', (milli, quota) => expect(cpuQuota(milli)).toBe(quota));

it.each([
  [1, 1024],
  [2, 2048],
  [0.5, 512],
  [64, 65_536],
  [1024, 262_144],
])('all pods of a machine with %d cores have %d shares together', (cores, shares) => {
  const [all, ...classes] = qosCgroups(cores);
  expect(all).toEqual({ path: ['kubepods'], limits: { cpuShares: shares } });
  expect(classes).toEqual([
    { path: ['kubepods', 'burstable'], limits: {} },
    { path: ['kubepods', 'besteffort'], limits: { cpuShares: 2 } },
  ]);
});

describe('containerResources', () => {
  it.each<[string, Container, object]>([
    ['nothing asked for', container(), { cpuShares: 2, cpuQuota: 0, memoryLimitBytes: 0, oomScoreAdj: 1000 }],
    ['a limit counts as the request', container(undefined, { cpu: '500m' }), { cpuShares: 512, cpuQuota: 50_000 }],
    ['a request of zero does not', container({ cpu: '0' }, { cpu: '500m' }), { cpuShares: 2, cpuQuota: 50_000 }],
    ['memory', container({ memory: '64Mi' }, { memory: '128Mi' }), { memoryLimitBytes: 128 * 1024 ** 2 }],
  ])('%s', (_name, each, expected) => expect(containerResources(podOf(each), each, node)).toMatchObject(expected));

  it('on cgroup v2 lets an OOM kill the whole container, and the pod alone limit processes', () => {
    const each = container();
    expect(containerResources(podOf(each), each, { ...node, cgroupVersion: 'v2' }).unified).toEqual({
      'memory.oom.group': '1',
      'pids.max': 'max',
    });
    expect(containerResources(podOf(each), each, node).unified).toBeUndefined();
  });
});

it.each<[string, Container, number]>([
  ['best effort', container(), 1000],
  ['guaranteed', container({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }), -997],
  ['a quarter of the node', container({ memory: '4Gi' }), 750],
  ['next to nothing', container({ memory: '1' }), 999],
  ['all of it', container({ memory: '16Gi' }), 3],
])('oom_score_adj of %s is %i', (_name, each, score) =>
  expect(oomScoreAdj(podOf(each), each, node.memoryBytes)).toBe(score),
);

it('spares what the node cannot do without', () => {
  const each = container();
  expect(oomScoreAdj(testPod({ containers: [each], priority: 2_000_001_000 }), each, GIB)).toBe(-997);
});

describe("the pod's cgroup", () => {
  it('is bounded only where every container is', () => {
    const bounded = container({ cpu: '1' }, { cpu: '1', memory: '1Gi' });
    const open = container({ cpu: '500m' }, { memory: '1Gi' }, 'open');
    expect(podCgroupLimits(podOf(bounded, open), -1)).toEqual({ cpuShares: 1536, memoryLimitBytes: 2 * GIB });
    expect(podCgroupLimits(podOf(bounded), -1)).toEqual({
      cpuShares: 1024,
      cpuQuota: 100_000,
      cpuPeriod: 100_000,
      memoryLimitBytes: GIB,
    });
    expect(podCgroupLimits(podOf(container()), -1)).toEqual({ cpuShares: 2 });
    expect(podCgroupLimits(podOf(container()), 64)).toEqual({ cpuShares: 2, pidsLimit: 64 });
  });

  it.each<[Container, string[]]>([
    [container(), ['kubepods', 'besteffort']],
    [container({ cpu: '1' }), ['kubepods', 'burstable']],
    [container({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }), ['kubepods']],
  ])('lies in its class', (each, parents) => {
    const pod = podOf(each);
    expect(podCgroupPath(pod)).toEqual([...parents, `pod${pod.metadata?.uid}`]);
  });
});

describe('resources of the pod as a whole', () => {
  const whole = { requests: { memory: '8Gi' }, limits: { cpu: '2', memory: '8Gi' } };
  const own = container({ memory: '2Gi' }, { memory: '4Gi' }, 'own');
  const pod = testPod({ containers: [own, container(undefined, undefined, 'none')], resources: whole });

  it('bound the containers that have no limit of their own', () => {
    const limits = (pod.spec?.containers ?? []).map((each) => containerResources(pod, each, node));
    expect(limits).toMatchObject([
      { cpuQuota: 200_000, memoryLimitBytes: 4 * GIB },
      { cpuQuota: 200_000, memoryLimitBytes: 8 * GIB },
    ]);
  });

  it('are shared for the score of an OOM', () => {
    const scores = (pod.spec?.containers ?? []).map((each) => oomScoreAdj(pod, each, 16 * GIB));
    // 2 + 3 and 0 + 3 of 16 GiB.
    expect(scores).toEqual([688, 813]);
  });
});

it('a sidecar is not killed for memory before what it serves', () => {
  const side = { ...container({ memory: '1Mi' }), name: 'side', restartPolicy: 'Always' };
  const pod = testPod({ initContainers: [side], containers: [container({ memory: '4Gi' })] });
  expect(oomScoreAdj(pod, side, 16 * GIB)).toBe(750);
});
