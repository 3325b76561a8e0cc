/**
 * Makes sure that the runtime mounts exactly what a subPath names below its volume. A volume's content may be hostile: a
 * container that swaps a folder for a link between our check and the runtime's mount would get the host's own files
 * (CVE-2017-1002101, CVE-2021-25741). So the path is opened without following a link, and the opened file is mounted at a
 * point of ours.
 */
import { FileError, type FileSystem } from '../../lib/index.ts';
import type { SubPathWish } from '../types.ts';
import type { Mounter } from './mounter.ts';
import { subPathPoint } from './volume-paths.ts';

export interface SubPathOptions {
  readonly fs: FileSystem;
  readonly mounter: Mounter;
  /** `DIR/agent`. */
  readonly rootDir: string;
}

/** Upstream's mask: the mode bits that folders for a subPath take over from the volume's own. */
const TAKEN_OVER = 0o2777;

/**
 * The path on the host for the runtime to mount. Makes missing folders, with the volume's own mode (upstream: SafeMakeDir).
 * Rejects with `FileError`: ELOOP for a symbolic link, ENOENT where only mendlet
 * makes files and none may be absent.
 */
export async function pinSubPath(options: SubPathOptions, uid: string, wish: SubPathWish): Promise<string> {
  const { fs, mounter, rootDir } = options;
  const { volumePath, subPath } = wish;
  const plain = `${volumePath}/${subPath}`;
  if (wish.content) {
    // Only mendlet writes there, and links are ours (..data).
    const found = await fs.stat(plain, { follow: true });
    if (found !== undefined) return plain;
    if (!wish.isOptional) throw new FileError('ENOENT', volumePath, `subPath "${subPath}" is not in its volume`);
    return await emptyFolder(options, uid, wish);
  }
  const mode = (await fs.stat(volumePath, { follow: true }))?.mode ?? 0o750;
  const opened = await open(fs, wish, mode & TAKEN_OVER);
  try {
    const file = opened.type !== 'directory';
    const point = subPathPoint(rootDir, uid, wish, file);
    await mounter.unmountAll(point);
    // Nothing that may be a mount point after all is ever removed or written to.
    if (!file) await fs.mkdir(point);
    else if ((await fs.stat(point)) === undefined) {
      await fs.mkdir(point.slice(0, point.lastIndexOf('/')));
      await fs.writeFile(point, '');
    }
    await mounter.bind(opened.path, point);
    return point;
  } finally {
    await opened.close();
  }
}

/** Upstream makes it in the volume, where the file itself could not take its place later. */
async function emptyFolder({ fs, mounter, rootDir }: SubPathOptions, uid: string, wish: SubPathWish): Promise<string> {
  const point = subPathPoint(rootDir, uid, wish, false);
  await mounter.unmountAll(point);
  await fs.mkdir(point);
  return point;
}

async function open(fs: FileSystem, { volumePath, subPath }: SubPathWish, folderMode: number) {
  try {
    return await fs.openBelow(volumePath, subPath, { folderMode });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const words: Readonly<Record<string, string>> = {
      ELOOP: 'leads through a symbolic link',
      ENOTDIR: 'leads through something that is no folder',
    };
    const problem = words[error.code];
    throw problem === undefined ? error : new FileError(error.code, error.path, `subPath "${subPath}" ${problem}`);
  }
}
