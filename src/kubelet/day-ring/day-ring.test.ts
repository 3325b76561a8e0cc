import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { BUCKET_MS, bucketOf, DAY_BUCKETS, recoveryFigures, type WorkloadDay } from '../../api/index.ts';
import type { Now } from '../../lib/index.ts';
import { dayPass, dayPod, type PassWish } from './day-ring.fixtures.ts';
import { DayRing } from './day-ring.ts';
import { CLOCK_HOLD_MS, MAX_WORKLOADS, STAYS_UP_MS } from './limits.ts';
import { fitting, formatRing, formatWorkload, parseRing } from './ring-file.ts';

/** A full quarter of an hour. */
const START = 5_000_001 * BUCKET_MS;

let now: { wall: number; mono: number };
let ring: DayRing;

const clock = { now: (): Now => ({ ...now }), setTimer: () => ({ cancel: () => {} }), sleep: async () => {} };
const pass = (ms: number): void => {
  now = { wall: now.wall + ms, mono: now.mono + ms };
};
const seen = (wish: PassWish = {}): void => ring.passed(dayPass(wish));

function day(name = 'api'): WorkloadDay {
  const [found] = ring.answer({ name, series: true });
  if (found === undefined) throw new Error(`nothing is known of ${name}`);
  return found;
}

/** The states from the first bucket on. */
const states = (): string => day().states;
const total = (counts: WorkloadDay['deaths']): number => counts.reduce((sum, [, count]) => sum + count, 0);

/** Through the file, as it is written and read. */
function restart(file: Uint8Array): void {
  ring = new DayRing(clock);
  const parsed = parseRing(file);
  if (!parsed.ok) throw new Error(parsed.problem);
  ring.restore(parsed.value);
}

function save(): Uint8Array {
  const stored = ring.stored();
  return formatRing(stored, fitting([...stored.workloads].map(formatWorkload)).fit);
}

beforeEach(() => {
  now = { wall: START, mono: 1000 };
  ring = new DayRing(clock);
});

describe('buckets', () => {
  test('a pod stays as it was between passes', () => {
    seen();
    pass(3 * BUCKET_MS);
    expect(states().at(-1)).toBe('?');
    for (let count = 0; count < 3; count += 1) {
      pass(BUCKET_MS);
      ring.advance();
    }
    expect(states().slice(-3)).toBe('ooo');
  });

  test('a death that is healed in its bucket is healed; one that is not is dead until then', () => {
    seen();
    pass(1000);
    seen({ ready: false, deaths: [{ containerId: 'c0' }] });
    expect(states()).toBe('x');
    pass(1000);
    seen({ restarts: 1 });
    expect(states()).toBe('h');
    pass(BUCKET_MS);
    seen({ ready: false, restarts: 1, deaths: [{ containerId: 'c1' }] });
    pass(BUCKET_MS);
    ring.advance();
    pass(BUCKET_MS);
    seen({ restarts: 2 });
    expect(states()).toBe('hxxh');
    expect(day()).toMatchObject({
      restarts: [
        [0, 1],
        [3, 1],
      ],
      deaths: [
        [0, 1],
        [1, 1],
      ],
    });
    expect(recoveryFigures([day()], 'day', now.wall)).toMatchObject({ healed: 2, healedAlone: 2 });
  });

  test('a crash loop is one outage, however often it was up', () => {
    seen();
    let back = 0;
    for (const [count, backOff] of [0, 10_000, 20_000, 40_000].entries()) {
      seen({ ready: false, restarts: count, deaths: [{ containerId: `c${count}`, finishedAt: now.wall }] });
      pass(backOff + 50);
      seen({ restarts: count + 1 });
      back += backOff + 50;
      pass(2000);
    }
    expect(recoveryFigures([day()], 'day', now.wall)).toMatchObject({ healed: 1, meanMs: back + 3 * 2000 });
    expect(total(day().deaths)).toBe(4);
  });

  test('the worst of several pods counts', () => {
    seen({ uid: 'a' });
    seen({ uid: 'b', ready: false, deaths: [{}] });
    expect(states()).toBe('x');
    ring.gone('b');
    pass(BUCKET_MS);
    ring.advance();
    expect(states()).toBe('xo');
    expect(day()).toMatchObject({
      kind: 'Deployment',
      namespace: 'shop',
      name: 'api',
      owners: ['rs-api'],
      pods: ['a', 'b'],
    });
  });

  test('what is older than a day is overwritten', () => {
    seen({ ready: false, deaths: [{}] });
    pass(1000);
    seen({ restarts: 1 });
    for (let count = 0; count < DAY_BUCKETS; count += 1) {
      pass(BUCKET_MS);
      ring.advance();
    }
    expect(states()).toBe('o'.repeat(DAY_BUCKETS));
    expect(day()).toMatchObject({ restarts: [], deaths: [] });
    expect(recoveryFigures([day()], 'week', now.wall).healed).toBe(1);
  });

  test('a restart that somebody asked for counts as a restart alone', () => {
    seen();
    seen({
      ready: false,
      restart: { begunAt: now.wall },
      deaths: [{ finishedAt: now.wall + 1, startedAt: now.wall - 1 }],
    });
    pass(1000);
    seen({ restarts: 1 });
    expect(states()).toBe('o');
    expect(day()).toMatchObject({ restarts: [[0, 1]], deaths: [] });
  });
});

