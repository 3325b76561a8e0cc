/** The notes of volumes of drivers, one file each in `DIR/agent/csi`. A write is on the disk when it resolves. */
import { decodeText, FileError, type FileSystem } from '../../lib/index.ts';
import { MAX_NOTE_BYTES } from './limits.ts';
import { parseVolumeNote, type VolumeNote } from './volume-note.ts';

/** A note that is there and cannot be understood: its volume is left alone until somebody looks at it. */
export class DamagedNoteError extends Error {
  override readonly name = 'DamagedNoteError';
}

const NAME = /^[0-9a-f]{64}\.json$/;

export class NoteStore {
  readonly #fs: FileSystem;
  readonly #dir: string;
  readonly #hash: (text: string) => string;
  /** All notes, once they have been read; the disk is not asked again. */
  #notes: Promise<Map<string, VolumeNote | 'damaged'>> | undefined;

  /** @param hash hexadecimal SHA-256 */
  constructor(fs: FileSystem, rootDir: string, hash: (text: string) => string) {
    this.#fs = fs;
    this.#dir = `${rootDir}/csi`;
    this.#hash = hash;
  }

  key({ driver, handle }: Pick<VolumeNote, 'driver' | 'handle'>): string {
    return this.#hash(`${driver}\n${handle}`);
  }

  /** Rejects with `DamagedNoteError` for one that cannot be understood. */
  async get(volume: Pick<VolumeNote, 'driver' | 'handle'>): Promise<VolumeNote | undefined> {
    const key = this.key(volume);
    const note = (await this.#all()).get(key);
    if (note === 'damaged') throw new DamagedNoteError(`the note ${this.#path(key)} of a volume is damaged`);
    return note;
  }

  async isDamaged(volume: Pick<VolumeNote, 'driver' | 'handle'>): Promise<boolean> {
    return (await this.#all()).get(this.key(volume)) === 'damaged';
  }

  async put(note: VolumeNote): Promise<void> {
    const notes = await this.#all();
    const key = this.key(note);
    await this.#fs.mkdir(this.#dir, { mode: 0o700 });
    await this.#fs.writeFile(this.#path(key), JSON.stringify(note), { atomic: true, sync: true, mode: 0o600 });
    notes.set(key, note);
  }

  async remove(volume: Pick<VolumeNote, 'driver' | 'handle'>): Promise<void> {
    const notes = await this.#all();
    const key = this.key(volume);
    if (!notes.has(key)) return;
    await this.#fs.remove(this.#path(key), { sync: true });
    notes.delete(key);
  }

  async list(): Promise<readonly VolumeNote[]> {
    return [...(await this.#all()).values()].filter((note) => note !== 'damaged');
  }

  #all(): Promise<Map<string, VolumeNote | 'damaged'>> {
    this.#notes ??= this.#read().catch((error: unknown) => {
      this.#notes = undefined;
      throw error;
    });
    return this.#notes;
  }

  async #read(): Promise<Map<string, VolumeNote | 'damaged'>> {
    const found = new Map<string, VolumeNote | 'damaged'>();
    for (const name of (await this.#names()).filter((each) => NAME.test(each))) {
      const key = name.slice(0, 64);
      const text = decodeText(await this.#fs.readFile(this.#path(key), { maxBytes: MAX_NOTE_BYTES }));
      const note = parseVolumeNote(text);
      found.set(key, note !== undefined && this.key(note) === key ? note : 'damaged');
    }
    return found;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await this.#fs.readdir(this.#dir);
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  #path(key: string): string {
    return `${this.#dir}/${key}.json`;
  }
}
