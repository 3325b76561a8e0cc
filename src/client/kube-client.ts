/**
 * `KubeClient`: typed resource calls over a `Connection` (HTTP or in memory). Every call rejects with `StatusError` (the
 * server's answer) or `ConnectionError` (no answer; it is unknown whether the call took effect).
 */
import type { KubeObject, Resource } from '../api/index.ts';
import type { Discovery } from './discovery.ts';

export type { KubeObject, Resource } from '../api/index.ts';

/** Options of reads. */
export interface ReadOptions {
  /** Of one object: the part that is read instead ("scale"). */
  readonly subresource?: string;
  /** Asks for `PartialObjectMetadata`; the result has the object's own kind and its metadata, and nothing else. */
  readonly metadataOnly?: boolean;
  /** Asks for `metadata.managedFields`, too: who wrote which fields, and when. */
  readonly withManagers?: boolean;
}

export interface ListQuery extends Pick<ReadOptions, 'metadataOnly'> {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Of the APIs of custom metrics: by labels of the metric, not of the objects. */
  readonly metricLabelSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

/** A watch of all changes after `resourceVersion`. `timeoutSeconds`: the server is asked to end the watch after that time. */
export interface WatchQuery extends ListQuery {
  readonly resourceVersion: string;
  readonly timeoutSeconds?: number;
}

export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continue?: string;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export type PatchType = 'json' | 'merge' | 'strategic';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

export interface KubeClient {
  get<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
    signal?: AbortSignal,
    options?: ReadOptions,
  ): Promise<T>;
  list<T extends KubeObject>(resource: Resource<T>, query?: ListQuery, signal?: AbortSignal): Promise<ObjectList<T>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, signal?: AbortSignal): Promise<T>;
  /** PUT; the object's resourceVersion, if set, is the precondition. */
  update<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    subresource?: string,
    signal?: AbortSignal,
  ): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: unknown,
    subresource?: string,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Resolves to the object's last state, or to a Status for kinds that answer with one. */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
    signal?: AbortSignal,
  ): Promise<KubeObject>;
  /** POST to a subresource, e.g. pods/binding. */
  createSubresource<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
    subresource: string,
    body: KubeObject,
    signal?: AbortSignal,
  ): Promise<unknown>;
  /** The kinds that are served: `known` itself when nothing has changed since. */
  discover(known?: Discovery, signal?: AbortSignal): Promise<Discovery>;
  /**
   * Ends when the server ends it; rejects with StatusError (410 Expired: list again) or ConnectionError.
   * @param onOpen called when the server has begun to answer: it may send nothing for long
   */
  watch<T extends KubeObject>(
    resource: Resource<T>,
    query: WatchQuery,
    signal: AbortSignal,
    onOpen?: () => void,
  ): AsyncIterable<WatchEvent<T>>;
}
