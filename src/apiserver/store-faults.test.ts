import { describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { createMemoryStore, type Store, StoreError } from '../store/index.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

type Fault = 'before' | 'after';

/** A store that loses answers: before the write took effect, or after. */
function faulty(inner: Store): { readonly store: Store; next: Fault | undefined; puts: number } {
  const state: { store: Store; next: Fault | undefined; puts: number } = {
    next: undefined,
    puts: 0,
    store: {
      get: (key) => inner.get(key),
      list: (prefix, options) => inner.list(prefix, options),
      watch: (prefix, after, signal) => inner.watch(prefix, after, signal),
      history: (prefix, after, options) => inner.history(prefix, after, options),
      compact: (revision) => inner.compact(revision),
      close: () => inner.close(),
      delete: (key, revision) => inner.delete(key, revision),
      put: async (key, value, revision, options) => {
        state.puts += 1;
        const fault = state.next;
        state.next = undefined;
        if (fault === 'before') throw new StoreError('unknown', 'no answer');
        const result = await inner.put(key, value, revision, options);
        if (fault === 'after') throw new StoreError('unknown', 'no answer');
        return result;
      },
    },
  };
  return state;
}

async function withFaults(run: (api: TestServer, faults: ReturnType<typeof faulty>) => Promise<void>): Promise<void> {
  const clock = createManualClock();
  const faults = faulty(createMemoryStore({ clock }));
  const api = await startTestServer({ clock, store: faults.store });
  await run(api, faults);
  await api.close();
}

describe('an unknown outcome', () => {
  it.each([
    ['before', 404],
    ['after', 200],
  ] as const)('lost %s it took effect is told, never repeated, and read truly after', async (fault, status) => {
    await withFaults(async (api, faults) => {
      faults.next = fault;
      faults.puts = 0;
      const answer = await api.call('POST', maps, { metadata: { name: 'a' } });
      expect(answer.status).toBe(504);
      expect(answer.body).toMatchObject({
        reason: 'Timeout',
        message: expect.stringMatching(/outcome of the request is unknown/),
      });
      expect(faults.puts).toBe(1);
      expect((await api.call('GET', `${maps}/a`)).status).toBe(status);
    });
  });
});

it('answers 500 to a bug, logs it, and goes on', async () => {
  const clock = createManualClock();
  const inner = createMemoryStore({ clock });
  const logged: string[] = [];
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (text: string) => void logged.push(text),
    child: () => logger,
  };
  const store: Store = {
    ...faulty(inner).store,
    delete: () => Promise.reject(new TypeError('x is not a function')),
  };
  const api = await startTestServer({ clock, store, logger });
  await api.call('POST', maps, { metadata: { name: 'a' } });
  const { status, body } = await api.call('DELETE', `${maps}/a`);
  expect(status).toBe(500);
  expect(body.reason).toBe('InternalError');
  expect(logged).toEqual(['request failed']);
  expect((await api.call('GET', `${maps}/a`)).status).toBe(200);
  await api.close();
});

it('sees what others write to the store', async () => {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const one = await startTestServer({ clock, store });
  const two = await startTestServer({ clock, store, seed: 2 });
  const { body } = await one.call('POST', maps, { metadata: { name: 'a' } });
  const read = await two.call('GET', `${maps}/a?resourceVersion=${body.metadata.resourceVersion}`);
  expect(read.status).toBe(200);
  const both = await Promise.all(
    [one, two].map((api, index) =>
      api.call(
        'PATCH',
        `${maps}/a`,
        { data: { [`k${index}`]: 'v' } },
        { 'content-type': 'application/merge-patch+json' },
      ),
    ),
  );
  expect(both.map((answer) => answer.status)).toEqual([200, 200]);
  const { revision } = await store.get('/x');
  expect((await one.call('GET', `${maps}/a?resourceVersion=${revision}`)).body.data).toEqual({ k0: 'v', k1: 'v' });
  await one.server.close();
  await two.close();
});
