/** Keeps a lister equal to the server's objects, as the only holder of its writer. */
import type { Logger } from '../lib/index.ts';
import { errorMessage } from '../lib/index.ts';
import type { KubeObject } from '../api/index.ts';
import { RetryPause } from './retry-now.ts';
import { type Indexes, type Lister, ObjectCache, type Writer } from './lister.ts';
import { type SourceForm, WHOLE } from './source-form.ts';
import { type WatcherEvent, type WatcherOptions, watcher } from './watcher.ts';

export interface ReflectorPorts extends Pick<WatcherOptions<KubeObject>, 'client' | 'clock' | 'random'> {
  readonly logger: Logger;
}

export interface ReflectorOptions<T extends KubeObject>
  extends Pick<WatcherOptions<T>, 'resource' | 'query' | 'pageSize' | 'retry' | 'onOpen'> {
  readonly indexes?: Indexes<T>;
  /** The form in which objects are requested and kept. Absent: whole objects without managedFields. */
  readonly form?: SourceForm;
  /** Called for each failed list or watch, in addition to the log. */
  readonly onFailure?: () => void;
}

export interface Reflector<T> {
  readonly lister: Lister<T>;
  /** Retries a failed call now, because the caller knows that the server can be reached again. */
  retryNow(): void;
  /** Changes the form of present and future objects; the next list or watch requests it. Listeners are not called. */
  reform(form: SourceForm): void;
  /** Lists and watches until the signal is aborted. Errors of the server never reject it. */
  run(signal: AbortSignal): Promise<void>;
}

export function createReflector<T extends KubeObject>(
  ports: ReflectorPorts,
  options: ReflectorOptions<T>,
): Reflector<T> {
  const cache = new ObjectCache<T>(options.indexes);
  const retry = options.retry ?? new RetryPause();
  let form = options.form ?? WHOLE;
  const metadataOnly = (): boolean => form.metadataOnly;
  const run = async (signal: AbortSignal): Promise<void> => {
    for await (const event of watcher({ ...ports, ...options, retry, metadataOnly }, signal)) {
      if (event.kind === 'error') {
        const { error, retryMs } = event;
        const fields = {
          resource: options.resource.resource,
          error: errorMessage(error),
          retryMs: Math.round(retryMs),
        };
        ports.logger.warn('list-watch failed, trying again', fields);
        options.onFailure?.();
      } else {
        store(cache, event, form);
      }
    }
  };
  const reform = (next: SourceForm): void => {
    form = next;
    cache.rewrite((object) => next.keep(object));
  };
  return { lister: cache, run, reform, retryNow: () => retry.now() };
}

function store<T extends KubeObject>(
  writer: Writer<T>,
  event: Exclude<WatcherEvent<T>, { kind: 'error' }>,
  form: SourceForm,
): void {
  switch (event.kind) {
    case 'init':
      writer.init();
      return;
    case 'init-apply':
      writer.initApply(form.keep(event.object));
      return;
    case 'init-done':
      writer.initDone(event.resourceVersion);
      return;
    case 'apply':
      writer.apply(form.keep(event.object));
      return;
    case 'delete':
      writer.delete(form.keep(event.object));
      return;
    case 'progress':
      writer.progress(event.resourceVersion);
  }
}
