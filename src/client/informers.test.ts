/** Tests with the real API server in memory that sources are shared, can come and go, and keep only the requested form. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, type ConfigMap, type KubeObject, PODS, type Resource, SECRETS } from '../api/index.ts';
import {
  type Connection,
  ConnectionError,
  createMetrics,
  type HttpResponse,
  type MetricsRegistry,
  seededRandom,
  silentLogger,
} from '../lib/index.ts';
import { createKubeClient } from './connection-client.ts';
import { type Informer, Informers } from './informers.ts';
import { METADATA, type SourceForm } from './source-form.ts';

const WIDGETS: Resource<KubeObject> = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

let api: InMemoryApi;
let wire: Wire;
let metrics: MetricsRegistry;
let informers: Informers;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  api = await createInMemoryApi();
  wire = new Wire(api.connection);
  metrics = createMetrics();
  const client = createKubeClient(wire, { clock: api.clock });
  informers = new Informers({ client, clock: api.clock, random: seededRandom(1), logger: silentLogger, metrics });
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort(new Error('enough'));
  await running;
});

/** Records requests and open watches. */
class Wire implements Connection {
  inner: Connection;
  readonly asked: string[] = [];
  readonly watches = new Set<string>();
  isAway = false;
  /** Rewrites a request before the server sees it. */
  headersOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => headers;
  /** Runs before a list is answered. */
  beforeList: (url: URL) => Promise<void> = async () => {};
  readonly #cuts = new Set<(error: Error) => void>();

  constructor(inner: Connection) {
    this.inner = inner;
  }

  async request(request: Parameters<Connection['request']>[0]): Promise<HttpResponse> {
    const url = new URL(request.url, 'http://server');
    const isWatch = url.searchParams.get('watch') === 'true';
    const form = request.headers['accept']?.includes('as=') === true ? ' metadata' : '';
    const name = `${isWatch ? 'watch' : 'list'} ${url.pathname.split('/').at(-1)}${form}`;
    this.asked.push(name);
    if (this.isAway) throw new ConnectionError('away');
    if (!isWatch) await this.beforeList(url);
    const response = await this.inner.request({ ...request, headers: this.headersOf(request.headers) });
    if (response.body instanceof Uint8Array) return response;
    if (!isWatch) return response;
    return { ...response, body: this.#open(`${name} ${url.search}`, response.body) };
  }

  upgrade(request: Parameters<Connection['upgrade']>[0]): ReturnType<Connection['upgrade']> {
    return this.inner.upgrade(request);
  }

  /** Breaks all watches. */
  cut(): void {
    for (const fail of this.#cuts) fail(new ConnectionError('cut'));
  }

  async *#open(name: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { promise: broken, reject } = Promise.withResolvers<never>();
    broken.catch(() => {});
    this.#cuts.add(reject);
    this.watches.add(name);
    const iterator = stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), broken]);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this.#cuts.delete(reject);
      this.watches.delete(name);
      void iterator.return?.();
    }
  }
}

function configMap(name: string, value = '1', namespace = 'default'): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { value } };
}

function run(): void {
  running = informers.run(stop.signal);
}

function names(lister: { list(): readonly KubeObject[] }): readonly string[] {
  return lister
    .list()
    .map(({ metadata }) => metadata?.name ?? '')
    .toSorted();
}

function changesOf<T extends KubeObject>(informer: Informer<T>): string[] {
  const changes: string[] = [];
  informer.onChange(({ type, object }) => changes.push(`${type} ${object.metadata?.name}`));
  return changes;
}

