/** What both stores promise, run on each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../lib/manual-clock.node.ts';
import { createMemoryStore, type MemoryStoreOptions, type Store, type StoreEvent, type WatchBatch } from './index.ts';
import { openSqliteStore } from './sqlite.node.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

/** Puts without caring what is there. */
async function set(store: Store, key: string, value: string, ttlMs?: number): Promise<number> {
  const { entry } = await store.get(key);
  const result = await store.put(key, bytes(value), entry?.revision ?? 0, ttlMs === undefined ? {} : { ttlMs });
  if (!result.ok) throw new Error('somebody else wrote');
  return result.entry.revision;
}

async function unset(store: Store, key: string): Promise<number> {
  const result = await store.delete(key, (await store.get(key)).entry?.revision ?? 0);
  if (!result.ok) throw new Error('nothing to delete');
  return result.entry.revision;
}

/** "put a=1 @3" */
function line(event: StoreEvent): string {
  return `${event.type} ${event.key}=${text(event.value)} @${event.revision}/${event.createRevision}`;
}

async function take(store: Store, prefix: string, after: number, count: number): Promise<string[]> {
  const abort = new AbortController();
  const lines: string[] = [];
  for await (const batch of store.watch(prefix, after, abort.signal)) {
    lines.push(...batch.events.map(line));
    if (lines.length >= count) abort.abort();
  }
  return lines;
}

type Options = Omit<MemoryStoreOptions, 'clock'>;
let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mendlet-store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const implementations: { name: string; open: (clock: ManualClock, options?: Options) => Promise<Store> }[] = [
  { name: 'memory', open: async (clock, options = {}) => createMemoryStore({ clock, ...options }) },
  {
    name: 'sqlite',
    open: (clock, bounds = {}) => openSqliteStore({ path: join(folder, `${files++}.db`), clock, bounds }),
  },
];

