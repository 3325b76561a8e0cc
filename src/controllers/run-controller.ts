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
import type { KubeClient, Lister } from '../client/index.ts';
import {
  type Clock,
  type Logger,
  type MetricsRegistry,
  WorkQueue,
  exposeUnfinishedWork,
  runWorkQueue,
  workQueueObserver,
} from '../lib/index.ts';
import type { Controller, ControllerSource } from './controller.ts';
import type { Informers } from './informers.ts';
import { RECONCILE_CONCURRENCY, RETRY_BUCKET } from './limits.ts';
import { Reconciler } from './reconciler.ts';

export interface ControllerEnvironment {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** Runs until the signal is aborted and the last reconcile has ended. */
export async function runController(
  controller: Controller,
  environment: ControllerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { clock, informers, metrics } = environment;
  const logger = environment.logger.child({ controller: controller.name });
  const observer = workQueueObserver(metrics, controller.name);
  const queue = new WorkQueue<string>({ clock, bucket: RETRY_BUCKET, observer });
  exposeUnfinishedWork(metrics, controller.name, clock, queue);
  const feeds = controller.sources.map((each) => ({ source: each, lister: listerOf(each, informers) }));
  for (const { source, lister } of feeds) feed(source, lister, queue);
  try {
    await Promise.all(feeds.map(({ lister }) => lister.waitForSync(signal)));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  signal.addEventListener('abort', () => queue.close(), { once: true });
  const reconciler = new Reconciler(
    { controller, feeds, client: environment.client, clock, logger, metrics, queue },
    signal,
  );
  await runWorkQueue({
    queue,
    concurrency: controller.concurrency ?? RECONCILE_CONCURRENCY,
    handler: (key) => reconciler.handle(key),
    onPanic: (key, error) => logger.error('reconcile panicked', { key, error }),
  });
}

function listerOf(each: ControllerSource, informers: Informers): Lister<KubeObject> {
  return each.metadataOnly === true
    ? informers.metadata(each.resource)
    : informers.lister(each.resource, each.fieldSelector);
}

function feed(each: ControllerSource, lister: Lister<KubeObject>, queue: WorkQueue<string>): void {
  lister.onChange((change) => {
    for (const key of each.keysOf(change)) queue.add(key);
  });
  if (lister.synced) {
    for (const object of lister.list()) {
      for (const key of each.keysOf({ type: 'apply', key: '', object })) queue.add(key);
    }
  }
}
