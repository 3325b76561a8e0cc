import { describe, expect, it } from 'vitest';
import { createInMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, type ConfigMap, ENDPOINT_SLICES, EVENTS, PODS, isConflict, isNotFound } from '../api/index.ts';
import {
  type Connection,
  ConnectionError,
  type HttpResponse,
  createMetrics,
  seededRandom,
  silentLogger,
} from '../lib/index.ts';
import { createKubeClient } from './connection-client.ts';
import { createEventRecorder, referenceTo } from './event-recorder.ts';
import { createReflector } from './reflector.ts';
import { withoutManagedFields } from './source-form.ts';
import { type WatcherEvent, watcher } from './watcher.ts';

function configMap(name: string, value = '1'): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { value } };
}

describe('KubeClient', () => {
  it('creates, reads, updates, patches, lists and deletes', async () => {
    const { client } = await createInMemoryApi();
    const created = await client.create(CONFIG_MAPS, configMap('a'));
    expect(created.metadata?.uid).toMatch(/-/);
    const updated = await client.update(CONFIG_MAPS, { ...created, data: { value: '2' } });
    expect(updated.data).toEqual({ value: '2' });
    await expect(client.update(CONFIG_MAPS, { ...created, data: {} })).rejects.toSatisfy(isConflict);
    const patched = await client.patch(CONFIG_MAPS, 'default', 'a', 'merge', { data: { more: '3' } });
    expect(patched.data).toEqual({ value: '2', more: '3' });
    const { items, resourceVersion } = await client.list(CONFIG_MAPS, { namespace: 'default' });
    expect(items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata?.name])).toEqual([
      ['ConfigMap', 'v1', 'a'],
    ]);
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(patched.metadata?.resourceVersion));
    await expect(client.delete(CONFIG_MAPS, 'default', 'a', { uid: 'another' })).rejects.toSatisfy(isConflict);
    await client.delete(CONFIG_MAPS, 'default', 'a');
    await expect(client.get(CONFIG_MAPS, 'default', 'a')).rejects.toSatisfy(isNotFound);
  });

  it('calls an answer that never comes a ConnectionError', async () => {
    const { clock } = await createInMemoryApi();
    const silent: Connection = { request: () => new Promise(() => {}), upgrade: () => new Promise(() => {}) };
    const answer = createKubeClient(silent, { clock }).get(PODS, 'default', 'a');
    answer.catch(() => {});
    await clock.advance(30_000);
    await expect(answer).rejects.toBeInstanceOf(ConnectionError);
  });

  it('gives an answer that is no Status its reason by its code', async () => {
    const response: HttpResponse = { status: 503, headers: {}, body: new TextEncoder().encode('upstream is away') };
    const proxy: Connection = { request: async () => response, upgrade: () => new Promise(() => {}) };
    await expect(createKubeClient(proxy).get(PODS, 'default', 'a')).rejects.toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'upstream is away',
    });
  });

  it('names the resource that a server does not have', async () => {
    const body = new TextEncoder().encode('404 page not found\n');
    const old: Connection = {
      request: async () => ({ status: 404, headers: {}, body }),
      upgrade: () => new Promise(() => {}),
    };
    await expect(createKubeClient(old).list(ENDPOINT_SLICES)).rejects.toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'the server has no endpointslices in discovery.k8s.io/v1',
    });
  });
});

describe('watcher', () => {
  it('lists in pages, then watches on from there', async () => {
    const { client, clock } = await createInMemoryApi();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.create(CONFIG_MAPS, configMap(name));
    const seen: string[] = [];
    const stop = new AbortController();
    const options = {
      client,
      resource: CONFIG_MAPS,
      query: { namespace: 'default', limit: 2 },
      clock,
      random: seededRandom(1),
    };
    void (async () => {
      for await (const event of watcher(options, stop.signal)) seen.push(describeEvent(event));
    })();
    await until(() => seen.includes('init-done'), 'the first list');
    expect(seen).toEqual([
      'init',
      'init-apply a',
      'init-apply b',
      'init-apply c',
      'init-apply d',
      'init-apply e',
      'init-done',
    ]);
    seen.length = 0;
    await client.create(CONFIG_MAPS, configMap('f'));
    await client.patch(CONFIG_MAPS, 'default', 'a', 'merge', { data: { value: '2' } });
    await client.delete(CONFIG_MAPS, 'default', 'b');
    await until(() => seen.length >= 3, 'three events');
    expect(seen).toEqual(['apply f', 'apply a', 'delete b']);
    stop.abort(new Error('enough'));
  });

  it('backs off from a server that is away, and lists again when its past is gone', async () => {
    const api = await createInMemoryApi();
    const { client, connection, clock, store } = api;
    const faulty = new FaultyConnection(connection);
    const seen: string[] = [];
    const stop = new AbortController();
    const options = {
      client: createKubeClient(faulty),
      resource: CONFIG_MAPS,
      query: { namespace: 'default' },
      clock,
      random: seededRandom(1),
    };
    faulty.away = true;
    void (async () => {
      for await (const event of watcher(options, stop.signal)) seen.push(describeEvent(event));
    })();
    await clock.advance(10_000);
    expect(seen.filter((event) => event === 'error')).toHaveLength(4);
    faulty.away = false;
    await clock.advance(30_000);
    expect(seen.at(-1)).toBe('init-done');

    // The server restarts, and all changes that the watch missed are compacted before it resumes.
    seen.length = 0;
    faulty.away = true;
    faulty.cut();
    await clock.advance(0);
    await client.create(CONFIG_MAPS, configMap('missed'));
    const { resourceVersion } = await client.list(CONFIG_MAPS);
    await store.compact(Number(resourceVersion));
    faulty.inner = await api.restart();
    faulty.away = false;
    await clock.advance(120_000);
    const steps = seen.filter((event) => event !== 'error' && event !== 'progress');
    expect(steps).toEqual(['init', 'init-apply missed', 'init-done']);
    stop.abort(new Error('enough'));
  });
});

