/**
 * What this node made: one small file for each volume, in the agent's own folder. It does not lie on the disk of the volumes, so
 * a disk that is not mounted, or that was emptied, is noticed. Each entry is on the disk before what it says is done.
 */
import { decodeText, errorMessage, FileError, type FileSystem, type Logger } from '../../lib/index.ts';
import { MAX_NOTE_BYTES, MAX_VOLUMES } from './limits.ts';
import { isCapacity, isHandle, isVolumeName } from './volume-request.ts';

export interface LedgerEntry {
  readonly handle: string;
  readonly capacityBytes: number;
  /** `making`: it may not be there yet, and nobody was told that it is. */
  readonly state: 'making' | 'ready';
  /** A pod had it, or may have had it. */
  readonly used: boolean;
}

const ENDING = '.json';

export class Ledger {
  readonly #fs: FileSystem;
  readonly #logger: Logger;
  readonly #dir: string;
  readonly #entries = new Map<string, LedgerEntry>();

  /** @param dir of its own, made when it is first needed */
  constructor(fs: FileSystem, logger: Logger, dir: string) {
    this.#fs = fs;
    this.#logger = logger;
    this.#dir = dir;
  }

  /** Reads it. An entry that cannot be understood is left alone and said: its folder, if there is one, tells the same. */
  async load(): Promise<void> {
    const names = await this.#names();
    for (const file of names) {
      const name = file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : '';
      if (!isVolumeName(name)) continue;
      const bytes = await this.#fs.readFile(`${this.#dir}/${file}`, { maxBytes: MAX_NOTE_BYTES });
      const entry = parseEntry(decodeText(bytes));
      if (entry !== undefined) this.#entries.set(name, entry);
      else this.#logger.error('the record of a volume cannot be read', { file: `${this.#dir}/${file}` });
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await this.#fs.readdir(this.#dir);
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  get(name: string): LedgerEntry | undefined {
    return this.#entries.get(name);
  }

  all(): ReadonlyMap<string, LedgerEntry> {
    return this.#entries;
  }

  get isFull(): boolean {
    return this.#entries.size >= MAX_VOLUMES;
  }

  /** Durable once it resolves. */
  async set(name: string, entry: LedgerEntry): Promise<void> {
    await this.#fs.mkdir(this.#dir, { mode: 0o700 });
    await this.#fs.writeFile(this.#file(name), JSON.stringify(entry), { mode: 0o600, atomic: true, sync: true });
    this.#entries.set(name, entry);
  }

  /** Durable once it resolves: a record that came back, when the folder on another disk does not, would say that it was lost. */
  async delete(name: string): Promise<void> {
    await this.#fs.remove(this.#file(name), { sync: true });
    this.#entries.delete(name);
  }

  #file(name: string): string {
    return `${this.#dir}/${name}${ENDING}`;
  }
}

/** `undefined`: it is no entry. */
export function parseEntry(text: string): LedgerEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw new Error(errorMessage(error), { cause: error });
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { handle, capacityBytes, state, used } = value as Partial<Record<keyof LedgerEntry, unknown>>;
  if (!isHandle(handle) || !isCapacity(capacityBytes)) return undefined;
  // Whatever is not known to be unused counts as used: nobody removes that on his own.
  return { handle, capacityBytes, state: state === 'making' ? 'making' : 'ready', used: used !== false };
}
