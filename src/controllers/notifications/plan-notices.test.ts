import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_NOTICES, type NotificationNotice } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { FLAP_WINDOW_MS } from './limits.ts';
import {
  acknowledge,
  dampingOf,
  type DueKind,
  type NoticeInput,
  needsNoWord,
  planNotices,
  wordId,
} from './plan-notices.ts';
import { type SeenTrouble, troubleId } from './trouble.ts';

const T0 = Date.parse('2026-05-01T12:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const settings: NoticeInput['settings'] = {
  patienceMs: 10 * MINUTE,
  groupWaitMs: 10 * SECOND,
  dampingMs: MINUTE,
  triggers: new Set(['GaveUp', 'NeedsHuman', 'NodeLost', 'DataAtRisk', 'Recovered']),
};

const trouble = (name: string, more: Partial<SeenTrouble> = {}): SeenTrouble => ({
  trigger: 'GaveUp',
  subject: { kind: 'Pod', namespace: 'shop', name },
  weight: 'now',
  cause: `${name} died`,
  seenAt: T0,
  labels: {},
  key: `shop/${name}`,
  ...more,
});
const plan = (
  now: number,
  troubles: readonly SeenTrouble[],
  notices: readonly NotificationNotice[] = [],
  more: Partial<NoticeInput['settings']> = {},
) => planNotices({ notices, troubles, unselected: new Set(), settings: { ...settings, ...more }, now: T0 + now });
const dueOf = (result: ReturnType<typeof plan>): readonly string[] =>
  result.due.map(({ kind, notice }) => `${kind} ${notice.name}`);
/** The notices once all that is due has been told. */
const told = (result: ReturnType<typeof plan>, now: number): readonly NotificationNotice[] =>
  acknowledge(result.notices, result.due, T0 + now);

describe('a new trouble', () => {
  it('waits for others, and is noted and told with them', () => {
    const early = plan(0, [trouble('a')]);
    expect([early.notices, early.due, early.wakeAt]).toEqual([[], [], T0 + 10 * SECOND]);
    const later = plan(10 * SECOND, [trouble('a'), trouble('b', { seenAt: T0 + 9 * SECOND })]);
    expect(dueOf(later)).toEqual(['firing a', 'firing b']);
    expect(later.notices[0]).toMatchObject({ trigger: 'GaveUp', objectKind: 'Pod', name: 'a', times: 1, told: 0 });
  });

  it('that is gone before that is not told', () => {
    expect(plan(10 * SECOND, [])).toMatchObject({ notices: [], due: [] });
  });

  it('of patience waits for that, from when the object says it began', () => {
    const crash = trouble('a', { trigger: 'NeedsHuman', weight: 'patience', since: T0 - 8 * MINUTE });
    expect(plan(MINUTE, [crash])).toMatchObject({ due: [], wakeAt: T0 + 2 * MINUTE });
    expect(dueOf(plan(2 * MINUTE + 10 * SECOND, [crash]))).toEqual(['firing a']);
    const unknown = trouble('a', { trigger: 'NeedsHuman', weight: 'patience' });
    expect(plan(9 * MINUTE, [unknown]).due).toEqual([]);
    expect(dueOf(plan(11 * MINUTE, [unknown]))).toEqual(['firing a']);
  });

  it('that only holds is never told', () => {
    expect(plan(24 * 60 * MINUTE, [trouble('a', { weight: 'hold' })])).toMatchObject({ notices: [], due: [] });
  });

  it('of several pods of a workload is one, and names some', () => {
    const subject = { kind: 'Deployment', namespace: 'shop', name: 'api' };
    const pods = ['a', 'b', 'c', 'd', 'e'].map((pod) => trouble(pod, { subject, pod }));
    const { notices } = plan(MINUTE, pods);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ name: 'api', cause: 'pods a, b, c and 2 more: a died' });
  });
});

