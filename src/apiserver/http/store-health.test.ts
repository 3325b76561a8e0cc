import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { createMemoryStore, type Store, StoreError } from '../../store/index.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { storeHealth } from './store-health.ts';

/** A store whose worker is busy, when told so: reads wait for it. */
async function withBusyStore(
  run: (api: TestServer, worker: { busy: boolean; waiting: (() => void)[]; warned: string[] }) => Promise<void>,
): Promise<void> {
  const clock = createManualClock();
  const inner = createMemoryStore({ clock });
  const worker = { busy: false, waiting: [] as (() => void)[], warned: [] as string[] };
  const store: Store = {
    ...inner,
    get: async (key) => {
      if (worker.busy) await new Promise<void>((resolve) => worker.waiting.push(resolve));
      return inner.get(key);
    },
    list: (prefix, options) => inner.list(prefix, options),
    watch: (prefix, after, signal) => inner.watch(prefix, after, signal),
    history: (prefix, after, options) => inner.history(prefix, after, options),
    compact: (revision) => inner.compact(revision),
    put: (key, value, revision, options) => inner.put(key, value, revision, options),
    delete: (key, revision) => inner.delete(key, revision),
    close: () => inner.close(),
  };
  const logger = { ...silentLogger, warn: (message: string) => void worker.warned.push(message) };
  const api = await startTestServer({ clock, store, logger });
  await run(api, worker);
  for (const go of worker.waiting) go();
  await api.close();
}

describe("health, while the store's worker is busy for long", () => {
  it.each(['/livez', '/healthz', '/readyz', '/livez/etcd', '/livez?verbose'])(
    '%s answers within its time, and truly',
    async (url) => {
      await withBusyStore(async (api, worker) => {
        expect((await api.call('GET', url)).status).toBe(200);
        worker.busy = true;
        let answer: number | undefined;
        const asked = api.call('GET', url).then(({ status }) => (answer = status));
        await api.clock.advance(1_999);
        expect(answer).toBeUndefined();
        await api.clock.advance(1);
        await asked;
        expect(answer).toBe(500);
        // The store is as silent for who comes later: nobody waits anew.
        const later = api.call('GET', url);
        await api.clock.advance(0);
        expect((await later).status).toBe(500);
        worker.busy = false;
        for (const go of worker.waiting.splice(0)) go();
        await settle();
        expect((await api.call('GET', url)).status).toBe(200);
      });
    },
  );

  it('asks the store one question, however many ask for health, and says so once in the log', async () => {
    await withBusyStore(async (api, worker) => {
      worker.busy = true;
      const { connection } = api.server;
      const asked = Array.from({ length: 100 }, () =>
        connection.request({ method: 'GET', url: '/livez', headers: {} }),
      );
      await settle();
      expect(worker.waiting.length).toBe(1);
      await api.clock.advance(2_000);
      expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([500]));
      expect(worker.warned.filter((text) => text.includes('store is busy')).length).toBe(1);
    });
  });

  it('needs no store for what does not ask it', async () => {
    await withBusyStore(async (api, worker) => {
      worker.busy = true;
      for (const url of ['/livez/ping', '/livez?exclude=etcd', '/readyz?exclude=etcd', '/version'])
        expect([url, (await api.call('GET', url)).status]).toEqual([url, 200]);
      expect(worker.waiting.length).toBe(0);
    });
  });
});

it('tells what the store says of itself', async () => {
  const broken = { get: () => Promise.reject(new StoreError('closed', 'gone')) };
  expect(await storeHealth(broken, createManualClock(), silentLogger).check()).toBe('gone');
});
