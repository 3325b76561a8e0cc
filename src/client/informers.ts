/**
 * Shares one reflector for each source among all its takers, for as long as there are any. A source is a resource, a scope
 * (namespace and selectors) and a form (whole objects, their metadata, or less); it can be taken and released at any time,
 * before and while the informers run.
 */
import type { KubeObject, Resource } from '../api/index.ts';
import {
  abortable,
  childController,
  type Clock,
  type Counter,
  type Logger,
  type MetricsRegistry,
  type Random,
  whenAborted,
} from '../lib/index.ts';
import type { KubeClient, ListQuery } from './kube-client.ts';
import type { Change, Indexes, Lister } from './lister.ts';
import { createReflector, type Reflector } from './reflector.ts';
import { ServedKinds } from './served-kinds.ts';
import { METADATA, type SourceForm, WHOLE } from './source-form.ts';

export interface InformersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** Additional indexes of every lister. Absent: only the index by namespace, which all have. */
  readonly indexes?: Indexes<KubeObject>;
}

/** The part of a resource that a taker needs. Absent fields: all namespaces, all objects, whole objects. */
export interface SourceView extends Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector'> {
  readonly form?: SourceForm;
}

/**
 * One taker's view of a source. A source that is taken may be synced already; then its objects are in its list, and `onChange`
 * reports only later changes.
 */
export interface Informer<T> extends Lister<T> {
  /** Retries a failed call now, because the caller knows that the server can be reached again. */
  retryNow(): void;
  /**
   * Ends this taker's use: its listeners are not called any more, waits for its sync are rejected, and its list may be
   * outdated. The release of the last taker ends the watch.
   */
  release(): void;
}

/** A reflector with its takers. */
interface Source {
  readonly reflector: Reflector<KubeObject>;
  readonly takers: Set<SharedInformer>;
  /** Resource and scope. */
  readonly place: string;
  form: SourceForm;
  /** Ends its run; undefined before the run. */
  stop?: AbortController;
}

