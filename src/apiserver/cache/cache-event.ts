/** One change of one object, as the watch cache keeps it for all watchers: seen by each through its own selector. */
import type { ApiObject } from '../registry/object.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { CachedObject, WatchType } from './cached-object.ts';

/** The objects that a watcher wants to see. */
export interface WatchFilter {
  /** Only keys that start with this. */
  readonly keyPrefix: string;
  matches(object: ApiObject): boolean;
  /** Only objects of which this field has this value can match: lets others be passed over unseen. */
  readonly exact?: ExactField;
}

export interface ExactField {
  readonly field: string;
  readonly value: string;
  /** The field's value, '' when it has none; the same function for all of a resource. */
  readonly read: (object: ApiObject) => string;
}

/** A change in a watcher's eyes, its bytes shared with every watcher that sees it the same way. */
export interface SeenEvent {
  readonly type: WatchType;
  readonly item: CachedObject;
  readonly event: CacheEvent;
}

export class CacheEvent {
  readonly revision: number;
  readonly key: string;
  /** Absent: deleted. */
  readonly current: CachedObject | undefined;
  readonly previous: CachedObject | undefined;
  readonly #budget: ByteBudget | undefined;
  #left: CachedObject | undefined;
  #lines: Map<string, Uint8Array> | undefined;

  /** `lines` bounds what all events keep of their bytes; without it they stay as long as the event. */
  constructor(
    revision: number,
    key: string,
    current: CachedObject | undefined,
    previous: CachedObject | undefined,
    lines?: ByteBudget,
  ) {
    this.revision = revision;
    this.key = key;
    this.current = current;
    this.previous = previous;
    this.#budget = lines;
  }

  /**
   * This change through `filter`: an object that enters the selector is ADDED, one that leaves it DELETED (with its last
   * state that matched, at the revision of the change). Undefined: nothing to see.
   */
  see(filter: WatchFilter): SeenEvent | undefined {
    if (!this.key.startsWith(filter.keyPrefix)) return undefined;
    const isIn = this.current !== undefined && filter.matches(this.current.object);
    const wasIn = this.previous !== undefined && filter.matches(this.previous.object);
    if (isIn && this.current !== undefined) {
      return { type: wasIn ? 'MODIFIED' : 'ADDED', item: this.current, event: this };
    }
    if (!wasIn || this.previous === undefined) return undefined;
    this.#left ??= this.previous.at(this.revision);
    return { type: 'DELETED', item: this.#left, event: this };
  }

  /** The bytes of a seen event in one format: encoded for the first watcher that needs them, then shared. */
  line(format: string, seen: SeenEvent, encode: (seen: SeenEvent) => Uint8Array): Uint8Array {
    const key = `${seen.type} ${format}`;
    const known = this.#lines?.get(key);
    if (known !== undefined) return known;
    const line = encode(seen);
    this.#lines ??= new Map();
    this.#lines.set(key, line);
    this.#budget?.add(this, line.length);
    return line;
  }

  /** Drops the shared bytes: watchers that still need them encode again. */
  forget(): void {
    this.#lines = undefined;
  }

  /** It left the history: the bytes that it keeps do not count any more. */
  retire(): void {
    this.#lines = undefined;
    this.#budget?.release(this);
  }
}
