/**
 * Follows the definitions: gives them their names, serves their kinds while they are established, and empties those that are deleted
 * (upstream: the naming, establishing and finalizing controllers of apiextensions-apiserver, in one).
 *
 *   definition changes → its status by the names of the others → kinds registered, replaced or taken away → watchers of old ones end
 */
import {
  CLEANUP_FINALIZER,
  type CustomResourceDefinition,
  isServed,
  nextDefinitionStatus,
  type ResourceRow,
  setCondition,
  takenNames,
} from '../../api/index.ts';
import { decodeText, encodeText, errorMessage, formatTime, mapLimit, readAll, type Timer } from '../../lib/index.ts';
import type { CacheObserver } from '../cache/watch-cache.ts';
import type { ReadStored } from '../cache/cached-object.ts';
import type { LiveRegistry } from '../kinds/registry.ts';
import {
  CUSTOM_DELETES_AT_ONCE,
  CUSTOM_STORAGE_GRACE_MS,
  DEFINITION_RETRY_MAX_MS,
  DEFINITION_RETRY_MS,
  MAX_NODE_ERROR_BYTES,
} from '../limits.ts';
import type { Clock, Connection, Logger } from '../ports.ts';
import type { ApiObject } from '../registry/object.ts';
import type { ResourceStorage } from '../registry/storage.ts';
import { customKinds, customPrefix, readCustom, schemasOf } from './custom-kind.ts';
import type { WebhookConverter } from './webhook-converter.ts';
import type { OwnKind } from './own-kind.ts';

export interface DefinitionKeeperOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: LiveRegistry;
  /** Of the definitions themselves. */
  readonly definitions: ResourceStorage;
  /** Makes the storage of a kind's objects; it reads nothing until it is asked. */
  readonly createStorage: (prefix: string, read: ReadStored) => ResourceStorage;
  /** What the server adds to kinds of its own, by the name of their definitions. */
  readonly own: ReadonlyMap<string, OwnKind>;
  /** The server as its own user. */
  readonly self: Connection;
  /** For definitions whose webhook converts their objects. */
  readonly converterOf: (definition: CustomResourceDefinition) => WebhookConverter;
}

/** What is served for one definition. */
interface Served {
  /** What the kinds depend on: another text means other kinds. */
  readonly mark: string;
  readonly storage: ResourceStorage;
  readonly unregister: () => void;
}

