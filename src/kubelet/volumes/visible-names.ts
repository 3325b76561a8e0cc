/** What users see of a volume that the atomic writer fills: links into its data, and folders for other volumes to be mounted at. */
import { FileError, type FileSystem } from '../../lib/index.ts';

export interface VisibleNamesOptions {
  readonly fs: FileSystem;
  /** The volume. */
  readonly dir: string;
  /** Name of the link to the data. */
  readonly data: string;
  /** Makes a folder with the volume's owner, or gives the owner to one that is there. */
  readonly makeFolder: (path: string) => Promise<void>;
}

interface Level {
  /** Path below the volume, empty or with a slash at its end. */
  readonly at: string;
  /** Files and mount points, relative to it. */
  readonly files: readonly string[];
  readonly mountPoints: readonly string[];
  /** Another volume may be mounted there, also as this machine sees it (mountPropagation): what is in it is not ours. */
  readonly isMountPoint: boolean;
}

/**
 * One link per top-level name of the payload. Where a mount point is deeper in a folder of the payload, that folder is a real one
 * whose names are links: a mount would end with the next update, which removes the data that it is mounted on. What is neither of
 * the payload nor a mount point is removed; mount points stay as they are.
 */
export function showNames(
  options: VisibleNamesOptions,
  files: readonly string[],
  mountPoints: readonly string[],
): Promise<void> {
  return showLevel(options, { at: '', files, mountPoints, isMountPoint: false });
}

async function showLevel(options: VisibleNamesOptions, level: Level): Promise<void> {
  const { fs, dir, data } = options;
  const { at, mountPoints, isMountPoint } = level;
  const files = new Set(level.files);
  const wanted = new Set([...level.files, ...mountPoints].map((path) => path.split('/')[0] as string));
  const present = new Set(await namesIn(fs, `${dir}/${at}`));
  if (!isMountPoint) {
    for (const name of present) {
      const isBookkeeping = at === '' && name.startsWith('..');
      if (!isBookkeeping && !wanted.has(name)) await fs.remove(`${dir}/${at}${name}`);
    }
  }
  const concerned = new Set(mountPoints.map((path) => path.split('/')[0] as string));
  const up = '../'.repeat(at.split('/').length - 1);
  for (const name of wanted) {
    // Over a file of the payload only a file can be mounted, and the runtime does that without us.
    if (concerned.has(name) && !files.has(name)) await showFolder(options, level, name, present.has(name));
    else if (!present.has(name)) await fs.symlink(`${up}${data}/${at}${name}`, `${dir}/${at}${name}`);
  }
}

/** A folder that is a mount point, or leads to one. */
async function showFolder(
  options: VisibleNamesOptions,
  { at, files, mountPoints }: Level,
  name: string,
  isPresent: boolean,
): Promise<void> {
  const { fs, dir, makeFolder } = options;
  const path = `${dir}/${at}${name}`;
  const isMountPoint = mountPoints.includes(name);
  const inside = { files: below(files, name), mountPoints: below(mountPoints, name) };
  const isLink = isPresent && (await fs.stat(path))?.type === 'symlink';
  // An earlier agent's containers run with a volume mounted over it.
  if (isLink && inside.files.length > 0 && inside.mountPoints.length === 0) return;
  if (isLink) await fs.remove(path);
  if (isLink || !isPresent || !isMountPoint) await makeFolder(path);
  if (inside.mountPoints.length === 0) return;
  const shown = isMountPoint ? { ...inside, files: [] } : inside;
  await showLevel(options, { at: `${at}${name}/`, ...shown, isMountPoint });
}

function below(paths: readonly string[], folder: string): readonly string[] {
  return paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
}

export async function namesIn(fs: FileSystem, dir: string): Promise<readonly string[]> {
  try {
    return await fs.readdir(dir);
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return [];
    throw error;
  }
}
