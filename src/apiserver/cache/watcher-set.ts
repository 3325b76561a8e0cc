/**
 * All watchers of a resource. Watchers that want one value of one field (a kubelet its node's pods) are indexed by that
 * value, so that a change is offered only to the few that it may concern.
 */
import type { ApiObject } from '../registry/object.ts';
import type { CacheEvent, ExactField } from './cache-event.ts';
import type { Watcher } from './watcher.ts';

interface ByField {
  readonly read: (object: ApiObject) => string;
  readonly byValue: Map<string, Set<Watcher>>;
}

export class WatcherSet {
  readonly #all = new Set<Watcher>();
  readonly #others = new Set<Watcher>();
  readonly #byField = new Map<string, ByField>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Watcher> {
    return this.#all.values();
  }

  add(watcher: Watcher): void {
    this.#all.add(watcher);
    const { exact } = watcher.filter;
    if (exact === undefined) this.#others.add(watcher);
    else this.#bucket(exact).add(watcher);
  }

  delete(watcher: Watcher): void {
    if (!this.#all.delete(watcher)) return;
    this.#others.delete(watcher);
    const { exact } = watcher.filter;
    if (exact === undefined) return;
    const { field, value } = exact;
    const byValue = this.#byField.get(field)?.byValue;
    byValue?.get(value)?.delete(watcher);
    if (byValue?.get(value)?.size === 0) byValue.delete(value);
    if (byValue?.size === 0) this.#byField.delete(field);
  }

  clear(): void {
    this.#all.clear();
    this.#others.clear();
    this.#byField.clear();
  }

  /** Wakes the watchers that `event` may concern; it is at `place`. */
  offer(event: CacheEvent, place: number): void {
    this.#offerTo(this.#others, place);
    for (const { read, byValue } of this.#byField.values()) {
      const now = event.current === undefined ? undefined : read(event.current.object);
      const before = event.previous === undefined ? undefined : read(event.previous.object);
      if (now !== undefined) this.#offerTo(byValue.get(now), place);
      if (before !== undefined && before !== now) this.#offerTo(byValue.get(before), place);
    }
  }

  #offerTo(watchers: Iterable<Watcher> | undefined, place: number): void {
    for (const watcher of watchers ?? []) watcher.offer(place);
  }

  #bucket({ field, value, read }: ExactField): Set<Watcher> {
    let of = this.#byField.get(field);
    if (of === undefined) {
      of = { read, byValue: new Map() };
      this.#byField.set(field, of);
    }
    let watchers = of.byValue.get(value);
    if (watchers === undefined) {
      watchers = new Set();
      of.byValue.set(value, watchers);
    }
    return watchers;
  }
}