function describeEvent(event: WatcherEvent<ConfigMap>): string {
  return 'object' in event ? `${event.kind} ${event.object.metadata?.name}` : event.kind;
}

/** Passes requests on, unless `away`; `cut` breaks its streams. */
class FaultyConnection implements Connection {
  inner: Connection;
  readonly #streams = new Set<(error: Error) => void>();
  away = false;

  constructor(inner: Connection) {
    this.inner = inner;
  }

  async request(request: Parameters<Connection['request']>[0]): Promise<HttpResponse> {
    if (this.away) throw new ConnectionError('away');
    const response = await this.inner.request(request);
    if (response.body instanceof Uint8Array) return response;
    return { ...response, body: this.#breakable(response.body) };
  }

  upgrade(request: Parameters<Connection['upgrade']>[0]): ReturnType<Connection['upgrade']> {
    return this.inner.upgrade(request);
  }

  cut(): void {
    for (const fail of this.#streams) fail(new ConnectionError('cut'));
  }

  async *#breakable(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { promise: broken, reject } = Promise.withResolvers<never>();
    broken.catch(() => {});
    this.#streams.add(reject);
    const iterator = stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), broken]);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this.#streams.delete(reject);
      void iterator.return?.();
    }
  }
}

describe('reflector', () => {
  it('keeps its lister like the server, and knows when it has seen a write', async () => {
    const { client, clock } = await createInMemoryApi();
    await client.create(CONFIG_MAPS, configMap('a'));
    const stop = new AbortController();
    const reflector = createReflector<ConfigMap>(
      { client, clock, random: seededRandom(1), logger: silentLogger },
      { resource: CONFIG_MAPS, indexes: { value: (object) => [object.data?.['value'] ?? ''] } },
    );
    const running = reflector.run(stop.signal);
    await reflector.lister.waitForSync();
    const written = await client.patch(CONFIG_MAPS, 'default', 'a', 'merge', { data: { value: 'new' } });
    await until(() => reflector.lister.reached(written.metadata?.resourceVersion ?? ''), 'our own write');
    expect(reflector.lister.byIndex('value', 'new')).toHaveLength(1);
    expect(reflector.lister.get('default', 'a')).toEqual(withoutManagedFields(written));
    stop.abort(new Error('enough'));
    await running;
  });
});

describe('event recorder', () => {
  it('creates an event, counts it up, and writes what kubectl shows', async () => {
    const { client, clock } = await createInMemoryApi();
    const stop = new AbortController();
    const metrics = createMetrics();
    const recorder = createEventRecorder({
      client,
      clock,
      random: seededRandom(1),
      logger: silentLogger,
      component: 'kubelet',
      host: 'node1',
      metrics,
    });
    const running = recorder.run(stop.signal);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'web', uid: 'u1', resourceVersion: '7' },
    };
    const message = 'Back-off restarting failed container web in pod web';
    recorder.event(referenceTo(pod, 'spec.containers{web}'), 'Warning', 'BackOff', message);
    await until(() => recorder.settled(), 'the first event');
    await clock.advance(60_000);
    recorder.event(referenceTo(pod, 'spec.containers{web}'), 'Warning', 'BackOff', message);
    await until(() => recorder.settled(), 'the second event');
    const { items } = await client.list(EVENTS, { namespace: 'default' });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      involvedObject: {
        kind: 'Pod',
        namespace: 'default',
        name: 'web',
        uid: 'u1',
        apiVersion: 'v1',
        fieldPath: 'spec.containers{web}',
      },
      reason: 'BackOff',
      message,
      type: 'Warning',
      count: 2,
      source: { component: 'kubelet', host: 'node1' },
      reportingComponent: 'kubelet',
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:00Z',
    });
    expect(items[0]?.metadata.name).toMatch(/^web\.[0-9a-f]{16}$/);
    stop.abort(new Error('enough'));
    await running;
  });

  it('tells anew what expired meanwhile, and counts what it drops', async () => {
    const { client, clock } = await createInMemoryApi();
    const stop = new AbortController();
    const metrics = createMetrics();
    const recorder = createEventRecorder({
      client,
      clock,
      random: seededRandom(1),
      logger: silentLogger,
      component: 'kubelet',
      metrics,
    });
    void recorder.run(stop.signal);
    const pod = { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' };
    recorder.event(pod, 'Normal', 'Pulled', 'm');
    await until(() => recorder.settled(), 'the first event');
    for (const { metadata } of (await client.list(EVENTS)).items)
      await client.delete(EVENTS, 'default', metadata.name ?? '');
    recorder.event(pod, 'Normal', 'Pulled', 'm');
    await until(() => recorder.settled(), 'the second event');
    expect((await client.list(EVENTS)).items.map(({ count }) => count)).toEqual([2]);
    for (let i = 0; i < 30; i += 1) recorder.event(pod, 'Normal', 'Pulled', 'm');
    await until(() => recorder.settled(), 'all events');
    expect(metrics.text()).toContain('mendlet_events_dropped_total{component="kubelet",cause="spam filter"} 7');
    stop.abort(new Error('enough'));
  });
});
