import { expect, test } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { DAYS_AGAIN_MS } from '../limits.ts';
import type { ToldDays } from './ask-days.ts';
import { KnownDays } from './known-days.ts';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test('what comes next counts down, is over when it has come, and is then asked for again', async () => {
  const clock = createManualClock();
  const days = new KnownDays(clock, () => {});
  const step = { uid: 'u', namespace: 'shop', words: 'pulls its image again', inMs: 20_000 };
  let told: ToldDays | undefined = { items: [], next: [step], nodes: [{ name: 'n1', diskUsedPercent: 42 }] };
  let asked = 0;
  const look = async (mark = ''): Promise<void> => {
    const ask = async (): Promise<ToldDays | undefined> => {
      asked += 1;
      return told;
    };
    days.look({ ask, names: () => (day) => day, mark });
    await settle();
  };
  await look();
  expect(days.next('u')).toEqual({ words: 'pulls its image again', inMs: 20_000 });
  expect([days.diskUsedPercent('n1'), days.diskUsedPercent('n2')]).toEqual([42, undefined]);
  await clock.advance(DAYS_AGAIN_MS);
  await look();
  expect([asked, days.next('u')?.inMs]).toEqual([1, 15_000]);
  told = undefined;
  await clock.advance(16_000);
  expect(days.next('u')).toBeUndefined();
  await look();
  expect(asked).toBe(2);
  await clock.advance(DAYS_AGAIN_MS);
  await look();
  expect(asked).toBe(2);
  await look('something died');
  expect(asked).toBe(3);
});
