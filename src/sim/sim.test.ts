import { setMaxListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.node.ts';
import { EventHeap, type SimEvent } from './event-heap.ts';
import { realEventLoop } from './event-loop.node.ts';
import { DeterminismViolation } from './event-loop.ts';
import { Life } from './life.ts';
import { remoteCall } from './remote-call.ts';
import { runSeed } from './run-seed.ts';
import { SIM_EPOCH, WallClock, createSimClock } from './sim-clock.ts';
import { SimDisk } from './sim-disk.ts';
import { Sim } from './sim.ts';

setMaxListeners(0);

function newSim(seed: number | string = 1): Sim {
  return new Sim({ seed, loop: realEventLoop });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (disk: SimDisk, path: string): string | undefined => {
  const node = disk.get(path);
  return node === undefined ? undefined : new TextDecoder().decode(node.data);
};

describe('EventHeap', () => {
  it('gives events by time, then by tie', () => {
    const entry = fc.record({ at: fc.integer({ min: 0, max: 5 }), tie: fc.integer({ min: 0, max: 1000 }) });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const heap = new EventHeap();
        for (const each of entries) heap.push({ ...each, label: '', fire: () => {}, cancelled: false });
        const out: SimEvent[] = [];
        for (let next = heap.pop(); next !== undefined; next = heap.pop()) out.push(next);
        const sorted = entries.toSorted((a, b) => a.at - b.at || a.tie - b.tie);
        expect(out.map(({ at, tie }) => ({ at, tie }))).toEqual(sorted);
      }),
    );
  });
});

