/**
 * All objects of one resource in memory, with their recent history, fed by one watch of the store: lists and watches of
 * many clients cost the store nothing. The store's watch is the only truth; writes never touch the cache directly.
 *
 *   store.list → objects at R → store.watch(R) → apply each event → history → watchers
 *                   ↑ only when the store has forgotten what we missed; then every watcher is ended
 */
import {
  type Breather,
  childController,
  type Clock,
  type Logger,
  Semaphore,
  type Timer,
  errorMessage,
} from '../../lib/index.ts';
import { type DamagedKey, type Store, StoreError, type StoreEvent } from '../../store/index.ts';
import {
  CACHE_RETRY_MAX_MS,
  CACHE_RETRY_MS,
  PAST_READS_AT_ONCE,
  SHARED_LINES_BYTES,
  SHARED_TEXTS_BYTES,
} from '../limits.ts';
import { ByteBudget } from './byte-budget.ts';
import { CacheEvent, type WatchFilter } from './cache-event.ts';
import type { ApiObject } from '../registry/object.ts';
import { CachedObject, type ReadStored } from './cached-object.ts';
import { type PastPage, readPast } from './past-events.ts';
import { SortedObjects } from './sorted-objects.ts';
import { HistoryKeeper, WatchHistory } from './watch-history.ts';
import { Watcher } from './watcher.ts';
import { WatcherSet } from './watcher-set.ts';

export interface WatchCacheOptions {
  readonly store: Store;
  /** The prefix of all keys, with its trailing slash. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly breather: Breather;
  readonly shared: SharedBudgets;
  /** How stored objects get today's form; absent: they are taken as they are. */
  readonly read?: ReadStored;
}

/** Budgets that all caches of a server share. */
export interface SharedBudgets {
  readonly keeper: HistoryKeeper;
  /** Encoded lines of events. */
  readonly lines: ByteBudget;
  /** Objects' JSON. */
  readonly texts: ByteBudget;
  /** Reads of the store's log for watches that resume. */
  readonly pastReads: Semaphore;
}

export function createSharedBudgets(clock: Clock): SharedBudgets {
  return {
    keeper: new HistoryKeeper(clock),
    lines: new ByteBudget(SHARED_LINES_BYTES),
    texts: new ByteBudget(SHARED_TEXTS_BYTES),
    pastReads: new Semaphore(PAST_READS_AT_ONCE),
  };
}

/** Looks at every object as the cache sees it, before any watcher does: for indexes that must not lag behind it. */
export interface CacheObserver {
  /** All objects are these. */
  replaced(objects: Iterable<ApiObject>): void;
  /** One is new, changed, or (`now` undefined) gone; `before`: as it was. */
  changed(now: ApiObject | undefined, before: ApiObject | undefined): void;
}

const LIST_PAGE = 500;

interface Waiter {
  readonly revision: number;
  readonly resolve: (reached: boolean) => void;
  readonly timer: Timer;
}

export class WatchCache {
  readonly #options: WatchCacheOptions;
  readonly #stop = new AbortController();
  readonly #watchers = new WatcherSet();
  readonly #waiters = new Set<Waiter>();
  readonly #observers: CacheObserver[] = [];
  readonly #history: WatchHistory;
  #objects = new SortedObjects();
  /** Keys of objects that exist and cannot be read, with their revision. */
  readonly #damaged = new Map<string, number>();
  #revision = 0;
  #changedAt = 0;
  #listed = false;
  #isRetired = false;
  #expected = 0;
  #retryMs = CACHE_RETRY_MS;
  #running: Promise<void> | undefined;
  /** Ends the store's watch so that a new one says at once how far it is. */
  #nudge: AbortController | undefined;

  constructor(options: WatchCacheOptions) {
    this.#options = options;
    this.#history = new WatchHistory(options.shared.keeper);
  }

  get read(): ReadStored | undefined {
    return this.#options.read;
  }

  get prefix(): string {
    return this.#options.prefix;
  }

