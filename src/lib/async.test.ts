import { describe, expect, it } from 'vitest';
import { Semaphore, abortable, mapLimit, withDeadline } from './async.ts';
import { AsyncQueue } from './async-queue.ts';
import { createManualClock, settle } from './manual-clock.node.ts';

describe('mapLimit', () => {
  it('keeps the order of results and the limit', async () => {
    let running = 0;
    let most = 0;
    const results = await mapLimit([5, 4, 3, 2, 1], 2, async (n) => {
      running += 1;
      most = Math.max(most, running);
      for (let i = 0; i < n; i += 1) await settle();
      running -= 1;
      return n * 10;
    });
    expect(results).toEqual([50, 40, 30, 20, 10]);
    expect(most).toBe(2);
  });

  it('begins nothing new after a rejection', async () => {
    const begun: number[] = [];
    const work = mapLimit([1, 2, 3, 4], 1, async (n) => {
      begun.push(n);
      if (n === 2) throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(begun).toEqual([1, 2]);
  });
});

describe('Semaphore', () => {
  it('admits in order of arrival, and a permit is given back once', async () => {
    const semaphore = new Semaphore(1);
    const first = await semaphore.acquire();
    const order: string[] = [];
    const second = semaphore.acquire().then((release) => {
      order.push('second');
      return release;
    });
    void semaphore.run(async () => void order.push('third'));
    first();
    first();
    await settle();
    expect(order).toEqual(['second']);
    (await second)();
    await settle();
    expect(order).toEqual(['second', 'third']);
  });
});

describe('withDeadline', () => {
  it('gives the value and leaves no timer', async () => {
    const clock = createManualClock();
    expect(await withDeadline({ clock, timeoutMs: 100 }, async () => 7)).toEqual({ kind: 'done', value: 7 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts the work and says "expired", whether it heeds the signal or not', async () => {
    const clock = createManualClock();
    let seen: AbortSignal | undefined;
    const result = withDeadline({ clock, timeoutMs: 100 }, (signal) => {
      seen = signal;
      return new Promise(() => {});
    });
    await clock.advance(100);
    expect(await result).toEqual({ kind: 'expired' });
    expect(seen?.aborted).toBe(true);
  });

  it('says "late" when our own loop was away', async () => {
    const clock = createManualClock();
    const result = withDeadline({ clock, timeoutMs: 100 }, () => new Promise(() => {}));
    await clock.suspend(5000);
    expect(await result).toEqual({ kind: 'late', lateMs: 4900 });
  });

  it('rejects as the work does, and with the reason of the outer signal', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    await expect(withDeadline({ clock, timeoutMs: 1 }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const result = withDeadline({ clock, timeoutMs: 100, signal: controller.signal }, () => new Promise(() => {}));
    controller.abort(new Error('stopped'));
    await expect(result).rejects.toThrow('stopped');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('abortable', () => {
  it('rejects first when aborted', async () => {
    const controller = new AbortController();
    const work = abortable(new Promise(() => {}), controller.signal);
    controller.abort(new Error('stopped'));
    await expect(work).rejects.toThrow('stopped');
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1);
  });
});

describe('AsyncQueue', () => {
  it('hands over in order, and refuses when full or ended', async () => {
    const queue = new AsyncQueue<number>(2);
    expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);
    expect(await queue.shift()).toBe(1);
    queue.end();
    expect(queue.push(4)).toBe(false);
    expect(await queue.shift()).toBe(2);
    expect(await queue.shift()).toBe(undefined);
  });

  it('fails its reader after what was there', async () => {
    const queue = new AsyncQueue<number>(10);
    queue.push(1);
    queue.fail(new Error('gone'));
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const item of queue) seen.push(item);
      })(),
    ).rejects.toThrow('gone');
    expect(seen).toEqual([1]);
  });

  it('wakes a waiting reader, and leaving the loop ends it', async () => {
    const queue = new AsyncQueue<number>(10);
    const seen: number[] = [];
    const reader = (async () => {
      for await (const item of queue) {
        seen.push(item);
        if (item === 2) break;
      }
    })();
    await settle();
    queue.push(1);
    queue.push(2);
    queue.push(3);
    await reader;
    expect(seen).toEqual([1, 2]);
    expect(queue.push(4)).toBe(false);
  });
});
