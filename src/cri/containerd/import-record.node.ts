/**
 * The record of imported archives, in a file: `mendlet up` and `mendlet image import` write it, one at a time, and each sees
 * at once what the other has imported.
 */
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { errorMessage, type Logger } from '../../lib/index.ts';

export interface Imported {
  /** The archive's size, time and place on the disk: another one is another archive. */
  readonly mark: string;
  /** Full references. */
  readonly images: readonly string[];
}

/** Takes a lock file's lock, which the kernel drops when its holder dies. Nothing: the wait was given up. */
export type FileLock = (path: string) => Promise<{ release(): void } | undefined>;

type Entries = Readonly<Record<string, Imported>>;

export class ImportRecord {
  readonly #file: string;
  readonly #takeLock: FileLock;
  readonly #logger: Logger;
  #seen: { readonly mark: string; readonly entries: Entries } | undefined;

  /** @param file e.g. `DIR/containerd/imported.json` */
  constructor(file: string, takeLock: FileLock, logger: Logger) {
    this.#file = file;
    this.#takeLock = takeLock;
    this.#logger = logger;
  }

  /** By the archive's path; empty when nothing was imported yet, or the file cannot be read (said in the log). */
  async entries(): Promise<Entries> {
    const mark = await fingerprint(this.#file).catch(() => 'none');
    if (this.#seen?.mark !== mark) this.#seen = { mark, entries: await this.#read() };
    return this.#seen.entries;
  }

  async add(archive: string, imported: Imported): Promise<void> {
    const lock = await this.#takeLock(`${this.#file}.lock`);
    try {
      const entries = { ...(await this.#read()), [archive]: imported };
      const part = `${this.#file}.new`;
      await writeFile(part, `${JSON.stringify(entries, undefined, 1)}\n`, { mode: 0o600 });
      await rename(part, this.#file);
    } finally {
      lock?.release();
    }
  }

  async #read(): Promise<Entries> {
    const text = await readFile(this.#file, 'utf8').catch(() => '{}');
    try {
      return JSON.parse(text) as Entries;
    } catch (error) {
      this.#logger.warn('the record of imported images is unreadable; importing again', {
        error: errorMessage(error),
      });
      return {};
    }
  }
}

/** Changes whenever the file does. Rejects when there is none. */
export async function fingerprint(file: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(file);
  return `${size}:${mtimeMs}:${ino}`;
}
