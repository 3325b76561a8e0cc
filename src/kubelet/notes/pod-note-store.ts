/**
 * The pod workers' notes on disk: `ROOT/pods-memory/UID.json`, replaced whole. A note that cannot be read is set aside
 * and rebuilt from the containers' annotations and the API status; one that cannot be written never stops the healing.
 */
import { errorMessage, FileError, type FileSystem, KeyedLines, type Logger } from '../../lib/index.ts';
import { isSafeName } from '../pods/pod-paths.ts';
import { isMistake } from '../mistakes.ts';
import type { PodNote } from '../plan/pod-memory.ts';
import type { PodUID } from '../types.ts';
import { MAX_NOTE_BYTES } from './limits.ts';
import { formatNote, parseNote } from './parse-note.ts';

export interface PodNoteStoreOptions {
  readonly fs: FileSystem;
  readonly logger: Logger;
  /** `DIR/agent`. */
  readonly rootDir: string;
}

const SUFFIX = '.json';

export class PodNoteStore {
  readonly #fs: FileSystem;
  readonly #logger: Logger;
  readonly #dir: string;
  /** As last written: an unchanged note costs nothing. */
  readonly #written = new Map<PodUID, string>();
  /** The last write or removal of each note that is under way, with what it is about. */
  readonly #pending = new Map<PodUID, { readonly text: string | undefined; readonly done: Promise<boolean> }>();
  /** Writes and removals of a note follow one another. */
  readonly #lines = new KeyedLines();
  #made = false;

  constructor({ fs, logger, rootDir }: PodNoteStoreOptions) {
    this.#fs = fs;
    this.#logger = logger;
    this.#dir = `${rootDir}/pods-memory`;
  }

  /** `undefined`: there is none (that can be read). */
  async load(uid: PodUID): Promise<PodNote | undefined> {
    const path = this.#path(uid);
    if (path === undefined) return undefined;
    const text = await this.#read(path);
    if (text === undefined) return undefined;
    const parsed = parseNote(text, uid);
    if (parsed.ok) {
      this.#written.set(uid, text);
      return parsed.note;
    }
    this.#logger.error('a pod note cannot be used; it is set aside and rebuilt', { path, problem: parsed.problem });
    await this.#quietly('setting a pod note aside', () => this.#fs.rename(path, `${path}.corrupt`));
    return undefined;
  }

  /**
   * Writes `note` if it changed, after what was asked before for this pod. Says whether it is on disk; a failure is logged and
   * tried again with the next change.
   */
  async save(uid: PodUID, note: PodNote): Promise<boolean> {
    const path = this.#path(uid);
    if (path === undefined) return false;
    const text = formatNote(uid, note);
    const pending = this.#pending.get(uid);
    if (pending !== undefined && pending.text === text) return await pending.done;
    if (pending === undefined && this.#written.get(uid) === text) return true;
    return await this.#inTurn(uid, text, async () => {
      const done = await this.#quietly('writing a pod note', async () => {
        if (!this.#made) await this.#fs.mkdir(this.#dir, { mode: 0o700 });
        this.#made = true;
        await this.#fs.writeFile(path, text, { atomic: true, mode: 0o600 });
      });
      if (done) this.#written.set(uid, text);
      return done;
    });
  }

  async remove(uid: PodUID): Promise<void> {
    const path = this.#path(uid);
    if (path === undefined) return;
    await this.#inTurn(uid, undefined, async () => {
      this.#written.delete(uid);
      return await this.#quietly('removing a pod note', () => this.#fs.remove(path));
    });
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.#lines.settled();
  }

  async #inTurn(uid: PodUID, text: string | undefined, run: () => Promise<boolean>): Promise<boolean> {
    const mine = { text, done: this.#lines.run(uid, run) };
    this.#pending.set(uid, mine);
    try {
      return await mine.done;
    } finally {
      if (this.#pending.get(uid) === mine) this.#pending.delete(uid);
    }
  }

  /** UIDs with a note. */
  async list(): Promise<readonly PodUID[]> {
    try {
      const names = await this.#fs.readdir(this.#dir);
      return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
    } catch (error) {
      if (isMistake(error)) throw error;
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      this.#logger.warn('the pod notes cannot be listed', { dir: this.#dir, error: errorMessage(error) });
      return [];
    }
  }

  #path(uid: PodUID): string | undefined {
    if (isSafeName(uid)) return `${this.#dir}/${uid}${SUFFIX}`;
    this.#logger.error('a pod UID cannot be a file name; its note is not kept', { uid });
    return undefined;
  }

  async #read(path: string): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await this.#fs.readFile(path, { maxBytes: MAX_NOTE_BYTES }));
    } catch (error) {
      if (isMistake(error)) throw error;
      if (!(error instanceof FileError && error.code === 'ENOENT')) {
        this.#logger.error('a pod note cannot be read', { path, error: errorMessage(error) });
      }
      return undefined;
    }
  }

  async #quietly(what: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (isMistake(error)) throw error;
      this.#made = false;
      this.#logger.error(`${what} failed`, { error: errorMessage(error) });
      return false;
    }
  }
}
