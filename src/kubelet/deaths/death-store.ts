/**
 * The books of deaths on disk: `ROOT/deaths/UID.json`, replaced whole, bounded, kept for a time after their pods are gone.
 * All work is done in the background, in order for each pod. A file that cannot be read is set aside, and one that cannot be
 * written is tried again. Nothing here ever delays a pod.
 */
import {
  type Clock,
  decodeText,
  encodeText,
  errorMessage,
  FileError,
  type FileSystem,
  type Logger,
  KeyedLines,
  Semaphore,
  type Timer,
} from '../../lib/index.ts';
import { isSafeName } from '../pods/pod-paths.ts';
import { isMistake } from '../mistakes.ts';
import type { PodUID } from '../types.ts';
import { type BookHead, formatBook, parseBook, parseHead } from './book-file.ts';
import { emptyBook, type PodBook, type PodNames, totalOf, trimBook, withGoneAt } from './death-book.ts';
import {
  MAX_HEAD_BYTES,
  MAX_NODE_BYTES,
  MAX_POD_BYTES,
  MAX_PODS,
  MAX_RECORDINGS_AT_ONCE,
  MAX_WAITING_EDITS,
  SET_ASIDE_RETENTION_MS,
  SWEEP_PERIOD_MS,
  WRITE_RETRY_MS,
} from './limits.ts';

export interface DeathStoreOptions {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `DIR/agent`. */
  readonly rootDir: string;
  /** How long a pod's book is kept after the pod is gone. */
  readonly retentionMs: number;
  /** `undefined`: it is not known yet which pods there are. */
  readonly isKnown: () => ((uid: PodUID) => boolean) | undefined;
  /** The number of changes that were lost because the disk did not take them. */
  readonly onLost: (changes: number) => void;
}

export type BookEdit = (book: PodBook) => PodBook;

/** A file as far as it is known. */
interface Entry extends BookHead {
  readonly bytes: number;
}

interface Waiting {
  readonly names: PodNames;
  readonly edits: BookEdit[];
  /** Its file is being worked on, and these edits are seen to. */
  begun: boolean;
  retry: Timer | undefined;
}

const SUFFIX = '.json';
const MAX_FILE_BYTES = 4 * MAX_POD_BYTES;

export class DeathStore {
  readonly #options: DeathStoreOptions;
  readonly #dir: string;
  readonly #index = new Map<PodUID, Entry>();
  readonly #waiting = new Map<PodUID, Waiting>();
  /** The work on each file; none of it rejects. */
  readonly #work = new KeyedLines();
  readonly #disk = new Semaphore(MAX_RECORDINGS_AT_ONCE);
  /** Without a pod in the last sweep: one that is just coming or going gets its time. */
  #unknown = new Set<PodUID>();
  #indexed: Promise<void> | undefined;
  #made = false;

  constructor(options: DeathStoreOptions) {
    this.#options = options;
    this.#dir = `${options.rootDir}/deaths`;
  }

  /** Changes the pod's book, some time soon. Edits must be safe to apply to what they have changed already. */
  edit(names: PodNames, edit: BookEdit): void {
    const waiting = this.#waiting.get(names.uid) ?? { names, edits: [], begun: false, retry: undefined };
    this.#waiting.set(names.uid, waiting);
    waiting.edits.push(edit);
    if (waiting.edits.length > MAX_WAITING_EDITS) {
      waiting.edits.shift();
      this.#options.onLost(1);
    }
    this.#begin(names.uid, waiting);
  }

  /** The book including all pending edits; `undefined`: none. Rejects with file errors. */
  async read(uid: PodUID): Promise<PodBook | undefined> {
    await this.#work.settled(uid);
    const waiting = this.#waiting.get(uid);
    const stored = await this.#read(uid);
    if (waiting === undefined) return stored;
    // The disk did not take them yet.
    return waiting.edits.reduce((book, edit) => edit(book), stored ?? emptyBook(waiting.names));
  }