export class DefinitionKeeper implements CacheObserver {
  readonly #options: DefinitionKeeperOptions;
  /** The rows that every server has: their names are never given away. */
  readonly #builtIn: readonly ResourceRow[];
  readonly #known = new Map<string, CustomResourceDefinition>();
  readonly #served = new Map<string, Served>();
  /** Names of definitions to look at. */
  readonly #waiting = new Set<string>();
  readonly #retries = new Map<string, { readonly timer: Timer; readonly delayMs: number }>();
  /** Storages that are not served any more, until the requests that still have them are over. */
  readonly #retired = new Map<ResourceStorage, Timer>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: DefinitionKeeperOptions) {
    this.#options = options;
    this.#builtIn = options.registry.rows();
    options.definitions.cache.observe(this);
  }

  /** All definitions are these: what is established is served before anybody asks. */
  replaced(objects: Iterable<ApiObject>): void {
    const before = new Set(this.#known.keys());
    this.#known.clear();
    for (const object of objects) {
      const definition = object as unknown as CustomResourceDefinition;
      this.#known.set(nameOf(definition), definition);
    }
    this.#options.registry.batch(() => {
      for (const name of new Set([...before, ...this.#known.keys()])) this.#serve(name);
    });
    for (const name of this.#known.keys()) this.#look(name);
  }

  changed(now: ApiObject | undefined, before: ApiObject | undefined): void {
    const definition = now as unknown as CustomResourceDefinition | undefined;
    const name = (now ?? before)?.metadata.name ?? '';
    if (definition === undefined) this.#known.delete(name);
    else this.#known.set(name, definition);
    this.#serve(name);
    const group = (definition ?? (before as unknown as CustomResourceDefinition | undefined))?.spec.group;
    // Names that it gave up, others of its group may wait for.
    for (const [other, { spec }] of this.#known) if (spec.group === group) this.#look(other);
  }

  /** Ends all watches of custom resources. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#retries.values()) timer.cancel();
    for (const timer of this.#retired.values()) timer.cancel();
    const storages = [...this.#retired.keys(), ...[...this.#served.values()].map(({ storage }) => storage)];
    await Promise.all(storages.map((storage) => storage.cache.close()));
    await this.#running;
  }

  /** Makes what is served fit the definition of this name. */
  #serve(name: string): void {
    const definition = this.#known.get(name);
    const wanted = definition !== undefined && isServed(definition) ? definition : undefined;
    const old = this.#served.get(name);
    const mark = wanted === undefined ? '' : markOf(wanted);
    if (mark === (old?.mark ?? '')) return;
    this.#options.registry.batch(() => {
      if (old !== undefined) {
        old.unregister();
        this.#served.delete(name);
        this.#retire(old.storage);
      }
      if (wanted !== undefined) this.#register(name, wanted, mark);
    });
  }

  #register(name: string, definition: CustomResourceDefinition, mark: string): void {
    const { registry, createStorage, logger, converterOf, own } = this.#options;
    const converter = definition.spec.conversion?.strategy === 'Webhook' ? converterOf(definition) : undefined;
    const schemas = schemasOf(definition);
    const storage = createStorage(customPrefix(definition), readCustom(definition, schemas));
    const removals: (() => void)[] = [];
    try {
      for (const kind of customKinds({ definition, schemas, storage, converter, own: own.get(name) }))
        removals.push(registry.register(kind));
    } catch (error) {
      // Another kind has its path: its names should not have been accepted.
      logger.error('a custom resource is not served', { definition: name, error: errorMessage(error) });
    }
    const unregister = (): void => {
      for (const remove of removals) remove();
    };
    this.#served.set(name, { mark, storage, unregister });
  }

  /** Its watchers end at once, so that they find what is served now; reads under way may end by themselves. */
  #retire(storage: ResourceStorage): void {
    storage.cache.endWatches();
    const timer = this.#options.clock.setTimer(CUSTOM_STORAGE_GRACE_MS, () => {
      this.#retired.delete(storage);
      void storage.cache.close();
    });
    this.#retired.set(storage, timer);
  }

  #look(name: string): void {
    this.#waiting.add(name);
    if (this.#running !== undefined || this.#isClosed) return;
    // One after the other: of two that want the same name, one is first.
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    // Not within the cache's turn.
    await Promise.resolve();
    for (const name of this.#waiting) {
      this.#waiting.delete(name);
      if (this.#isClosed) return;
      try {
        await this.#options.definitions.fresh();
        const isDone = await this.#reconcile(name);
        if (isDone) this.#forgetRetry(name);
        else this.#lookLater(name);
      } catch (error) {
        if (this.#isClosed) return;
        this.#options.logger.debug('definition not kept', { definition: name, error: errorMessage(error) });
        this.#lookLater(name);
      }
    }
  }

  #forgetRetry(name: string): void {
    this.#retries.get(name)?.timer.cancel();
    this.#retries.delete(name);
  }

  #lookLater(name: string): void {
    const before = this.#retries.get(name);
    before?.timer.cancel();
    const delayMs = Math.min((before?.delayMs ?? DEFINITION_RETRY_MS / 2) * 2, DEFINITION_RETRY_MAX_MS);
    const timer = this.#options.clock.setTimer(delayMs, () => this.#look(name));
    this.#retries.set(name, { timer, delayMs });
  }

  /** False: it must be looked at again, although it did not change. */
  async #reconcile(name: string): Promise<boolean> {
    const definition = this.#known.get(name);
    if (definition === undefined) return true;
    if (definition.metadata?.deletionTimestamp !== undefined) return this.#finish(name, definition);
    const now = formatTime(this.#options.clock.now().wall);
    const taken = takenNames(definition.spec.group, this.#known.values(), this.#builtIn, name);
    const status = nextDefinitionStatus(definition, taken, now);
    if (status !== undefined) await this.#putStatus(name, { ...definition, status });
    return true;
  }

  /** The objects first, then the definition. */
  async #finish(name: string, definition: CustomResourceDefinition): Promise<boolean> {
    const { finalizers = [] } = definition.metadata ?? {};
    if (!finalizers.includes(CLEANUP_FINALIZER)) return true;
    const served = this.#served.get(name);
    const left = served === undefined ? 0 : await this.#deleteObjects(definition, served.storage);
    if (left > 0) {
      await this.#tellOfDeletion(name, definition, left);
      return false;
    }
    const { uid, resourceVersion } = definition.metadata ?? {};
    const others = finalizers.filter((each) => each !== CLEANUP_FINALIZER);
    const patch = { metadata: { uid, resourceVersion, finalizers: others.length === 0 ? null : others } };
    await this.#ask('PATCH', pathOf(name), patch, { 'content-type': 'application/merge-patch+json' });
    return true;
  }

  /** How many are left. */
  async #deleteObjects(definition: CustomResourceDefinition, storage: ResourceStorage): Promise<number> {
    const version = definition.spec.versions.find(({ served }) => served)?.name;
    await storage.fresh();
    const items = storage.cache.list(customPrefix(definition));
    // No path leads to them any more: what no finalizer holds goes as it lies in the store.
    if (version === undefined) {
      for (const { key, revision, object } of items)
        if ((object.metadata.finalizers ?? []).length === 0) await storage.delete(key, revision);
      await storage.fresh();
      return storage.cache.list(customPrefix(definition)).length;
    }
    const { group, names, scope } = definition.spec;
    await mapLimit(items, CUSTOM_DELETES_AT_ONCE, async ({ object: { metadata } }) => {
      if (metadata.deletionTimestamp !== undefined) return;
      const folder = scope === 'Namespaced' ? `namespaces/${metadata.namespace}/` : '';
      const url = `/apis/${group}/${version}/${folder}${names.plural}/${encodeURIComponent(metadata.name ?? '')}`;
      await this.#ask('DELETE', url, { propagationPolicy: 'Background', preconditions: { uid: metadata.uid } });
    });
    await storage.fresh();
    return storage.cache.list(customPrefix(definition)).length;
  }

  async #tellOfDeletion(name: string, definition: CustomResourceDefinition, left: number): Promise<void> {
    const now = formatTime(this.#options.clock.now().wall);
    const condition = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
      message: `CustomResource deletion is in progress: ${left} left`,
    };
    const conditions = setCondition(definition.status?.conditions, condition, now);
    const before = definition.status?.conditions?.find(({ type }) => type === condition.type);
    if (before?.message === condition.message) return;
    await this.#putStatus(name, { ...definition, status: { ...definition.status, conditions } });
  }

  async #putStatus(name: string, definition: CustomResourceDefinition): Promise<void> {
    await this.#ask('PUT', `${pathOf(name)}/status`, definition);
  }

  /** Throws for every answer but success, "gone already" and "changed meanwhile": its change brings it back here. */
  async #ask(method: string, url: string, value: object, headers: Record<string, string> = {}): Promise<void> {
    const body = encodeText(JSON.stringify(value));
    const answer = await this.#options.self.request({ method, url, headers, body });
    if (answer.status < 300 || answer.status === 404 || answer.status === 409) return;
    const text = decodeText(await readAll(answer.body, MAX_NODE_ERROR_BYTES));
    throw new Error(`${method} ${url}: ${answer.status}: ${text}`);
  }
}

function nameOf({ metadata }: CustomResourceDefinition): string {
  return metadata?.name ?? '';
}

function pathOf(name: string): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
}

function markOf({ metadata, status }: CustomResourceDefinition): string {
  const isEnding = metadata?.deletionTimestamp !== undefined;
  return JSON.stringify([metadata?.uid, metadata?.generation, isEnding, status?.acceptedNames, status?.storedVersions]);
}
