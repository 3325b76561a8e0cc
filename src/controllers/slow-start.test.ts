import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

describe('slowStart', () => {
  it.each([
    { failing: [], of: 20, done: 20, failed: 0, skipped: 0 },
    { failing: [0], of: 20, done: 0, failed: 1, skipped: 19 },
    { failing: [2], of: 20, done: 2, failed: 1, skipped: 17 },
    { failing: [5, 6], of: 20, done: 5, failed: 2, skipped: 13 },
    { failing: [], of: 0, done: 0, failed: 0, skipped: 0 },
  ])('of $of with $failing failing: $done done, $skipped skipped', async ({ failing, of, done, failed, skipped }) => {
    const items = Array.from({ length: of }, (_, i) => i);
    const result = await slowStart(items, async (item) => {
      if (failing.includes(item)) throw new Error(`no ${item}`);
    });
    expect({ done: result.done, failed: result.errors.length, skipped: result.skipped }).toEqual({
      done,
      failed,
      skipped,
    });
  });

  it('doubles what is under way at once', async () => {
    const waves: number[] = [];
    let wave = 0;
    await slowStart(Array.from({ length: 7 }), async () => {
      wave += 1;
      await Promise.resolve();
      await Promise.resolve();
      if (wave > 0) waves.push(wave);
      wave = 0;
    });
    expect(waves).toEqual([1, 2, 4]);
  });
});