  /** All pods that deaths are known of. */
  async list(): Promise<readonly BookHead[]> {
    await this.#known();
    await this.#work.settled();
    return [...this.#index.values()].map(({ bytes: _bytes, ...head }) => head);
  }

  /** Nothing is left of the pod on this node. */
  gone(uid: PodUID): void {
    const names = this.#waiting.get(uid)?.names ?? this.#index.get(uid);
    if (names === undefined) return;
    const goneAt = new Date(this.#options.clock.now().wall).toISOString();
    this.edit(names, (book) => withGoneAt(book, book.goneAt ?? goneAt));
  }

  /** Resolves when nothing is being read or written. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await this.#work.settled();
  }

  /** Sweeps periodically until the signal is aborted, and then finishes the work under way. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    await this.#known();
    while (!signal.aborted) {
      await clock.sleep(SWEEP_PERIOD_MS, signal).catch(() => {});
      if (signal.aborted) break;
      try {
        await this.sweep();
      } catch (error) {
        if (isMistake(error)) throw error;
        logger.warn('old records of deaths could not be removed', { error: errorMessage(error) });
      }
    }
    for (const { retry } of this.#waiting.values()) retry?.cancel();
    await this.settled();
  }

  /** One round: notices pods that are gone, books whose time is over, and excess. Rejects with file errors. */
  async sweep(): Promise<void> {
    await this.#known();
    this.#noteGone();
    await this.#work.settled();
    const { clock, retentionMs } = this.#options;
    const { wall } = clock.now();
    const over = [...this.#index.values()].filter(
      ({ goneAt }) => goneAt !== undefined && wall - Date.parse(goneAt) >= retentionMs,
    );
    for (const { uid } of over) await this.#remove(uid);
    await this.#bound();
    await this.#removeSetAside(wall);
  }

  #noteGone(): void {
    const isKnown = this.#options.isKnown();
    if (isKnown === undefined) return;
    const { wall } = this.#options.clock.now();
    const unknown = new Set<PodUID>();
    for (const entry of this.#index.values()) {
      const { uid, goneAt } = entry;
      // A static pod comes back with its UID; a time to come is of a clock that was set back.
      if (isKnown(uid)) {
        if (goneAt !== undefined) this.edit(entry, (book) => withGoneAt(book, undefined));
      } else if (goneAt === undefined) {
        if (this.#unknown.has(uid)) this.gone(uid);
        else unknown.add(uid);
      } else if (Date.parse(goneAt) > wall) {
        this.edit(entry, (book) => withGoneAt(book, new Date(wall).toISOString()));
      }
    }
    this.#unknown = unknown;
  }

  /** Pods that are gone longest are removed first. Existing pods keep their books: each has its share. */
  async #bound(): Promise<void> {
    const entries = [...this.#index.values()];
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    let count = entries.length;
    const gone = entries
      .filter((entry) => entry.goneAt !== undefined)
      .toSorted((a, b) => ((a.goneAt ?? '') < (b.goneAt ?? '') ? -1 : 1));
    for (const entry of gone) {
      if (bytes <= MAX_NODE_BYTES && count <= MAX_PODS) return;
      await this.#remove(entry.uid);
      bytes -= entry.bytes;
      count -= 1;
    }
  }

  /** A pod's share of the node's bytes: all that it may have, unless very many pods are here. */
  #share(): number {
    const here = [...this.#index.values()].filter(({ goneAt }) => goneAt === undefined).length;
    return Math.min(MAX_POD_BYTES, Math.floor(MAX_NODE_BYTES / Math.max(1, here)));
  }

  /** One piece of work at a time for each pod: all that waits is done at once. */
  #begin(uid: PodUID, waiting: Waiting): void {
    if (waiting.begun) return;
    waiting.begun = true;
    waiting.retry?.cancel();
    void this.#work.run(uid, () => this.#disk.run(() => this.#apply(uid, waiting)));
  }

  async #apply(uid: PodUID, waiting: Waiting): Promise<void> {
    try {
      while (waiting.edits.length > 0) await this.#write(uid, waiting);
      this.#waiting.delete(uid);
    } catch (error) {
      this.#failed(uid, waiting, error);
    } finally {
      waiting.begun = false;
    }
  }

  /**
   * A mistake in the code would repeat for ever: the edit that led to it is dropped, with an error in the log. All other
   * failures are the disk's.
   */
  #failed(uid: PodUID, waiting: Waiting, error: unknown): void {
    const { clock, logger, onLost } = this.#options;
    this.#made = false;
    if (isMistake(error)) {
      logger.error('the record of deaths broke; what was to be recorded is lost', { uid, error });
      onLost(waiting.edits.length);
      this.#waiting.delete(uid);
      return;
    }
    logger.error('deaths could not be recorded; they are kept and tried again', { uid, error: errorMessage(error) });
    waiting.retry = clock.setTimer(WRITE_RETRY_MS, () => this.#begin(uid, waiting));
  }

