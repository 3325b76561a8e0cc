/** Clients that follow pages and watches over restarts of the server see exactly what the store's log says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../lib/index.ts';
import { createManualClock, settle } from '../lib/manual-clock.node.ts';
import { createMemoryStore, type Store } from '../store/index.ts';
import { PAST_EVENTS_BYTES, PAST_EVENTS_PAGE } from './limits.ts';
import { type Loose, startTestServer, type TestClock, type TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

interface Seen {
  readonly type: string;
  readonly name: string;
  readonly label: string | undefined;
  readonly revision: number;
}

/** The writes of a test, as they were acknowledged. `label` undefined: deleted. */
interface Write {
  readonly name: string;
  readonly label: string | undefined;
  readonly revision: number;
}

/** One server after the other over the same store. */
class World {
  readonly clock: TestClock = createManualClock();
  readonly store: Store = createMemoryStore({ clock: this.clock });
  readonly writes: Write[] = [];
  api: TestServer | undefined;
  #starts = 0;

  async restart(): Promise<void> {
    await this.api?.server.close();
    this.#starts += 1;
    this.api = await startTestServer({ clock: this.clock, store: this.store, seed: this.#starts });
  }

  get server(): TestServer {
    if (this.api === undefined) throw new Error('not started');
    return this.api;
  }

  async put(name: string, label: string, data: object = {}): Promise<number> {
    const object = { metadata: { name, labels: { l: label } }, ...data };
    const { status, body } = await this.server.call('PUT', `${maps}/${name}`, object);
    const written = status === 404 ? (await this.server.call('POST', maps, object)).body : body;
    const revision = Number(written.metadata.resourceVersion);
    // The same again is no write.
    if (this.writes.findLast((write) => write.name === name)?.revision !== revision)
      this.writes.push({ name, label, revision });
    return revision;
  }

  async remove(name: string): Promise<void> {
    const { status } = await this.server.call('DELETE', `${maps}/${name}`);
    if (status === 200) this.writes.push({ name, label: undefined, revision: (await this.store.get('/x')).revision });
  }

  async close(): Promise<void> {
    await this.api?.close();
  }
}

/** What `selects` shows at a revision. */
function stateAt(writes: readonly Write[], revision: number, selects: (label: string) => boolean): Map<string, string> {
  const state = new Map<string, string>();
  for (const write of writes) {
    if (write.revision > revision) break;
    if (write.label === undefined || !selects(write.label)) state.delete(write.name);
    else state.set(write.name, write.label);
  }
  return state;
}

/** What a watch through `selects` tells after a revision. */
function eventsAfter(writes: readonly Write[], revision: number, selects: (label: string) => boolean): Seen[] {
  const state = stateAt(writes, revision, selects);
  const events: Seen[] = [];
  for (const { name, label, revision: at } of writes) {
    if (at <= revision) continue;
    const before = state.get(name);
    if (label !== undefined && selects(label)) {
      events.push({ type: before === undefined ? 'ADDED' : 'MODIFIED', name, label, revision: at });
      state.set(name, label);
    } else if (before !== undefined) {
      events.push({ type: 'DELETED', name, label: before, revision: at });
      state.delete(name);
    }
  }
  return events;
}

function toSeen({ type, object }: Loose): Seen {
  const { name, labels, resourceVersion } = object.metadata;
  return { type, name, label: labels?.l, revision: Number(resourceVersion) };
}

/** All that a watch tells until nothing comes any more. */
async function watchFrom(world: World, query: string): Promise<Loose[]> {
  const controller = new AbortController();
  const { body } = await world.server.raw('GET', `${maps}?watch=1&${query}`, undefined, {}, controller.signal);
  if (body instanceof Uint8Array) throw new Error(decodeText(body));
  const events: Loose[] = [];
  const reading = (async () => {
    for await (const chunk of body)
      for (const line of decodeText(chunk).trim().split('\n')) events.push(JSON.parse(line));
  })();
  for (let seen = -1; seen < events.length; ) {
    seen = events.length;
    await settle();
  }
  controller.abort();
  await reading;
  return events;
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const write = fc.record({ name, label: fc.constantFrom('x', 'y', 'z', undefined) });
const selectors: readonly [string, (label: string) => boolean][] = [
  ['', () => true],
  ['l in (x,y)', (label) => label === 'x' || label === 'y'],
  ['l=z', (label) => label === 'z'],
];

async function play(world: World, writes: readonly { name: string; label: string | undefined }[]): Promise<void> {
  for (const { name: key, label } of writes) {
    if (label === undefined) await world.remove(key);
    else await world.put(key, label);
  }
}

it('a client that follows pages and watches over restarts sees exactly the history of the store', async () => {
  const turn = fc.record({ writes: fc.array(write, { maxLength: 8 }), restart: fc.boolean() });
  const scenario = fc.record({
    before: fc.array(write, { maxLength: 10 }),
    turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    limit: fc.integer({ min: 1, max: 3 }),
    selector: fc.constantFrom(...selectors),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ before, turns, limit, selector: [selector, selects] }) => {
      const world = new World();
      await world.restart();
      await play(world, before);
      const query = `labelSelector=${encodeURIComponent(selector)}`;
      const listed = new Map<string, string>();
      const seen: Seen[] = [];
      let revision = 0;
      let at = 0;
      let token = '';
      let isListed = false;
      for (const { writes, restart } of [...turns, { writes: [], restart: true }, { writes: [], restart: false }]) {
        if (isListed) {
          const events = (await watchFrom(world, `${query}&resourceVersion=${at}`)).map(toSeen);
          seen.push(...events);
          at = events.at(-1)?.revision ?? at;
        } else {
          const { body } = await world.server.call('GET', `${maps}?${query}&limit=${limit}&continue=${token}`);
          for (const { metadata } of body.items) listed.set(metadata.name, metadata.labels.l);
          if (revision !== 0) expect(body.metadata.resourceVersion).toBe(String(revision));
          revision = Number(body.metadata.resourceVersion);
          at = revision;
          token = body.metadata.continue ?? '';
          isListed = token === '';
        }
        await play(world, writes);
        if (restart) await world.restart();
      }
      // Pages that are left, and what came after them.
      while (!isListed) {
        const { body } = await world.server.call('GET', `${maps}?${query}&limit=${limit}&continue=${token}`);
        for (const { metadata } of body.items) listed.set(metadata.name, metadata.labels.l);
        token = body.metadata.continue ?? '';
        isListed = token === '';
      }
      seen.push(...(await watchFrom(world, `${query}&resourceVersion=${at}`)).map(toSeen));
      expect(listed).toEqual(stateAt(world.writes, revision, selects));
      expect(seen).toEqual(eventsAfter(world.writes, revision, selects));
      await world.close();
    }),
    { numRuns: 25 },
  );
}, 60_000);

describe('after a restart of the server', () => {
  async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
    const world = new World();
    await world.restart();
    try {
      await run(world);
    } finally {
      await world.close();
    }
  }

  it('a watch gets many changes in steps, and goes on with new ones', () =>
    withWorld(async (world) => {
      const from = await world.put('a', 'x');
      const count = 2 * PAST_EVENTS_PAGE + 3;
      for (let i = 0; i < count; i++) await world.put(`n${i % 7}`, String(i));
      await world.put('big', 'x', { data: { text: 'x'.repeat(2 * PAST_EVENTS_BYTES) } });
      await world.restart();
      const asked: number[] = [];
      const history = world.store.history.bind(world.store);
      world.store.history = async (prefix, after, options) => {
        const page = await history(prefix, after, options);
        asked.push(page.events.length);
        return page;
      };
      const events = (await watchFrom(world, `resourceVersion=${from}`)).map(toSeen);
      expect(events).toEqual(eventsAfter(world.writes, from, () => true));
      expect(asked).toEqual([PAST_EVENTS_PAGE, PAST_EVENTS_PAGE, 4]);
      await world.put('a', 'later');
      expect((await watchFrom(world, `resourceVersion=${from}`)).length).toBe(count + 2);
    }));

  it('a watch of what the log has forgotten is told so, and a list in pages how to go on', () =>
    withWorld(async (world) => {
      const from = await world.put('a', 'x');
      await world.put('b', 'x');
      await world.put('c', 'x');
      const first = (await world.server.call('GET', `${maps}?limit=1`)).body;
      await world.put('c', 'y');
      const { revision } = await world.store.get('/x');
      await world.store.compact(revision);
      await world.restart();
      const [event] = await watchFrom(world, `resourceVersion=${from}`);
      const message = `too old resource version: ${from} (${revision})`;
      expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired', message } });
      const late = await world.server.call('GET', `${maps}?limit=1&continue=${first.metadata.continue}`);
      expect(late.body).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
      const rest = await world.server.call('GET', `${maps}?limit=1&continue=${late.body.metadata.continue}`);
      expect(rest.body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['b']);
      expect(rest.body.metadata).toMatchObject({ remainingItemCount: 1, continue: expect.any(String) });
    }));

  it('a deletion is told with the last state, and the log may forget while a watch reads it', () =>
    withWorld(async (world) => {
      const from = await world.put('a', 'x');
      await world.remove('a');
      for (let i = 0; i < PAST_EVENTS_PAGE; i++) await world.put('n', String(i));
      await world.restart();
      const history = world.store.history.bind(world.store);
      let reads = 0;
      world.store.history = async (prefix, after, options) => {
        if (++reads === 2) await world.store.compact(after + 1);
        return history(prefix, after, options);
      };
      const events = await watchFrom(world, `resourceVersion=${from}`);
      expect(events[0]).toMatchObject({
        type: 'DELETED',
        object: { metadata: { name: 'a', labels: { l: 'x' }, resourceVersion: String(from + 1) } },
      });
      expect(events.length).toBe(PAST_EVENTS_PAGE + 1);
      expect(events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    }));
});
