/**
 * Gives a tree to a group without ever leaving it, whatever it contains (upstream: SetVolumeOwnership). Every step works on an
 * object that is held open (`/proc/self/fd/N`), so a container that swaps a folder for a link meanwhile has no effect. Links
 * themselves change their group alone, and mounts are not entered.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { FileError } from './file-system.ts';

/** Linux's flag for a handle of any object, which neither reads nor waits. Node has no name for it. */
const O_PATH = 0o10000000;
const HANDLE = O_PATH | constants.O_NOFOLLOW;
/** Upstream's masks: the rights that the group gets in any case. */
const GROUP_WRITE = 0o660;
const GROUP_ENTER = 0o110;
const SET_GROUP_ID = 0o2000;
/** Folders within each other, each of which is held open. */
const MAX_DEPTH = 256;

/** The mode that an object of a group's volume gets. */
export function groupMode(mode: number, isFolder: boolean): number {
  return isFolder ? mode | GROUP_WRITE | GROUP_ENTER | SET_GROUP_ID : mode | GROUP_WRITE;
}

/** See `FileSystem.giveToGroup`. */
export async function giveToGroup(path: string, gid: number): Promise<void> {
  const root = await fs.open(path, HANDLE);
  try {
    const stats = await root.stat();
    if (!stats.isDirectory()) throw new FileError('ENOTDIR', path, `${path} is no folder`);
    // The root comes last: as long as it has another group, the work is known not to be done.
    await giveContents(root, { gid, device: stats.dev, shown: path }, 1);
    await give(root, stats, gid);
  } finally {
    await root.close();
  }
}

interface Work {
  readonly gid: number;
  readonly device: number;
  readonly shown: string;
}

async function giveContents(folder: fs.FileHandle, work: Work, depth: number): Promise<void> {
  if (depth > MAX_DEPTH)
    throw new FileError('ELOOP', work.shown, `${work.shown}: has more than ${MAX_DEPTH} folders within each other`);
  const options = { encoding: 'buffer' } as unknown as { readonly bufferSize: number };
  const entries = await fs.opendir(`/proc/self/fd/${folder.fd}`, options);
  for await (const { name } of entries as unknown as AsyncIterable<{ readonly name: Buffer }>) {
    await giveEntry(Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), name]), work, depth);
  }
}

async function giveEntry(at: Buffer, work: Work, depth: number): Promise<void> {
  let entry: fs.FileHandle;
  try {
    entry = await fs.open(at, HANDLE);
  } catch (error) {
    // It went meanwhile.
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const stats = await entry.stat();
    if (stats.dev !== work.device) return;
    if (stats.isSymbolicLink()) {
      await fs.lchown(at, stats.uid, work.gid);
      return;
    }
    if (stats.isDirectory()) await giveContents(entry, work, depth + 1);
    await give(entry, stats, work.gid);
  } finally {
    await entry.close();
  }
}

/** A handle's path leads to the object itself. A change of the group may take rights away, so the mode comes after it. */
async function give(handle: fs.FileHandle, stats: Stats, gid: number): Promise<void> {
  const at = `/proc/self/fd/${handle.fd}`;
  if (stats.gid !== gid) await fs.chown(at, stats.uid, gid);
  const mode = groupMode(stats.mode & 0o7777, stats.isDirectory());
  if (stats.gid !== gid || mode !== (stats.mode & 0o7777)) await fs.chmod(at, mode);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