  /** Everything up to this revision has been seen. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest revision that changed an object of this resource (or of the first list). */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** The oldest revision that a watch may resume after. */
  get oldestResume(): number {
    return this.#history.forgotten;
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** True when it shows all that this server itself wrote. */
  get isCurrent(): boolean {
    return this.#listed && this.#revision >= this.#expected;
  }

  /** For good; call it before `start`. */
  observe(observer: CacheObserver): void {
    this.#observers.push(observer);
  }

  /** Begins to read the store. Idempotent; reads wait for the first list by `waitFor`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the reading, all watchers and all waiting reads. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#options.shared.keeper.close();
    this.#endWatchers();
    for (const waiter of this.#waiters) this.#settle(waiter, false);
  }

  /** A write of ours made this revision: reads from now on wait until the cache has seen it. */
  expect(revision: number): void {
    if (revision > this.#expected) this.#expected = revision;
  }

  /**
   * Waits until the cache is listed, has seen our own writes, and shows at least `revision`. False when that takes longer
   * than `timeoutMs` or the cache is closed.
   */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    this.start();
    const target = Math.max(revision, this.#expected);
    if (this.#listed && this.#revision >= target) return Promise.resolve(true);
    if (this.#stop.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(timeoutMs, () => this.#settle(waiter, false));
      const waiter: Waiter = { revision: target, resolve, timer };
      this.#waiters.add(waiter);
      // Own writes arrive by themselves; a revision that others made may bring no event of ours, only progress.
      if (target > this.#expected) this.#nudge?.abort();
    });
  }

  get(key: string): CachedObject | undefined {
    return this.#objects.get(key);
  }

  /** The revision at which the object under `key` was damaged; undefined: it is not, as far as is known. */
  damagedAt(key: string): number | undefined {
    return this.#damaged.get(key);
  }

  /** Keys below `keyPrefix` of objects that exist and are in no list, because they cannot be read. */
  damagedUnder(keyPrefix: string): readonly string[] {
    if (this.#damaged.size === 0) return [];
    return [...this.#damaged.keys()].filter((key) => key.startsWith(keyPrefix)).sort();
  }

  /** The budgets of bytes that many readers share. */
  get lines(): ByteBudget {
    return this.#options.shared.lines;
  }

  /** Objects whose key starts with `keyPrefix` and is greater than `after`, in order of their keys: a snapshot. */
  list(keyPrefix: string, after = ''): readonly CachedObject[] {
    return this.#objects.list(keyPrefix, after);
  }

  /**
   * Every change after `afterRevision` through `filter`, each once and in order. Undefined when the history no longer
   * reaches back that far. The caller must `remove` it.
   */
  watch(filter: WatchFilter, afterRevision: number): Watcher | undefined {
    if (afterRevision < this.#history.forgotten) return undefined;
    const watcher = new Watcher(filter, this.#history, afterRevision);
    if (this.#stop.signal.aborted || this.#isRetired) watcher.end('closed');
    else this.#watchers.add(watcher);
    return watcher;
  }

  /** Ends all watchers, and those that still come: what they watch is served by another cache. */
  endWatches(): void {
    this.#isRetired = true;
    this.#endWatchers();
  }

  /**
   * The next changes after `revision` below `keyPrefix` from the store's log, for a watch that is further back than `watch` allows.
   * `previous`: with the states before them, which selectors need. Rejects with `StoreError` "compacted" when the log does not have them.
   */
  past(keyPrefix: string, revision: number, previous: boolean): Promise<PastPage> {
    const { store, read, shared, breather } = this.#options;
    return readPast({ store, prefix: keyPrefix, previous, read, turns: shared.pastReads, breather }, revision);
  }

  remove(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (!this.#listed) await this.#list();
        await this.#follow();
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof StoreError)) throw error;
        if (error.code === 'closed') break;
        this.#options.logger.warn('watch cache lost the store', {
          prefix: this.#options.prefix,
          error: errorMessage(error),
        });
        if (error.code === 'compacted') this.#startOver();
      }
      await this.#options.clock.sleep(this.#retryMs, signal).catch(() => {});
      this.#retryMs = Math.min(this.#retryMs * 2, CACHE_RETRY_MAX_MS);
    }
    this.#endWatchers();
  }

  async #list(): Promise<void> {
    const { breather } = this.#options;
    const objects: CachedObject[] = [];
    const damaged: DamagedKey[] = [];
    let revision: number | undefined;
    let after: string | undefined;
    for (;;) {
      const page = await this.#options.store.list(this.#options.prefix, {
        limit: LIST_PAGE,
        ...(revision === undefined ? {} : { revision }),
        ...(after === undefined ? {} : { after }),
      });
      revision ??= page.revision;
      for (const { key, value, revision: at } of page.entries) {
        const pause = breather.pause();
        if (pause !== undefined) await pause;
        const item = this.#decode(key, at, value);
        if (item === undefined) damaged.push({ key, revision: at });
        else objects.push(item);
      }
      damaged.push(...(page.damaged ?? []));
      after = page.entries.at(-1)?.key;
      if (!page.more || after === undefined) break;
    }
    this.#keepDamaged(damaged, objects);
    const kept = new Set(objects);
    for (const item of this.#objects) if (!kept.has(item)) item.retire();
    this.#objects = new SortedObjects(objects);
    this.#history.reset(revision);
    this.#changedAt = revision;
    this.#listed = true;
    for (const observer of this.#observers) observer.replaced(objects.map(({ object }) => object));
    this.#advance(revision);
  }

  async #follow(): Promise<void> {
    const { store, prefix } = this.#options;
    while (!this.#stop.signal.aborted) {
      const child = childController(this.#stop.signal);
      const { controller } = child;
      this.#nudge = controller;
      try {
        for await (const batch of store.watch(prefix, this.#revision, controller.signal)) {
          for (const event of batch.events) {
            // Writers wait for what they wrote to be seen: it goes with the requests.
            const pause = this.#options.breather.pause('request');
            // A reader that waits for an earlier revision need not wait for the rest.
            if (pause !== undefined) {
              this.#advance(this.#revision);
              await pause;
            }
            this.#apply(event);
          }
          this.#advance(batch.revision);
        }
      } finally {
        child.release();
      }
      if (!controller.signal.aborted) return;
    }
  }

  #apply(event: StoreEvent): void {
    // A repeated event after the store's watch began again.
    if (event.revision <= this.#changedAt) return;
    const { shared } = this.#options;
    const previous = this.#objects.get(event.key);
    let current: CachedObject | undefined;
    this.#damaged.delete(event.key);
    if (event.type === 'put') {
      current = this.#decode(event.key, event.revision, event.value);
      if (current === undefined) {
        this.#damaged.set(event.key, event.revision);
        return;
      }
      this.#objects.set(current);
    } else {
      this.#objects.delete(event.key);
    }
    previous?.retire();
    this.#changedAt = event.revision;
    const change = new CacheEvent(event.revision, event.key, current, previous, shared.lines);
    for (const observer of this.#observers) observer.changed(current?.object, previous?.object);
    const place = this.#history.end;
    this.#history.push(change);
    this.#revision = Math.max(this.#revision, event.revision);
    this.#watchers.offer(change, place);
  }

  /** Undefined: it is not an object. Only its key is reported, because the content may be a secret. */
  #decode(key: string, revision: number, value: Uint8Array): CachedObject | undefined {
    try {
      return CachedObject.decode({ key, revision, value }, this.#options.read, this.#options.shared.texts);
    } catch {
      this.#options.logger.error('an object in the store is damaged', { key, revision });
      return undefined;
    }
  }

  /** For objects that a list lacks: an object that was read before it was damaged is still valid, and joins `objects`. */
  #keepDamaged(damaged: readonly DamagedKey[], objects: CachedObject[]): void {
    this.#damaged.clear();
    for (const { key, revision } of damaged) {
      const seen = this.#objects.get(key);
      if (seen?.revision === revision) objects.push(seen);
      else this.#damaged.set(key, revision);
    }
  }

  #advance(revision: number): void {
    this.#retryMs = CACHE_RETRY_MS;
    if (revision > this.#revision) this.#revision = revision;
    for (const waiter of this.#waiters) {
      if (this.#revision >= waiter.revision) this.#settle(waiter, true);
    }
  }

  #settle(waiter: Waiter, reached: boolean): void {
    waiter.timer.cancel();
    this.#waiters.delete(waiter);
    waiter.resolve(reached);
  }

  /** The changes in between are lost: watchers must list again, so they are ended. */
  #startOver(): void {
    this.#listed = false;
    this.#endWatchers();
  }

  #endWatchers(): void {
    for (const watcher of this.#watchers) watcher.end('closed');
    this.#watchers.clear();
  }
}
