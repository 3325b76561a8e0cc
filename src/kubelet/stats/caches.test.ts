import { describe, expect, it } from 'vitest';
import { RuntimeError } from '../../cri/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { DiskUsage } from '../figures.ts';
import { DiskUsageCache } from './disk-usage-cache.ts';
import { RuntimeFiguresCache } from './runtime-figures-cache.ts';

describe('DiskUsageCache', () => {
  const setUp = (walk: (path: string, signal: AbortSignal) => Promise<DiskUsage | undefined>) => {
    const clock = createManualClock();
    const walked: string[] = [];
    const cache = new DiskUsageCache({
      clock,
      logger: silentLogger,
      meter: {
        diskUsage: (path, { signal }) => {
          walked.push(path);
          return walk(path, signal);
        },
      },
    });
    return { clock, cache, walked };
  };
  const of = (...paths: string[]) => new Set(paths);

  it('walks a folder once a minute', async () => {
    const { clock, cache, walked } = setUp(async () => ({ bytes: 1, inodes: 2 }));
    expect((await cache.usages(of('/a', '/b'))).get('/a')).toEqual({ bytes: 1, inodes: 2 });
    await clock.advance(59_000);
    await cache.usages(of('/a', '/b'));
    expect(walked).toEqual(['/a', '/b']);
    await clock.advance(1_001);
    await cache.usages(of('/a'));
    expect(walked).toEqual(['/a', '/b', '/a']);
  });

  it('has the rest when one walk hangs, and gives that walk up', async () => {
    const { clock, cache } = setUp((path, signal) => {
      if (path !== '/stuck') return Promise.resolve({ bytes: 1, inodes: 1 });
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const found = cache.usages(of('/stuck', '/a', '/b', '/c'));
    await clock.advance(2_000);
    expect([...(await found).keys()]).toEqual(['/a', '/b', '/c']);
    await clock.advance(60_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not walk again where a walk never ended', async () => {
    let end = (): void => {};
    const { clock, cache, walked } = setUp(() => new Promise((resolve) => (end = () => resolve(undefined))));
    const found = cache.usages(of('/stuck'));
    await clock.advance(2_000);
    await found;
    await clock.advance(200_000);
    await cache.usages(of('/stuck'));
    expect(walked).toEqual(['/stuck']);
    end();
    await clock.advance(60_000);
    const again = cache.usages(of('/stuck'));
    await clock.advance(2_000);
    await again;
    expect(walked).toEqual(['/stuck', '/stuck']);
  });

  it('keeps the figure of before while a walk takes long', async () => {
    let isSlow = false;
    const { clock, cache } = setUp(() => (isSlow ? new Promise(() => {}) : Promise.resolve({ bytes: 5, inodes: 1 })));
    await cache.usages(of('/a'));
    isSlow = true;
    await clock.advance(60_000);
    const again = cache.usages(of('/a'));
    await clock.advance(2_000);
    expect((await again).get('/a')).toEqual({ bytes: 5, inodes: 1 });
  });

  it('forgets what nobody asks for any more', async () => {
    const { cache, walked } = setUp(async () => ({ bytes: 1, inodes: 1 }));
    await cache.usages(of('/a'));
    await cache.usages(of('/b'));
    await cache.usages(of('/a'));
    expect(walked).toEqual(['/a', '/b', '/a']);
  });

  it('has nothing of what cannot be walked', async () => {
    const { cache } = setUp(() => Promise.reject(new Error('no')));
    expect((await cache.usages(of('/a'))).size).toBe(0);
  });
});

describe('RuntimeFiguresCache', () => {
  const layer = (id: string) => ({ id, rootfsUsedBytes: 7, at: 0 });

  it('asks about each container when the question about all fails', async () => {
    const clock = createManualClock();
    const asked: (string | undefined)[] = [];
    const cache = new RuntimeFiguresCache({
      clock,
      logger: silentLogger,
      images: { fsInfo: async () => ({ usedBytes: 1, mountpoint: '/i' }) },
      runtime: {
        containerStats: async ({ id } = {}) => {
          asked.push(id);
          if (id === undefined || id === 'wedged') throw new RuntimeError('DeadlineExceeded', 'late');
          return [layer(id)];
        },
      },
    });
    const { writableLayers, image } = await cache.figures(['a', 'wedged', 'b']);
    expect([...writableLayers.keys()]).toEqual(['a', 'b']);
    expect(image).toEqual({ usedBytes: 1, mountpoint: '/i' });
    await cache.figures(['a']);
    expect(asked).toEqual([undefined, 'a', 'wedged', 'b']);
  });

  it('does not wait for a runtime that hangs, and has what it said before', async () => {
    const clock = createManualClock();
    let hangs = false;
    const cache = new RuntimeFiguresCache({
      clock,
      logger: silentLogger,
      images: { fsInfo: () => (hangs ? new Promise(() => {}) : Promise.reject(new Error('no'))) },
      runtime: { containerStats: () => (hangs ? new Promise(() => {}) : Promise.resolve([layer('a')])) },
    });
    expect((await cache.figures(['a'])).writableLayers.size).toBe(1);
    hangs = true;
    await clock.advance(10_000);
    const found = cache.figures(['a']);
    await clock.advance(2_000);
    expect((await found).writableLayers.get('a')).toEqual({ usedBytes: 7 });
  });
});
