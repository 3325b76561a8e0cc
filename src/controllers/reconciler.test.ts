/** What becomes of writes without an answer, on the real API server: the server is asked, in one page, and the source's own lister waits. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, type ConfigMap, NAMESPACES } from '../api/index.ts';
import { Informers, type KubeClient, type ListQuery, METADATA } from '../client/index.ts';
import { ConnectionError, createMetrics, seededRandom, silentLogger } from '../lib/index.ts';
import { type Controller, source } from './controller.ts';
import { CONTROLLER_INDEXES } from './indexes.ts';
import { DOUBT_PAGE_SIZE } from './limits.ts';
import { runController } from './run-controller.ts';

const NAMESPACE = 'team';
let api: InMemoryApi;
let stop: AbortController;
let running: Promise<unknown>;

beforeEach(async () => {
  api = await createInMemoryApi();
  stop = new AbortController();
  await api.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
});
afterEach(async () => {
  stop.abort(new Error('enough'));
  await running;
});

const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, name },
  data,
});

/** Its first creation takes effect without an answer; its lists are written down. */
function forgetful(client: KubeClient, lists: ListQuery[]): KubeClient {
  let isLost = false;
  return {
    ...client,
    create: async (resource, object, signal) => {
      const created = await client.create(resource, object, signal);
      if (isLost) return created;
      isLost = true;
      throw new ConnectionError('the answer was lost');
    },
    list: (resource, query, signal) => {
      lists.push(query ?? {});
      return client.list(resource, query, signal);
    },
  };
}

/** Makes the ConfigMap "made-1", unless the lister shows one that was made; then "made-2" would follow. */
function maker(informers: Informers, metadataOnly: boolean): { controller: Controller; made: () => number } {
  const view = metadataOnly ? { form: METADATA } : {};
  const lister = informers.lister(CONFIG_MAPS, view);
  let made = 0;
  const controller: Controller = {
    name: 'maker',
    sources: [source(CONFIG_MAPS, () => ['all'], view)],
    reconcile: async (_, context) => {
      if (lister.list().some(({ metadata }) => metadata?.name?.startsWith('made') === true)) return;
      made += 1;
      await context.write({ verb: 'create', resource: CONFIG_MAPS, object: configMap(`made-${made}`) });
    },
  };
  return { controller, made: () => made };
}

function start(metadataOnly: boolean, lists: ListQuery[]) {
  const { clock, client } = api;
  const metrics = createMetrics();
  const shared = { clock, logger: silentLogger, metrics };
  const informers = new Informers({
    ...shared,
    client,
    random: seededRandom('informers'),
    indexes: CONTROLLER_INDEXES,
  });
  const { controller, made } = maker(informers, metadataOnly);
  const environment = { ...shared, client: forgetful(client, lists), informers };
  running = Promise.all([informers.run(stop.signal), runController(controller, environment, stop.signal)]);
  return { made, informers };
}

async function names(): Promise<readonly string[]> {
  const { items } = await api.client.list(CONFIG_MAPS, { namespace: NAMESPACE });
  return items.map(({ metadata }) => metadata?.name ?? '').filter((name) => name.startsWith('made'));
}

describe.each([false, true])('a creation without an answer (metadata alone: %s)', (metadataOnly) => {
  it('is asked after in one page, and never done twice', async () => {
    await api.client.create(CONFIG_MAPS, configMap('seed'));
    const lists: ListQuery[] = [];
    const { made } = start(metadataOnly, lists);
    await until(async () => (await names()).length > 0, 'the creation');
    for (let second = 0; second < 5; second++) await api.clock.advance(1000);
    await api.client.create(CONFIG_MAPS, configMap('another'));
    for (let second = 0; second < 5; second++) await api.clock.advance(1000);
    expect(await names()).toEqual(['made-1']);
    expect(made()).toBe(1);
    expect(lists).toEqual([{ namespace: NAMESPACE, limit: DOUBT_PAGE_SIZE }]);
  });
});

it('keeps one lister for a source of metadata alone: it never fetches whole objects beside', async () => {
  await api.client.create(CONFIG_MAPS, configMap('seed', { text: 'x' }));
  const { informers } = start(true, []);
  await until(async () => (await names()).length > 0, 'the creation');
  for (let second = 0; second < 5; second++) await api.clock.advance(1000);
  // The whole objects' lister would be the one that metadata() gives from then on.
  expect(informers.lister(CONFIG_MAPS, { form: METADATA }).get(NAMESPACE, 'seed')).not.toHaveProperty('data');
});

it('of more than a page, it waits for the version of the list', async () => {
  await Promise.all(
    Array.from({ length: DOUBT_PAGE_SIZE + 1 }, (_, i) => api.client.create(CONFIG_MAPS, configMap(`c${i}`))),
  );
  const lists: ListQuery[] = [];
  const { made } = start(false, lists);
  await until(async () => (await names()).length > 0, 'the creation');
  for (let second = 0; second < 120; second++) await api.clock.advance(1000);
  await api.client.create(CONFIG_MAPS, configMap('another'));
  for (let second = 0; second < 5; second++) await api.clock.advance(1000);
  expect([made(), await names(), lists.length]).toEqual([1, ['made-1'], 1]);
});
