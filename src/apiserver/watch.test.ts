import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../lib/index.ts';
import { createManualClock, settle } from '../lib/manual-clock.node.ts';
import { createMemoryStore, type Store, StoreError } from '../store/index.ts';
import {
  WATCH_HISTORY_EVENTS,
  WATCH_HISTORY_MS,
  WATCH_HISTORY_OLD_BYTES,
  WATCH_HISTORY_SWEEP_MS,
  WATCH_PIECE_BYTES,
} from './limits.ts';
import { type Loose, podManifest, startTestServer, type TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };

interface Event {
  readonly type: string;
  readonly object: Loose;
}

interface Stream {
  readonly events: Event[];
  readonly ended: Promise<void>;
  readonly isOver: () => boolean;
  stop(): Promise<void>;
}

async function watch(api: TestServer, url: string, headers: Record<string, string> = {}): Promise<Stream> {
  const controller = new AbortController();
  const response = await api.raw('GET', url, undefined, headers, controller.signal);
  expect(response.status).toBe(200);
  const events: Event[] = [];
  let over = false;
  const read = async (): Promise<void> => {
    if (response.body instanceof Uint8Array) throw new Error('not a stream');
    for await (const chunk of response.body) {
      for (const line of decodeText(chunk).trim().split('\n')) events.push(JSON.parse(line));
    }
    over = true;
  };
  const ended = read();
  await settle();
  return {
    events,
    ended,
    isOver: () => over,
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}

function told(stream: Stream): string[] {
  return stream.events.map((event) => `${event.type} ${event.object.metadata.name ?? ''}`.trim());
}

async function withServer(run: (api: TestServer) => Promise<void>, options = {}): Promise<void> {
  const api = await startTestServer({ clock: createManualClock(), ...options });
  try {
    await run(api);
  } finally {
    await api.close();
  }
}

async function put(api: TestServer, name: string, more: object = {}): Promise<string> {
  const { body } = await api.call('PUT', `${maps}/${name}`, { metadata: { name, ...more } });
  if (body.reason !== 'NotFound') return body.metadata.resourceVersion;
  return (await api.call('POST', maps, { metadata: { name, ...more } })).body.metadata.resourceVersion;
}

describe('watch', () => {
  it.each([
    ['long', 2, [2, 2, 1]],
    ['short', 16, [16, 16, 2]],
  ])('sends what is there in pieces: %s lines', (_, share, expected) =>
    withServer(async (api) => {
      const count = expected.reduce((sum, each) => sum + each, 0);
      // The rest of a line are its metadata.
      const text = 'x'.repeat(WATCH_PIECE_BYTES / share - 300);
      for (let i = 0; i < count; i++) await put(api, `m${i}`, { annotations: { text } });
      const { body } = await api.raw('GET', `${maps}?watch=1&timeoutSeconds=1`);
      if (body instanceof Uint8Array) throw new Error('not a stream');
      const pieces = body[Symbol.asyncIterator]();
      const told: number[] = [];
      while (told.reduce((sum, each) => sum + each, 0) < count) {
        const { value } = await pieces.next();
        told.push(
          decodeText(value as Uint8Array)
            .trim()
            .split('\n').length,
        );
      }
      expect(told).toEqual(expected);
      await api.clock.advance(1000);
      expect((await pieces.next()).done).toBe(true);
    }),
  );

  it('begins with what is there, or where it is told to', () =>
    withServer(async (api) => {
      const first = await put(api, 'a');
      await put(api, 'b');
      const fromNow = await watch(api, `${maps}?watch=1`);
      const fromFirst = await watch(api, `${maps}?watch=1&resourceVersion=${first}`);
      await put(api, 'c');
      await settle();
      expect(told(fromNow)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
      expect(told(fromFirst)).toEqual(['ADDED b', 'ADDED c']);
      await fromNow.stop();
      await fromFirst.stop();
      expect(api.clock.pendingTimers).toBeLessThanOrEqual(4);
    }));

  it('sees an object enter and leave its selector', () =>
    withServer(async (api) => {
      const stream = await watch(api, `${maps}?watch=1&labelSelector=on`);
      await put(api, 'a');
      await put(api, 'a', { labels: { on: '1' } });
      await put(api, 'a', { labels: { on: '2' } });
      const left = await put(api, 'a', { labels: {} });
      await put(api, 'a', { labels: { off: '1' } });
      await settle();
      expect(told(stream)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
      expect(stream.events[2]?.object.metadata).toMatchObject({ labels: { on: '2' }, resourceVersion: left });
      await stream.stop();
    }));

  it('tells the revision of a deletion', () =>
    withServer(async (api) => {
      const at = Number(await put(api, 'a'));
      const stream = await watch(api, `${maps}?watch=1&resourceVersion=${at}`);
      await api.call('DELETE', `${maps}/a`);
      await settle();
      expect(stream.events[0]).toMatchObject({
        type: 'DELETED',
        object: { metadata: { resourceVersion: String(at + 1) } },
      });
      await stream.stop();
    }));

  it('watches one object by its name', () =>
    withServer(async (api) => {
      const stream = await watch(api, `${maps}/b?watch=1`);
      await put(api, 'a');
      await put(api, 'b');
      await settle();
      expect(told(stream)).toEqual(['ADDED b']);
      await stream.stop();
    }));

  it('says 410 to those who come too late', () =>
    withServer(async (api) => {
      const at = await put(api, 'a');
      for (let i = 0; i <= WATCH_HISTORY_EVENTS; i++) await put(api, 'a', { labels: { i: String(i) } });
      const older = await watch(api, `${maps}?watch=1&resourceVersion=${at}`);
      await expect.poll(() => older.events.length).toBe(WATCH_HISTORY_EVENTS + 1);
      await older.stop();
      await api.store.compact(Number(at) + 1);
      const stream = await watch(api, `${maps}?watch=1&resourceVersion=${at}`);
      await stream.ended;
      expect(stream.events).toMatchObject([
        { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
      ]);
      expect(stream.events[0]?.object.message).toBe(`too old resource version: ${at} (${Number(at) + 1})`);
    }));

  it('ends after its time, with a bookmark', () =>
    withServer(async (api) => {
      const stream = await watch(api, `${maps}?watch=1&timeoutSeconds=90&allowWatchBookmarks=true&resourceVersion=1`);
      await api.clock.advance(61_000);
      expect(told(stream)).toEqual(['BOOKMARK']);
      await put(api, 'a');
      await api.clock.advance(20_000);
      expect(stream.isOver()).toBe(false);
      await api.clock.advance(10_000);
      await stream.ended;
      expect(told(stream)).toEqual(['BOOKMARK', 'ADDED a', 'BOOKMARK']);
    }));

  it('ends between 30 and 60 minutes when nobody says when', () =>
    withServer(async (api) => {
      const stream = await watch(api, `${maps}?watch=1`);
      await api.clock.advance(1_799_000);
      expect(stream.isOver()).toBe(false);
      await api.clock.advance(1_801_000);
      expect(stream.isOver()).toBe(true);
    }));

  it('answers WatchList', () =>
    withServer(async (api) => {
      await put(api, 'a');
      const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
      const stream = await watch(api, `${maps}?${query}`);
      await put(api, 'b');
      await settle();
      expect(told(stream)).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b']);
      expect(stream.events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
      await stream.stop();
      const refused = await api.call('GET', `${maps}?watch=1&sendInitialEvents=true`);
      expect(refused.status).toBe(422);
    }));

  it.each([
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', ['ADDED a', 'ADDED b']],
    ['allowWatchBookmarks=true', ['ADDED a', 'BOOKMARK', 'ADDED b']],
    ['allowWatchBookmarks=true&resourceVersion=0', ['ADDED a', 'BOOKMARK', 'ADDED b']],
    ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan', ['ADDED b']],
    ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0', ['ADDED b']],
    ['sendInitialEvents=&resourceVersionMatch=NotOlderThan&resourceVersion=1&labelSelector=x', []],
    ['sendInitialEvents=1&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name%3Da', ['ADDED a']],
  ])('begins as %s says', (query, expected) =>
    withServer(async (api) => {
      await put(api, 'a');
      const stream = await watch(api, `${maps}?watch=1&${query}`);
      await put(api, 'b');
      await settle();
      expect(told(stream)).toEqual(expected);
      await stream.stop();
    }),
  );

  it('lets go of what a reader who does not read began with, and ends his watch', () =>
    withServer(async (api) => {
      const text = 'x'.repeat(WATCH_PIECE_BYTES);
      for (const each of ['a', 'b', 'c']) await put(api, each, { annotations: { text } });
      const { body } = await api.raw('GET', `${maps}?watch=1&fieldSelector=metadata.name!%3Db`);
      if (body instanceof Uint8Array) throw new Error('not a stream');
      const chunks = body[Symbol.asyncIterator]();
      await chunks.next();
      for (let i = 0; i < 3; i++) await put(api, 'b', { annotations: { text, i: String(i) } });
      await api.clock.advance(WATCH_HISTORY_MS + 3 * WATCH_HISTORY_SWEEP_MS);
      expect((await chunks.next()).done).toBe(true);
    }));

  it('sends tables to those who print', () =>
    withServer(async (api) => {
      const stream = await watch(api, '/api/v1/pods?watch=1', {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      });
      await api.call('POST', '/api/v1/namespaces/default/pods', podManifest('p'));
      await settle();
      expect(stream.events).toMatchObject([
        {
          type: 'ADDED',
          object: {
            kind: 'Table',
            rows: [{ cells: ['p', '0/1', 'Pending', '0', '0s', '<none>', '<none>', '<none>', '<none>'] }],
          },
        },
      ]);
      await stream.stop();
    }));

  it('ends all when the server closes', () =>
    withServer(async (api) => {
      const stream = await watch(api, `${maps}?watch=1`);
      await api.server.close();
      await stream.ended;
      expect((await api.call('GET', maps)).status).toBe(503);
    }));

  it('has changes that have grown old from the store, as long as it has them', () =>
    withServer(async (api) => {
      const big = { annotations: { text: 'x'.repeat(WATCH_HISTORY_OLD_BYTES) } };
      const at = await put(api, 'a', big);
      await put(api, 'a', { ...big, labels: { is: 'new' } });
      await api.clock.advance(WATCH_HISTORY_MS - WATCH_HISTORY_SWEEP_MS);
      const inTime = await watch(api, `${maps}?watch=1&resourceVersion=${at}`);
      expect(told(inTime)).toEqual(['MODIFIED a']);
      await inTime.stop();
      await api.clock.advance(2 * WATCH_HISTORY_SWEEP_MS);
      const later = await watch(api, `${maps}?watch=1&resourceVersion=${at}`);
      expect(told(later)).toEqual(['MODIFIED a']);
      await later.stop();
      await api.store.compact((await api.store.get('/x')).revision);
      const late = await watch(api, `${maps}?watch=1&resourceVersion=${at}`);
      await late.ended;
      expect(late.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
    }));

  it('ends a reader who does not read, and holds nothing for him', () =>
    withServer(async (api) => {
      await put(api, 'a');
      const response = await api.raw('GET', `${maps}?watch=1`);
      if (response.body instanceof Uint8Array) throw new Error('not a stream');
      const chunks = response.body[Symbol.asyncIterator]();
      await chunks.next();
      for (let i = 0; i <= WATCH_HISTORY_EVENTS; i++)
        await api.call('PATCH', `${maps}/a`, { metadata: { labels: { i: String(i) } } }, merge);
      expect((await chunks.next()).done).toBe(true);
    }));
});

/** A store whose watches break off, as often as it is told to. */
function brokenWatches(inner: Store, breaks: number[]): Store {
  return {
    get: (key) => inner.get(key),
    list: (prefix, options) => inner.list(prefix, options),
    put: (key, value, revision, options) => inner.put(key, value, revision, options),
    delete: (key, revision) => inner.delete(key, revision),
    history: (prefix, after, options) => inner.history(prefix, after, options),
    compact: (revision) => inner.compact(revision),
    close: () => inner.close(),
    watch: async function* (prefix, after, signal) {
      let left = breaks.shift();
      for await (const batch of inner.watch(prefix, after, signal)) {
        if (left === 0) throw new StoreError('unknown', 'the connection broke');
        if (left !== undefined) left -= 1;
        yield batch;
      }
    },
  };
}

type Step =
  | { readonly kind: 'put'; readonly name: string; readonly label: string }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'disconnect'; readonly client: number }
  | { readonly kind: 'wait' };

const name = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('put' as const), name, label: fc.constantFrom('x', 'y', 'z') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), client: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
);

/** A client that resumes where it was, and knows what it has been told. */
class Resumer {
  readonly #api: TestServer;
  readonly #selector: string;
  readonly revisions: number[] = [];
  readonly known = new Map<string, string>();
  readonly faults: string[] = [];
  /** From a list: what a watch without it begins with comes in the order of names. */
  #last: string;
  #seen = 0;
  #stream: Stream | undefined;

  constructor(api: TestServer, selector: string, last: string) {
    this.#api = api;
    this.#selector = selector;
    this.#last = last;
  }

  async connect(): Promise<void> {
    const query = `watch=1&resourceVersion=${this.#last}&labelSelector=${encodeURIComponent(this.#selector)}`;
    this.#stream = await watch(this.#api, `${maps}?${query}`);
    this.#seen = 0;
  }

  async disconnect(): Promise<void> {
    this.digest();
    await this.#stream?.stop();
    this.digest();
  }

  digest(): void {
    for (const { type, object } of this.#stream?.events.slice(this.#seen) ?? []) {
      this.#seen += 1;
      const { name: key, resourceVersion, labels } = object.metadata;
      const known = this.known.has(key);
      if (type === 'ADDED' ? known : !known) this.faults.push(`${type} of ${known ? 'a known' : 'an unknown'} ${key}`);
      if (type === 'DELETED') this.known.delete(key);
      else this.known.set(key, labels?.l ?? '');
      this.revisions.push(Number(resourceVersion));
      this.#last = resourceVersion;
    }
  }
}

describe('every watcher', () => {
  it('sees each event once, in order, whatever breaks', async () => {
    const scenario = fc.record({
      steps: fc.array(step, { maxLength: 40 }),
      breaks: fc.array(fc.nat(4), { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, breaks }) => {
        const clock = createManualClock();
        const plan: number[] = [];
        const api = await startTestServer({
          clock,
          store: brokenWatches(createMemoryStore({ clock }), plan),
        });
        plan.push(...breaks);
        const { resourceVersion } = (await list(api)).metadata;
        const clients = ['', 'l in (x,y)', 'l=z'].map((selector) => new Resumer(api, selector, resourceVersion));
        for (const client of clients) await client.connect();
        for (const entry of steps) await play(api, clients, entry);
        await clock.advance(20_000);
        for (const client of clients) {
          await client.disconnect();
          await client.connect();
          await client.disconnect();
        }
        const { items } = await list(api);
        const all = new Map(items.map((item) => [item.metadata.name, item.metadata.labels?.l ?? '']));
        const expected = [
          all,
          new Map([...all].filter(([, l]) => l === 'x' || l === 'y')),
          new Map([...all].filter(([, l]) => l === 'z')),
        ];
        for (const [index, client] of clients.entries()) {
          expect(client.faults).toEqual([]);
          expect(client.revisions.slice(1).every((revision, i) => revision > (client.revisions[i] ?? 0))).toBe(true);
          expect(client.known).toEqual(expected[index]);
        }
        await api.close();
      }),
      { numRuns: 60 },
    );
  });
});

async function list(api: TestServer): Promise<{
  metadata: { resourceVersion: string };
  items: { metadata: { name: string; labels?: { l?: string } } }[];
}> {
  const pending = api.call('GET', maps);
  await api.clock.advance(100);
  return (await pending).body;
}

async function play(api: TestServer, clients: readonly Resumer[], entry: Step): Promise<void> {
  switch (entry.kind) {
    case 'put': {
      const body = { metadata: { name: entry.name, labels: { l: entry.label } } };
      const { status } = await api.call('PUT', `${maps}/${entry.name}`, body);
      if (status !== 404) return;
      const pending = api.call('POST', maps, body);
      await api.clock.advance(100);
      await pending;
      return;
    }
    case 'delete':
      await api.call('DELETE', `${maps}/${entry.name}`);
      return;
    case 'disconnect': {
      const client = clients[entry.client];
      await client?.disconnect();
      const pending = client?.connect();
      await api.clock.advance(6_000);
      await pending;
      return;
    }
    case 'wait':
      await api.clock.advance(1_000);
  }
}
