import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, type ConfigMap, SECRETS } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError, seededRandom, silentLogger } from '../../lib/index.ts';
import { type ConfigCache, createConfigCache } from './config-cache.ts';

interface World {
  readonly api: InMemoryApi;
  readonly cache: ConfigCache;
  readonly calls: { gets: number; watches: number; failing: boolean };
  read(name: string): Promise<string | undefined>;
}

async function world(options: { readonly maxWatches?: number; readonly mayWatch?: boolean } = {}): Promise<World> {
  const api = await createInMemoryApi();
  const calls = { gets: 0, watches: 0, failing: false };
  const client: KubeClient = {
    ...api.client,
    get: (...args) => {
      calls.gets += 1;
      return calls.failing ? Promise.reject(new ConnectionError('away')) : api.client.get(...args);
    },
    list: (...args) =>
      calls.failing || options.mayWatch === false
        ? Promise.reject(new ConnectionError('away'))
        : api.client.list(...args),
    watch: (...args) => {
      calls.watches += 1;
      return api.client.watch(...args);
    },
  };
  const given = { clock: api.clock, random: seededRandom(1), logger: silentLogger, client };
  const { maxWatches } = options;
  const cache = createConfigCache({ ...given, ...(maxWatches !== undefined && { maxWatches }) });
  return { api, calls, cache, read: async (name) => (await cache.configMap('default', name))?.data?.['a'] };
}

function configMap(name: string, a: string, more: Partial<ConfigMap> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { a }, ...more };
}

const patch = (w: World, name: string, a: string): Promise<unknown> =>
  w.api.client.patch(CONFIG_MAPS, 'default', name, 'merge', { data: { a } });

describe('what is followed', () => {
  it('is known as soon as it appears, changes and goes, through one watch for all', async () => {
    const w = await world();
    const heard: string[] = [];
    const stops = [1, 2].map((who) => w.cache.follow('ConfigMap', 'default', 'cm', () => heard.push(`${who}`)));
    expect(await w.read('cm')).toBeUndefined();
    await until(() => w.calls.watches === 1, 'the watch');
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1'));
    await w.api.client.create(CONFIG_MAPS, configMap('other', 'x'));
    await until(async () => (await w.read('cm')) === '1', 'its appearance');
    await patch(w, 'cm', '2');
    await until(async () => (await w.read('cm')) === '2', 'its change');
    await w.api.client.delete(CONFIG_MAPS, 'default', 'cm');
    await until(async () => (await w.read('cm')) === undefined, 'its end');
    expect(heard.toSorted()).toEqual(['1', '1', '1', '1', '2', '2', '2', '2']);
    expect([w.calls.gets, w.calls.watches]).toEqual([0, 1]);
    const timers = w.api.clock.pendingTimers;
    for (const stop of stops) stop();
    await until(() => w.api.clock.pendingTimers < timers, 'the end of the watch');
  });

  it('gives its place back when the last one stops', async () => {
    const w = await world({ maxWatches: 1 });
    const stop = w.cache.follow('ConfigMap', 'default', 'one', () => {});
    await until(() => w.calls.watches === 1, 'the watch');
    stop();
    stop();
    w.cache.follow('Secret', 'default', 'two', () => {});
    await until(() => w.calls.watches === 2, 'the second watch');
    w.cache.close();
  });

  it('is polled when too many are watched', async () => {
    const w = await world({ maxWatches: 0 });
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1'));
    let heard = 0;
    w.cache.follow('ConfigMap', 'default', 'cm', () => (heard += 1));
    expect(await w.read('cm')).toBe('1');
    await patch(w, 'cm', '2');
    await w.api.clock.advance(25_000);
    await until(async () => (await w.read('cm')) === '2', 'the poll');
    expect([heard, w.calls.watches]).toEqual([2, 0]);
    w.cache.close();
  });

  it('is read where it may not be listed or watched', async () => {
    const w = await world({ mayWatch: false });
    await w.api.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
    });
    w.cache.follow('Secret', 'default', 's', () => {});
    await until(async () => (await w.cache.secret('default', 's').catch(() => undefined)) !== undefined, 'the secret');
    w.cache.close();
  });

  it('stays as it was while the server is away, and says why nothing is known', async () => {
    const w = await world();
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1'));
    w.cache.follow('ConfigMap', 'default', 'cm', () => {});
    expect(await w.read('cm')).toBe('1');
    w.calls.failing = true;
    expect(await w.read('cm')).toBe('1');
    w.cache.follow('ConfigMap', 'default', 'new', () => {});
    await expect(w.read('new')).rejects.toThrow('away');
    w.cache.close();
  });

  it('is not watched once it is immutable, and looked at again for whoever comes later', async () => {
    const w = await world();
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1', { immutable: true }));
    w.cache.follow('ConfigMap', 'default', 'cm', () => {});
    expect(await w.read('cm')).toBe('1');
    expect([await w.read('cm'), w.calls.watches, w.calls.gets]).toEqual(['1', 0, 0]);
    await w.api.client.delete(CONFIG_MAPS, 'default', 'cm');
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '2'));
    await w.api.clock.advance(60_000);
    expect(await w.read('cm')).toBe('2');
    await patch(w, 'cm', '3');
    await until(async () => (await w.read('cm')) === '3', 'the watch of the new one');
    w.cache.close();
  });
});

describe('what was changed before a pod arrives', () => {
  it('is seen by it, though nobody follows it and it was read a moment ago', async () => {
    const w = await world();
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1'));
    expect(await w.read('cm')).toBe('1');
    await patch(w, 'cm', '2');
    w.cache.forget('ConfigMap', 'default', 'cm');
    expect(await Promise.all([w.read('cm'), w.read('cm')])).toEqual(['2', '2']);
    expect(w.calls.gets).toBe(2);
  });

  it('is seen by it where there are too many to be watched', async () => {
    const w = await world({ maxWatches: 0 });
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1'));
    w.cache.follow('ConfigMap', 'default', 'cm', () => {});
    expect(await w.read('cm')).toBe('1');
    await patch(w, 'cm', '2');
    w.cache.forget('ConfigMap', 'default', 'cm');
    expect(await Promise.all([w.read('cm'), w.read('cm')])).toEqual(['2', '2']);
    w.calls.failing = true;
    w.cache.forget('ConfigMap', 'default', 'cm');
    expect(await w.read('cm')).toBe('2');
    w.cache.close();
  });
});

describe('what nobody follows', () => {
  it('is read when it is needed, and kept for a moment', async () => {
    const w = await world();
    await w.api.client.create(CONFIG_MAPS, configMap('cm', '1'));
    expect(await Promise.all([w.read('cm'), w.read('cm')])).toEqual(['1', '1']);
    expect(w.calls.gets).toBe(1);
    await patch(w, 'cm', '2');
    await w.api.clock.advance(1000);
    expect([await w.read('cm'), w.calls.gets]).toEqual(['2', 2]);
  });
});
