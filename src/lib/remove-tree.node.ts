/**
 * Removes a tree without ever leaving it or entering a mount, whatever it contains: names that are no valid text, any depth,
 * folders of any length. Every step works on an open folder (`/proc/self/fd/N/name` replaces openat), so a container that swaps a
 * folder for a symlink meanwhile has no effect. Mounts, including bind mounts of the same disk, are refused, because they hold
 * data of others.
 */
import { constants, type Dirent, readFileSync, readlinkSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FileError } from './file-system.ts';

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux's flag for a handle of any object, which neither reads nor waits. Node has no name for it. */
const O_PATH = 0o10000000;
/** Folders held open at once; a deeper one is moved to the top of the tree first. */
const MAX_OPEN_FOLDERS = 32;
/** Entries read from a folder before they are removed, as a folder may have millions. */
const ENTRIES_AT_ONCE = 1000;

/** Mount points in the text of /proc/self/mountinfo, which writes blanks as \040. */
export function parseMountPoints(mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4])
    .filter((point) => point !== undefined)
    .map((point) => point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
}

function refuseMounts(path: string): void {
  const mounted = parseMountPoints(readFileSync('/proc/self/mountinfo', 'utf8')).find(
    (point) => point === path || point.startsWith(`${path}/`),
  );
  if (mounted !== undefined) throw new FileError('EBUSY', mounted, `${mounted}: still mounted, not removing ${path}`);
}

/** One removal; a problem with one entry does not keep the others. */
class TreeRemoval {
  readonly #top: fs.FileHandle;
  readonly #device: number;
  readonly #shown: string;
  #moved = 0;
  #problem: unknown;

  constructor(top: fs.FileHandle, device: number, shown: string) {
    this.#top = top;
    this.#device = device;
    this.#shown = shown;
  }

  /** Removes the contents of the tree; rejects with the first problem after everything else has been removed. */
  async run(): Promise<void> {
    // Folders that were moved to the top are removed in another round.
    for (let moved = -1; moved !== this.#moved; ) {
      moved = this.#moved;
      await this.#empty(this.#top, 1);
    }
    if (this.#problem !== undefined) throw this.#problem;
  }

  /** Reads the folder again until nothing more can be removed, because a read may skip entries while others are removed. */
  async #empty(folder: fs.FileHandle, depth: number): Promise<void> {
    for (;;) {
      const entries = await someEntries(folder);
      let gone = 0;
      for (const entry of entries) if (await this.#tried(() => this.#remove(folder, entry, depth))) gone += 1;
      if (gone === 0 || entries.length < ENTRIES_AT_ONCE) return;
    }
  }

  async #tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return true;
      this.#problem ??= error;
      return false;
    }
  }

  async #remove(folder: fs.FileHandle, entry: Dirent<Buffer>, depth: number): Promise<void> {
    const path = below(folder, entry.name);
    if (!entry.isDirectory()) await this.#named(entry.name, () => fs.unlink(path));
    else if (depth < MAX_OPEN_FOLDERS) await this.#removeFolder(path, entry.name, depth + 1);
    else {
      this.#moved += 1;
      const name = `.removed-${process.pid}-${this.#moved}-${Math.trunc(performance.now() * 1000)}`;
      await this.#named(entry.name, () => fs.rename(path, below(this.#top, Buffer.from(name))));
    }
  }

  async #removeFolder(path: Buffer, name: Buffer, depth: number): Promise<void> {
    const folder = await fs.open(path, FOLDER_FLAGS);
    try {
      if ((await folder.stat()).dev !== this.#device)
        throw new FileError(
          'EBUSY',
          this.#shown,
          `${this.#shown}: "${name.toString()}" is another file system, not removed`,
        );
      await this.#empty(folder, depth);
    } finally {
      await folder.close();
    }
    await this.#named(name, () => fs.rmdir(path));
  }

  /** Replaces the path in /proc by the entry's real path in errors. */
  async #named(name: Buffer, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') return;
      const why = code === 'EPERM' ? ' (it may be immutable: see lsattr)' : '';
      const text = `${this.#shown}: "${name.toString()}" could not be removed: ${String(code)}${why}`;
      throw new FileError(String(code), this.#shown, text, { cause: error });
    }
  }
}

async function someEntries(folder: fs.FileHandle): Promise<readonly Dirent<Buffer>[]> {
  const found: Dirent<Buffer>[] = [];
  // Node's types lack entries with names as bytes.
  const options = { encoding: 'buffer', bufferSize: 256 } as unknown as { readonly bufferSize: number };
  const entries = (await fs.opendir(`/proc/self/fd/${folder.fd}`, options)) as unknown as AsyncIterable<Dirent<Buffer>>;
  for await (const entry of entries) {
    found.push(entry);
    if (found.length === ENTRIES_AT_ONCE) break;
  }
  return found;
}

function below(folder: fs.FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), name]);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function removeIn(parent: fs.FileHandle, name: string): Promise<void> {
  const at = `/proc/self/fd/${parent.fd}/${name}`;
  const shown = `${readlinkSync(`/proc/self/fd/${parent.fd}`)}/${name}`;
  const stats = await fs.lstat(at);
  if (!stats.isDirectory()) {
    await fs.rm(at, { force: true });
    return;
  }
  refuseMounts(shown);
  const top = await fs.open(at, FOLDER_FLAGS);
  try {
    await new TreeRemoval(top, stats.dev, shown).run();
  } finally {
    await top.close();
  }
  await fs.rmdir(at);
}

/**
 * Removes `path` and everything below it; a missing path is no error. Rejects with `FileError` EBUSY when something is mounted at
 * or below it, and with another `FileError` when something cannot be removed (an immutable file) after all else is gone.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    const parent = await fs.open(dirname(path), O_PATH | constants.O_DIRECTORY);
    try {
      await removeIn(parent, basename(path));
    } finally {
      await parent.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return;
    throw error;
  }
}