function failures(resource: string): number {
  const line = metrics
    .text()
    .split('\n')
    .find((each) => each.startsWith(`mendlet_informer_failures_total{resource="${resource}"}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('sharing', () => {
  it('asks once for what many take, whoever comes later too', async () => {
    await api.client.create(CONFIG_MAPS, configMap('a'));
    const first = informers.take(CONFIG_MAPS);
    const lister = informers.lister(CONFIG_MAPS);
    run();
    await first.waitForSync();
    await lister.waitForSync();
    const late = informers.take(CONFIG_MAPS);
    expect([late.synced, names(late)]).toEqual([true, ['a']]);
    expect(informers.lister(CONFIG_MAPS)).toBe(lister);
    await until(() => wire.watches.size === 1, 'the watch');
    expect(wire.asked).toEqual(['list configmaps', 'watch configmaps']);
  });

  it('keeps sources of another scope apart', async () => {
    await api.client.create(CONFIG_MAPS, configMap('a'));
    await api.client.create(CONFIG_MAPS, {
      ...configMap('b'),
      metadata: { namespace: 'default', name: 'b', labels: { on: '1' } },
    });
    const scopes = [
      {},
      { namespace: 'default' },
      { namespace: 'kube-system' },
      { labelSelector: 'on=1' },
      { fieldSelector: 'metadata.name=a' },
    ];
    const taken = scopes.map((scope) => informers.take(CONFIG_MAPS, scope));
    run();
    await Promise.all(taken.map((each) => each.waitForSync()));
    const inDefault = (informer: Informer<ConfigMap>): readonly string[] =>
      names({ list: () => informer.list('default') });
    expect(taken.map(inDefault)).toEqual([['a', 'b'], ['a', 'b'], [], ['b'], ['a']]);
    await until(() => wire.watches.size === scopes.length, 'a watch for each');
  });

  it('keeps apart what is kept in another form', async () => {
    await api.client.create(CONFIG_MAPS, configMap('a'));
    const NAMES: SourceForm = {
      name: 'names',
      metadataOnly: false,
      keep: ({ metadata }) => ({ metadata: { ...metadata, name: metadata?.name ?? '' } }) as never,
    };
    const whole = informers.take(CONFIG_MAPS);
    const less = informers.take(CONFIG_MAPS, { form: NAMES });
    run();
    await Promise.all([whole.waitForSync(), less.waitForSync()]);
    expect([whole, less].map((each) => each.get('default', 'a')?.data)).toEqual([{ value: '1' }, undefined]);
  });
});

describe('sources that come and go', () => {
  it('one that is released by one goes on for the others, and the one hears nothing more', async () => {
    const [first, second] = [informers.take(CONFIG_MAPS), informers.take(CONFIG_MAPS)];
    run();
    await second.waitForSync();
    const [one, other] = [changesOf(first), changesOf(second)];
    first.release();
    first.release();
    await api.client.create(CONFIG_MAPS, configMap('a'));
    await until(() => other.length > 0, 'the change');
    expect([one, other, wire.watches.size]).toEqual([[], ['apply a'], 1]);
  });

  it('a kind is taken while it runs, released by all, and taken again: then as it is now', async () => {
    run();
    await api.client.create(CONFIG_MAPS, configMap('gone'));
    await api.client.create(CONFIG_MAPS, configMap('stays'));
    const first = informers.take(CONFIG_MAPS);
    await first.waitForSync();
    await until(() => wire.watches.size === 1, 'the watch');
    expect(names(first)).toEqual(['gone', 'stays']);
    first.release();
    await until(() => wire.watches.size === 0, 'the end of the watch');
    const asked = wire.asked.length;
    await api.client.delete(CONFIG_MAPS, 'default', 'gone');
    await api.clock.advance(20 * 60_000);
    expect(wire.asked.length).toBe(asked);

    const second = informers.take(CONFIG_MAPS);
    expect([second.synced, names(second)]).toEqual([false, []]);
    await second.waitForSync();
    expect(names(second)).toEqual(['stays']);
    await api.client.create(CONFIG_MAPS, configMap('new'));
    await until(() => names(second).includes('new'), 'the new one');
  });

  it('comes and goes many times without leaving anything behind', async () => {
    run();
    const other = informers.take(SECRETS);
    await other.waitForSync();
    await until(() => wire.watches.size === 1, 'the watch of the other');
    for (let round = 0; round < 20; round += 1) {
      const taken = [informers.take(CONFIG_MAPS), informers.take(CONFIG_MAPS, { form: METADATA })];
      if (round % 2 === 0) await taken[0]?.waitForSync();
      for (const each of round % 3 === 0 ? taken : taken.toReversed()) each.release();
    }
    await until(() => wire.watches.size === 1, 'the end of all the rest');
    const asked = wire.asked.length;
    await api.clock.advance(4 * 60_000);
    expect(wire.asked.length).toBe(asked);
  });

  it('what is taken and released before it runs is never asked for', async () => {
    informers.take(PODS).release();
    const kept = informers.take(SECRETS);
    run();
    await kept.waitForSync();
    expect(wire.asked.some((each) => each.includes('pods'))).toBe(false);
  });

  it('whoever waits for a first list is told of its release, even if others wait on', async () => {
    wire.isAway = true;
    const [first, second] = [informers.take(CONFIG_MAPS), informers.take(CONFIG_MAPS)];
    run();
    const waiting = first.waitForSync();
    const others = second.waitForSync(stop.signal);
    first.release();
    await expect(waiting).rejects.toThrow('released');
    await expect(first.waitForSync()).rejects.toThrow('released');
    wire.isAway = false;
    await api.clock.advance(5_000);
    await others;
  });

  it('a kind that the server does not serve is tried again and counted, until it is released', async () => {
    run();
    const widgets = informers.take(WIDGETS, { form: METADATA });
    await api.clock.advance(60_000);
    const tried = failures('widgets');
    expect([tried > 2, widgets.synced]).toEqual([true, false]);
    expect(wire.asked.filter((each) => each === 'list widgets metadata')).toHaveLength(tried);
    widgets.release();
    await api.clock.advance(10 * 60_000);
    expect(failures('widgets')).toBe(tried);
  });

  it('begins at once when told that the server is there again', async () => {
    wire.isAway = true;
    const taken = informers.take(CONFIG_MAPS);
    run();
    await api.clock.advance(120_000);
    wire.isAway = false;
    taken.retryNow();
    await until(() => taken.synced, 'the list');
  });

  it('ends with its signal, and takes nothing more', async () => {
    const taken = informers.take(CONFIG_MAPS);
    run();
    await taken.waitForSync();
    stop.abort(new Error('enough'));
    await running;
    await until(() => wire.watches.size === 0, 'the end of the watch');
    const asked = wire.asked.length;
    informers.take(SECRETS);
    await api.clock.advance(60_000);
    expect(wire.asked.length).toBe(asked);
  });

  it('a mistake of a listener ends them all, loudly', async () => {
    const taken = informers.take(CONFIG_MAPS);
    run();
    const ended = expect(running).rejects.toThrow('a mistake');
    running = Promise.resolve();
    await taken.waitForSync();
    taken.onChange(() => {
      throw new Error('a mistake');
    });
    await api.client.create(CONFIG_MAPS, configMap('a'));
    await ended;
  });
});

describe('metadata alone', () => {
  const owned = {
    ...configMap('a'),
    metadata: {
      namespace: 'default',
      name: 'a',
      labels: { l: '1' },
      annotations: { big: 'x'.repeat(1000) },
      finalizers: ['example.com/hold'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
    },
  };

  it.each([
    { server: 'a server that sends it', headersOf: undefined },
    {
      server: 'a server that knows whole objects alone',
      headersOf: (headers: Readonly<Record<string, string>>) => ({ ...headers, accept: 'application/json' }),
    },
  ])('is asked for as such, and is all that is kept, from $server', async ({ headersOf }) => {
    if (headersOf !== undefined) wire.headersOf = headersOf;
    const { metadata: created } = await api.client.create(CONFIG_MAPS, owned);
    const taken = informers.take(CONFIG_MAPS, { form: METADATA });
    run();
    await taken.waitForSync();
    const { finalizers, ownerReferences } = owned.metadata;
    const { uid, resourceVersion } = created ?? {};
    const metadata = { namespace: 'default', name: 'a', uid, resourceVersion, finalizers, ownerReferences };
    expect(taken.get('default', 'a')).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

    await api.client.create(CONFIG_MAPS, configMap('b'));
    await until(() => taken.get('default', 'b') !== undefined, 'the new one');
    expect(taken.get('default', 'b')).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    expect(taken.get('default', 'b')).not.toHaveProperty('data');
    await api.client.delete(CONFIG_MAPS, 'default', 'b');
    await api.client.delete(CONFIG_MAPS, 'default', 'a');
    await until(() => taken.get('default', 'b') === undefined, 'the end of one');
    await until(() => taken.get('default', 'a')?.metadata?.deletionTimestamp !== undefined, 'the deletion');
    expect(wire.asked).toEqual(['list configmaps metadata', 'watch configmaps metadata']);
  });

  it('is read through whole objects where those are kept anyway', async () => {
    await api.client.create(CONFIG_MAPS, owned);
    const whole = informers.take(CONFIG_MAPS);
    const metadata = informers.take(CONFIG_MAPS, { form: METADATA });
    run();
    await metadata.waitForSync();
    expect(metadata.get('default', 'a')).toBe(whole.get('default', 'a'));
    await until(() => wire.watches.size === 1, 'the watch');
    expect(wire.asked).toEqual(['list configmaps', 'watch configmaps']);
  });

  it('is all that stays when nobody looks at whole objects any more', async () => {
    await api.client.create(CONFIG_MAPS, owned);
    const whole = informers.take(CONFIG_MAPS);
    const metadata = informers.take(CONFIG_MAPS, { form: METADATA });
    run();
    await metadata.waitForSync();
    await until(() => wire.watches.size === 1, 'the watch');
    const changes = changesOf(metadata);
    whole.release();
    expect([metadata.synced, metadata.get('default', 'a')]).toMatchObject([true, { kind: 'ConfigMap' }]);
    expect(metadata.get('default', 'a')).not.toHaveProperty('data');
    expect(metadata.get('default', 'a')?.metadata).not.toHaveProperty('annotations');
    // The open watch still sends whole objects; the next one will not.
    await api.client.create(CONFIG_MAPS, configMap('b'));
    await until(() => changes.length > 0, 'the change');
    expect([changes, metadata.get('default', 'b')?.data]).toEqual([['apply b'], undefined]);
    await api.clock.advance(11 * 60_000);
    expect(wire.asked.at(-1)).toBe('watch configmaps metadata');
    expect(wire.asked.filter((each) => each.startsWith('list'))).toHaveLength(1);

    const again = informers.take(CONFIG_MAPS);
    await again.waitForSync();
    expect(again.get('default', 'a')?.data).toEqual({ value: '1' });
    expect(metadata.get('default', 'a')).not.toHaveProperty('data');
    // Metadata has a separate source now, which ends with its taker.
    metadata.release();
    await until(() => [...wire.watches].every((each) => !each.includes('metadata')), 'the end of its watch');
    again.release();
    await until(() => wire.watches.size === 0, 'the end of all');
  });

  it('of a list that was under way is all that is kept', async () => {
    await api.client.create(CONFIG_MAPS, owned);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    wire.beforeList = () => held;
    const whole = informers.take(CONFIG_MAPS);
    const metadata = informers.take(CONFIG_MAPS, { form: METADATA });
    run();
    await until(() => wire.asked.length > 0, 'the question');
    whole.release();
    letGo();
    await metadata.waitForSync();
    expect(metadata.get('default', 'a')).not.toHaveProperty('data');
  });
});

describe('pages', () => {
  const many = Array.from({ length: 1201 }, (_, i) => `c${String(i).padStart(4, '0')}`);

  it('of 500 objects, of one moment', async () => {
    for (const name of many) await api.client.create(CONFIG_MAPS, configMap(name));
    const asked: string[] = [];
    wire.beforeList = async ({ searchParams }) => {
      asked.push(searchParams.get('limit') ?? 'all');
      if (asked.length === 2) await api.client.delete(CONFIG_MAPS, 'default', 'c1200');
    };
    const taken = informers.take(CONFIG_MAPS);
    const changes = changesOf(taken);
    run();
    // The list shows a past state, and the watch the changes since.
    await until(() => changes.length > many.length, 'the deletion');
    expect(asked).toEqual(['500', '500', '500']);
    expect(changes).toEqual([...many.map((name) => `apply ${name}`), 'delete c1200']);
  });

  it.each([[{}], [{ form: METADATA }]])('that expire give way to one whole list: %j', async (view) => {
    for (const name of many.slice(0, 600)) await api.client.create(CONFIG_MAPS, configMap(name));
    const asked: string[] = [];
    wire.beforeList = async ({ searchParams }) => {
      asked.push(searchParams.get('limit') ?? 'all');
      if (asked.length !== 2) return;
      // Between the pages an object of the first page is deleted, one is created, and the first page's revision is compacted.
      await api.client.delete(CONFIG_MAPS, 'default', 'c0000');
      const { metadata } = await api.client.create(CONFIG_MAPS, configMap('c9999'));
      await api.store.compact(Number(metadata?.resourceVersion));
    };
    const taken = informers.take(CONFIG_MAPS, view);
    const changes = changesOf(taken);
    run();
    await api.clock.advance(0);
    await until(() => taken.synced, 'the list');
    expect(asked).toEqual(['500', '500', 'all']);
    expect(names(taken)).toEqual([...many.slice(1, 600), 'c9999']);
    expect([new Set(changes).size, changes.length, failures('configmaps')]).toEqual([600, 600, 1]);
  });

  it('that keep expiring never make a hot loop, and a whole list that fails begins with pages again', async () => {
    for (const name of many.slice(0, 501)) await api.client.create(CONFIG_MAPS, configMap(name));
    const asked: string[] = [];
    wire.beforeList = async ({ searchParams }) => {
      asked.push(searchParams.get('limit') ?? 'all');
      if (searchParams.get('limit') === null) throw new ConnectionError('too large');
      if (searchParams.get('continue') === null) return;
      const { metadata } = await api.client.create(CONFIG_MAPS, configMap(`n${asked.length}`));
      await api.store.compact(Number(metadata?.resourceVersion));
    };
    const taken = informers.take(CONFIG_MAPS);
    run();
    for (let second = 0; second < 120; second += 1) await api.clock.advance(1000);
    expect(asked.slice(0, 6)).toEqual(['500', '500', 'all', '500', '500', 'all']);
    expect([asked.length < 60, taken.synced, failures('configmaps') > 4]).toEqual([true, false, true]);
    wire.beforeList = async () => {};
    for (let second = 0; second < 60; second += 1) await api.clock.advance(1000);
    expect(taken.synced).toBe(true);
  });
});

describe('bookmarks', () => {
  it.each([[{}], [{ form: METADATA }]])('move the version that a broken watch goes on from: %j', async (view) => {
    await api.client.create(CONFIG_MAPS, configMap('a'));
    const taken = informers.take(CONFIG_MAPS, view);
    run();
    await taken.waitForSync();
    const others = async (count: number): Promise<string> => {
      let version = '';
      for (let i = 0; i < count; i += 1) {
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', generateName: 's-' } };
        version = (await api.client.create(SECRETS, secret)).metadata?.resourceVersion ?? '';
      }
      return version;
    };
    const version = await others(50);
    expect(taken.reached(version)).toBe(false);
    await api.clock.advance(61_000);
    expect(taken.reached(version)).toBe(true);

    // Everything before the bookmark is compacted, in the server, too: a watch from the list's version would have to list again.
    wire.cut();
    await api.store.compact(Number(version));
    wire.inner = await api.restart();
    await api.clock.advance(60_000);
    await api.client.create(CONFIG_MAPS, configMap('b'));
    await until(() => taken.get('default', 'b') !== undefined, 'the new one');
    expect(wire.asked.filter((each) => each.startsWith('list'))).toHaveLength(1);
    expect(wire.asked.filter((each) => each.startsWith('watch')).length).toBeGreaterThan(1);
  });
});
