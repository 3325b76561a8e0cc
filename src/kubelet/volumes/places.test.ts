import { describe, expect, it } from 'vitest';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { MAX_CONCURRENT_OPERATIONS, MAX_OVERDUE_OPERATIONS, OVERDUE_MS } from './limits.ts';
import { Places } from './places.ts';

const hang = (): Promise<void> => new Promise<void>(() => {});

describe('places', () => {
  it('are few', async () => {
    const places = new Places(createManualClock());
    let begun = 0;
    for (let i = 0; i < 50; i++) void places.run(false, () => ((begun += 1), hang()));
    await settle();
    expect(begun).toBe(MAX_CONCURRENT_OPERATIONS);
  });

  it('are given back by who takes long, so that the stuck never keep others waiting', async () => {
    const clock = createManualClock();
    const places = new Places(clock);
    for (let i = 0; i < 50; i++) void places.run(false, hang);
    let done = false;
    void places.run(false, async () => void (done = true));
    for (let i = 0; i < 10; i++) await clock.advance(OVERDUE_MS);
    expect([done, places.overdue]).toEqual([true, 50]);
  });

  it('are kept when too many go on without one, and those that hung before queue apart', async () => {
    const clock = createManualClock();
    const places = new Places(clock);
    const count = MAX_OVERDUE_OPERATIONS + 2 * MAX_CONCURRENT_OPERATIONS;
    for (let i = 0; i < count; i++) void places.run(true, hang);
    for (let i = 0; i < 50; i++) await clock.advance(OVERDUE_MS);
    expect(places.overdue).toBe(MAX_OVERDUE_OPERATIONS);
    let done = false;
    void places.run(false, async () => void (done = true));
    await settle();
    expect(done).toBe(true);
  });

  it('are not taken by what waits in a line of its own, which takes one again afterwards', async () => {
    const clock = createManualClock();
    const places = new Places(clock);
    let most = 0;
    let busy = 0;
    const work = async (): Promise<void> => {
      busy += 1;
      most = Math.max(most, busy);
      await settle();
      busy -= 1;
    };
    let answer: () => void = () => {};
    const driver = new Promise<void>((resolve) => (answer = resolve));
    const count = MAX_OVERDUE_OPERATIONS + 10 * MAX_CONCURRENT_OPERATIONS;
    const all = Array.from({ length: count }, () =>
      places.run(false, async (apart) => {
        await apart(() => driver);
        await work();
      }),
    );
    let done = false;
    void places.run(false, async () => void (done = true));
    await settle();
    expect([done, places.overdue]).toEqual([true, 0]);
    answer();
    await Promise.all(all);
    expect(most).toBe(MAX_CONCURRENT_OPERATIONS);
    expect(clock.pendingTimers).toBe(0);
  });

  it('are given back once, however the work ends', async () => {
    const clock = createManualClock();
    const places = new Places(clock);
    for (let i = 0; i < 3 * MAX_CONCURRENT_OPERATIONS; i++) {
      await expect(places.run(false, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    const slow = places.run(false, () => clock.sleep(2 * OVERDUE_MS));
    await clock.advance(3 * OVERDUE_MS);
    await slow;
    expect(places.overdue).toBe(0);
  });
});
