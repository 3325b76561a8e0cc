import { describe, expect, test } from 'vitest';
import { STARTING_MS, STAYS_UP_MS } from './limits.ts';
import {
  healthOf,
  keptTrack,
  newTrack,
  type PodFacts,
  type PodNews,
  type PodTrack,
  trackFrom,
  trackPod,
} from './pod-track.ts';
import type { Recovered } from './recovery-spans.ts';

const WALL = 1_700_000_000_000;
const now = (mono: number) => ({ wall: WALL + mono, mono });
const own = { kind: 'own', finishedAt: 0 } as const;
const asked = { kind: 'asked', finishedAt: 0 } as const;
const step = { kind: 'step', finishedAt: 0 } as const;

type Wish = Partial<PodFacts> & { readonly at: number };

function run(...wishes: readonly Wish[]): { track: PodTrack; news: PodNews; healths: string[] } {
  let track = newTrack(now(0), 0);
  let news: PodNews | undefined;
  const healths: string[] = [];
  for (const { at, ...wish } of wishes) {
    const none = {
      ready: false,
      over: undefined,
      ending: false,
      stuck: false,
      bare: false,
      restarts: 0,
      ends: [],
      restarting: false,
      human: false,
    };
    ({ track, news } = trackPod(track, { ...none, now: now(at), ...wish }));
    healths.push(healthOf(track, at));
  }
  if (news === undefined) throw new Error('no pass');
  return { track, news, healths };
}

const up = (at: number, more: Partial<PodFacts> = {}): Wish => ({ at, ready: true, ...more });
const down = (at: number, more: Partial<PodFacts> = {}): Wish => ({ at, ...more });

describe('health', () => {
  test.each<[string, readonly Wish[], readonly string[]]>([
    ['a pod on its way counts for nothing, then as ok', [down(0), up(10)], ['none', 'ok']],
    ['one that takes too long is degraded', [down(0), down(STARTING_MS + 1)], ['none', 'degraded']],
    ['one that cannot start is degraded at once', [down(0, { stuck: true })], ['degraded']],
    ['one that was ready is degraded when it is not', [up(0), down(1)], ['ok', 'degraded']],
    [
      'a death lasts until it is ready again',
      [up(0), down(1, { ends: [own] }), down(2), up(3)],
      ['ok', 'dead', 'dead', 'ok'],
    ],
    [
      'a restart that was asked for is no death',
      [up(0), down(1, { ends: [asked], human: true }), down(2), up(3)],
      ['ok', 'none', 'none', 'ok'],
    ],
    [
      'one that does not come back after it is degraded',
      [up(0), down(1, { ends: [asked] }), down(STARTING_MS + 2)],
      ['ok', 'none', 'degraded'],
    ],
    [
      'a pod that is taken away counts for nothing',
      [up(0), down(1, { ending: true }), down(2, { ending: true, ends: [own] })],
      ['ok', 'none', 'none'],
    ],
    ['one that has done its work, too', [up(0), down(1, { over: 'succeeded' })], ['ok', 'none']],
    ['one that failed and that a controller replaces, too', [up(0), down(1, { over: 'failed' })], ['ok', 'none']],
    ['one that failed and stands alone is dead', [up(0), down(1, { over: 'failed', bare: true })], ['ok', 'dead']],
  ])('%s', (_name, wishes, healths) => {
    expect(run(...wishes).healths).toEqual(healths);
  });
});

/** All recoveries that were counted, without those that were taken back. */
function recoveries(...wishes: readonly Wish[]): readonly Recovered[] {
  const counted: Recovered[] = [];
  for (let count = 1; count <= wishes.length; count += 1) {
    const { recovered, takenBack } = run(...wishes.slice(0, count)).news;
    if (takenBack !== undefined) expect(counted.pop()).toEqual(takenBack);
    if (recovered !== undefined) counted.push(recovered);
  }
  return counted;
}

