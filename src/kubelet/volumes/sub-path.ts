/** What a subPath names, below its volume: it must be there before the runtime mounts it. */
import { FileError, type FileSystem } from '../../lib/index.ts';

export interface SubPathWish {
  readonly volumePath: string;
  /** Relative, without `..`. */
  readonly subPath: string;
  /** Nobody but us writes there: it is there or not, and its links (..data) are ours. */
  readonly content: boolean;
}

/** Upstream's mask: what folders that are made for a subPath take over from the volume's own. */
const TAKEN_OVER = 0o2777;

/**
 * Makes the missing folders, with the volume's own mode (upstream: SafeMakeDir). A volume's content may be hostile: a symbolic
 * link in a subPath could lead anywhere on the host, and is refused with `FileError` ELOOP.
 */
export async function ensureSubPath(fs: FileSystem, { volumePath, subPath, content }: SubPathWish): Promise<void> {
  if (content) {
    const found = await fs.stat(`${volumePath}/${subPath}`, { follow: true });
    if (found === undefined) throw new FileError('ENOENT', volumePath, `subPath "${subPath}" is not in its volume`);
    return;
  }
  let path = volumePath;
  const parts = subPath.split('/');
  for (const [index, part] of parts.entries()) {
    path = `${path}/${part}`;
    const info = await fs.stat(path);
    if (info?.type === 'symlink')
      throw new FileError('ELOOP', path, `subPath "${subPath}" leads through a symbolic link`);
    if (info === undefined) await makeFolder(fs, volumePath, path);
    else if (info.type !== 'directory' && index < parts.length - 1) {
      throw new FileError('ENOTDIR', path, `subPath "${subPath}" leads through something that is no folder`);
    }
  }
}

async function makeFolder(fs: FileSystem, volumePath: string, path: string): Promise<void> {
  const mode = (await fs.stat(volumePath, { follow: true }))?.mode ?? 0o750;
  await fs.mkdir(path, { mode: mode & 0o777 });
  // Whatever the umask of who started us.
  await fs.chmod(path, mode & TAKEN_OVER);
}
