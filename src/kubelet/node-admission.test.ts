import { expect, it } from 'vitest';
import type { Pod } from '../api/index.ts';
import { type AdmissionContext, admitHere, type Neighbours } from './node-admission.ts';
import { testPod } from './plan/plan.fixtures.ts';

const pod = (name: string, cpu: string, priority = 0): Pod =>
  testPod({ priority, containers: [{ name: 'main', resources: { requests: { cpu } } }] }, { name });
const critical = pod('critical', '2', 2_000_000_000);

function context(change: Partial<Neighbours> = {}) {
  const preempted: string[] = [];
  const given: AdmissionContext = {
    node: { node: () => undefined, readAt: () => 0, refresh: () => {} },
    allocatable: { milliCpu: 2000, memoryBytes: 1e9, ephemeralStorageBytes: 1e9, pods: 3 },
    allowedUnsafeSysctls: [],
    pressure: { memory: false, disk: false, pid: false },
    since: 0,
    now: 0,
    neighbours: {
      isWanted: () => true,
      isEnding: () => false,
      preempt: (_, others) => {
        preempted.push(...others.map(({ metadata }) => metadata?.name ?? ''));
        return true;
      },
      ...change,
    },
  };
  return { given, preempted };
}

it('a critical pod has others go, and waits for them', () => {
  const { given, preempted } = context();
  expect(admitHere(critical, [pod('a', '1')], given)).toBeUndefined();
  expect(preempted).toEqual(['a']);
});

it('asks nobody again who is on the way out', () => {
  const { given, preempted } = context({ isEnding: () => true });
  expect(admitHere(critical, [pod('a', '1')], given)).toBeUndefined();
  expect(preempted).toEqual([]);
});

it('an ordinary pod is refused, and so is a critical one that more room would not help', () => {
  const { given, preempted } = context();
  expect(admitHere(pod('b', '2'), [pod('a', '1')], given)).toMatchObject({ admitted: false, reason: 'OutOfcpu' });
  const ports = [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }];
  const web = (name: string, cpu: string, priority: number) =>
    testPod({ priority, containers: [{ name: 'main', ports, resources: { requests: { cpu } } }] }, { name });
  const verdict = admitHere(web('c', '2', 2_000_000_000), [web('a', '1', 0)], given);
  expect(verdict).toMatchObject({ admitted: false, reason: 'OutOfcpu' });
  expect(preempted).toEqual([]);
});

it('disk counts, too, for pods that ask for nothing else', () => {
  const wish = testPod({ containers: [{ name: 'main', resources: { requests: { 'ephemeral-storage': '2G' } } }] });
  expect(admitHere(wish, [], context().given)).toMatchObject({
    reason: 'OutOfephemeral-storage',
    message:
      "Node didn't have enough resource: ephemeral-storage, requested: 2000000000, used: 0, capacity: 1000000000",
  });
});
