/** Keeps a lister like the server: the only holder of its writer. */
import type { Logger } from '../lib/index.ts';
import { errorMessage } from '../lib/index.ts';
import type { KubeObject } from '../api/index.ts';
import { RetryPause } from './retry-now.ts';
import { type Indexes, type Lister, ObjectCache, type Writer } from './lister.ts';
import { type WatcherEvent, type WatcherOptions, watcher } from './watcher.ts';

export interface ReflectorOptions<T extends KubeObject> extends WatcherOptions<T> {
  readonly logger: Logger;
  readonly indexes?: Indexes<T>;
  /** What to keep of each object, e.g. without managedFields. Must keep its metadata's identity and version. */
  readonly transform?: (object: T) => T;
}

export interface Reflector<T> {
  readonly lister: Lister<T>;
  /** The server can be reached again, as others know: what failed is tried now. */
  retryNow(): void;
  /** List-watches until the signal is aborted. Never rejects for what the server does. */
  run(signal: AbortSignal): Promise<void>;
}

export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Reflector<T> {
  const cache = new ObjectCache<T>(options.indexes);
  const transform = options.transform ?? ((object: T) => object);
  const retry = options.retry ?? new RetryPause();
  const run = async (signal: AbortSignal): Promise<void> => {
    for await (const event of watcher({ ...options, retry }, signal)) {
      if (event.kind === 'error') {
        const { error, retryMs } = event;
        const fields = {
          resource: options.resource.resource,
          error: errorMessage(error),
          retryMs: Math.round(retryMs),
        };
        options.logger.warn('list-watch failed, trying again', fields);
      } else {
        store(cache, event, transform);
      }
    }
  };
  return { lister: cache, run, retryNow: () => retry.now() };
}

function store<T>(
  writer: Writer<T>,
  event: Exclude<WatcherEvent<T>, { kind: 'error' }>,
  transform: (object: T) => T,
): void {
  switch (event.kind) {
    case 'init':
      writer.init();
      return;
    case 'init-apply':
      writer.initApply(transform(event.object));
      return;
    case 'init-done':
      writer.initDone(event.resourceVersion);
      return;
    case 'apply':
      writer.apply(transform(event.object));
      return;
    case 'delete':
      writer.delete(transform(event.object));
      return;
    case 'progress':
      writer.progress(event.resourceVersion);
  }
}

/** Drops what nobody here reads and what may be half of an object. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields !== undefined) delete object.metadata.managedFields;
  return object;
}
