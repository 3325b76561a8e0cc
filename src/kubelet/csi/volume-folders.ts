/**
 * The folders in which drivers mount: made before a call, removed after it. No link is followed, nothing that is mounted is
 * gone into, and no file of a volume is ever removed.
 */
import { FileError, type FileSystem, type Logger } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { parentOf } from './paths.ts';
import type { Publication, VolumeNote } from './volume-note.ts';

/** What is mounted on this machine. */
export interface MountTable {
  isMounted(path: string): Promise<boolean>;
  /** What is mounted at the path cannot be written to. Absent: it is not known. */
  isReadOnly?(path: string): Promise<boolean>;
  /** Mount points at or below the path, in the order to unmount them. */
  mountedUnder(path: string): Promise<readonly string[]>;
  /** Unmounts everything at or below the path. Rejects when something stays. */
  unmountAll(path: string): Promise<void>;
}

export interface FoldersPorts {
  readonly fs: FileSystem;
  readonly logger: Logger;
  readonly mounts: MountTable;
}

/** What the folder of a staging or of a target is for. */
export interface FolderOf extends Pick<VolumeNote, 'driver' | 'handle'> {
  readonly isBlock: boolean;
  readonly publication: Omit<Publication, 'step'>;
}

const VOL_DATA = 'vol_data.json';

/** The folder of the driver's path, with upstream's file for the tools and people that look for it there. */
export async function makeFolder(fs: FileSystem, path: string, made: string, of: FolderOf): Promise<void> {
  // A driver that put a link there would have us write elsewhere.
  for (const folder of new Set([parentOf(path), made])) {
    if ((await fs.stat(folder))?.type !== 'symlink') continue;
    throw new Error(`${folder} is a link: CSI driver ${of.driver} must not put one in the place of a folder`);
  }
  await fs.mkdir(made, { mode: 0o750 });
  if (of.isBlock) return;
  const data = {
    driverName: of.driver,
    volumeHandle: of.handle,
    ...(path === of.publication.target && { specVolID: of.publication.volume }),
  };
  // The node itself goes by its notes.
  await fs.writeFile(`${parentOf(path)}/${VOL_DATA}`, JSON.stringify(data), { atomic: true });
}

/** After a driver has undone its call at the path: what it left is unmounted, and empty folders are removed. */
export async function removeFolder(
  ports: FoldersPorts,
  path: string,
  { driver, handle }: Pick<VolumeNote, 'driver' | 'handle'>,
): Promise<void> {
  const { fs, logger, mounts } = ports;
  const folder = parentOf(path);
  // Folders of block devices are shared by pods.
  const isShared = folder.includes('/volumeDevices/');
  if (!isShared && (await fs.stat(folder))?.type === 'symlink') {
    logger.warn('a CSI driver put a link in the place of a folder: it is removed', { driver, handle, folder });
    await fs.remove(folder, { sync: true });
    return;
  }
  const left = await mounts.mountedUnder(isShared ? path : folder);
  if (left.length > 0) {
    logger.warn('a CSI driver left mounts, which are unmounted now', { driver, handle, path, mounts: left.join() });
    for (const point of left) await mounts.unmountAll(point);
  }
  for (const point of left) if (point !== folder) await removeEmpty(fs, point, false);
  await removeEmpty(fs, path, isShared);
  if (isShared) return;
  await fs.remove(`${folder}/${VOL_DATA}`);
  await removeEmpty(fs, folder, true);
}

/** Removes the folders of a pod whose volumes are gone, as far as nothing is in them. @returns whether all are gone */
export async function removePodFolders(fs: FileSystem, podFolder: string): Promise<boolean> {
  for (const folder of [`${podFolder}/volumes/kubernetes.io~csi`, `${podFolder}/volumes`, podFolder]) {
    const info = await fs.stat(folder);
    if (info === undefined) continue;
    if (info.type !== 'directory' || (await fs.readdir(folder)).length > 0) return false;
    // Nobody looks for the folders of a pod whose own is gone: a power failure must not bring them back.
    await fs.remove(folder, { sync: folder === podFolder });
  }
  return true;
}

/**
 * Data may be in a folder that no mount covers: nothing but an empty one is removed. A link goes, and not what it names.
 * @param sync it stays removed over a power failure: the note that knows of it may go
 */
async function removeEmpty(fs: FileSystem, path: string, sync: boolean): Promise<void> {
  const info = await fs.stat(path);
  if (info === undefined) {
    // The driver has removed it, which a power failure may undo as well.
    if (sync) await fs.remove(path, { sync });
    return;
  }
  const content = info.type === 'directory' ? (await fs.readdir(path)).length : info.type === 'file' ? info.size : 0;
  if (content > 0) throw new FileError('ENOTEMPTY', path, `${path} is not mounted any more, but is not empty`);
  await fs.remove(path, { sync });
}

/** The pods that have, or may have, one of the volumes. */
export function podsOf(notes: readonly VolumeNote[]): readonly PodUID[] {
  return [...new Set(notes.flatMap(({ publications }) => publications.map(({ pod }) => pod)))];
}
