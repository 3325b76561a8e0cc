import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../lib/manual-clock.node.ts';
import { Compactor } from './compactor.ts';
import { Expiry } from './expiry.ts';
import { EXPIRY_RETRY_MS } from './limits.ts';

/** Fired keys as "key@revision at ms". */
function start(clock: ManualClock, fails = 0): { expiry: Expiry; fired: string[] } {
  const fired: string[] = [];
  const begin = clock.now().mono;
  let failing = fails;
  const expire = async (key: string, revision: number): Promise<void> => {
    if (failing-- > 0) throw new Error('the store is away');
    fired.push(`${key}@${revision} at ${clock.now().mono - begin}`);
  };
  return { expiry: new Expiry({ clock, expire }), fired };
}

describe('Expiry', () => {
  it('fires each key at its last time, whatever was set before', async () => {
    const set = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      ttlMs: fc.nat({ max: 100 }),
      clear: fc.nat({ max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(set, { maxLength: 30 }), async (sets) => {
        const clock = createManualClock();
        const { expiry, fired } = start(clock);
        const due = new Map<string, string>();
        for (const [index, { key, ttlMs, clear }] of sets.entries()) {
          if (clear === 0) {
            expiry.clear(key);
            due.delete(key);
          } else {
            expiry.set(key, index, ttlMs);
            due.set(key, `${key}@${index} at ${ttlMs}`);
          }
        }
        await clock.advance(200);
        expect(fired.toSorted()).toEqual([...due.values()].toSorted());
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });

  it('tries again what could not be tried', async () => {
    const clock = createManualClock();
    const { expiry, fired } = start(clock, 2);
    expiry.set('a', 1, 10);
    await clock.advance(10 + 3 * EXPIRY_RETRY_MS);
    expect(fired).toEqual([`a@1 at ${10 + 2 * EXPIRY_RETRY_MS}`]);
  });

  it('stops when closed', async () => {
    const clock = createManualClock();
    const { expiry, fired } = start(clock);
    expiry.set('a', 1, 10);
    expiry.close();
    await clock.advance(100);
    expect(fired).toEqual([]);
  });
});

describe('Compactor', () => {
  const begin = (): { clock: ManualClock; compactor: Compactor; done: number[] } => {
    const clock = createManualClock();
    const done: number[] = [];
    const compact = async (revision: number): Promise<void> => void done.push(revision);
    const compactor = new Compactor({ clock, revision: 0, compacted: 0, compact, intervalMs: 1000, maxRevisions: 100 });
    return { clock, compactor, done };
  };

  it('keeps an interval of history, and rests when nobody writes', async () => {
    const { clock, compactor, done } = begin();
    expect(clock.pendingTimers).toBe(0);
    compactor.advanced(10);
    await clock.advance(500);
    compactor.advanced(20);
    await clock.advance(500);
    expect(done).toEqual([]);
    compactor.advanced(30);
    await clock.advance(1000);
    expect(done).toEqual([20]);
    await clock.advance(10_000);
    expect(done).toEqual([20, 30]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps no more than its number of revisions', async () => {
    const { compactor, done } = begin();
    for (let revision = 1; revision <= 250; revision++) compactor.advanced(revision);
    expect(done.length).toBeLessThan(20);
    expect(done.at(-1)).toBeGreaterThan(130);
    compactor.close();
  });
});
