/** Decides when history is compacted: after an interval, or when there is too much of it. Rests while there are no writes. */
import type { Clock, Timer } from '../lib/index.ts';
import { COMPACTION_INTERVAL_MS, HISTORY_MAX_REVISIONS } from './limits.ts';

export interface CompactorOptions {
  readonly clock: Clock;
  readonly revision: number;
  readonly compacted: number;
  readonly compact: (revision: number) => Promise<void>;
  readonly intervalMs?: number;
  readonly maxRevisions?: number;
}

export class Compactor {
  readonly #options: CompactorOptions;
  readonly #intervalMs: number;
  readonly #maxRevisions: number;
  #revision: number;
  #compacted: number;
  /** The newest revision when the running interval began: older revisions are an interval old at its end. */
  #mark: number;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? COMPACTION_INTERVAL_MS;
    this.#maxRevisions = options.maxRevisions ?? HISTORY_MAX_REVISIONS;
    this.#revision = options.revision;
    this.#compacted = options.compacted;
    this.#mark = options.revision;
    this.#plan();
  }

  /** The store's newest revision is now `revision`. */
  advanced(revision: number): void {
    this.#revision = revision;
    // In steps of a tenth: not one compaction for each write once the bound is reached.
    if (revision - this.#compacted > this.#maxRevisions * 1.1) this.#compact(revision - this.#maxRevisions);
    this.#plan();
  }

  /** Another caller compacted. */
  compacted(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #plan(): void {
    if (this.#closed || this.#timer !== undefined || this.#revision === this.#compacted) return;
    this.#timer = this.#options.clock.setTimer(this.#intervalMs, () => {
      this.#timer = undefined;
      const old = this.#mark;
      this.#mark = this.#revision;
      this.#compact(old);
      this.#plan();
    });
  }

  #compact(revision: number): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    // A failure (disk full) costs only space; the next round compacts further.
    this.#options.compact(revision).catch(() => {});
  }
}
