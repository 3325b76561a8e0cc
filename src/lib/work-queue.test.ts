import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock, settle } from './manual-clock.node.ts';
import { WorkQueue, runWorkQueue } from './work-queue.ts';

function setUp(concurrency = 1) {
  const clock = createManualClock();
  const queue = new WorkQueue<string>({ clock });
  const handled: string[] = [];
  const open = new Map<string, () => void>();
  let block = false;
  const done = runWorkQueue({
    queue,
    concurrency,
    handler: async (key) => {
      handled.push(key);
      if (block) await new Promise<void>((resolve) => open.set(key, resolve));
    },
    onPanic: () => {},
  });
  return { clock, queue, handled, open, done, blockHandlers: (on: boolean) => (block = on) };
}

describe('WorkQueue', () => {
  it('merges duplicates and keeps the order of arrival', async () => {
    const { queue, handled } = setUp();
    queue.add('a');
    queue.add('b');
    queue.add('a');
    await settle();
    expect(handled).toEqual(['a', 'b']);
  });

  it('never calls a handler on the stack of add', async () => {
    const { queue, handled } = setUp();
    queue.add('a');
    expect(handled).toEqual([]);
    await settle();
    expect(handled).toEqual(['a']);
  });

  it('runs a key added while in flight once more, afterwards', async () => {
    const { queue, handled, open, blockHandlers } = setUp(4);
    blockHandlers(true);
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('a');
    await settle();
    expect(handled).toEqual(['a']);
    open.get('a')?.();
    await settle();
    expect(handled).toEqual(['a', 'a']);
  });

  it('keeps the earliest wake-up, and drops a later one when the key runs', async () => {
    const { clock, queue, handled } = setUp();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 200);
    await clock.advance(49);
    expect(handled).toEqual([]);
    await clock.advance(1);
    expect(handled).toEqual(['a']);
    await clock.advance(1000);
    expect(handled).toEqual(['a']);
    queue.addAfter('a', 100);
    queue.add('a');
    await clock.advance(1000);
    expect(handled).toEqual(['a', 'a']);
  });

  it('runs at most `concurrency` keys at once', async () => {
    const { queue, handled, open, blockHandlers } = setUp(2);
    blockHandlers(true);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    expect(handled).toEqual(['a', 'b']);
    open.get('b')?.();
    await settle();
    expect(handled).toEqual(['a', 'b', 'c']);
  });

  it('backs off per key: 5 ms doubling to 1000 s, until forget', async () => {
    const clock = createManualClock();
    const queue = new WorkQueue<string>({ clock });
    const at: number[] = [];
    let failing = 20;
    void runWorkQueue({
      queue,
      concurrency: 1,
      handler: async () => {
        at.push(clock.now().mono);
        failing -= 1;
        return failing >= 0 ? 'retry' : undefined;
      },
      onPanic: () => {},
    });
    queue.add('a');
    await clock.advance(10_000_000);
    const gaps = at.slice(1).map((mono, i) => mono - (at[i] as number));
    expect(gaps).toEqual([...Array.from({ length: 18 }, (_, i) => 5 * 2 ** i), 1_000_000, 1_000_000]);
    expect(queue.retries('a')).toBe(0);
  });

  it('limits all re-adds together with a bucket', () => {
    const clock = createManualClock();
    const queue = new WorkQueue<string>({ clock, bucket: { burst: 2, perSecond: 1 } });
    for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key);
    expect(['a', 'b', 'c', 'd'].map((key) => (queue.wakeAt(key) ?? 0) - clock.now().mono)).toEqual([5, 5, 1000, 2000]);
  });

  it('isolates a handler that rejects and retries its key', async () => {
    const clock = createManualClock();
    const queue = new WorkQueue<string>({ clock });
    const panics: unknown[] = [];
    let runs = 0;
    void runWorkQueue({
      queue,
      concurrency: 1,
      handler: async () => {
        runs += 1;
        if (runs < 3) throw new Error('boom');
      },
      onPanic: (key, error) => panics.push([key, String(error)]),
    });
    queue.add('a');
    await clock.advance(100);
    expect(runs).toBe(3);
    expect(panics).toEqual([
      ['a', 'Error: boom'],
      ['a', 'Error: boom'],
    ]);
    expect(queue.retries('a')).toBe(0);
  });

  it('ends when closed, after the last handler, and leaves no timer', async () => {
    const { clock, queue, open, done, blockHandlers } = setUp();
    blockHandlers(true);
    queue.add('a');
    queue.addAfter('b', 100);
    await settle();
    let ended = false;
    void done.then(() => (ended = true));
    queue.close();
    await settle();
    expect(ended).toBe(false);
    expect(clock.pendingTimers).toBe(0);
    open.get('a')?.();
    await settle();
    expect(ended).toBe(true);
  });

  /** The model: a key must be handled after each add, not later than its earliest wake-up, and never twice at once. */
  it('keeps its promises for any sequence of calls', async () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ op: fc.constant('add' as const), key }),
      fc.record({ op: fc.constant('addAfter' as const), key, ms: fc.integer({ min: -5, max: 50 }) }),
      fc.record({ op: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 60 }) }),
      fc.record({ op: fc.constant('finish' as const), key }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, concurrency) => {
          const clock = createManualClock();
          const queue = new WorkQueue<string>({ clock });
          const running = new Map<string, () => void>();
          /** Key → the latest mono time at which a run must begin, if workers are free. */
          const due = new Map<string, number>();
          void runWorkQueue({
            queue,
            concurrency,
            handler: (name) => {
              expect(running.has(name)).toBe(false);
              expect(running.size).toBeLessThan(concurrency);
              due.delete(name);
              return new Promise<void>((resolve) => running.set(name, resolve));
            },
            onPanic: (_, error) => {
              throw error;
            },
          });
          const want = (name: string, at: number): void => {
            due.set(name, Math.min(due.get(name) ?? Number.POSITIVE_INFINITY, at));
          };
          const check = (): void => {
            if (running.size >= concurrency) return;
            for (const [name, at] of due) {
              if (at <= clock.now().mono) expect(running.has(name), `${name} is overdue`).toBe(true);
            }
          };
          for (const each of steps) {
            const { mono } = clock.now();
            if (each.op === 'add') {
              want(each.key, mono);
              queue.add(each.key);
            } else if (each.op === 'addAfter') {
              want(each.key, Math.max(mono, mono + each.ms));
              queue.addAfter(each.key, each.ms);
            } else if (each.op === 'advance') {
              await clock.advance(each.ms);
            } else {
              const finish = running.get(each.key);
              running.delete(each.key);
              finish?.();
            }
            await settle();
            check();
          }
          queue.close();
          for (const finish of running.values()) finish();
          await settle();
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });
});
