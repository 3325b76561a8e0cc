/** The notes of volumes of drivers, one file each in `DIR/agent/csi`. A write is on the disk when it resolves. */
import { decodeText, encodeText, errorMessage, FileError, type FileSystem } from '../../lib/index.ts';
import { MAX_NOTE_BYTES, NOTE_RESERVE_BYTES, PUBLICATION_RESERVE_BYTES } from './limits.ts';
import { parseVolumeNote, type VolumeNote } from './volume-note.ts';

/** A note that is there and cannot be understood: its volume is left alone until somebody looks at it. */
export class DamagedNoteError extends Error {
  override readonly name = 'DamagedNoteError';
}

/** A note that would not be read again: the call that it is for must not be made. */
export class NoteTooLargeError extends Error {
  override readonly name = 'NoteTooLargeError';
}

/** What is known of one file: the note, or why there is none. */
type Stored = VolumeNote | DamagedNoteError;

const NAME = /^[0-9a-f]{64}\.json$/;
/** Characters of a handle in an error. */
const SHOWN = 256;

export class NoteStore {
  readonly #fs: FileSystem;
  readonly #dir: string;
  readonly #hash: (text: string) => string;
  /** All notes, once they have been read; the disk is not asked again. */
  #notes: Promise<Map<string, Stored>> | undefined;

  /** @param hash hexadecimal SHA-256 */
  constructor(fs: FileSystem, rootDir: string, hash: (text: string) => string) {
    this.#fs = fs;
    this.#dir = `${rootDir}/csi`;
    this.#hash = hash;
  }

  key({ driver, handle }: Pick<VolumeNote, 'driver' | 'handle'>): string {
    return this.#hash(`${driver}\n${handle}`);
  }

  /** Rejects with `DamagedNoteError` for one that cannot be understood; it is looked at again each time. */
  async get(volume: Pick<VolumeNote, 'driver' | 'handle'>): Promise<VolumeNote | undefined> {
    const key = this.key(volume);
    const notes = await this.#all();
    const known = notes.get(key);
    if (!(known instanceof DamagedNoteError)) return known;
    const found = await this.#readOne(key);
    if (found instanceof DamagedNoteError) throw found;
    notes.set(key, found);
    return found;
  }

  async isDamaged(volume: Pick<VolumeNote, 'driver' | 'handle'>): Promise<boolean> {
    return (await this.#all()).get(this.key(volume)) instanceof DamagedNoteError;
  }

  /** Rejects with `NoteTooLargeError`; what is stored stays then. */
  async put(note: VolumeNote): Promise<void> {
    const notes = await this.#all();
    const key = this.key(note);
    const bytes = encodeText(JSON.stringify(note));
    const room = roomFor(note, notes.get(key));
    if (bytes.length > room) throw tooLarge(note, bytes.length);
    await this.#fs.mkdir(this.#dir, { mode: 0o700 });
    await this.#fs.writeFile(this.#path(key), bytes, { atomic: true, sync: true, mode: 0o600 });
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
    return [...(await this.#all()).values()].flatMap((note) => (note instanceof DamagedNoteError ? [] : [note]));
  }

  /** The files of notes that cannot be understood: of some volume, of some pod. */
  async damaged(): Promise<readonly string[]> {
    return [...(await this.#all())].flatMap(([key, note]) =>
      note instanceof DamagedNoteError ? [this.#path(key)] : [],
    );
  }

  #all(): Promise<Map<string, Stored>> {
    this.#notes ??= this.#read().catch((error: unknown) => {
      this.#notes = undefined;
      throw error;
    });
    return this.#notes;
  }

  async #read(): Promise<Map<string, Stored>> {
    const found = new Map<string, Stored>();
    for (const name of (await this.#names()).filter((each) => NAME.test(each))) {
      const key = name.slice(0, 64);
      found.set(key, await this.#readOne(key));
    }
    return found;
  }

  /** One bad file is no reason to know of no other. */
  async #readOne(key: string): Promise<Stored> {
    const damaged = `the note ${this.#path(key)} of a volume is damaged`;
    try {
      const text = decodeText(await this.#fs.readFile(this.#path(key), { maxBytes: MAX_NOTE_BYTES }));
      const note = parseVolumeNote(text);
      return note !== undefined && this.key(note) === key ? note : new DamagedNoteError(damaged);
    } catch (error) {
      return new DamagedNoteError(`${damaged}: ${errorMessage(error)}`, { cause: error });
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

  #path(key: string): string {
    return `${this.#dir}/${key}.json`;
  }
}

/** A pod is refused early, so that the longer words of undoing always fit. */
function roomFor({ publications }: VolumeNote, before: Stored | undefined): number {
  const isMore =
    before === undefined || before instanceof DamagedNoteError || publications.length > before.publications.length;
  return isMore
    ? MAX_NOTE_BYTES - NOTE_RESERVE_BYTES - PUBLICATION_RESERVE_BYTES * publications.length
    : MAX_NOTE_BYTES;
}

function tooLarge({ driver, handle }: VolumeNote, bytes: number): NoteTooLargeError {
  const shown = handle.length > SHOWN ? `${handle.slice(0, SHOWN)}…` : handle;
  return new NoteTooLargeError(
    `the note of volume ${shown} of CSI driver ${driver} would have ${bytes} bytes; the limit is ${MAX_NOTE_BYTES}`,
  );
}
