/**
 * Reconciles the keys of one controller one by one: before a key's next reconcile it waits for its writes, and asks the
 * server about writes in doubt.
 */
import { hasReason, type KubeObject, StatusError } from '../api/index.ts';
import { compareResourceVersions, type KubeClient, type Lister } from '../client/index.ts';
import {
  type Clock,
  ConnectionError,
  type Counter,
  errorMessage,
  type Histogram,
  type LogFields,
  type Logger,
  type MetricsRegistry,
  type WorkQueue,
} from '../lib/index.ts';
import { type Controller, type ControllerSource, type ReconcileContext, TerminalError } from './controller.ts';
import { DOUBT_PAGE_SIZE } from './limits.ts';
import { namespaceOfOperation, type Operation, type PerformOptions, perform } from './operation.ts';
import { type Doubt, OwnWrites } from './own-writes.ts';
import { slowStart } from './slow-start.ts';

/** A source with the lister that feeds it. */
export interface Feed {
  readonly source: ControllerSource;
  readonly lister: Lister<KubeObject>;
}

export interface ReconcilerOptions {
  readonly controller: Controller;
  readonly feeds: readonly Feed[];
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly queue: WorkQueue<string>;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #signal: AbortSignal;
  readonly #ownWrites: OwnWrites;
  readonly #results: Counter;
  readonly #times: Histogram;

  constructor(options: ReconcilerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#ownWrites = new OwnWrites((key) => options.queue.add(key));
    this.#results = options.metrics.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles by result.',
      labels: ['controller', 'result'],
    });
    this.#times = options.metrics.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Time of one reconcile.',
      labels: ['controller'],
    });
  }

  /** One reconcile, as the work queue's handler: 'retry' comes again, rate-limited. Rejects only for a mistake of ours. */
  async handle(key: string): Promise<'retry' | void> {
    const { clock, controller } = this.#options;
    const began = clock.now().mono;
    try {
      return await this.#reconcile(key);
    } catch (error) {
      return this.#failed(key, error);
    } finally {
      this.#times.observe((clock.now().mono - began) / 1000, { controller: controller.name });
    }
  }

  async #reconcile(key: string): Promise<void> {
    const { controller, queue } = this.#options;
    for (const doubt of this.#ownWrites.doubtsOf(key)) await this.#settle(key, doubt);
    if (!this.#ownWrites.seen(key)) return;
    const result = await controller.reconcile(key, this.#contextOf(key));
    if (result?.requeueAfterMs === undefined) {
      this.#count('success');
    } else {
      this.#count('requeue_after');
      queue.addAfter(key, result.requeueAfterMs);
    }
  }

  #failed(key: string, error: unknown): 'retry' | void {
    const { logger, queue } = this.#options;
    if (this.#signal.aborted) return undefined;
    if (error instanceof TerminalError) {
      this.#count('terminal_error');
      logger.error('reconcile failed for good', { key, error: error.message });
      return undefined;
    }
    if (!(error instanceof StatusError || error instanceof ConnectionError)) {
      this.#count('panic');
      throw error;
    }
    this.#count('error');
    logFailure(logger, { key, error: errorMessage(error), retries: queue.retries(key) }, isRefusal(error));
    return 'retry';
  }

  /**
   * Asks the server for its revision if a write may or may not have taken effect. If there are few objects the newest one
   * gives it; if there is more than a page the list's own version does, which the lister reaches with the next event or
   * bookmark.
   */
  async #settle(key: string, doubt: Doubt): Promise<void> {
    const namespace = doubt.namespace === undefined ? {} : { namespace: doubt.namespace };
    const query = { ...namespace, limit: DOUBT_PAGE_SIZE };
    const page = await this.#options.client.list(doubt.resource, query, this.#signal);
    const version = page.continue === undefined ? newestVersion(page.items) : page.resourceVersion;
    this.#ownWrites.resolve(key, doubt, version);
  }

  async #write(key: string, operation: Operation, options?: PerformOptions): Promise<KubeObject | undefined> {
    const lister = this.#listerFor(operation);
    try {
      const written = await perform(this.#options.client, operation, this.#signal, options);
      if (lister !== undefined) this.#ownWrites.record(key, lister, written?.metadata?.resourceVersion);
      return written;
    } catch (error) {
      if (lister !== undefined && error instanceof ConnectionError) {
        const { resource } = operation;
        this.#ownWrites.doubt(key, { lister, resource, namespace: namespaceOfOperation(operation) });
      }
      throw error;
    }
  }

  /** The lister that shows what was written, if one of the controller's own does. */
  #listerFor({ resource: { group, resource } }: Operation): Lister<KubeObject> | undefined {
    const isOf = ({ source }: Feed) => source.resource.group === group && source.resource.resource === resource;
    return this.#options.feeds.find(isOf)?.lister;
  }

  #contextOf(key: string): ReconcileContext {
    return {
      signal: this.#signal,
      write: (operation, options) => this.#write(key, operation, options),
      writeAll: (operations, options) => slowStart(operations, (operation) => this.#write(key, operation, options)),
      perform: async (operations) => {
        for (const operation of operations) await this.#write(key, operation);
      },
    };
  }

  #count(result: string): void {
    this.#results.inc({ controller: this.#options.controller.name, result });
  }
}

/** A quota or policy refuses: the owner's events and conditions report it, and it is no problem of the controller. */
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
