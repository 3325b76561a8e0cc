/**
 * Writes a volume's files so that a container sees all of the old ones or all of the new ones (upstream: AtomicWriter):
 *
 *   VOLUME/config.yaml -> ..data/config.yaml      what users see
 *   VOLUME/cache                                  a folder where another volume is mounted
 *   VOLUME/..data      -> ..2026_11_20_23_53_12.x7k2q    swapped by one rename
 *   VOLUME/..2026_11_20_23_53_12.x7k2q/config.yaml       the files
 */
import { type Clock, FileError, type FileSystem, type Random } from '../../lib/index.ts';
import { contentFileMode, folderMode } from './ownership.ts';
import { cleanPayloadPath, type Payload, type PayloadFile, samePayload } from './payload.ts';
import { namesIn, showNames } from './visible-names.ts';

export interface AtomicWriterOptions {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  /** The owner of files and folders beside root. */
  readonly fsGroup?: number | undefined;
  /** Paths below the volume where other volumes are mounted: each is a folder unless the payload has a file there. Absent: none. */
  readonly mountPoints?: readonly string[];
}

const DATA = '..data';
const NEW_DATA = '..data_tmp';
const STAMP_SUFFIX_LENGTH = 10;

/** Returns whether anything changed. Throws `VolumeError` for an invalid path before anything is written. */
export async function writePayload(options: AtomicWriterOptions, dir: string, wanted: Payload): Promise<boolean> {
  const { fs } = options;
  const payload = new Map(
    [...wanted].map(([path, file]) => [
      cleanPayloadPath(path),
      { ...file, mode: contentFileMode(file.mode, options.fsGroup) },
    ]),
  );
  const old = await currentTarget(fs, dir);
  if (old !== undefined && samePayload(await readTree(fs, `${dir}/${old}`), payload)) {
    // A write that was cut off after its rename left the rest to us.
    await show(options, dir, payload);
    await removeLeftovers(fs, dir, old);
    return false;
  }
  const stamp = stampName(options);
  try {
    await writeTree(options, `${dir}/${stamp}`, payload);
  } catch (error) {
    // A full disk is tried again and again: each time with a folder less.
    await fs.remove(`${dir}/${stamp}`).catch(() => {});
    throw error;
  }
  await fs.remove(`${dir}/${NEW_DATA}`);
  await fs.symlink(stamp, `${dir}/${NEW_DATA}`);
  await fs.rename(`${dir}/${NEW_DATA}`, `${dir}/${DATA}`);
  await show(options, dir, payload);
  await removeLeftovers(fs, dir, stamp);
  return true;
}

/** Whether a whole content was written there once. */
export async function hasPayload(fs: FileSystem, dir: string): Promise<boolean> {
  const target = await currentTarget(fs, dir);
  return target !== undefined && (await fs.stat(`${dir}/${target}`))?.type === 'directory';
}

/** Name of the folder that ..data points to; `undefined`: nothing was written yet. */
async function currentTarget(fs: FileSystem, dir: string): Promise<string | undefined> {
  try {
    const target = await fs.readlink(`${dir}/${DATA}`);
    return target.startsWith('..') && !target.includes('/') ? target : undefined;
  } catch (error) {
    if (error instanceof FileError && (error.code === 'ENOENT' || error.code === 'EINVAL')) return undefined;
    throw error;
  }
}

function stampName({ clock, random }: AtomicWriterOptions): string {
  const time = new Date(clock.now().wall).toISOString().slice(0, 19).replace(/[-T:]/g, '_');
  return `..${time}.${random.suffix(STAMP_SUFFIX_LENGTH)}`;
}

async function writeTree(options: AtomicWriterOptions, dir: string, payload: Payload): Promise<void> {
  const { fs } = options;
  await makeFolder(options, dir);
  for (const [path, file] of payload) {
    const parts = path.split('/').slice(0, -1);
    for (const depth of parts.keys()) await makeFolder(options, `${dir}/${parts.slice(0, depth + 1).join('/')}`);
    await fs.writeFile(`${dir}/${path}`, file.data, { mode: file.mode });
    await give(options, `${dir}/${path}`, file);
  }
}

async function makeFolder(options: AtomicWriterOptions, dir: string): Promise<void> {
  await options.fs.mkdir(dir, { mode: 0o755 });
  await give(options, dir, { mode: folderMode(0o755, options.fsGroup, 'read') });
}

/** Owner first: a change of owner removes special bits. Our own umask does not concern the container. */
async function give(
  { fs, fsGroup }: AtomicWriterOptions,
  path: string,
  { mode, uid }: { readonly mode: number; readonly uid?: number },
): Promise<void> {
  if (fsGroup !== undefined || uid !== undefined) await fs.chown(path, uid ?? 0, fsGroup ?? 0);
  await fs.chmod(path, mode);
}

async function readTree(fs: FileSystem, dir: string, prefix = ''): Promise<Map<string, PayloadFile>> {
  const files = new Map<string, PayloadFile>();
  for (const name of await namesIn(fs, dir)) {
    const path = `${dir}/${name}`;
    const info = await fs.stat(path);
    if (info?.type === 'directory') {
      for (const [below, file] of await readTree(fs, path, `${prefix}${name}/`)) files.set(below, file);
    } else if (info?.type === 'file') {
      files.set(`${prefix}${name}`, { data: await fs.readFile(path), mode: info.mode & 0o777, uid: info.uid });
    }
  }
  return files;
}

function show(options: AtomicWriterOptions, dir: string, payload: Payload): Promise<void> {
  const { fs, mountPoints = [] } = options;
  const makeOurs = (path: string): Promise<void> => makeFolder(options, path);
  return showNames({ fs, dir, data: DATA, makeFolder: makeOurs }, [...payload.keys()], mountPoints);
}

/** Folders of earlier writes, and of one that was interrupted. */
async function removeLeftovers(fs: FileSystem, dir: string, keep: string): Promise<void> {
  for (const name of await namesIn(fs, dir)) {
    if (name.startsWith('..') && name !== keep && name !== DATA) await fs.remove(`${dir}/${name}`);
  }
}
