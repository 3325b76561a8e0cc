import { describe, expect, it } from 'vitest';
import type { Container, Node, Pod } from '../../api/index.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import { admitPod } from './admit-pod.ts';

const allocatable = { milliCpu: 2000, memoryBytes: 1024 ** 3, pods: 3 };
const node: Node = {
  metadata: { name: 'node', labels: { disk: 'ssd', cpus: '8' } },
  spec: { taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }] },
};
const tolerations = [{ key: 'k', operator: 'Exists' }];
const asking = (requests: Record<string, string>, more: Partial<Container> = {}): Pod =>
  testPod({ tolerations, containers: [{ name: 'main', image: 'i', resources: { requests }, ...more }] });
const reason = (pod: Pod, others: readonly Pod[] = []) => {
  const verdict = admitPod({ pod, others, node, allocatable });
  return verdict.admitted ? undefined : `${verdict.reason}: ${verdict.message}`;
};
const port = (hostPort: number, hostIP?: string, protocol?: string) =>
  asking({}, { ports: [{ containerPort: 80, hostPort, ...(hostIP && { hostIP }), ...(protocol && { protocol }) }] });
const affinity = (matchExpressions: { key: string; operator: string; values?: string[] }[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});

describe('admitPod', () => {
  it('admits what fits', () =>
    expect(reason(asking({ cpu: '1', memory: '512Mi' }), [asking({ cpu: '1' })])).toBeUndefined());

  it.each([
    [
      asking({ cpu: '1500m' }),
      [asking({ cpu: '1' })],
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    ],
    [
      asking({ memory: '2Gi' }),
      [],
      "OutOfmemory: Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    ],
    [
      asking({}),
      [asking({}), asking({}), asking({})],
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    ],
  ])('refuses what does not', (pod, others, expected) => expect(reason(pod, others)).toBe(expected));

  it('lets best-effort pods in beside a full node', () =>
    expect(reason(asking({}), [asking({ cpu: '2' })])).toBeUndefined());

  it.each([
    [{ nodeSelector: { disk: 'ssd' } }, undefined],
    [{ nodeSelector: { disk: 'hdd' } }, 'NodeAffinity'],
    [{ affinity: affinity([{ key: 'disk', operator: 'In', values: ['ssd'] }]) }, undefined],
    [{ affinity: affinity([{ key: 'disk', operator: 'NotIn', values: ['ssd'] }]) }, 'NodeAffinity'],
    [{ affinity: affinity([{ key: 'gpu', operator: 'Exists' }]) }, 'NodeAffinity'],
    [{ affinity: affinity([{ key: 'gpu', operator: 'DoesNotExist' }]) }, undefined],
    [{ affinity: affinity([{ key: 'cpus', operator: 'Gt', values: ['4'] }]) }, undefined],
    [{ affinity: affinity([{ key: 'cpus', operator: 'Lt', values: ['4'] }]) }, 'NodeAffinity'],
    [{ affinity: affinity([]) }, 'NodeAffinity'],
    [{ tolerations: [] }, 'TaintToleration'],
    [{ tolerations: [{ operator: 'Exists' }] }, undefined],
    [{ tolerations: [{ key: 'k', value: 'v', effect: 'NoExecute' }] }, undefined],
    [{ tolerations: [{ key: 'k', value: 'other' }] }, 'TaintToleration'],
    [{ os: { name: 'windows' } }, 'PodOSNotSupported'],
    [{ hostUsers: false }, 'PodFeatureUnsupported'],
    [{ hostUsers: true }, undefined],
    [{ runtimeClassName: 'gvisor' }, undefined],
    [{ securityContext: { sysctls: [{ name: 'net/ipv4/tcp_syncookies', value: '1' }] } }, undefined],
    [{ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }, 'SysctlForbidden'],
  ])('%j: %s', (spec, expected) => {
    const found = reason(testPod({ tolerations, ...spec }));
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found?.startsWith(`${expected}: `)).toBe(true);
  });

  it.each([
    [port(8080), port(8080), true],
    [port(8080), port(8081), false],
    [port(8080), port(8080, undefined, 'UDP'), false],
    [port(8080, '10.0.0.1'), port(8080, '10.0.0.2'), false],
    [port(8080, '10.0.0.1'), port(8080, '0.0.0.0'), true],
  ])('host ports clash or not', (pod, other, clash) => expect(reason(pod, [other]) !== undefined).toBe(clash));

  it('judges by what it knows while the node object is not there', () =>
    expect(
      admitPod({ pod: testPod({ nodeSelector: { disk: 'hdd' } }), others: [], node: undefined, allocatable }).admitted,
    ).toBe(true));

  it.each([
    [['kernel.msgmax'], true],
    [['kernel.msg*'], true],
    [['net.*'], false],
    [[], false],
  ])('unsafe sysctls may be allowed: %j', (allowedUnsafeSysctls, admitted) => {
    const pod = testPod({ securityContext: { sysctls: [{ name: 'kernel/msgmax', value: '1' }] } });
    expect(admitPod({ pod, others: [], node: undefined, allocatable, allowedUnsafeSysctls }).admitted).toBe(admitted);
  });

  it.each([
    [{ memory: true }, {}, 'Evicted: The node had condition: [MemoryPressure]. '],
    [{ memory: true }, { containers: [{ name: 'c', resources: { requests: { memory: '1Mi' } } }] }, undefined],
    [{ memory: true }, { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }] }, undefined],
    [{ memory: true }, { priority: 2_000_000_000 }, undefined],
    [{ memory: true, disk: true }, {}, 'Evicted: The node had condition: [MemoryPressure DiskPressure]. '],
    [{ disk: true }, { containers: [{ name: 'c', resources: { requests: { memory: '1Mi' } } }] }, 'Evicted'],
    [{ pid: true }, {}, 'Evicted: The node had condition: [PIDPressure]. '],
  ])('under pressure %j', (short, spec, expected) => {
    const pressure = { memory: false, disk: false, pid: false, ...short };
    const verdict = admitPod({ pod: testPod(spec), others: [], node: undefined, allocatable, pressure });
    const found = verdict.admitted ? undefined : `${verdict.reason}: ${verdict.message}`;
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(expected);
  });
});
