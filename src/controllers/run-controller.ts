/**
 * The runner that all controllers share: listers feed keys into a work queue, one reconcile per key at a time, level-
 * triggered. What a reconcile answers decides when its key comes back:
 *
 *   error ────────► rate-limited retry          requeueAfterMs ──► then       nothing ──► on the next change
 *   TerminalError ► never, until it changes
 *
 * A key whose writes the listers do not show yet waits for them; one whose write ended without an answer first asks the server
 * how far it is, and then waits for that. So no reconcile does again what is already done.
 */
import type { KubeObject } from '../api/index.ts';
import { type Change, type Informer, type Informers, type KubeClient, objectKey } from '../client/index.ts';
import {
  type Clock,
  type Logger,
  type MetricsRegistry,
  WorkQueue,
  exposeUnfinishedWork,
  runWorkQueue,
  withDeadline,
  workQueueObserver,
} from '../lib/index.ts';
import type { Controller, ControllerSource, LiveSources } from './controller.ts';
import { LIVE_SYNC_TIMEOUT_MS, RECONCILE_CONCURRENCY, RETRY_BUCKET } from './limits.ts';
import { type Feed, Reconciler } from './reconciler.ts';

export interface ControllerEnvironment {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** Runs until the signal is aborted and the last reconcile has ended; then its sources are released. */
export async function runController(
  controller: Controller,
  environment: ControllerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { informers } = environment;
  const feeds = controller.sources.map((each) => ({ source: each, lister: informers.take(each.resource, each.view) }));
  try {
    await reconcileAll({ controller, feeds }, environment, signal);
  } finally {
    for (const { lister } of feeds) lister.release();
  }
}

/** A controller with the listers of its sources. */
interface Fed {
  readonly controller: Controller;
  readonly feeds: readonly Feed[];
}

async function reconcileAll(fed: Fed, environment: ControllerEnvironment, signal: AbortSignal): Promise<void> {
  const { controller, feeds } = fed;
  const { client, clock, metrics } = environment;
  const logger = environment.logger.child({ controller: controller.name });
  const observer = workQueueObserver(metrics, controller.name);
  const queue = new WorkQueue<string>({ clock, bucket: RETRY_BUCKET, observer });
  exposeUnfinishedWork(metrics, controller.name, clock, queue);
  for (const each of feeds) feed(each, queue);
  const live = new LiveFeeds(environment, queue);
  try {
    await Promise.all(feeds.map(({ lister }) => lister.waitForSync(signal)));
    controller.follow?.(live);
    await live.synced(signal);
  } catch (error) {
    live.release();
    if (signal.aborted) return;
    throw error;
  }
  signal.addEventListener('abort', () => queue.close(), { once: true });
  const reconciler = new Reconciler({ controller, feeds, client, clock, logger, metrics, queue }, signal);
  await runWorkQueue({
    queue,
    concurrency: controller.concurrency ?? RECONCILE_CONCURRENCY,
    handler: (key) => reconciler.handle(key),
    onPanic: (key, error) => logger.error('reconcile panicked', { key, error }),
  });
  live.release();
}

/** Sources that a controller takes while it runs. */
class LiveFeeds implements LiveSources {
  readonly #environment: ControllerEnvironment;
  readonly #queue: WorkQueue<string>;
  readonly #taken = new Set<Informer<KubeObject>>();

  constructor(environment: ControllerEnvironment, queue: WorkQueue<string>) {
    this.#environment = environment;
    this.#queue = queue;
  }

  take(taken: ControllerSource): ReturnType<LiveSources['take']> {
    const lister = this.#environment.informers.take(taken.resource, taken.view);
    this.#taken.add(lister);
    feed({ source: taken, lister }, this.#queue);
    const release = (): void => {
      this.#taken.delete(lister);
      lister.release();
    };
    return { lister, release };
  }

  /** Waits for those that are taken by now. One that cannot be read holds nobody for longer than a moment. */
  async synced(signal: AbortSignal): Promise<void> {
    const { clock } = this.#environment;
    const all = Promise.allSettled([...this.#taken].map((lister) => lister.waitForSync(signal)));
    if (this.#taken.size > 0) await withDeadline({ clock, timeoutMs: LIVE_SYNC_TIMEOUT_MS, signal }, () => all);
  }

  release(): void {
    for (const lister of this.#taken) lister.release();
    this.#taken.clear();
  }
}

/** Every change brings keys, and so does what is there already when somebody else's source is shared. */
function feed({ source, lister }: Feed, queue: WorkQueue<string>): void {
  const add = (change: Change<KubeObject>): void => {
    for (const key of source.keysOf(change)) queue.add(key);
  };
  lister.onChange(add);
  if (!lister.synced) return;
  for (const object of lister.list()) add({ type: 'apply', key: objectKey(object), object });
}
