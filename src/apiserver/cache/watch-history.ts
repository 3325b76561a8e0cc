/**
 * The recent changes of one resource, in order, once for all watchers: a watcher is only a position in them. They are bounded
 * by number, bytes and age, and all resources together by bytes. A watcher whose position is gone was too slow and has to
 * begin again.
 */
import type { Clock, Timer } from '../../lib/index.ts';
import {
  WATCH_EVENT_OVERHEAD_BYTES,
  WATCH_HISTORY_BYTES,
  WATCH_HISTORY_EVENTS,
  WATCH_HISTORY_MS,
  WATCH_HISTORY_OLD_BYTES,
  WATCH_HISTORY_OLD_EVENTS,
  WATCH_HISTORY_SWEEP_MS,
  WATCH_HISTORY_TOTAL_BYTES,
} from '../limits.ts';
import type { CacheEvent } from './cache-event.ts';

interface Entry {
  readonly event: CacheEvent;
  readonly bytes: number;
  /** Mono ms when it came. */
  readonly at: number;
}

/** The bounds of all histories together, and the one timer that looks at their age. */
export class HistoryKeeper {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #histories = new Set<WatchHistory>();
  #bytes = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock, maxBytes: number = WATCH_HISTORY_TOTAL_BYTES) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /** The bytes that all histories hold, as stored. */
  get bytes(): number {
    return this.#bytes;
  }

  now(): number {
    return this.#clock.now().mono;
  }

  enter(history: WatchHistory): void {
    this.#histories.add(history);
  }

  /** A history holds so many bytes more or less. */
  changed(bytes: number): void {
    this.#bytes += bytes;
    if (bytes <= 0) return;
    while (this.#bytes > this.#maxBytes) if (this.#largest()?.dropOldest() !== true) break;
    this.#planSweep();
  }

  /** Ends its timer, for good. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #largest(): WatchHistory | undefined {
    let found: WatchHistory | undefined;
    for (const history of this.#histories) if (found === undefined || history.bytes > found.bytes) found = history;
    return found;
  }

  #planSweep(): void {
    if (this.#closed) return;
    this.#timer ??= this.#clock.setTimer(WATCH_HISTORY_SWEEP_MS, () => {
      this.#timer = undefined;
      let young = false;
      for (const history of this.#histories) young = history.sweep() || young;
      if (young) this.#planSweep();
    });
  }
}

export class WatchHistory {
  readonly #keeper: HistoryKeeper;
  #entries: Entry[] = [];
  /** Index of the oldest entry; earlier entries are dropped in pieces. */
  #start = 0;
  /** The place of `#entries[0]`. Places only grow, and none is given twice. */
  #base = 0;
  #bytes = 0;
  #forgotten = 0;

  constructor(keeper: HistoryKeeper) {
    this.#keeper = keeper;
    keeper.enter(this);
  }

  /** The bytes that it holds, as stored. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.length - this.#start;
  }

  /** Changes up to and including this revision are gone. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** The place of the oldest change that it still has. */
  get first(): number {
    return this.#base + this.#start;
  }

  /** The place of the change that comes next. */
  get end(): number {
    return this.#base + this.#entries.length;
  }

  /** Undefined when it is gone or yet to come. */
  at(place: number): CacheEvent | undefined {
    return place < this.first ? undefined : this.#entries[place - this.#base]?.event;
  }

  /** The place of the first change after `revision`. */
  placeAfter(revision: number): number {
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.event.revision ?? Infinity) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#base + low;
  }

  push(event: CacheEvent): void {
    const entry = { event, bytes: this.#sizeOf(event), at: this.#keeper.now() };
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    while (this.size > WATCH_HISTORY_EVENTS || this.#bytes > WATCH_HISTORY_BYTES) this.dropOldest();
    this.#keeper.changed(entry.bytes);
  }

  /** Drops entries that are too old; returns whether some are left that will be. */
  sweep(): boolean {
    const youngest = this.#keeper.now() - WATCH_HISTORY_MS;
    for (;;) {
      const oldest = this.#entries[this.#start];
      if (oldest === undefined) return false;
      if (oldest.at > youngest) return true;
      if (this.size <= WATCH_HISTORY_OLD_EVENTS && this.#bytes <= WATCH_HISTORY_OLD_BYTES) {
        return (this.#entries.at(-1)?.at ?? 0) > youngest;
      }
      this.dropOldest();
    }
  }

  /** False when there is none. */
  dropOldest(): boolean {
    const entry = this.#entries[this.#start];
    if (entry === undefined) return false;
    entry.event.retire();
    this.#forgotten = entry.event.revision;
    this.#bytes -= entry.bytes;
    this.#start += 1;
    // In pieces it is cheap; half an array of dead entries is the most that is held.
    if (this.#start * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#start);
      this.#base += this.#start;
      this.#start = 0;
    }
    this.#keeper.changed(-entry.bytes);
    return true;
  }

  /** Forgets everything up to `revision`, which is all there is. */
  reset(revision: number): void {
    while (this.dropOldest());
    this.#forgotten = revision;
  }

  /** The state before counts only if no change in here made it. */
  #sizeOf({ current, previous }: CacheEvent): number {
    const before = previous !== undefined && previous.revision <= this.#forgotten ? previous.bytes : 0;
    return WATCH_EVENT_OVERHEAD_BYTES + (current?.bytes ?? 0) + before;
  }
}