describe('a trouble that was told', () => {
  const began = told(plan(10 * SECOND, [trouble('a')]), 10 * SECOND);

  it('is not told again', () => {
    expect(plan(300 * MINUTE, [trouble('a')], began)).toMatchObject({ due: [] });
    expect(plan(300 * MINUTE, [trouble('a')], began).wakeAt).toBeUndefined();
  });

  it('is told again where that is asked for', () => {
    const options = { repeatAfterMs: 5 * MINUTE };
    expect(plan(5 * MINUTE, [trouble('a')], began, options)).toMatchObject({
      due: [],
      wakeAt: T0 + 5 * MINUTE + 10 * SECOND,
    });
    const again = plan(6 * MINUTE, [trouble('a')], began, options);
    expect(dueOf(again)).toEqual(['again a']);
    expect(told(again, 6 * MINUTE)[0]).toMatchObject({ told: 2, toldTime: '2026-05-01T12:06:00Z' });
  });

  it('is over when it stayed away, and forgotten an hour later', () => {
    const over = plan(MINUTE, [], began);
    expect(over).toMatchObject({ due: [], wakeAt: T0 + 2 * MINUTE });
    expect(over.notices[0]?.endTime).toBe('2026-05-01T12:01:00Z');
    const recovered = plan(2 * MINUTE, [], over.notices);
    expect(dueOf(recovered)).toEqual(['recovered a']);
    const closed = told(recovered, 2 * MINUTE);
    expect(plan(3 * MINUTE, [], closed).due).toEqual([]);
    expect(plan(2 * MINUTE + FLAP_WINDOW_MS, [], closed).notices).toEqual([]);
  });

  it('was never over when it comes back soon, or when something holds it', () => {
    const over = plan(MINUTE, [], began);
    expect(plan(MINUTE + SECOND, [trouble('a')], over.notices).notices[0]?.endTime).toBeUndefined();
    const held = plan(30 * MINUTE, [trouble('a', { weight: 'hold' })], over.notices);
    expect([held.due, held.notices[0]?.endTime]).toEqual([[], undefined]);
  });

  it('goes without a word when nobody asks for it any more', () => {
    const [id = ''] = began.map((notice) => notice.id ?? '');
    const input = { notices: began, troubles: [], unselected: new Set([id]), settings, now: T0 + MINUTE };
    expect(planNotices(input)).toMatchObject({ notices: [], due: [] });
  });

  it('that comes back within an hour must stay away twice as long each time', () => {
    let notices = began;
    let now = MINUTE;
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      notices = plan(now, [], notices).notices;
      const ended = now;
      while (plan(now, [], notices).due.length === 0) now += SECOND;
      waits.push((now - ended) / MINUTE);
      notices = told(plan(now, [], notices), now);
      const back = trouble('a', { seenAt: T0 + now });
      now += 10 * SECOND;
      notices = told(plan(now, [back], notices), now);
    }
    expect(waits).toEqual([1, 2, 4, 8]);
    expect(dampingOf({ times: 40 }, MINUTE)).toBe(60 * MINUTE);
    expect(dampingOf({ times: 4 }, 0)).toBe(0);
  });

  it('has another id for each word, and the same for the same', () => {
    const [notice = {}] = began;
    const ids = (['firing', 'again', 'recovered'] as const).map((kind) => wordId({ kind, notice }));
    expect(new Set(ids).size).toBe(3);
    expect(wordId({ kind: 'firing', notice: { ...notice, cause: 'other' } })).toBe(ids[0]);
  });
});

describe('a target that was away', () => {
  it('is told of what came and went, once', () => {
    const noted = plan(10 * SECOND, [trouble('a')]).notices;
    const gone = plan(MINUTE, [], noted);
    expect(gone.due).toEqual([]);
    const late = plan(5 * MINUTE, [], gone.notices);
    expect(dueOf(late)).toEqual(['recovered a']);
    const [due] = late.due;
    expect(due && needsNoWord(due, new Set(['GaveUp']))).toBe(false);
    expect(plan(6 * MINUTE, [], told(late, 5 * MINUTE)).due).toEqual([]);
  });
});

it('a recovery that nobody wants to hear of needs no word', () => {
  const notice = { told: 1, trigger: 'GaveUp' } as const;
  expect(needsNoWord({ kind: 'recovered', notice }, new Set(['GaveUp']))).toBe(true);
  expect(needsNoWord({ kind: 'recovered', notice }, new Set(['GaveUp', 'Recovered']))).toBe(false);
});

it('there is room for a bounded number, and what is over makes room', () => {
  const many = Array.from({ length: MAX_NOTICES + 5 }, (_, at) => trouble(`p${at}`));
  const full = plan(MINUTE, many);
  expect([full.notices.length, full.refused.length]).toEqual([MAX_NOTICES, 5]);
  const [first, ...rest] = full.notices;
  const closed = [{ ...first, closedTime: formatTime(T0) }, ...rest];
  const next = plan(2 * MINUTE, many.slice(1), closed);
  expect([next.notices.length, next.refused.length]).toEqual([MAX_NOTICES, 4]);
});

/** Troubles that come and go as they like, a target that fails as it likes, and a process that ends as it likes. */
it('says of each trouble that it began before it says that it is over, and nothing twice', () => {
  const step = fc.record({
    present: fc.subarray(['a', 'b', 'c']),
    ms: fc.integer({ min: 1, max: 20 * MINUTE }),
    delivers: fc.boolean(),
    forgets: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let notices: readonly NotificationNotice[] = [];
      let now = 0;
      let seen = new Map<string, number>();
      const words: string[] = [];
      const last = new Map<string, DueKind>();
      for (const { present, ms, delivers, forgets } of steps) {
        now += ms;
        if (forgets) seen = new Map();
        seen = new Map(present.map((name) => [name, seen.get(name) ?? now]));
        const result = plan(
          now,
          present.map((name) => trouble(name, { seenAt: T0 + (seen.get(name) ?? now) })),
          notices,
        );
        // What is told stands in the status before.
        expect(result.due.every(({ notice }) => result.notices.includes(notice))).toBe(true);
        expect(result.wakeAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(T0 + now);
        notices = result.notices;
        if (!delivers) continue;
        for (const each of result.due) {
          words.push(`${wordId(each)} ${each.notice.times}`);
          const before = last.get(each.notice.name ?? '');
          if (each.kind === 'firing') expect(before).not.toBe('firing');
          if (each.kind === 'recovered' && (each.notice.told ?? 0) > 0) expect(before).toBe('firing');
          last.set(each.notice.name ?? '', each.kind);
        }
        notices = acknowledge(notices, result.due, T0 + now);
      }
      expect(new Set(words).size).toBe(words.length);
    }),
    { numRuns: 300 },
  );
});

it('knows a trouble by what and where it is', () => {
  const subject = { kind: 'Pod', namespace: 'shop', name: 'a' };
  expect(troubleId('GaveUp', subject)).toBe(troubleId('GaveUp', { ...subject }));
  expect(troubleId('GaveUp', subject)).not.toBe(troubleId('NeedsHuman', subject));
  expect(troubleId('GaveUp', { ...subject, namespace: 'sho', name: 'pa' })).not.toBe(troubleId('GaveUp', subject));
});
