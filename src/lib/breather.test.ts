import { expect, it } from 'vitest';
import { createBreather, type Lane } from './breather.ts';
import { loopBreather } from './breather.node.ts';

/** A loop whose turns and time the test controls. */
function handLoop() {
  let now = 0;
  let planned: (() => void)[] = [];
  return {
    turns: { now: () => now, nextTurn: (fire: () => void) => void planned.push(fire) },
    work: (ms: number) => {
      now += ms;
    },
    get planned() {
      return planned.length;
    },
    turn: async () => {
      const fires = planned;
      planned = [];
      for (const fire of fires) fire();
      for (let i = 0; i < 5000; i++) await Promise.resolve();
    },
  };
}

it('lets work go on while the turn has time, and makes it wait when it has none', async () => {
  const loop = handLoop();
  const breather = createBreather(loop.turns, 10);
  expect(breather.pause()).toBeUndefined();
  loop.work(9);
  expect(breather.pause()).toBeUndefined();
  loop.work(1);
  let went = false;
  const waited = breather.pause()?.then(() => {
    went = true;
  });
  await Promise.resolve();
  expect(went).toBe(false);
  await loop.turn();
  await waited;
  expect(went).toBe(true);
});

it('does in one turn no more than the budget and one piece, whoever asks, in the order of asking', async () => {
  const loop = handLoop();
  const breather = createBreather(loop.turns, 10);
  const log: string[] = [];
  const job = async (name: string, lane: Lane): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      const wait = breather.pause(lane);
      if (wait !== undefined) await wait;
      loop.work(4);
      log.push(name);
    }
  };
  const jobs = ['a', 'b', 'c'].map((name) => job(name, 'bulk'));
  const perTurn: number[] = [];
  for (let done = log.length; done < 9; ) {
    await loop.turn();
    perTurn.push(log.length - done);
    done = log.length;
  }
  await Promise.all(jobs);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(3);
  // Each job got its share: none ended before all had begun.
  expect(new Set(log.slice(0, 7))).toEqual(new Set(['a', 'b', 'c']));
});

it('lets requests and the rest take turns', async () => {
  const loop = handLoop();
  const breather = createBreather(loop.turns, 1);
  void breather.pause();
  loop.work(1);
  const log: Lane[] = [];
  for (const lane of ['bulk', 'bulk', 'bulk', 'request', 'request'] as const)
    void breather.pause(lane)?.then(() => {
      log.push(lane);
      loop.work(1);
    });
  for (let i = 0; i < 5; i++) await loop.turn();
  expect(log).toEqual(['request', 'bulk', 'request', 'bulk', 'bulk']);
});

it('counts what was sent as time', async () => {
  const loop = handLoop();
  const breather = createBreather(loop.turns, 10);
  void breather.pause();
  breather.sent(1024 * 1024);
  expect(breather.pause()).toBeUndefined();
  breather.sent(1024 * 1024);
  const wait = breather.pause();
  expect(wait).toBeInstanceOf(Promise);
  await loop.turn();
  await wait;
});

it('lets few go on in one turn even where their work shows late', async () => {
  const loop = handLoop();
  const breather = createBreather(loop.turns, 10);
  void breather.pause();
  loop.work(10);
  const went: number[] = [];
  for (let i = 0; i < 100; i++) void breather.pause()?.then(() => went.push(i));
  const perTurn: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const before = went.length;
    await loop.turn();
    perTurn.push(went.length - before);
  }
  expect(perTurn).toEqual([32, 32, 32, 4]);
});

it('plans nothing once nobody waits', async () => {
  const loop = handLoop();
  const breather = createBreather(loop.turns, 10);
  void breather.pause();
  await loop.turn();
  expect(loop.planned).toBe(0);
  loop.work(100);
  expect(breather.pause()).toBeUndefined();
});

it('gives the real loop a turn between two slices, however long it takes', async () => {
  const seen = { turns: 0 };
  const tick = (): void => {
    seen.turns += 1;
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  // Without a pause the loop would never reach its next turn, and this test would not end.
  while (seen.turns < 3) {
    const wait = loopBreather.pause();
    if (wait !== undefined) await wait;
  }
  clearImmediate(next);
  expect(seen.turns).toBeGreaterThanOrEqual(3);
});
