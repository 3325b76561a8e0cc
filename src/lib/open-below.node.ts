/**
 * Opens what lies below a folder without ever following a link: each part of the path is opened by itself, in the folder that
 * was opened before it, so that nobody who renames things meanwhile can lead us elsewhere. Node has no `openat`; /proc/self/fd
 * is one.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { FileError, type OpenBelowOptions, type OpenedBelow, type OpenFile } from './file-system.ts';

/** Linux: a handle of whatever it is, which neither reads nor waits. Node does not name it. */
const O_PATH = 0o10000000;
const HANDLE = O_PATH | constants.O_NOFOLLOW;
/** A folder that somebody removes each time we have made it. */
const MAX_TRIES = 3;

export async function openBelow(
  folder: string,
  path: string,
  options: OpenBelowOptions,
  typeOf: (stats: Stats) => OpenedBelow['type'],
): Promise<OpenedBelow> {
  const { handle, stats } = await walk(folder, path, options);
  return { path: pathOf(handle), type: typeOf(stats), close: () => handle.close() };
}

/** See `FileSystem.openFileBelow`. */
export async function openFileBelow(folder: string, path: string): Promise<OpenFile | undefined> {
  const found = await walk(folder, path, {}).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  try {
    // What a device or a pipe does when it is opened is not for us to find out.
    if (!found.stats.isFile()) throw new FileError('EINVAL', path, `"${path}" is not a regular file`);
    if (found.stats.nlink > 1) throw new FileError('EMLINK', path, `"${path}" has other names (hard links)`);
    // This very file, by no name; somebody's lease on it is not waited for.
    const file = await fs.open(pathOf(found.handle), constants.O_RDONLY | constants.O_NONBLOCK);
    return openFile(file, found.stats, `${folder}/${path}`);
  } finally {
    await found.handle.close();
  }
}

function openFile(file: fs.FileHandle, { dev, ino, mtimeMs }: Stats, name: string): OpenFile {
  return {
    path: pathOf(file),
    mtimeMs,
    size: async () => (await file.stat()).size,
    readAt: async (offset, length) => {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    isInPlace: async () => {
      const now = await fs.lstat(name).catch(() => undefined);
      return now !== undefined && now.ino === ino && now.dev === dev;
    },
    close: () => file.close(),
  };
}

function pathOf(handle: fs.FileHandle): string {
  return `/proc/${process.pid}/fd/${handle.fd}`;
}

interface Found {
  readonly handle: fs.FileHandle;
  readonly stats: Stats;
}

async function walk(folder: string, path: string, { folderMode }: OpenBelowOptions): Promise<Found> {
  let handle = await fs.open(folder, O_PATH);
  let stats = await handle.stat();
  try {
    for (const part of path.split('/')) {
      if (part === '' || part === '.' || part === '..') throw new FileError('EINVAL', path, `bad path "${path}"`);
      if (!stats.isDirectory())
        throw new FileError('ENOTDIR', path, `"${path}" leads through something that is no folder`);
      const next = await openPart(handle, part, folderMode);
      await handle.close();
      handle = next;
      stats = await handle.stat();
      if (stats.isSymbolicLink()) throw new FileError('ELOOP', path, `"${path}" leads through a symbolic link`);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { handle, stats };
}

async function openPart(folder: fs.FileHandle, part: string, folderMode: number | undefined): Promise<fs.FileHandle> {
  const at = `/proc/self/fd/${folder.fd}/${part}`;
  for (let tries = 1; ; tries += 1) {
    try {
      return await fs.open(at, HANDLE);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || tries === MAX_TRIES || folderMode === undefined) throw error;
    }
    await makeFolder(at, folderMode);
  }
}

/** With just this mode, whatever the umask of who started us. */
async function makeFolder(at: string, mode: number): Promise<void> {
  try {
    await fs.mkdir(at, { mode: mode & 0o777 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  // A folder or nothing: by now it may be somebody's link.
  const made = await fs.open(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await made.chmod(mode);
  } finally {
    await made.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
