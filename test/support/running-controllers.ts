/** All controllers on the API server in memory, for their tests. */
import { type ControllersSettings, runControllers } from '../../src/controllers/index.ts';
import { createMetrics, type MetricsRegistry, seededRandom, silentLogger } from '../../src/lib/index.ts';
import { settle } from '../../src/lib/manual-clock.node.ts';
import { refusals } from '../../src/scheduler/index.ts';
import { createInMemoryApi, type InMemoryApi } from './in-memory-api.ts';

export interface RunningControllers extends InMemoryApi {
  readonly metrics: MetricsRegistry;
  /** Ends the controllers; the server stays. */
  stop(): Promise<void>;
}

/** @param prepare runs before the controllers start */
export async function startControllers(
  prepare?: (api: InMemoryApi) => Promise<void>,
  settings: Partial<ControllersSettings> = {},
): Promise<RunningControllers> {
  const api = await createInMemoryApi();
  await prepare?.(api);
  return startControllersOn(api, settings);
}

/** New controllers on a server whose others have been stopped. */
export async function startControllersOn(
  api: InMemoryApi,
  settings: Partial<ControllersSettings> = {},
): Promise<RunningControllers> {
  const { client, clock } = api;
  const metrics = createMetrics();
  const controller = new AbortController();
  const random = seededRandom(1);
  const options = { client, clock, random, logger: silentLogger, metrics };
  const running = runControllers(options, { caCertificate: 'PEM', refusals, ...settings }, controller.signal);
  await settle();
  return {
    ...api,
    metrics,
    stop: async () => {
      controller.abort(new Error('enough'));
      await running;
    },
  };
}
