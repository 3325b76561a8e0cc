/** The bounded queue between the watch cache and one watching client. */
import type { CacheEvent, SeenEvent, WatchFilter } from './cache-event.ts';

export class Watcher {
  readonly filter: WatchFilter;
  readonly #afterRevision: number;
  readonly #capacity: number;
  #queue: SeenEvent[] = [];
  #ended: 'slow' | 'closed' | undefined;
  #wake: (() => void) | undefined;

  /** It sees only events newer than `afterRevision`; more than `capacity` waiting ones end it. */
  constructor(filter: WatchFilter, afterRevision: number, capacity: number) {
    this.filter = filter;
    this.#afterRevision = afterRevision;
    this.#capacity = capacity;
  }

  /** Why no more events come; undefined while they may. */
  get ended(): 'slow' | 'closed' | undefined {
    return this.#ended;
  }

  offer(event: CacheEvent): void {
    if (this.#ended !== undefined || event.revision <= this.#afterRevision) return;
    const seen = event.see(this.filter);
    if (seen === undefined) return;
    if (this.#queue.length >= this.#capacity) {
      this.end('slow');
      return;
    }
    this.#queue.push(seen);
    this.#notify();
  }

  /** What has come since the last call, in order. */
  take(): readonly SeenEvent[] {
    const taken = this.#queue;
    this.#queue = [];
    return taken;
  }

  /** Resolves when there is something to take, or it ended. */
  async wait(): Promise<void> {
    if (this.#queue.length > 0 || this.#ended !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Lets a waiting reader look around (a timer of its own fired). */
  poke(): void {
    this.#notify();
  }

  end(reason: 'slow' | 'closed'): void {
    this.#ended ??= reason;
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
