/** How a controller's sources feed it, on the real API server: also when it begins late, and when it ends. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, NAMESPACES, SECRETS } from '../api/index.ts';
import { Informers } from '../client/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../lib/index.ts';
import { type Controller, source } from './controller.ts';
import { CONTROLLER_INDEXES } from './indexes.ts';
import { runController } from './run-controller.ts';

let api: InMemoryApi;
let stop: AbortController;
let running: Promise<unknown>[];
let informers: Informers;
let watched: string[];

beforeEach(async () => {
  api = await createInMemoryApi();
  stop = new AbortController();
  watched = [];
  const { client: plain, clock } = api;
  const client: typeof plain = {
    ...plain,
    watch: (resource, query, signal) => {
      watched.push(resource.resource);
      signal.addEventListener('abort', () => watched.splice(watched.indexOf(resource.resource), 1), { once: true });
      return plain.watch(resource, query, signal);
    },
  };
  const options = { client, clock, random: seededRandom(1), logger: silentLogger, metrics: createMetrics() };
  informers = new Informers({ ...options, indexes: CONTROLLER_INDEXES });
  running = [informers.run(stop.signal)];
});
afterEach(async () => {
  stop.abort(new Error('enough'));
  await Promise.all(running);
});

function start(controller: Controller, signal: AbortSignal): Promise<void> {
  const { client, clock } = api;
  const environment = { client, clock, informers, logger: silentLogger, metrics: createMetrics() };
  const run = runController(controller, environment, signal);
  running.push(run);
  return run;
}

/** Writes down the keys that are reconciled. */
function listening(keys: Set<string>): Controller {
  return {
    name: 'listening',
    sources: [source(CONFIG_MAPS, ({ key }) => [key]), source(SECRETS, () => [])],
    reconcile: async (key) => void keys.add(key),
  };
}

it('whoever begins when others have listed already gets the keys of what is there', async () => {
  await api.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  for (const name of ['a', 'b']) {
    await api.client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'team', name },
    });
  }
  await informers.lister(CONFIG_MAPS).waitForSync();
  const keys = new Set<string>();
  void start(listening(keys), stop.signal);
  await until(() => keys.size >= 2, 'two keys');
  expect([...keys].toSorted()).toEqual(['team/a', 'team/b']);
});

it('a controller that ends releases its sources; those of others go on', async () => {
  await informers.lister(CONFIG_MAPS).waitForSync();
  const own = new AbortController();
  const ended = start(listening(new Set()), own.signal);
  await until(() => watched.length === 2, 'both watches');
  own.abort(new Error('its turn is over'));
  await ended;
  await until(() => watched.length === 1, 'the end of one');
  expect(watched).toEqual(['configmaps']);
});