  async #write(uid: PodUID, waiting: Waiting): Promise<void> {
    const before = await this.#read(uid);
    const count = waiting.edits.length;
    const edited = waiting.edits.reduce((book, edit) => edit(book), before ?? emptyBook(waiting.names));
    if (edited !== before && totalOf(edited) > 0) {
      const book = trimBook(edited, this.#share());
      const bytes = encodeText(formatBook(book));
      const path = this.#path(uid);
      if (path !== undefined) {
        if (!this.#made) await this.#options.fs.mkdir(this.#dir, { mode: 0o700 });
        this.#made = true;
        await this.#options.fs.writeFile(path, bytes, { atomic: true, mode: 0o600 });
        this.#index.set(uid, entryOf(book, bytes.length));
      }
    }
    waiting.edits.splice(0, count);
  }

  async #read(uid: PodUID): Promise<PodBook | undefined> {
    const path = this.#path(uid);
    if (path === undefined) return undefined;
    let text: string;
    try {
      text = decodeText(await this.#options.fs.readFile(path, { maxBytes: MAX_FILE_BYTES }));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.code === 'ENOENT') return undefined;
      if (error.code !== 'EFBIG' && error.code !== 'EISDIR') throw error;
      await this.#setAside(path, error.message);
      return undefined;
    }
    const parsed = parseBook(text, uid);
    if (parsed.ok) return parsed.value;
    await this.#setAside(path, parsed.problem);
    return undefined;
  }

  async #setAside(path: string, problem: string): Promise<void> {
    const { fs, logger } = this.#options;
    logger.error('a record of deaths cannot be used; it is set aside, and another one begun', { path, problem });
    await fs.rename(path, `${path}.corrupt`);
  }

  async #remove(uid: PodUID): Promise<void> {
    const path = this.#path(uid);
    if (path === undefined || this.#waiting.has(uid)) return;
    await this.#options.fs.remove(path);
    this.#index.delete(uid);
  }

  /** The first look at what an earlier agent left; once. */
  #known(): Promise<void> {
    this.#indexed ??= this.#readIndex();
    return this.#indexed;
  }

  async #readIndex(): Promise<void> {
    const { logger } = this.#options;
    for (const name of await this.#names()) {
      const uid = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '';
      if (uid === '' || this.#index.has(uid)) continue;
      try {
        const entry = await this.#readHead(uid);
        // The file may have been rewritten meanwhile.
        if (entry !== undefined && !this.#index.has(uid)) this.#index.set(uid, entry);
      } catch (error) {
        if (isMistake(error)) throw error;
        logger.error('a record of deaths cannot be read', { uid, error: errorMessage(error) });
      }
    }
  }

  async #readHead(uid: PodUID): Promise<Entry | undefined> {
    const path = this.#path(uid);
    if (path === undefined) return undefined;
    const { fs } = this.#options;
    const info = await fs.stat(path);
    if (info === undefined) return undefined;
    const head = parseHead(decodeText(await fs.readAt(path, 0, MAX_HEAD_BYTES)), uid);
    if (head.ok) return { ...head.value, bytes: info.size };
    await this.#setAside(path, head.problem);
    return undefined;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await this.#options.fs.readdir(this.#dir);
    } catch (error) {
      if (isMistake(error)) throw error;
      if (!(error instanceof FileError && error.code === 'ENOENT')) {
        this.#options.logger.warn('records of deaths cannot be listed', { error: errorMessage(error) });
      }
      return [];
    }
  }

  async #removeSetAside(wall: number): Promise<void> {
    const { fs } = this.#options;
    for (const name of await this.#names()) {
      if (name.endsWith(SUFFIX)) continue;
      const info = await fs.stat(`${this.#dir}/${name}`);
      if (info !== undefined && wall - info.mtimeMs > SET_ASIDE_RETENTION_MS) await fs.remove(`${this.#dir}/${name}`);
    }
  }

  #path(uid: PodUID): string | undefined {
    return isSafeName(uid) ? `${this.#dir}/${uid}${SUFFIX}` : undefined;
  }
}

function entryOf(book: PodBook, bytes: number): Entry {
  const { namespace, name, uid, owner, goneAt } = book;
  const names = { namespace, name, uid, ...(owner === undefined ? {} : { owner }) };
  return { ...names, total: totalOf(book), bytes, ...(goneAt === undefined ? {} : { goneAt }) };
}