describe('Sim', () => {
  it('runs events in time, drains promises between them, and repeats itself', async () => {
    const play = async (seed: number): Promise<{ readonly seen: string[]; readonly hash: string }> => {
      const sim = newSim(seed);
      const seen: string[] = [];
      for (const name of ['a', 'b', 'c', 'd']) {
        sim.after(5, name, () => {
          void (async () => {
            for (let i = 0; i < 50; i += 1) await Promise.resolve();
            seen.push(name);
          })();
        });
      }
      sim.after(1, 'first', () => seen.push('first'));
      await sim.run(10);
      expect(sim.mono).toBe(10);
      return { seen, hash: sim.trace.hash };
    };
    const once = await play(7);
    expect(once.seen[0]).toBe('first');
    expect(once.seen.slice(1).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(await play(7)).toEqual(once);
    const orders = await Promise.all(Array.from({ length: 12 }, async (_, seed) => (await play(seed)).seen.join()));
    expect(new Set(orders).size).toBeGreaterThan(3);
  });

  it('fails when simulated code touches the real world, even if that code swallows the exception', async () => {
    const sim = newSim();
    sim.after(1, 'leak', () => {
      try {
        systemClock.now();
      } catch {
        // The code under test swallows the exception.
      }
    });
    await expect(sim.run(10)).rejects.toBeInstanceOf(DeterminismViolation);
    expect(systemClock.now().wall).toBeGreaterThan(0);
  });

  it('fails with what a check finds', async () => {
    const sim = newSim();
    sim.check(() => {
      if (sim.mono >= 2) throw new Error('broken at 2');
    });
    for (const at of [1, 2, 3]) sim.after(at, `${at}`, () => {});
    await expect(sim.run(10)).rejects.toThrow('broken at 2');
    expect(sim.mono).toBe(2);
  });
});

describe('Life and clock', () => {
  it('a killed process gets no timer and no answer, but its request takes effect', async () => {
    const sim = newSim();
    const life = new Life(sim, 'agent');
    const clock = createSimClock(sim, new WallClock(sim), life);
    const seen: string[] = [];
    clock.setTimer(10, () => seen.push('timer'));
    const fate = { thereMs: 5, backMs: 5 };
    void remoteCall(sim, life, 'call', fate, () => seen.push('effect')).then(() => seen.push('answer'));
    sim.after(2, 'kill', () => life.kill());
    await sim.run(100);
    expect(seen).toEqual(['effect']);
  });

  it('a suspended process gets everything when it wakes: in order, late, and knowing how late', async () => {
    const sim = newSim();
    const life = new Life(sim, 'agent');
    const clock = createSimClock(sim, new WallClock(sim), life);
    const seen: string[] = [];
    clock.setTimer(10, (lateMs) => seen.push(`a ${lateMs} late`));
    clock.setTimer(20, (lateMs) => {
      seen.push(`b ${lateMs} late`);
      clock.setTimer(0, (more) => seen.push(`c ${more} late`));
    });
    sim.after(5, 'suspend', () => life.suspend(95));
    await sim.run(200);
    expect(seen).toEqual(['a 90 late', 'b 80 late', 'c 0 late']);
  });

  it('wall time steps, monotonic time does not', async () => {
    const sim = newSim();
    const wall = new WallClock(sim);
    const clock = createSimClock(sim, wall, new Life(sim, 'agent'));
    expect(clock.now()).toEqual({ wall: SIM_EPOCH, mono: 1000 });
    wall.step(-5000);
    await sim.run(100);
    expect(clock.now()).toEqual({ wall: SIM_EPOCH - 4900, mono: 1100 });
  });
});

describe('SimDisk', () => {
  it('forgets unsynced writes of the last seconds when the power goes', async () => {
    const sim = newSim();
    const disk = new SimDisk(sim, 1000);
    disk.mkdir('/data', 0o755);
    disk.writeFile('/data/synced', bytes('1'), undefined, true);
    disk.writeFile('/data/old', bytes('1'), undefined, false);
    await sim.run(40_000);
    disk.writeFile('/data/synced', bytes('2'), undefined, false);
    disk.writeFile('/data/new', bytes('1'), undefined, false);
    disk.losePower();
    expect([textOf(disk, '/data/synced'), textOf(disk, '/data/old'), textOf(disk, '/data/new')]).toEqual([
      '1',
      '1',
      undefined,
    ]);
  });

  it('keeps a synced new name when the power goes, with what was durable under the old one', () => {
    const disk = new SimDisk(newSim(), 1000);
    disk.mkdir('/a', 0o700);
    disk.change('/a', { mode: 0o777 });
    disk.writeFile('/a/synced', bytes('1'), undefined, true);
    disk.writeFile('/a/new', bytes('1'), undefined, false);
    disk.rename('/a', '/b', true);
    disk.mkdir('/c', 0o700);
    disk.rename('/c', '/d');
    disk.losePower();
    expect([textOf(disk, '/b/synced'), textOf(disk, '/b/new'), disk.get('/b')?.mode]).toEqual(['1', undefined, 0o700]);
    expect([disk.exists('/a'), disk.exists('/c'), disk.exists('/d')]).toEqual([false, true, false]);
  });

  it('fills up, follows links, renames and removes trees', () => {
    const disk = new SimDisk(newSim(), 10);
    disk.mkdir('/a/b', 0o755);
    disk.writeFile('/a/b/f', bytes('12345'), 0o600, false);
    expect(() => disk.writeFile('/a/b/g', bytes('123456'), undefined, false)).toThrow('ENOSPC');
    disk.symlink('b', '/a/link');
    expect(disk.resolve('/a/link/f')?.path).toBe('/a/b/f');
    disk.rename('/a/b', '/a/c');
    expect(disk.names('/a')).toEqual(['c', 'link']);
    expect(textOf(disk, '/a/c/f')).toBe('12345');
    disk.remove('/a/c');
    expect(disk.list('/a/c')).toEqual([]);
    expect(() => disk.names('/a/c')).toThrow('ENOENT');
  });
});

describe('whole clusters', () => {
  // `npm test` plays fixed seeds as a step of its own; bugs that seeds found are tested in `kept-scenarios.test.ts`.
  it('notices an agent that never does anything', async () => {
    const report = await runSeed({
      seed: 1,
      loop: realEventLoop,
      runAgent: () => new Promise(() => {}),
      only: [],
      minutes: 1,
    });
    expect(String(report.failure)).toMatch(/^LivenessFailure: after 20 quiet minutes/);
  });
});
