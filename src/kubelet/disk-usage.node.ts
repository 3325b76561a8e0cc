/**
 * Measures the disk usage of a folder. A container may have filled it to mislead the count: names that are no text and trees
 * deeper than any path count like all others, and if there are too many entries, those that were counted before count.
 */
import { constants, type Dirent, readFileSync } from 'node:fs';
import { type FileHandle, lstat, open, opendir, realpath } from 'node:fs/promises';
import type { DiskUsage } from './figures.ts';
import { mountsUnder, parseMountPoints } from './volumes/mount-table.ts';

const BYTES_PER_BLOCK = 512;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Below a folder that is open, in bytes: half of what the system takes as a path. */
const MAX_PATH_BYTES = 2000;
/** Folders that are open at once for what lies deeper: together deeper than anything that is no attack. */
const MAX_OPEN_FOLDERS = 128;

export interface WalkLimits {
  readonly maxEntries: number;
  readonly signal: AbortSignal;
}

/** See `Meter.diskUsage`. Entries are read one after another, off the main thread: a slow disk delays only the caller. */
export async function diskUsage(path: string, limits: WalkLimits): Promise<DiskUsage | undefined> {
  const real = await realpath(path).catch(() => undefined);
  const top = real === undefined ? undefined : await lstat(real).catch(() => undefined);
  if (real === undefined || top === undefined) return undefined;
  // Mounts inside are not even looked at: a file system that does not answer would hang the thread.
  const mounts = new Set(mountsUnder(parseMountPoints(readFileSync('/proc/self/mountinfo', 'utf8')), real));
  const walk = new Walk(limits, top.dev, mounts);
  walk.bytes = top.blocks * BYTES_PER_BLOCK;
  const folder = top.isDirectory() ? await open(real, FOLDER_FLAGS).catch(() => undefined) : undefined;
  if (folder !== undefined) await walk.below(folder, real, 1);
  return { bytes: walk.bytes, inodes: walk.inodes };
}

class Walk {
  bytes = 0;
  inodes = 1;
  readonly #limits: WalkLimits;
  readonly #device: number;
  readonly #mounts: ReadonlySet<string>;
  readonly #linked = new Set<number>();

  constructor(limits: WalkLimits, device: number, mounts: ReadonlySet<string>) {
    this.#limits = limits;
    this.#device = device;
    this.#mounts = mounts;
  }

  /** Closes `base`, which is called `shown`. */
  async below(base: FileHandle, shown: string, depth: number): Promise<void> {
    try {
      const folders: Buffer[] = [Buffer.alloc(0)];
      for (let folder = folders.pop(); folder !== undefined && !this.#isFull; folder = folders.pop()) {
        if (folder.length <= MAX_PATH_BYTES) await this.#folder(base, shown, folder, folders);
        else if (depth < MAX_OPEN_FOLDERS) await this.#deeper(base, shown, folder, depth);
      }
    } finally {
      await base.close();
    }
  }

  get #isFull(): boolean {
    return this.inodes >= this.#limits.maxEntries;
  }

  async #deeper(base: FileHandle, shown: string, folder: Buffer, depth: number): Promise<void> {
    const opened = await open(pathIn(base, folder), FOLDER_FLAGS).catch(() => undefined);
    if (opened !== undefined) await this.below(opened, `${shown}/${folder.toString()}`, depth + 1);
  }

  async #folder(base: FileHandle, shown: string, folder: Buffer, folders: Buffer[]): Promise<void> {
    const entries = await entriesOf(pathIn(base, folder));
    if (entries === undefined) return;
    for await (const { name } of entries) {
      this.#limits.signal.throwIfAborted();
      const path = folder.length === 0 ? name : Buffer.concat([folder, SLASH, name]);
      if (this.#mounts.size > 0 && this.#mounts.has(`${shown}/${path.toString()}`)) continue;
      const found = await lstat(pathIn(base, path)).catch(() => undefined);
      if (found === undefined || found.dev !== this.#device) continue;
      if (!found.isDirectory() && found.nlink > 1) {
        if (this.#linked.has(found.ino)) continue;
        this.#linked.add(found.ino);
      }
      this.bytes += found.blocks * BYTES_PER_BLOCK;
      this.inodes += 1;
      if (this.#isFull) return;
      if (found.isDirectory()) folders.push(path);
    }
  }
}

const SLASH = Buffer.from('/');

function pathIn(base: FileHandle, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${base.fd}/`), path]);
}

async function entriesOf(path: Buffer): Promise<AsyncIterable<Dirent<Buffer>> | undefined> {
  try {
    // The types of Node know a folder's entries by text alone.
    const options = { encoding: 'buffer', bufferSize: 256 } as unknown as { readonly bufferSize: number };
    return (await opendir(path, options)) as unknown as AsyncIterable<Dirent<Buffer>>;
  } catch {
    return undefined;
  }
}