export class Informers {
  readonly #options: InformersOptions;
  readonly #failures: Counter;
  /** Sources by place and the form's name. */
  readonly #sources = new Map<string, Source>();
  /** Informers that are never released. */
  readonly #kept = new Map<string, Informer<KubeObject>>();
  readonly #runs = new Set<Promise<void>>();
  readonly #broken = Promise.withResolvers<never>();
  #signal: AbortSignal | undefined;
  #kinds: ServedKinds | undefined;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#failures = options.metrics.counter({
      name: 'mendlet_informer_failures_total',
      help: 'Lists and watches of shared informers that failed and were tried again, by resource.',
      labels: ['resource'],
    });
    this.#broken.promise.catch(() => {});
  }

  /**
   * Takes a source, which all its takers share. Its reflector starts with `run`, or now if that was called. Metadata comes from
   * a reflector of whole objects if there is one, which costs nothing more.
   */
  take<T extends KubeObject>(resource: Resource<T>, view: SourceView = {}): Informer<T> {
    const place = placeOf(resource, view);
    const form = view.form ?? WHOLE;
    const source = this.#find(place, form) ?? this.#begin(resource, view, place, form);
    const informer = new SharedInformer(source.reflector, form, () => this.#release(source, informer));
    source.takers.add(informer);
    return informer as Informer<KubeObject> as Informer<T>;
  }

  /** Takes a source that is never released; repeated calls share one informer. */
  lister<T extends KubeObject>(resource: Resource<T>, view: SourceView = {}): Lister<T> {
    const key = keyOf(placeOf(resource, view), view.form ?? WHOLE);
    const informer = this.#kept.get(key) ?? this.take<KubeObject>(resource, view);
    this.#kept.set(key, informer);
    return informer as Lister<KubeObject> as Lister<T>;
  }

  /** The kinds that can be taken: they are followed as soon as somebody asks for them. */
  get kinds(): ServedKinds {
    if (this.#kinds !== undefined) return this.#kinds;
    this.#kinds = new ServedKinds(this.#options);
    if (this.#signal !== undefined) this.#runKinds(this.#kinds, this.#signal);
    return this.#kinds;
  }

  /** Resolves when every `lister` has been listed once. Rejects with the signal's reason. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#kept.values()].map((informer) => informer.waitForSync(signal)));
  }

  /** Runs all present and future sources until the signal is aborted. Rejects only for an error of a listener. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const source of this.#sources.values()) this.#start(source, signal);
    if (this.#kinds !== undefined) this.#runKinds(this.#kinds, signal);
    await Promise.race([whenAborted(signal), this.#broken.promise]);
    await Promise.all(this.#runs);
  }

  #runKinds(kinds: ServedKinds, signal: AbortSignal): void {
    const run = kinds.run(signal).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  #find(place: string, form: SourceForm): Source | undefined {
    const same = this.#sources.get(keyOf(place, form));
    return same ?? (form === METADATA ? this.#sources.get(keyOf(place, WHOLE)) : undefined);
  }

  #begin(resource: Resource<KubeObject>, view: SourceView, place: string, form: SourceForm): Source {
    const { client, clock, random, logger, indexes } = this.#options;
    const { form: _, ...query } = view;
    const key = keyOf(place, form);
    const reflector = createReflector<KubeObject>(
      { client, clock, random: random.split(key), logger },
      {
        resource,
        query,
        form,
        ...(indexes === undefined ? {} : { indexes }),
        onFailure: () => this.#failures.inc({ resource: resource.resource }),
      },
    );
    const source: Source = { reflector, takers: new Set(), place, form };
    this.#sources.set(key, source);
    if (this.#signal !== undefined) this.#start(source, this.#signal);
    return source;
  }

  #start(source: Source, signal: AbortSignal): void {
    const child = childController(signal);
    source.stop = child.controller;
    const run = source.reflector
      .run(child.controller.signal)
      .catch((error: unknown) => {
        this.#broken.reject(error);
        throw error;
      })
      .finally(() => {
        child.release();
        this.#runs.delete(run);
      });
    run.catch(() => {});
    this.#runs.add(run);
  }

  #release(source: Source, informer: SharedInformer): void {
    source.takers.delete(informer);
    if (source.takers.size === 0) {
      this.#sources.delete(keyOf(source.place, source.form));
      source.stop?.abort(new Error('nobody looks at it any more'));
    } else if (source.form === WHOLE && [...source.takers].every(({ form }) => form === METADATA)) {
      this.#reform(source, METADATA);
    }
  }

  /** Reduces a source to a smaller form that its remaining takers need. */
  #reform(source: Source, form: SourceForm): void {
    this.#sources.delete(keyOf(source.place, source.form));
    source.form = form;
    this.#sources.set(keyOf(source.place, form), source);
    source.reflector.reform(form);
  }
}

/** One taker's informer on a shared reflector. */
class SharedInformer implements Informer<KubeObject> {
  readonly form: SourceForm;
  readonly #reflector: Reflector<KubeObject>;
  readonly #lister: Lister<KubeObject>;
  readonly #onRelease: () => void;
  readonly #released = new AbortController();
  readonly #unlisten = new Set<() => void>();

  constructor(reflector: Reflector<KubeObject>, form: SourceForm, onRelease: () => void) {
    this.form = form;
    this.#reflector = reflector;
    this.#lister = reflector.lister;
    this.#onRelease = onRelease;
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#lister.get(namespace, name);
  }

  getByKey(key: string): KubeObject | undefined {
    return this.#lister.getByKey(key);
  }

  list(namespace?: string): readonly KubeObject[] {
    return this.#lister.list(namespace);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    return this.#lister.byIndex(index, value);
  }

  get synced(): boolean {
    return this.#lister.synced;
  }

  async waitForSync(signal?: AbortSignal): Promise<void> {
    const synced = this.#lister.waitForSync(this.#released.signal);
    await (signal === undefined ? synced : abortable(synced, signal));
  }

  reached(resourceVersion: string): boolean {
    return this.#lister.reached(resourceVersion);
  }

  onChange(listener: (change: Change<KubeObject>) => void): () => void {
    return this.#listening(this.#lister.onChange((change) => listener(change)));
  }

  onProgress(listener: () => void): () => void {
    return this.#listening(this.#lister.onProgress(() => listener()));
  }

  retryNow(): void {
    this.#reflector.retryNow();
  }

  release(): void {
    if (this.#released.signal.aborted) return;
    this.#released.abort(new Error('the source was released'));
    for (const stop of this.#unlisten) stop();
    this.#unlisten.clear();
    this.#onRelease();
  }

  #listening(unlisten: () => void): () => void {
    const stop = (): void => {
      unlisten();
      this.#unlisten.delete(stop);
    };
    if (this.#released.signal.aborted) unlisten();
    else this.#unlisten.add(stop);
    return stop;
  }
}

/** A key of the resource and scope; parts that may contain any character are quoted. */
function placeOf(resource: Resource<KubeObject>, view: SourceView): string {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = view;
  const scope = [namespace, labelSelector, fieldSelector];
  const selects = scope.every((part) => part === '') ? '' : JSON.stringify(scope);
  return `${resource.group}/${resource.version}/${resource.resource}${selects}`;
}

function keyOf(place: string, form: SourceForm): string {
  return `${place} ${form.name}`;
}
