/** Rows that can go once history is forgotten up to the write that replaced them, oldest first. */
import { type Head, RowState } from './directory.ts';

export interface GarbageRow {
  readonly key: string;
  readonly revision: number;
  /** `undefined`: the row is damaged, and is in no tally. */
  readonly checksum: number | undefined;
}

interface Entry extends GarbageRow {
  /** The write that made it garbage. */
  readonly at: number;
}

export class Garbage {
  #entries: Entry[] = [];
  #start = 0;
  #before: { readonly length: number; readonly start: number } | undefined;

  /** `now` was written after `before`, each the newest row of `key` in its time. */
  replaced(key: string, before: Head | undefined, now: Pick<Head, 'revision' | 'state' | 'checksum'>): void {
    const at = now.revision;
    if (before !== undefined && before.state !== RowState.deleted) {
      this.#entries.push({ at, key, revision: before.revision, checksum: before.checksum });
    }
    if (now.state === RowState.deleted) this.#entries.push({ at, key, revision: at, checksum: now.checksum });
  }

  /** The garbage of writes up to `revision`. */
  takeUpTo(revision: number): readonly GarbageRow[] {
    let end = this.#start;
    while ((this.#entries[end]?.at ?? Number.POSITIVE_INFINITY) <= revision) end += 1;
    const taken = this.#entries.slice(this.#start, end);
    this.#start = end;
    if (this.#before === undefined) this.#trim();
    return taken;
  }

  /** Changes from here on can be taken back. */
  begin(): void {
    this.#before = { length: this.#entries.length, start: this.#start };
  }

  commit(): void {
    this.#before = undefined;
    this.#trim();
  }

  rollback(): void {
    if (this.#before === undefined) return;
    this.#entries.length = this.#before.length;
    this.#start = this.#before.start;
    this.#before = undefined;
  }

  #trim(): void {
    if (this.#start * 2 <= this.#entries.length) return;
    this.#entries.splice(0, this.#start);
    this.#start = 0;
  }
}
