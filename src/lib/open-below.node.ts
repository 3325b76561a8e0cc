/**
 * Opens objects below a folder without ever following a link: each part of the path is opened in the folder that was opened
 * before it, so that renames meanwhile cannot lead elsewhere. Node has no `openat`; paths in /proc/self/fd replace it.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { FileError, type OpenBelowOptions, type OpenedBelow, type OpenFile } from './file-system.ts';

/** Linux's flag for a handle of any object, which neither reads nor waits. Node has no name for it. */
const O_PATH = 0o10000000;
const HANDLE = O_PATH | constants.O_NOFOLLOW;
/** Tries with a folder that another program removes, or a file that it replaces, each time. */
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
  for (let tries = 1; ; tries += 1) {
    const parent = await openParent(folder, path);
    if (parent === undefined) return undefined;
    try {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const file = await openNamed(`/proc/self/fd/${parent.fd}/${name}`, path);
      if (file === undefined) return undefined;
      if (file !== 'exchanged') return openFile(file.handle, file.stats, `${folder}/${path}`);
    } finally {
      await parent.close();
    }
    // A log in rotation has just been replaced; a file that is replaced again and again is refused.
    if (tries === MAX_TRIES) throw new FileError('ESTALE', path, `"${path}" is exchanged again and again`);
  }
}

/** The folder that `path` lies in. */
async function openParent(folder: string, path: string): Promise<fs.FileHandle | undefined> {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (!isPlain(name)) throw new FileError('EINVAL', path, `bad path "${path}"`);
  try {
    if (slash === -1) return await fs.open(folder, O_PATH | constants.O_DIRECTORY);
    const { handle, stats } = await walk(folder, path.slice(0, slash), {});
    if (stats.isDirectory()) return handle;
    await handle.close();
    throw new FileError('ENOTDIR', path, `"${path}" leads through something that is no folder`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Opens `at` for reading. The number of links shows no second name that was just removed, so name and number are checked again
 * after the file is open.
 */
async function openNamed(at: string, path: string): Promise<Found | 'exchanged' | undefined> {
  try {
    const looked = await fs.open(at, HANDLE);
    try {
      const stats = await looked.stat();
      refuseOther(stats, path);
      const isSame = async (): Promise<boolean> => {
        const named = await fs.lstat(at);
        if (named.ino !== stats.ino || named.dev !== stats.dev) return false;
        refuseOther(named, path);
        return true;
      };
      if (!(await isSame())) return 'exchanged';
      // The handle's path opens this very file, whatever its name; O_NONBLOCK avoids a wait for another program's lease.
      const handle = await fs.open(pathOf(looked), constants.O_RDONLY | constants.O_NONBLOCK);
      if (await isSame().catch((error: unknown) => closing(handle, error))) return { handle, stats };
      await handle.close();
      return 'exchanged';
    } finally {
      await looked.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function closing(handle: fs.FileHandle, error: unknown): Promise<never> {
  await handle.close();
  throw error;
}

/** Refuses all but regular files before they are opened, as opening a device or a pipe may have effects. */
function refuseOther(stats: Stats, path: string): void {
  if (stats.isSymbolicLink()) throw new FileError('ELOOP', path, `"${path}" leads through a symbolic link`);
  if (!stats.isFile()) throw new FileError('EINVAL', path, `"${path}" is not a regular file`);
  if (stats.nlink > 1) throw new FileError('EMLINK', path, `"${path}" has other names (hard links)`);
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

function isPlain(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !part.includes('\0');
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
      if (!isPlain(part)) throw new FileError('EINVAL', path, `bad path "${path}"`);
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

/** Makes a folder with exactly this mode, independent of the umask. */
async function makeFolder(at: string, mode: number): Promise<void> {
  try {
    await fs.mkdir(at, { mode: mode & 0o777 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  // O_NOFOLLOW refuses a link that another program may have put in its place.
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
