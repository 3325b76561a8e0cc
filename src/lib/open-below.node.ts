/**
 * Opens what lies below a folder without ever following a link: each part of the path is opened by itself, in the folder that
 * was opened before it, so that nobody who renames things meanwhile can lead us elsewhere. Node has no `openat`; /proc/self/fd
 * is one.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { FileError, type OpenBelowOptions, type OpenedBelow } from './file-system.ts';

/** Linux: a handle of whatever it is, which neither reads nor waits. Node does not name it. */
const O_PATH = 0o10000000;
const HANDLE = O_PATH | constants.O_NOFOLLOW;
/** A folder that somebody removes each time we have made it. */
const MAX_TRIES = 3;

export async function openBelow(
  folder: string,
  path: string,
  { folderMode }: OpenBelowOptions,
  typeOf: (stats: Stats) => OpenedBelow['type'],
): Promise<OpenedBelow> {
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
  const opened = handle;
  return { path: `/proc/${process.pid}/fd/${opened.fd}`, type: typeOf(stats), close: () => opened.close() };
}

async function openPart(folder: fs.FileHandle, part: string, folderMode: number): Promise<fs.FileHandle> {
  const at = `/proc/self/fd/${folder.fd}/${part}`;
  for (let tries = 1; ; tries += 1) {
    try {
      return await fs.open(at, HANDLE);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
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