describe('bounds', () => {
  const fill = (): void => {
    for (let count = 0; count < MAX_WORKLOADS; count += 1) seen({ uid: `p${count}`, workload: `w${count}` });
  };

  test('workloads beyond them are left out, and counted', () => {
    fill();
    seen({ uid: 'more', workload: 'more' });
    seen({ uid: 'more', workload: 'more' });
    expect([ring.size, ring.leftOut]).toEqual([MAX_WORKLOADS, 1]);
    expect(ring.answer({ name: 'more', series: false })).toEqual([]);
  });

  test('those that are gone longest give way', () => {
    fill();
    ring.gone('p7');
    pass(BUCKET_MS);
    ring.advance();
    ring.gone('p3');
    seen({ uid: 'more', workload: 'more' });
    expect(ring.answer({ name: 'w7', series: false })).toEqual([]);
    expect(ring.answer({ name: 'w3', series: false })).toHaveLength(1);
    expect([ring.size, ring.leftOut]).toEqual([MAX_WORKLOADS, 0]);
  });

  test('a workload that is gone is forgotten after a day', () => {
    seen();
    ring.gone('pod-1');
    for (let count = 0; count < DAY_BUCKETS - 1; count += 1) {
      pass(BUCKET_MS);
      ring.advance();
    }
    expect(ring.size).toBe(1);
    pass(BUCKET_MS);
    ring.advance();
    expect(ring.size).toBe(0);
  });
});

describe('the agent is away', () => {
  test('from the moment of the file on nothing is known, and all before is', () => {
    seen();
    pass(BUCKET_MS);
    ring.advance();
    const file = save();
    pass(2 * BUCKET_MS + 1000);
    restart(file);
    seen();
    expect(states()).toBe('o???');
    pass(BUCKET_MS);
    expect(states()).toBe('o???o');
  });

  test('a death meanwhile is counted when it is seen, and the restart, too', () => {
    seen({ restarts: 2 });
    const file = save();
    pass(10_000);
    restart(file);
    seen({ ready: false, restarts: 2, known: [{ finishedAt: now.wall - 5000 }] });
    pass(1000);
    seen({ restarts: 3, known: [{ finishedAt: now.wall - 6000 }] });
    expect(day()).toMatchObject({ restarts: [[0, 1]], deaths: [[0, 1]], states: 'h' });
    expect(recoveryFigures([day()], 'day', now.wall)).toMatchObject({ healed: 1, meanMs: 6000 });
  });

  test('an outage that began before goes on', () => {
    seen();
    seen({ ready: false, deaths: [{}] });
    const file = save();
    pass(60_000);
    restart(file);
    seen({ restarts: 1, known: [{}] });
    expect(recoveryFigures([day()], 'day', now.wall)).toMatchObject({ healed: 1, meanMs: 60_000 });
  });

  test('a pod that came back before stays up across the agent, or has died meanwhile', () => {
    const begin = (): Uint8Array => {
      now = { wall: START, mono: 1000 };
      ring = new DayRing(clock);
      seen();
      seen({ ready: false, deaths: [{ finishedAt: now.wall }] });
      pass(500);
      seen({ restarts: 1, known: [{}] });
      pass(10_000);
      return save();
    };
    const healed = () => recoveryFigures([day()], 'day', now.wall);
    const file = begin();
    pass(20_000);
    restart(file);
    seen({ restarts: 1, known: [{}] });
    expect(healed()).toMatchObject({ healed: 1, meanMs: 500 });
    const other = begin();
    pass(20_000);
    restart(other);
    seen({ restarts: 2, known: [{ containerId: 'c1', finishedAt: now.wall - 5000 }, {}] });
    expect(healed()).toMatchObject({ healed: 1, meanMs: 30_500 });
  });

  test('of a pod that ran before, and that no file tells of, nothing is known', () => {
    pass(10 * BUCKET_MS);
    ring = new DayRing(clock);
    pass(1000);
    seen({ startTime: new Date(START).toISOString() });
    seen({ uid: 'b', workload: 'new', startTime: new Date(now.wall).toISOString() });
    expect(states()).toBe('?'.repeat(11));
    expect(day('new').states).toBe('o');
  });

  test('a week later nothing of the file is left but the name', () => {
    seen();
    const file = save();
    pass(9 * DAY_BUCKETS * BUCKET_MS);
    restart(file);
    seen();
    expect(states()).toBe('?'.repeat(DAY_BUCKETS));
  });

  test('pods that did not come back are forgotten', () => {
    seen();
    const file = save();
    pass(1000);
    restart(file);
    ring.forgetKept(() => false);
    for (let count = 0; count <= DAY_BUCKETS; count += 1) {
      pass(BUCKET_MS);
      ring.advance();
    }
    expect(ring.size).toBe(0);
  });
});

