/**
 * The watchers of a store. Recent events lie in one ring for all; a watcher is only a place in it, so a slow one costs
 * nothing, and one that the ring has passed is cut off ("overflow"). A watch that starts further back reads the log itself
 * until it reaches the ring.
 *
 *   replaying (log) → live (ring) → ended | compacted | overflow
 */
import { assert, type Clock, type Timer } from '../lib/index.ts';
import { PROGRESS_INTERVAL_MS, RING_MAX_BYTES, RING_MAX_EVENTS, WATCH_BATCH_EVENTS } from './limits.ts';
import { type StoreEvent, StoreError, type WatchBatch } from './store.ts';

/** The log behind the ring. */
export interface EventLog {
  /**
   * The first `limit` events after `afterRevision` under `prefix`, and the revision up to which these are all. Rejects
   * with `StoreError` "compacted".
   */
  readEvents(prefix: string, afterRevision: number, limit: number): Promise<WatchBatch>;
}

export interface WatchHubOptions {
  readonly clock: Clock;
  readonly log: EventLog;
  /** The newest revision at the start; nothing before it is in the ring. */
  readonly revision: number;
  readonly compacted: number;
  readonly maxEvents?: number;
  readonly maxBytes?: number;
}

interface Watcher {
  readonly prefix: string;
  /** All up to here was given, or is not under the prefix. */
  cursor: number;
  /** The revision of the last batch. */
  told: number;
  /** Reads the ring, no longer the log. */
  live: boolean;
  progressDue: boolean;
  /** Set while it waits. */
  wake: (() => void) | undefined;
}

function sizeOf(event: StoreEvent): number {
  return event.key.length + event.value.length;
}

export class WatchHub {
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #watchers = new Set<Watcher>();
  #events: StoreEvent[] = [];
  /** Index of the oldest event in `#events`; earlier ones are dropped in pieces. */
  #start = 0;
  #bytes = 0;
  #revision: number;
  #compacted: number;
  #closed: StoreError | undefined;
  #progressTimer: Timer | undefined;

  constructor(options: WatchHubOptions) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#revision = options.revision;
    this.#compacted = options.compacted;
    this.#maxEvents = options.maxEvents ?? RING_MAX_EVENTS;
    this.#maxBytes = options.maxBytes ?? RING_MAX_BYTES;
  }

  /** The newest revision that watchers can know. */
  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** Delivers committed events; each has the revision after the one before it. */
  publish(events: readonly StoreEvent[]): void {
    for (const event of events) {
      assert(event.revision === this.#revision + 1, `event ${event.revision} after ${this.#revision}`);
      this.#revision = event.revision;
      this.#events.push(event);
      this.#bytes += sizeOf(event);
    }
    this.#trim();
    for (const watcher of this.#watchers) {
      if (watcher.wake === undefined) continue;
      if (events.some((event) => event.key.startsWith(watcher.prefix))) watcher.wake();
      else this.#skip(watcher);
    }
  }

  /** A watch from before `revision` is no longer possible. */
  setCompacted(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** Ends every watch with `error`, those to come included. */
  close(error: StoreError): void {
    this.#closed ??= error;
    this.#progressTimer?.cancel();
    this.#events = [];
    for (const watcher of this.#watchers) watcher.wake?.();
  }

  /** See `Store.watch`. */
  async *watch(prefix: string, afterRevision: number, signal: AbortSignal): AsyncGenerator<WatchBatch, void> {
    if (afterRevision > this.#revision) {
      throw new StoreError('future', `revision ${afterRevision} is yet to come (newest: ${this.#revision})`);
    }
    this.#refuseCompacted(afterRevision);
    const watcher: Watcher = {
      prefix,
      cursor: afterRevision,
      told: afterRevision,
      live: false,
      progressDue: true,
      wake: undefined,
    };
    const onAbort = (): void => watcher.wake?.();
    signal.addEventListener('abort', onAbort);
    this.#watchers.add(watcher);
    try {
      while (!signal.aborted) {
        const events = await this.#next(watcher);
        if (signal.aborted) return;
        if (events.length > 0 || (watcher.progressDue && watcher.cursor > watcher.told)) {
          watcher.told = watcher.cursor;
          watcher.progressDue = false;
          yield { events, revision: watcher.cursor };
        } else if (watcher.cursor === this.#revision) {
          await this.#wait(watcher);
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#watchers.delete(watcher);
    }
  }

  /** The next events of a watcher, none when there are none yet. Moves its cursor past them. */
  async #next(watcher: Watcher): Promise<readonly StoreEvent[]> {
    if (this.#closed !== undefined) throw this.#closed;
    const oldest = this.#events[this.#start]?.revision ?? this.#revision + 1;
    if (watcher.cursor >= oldest - 1) {
      watcher.live = true;
      return this.#collect(watcher, oldest);
    }
    if (watcher.live) {
      throw new StoreError('overflow', `watcher is ${this.#revision - watcher.cursor} events behind`);
    }
    this.#refuseCompacted(watcher.cursor);
    const { events, revision } = await this.#log.readEvents(watcher.prefix, watcher.cursor, WATCH_BATCH_EVENTS);
    watcher.cursor = revision;
    return events;
  }

  #refuseCompacted(revision: number): void {
    if (revision >= this.#compacted) return;
    throw new StoreError('compacted', `revision ${revision} was compacted (oldest: ${this.#compacted})`);
  }

  #collect(watcher: Watcher, oldest: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    let index = this.#start + (watcher.cursor + 1 - oldest);
    for (; index < this.#events.length && found.length < WATCH_BATCH_EVENTS; index++) {
      const event = this.#events[index];
      if (event?.key.startsWith(watcher.prefix)) found.push(event);
    }
    watcher.cursor = oldest + (index - this.#start) - 1;
    return found;
  }

  #wait(watcher: Watcher): Promise<void> {
    if (watcher.cursor > watcher.told) this.#planProgress();
    return new Promise((resolve) => {
      watcher.wake = () => {
        watcher.wake = undefined;
        resolve();
      };
    });
  }

  /** A waiting watcher that none of the new events concerns moves on without waking. */
  #skip(watcher: Watcher): void {
    watcher.cursor = this.#revision;
    this.#planProgress();
  }

  #planProgress(): void {
    this.#progressTimer ??= this.#clock.setTimer(PROGRESS_INTERVAL_MS, () => {
      this.#progressTimer = undefined;
      for (const watcher of this.#watchers) {
        if (watcher.wake === undefined || watcher.cursor === watcher.told) continue;
        watcher.progressDue = true;
        watcher.wake();
      }
    });
  }

  #trim(): void {
    while (this.#events.length - this.#start > this.#maxEvents || this.#bytes > this.#maxBytes) {
      const dropped = this.#events[this.#start];
      if (dropped === undefined) break;
      this.#bytes -= sizeOf(dropped);
      this.#start += 1;
    }
    // Dropping in pieces keeps it cheap; half an array of dead events is the most that is held.
    if (this.#start * 2 > this.#events.length) {
      this.#events.splice(0, this.#start);
      this.#start = 0;
    }
  }
}
