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
import { hasReason, type KubeObject, type Resource, StatusError } from '../api/index.ts';
import { type Change, compareResourceVersions, type KubeClient, type Lister } from '../client/index.ts';
import {
  type Clock,
  ConnectionError,
  type LogFields,
  type Logger,
  type MetricsRegistry,
  WorkQueue,
  errorMessage,
  exposeUnfinishedWork,
  runWorkQueue,
  workQueueObserver,
} from '../lib/index.ts';
import type { Informers } from './informers.ts';
import { RECONCILE_CONCURRENCY, RETRY_BUCKET } from './limits.ts';
import { namespaceOfOperation, type Operation, type PerformOptions, perform } from './operation.ts';
import { OwnWrites } from './own-writes.ts';
import { slowStart, type SlowStartResult } from './slow-start.ts';

/** Trying again cannot help: the reconcile waits for a change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export interface ReconcileResult {
  /** Look again after this long, ms, if nothing happens before. */
  readonly requeueAfterMs?: number;
}

export interface ReconcileContext {
  readonly signal: AbortSignal;
  /** Does operations one after another and remembers what was written, so that the next reconcile sees it. */
  perform(operations: readonly Operation[]): Promise<void>;
  /** The same for one, with what was written (undefined: there was nothing to do). */
  write(operation: Operation, options?: PerformOptions): Promise<KubeObject | undefined>;
  /** The same for many like ones at once: see `slowStart`. Rejects for nothing but the end of the controller. */
  writeAll(operations: readonly Operation[], options?: PerformOptions): Promise<SlowStartResult>;
}

/** Which keys a change of a resource concerns. */
export interface ControllerSource {
  readonly resource: Resource<KubeObject>;
  /** Look at these alone. */
  readonly fieldSelector?: string;
  /** The metadata of owners and finalizers is all that is looked at. */
  readonly metadataOnly?: boolean;
  readonly keysOf: (change: Change<KubeObject>) => readonly string[];
}

/** Says a source with the type of its objects. */
export function source<T extends KubeObject>(
  resource: Resource<T>,
  keysOf: (change: Change<T>) => readonly string[],
  fieldSelector?: string,
): ControllerSource {
  const selector = fieldSelector === undefined ? {} : { fieldSelector };
  return { resource, keysOf: keysOf as unknown as ControllerSource['keysOf'], ...selector };
}

export interface Controller {
  readonly name: string;
  readonly sources: readonly ControllerSource[];
  readonly concurrency?: number;
  reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | void>;
}

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
  const listers = controller.sources.map((each) => feed(each, informers, queue));
  try {
    await Promise.all(listers.map((lister) => lister.waitForSync(signal)));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  signal.addEventListener('abort', () => queue.close(), { once: true });
  await runWorkQueue({
    queue,
    concurrency: controller.concurrency ?? RECONCILE_CONCURRENCY,
    handler: reconcileHandler(controller, environment, logger, queue, signal),
    onPanic: (key, error) => logger.error('reconcile panicked', { key, error }),
  });
}

function listerOf(each: ControllerSource, informers: Informers): Lister<KubeObject> {
  return each.metadataOnly === true
    ? informers.metadata(each.resource)
    : informers.lister(each.resource, each.fieldSelector);
}

function feed(each: ControllerSource, informers: Informers, queue: WorkQueue<string>): Lister<KubeObject> {
  const lister = listerOf(each, informers);
  lister.onChange((change) => {
    for (const key of each.keysOf(change)) queue.add(key);
  });
  if (lister.synced) {
    for (const object of lister.list()) {
      for (const key of each.keysOf({ type: 'apply', key: '', object })) queue.add(key);
    }
  }
  return lister;
}

function reconcileHandler(
  controller: Controller,
  { client, informers, clock, metrics }: ControllerEnvironment,
  logger: Logger,
  queue: WorkQueue<string>,
  signal: AbortSignal,
): (key: string) => Promise<'retry' | void> {
  const ownWrites = new OwnWrites((key) => queue.add(key));
  /** Asks how far the server is where a write may have taken effect or not. */
  const settle = async (key: string): Promise<void> => {
    for (const doubt of ownWrites.doubtsOf(key)) {
      const query = doubt.namespace === undefined ? {} : { namespace: doubt.namespace };
      const { items } = await client.list(doubt.resource, query, signal);
      ownWrites.resolve(key, doubt, newestVersion(items));
    }
  };
  const results = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labels: ['controller', 'result'],
  });
  const times = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Time of one reconcile.',
    labels: ['controller'],
  });
  const count = (result: string): void => results.inc({ controller: controller.name, result });
  const write = async (
    key: string,
    operation: Operation,
    options?: PerformOptions,
  ): Promise<KubeObject | undefined> => {
    const { group, resource } = operation.resource;
    const watched = controller.sources.find(({ resource: row }) => row.group === group && row.resource === resource);
    const lister = watched && informers.lister(watched.resource, watched.fieldSelector);
    try {
      const written = await perform(client, operation, signal, options);
      if (lister !== undefined) ownWrites.record(key, lister, written?.metadata?.resourceVersion);
      return written;
    } catch (error) {
      if (lister !== undefined && error instanceof ConnectionError) {
        const { resource: row } = operation;
        ownWrites.doubt(key, { lister, resource: row, namespace: namespaceOfOperation(operation) });
      }
      throw error;
    }
  };
  const contextOf = (key: string): ReconcileContext => ({
    signal,
    write: (operation, options) => write(key, operation, options),
    writeAll: (operations, options) => slowStart(operations, (operation) => write(key, operation, options)),
    perform: async (operations) => {
      for (const operation of operations) await write(key, operation);
    },
  });
  return async (key) => {
    const began = clock.now().mono;
    try {
      await settle(key);
      if (!ownWrites.seen(key)) return undefined;
      const result = await controller.reconcile(key, contextOf(key));
      if (result?.requeueAfterMs === undefined) {
        count('success');
      } else {
        count('requeue_after');
        queue.addAfter(key, result.requeueAfterMs);
      }
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof TerminalError) {
        count('terminal_error');
        logger.error('reconcile failed for good', { key, error: error.message });
        return undefined;
      }
      if (!(error instanceof StatusError || error instanceof ConnectionError)) {
        count('panic');
        throw error;
      }
      count('error');
      logFailure(logger, { key, error: errorMessage(error), retries: queue.retries(key) }, isRefusal(error));
      return 'retry';
    } finally {
      times.observe((clock.now().mono - began) / 1000, { controller: controller.name });
    }
  };
}

/** Somebody's quota or policy says no: the owner's events and conditions tell it, and it is no trouble of ours. */
function isRefusal(error: unknown): boolean {
  return hasReason(error, 'Forbidden') || hasReason(error, 'Invalid');
}

function logFailure(logger: Logger, fields: { readonly retries: number } & LogFields, refused: boolean): void {
  if (!refused) logger.warn('reconcile failed, trying again', fields);
  else if (fields.retries === 0) logger.info('refused, trying again ever more slowly', fields);
  else logger.debug('refused again', fields);
}

function newestVersion(objects: readonly KubeObject[]): string | undefined {
  const versions = objects.map(({ metadata }) => metadata?.resourceVersion ?? '');
  return versions.toSorted(compareResourceVersions).at(-1);
}
