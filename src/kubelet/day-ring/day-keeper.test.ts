import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BUCKET_MS } from '../../api/index.ts';
import { createMetrics, FileError, type FileSystem, type Logger } from '../../lib/index.ts';
import { createManualClock, type ManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { CgroupFigures } from '../figures.ts';
import type { PodView } from '../types.ts';
import { DayKeeper } from './day-keeper.ts';
import { dayPass, dayPod } from './day-ring.fixtures.ts';

const PATH = '/r/days/ring';

let clock: ManualClock;
let files: Map<string, Uint8Array>;
let failure: string | undefined;
let said: string[];
let views: PodView[];
let figures: CgroupFigures | undefined;
let reads: number;
let end: (() => Promise<void>) | undefined;

const fs = {
  mkdir: async () => {},
  readdir: async () => [...files.keys()].map((path) => path.slice('/r/days/'.length)),
  remove: async (path: string) => void files.delete(path),
  readFile: async (path: string) => {
    const found = files.get(path);
    if (found === undefined) throw new FileError('ENOENT', path, 'ENOENT');
    return found;
  },
  writeFile: async (path: string, bytes: Uint8Array) => {
    if (failure !== undefined) throw new FileError(failure, path, failure);
    files.set(path, bytes);
  },
} as unknown as FileSystem;

const say = (text: string): void => void said.push(text);
const logger = { debug: () => {}, info: () => {}, warn: say, error: say } as unknown as Logger;

async function start(): Promise<DayKeeper> {
  const cgroups = {
    figures: async () => {
      reads += 1;
      return figures;
    },
  };
  const keeper = new DayKeeper(
    { clock, logger, metrics: createMetrics(), fs, cgroups },
    {
      nodeName: 'n1',
      rootDir: '/r',
      directory: () => ({ pods: () => views, find: () => undefined }),
      isKnown: () => (uid) => views.some(({ pod }) => pod.metadata?.uid === uid),
    },
  );
  const ending = new AbortController();
  const done = keeper.run(ending.signal);
  end = async () => {
    ending.abort();
    await done;
  };
  return keeper;
}

const day = (keeper: DayKeeper, series = false) => keeper.answer({ name: 'api', series }).items[0];

beforeEach(() => {
  // In the first second of a quarter of an hour.
  clock = createManualClock({ wall: 5_000_001 * BUCKET_MS + 1000, mono: 1000 });
  files = new Map();
  [failure, figures, reads, said] = [undefined, undefined, 0, []];
  const sandbox = { state: 'ready' } as unknown as NonNullable<PodView['observation']>['sandboxes'][number];
  const observation = { uid: 'pod-1', name: '', namespace: '', sandboxes: [sandbox], containers: [], at: 0 };
  views = [{ pod: dayPod(), status: { startTime: new Date(clock.now().wall).toISOString() }, observation }];
});
afterEach(async () => {
  await end?.();
});

describe('the file', () => {
  test('is written when a bucket ends, and when the agent does, and read by the next one', async () => {
    const first = await start();
    await settle();
    first.passed(dayPass());
    expect(files.size).toBe(0);
    await clock.advance(BUCKET_MS);
    expect([...files.keys()]).toEqual([PATH]);
    first.passed(dayPass({ ready: false, deaths: [{}] }));
    first.passed(dayPass({ restarts: 1, known: [{}] }));
    await end?.();
    const second = await start();
    await settle();
    second.passed(dayPass({ restarts: 1, known: [{}] }));
    expect(day(second)).toMatchObject({ states: 'oh', restarts: [[1, 1]], deaths: [[1, 1]] });
    expect(said).toEqual([]);
  });

  test('passes before it is read are not lost', async () => {
    const first = await start();
    first.passed(dayPass());
    await settle();
    await end?.();
    const second = await start();
    second.passed(dayPass({ ready: false, deaths: [{}] }));
    second.passed(dayPass({ restarts: 1, known: [{}] }));
    await settle();
    expect(day(second)).toMatchObject({ restarts: [[0, 1]], deaths: [[0, 1]] });
  });

  test.each([
    ['cannot be used', () => files.set(PATH, new Uint8Array([1, 2, 3]))],
    ['is of a newer mendlet', () => files.set(PATH, new TextEncoder().encode('{"format":2}\nabcdef'))],
  ])('one that %s is said, and replaced', async (_name, damage) => {
    damage();
    const keeper = await start();
    await settle();
    expect(said).toEqual(['the ring of days cannot be used; another one is begun']);
    keeper.passed(dayPass());
    await clock.advance(BUCKET_MS);
    await end?.();
    expect(files.get(PATH)?.length).toBeGreaterThan(100);
  });

  test('a disk that takes nothing is said once, and tried again', async () => {
    failure = 'ENOSPC';
    const keeper = await start();
    await settle();
    keeper.passed(dayPass());
    for (let count = 0; count < 3; count += 1) await clock.advance(BUCKET_MS);
    expect(said).toEqual(['the ring of days cannot be written']);
    failure = undefined;
    await clock.advance(BUCKET_MS);
    expect(files.has(PATH)).toBe(true);
    expect(day(keeper)?.states).toBe('ooooo');
  });

  test('what a write that was cut off left is removed', async () => {
    files.set('/r/days/.ring.1-0.tmp', new Uint8Array(1));
    await start();
    await settle();
    expect(files.size).toBe(0);
  });
});

describe('CPU and memory', () => {
  const use = (seconds: number, bytes: number): void => {
    figures = { cpu: { usageNanoseconds: seconds * 1e9 }, memory: { usageBytes: bytes, workingSetBytes: bytes } };
  };

  test('are read once in each bucket: what was used in it, and what is held at its end', async () => {
    const keeper = await start();
    await settle();
    keeper.passed(dayPass());
    use(30, 1000);
    await clock.advance(BUCKET_MS);
    use(180, 2000);
    await clock.advance(BUCKET_MS);
    expect(reads).toBe(2);
    expect(day(keeper, true)).toMatchObject({ cpu: [100, 500, null], memory: [1000, 2000, null] });
  });

  test('of a pod that ran before the agent, CPU is not known at first, and a counter that fell is none', async () => {
    views = views.map((view) => ({ ...view, status: { startTime: '2000-01-01T00:00:00Z' } }));
    const keeper = await start();
    await settle();
    keeper.passed(dayPass());
    for (const seconds of [900, 960, 30, 60]) {
      use(seconds, 1000);
      await clock.advance(BUCKET_MS);
    }
    expect(day(keeper, true)?.cpu).toEqual([null, 200, null, 100, null]);
  });

  test('a group that cannot be read is left out', async () => {
    const keeper = await start();
    await settle();
    keeper.passed(dayPass());
    await clock.advance(BUCKET_MS);
    expect(day(keeper, true)).toMatchObject({ cpu: [null, null], memory: [null, null] });
  });
});

test('a pass that breaks the ring is said once, and hurts nobody', async () => {
  const keeper = await start();
  await settle();
  const broken = { ...dayPass(), note: undefined } as unknown as Parameters<DayKeeper['passed']>[0];
  for (let count = 0; count < 2; count += 1) expect(() => keeper.passed(broken)).not.toThrow();
  expect(said).toEqual(['the ring of days broke']);
});
