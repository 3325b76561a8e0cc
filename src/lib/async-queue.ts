/** A bounded first-in, first-out queue between one or more producers and one reader. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly capacity: number;
  #items: T[] = [];
  #head = 0;
  #ended = false;
  #error: unknown;
  #failed = false;
  #wake: (() => void) | undefined;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Adds an item. @returns false when the queue is full or ended, and the item was not added */
  push(item: T): boolean {
    if (this.#ended || this.size >= this.capacity) return false;
    this.#items.push(item);
    this.#wakeReader();
    return true;
  }

  /** Ends the queue; the reader gets the remaining items, then the end. */
  end(): void {
    this.#ended = true;
    this.#wakeReader();
  }

  /** Ends the queue; the reader gets the remaining items, then `error`. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#error = error;
    this.#failed = true;
    this.end();
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The next item, `undefined` at the end. Rejects with the error of `fail`. One caller at a time. */
  async shift(): Promise<T | undefined> {
    while (this.size === 0) {
      if (this.#failed) throw this.#error;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const item = this.#items[this.#head] as T;
    this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Leaving the loop early ends the queue: later pushes return false. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        const item = await this.shift();
        if (item === undefined) return;
        yield item;
      }
    } finally {
      this.#ended = true;
      this.#items = [];
      this.#head = 0;
    }
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
