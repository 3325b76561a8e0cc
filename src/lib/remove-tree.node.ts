/**
 * Recursive removal that can neither be led out of its tree nor into a mount. Every step works on an open folder
 * (`/proc/self/fd/N/name` is openat), so a container that swaps a folder for a symlink meanwhile gains nothing; mounts,
 * bind mounts of the same disk included, are refused, since behind one lie the data of somebody else.
 */
import { constants, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileError } from './file-system.ts';

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Mount points of this process, from /proc/self/mountinfo, where blanks are written as \040. */
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

/** Removes all that is in the open folder `fd`, whose path is `shown` in errors. */
async function removeChildren(fd: number, device: number, shown: string): Promise<void> {
  const folder = `/proc/self/fd/${fd}`;
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const child = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await removeFolder(child, device, `${shown}/${entry.name}`);
    else await fs.rm(child, { force: true });
  }
}

async function removeFolder(path: string, device: number, shown: string): Promise<void> {
  const folder = await fs.open(path, FOLDER_FLAGS);
  try {
    const { dev } = await folder.stat();
    if (dev !== device) throw new FileError('EBUSY', shown, `${shown}: another file system, not removed`);
    await removeChildren(folder.fd, device, shown);
  } finally {
    await folder.close();
  }
  await fs.rmdir(path);
}

/** Removes `path` and all below it; nothing there is no error. `FileError` EBUSY: something is mounted at or below it. */
export async function removeTree(path: string): Promise<void> {
  try {
    const real = join(await fs.realpath(dirname(path)), basename(path));
    const stats = await fs.lstat(real);
    if (!stats.isDirectory()) {
      await fs.rm(real, { force: true });
      return;
    }
    refuseMounts(real);
    await removeFolder(real, stats.dev, real);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      // Somebody else removes the same tree: what is left of it is looked at again, from its top.
      if (await exists(path)) return removeTree(path);
      return;
    }
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch {
    return false;
  }
}
