/** A watching client's place in the history that all share. It holds no events of its own, so a slow one costs nothing. */
import type { CacheEvent, WatchFilter } from './cache-event.ts';
import type { WatchHistory } from './watch-history.ts';

export class Watcher {
  readonly filter: WatchFilter;
  readonly #history: WatchHistory;
  readonly #afterRevision: number;
  /** The place of the next change to look at; undefined: it has seen all that concerns it. */
  #place: number | undefined;
  #ended: 'slow' | 'closed' | undefined;
  #wake: (() => void) | undefined;

  /** It sees only changes newer than `afterRevision`, and ends when one of them is forgotten before it was read. */
  constructor(filter: WatchFilter, history: WatchHistory, afterRevision: number) {
    this.filter = filter;
    this.#history = history;
    this.#afterRevision = afterRevision;
    const place = history.placeAfter(afterRevision);
    if (place < history.end) this.#place = place;
  }

  /** Why no more changes come; undefined while they may. */
  get ended(): 'slow' | 'closed' | undefined {
    return this.#ended;
  }

  /** A change that may concern it lies at `place`. */
  offer(place: number): void {
    if (this.#ended !== undefined) return;
    this.#place ??= place;
    this.#notify();
  }

  /** The next change to look at, in order, each once; undefined when there is none now, or no more. */
  next(): CacheEvent | undefined {
    while (this.#place !== undefined) {
      if (this.#place >= this.#history.end) {
        this.#place = undefined;
      } else if (this.#place < this.#history.first) {
        this.end('slow');
        this.#place = undefined;
      } else {
        const event = this.#history.at(this.#place);
        this.#place += 1;
        if (event !== undefined && event.revision > this.#afterRevision) return event;
      }
    }
    return undefined;
  }

  /** Resolves when there may be something to see, or it ended. */
  async wait(): Promise<void> {
    if (this.#place !== undefined || this.#ended !== undefined) return;
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
