import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { withDeath } from './death-book.ts';
import { DeathStore } from './death-store.ts';
import { memoryFiles, NAMES, testDeath } from './deaths.fixtures.ts';
import { MAX_PODS, MAX_WAITING_EDITS, WRITE_RETRY_MS } from './limits.ts';

const HOUR_MS = 3_600_000;
const PATH = '/r/deaths/u1.json';

function world() {
  const clock = createManualClock();
  const disk = memoryFiles(() => clock.now().wall);
  const known = new Set<string>();
  const lost: number[] = [];
  const open = () =>
    new DeathStore({
      fs: disk.fs,
      clock,
      logger: silentLogger,
      rootDir: '/r',
      retentionMs: 24 * HOUR_MS,
      isKnown: () => (uid) => known.has(uid),
      onLost: (count) => lost.push(count),
    });
  return { clock, disk, known, lost, open };
}

const die = (store: DeathStore, n: number, names = NAMES) =>
  store.edit(names, (book) => withDeath(book, 'main', testDeath(n)));
const numbers = async (store: DeathStore, uid = 'u1') =>
  (await store.read(uid))?.containers.flatMap(({ deaths }) => deaths.map(({ containerId }) => containerId));

describe('books on disk', () => {
  it('outlive their agent', async () => {
    const { open } = world();
    const first = open();
    die(first, 1);
    die(first, 2);
    await first.settled();
    const second = open();
    die(second, 2);
    die(second, 3);
    expect(await numbers(second)).toEqual(['c1', 'c2', 'c3']);
    expect(await second.list()).toEqual([{ ...NAMES, total: 3 }]);
  });

  it('are not written for nothing, and at once for many deaths', async () => {
    const { disk, open } = world();
    const store = open();
    for (let n = 1; n <= 20; n += 1) die(store, n);
    await store.settled();
    expect(disk.writes).toBeLessThanOrEqual(2);
    const before = disk.writes;
    die(store, 20);
    store.edit(NAMES, (book) => book);
    store.edit({ ...NAMES, uid: 'u2' }, (book) => book);
    await store.settled();
    expect(disk.writes).toBe(before);
    expect([...disk.files.keys()]).toEqual([PATH]);
  });

  it.each([
    ['torn', (text: string) => text.slice(0, -30)],
    ['of another pod', (text: string) => text.replaceAll('u1', 'u9')],
    ['no JSON', () => 'x'],
  ])('that are %s are set aside', async (_name, spoil) => {
    const { disk, open } = world();
    const first = open();
    die(first, 1);
    await first.settled();
    disk.files.set(PATH, spoil(disk.files.get(PATH) ?? ''));
    const second = open();
    die(second, 2);
    expect(await numbers(second)).toEqual(['c2']);
    expect(disk.files.has(`${PATH}.corrupt`)).toBe(true);
    expect((await second.list()).map(({ total }) => total)).toEqual([1]);
  });

  it('are written when the disk has room again, and can be read meanwhile', async () => {
    const { clock, disk, open } = world();
    const store = open();
    disk.failure = 'ENOSPC';
    die(store, 1);
    await store.settled();
    expect(disk.files.size).toBe(0);
    expect(await numbers(store)).toEqual(['c1']);
    disk.failure = undefined;
    await clock.advance(WRITE_RETRY_MS);
    expect(disk.files.get(PATH)).toContain('"c1"');
    expect(clock.pendingTimers).toBe(0);
  });

  it('wait for the disk within bounds, and count what is lost', async () => {
    const { disk, lost, open } = world();
    const store = open();
    disk.failure = 'ENOSPC';
    for (let n = 1; n <= MAX_WAITING_EDITS + 3; n += 1) die(store, n);
    await store.settled();
    expect(lost.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  it('lose what breaks them, and go on', async () => {
    const { lost, open } = world();
    const store = open();
    store.edit(NAMES, () => {
      throw new TypeError('a mistake');
    });
    await store.settled();
    expect(lost).toEqual([1]);
    die(store, 1);
    expect(await numbers(store)).toEqual(['c1']);
  });
});

describe('pods that are gone', () => {
  it('are remembered for their time', async () => {
    const { clock, disk, open } = world();
    const store = open();
    die(store, 1);
    await store.settled();
    store.gone('u1');
    expect((await store.read('u1'))?.goneAt).toBe(new Date(clock.now().wall).toISOString());
    await clock.advance(23 * HOUR_MS);
    await store.sweep();
    expect(await numbers(store)).toEqual(['c1']);
    await clock.advance(HOUR_MS);
    await store.sweep();
    expect([await numbers(store), disk.files.size, await store.list()]).toEqual([undefined, 0, []]);
  });

  it('are found gone by the second sweep after an agent that was away', async () => {
    const { known, open } = world();
    const first = open();
    die(first, 1);
    die(first, 1, { ...NAMES, uid: 'u2' });
    await first.settled();
    known.add('u2');
    const second = open();
    await second.sweep();
    expect((await second.list()).map(({ goneAt }) => goneAt)).toEqual([undefined, undefined]);
    await second.sweep();
    expect((await second.list()).filter(({ goneAt }) => goneAt !== undefined).map(({ uid }) => uid)).toEqual(['u1']);
    known.add('u1');
    await second.sweep();
    expect((await second.list()).map(({ goneAt }) => goneAt)).toEqual([undefined, undefined]);
  });

  it('go before their time when there are too many, the oldest first', async () => {
    const { clock, open } = world();
    const store = open();
    for (let n = 0; n < MAX_PODS + 2; n += 1) {
      die(store, 1, { ...NAMES, uid: `p${n}` });
      if (n === 2) await store.settled();
    }
    await store.settled();
    for (const uid of ['p2', 'p0', 'p1']) {
      store.gone(uid);
      await store.settled();
      await clock.advance(1000);
    }
    await store.sweep();
    const left = (await store.list()).map(({ uid }) => uid);
    expect([left.length, left.includes('p2'), left.includes('p0'), left.includes('p1')]).toEqual([
      MAX_PODS,
      false,
      false,
      true,
    ]);
  });

  it('are not thrown out by a clock that was set back', async () => {
    const { clock, open } = world();
    const store = open();
    die(store, 1);
    await store.settled();
    store.gone('u1');
    await store.settled();
    clock.stepWall(-48 * HOUR_MS);
    await store.sweep();
    expect((await store.read('u1'))?.goneAt).toBe(new Date(clock.now().wall).toISOString());
  });
});

it('sweeps what was set aside, after a day', async () => {
  const { clock, disk, open } = world();
  disk.files.set(PATH, 'x');
  const store = open();
  expect(await store.list()).toEqual([]);
  await store.sweep();
  expect(disk.files.has(`${PATH}.corrupt`)).toBe(true);
  await clock.advance(25 * HOUR_MS);
  await store.sweep();
  expect(disk.files.size).toBe(0);
});

it('leaves no timer behind when its agent ends', async () => {
  const { clock, disk, open } = world();
  const store = open();
  const end = new AbortController();
  const run = store.run(end.signal);
  disk.failure = 'EIO';
  die(store, 1);
  await settle();
  end.abort();
  await run;
  expect(clock.pendingTimers).toBe(0);
});
