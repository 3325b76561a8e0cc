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
  workQueueObserver,
} from '../lib/index.ts';
import type { Controller, ControllerSource, MovingSources } from './controller.ts';
import { RECONCILE_CONCURRENCY, RETRY_BUCKET } from './limits.ts';
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
  const feeds: TakenFeed[] = controller.sources.map((each) => take(informers, each));
  try {
    await reconcileAll({ controller, feeds }, environment, signal);
  } finally {
    for (const { lister } of feeds) lister.release();
  }
}

interface TakenFeed extends Feed {
  readonly lister: Informer<KubeObject>;
}

function take(informers: Informers, source: ControllerSource): TakenFeed {
  return { source, lister: informers.take(source.resource, source.view) };
}

/** Takes the moving sources that have come, and releases those that are gone. */
function move(
  feeds: TakenFeed[],
  fixed: number,
  moving: MovingSources,
  begin: (source: ControllerSource) => TakenFeed,
) {
  const wanted = new Set(moving.current());
  for (let at = feeds.length - 1; at >= fixed; at--) {
    const { source, lister } = feeds[at] ?? {};
    if (source === undefined || wanted.delete(source)) continue;
    lister?.release();
    feeds.splice(at, 1);
  }
  for (const source of wanted) feeds.push(begin(source));
}

/** A controller with the listers of its sources. */
interface Fed {
  readonly controller: Controller;
  readonly feeds: TakenFeed[];
}

async function reconcileAll(fed: Fed, environment: ControllerEnvironment, signal: AbortSignal): Promise<void> {
  const { controller, feeds } = fed;
  const { client, clock, metrics } = environment;
  const logger = environment.logger.child({ controller: controller.name });
  const observer = workQueueObserver(metrics, controller.name);
  const queue = new WorkQueue<string>({ clock, bucket: RETRY_BUCKET, observer });
  exposeUnfinishedWork(metrics, controller.name, clock, queue);
  for (const each of feeds) feed(each, queue);
  try {
    await Promise.all(feeds.map(({ lister }) => lister.waitForSync(signal)));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  // The end may have come together with the last list; a listener would not hear of it any more.
  if (signal.aborted) return;
  signal.addEventListener('abort', () => queue.close(), { once: true });
  const unfollow = follow(fed, environment.informers, queue);
  const reconciler = new Reconciler({ controller, feeds, client, clock, logger, metrics, queue }, signal);
  const work = runWorkQueue({
    queue,
    concurrency: controller.concurrency ?? RECONCILE_CONCURRENCY,
    handler: (key) => reconciler.handle(key),
    onPanic: (key, error) => logger.error('reconcile panicked', { key, error }),
  });
  await work.finally(unfollow);
}

function follow({ controller, feeds }: Fed, informers: Informers, queue: WorkQueue<string>): () => void {
  const { moving, sources } = controller;
  if (moving === undefined) return () => {};
  const begin = (source: ControllerSource): TakenFeed => {
    const taken = take(informers, source);
    feed(taken, queue);
    return taken;
  };
  const follow = (): void => move(feeds, sources.length, moving, begin);
  follow();
  return moving.onChange(follow);
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