describe.each(implementations)('Store ($name)', ({ open }) => {
  let clock: ManualClock;
  let store: Store;
  beforeEach(async () => {
    clock = createManualClock();
    store = await open(clock);
  });
  afterEach(() => store.close());

  describe('get, put, delete', () => {
    it('counts every write, and none that is refused', async () => {
      expect(await store.get('a')).toEqual({ revision: 0 });
      const created = await store.put('a', bytes('1'), 0);
      expect(created).toMatchObject({ ok: true, entry: { key: 'a', revision: 1, createRevision: 1 } });
      expect(await store.put('a', bytes('x'), 0)).toMatchObject({ ok: false, current: { revision: 1 } });
      expect(await store.put('b', bytes('x'), 7)).toEqual({ ok: false });
      const updated = await store.put('a', bytes('2'), 1);
      expect(updated).toMatchObject({ ok: true, entry: { revision: 2, createRevision: 1 } });
      expect(await store.delete('a', 1)).toMatchObject({ ok: false, current: { revision: 2 } });
      const deleted = await store.delete('a', 2);
      expect(deleted).toMatchObject({ ok: true, entry: { key: 'a', revision: 3, createRevision: 1 } });
      expect(text(deleted.ok ? deleted.entry.value : undefined)).toBe('2');
      expect(await store.delete('a', 3)).toEqual({ ok: false });
      expect(await store.get('a')).toEqual({ revision: 3 });
      expect(await set(store, 'a', '3')).toBe(4);
      expect((await store.get('a')).entry).toMatchObject({ revision: 4, createRevision: 4 });
    });

    it('lets one of many writers of the same revision win', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, (_, index) => store.put('a', bytes(`${index}`), 0)));
      expect(results.filter((result) => result.ok)).toHaveLength(1);
    });

    it('keeps empty and binary values', async () => {
      await store.put('empty', new Uint8Array(0), 0);
      await store.put('binary', new Uint8Array([0, 255, 0]), 0);
      expect((await store.get('empty')).entry?.value).toHaveLength(0);
      expect([...((await store.get('binary')).entry?.value ?? [])]).toEqual([0, 255, 0]);
    });
  });

  describe('list', () => {
    it('gives a prefix in the order of bytes, in pages, as of a revision', async () => {
      // U+FF5E comes before U+1F600 in UTF-8, after it in UTF-16.
      const keys = ['/a/', '/a/1', '/a/2', '/a/\uff5e', '/a/\u{1f600}', '/ab', '/b/1'];
      for (const key of keys.toReversed()) await set(store, key, key);
      const before = (await store.list('')).revision;
      const all = await store.list('/a/');
      expect(all.entries.map((entry) => entry.key)).toEqual(keys.slice(0, 5));
      expect(all).toMatchObject({ revision: 7, more: false, remaining: 0 });
      await unset(store, '/a/1');
      await set(store, '/a/2', 'new');
      await set(store, '/a/3', 'new');
      const first = await store.list('/a/', { limit: 2, revision: before });
      expect(first).toMatchObject({ revision: before, more: true, remaining: 3 });
      const second = await store.list('/a/', { limit: 3, revision: before, after: '/a/1' });
      expect(second).toMatchObject({ more: false, remaining: 0 });
      expect([...first.entries, ...second.entries].map((entry) => text(entry.value))).toEqual(keys.slice(0, 5));
      expect((await store.list('/a/')).entries.map((entry) => text(entry.value)).slice(1, 3)).toEqual(['new', 'new']);
      expect((await store.list('/a/', { after: '/a/2', limit: 1 })).entries[0]?.key).toBe('/a/3');
      expect((await store.list('/zz')).entries).toEqual([]);
      expect((await store.list('')).entries).toHaveLength(7);
    });

    it('refuses a revision that is yet to come', async () => {
      await expect(store.list('', { revision: 1 })).rejects.toMatchObject({ name: 'StoreError', code: 'future' });
    });
  });

  describe('watch', () => {
    it('gives each event under the prefix once, in order', async () => {
      await set(store, '/a/1', 'one');
      const seen = take(store, '/a/', 0, 4);
      await set(store, '/b/1', 'other');
      await set(store, '/a/1', 'two');
      await unset(store, '/a/1');
      await set(store, '/a/1', 'three');
      expect(await seen).toEqual([
        'put /a/1=one @1/1',
        'put /a/1=two @3/1',
        'delete /a/1=two @4/1',
        'put /a/1=three @5/5',
      ]);
      expect(await take(store, '/a/', 3, 2)).toEqual(['delete /a/1=two @4/1', 'put /a/1=three @5/5']);
    });

    it('has told the watcher what a writer knows', async () => {
      const abort = new AbortController();
      const watch = store.watch('', 0, abort.signal)[Symbol.asyncIterator]();
      const next = watch.next();
      await set(store, 'a', '1');
      const winner = await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 1000, 'late'))]);
      expect(winner).toMatchObject({ value: { revision: 1 } });
      abort.abort();
      expect(await watch.next()).toMatchObject({ done: true });
    });

    it('tells progress where there are no events', async () => {
      await set(store, '/b/1', '1');
      const abort = new AbortController();
      const watch = store.watch('/a/', 0, abort.signal)[Symbol.asyncIterator]();
      expect((await watch.next()).value).toEqual({ events: [], revision: 1 });
      const next = watch.next();
      await set(store, '/b/1', '2');
      await set(store, '/b/1', '3');
      await clock.advance(10_000);
      expect((await next).value).toEqual({ events: [], revision: 3 });
      abort.abort();
      expect((await watch.next()).done).toBe(true);
    });

    it('refuses the future and ends when aborted or closed', async () => {
      const abort = new AbortController();
      const future = store.watch('', 1, abort.signal)[Symbol.asyncIterator]();
      await expect(future.next()).rejects.toMatchObject({ code: 'future' });
      const waiting = store.watch('', 0, abort.signal)[Symbol.asyncIterator]();
      const ended = waiting.next();
      const closed = store.watch('', 0, new AbortController().signal)[Symbol.asyncIterator]().next();
      const refused = closed.catch((error: unknown) => error);
      abort.abort();
      expect((await ended).done).toBe(true);
      await store.close();
      expect(await refused).toMatchObject({ code: 'closed' });
      await expect(store.get('a')).rejects.toMatchObject({ code: 'closed' });
    });

    it('cuts off a reader that is too slow, and lets one replay the past', async () => {
      const small = await open(clock, { ringMaxEvents: 10 });
      const abort = new AbortController();
      const slow = small.watch('', 0, abort.signal)[Symbol.asyncIterator]();
      const first = slow.next();
      await set(small, 'a', '0');
      expect(((await first).value as WatchBatch).events).toHaveLength(1);
      for (let index = 1; index <= 30; index++) await set(small, 'a', `${index}`);
      await expect(slow.next()).rejects.toMatchObject({ code: 'overflow' });
      const replayed = await take(small, '', 3, 28);
      expect(replayed[0]).toBe('put a=3 @4/1');
      expect(replayed.at(-1)).toBe('put a=30 @31/1');
      await small.close();
    });

    it('replays more than one batch', async () => {
      const small = await open(clock, { ringMaxEvents: 2 });
      await Promise.all(Array.from({ length: 1200 }, (_, index) => small.put(`/${index % 2}/${index}`, bytes('v'), 0)));
      const lines = await take(small, '/1/', 0, 600);
      expect(lines).toHaveLength(600);
      expect(new Set(lines).size).toBe(600);
      await small.close();
    });
  });

  describe('compact', () => {
    it('forgets the past and keeps what is there', async () => {
      await set(store, 'a', '1');
      await set(store, 'b', '1');
      await set(store, 'a', '2');
      await unset(store, 'b');
      await set(store, 'a', '3');
      await store.compact(3);
      await expect(store.list('', { revision: 2 })).rejects.toMatchObject({ code: 'compacted' });
      await expect(take(store, '', 2, 1)).rejects.toMatchObject({ code: 'compacted' });
      const atThree = await store.list('', { revision: 3 });
      expect(atThree.entries.map((entry) => `${entry.key}=${text(entry.value)}`)).toEqual(['a=2', 'b=1']);
      expect(await take(store, '', 3, 2)).toEqual(['delete b=1 @4/2', 'put a=3 @5/1']);
      await store.compact(5);
      await store.compact(4);
      expect((await store.list('')).entries).toHaveLength(1);
      await expect(store.compact(6)).rejects.toMatchObject({ code: 'future' });
      expect(await unset(store, 'a')).toBe(6);
      await store.compact(6);
      expect(await set(store, 'a', 'again')).toBe(7);
    });

    it('happens by itself after an interval, and when there is too much', async () => {
      const own = await open(clock, { compactionIntervalMs: 1000, maxHistoryRevisions: 100 });
      for (let index = 1; index <= 3; index++) await set(own, 'a', `${index}`);
      await clock.advance(1000);
      await clock.advance(1000);
      await own.get('a');
      await expect(own.list('', { revision: 2 })).rejects.toMatchObject({ code: 'compacted' });
      for (let index = 0; index < 150; index++) await set(own, 'a', `${index}`);
      await own.get('a');
      await expect(own.list('', { revision: 10 })).rejects.toMatchObject({ code: 'compacted' });
      expect((await own.list('', { revision: 100 })).entries).toHaveLength(1);
      await own.close();
    });
  });

  describe('ttl', () => {
    it('deletes when the time is over, unless written again', async () => {
      await set(store, 'gone', '1', 5000);
      await set(store, 'kept', '1', 5000);
      await set(store, 'longer', '1', 5000);
      await set(store, 'kept', '2');
      await set(store, 'longer', '2', 9000);
      const seen = take(store, '', 5, 2);
      await clock.advance(5000);
      await expect.poll(async () => (await store.get('gone')).entry).toBeUndefined();
      expect((await store.get('longer')).entry).toBeDefined();
      await clock.advance(5000);
      expect(await seen).toEqual(['delete gone=1 @6/1', 'delete longer=2 @7/3']);
      expect((await store.get('kept')).entry).toBeDefined();
    });

    it('deletes many at once', async () => {
      await Promise.all(
        Array.from({ length: 250 }, (_, index) => store.put(`k${index}`, bytes('v'), 0, { ttlMs: 1000 + index })),
      );
      await clock.advance(2000);
      await expect
        .poll(async () => {
          await clock.advance(1);
          return (await store.list('')).entries.length;
        })
        .toBe(0);
    });
  });
});
