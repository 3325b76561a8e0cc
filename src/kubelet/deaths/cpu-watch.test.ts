import { expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import type { CpuPeriods } from '../figures.ts';
import { CpuWatch } from './cpu-watch.ts';
import { SAMPLE_PERIOD_MS } from './limits.ts';
import type { LivingContainer } from './living-containers.ts';

function watch(limits: Readonly<Record<string, number | undefined>>) {
  const clock = createManualClock();
  const living: LivingContainer[] = Object.entries(limits).map(([id, limitMillicores]) => ({
    pod: testPod(),
    name: id,
    id,
    startedAt: clock.now().wall,
    restartCount: 0,
    logPath: '/l',
    limitBytes: undefined,
    limitMillicores,
  }));
  const world = { counted: { periods: 10, throttledPeriods: 9 } as CpuPeriods | undefined, reads: [] as string[] };
  const cpu = new CpuWatch({
    clock,
    logger: silentLogger,
    cgroups: {
      cpuPeriods: async ({ containerId = '' }) => {
        world.reads.push(containerId);
        return world.counted;
      },
    },
    living: () => living,
  });
  return { clock, living, world, cpu };
}

it('reads containers with a limit now and then, and no others', async () => {
  const { clock, world, cpu } = watch({ limited: 20, free: undefined, zero: 0 });
  const end = new AbortController();
  void cpu.run(end.signal);
  await settle();
  await clock.advance(SAMPLE_PERIOD_MS);
  expect(world.reads).toEqual(['limited', 'limited']);
  end.abort();
  await settle();
  expect(clock.pendingTimers).toBe(0);
});

it('reads at once when a probe failed, and keeps that when the group is gone', async () => {
  const { living, world, cpu } = watch({ limited: 20, free: undefined });
  for (const id of ['limited', 'free', 'unknown']) cpu.hint(id);
  await settle();
  expect(world.reads).toEqual(['limited']);
  world.counted = undefined;
  cpu.hint('limited');
  living.splice(0);
  await settle();
  expect(cpu.of('limited')).toEqual({ periods: 10, throttledPeriods: 9, limitMillicores: 20 });
  expect(cpu.of('free')).toBeUndefined();
  cpu.forget('limited');
  expect(cpu.of('limited')).toBeUndefined();
});

it('tells the limit that held it back last', async () => {
  const { living, world, cpu } = watch({ limited: 20 });
  await cpu.sample();
  world.counted = { periods: 30, throttledPeriods: 10 };
  living.splice(0, 1, { ...living[0]!, limitMillicores: 200 });
  await cpu.sample();
  expect(cpu.of('limited')).toEqual({ periods: 30, throttledPeriods: 10, limitMillicores: 200 });
});

it('survives a cgroup that cannot be read', async () => {
  const { living, cpu } = watch({ limited: 20 });
  const broken = new CpuWatch({
    clock: createManualClock(),
    logger: silentLogger,
    cgroups: { cpuPeriods: async () => Promise.reject(new Error('no cgroups')) },
    living: () => living,
  });
  broken.hint('limited');
  await settle();
  expect(broken.of('limited')).toBeUndefined();
  expect(cpu.of('limited')).toBeUndefined();
});
