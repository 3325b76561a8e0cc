import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Breather, encodeText, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { createMemoryStore, type Store } from '../../store/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { WatchFilter } from './cache-event.ts';
import { createSharedBudgets, WatchCache } from './watch-cache.ts';
import type { Watcher } from './watcher.ts';

const PREFIX = '/registry/things/';

/** Pauses where a test says so, and then for one turn of the loop. */
function moody(moods: readonly boolean[]): Breather {
  let asked = 0;
  return {
    pause: () => (moods.length > 0 && moods[asked++ % moods.length] === true ? settle() : undefined),
    sent: () => {},
  };
}

const all: WatchFilter = { keyPrefix: PREFIX, matches: () => true };
const on: WatchFilter = { keyPrefix: PREFIX, matches: ({ metadata }) => metadata.labels?.['on'] !== undefined };
const named: WatchFilter = {
  keyPrefix: `${PREFIX}ns/`,
  matches: ({ metadata }) => metadata.name === 'a',
  exact: { field: 'metadata.name', value: 'a', read: ({ metadata }) => metadata.name ?? '' },
};

/** What a client knows that began with a list and follows a watch. */
class Follower {
  readonly known: Map<string, string>;
  readonly faults: string[] = [];
  readonly #watcher: Watcher;
  #last: number;

  constructor(cache: WatchCache, filter: WatchFilter) {
    const listed = cache.list(filter.keyPrefix).filter(({ object }) => filter.matches(object));
    this.known = new Map(listed.map(({ key, object }) => [key, versionOf(object)]));
    this.#last = cache.revision;
    const watcher = cache.watch(filter, cache.revision);
    if (watcher === undefined) throw new Error('refused');
    this.#watcher = watcher;
  }

  read(): void {
    for (let event = this.#watcher.next(); event !== undefined; event = this.#watcher.next()) {
      const seen = event.see(this.#watcher.filter);
      if (seen === undefined) continue;
      if (event.revision <= this.#last) this.faults.push(`${event.revision} after ${this.#last}`);
      if (seen.item.revision !== event.revision) this.faults.push(`${seen.item.revision} in ${event.revision}`);
      if ((seen.type === 'ADDED') === this.known.has(event.key)) this.faults.push(`${seen.type} ${event.key}`);
      this.#last = event.revision;
      if (seen.type === 'DELETED') this.known.delete(event.key);
      else this.known.set(event.key, versionOf(seen.item.object));
    }
  }
}

function versionOf({ metadata }: ApiObject): string {
  return `${metadata.name} ${metadata.labels?.['on'] ?? ''}`;
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('put' as const), name: name(), on: fc.constantFrom('1', '2', undefined) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), name: name() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), who: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('follow' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
);

function name() {
  return fc.constantFrom('ns/a', 'ns/b', 'ns2/a', 'ns/aa');
}

async function write(store: Store, path: string, labels: Record<string, string> | undefined): Promise<void> {
  const key = PREFIX + path;
  const { entry } = await store.get(key);
  if (labels === undefined) {
    if (entry !== undefined) await store.delete(key, entry.revision);
    return;
  }
  const object = { metadata: { name: path.split('/')[1], labels } };
  await store.put(key, encodeText(JSON.stringify(object)), entry?.revision ?? 0);
}

describe('a watch cache', () => {
  it('tells each follower what the store became, whenever it reads and whenever the loop pauses', async () => {
    const scenario = fc.record({
      steps: fc.array(step, { maxLength: 50 }),
      moods: fc.array(fc.boolean(), { maxLength: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, moods }) => {
        const clock = createManualClock();
        const store = createMemoryStore({ clock });
        const shared = createSharedBudgets(clock);
        const cache = new WatchCache({
          store,
          prefix: PREFIX,
          clock,
          logger: silentLogger,
          breather: moody(moods),
          shared,
        });
        await cache.waitFor(0, 1000);
        const followers: [Follower, WatchFilter][] = [];
        const follow = (): void =>
          void followers.push(
            ...[all, on, named].map((each): [Follower, WatchFilter] => [new Follower(cache, each), each]),
          );
        follow();
        for (const each of steps) {
          if (each.do === 'put') await write(store, each.name, each.on === undefined ? {} : { on: each.on });
          else if (each.do === 'delete') await write(store, each.name, undefined);
          else if (each.do === 'read') followers[each.who]?.[0].read();
          else if (each.do === 'follow') follow();
          else await settle();
        }
        const { revision } = await store.get(PREFIX);
        const caughtUp = cache.waitFor(revision, 10_000);
        await clock.advance(6000);
        expect(await caughtUp).toBe(true);
        for (const [follower, filter] of followers) {
          follower.read();
          const now = cache.list(filter.keyPrefix).filter(({ object }) => filter.matches(object));
          expect(follower.faults).toEqual([]);
          expect(follower.known).toEqual(new Map(now.map(({ key, object }) => [key, versionOf(object)])));
        }
        const { entries } = await store.list(PREFIX);
        expect(cache.list(PREFIX).map(({ key, revision: at }) => [key, at])).toEqual(
          entries.map(({ key, revision: at }) => [key, at]),
        );
        await cache.close();
        await store.close();
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 80 },
    );
  });

  it('keeps no more of objects and lines than it may, however many are read', async () => {
    const clock = createManualClock();
    const store = createMemoryStore({ clock });
    const shared = createSharedBudgets(clock);
    const cache = new WatchCache({ store, prefix: PREFIX, clock, logger: silentLogger, breather: moody([]), shared });
    for (let i = 0; i < 40; i++) {
      const object = { metadata: { name: `n${i}` }, text: 'x'.repeat(1_000_000) };
      await store.put(`${PREFIX}ns/n${i}`, encodeText(JSON.stringify(object)), 0);
    }
    const { revision } = await store.get(PREFIX);
    await cache.waitFor(revision, 1000);
    for (const item of cache.list(PREFIX)) expect(item.text.length).toBeGreaterThan(1_000_000);
    expect(shared.texts.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    for (const { key, revision: at } of cache.list(PREFIX)) await store.delete(key, at);
    await settle();
    expect([cache.size, shared.texts.bytes]).toEqual([0, 0]);
    await cache.close();
  });
});
