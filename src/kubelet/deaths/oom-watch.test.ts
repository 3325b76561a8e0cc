import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { MemoryEvents } from '../figures.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import { OOM_NOTE_PERIOD_MS, SAMPLE_PERIOD_MS, OOM_SURVIVAL_MS, OOM_UNSEEN_LOOKS } from './limits.ts';
import type { LivingContainer } from './living-containers.ts';
import { OomWatch, type Survival } from './oom-watch.ts';

const ID = 'a'.repeat(64);

function watch(options: { told?: number; limited?: boolean } = {}) {
  const clock = createManualClock();
  const living: LivingContainer[] = [
    {
      pod: testPod(),
      name: 'main',
      id: ID,
      startedAt: 1,
      restartCount: 0,
      logPath: '/l',
      limitBytes: options.limited === false ? undefined : 64,
      limitMillicores: undefined,
    },
  ];
  const world = {
    counted: { oomKills: 0, peakBytes: 1, limitBytes: 64 } as MemoryEvents | undefined,
    log: [] as string[],
    processes: [1, 7] as readonly number[],
  };
  const survivals: Survival[] = [];
  let reads = 0;
  const oom = new OomWatch({
    clock,
    logger: silentLogger,
    cgroups: {
      memoryEvents: async () => {
        reads += 1;
        return world.counted;
      },
      processes: async () => world.processes,
    },
    kernelLog: { read: (wanted) => world.log.splice(0).filter((record) => wanted.test(record)) },
    living: () => living,
    told: async () => options.told ?? 0,
    onSurvived: (survival) => survivals.push(survival),
  });
  return { clock, living, world, survivals, oom, reads: () => reads };
}

const kernelLines = (pid: number) => [
  `6,1,1,-;oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/p,task_memcg=/p/${ID},task=hog,pid=${pid},uid=0`,
  `3,1,1,-;Memory cgroup out of memory: Killed process ${pid} (hog) total-vm:1kB, anon-rss:1kB, file-rss:0kB`,
];

describe('a container that lives on after a process of it was killed', () => {
  it('is told after a hint, with what the kernel said', async () => {
    const { clock, world, survivals, oom } = watch();
    world.counted = { oomKills: 1, peakBytes: 64, limitBytes: 64 };
    world.log.push(...kernelLines(7));
    oom.hint(ID);
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toMatchObject([
      { untold: 1, proof: { kills: 1, limitBytes: 64, processes: [{ name: 'hog', pid: 7 }] } },
    ]);
    expect(survivals[0]?.proof.sources).toEqual(['cgroup', 'kernel-log', 'runtime']);
  });

  it('is found by the counter alone, and told once', async () => {
    const { clock, world, survivals, oom } = watch();
    const end = new AbortController();
    void oom.run(end.signal);
    await settle();
    world.counted = { oomKills: 2 };
    await clock.advance(SAMPLE_PERIOD_MS + OOM_SURVIVAL_MS);
    expect(survivals).toMatchObject([{ untold: 2, proof: { sources: ['cgroup'] } }]);
    await clock.advance(5 * SAMPLE_PERIOD_MS);
    expect(survivals.length).toBe(1);
    end.abort();
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('is told of many losses together', async () => {
    const { clock, world, survivals, oom } = watch();
    for (let kills = 1; kills <= 12; kills += 1) {
      world.counted = { oomKills: kills };
      oom.hint(ID);
      await clock.advance(1000);
    }
    await clock.advance(OOM_NOTE_PERIOD_MS);
    expect(survivals.length).toBeLessThanOrEqual(3);
    expect(survivals.reduce((sum, { untold }) => sum + untold, 0)).toBe(12);
  });

  it('is not told again by the next agent', async () => {
    const { clock, world, survivals, oom } = watch({ told: 2 });
    world.counted = { oomKills: 2 };
    world.log.push(...kernelLines(7));
    await oom.sample();
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toEqual([]);
    world.counted = { oomKills: 3 };
    await oom.sample();
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toMatchObject([{ untold: 1 }]);
  });

  it('needs no limit of its own when the kernel names it', async () => {
    const { clock, world, survivals, oom, reads } = watch({ limited: false });
    await oom.sample();
    expect(reads()).toBe(0);
    world.counted = { oomKills: 1 };
    world.log.push(...kernelLines(7));
    await oom.sample();
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toMatchObject([{ untold: 1 }]);
  });
});

describe('a container that dies of it', () => {
  it('is no survivor, and leaves what was counted', async () => {
    const { clock, living, world, survivals, oom } = watch();
    world.counted = { oomKills: 1, peakBytes: 64 };
    oom.hint(ID);
    await settle();
    world.counted = undefined;
    living.splice(0);
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toEqual([]);
    expect(oom.evidence(ID)).toMatchObject({ counted: { oomKills: 1, peakBytes: 64 }, announced: true });
    oom.forget(ID);
    expect(oom.evidence(ID).counted).toBeUndefined();
  });

  it.each<[string, (given: ReturnType<typeof watch>) => void]>([
    ['its group is gone', ({ world }) => void (world.counted = undefined)],
    ['its group is empty', ({ world }) => void (world.processes = [])],
    [
      'its end is seen while we look',
      ({ living, world }) =>
        void Object.defineProperty(world, 'processes', {
          get: () => {
            living.splice(0);
            return [1];
          },
        }),
    ],
  ])('is no survivor, though its end was not told yet: %s', async (_, dies) => {
    const given = watch();
    const { clock, world, survivals, oom } = given;
    world.counted = { oomKills: 1, peakBytes: 64 };
    world.log.push(...kernelLines(7));
    oom.hint(ID);
    await settle();
    dies(given);
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toEqual([]);
    expect(oom.evidence(ID)).toMatchObject({
      counted: { oomKills: 1 },
      told: 0,
      announced: true,
      reports: [{ pid: 7 }],
    });
  });

  it('is looked at again when its processes could not be seen once', async () => {
    const { clock, world, survivals, oom } = watch();
    world.counted = { oomKills: 1 };
    world.processes = [];
    await oom.sample();
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toEqual([]);
    world.processes = [1];
    await clock.advance(OOM_SURVIVAL_MS);
    expect(survivals).toMatchObject([{ untold: 1 }]);
  });

  it('is known from the kernel log where its group was gone at once', () => {
    const { world, living, oom } = watch();
    living.splice(0);
    world.counted = undefined;
    world.log.push(...kernelLines(9));
    expect(oom.evidence(ID).reports).toMatchObject([{ pid: 9 }]);
  });
});

it('an announced kill that nothing confirms is no survival', async () => {
  const { clock, world, survivals, oom } = watch();
  world.counted = undefined;
  oom.hint(ID);
  await clock.advance(OOM_UNSEEN_LOOKS * OOM_SURVIVAL_MS);
  expect(survivals).toEqual([]);
  expect(oom.evidence(ID).announced).toBe(false);
});
