import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import { choosePreempted } from './choose-preempted.ts';

type Amounts = Readonly<Record<string, string>>;

const pod = (name: string, requests: Amounts = {}, limits: Amounts = {}, priority?: number): Pod =>
  testPod(
    {
      containers: [{ name: 'main', resources: { requests, limits } }],
      ...(priority === undefined ? {} : { priority }),
    },
    { name },
  );
const guaranteed = (name: string, cpu: string) => pod(name, { cpu, memory: '1Mi' }, { cpu, memory: '1Mi' });
const critical = pod('critical', {}, {}, 2_000_000_000);
const names = (pods: readonly Pod[] | undefined) => pods?.map(({ metadata }) => metadata?.name);
const cpu = (missing: number) => [{ resource: 'cpu', missing }] as const;

describe('room for a critical pod', () => {
  it('is made by the one that gives just enough', () => {
    const others = [pod('big', { cpu: '3' }), pod('fits', { cpu: '600m' }), pod('small', { cpu: '100m' })];
    expect(names(choosePreempted(critical, others, cpu(500)))).toEqual(['fits']);
    expect(names(choosePreempted(critical, others, cpu(650)))).toEqual(['big']);
    expect(names(choosePreempted(critical, others, cpu(3650)))).toEqual(['big', 'fits', 'small']);
  });

  it('is taken from better classes only for what the others cannot give', () => {
    const others = [pod('idle'), pod('burst', { cpu: '500m' }), guaranteed('sure', '1')];
    expect(names(choosePreempted(critical, others, cpu(400)))).toEqual(['burst']);
    expect(names(choosePreempted(critical, others, cpu(800)))).toEqual(['sure']);
    expect(names(choosePreempted(critical, others, cpu(1200)))).toEqual(['burst', 'sure']);
    expect(names(choosePreempted(critical, others, [{ resource: 'pods', missing: 1 }]))).toEqual(['idle']);
  });

  it('is not taken from other critical pods, nor in vain', () => {
    const others = [pod('equal', { cpu: '2' }, {}, 2_000_000_000), pod('other', { cpu: '1' })];
    expect(choosePreempted(critical, others, cpu(1500))).toBeUndefined();
    expect(names(choosePreempted(critical, others, cpu(1000)))).toEqual(['other']);
    const above = pod('above', {}, {}, 2_000_001_000);
    expect(names(choosePreempted(above, others, cpu(1500)))).toEqual(['equal']);
  });
});