describe('recoveries', () => {
  test('one takes from the first death, as its time says, until the pod is ready', () => {
    const ends = [{ ...own, finishedAt: WALL + 900 }];
    expect(recoveries(up(0), down(1000, { ends }), down(2000, { ends: [own] }), up(5000))).toEqual([
      { durationMs: 4100, alone: true },
    ]);
  });

  test('a pod that dies again soon had not healed: its crash loop is one outage, with its back-offs', () => {
    const again = (at: number): Wish => down(at, { ends: [{ ...own, finishedAt: WALL + at }] });
    const loop = [up(0), again(1000), up(1100), again(3000), up(13_000), again(15_000)];
    expect(recoveries(...loop)).toEqual([]);
    expect(recoveries(...loop, up(35_000))).toEqual([{ durationMs: 34_000, alone: true }]);
    expect(run(...loop, up(35_000)).healths).toEqual(['ok', 'dead', 'ok', 'dead', 'ok', 'dead', 'ok']);
  });

  test('one that stayed up before it died again had healed, though nobody looked meanwhile', () => {
    const late = 1100 + STAYS_UP_MS;
    const wishes = [up(0), down(1000, { ends: [own] }), up(1100), down(late, { ends: [own] })];
    expect(recoveries(...wishes)).toEqual([{ durationMs: 100, alone: true }]);
    expect(run(...wishes).track.outage).toEqual({ since: late, human: false });
  });

  test('a death that is seen late counts at its own time', () => {
    const wishes = [up(0), down(1000, { ends: [own] }), up(1100)];
    const late = down(200_000, { ends: [{ ...own, finishedAt: WALL + 5000 }] });
    expect(recoveries(...wishes, late)).toEqual([]);
  });

  test('a pod that is not ready for a moment is not dead for that', () => {
    const wishes = [up(0), down(1000, { ends: [own] }), up(1100), down(2000), up(3000)];
    expect(recoveries(...wishes)).toEqual([{ durationMs: 100, alone: true }]);
  });

  test('a death that is said to lie in the future happened now', () => {
    const ends = [{ ...own, finishedAt: WALL + 99_000 }];
    expect(recoveries(up(0), down(1000, { ends }), up(1500))).toEqual([{ durationMs: 500, alone: true }]);
  });

  test.each<[string, readonly Wish[]]>([
    ['asks for a restart meanwhile', [down(2, { human: true })]],
    ['wishes an end meanwhile', [down(2, { ends: [asked] })]],
  ])('one is not alone when somebody %s', (_name, meanwhile) => {
    expect(recoveries(up(0), down(1, { ends: [own] }), ...meanwhile, up(3))[0]?.alone).toBe(false);
  });

  test('the ladder is no human', () => {
    expect(recoveries(up(0), down(1, { ends: [own] }), down(2, { ends: [step] }), up(3))[0]?.alone).toBe(true);
  });

  test('a pod that is up in the pass that shows its death has recovered in it', () => {
    const wishes = [up(0), up(100, { ends: [{ ...own, finishedAt: WALL + 60 }] })];
    expect(run(...wishes).news.deaths).toBe(1);
    expect(recoveries(...wishes)).toEqual([{ durationMs: 40, alone: true }]);
  });

  test('an init container that fails before the first start counts, too', () => {
    expect(recoveries(down(1, { ends: [own] }), up(11))).toEqual([{ durationMs: 10, alone: true }]);
  });

  test('a pod that is taken away, or fails, after it came back is not lost', () => {
    const wishes = [up(0), down(1, { ends: [own] }), up(2)];
    const { news, track } = run(...wishes, down(3, { ending: true }));
    expect([news.takenBack, news.lost, track.outage]).toEqual([undefined, false, undefined]);
    expect(run(...wishes, down(3, { over: 'failed' })).track.outage).toBeUndefined();
  });
});

describe('news', () => {
  test('only own ends are deaths', () => {
    expect(run(up(0), down(1, { ends: [own, own, asked, step] })).news.deaths).toBe(2);
  });

  test.each<[string, Wish]>([
    ['is taken away', down(2, { ending: true })],
    ['has failed for good', down(2, { over: 'failed' })],
  ])('a dead pod that %s is lost', (_name, end) => {
    expect(run(up(0), down(1, { ends: [own] }), end).news).toMatchObject({ lost: true, recovered: undefined });
  });

  test('a pod that fails is lost once', () => {
    expect(run(up(0), down(1, { over: 'failed', ends: [own] })).news.lost).toBe(true);
    expect(run(up(0), down(1, { over: 'failed', ends: [own] }), down(2, { over: 'failed' })).news.lost).toBe(false);
    expect(run(up(0), down(1, { ending: true, over: 'failed' })).news.lost).toBe(false);
  });

  test('work that is done between two passes was well', () => {
    expect(run(down(0), down(1, { over: 'succeeded' })).news.done).toBe(true);
    expect(run(down(1, { ends: [own] }), down(2, { over: 'succeeded' })).news.recovered).toMatchObject({
      durationMs: 1,
    });
  });

  test('restarts are those that the count has grown by', () => {
    expect(run(up(0), up(1, { restarts: 2 })).news.restarts).toBe(2);
    expect(run(up(0, { restarts: 2 }), up(1, { restarts: 0 }), up(2, { restarts: 3 })).news.restarts).toBe(1);
  });
});

test('an outage goes on after a restart of the agent', () => {
  const { track } = run(up(0), down(1000, { ends: [own], restarts: 3, human: true }));
  const kept = keptTrack('p', track, now(1500));
  expect(kept).toEqual({ uid: 'p', restarts: 3, owes: true, outage: { since: WALL + 1000, human: true } });
  const after = trackFrom(kept, { wall: WALL + 61_000, mono: 5 });
  expect(after).toMatchObject({ restarts: 3, outage: { since: 5 - 60_000, human: true } });
  expect(trackFrom(kept, { wall: WALL, mono: 5 }).outage?.since).toBe(5);

  const back = run(up(0), down(1000, { ends: [own] }), up(1100)).track;
  const keptBack = keptTrack('p', back, now(2000));
  expect(keptBack.outage).toEqual({ since: WALL + 1000, human: false, up: WALL + 1100 });
  expect(trackFrom(keptBack, { wall: WALL + 31_000, mono: 5 }).outage).toMatchObject({ up: 5 - 29_900 });
});