describe('the clock', () => {
  const step = (ms: number): void => {
    now = { ...now, wall: now.wall + ms };
  };

  test('set forward: what lies between was not seen', () => {
    seen();
    step(4 * BUCKET_MS);
    seen();
    expect(states()).toBe('?????');
  });

  test('set back a little: the present bucket goes on', () => {
    seen();
    pass(BUCKET_MS);
    seen();
    step(-1000);
    seen({ ready: false, deaths: [{}] });
    pass(2000);
    seen({ restarts: 1 });
    expect(states()).toBe('oh');
  });

  test('set back far for a short time: nothing is lost', () => {
    seen();
    pass(BUCKET_MS);
    seen();
    step(-1000 * BUCKET_MS);
    seen();
    pass(1000);
    step(1000 * BUCKET_MS);
    seen();
    expect(states()).toBe('oo');
  });

  test('set back far for good: what it called the future is taken back, and its counts are kept', () => {
    seen();
    for (let count = 0; count < 5; count += 1) {
      pass(BUCKET_MS);
      seen({ ready: false, restarts: count, deaths: [{ containerId: `c${count}` }] });
      pass(10);
      seen({ restarts: count + 1 });
    }
    step(-100 * BUCKET_MS);
    seen({ restarts: 5 });
    expect(states()).toBe('ohhhhh');
    pass(CLOCK_HOLD_MS + 1);
    seen({ restarts: 5 });
    const { states: after, restarts, deaths, first } = day();
    expect(first + after.length - 1).toBe(bucketOf(now.wall));
    expect([total(restarts), total(deaths)]).toEqual([5, 5]);
    expect(recoveryFigures([day()], 'day', now.wall).healed).toBe(5);
    expect(after.endsWith('o')).toBe(false);
  });

  test('a machine that boots with a clock of long ago keeps its day until the time is set', () => {
    seen();
    pass(BUCKET_MS);
    seen();
    const file = save();
    now = { wall: 1000, mono: 5 };
    restart(file);
    seen();
    expect(states()).toBe('o?');
    now = { wall: START + 4 * BUCKET_MS, mono: 30_005 };
    seen();
    expect(states()).toBe('o????');
  });
});

describe('figures', () => {
  test('pods of one workload are added up, and kept', () => {
    seen({ uid: 'a' });
    seen({ uid: 'b' });
    const bucket = ring.advance();
    pass(BUCKET_MS);
    ring.advance();
    const used = (cpu: number | undefined, memory: number) => ({ cpu, memory });
    ring.measured(
      bucket,
      new Map([
        ['a', used(100, 5)],
        ['b', used(50, 6)],
        ['other', used(1, 1)],
      ]),
    );
    restart(save());
    expect(day()).toMatchObject({ cpu: [150, null], memory: [11, null] });
    expect(ring.answer({ series: false })[0]).not.toHaveProperty('cpu');
  });
});

