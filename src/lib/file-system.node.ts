/**
 * The machine's files. Pseudo-files (/proc, /sys) are read synchronously; other calls use the thread pool, as a disk may
 * hang.
 */
import { watch as watchPath, readFileSync, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { giveToGroup } from './give-to-group.node.ts';
import { isolatedStat } from './isolated-stat.node.ts';
import { openBelow, openFileBelow } from './open-below.node.ts';
import { removeTree } from './remove-tree.node.ts';
import { FileError, type FileInfo, type FileSystem, type WriteOptions } from './file-system.ts';

/** Changes within this time are reported once, ms. */
const WATCH_COALESCE_MS = 10;
const READ_PIECE_BYTES = 64 * 1024;

function toFileError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
  const message = error instanceof Error ? error.message : String(error);
  return new FileError(code, path, message.includes(path) ? message : `${path}: ${message}`, { cause: error });
}

/** Runs one file call and turns its error into a `FileError` of `path`. */
async function call<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, path);
  }
}

function fileType(stats: Stats): FileInfo['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isSocket()) return 'socket';
  if (stats.isBlockDevice()) return 'block';
  return stats.isCharacterDevice() ? 'char' : 'fifo';
}

function isPseudoFile(path: string): boolean {
  return path.startsWith('/proc/') || path.startsWith('/sys/');
}

async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await fs.open(path, 'r');
  try {
    const pieces: Uint8Array[] = [];
    let total = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_PIECE_BYTES), 0, READ_PIECE_BYTES, null);
      if (bytesRead === 0) return Buffer.concat(pieces);
      total += bytesRead;
      if (total > maxBytes) throw new FileError('EFBIG', path, `${path}: larger than ${maxBytes} bytes`);
      pieces.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

async function readPiece(path: string, offset: number, length: number): Promise<Uint8Array> {
  const file = await fs.open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await fs.open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** What is not there needs no sync. */
function unlessAbsent(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

async function writeWhole(path: string, data: Uint8Array | string, options: WriteOptions, flag: string): Promise<void> {
  const file = await fs.open(path, flag, options.mode ?? 0o644);
  try {
    await file.writeFile(data);
    // The mode of `open` is reduced by the umask and ignored for an existing file.
    if (options.mode !== undefined) await file.chmod(options.mode);
    if (options.sync === true) await file.sync();
  } finally {
    await file.close();
  }
}

let temporaryFiles = 0;

async function writeFile(path: string, data: Uint8Array | string, options: WriteOptions = {}): Promise<void> {
  if (options.atomic === true) {
    const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${temporaryFiles++}.tmp`);
    try {
      await writeWhole(temporary, data, options, 'wx');
      await fs.rename(temporary, path);
    } catch (error) {
      await fs.rm(temporary, { force: true });
      throw error;
    }
  } else {
    await writeWhole(path, data, options, 'w');
  }
  if (options.sync === true) await syncFolder(dirname(path));
}

async function rename(from: string, to: string, sync: boolean): Promise<void> {
  await fs.rename(from, to);
  if (!sync) return;
  const [source, target] = [dirname(from), dirname(to)];
  await syncFolder(target);
  if (source !== target) await syncFolder(source);
}

async function stat(path: string, follow: boolean): Promise<FileInfo | undefined> {
  try {
    const stats = follow ? await fs.stat(path) : await fs.lstat(path);
    const { size, mode, uid, gid, mtimeMs } = stats;
    return { type: fileType(stats), size, mode: mode & 0o7777, uid, gid, mtimeMs };
  } catch (error) {
    const fileError = toFileError(error, path);
    if (fileError.code === 'ENOENT' || fileError.code === 'ENOTDIR') return undefined;
    throw fileError;
  }
}

/** Throws `FileError` when `path` cannot be watched (ENOENT, or ENOSPC: no inotify watches left). */
function watch(path: string, onChange: () => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const told = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onChange();
    }, WATCH_COALESCE_MS);
  };
  try {
    const watcher = watchPath(path, { persistent: false }, told);
    // An error means that the watched path itself is gone, which is a change, too.
    watcher.on('error', told);
    return {
      close: () => {
        clearTimeout(timer);
        watcher.close();
      },
    };
  } catch (error) {
    throw toFileError(error, path);
  }
}

async function statfs(path: string): ReturnType<FileSystem['statfs']> {
  const { bsize, blocks, bavail, bfree, files, ffree } = await fs.statfs(path);
  const usedBytes = bsize * (blocks - bfree);
  return { bytes: bsize * blocks, freeBytes: bsize * bavail, usedBytes, inodes: files, freeInodes: ffree };
}

/** The machine's file system. `readFile` past `maxBytes` rejects with code EFBIG; pseudo-files are read whole. */
export const systemFileSystem: FileSystem = {
  readFile: (path, options) =>
    call(path, async () => {
      if (isPseudoFile(path)) return readFileSync(path);
      return options?.maxBytes === undefined ? fs.readFile(path) : readBounded(path, options.maxBytes);
    }),
  readAt: (path, offset, length) => call(path, () => readPiece(path, offset, length)),
  writeFile: (path, data, options) => call(path, () => writeFile(path, data, options)),
  mkdir: (path, options) =>
    call(path, async () => {
      await fs.mkdir(path, { recursive: true, ...(options?.mode === undefined ? {} : { mode: options.mode }) });
    }),
  readdir: (path) => call(path, () => fs.readdir(path)),
  stat: (path, options) =>
    call(path, () => (options?.isolated === true ? isolatedStat : stat)(path, options?.follow ?? false)),
  remove: (path, options) =>
    call(path, async () => {
      await removeTree(path);
      if (options?.sync === true) await syncFolder(dirname(path)).catch(unlessAbsent);
    }),
  rename: (from, to, options) => call(from, () => rename(from, to, options?.sync ?? false)),
  symlink: (target, path) => call(path, () => fs.symlink(target, path)),
  readlink: (path) => call(path, () => fs.readlink(path)),
  openBelow: (folder, path, options) => call(`${folder}/${path}`, () => openBelow(folder, path, options, fileType)),
  openFileBelow: (folder, path) =>
    call(`${folder}/${path}`, async () => {
      const file = await openFileBelow(folder, path);
      if (file === undefined) return undefined;
      return {
        ...file,
        size: () => call(path, () => file.size()),
        readAt: (offset, length) => call(path, () => file.readAt(offset, length)),
      };
    }),
  chmod: (path, mode) => call(path, () => fs.chmod(path, mode)),
  chown: (path, uid, gid) => call(path, () => fs.lchown(path, uid, gid)),
  giveToGroup: (path, gid) => call(path, () => giveToGroup(path, gid)),
  statfs: (path) => call(path, () => statfs(path)),
  watch,
};
