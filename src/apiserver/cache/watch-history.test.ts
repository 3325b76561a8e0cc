import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import {
  WATCH_EVENT_OVERHEAD_BYTES,
  WATCH_HISTORY_BYTES,
  WATCH_HISTORY_EVENTS,
  WATCH_HISTORY_MS,
  WATCH_HISTORY_OLD_EVENTS,
  WATCH_HISTORY_SWEEP_MS,
} from '../limits.ts';
import { CacheEvent } from './cache-event.ts';
import { CachedObject } from './cached-object.ts';
import { HistoryKeeper, WatchHistory } from './watch-history.ts';

const MIB = 1024 * 1024;
const change = (revision: number, bytes = 100): CacheEvent =>
  new CacheEvent(revision, `/r/${revision}`, new CachedObject('', revision, { metadata: {} }, bytes), undefined);

describe('a history', () => {
  it('holds so many changes, and so many bytes of them', () => {
    const history = new WatchHistory(new HistoryKeeper(createManualClock(), Infinity));
    for (let i = 1; i <= WATCH_HISTORY_EVENTS + 5; i++) history.push(change(i));
    expect([history.size, history.forgotten, history.first]).toEqual([WATCH_HISTORY_EVENTS, 5, 5]);
    for (let i = 1; i <= 40; i++) history.push(change(10_000 + i, MIB));
    expect(history.bytes).toBeLessThanOrEqual(WATCH_HISTORY_BYTES);
    expect(history.size).toBe(Math.floor(WATCH_HISTORY_BYTES / (MIB + WATCH_EVENT_OVERHEAD_BYTES)));
  });

  it('takes no change that is larger than all of it', () => {
    const keeper = new HistoryKeeper(createManualClock(), MIB);
    const history = new WatchHistory(keeper);
    history.push(change(1));
    history.push(change(2, 2 * MIB));
    expect([history.size, history.forgotten, keeper.bytes]).toEqual([0, 2, 0]);
  });

  it('counts the state before only where it alone holds it', () => {
    const history = new WatchHistory(new HistoryKeeper(createManualClock()));
    const old = new CachedObject('', 1, { metadata: {} }, 1000);
    const next = new CachedObject('', 2, { metadata: {} }, 2000);
    history.reset(1);
    history.push(new CacheEvent(2, 'k', next, old));
    expect(history.bytes).toBe(3000 + WATCH_EVENT_OVERHEAD_BYTES);
    history.push(new CacheEvent(3, 'k', undefined, next));
    expect(history.bytes).toBe(3000 + 2 * WATCH_EVENT_OVERHEAD_BYTES);
  });

  it('forgets with age, but for the little that a quiet resource keeps', async () => {
    const clock = createManualClock();
    const keeper = new HistoryKeeper(clock);
    const [busy, quiet] = [new WatchHistory(keeper), new WatchHistory(keeper)];
    for (let i = 1; i <= 500; i++) busy.push(change(i));
    quiet.push(change(501));
    await clock.advance(WATCH_HISTORY_MS - WATCH_HISTORY_SWEEP_MS);
    expect(busy.size).toBe(500);
    await clock.advance(2 * WATCH_HISTORY_SWEEP_MS);
    expect([busy.size, quiet.size]).toEqual([WATCH_HISTORY_OLD_EVENTS, 1]);
    expect(clock.pendingTimers).toBe(0);
    busy.push(change(600));
    expect(clock.pendingTimers).toBe(1);
  });

  it('finds the place after a revision, and none is given twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 50 }), fc.nat(30), (gaps, dropped) => {
        const history = new WatchHistory(new HistoryKeeper(createManualClock()));
        const revisions: number[] = [];
        let last = 0;
        for (const gap of gaps) revisions.push((last += gap));
        for (const revision of revisions) history.push(change(revision));
        for (let i = 0; i < dropped; i++) history.dropOldest();
        const left = revisions.slice(dropped);
        for (let revision = history.forgotten; revision <= last + 1; revision++) {
          const found = history.at(history.placeAfter(revision))?.revision;
          expect(found).toBe(left.find((each) => each > revision));
        }
        expect(history.end).toBe(revisions.length);
      }),
    );
  });
});

it('all together, the largest gives way first', () => {
  const keeper = new HistoryKeeper(createManualClock(), 10 * MIB);
  const [large, small] = [new WatchHistory(keeper), new WatchHistory(keeper)];
  for (let i = 1; i <= 5; i++) small.push(change(i, MIB / 2));
  for (let i = 6; i <= 30; i++) large.push(change(i, MIB));
  expect(small.size).toBe(5);
  expect(keeper.bytes).toBeLessThanOrEqual(10 * MIB);
  expect(keeper.bytes).toBe(large.bytes + small.bytes);
});