type Happening = 'die' | 'heal' | 'ask' | 'wait' | 'longer' | 'crash' | 'stop' | 'save';
const HAPPENINGS: readonly Happening[] = ['die', 'heal', 'ask', 'wait', 'longer', 'crash', 'stop', 'save'];

/** One pod with a model beside it. After a crash the ring has the last file, and the pod's note has its last two deaths. */
function live(happenings: readonly Happening[]): void {
  now = { wall: START, mono: 1000 };
  ring = new DayRing(clock);
  const model = {
    deaths: 0,
    restarts: 0,
    healed: 0,
    dead: false,
    /** It came back from an outage at this time, mono ms, and may die of it again. */
    back: undefined as number | undefined,
    away: new Set<number>(),
  };
  /** A death at this time, mono ms: what was no recovery is taken back. */
  const dies = (mono: number): void => {
    if (model.back !== undefined && mono - model.back < STAYS_UP_MS) model.healed -= 1;
    model.back = undefined;
  };
  const known: { containerId: string; finishedAt: number }[] = [];
  const keep = () => ({ ...model, file: save(), at: now.wall });
  const show = (deaths: typeof known = []): void => {
    seen({ ready: !model.dead, restarts: model.restarts, deaths, known: [...known] });
    known.unshift(...deaths);
    known.splice(2);
  };
  const begin = (): void => {
    // What the note of the pod still has of the time after the file is counted when it is seen again.
    const news = known.map(({ finishedAt }) => finishedAt).filter((finishedAt) => finishedAt > saved.at);
    model.deaths = saved.deaths + news.length;
    model.healed = saved.healed;
    model.back = saved.back;
    if (news.length > 0) dies(Math.min(...news) - (now.wall - now.mono));
    if (!model.dead && (saved.dead || news.length > 0)) {
      model.healed += 1;
      model.back = now.mono;
    }
    for (let bucket = bucketOf(saved.at); bucket <= bucketOf(now.wall); bucket += 1) model.away.add(bucket);
    restart(saved.file);
    show();
  };
  const acts: Record<Happening, () => void> = {
    die: () => {
      if (model.dead) return;
      model.dead = true;
      dies(now.mono);
      model.deaths += 1;
      show([{ containerId: `c${now.mono}`, finishedAt: now.wall }]);
    },
    heal: () => {
      if (!model.dead) return;
      model.dead = false;
      model.restarts += 1;
      model.healed += 1;
      model.back = now.mono;
      show();
    },
    ask: () => {
      if (model.dead) return;
      model.restarts += 1;
      show();
    },
    wait: () => pass(70_000),
    longer: () => {
      for (let count = 0; count < 3; count += 1) {
        pass(BUCKET_MS);
        ring.advance();
      }
    },
    save: () => {
      saved = keep();
    },
    stop: () => {
      saved = keep();
      pass(400_000);
      begin();
    },
    crash: () => {
      pass(20_000);
      begin();
    },
  };
  show();
  let saved = keep();
  for (const happening of happenings) {
    pass(1000);
    acts[happening]();
  }
  const { first, states: found, restarts, deaths } = day();
  expect(total(restarts)).toBe(model.restarts);
  expect(total(deaths)).toBe(model.deaths);
  expect(recoveryFigures([day()], 'week', now.wall).healed).toBe(model.healed);
  for (const bucket of model.away) if (bucket >= first) expect(found[bucket - first]).not.toMatch(/[o.]/);
  expect(found).toHaveLength(bucketOf(now.wall) - first + 1);
}

test('whatever happens, the sums agree, and no bucket is called well in which the agent was away', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...HAPPENINGS), { maxLength: 40 }), (happenings) => live(happenings)),
    { numRuns: 300 },
  );
});

test('pods that break the expectations of the ring break it for nobody', () => {
  expect(() => ring.passed({ ...dayPass(), pod: { ...dayPod(), spec: { containers: [] } } })).not.toThrow();
  expect(() => ring.gone('nobody')).not.toThrow();
});
