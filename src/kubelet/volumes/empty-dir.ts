/** emptyDir: a folder of the pod, on disk or in memory. */
import { type EmptyDirVolumeSource, type Pod, podLimits, quantityValue } from '../../api/index.ts';
import type { FileSystem } from '../../lib/index.ts';
import type { Mounter } from './mounter.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import { VolumeError } from './payload.ts';

const MODE = 0o777;
/** No volume name has a `~`. */
const UNFINISHED = '~new';

export interface EmptyDirOptions {
  readonly fs: FileSystem;
  readonly mounter: Mounter;
  /** The size of a memory emptyDir without any limit. */
  readonly nodeMemoryBytes: number;
}

/** Idempotent: files that a container wrote there stay. */
export async function setUpEmptyDir(
  options: EmptyDirOptions,
  dir: string,
  pod: Pod,
  source: EmptyDirVolumeSource,
): Promise<void> {
  const { fs, mounter } = options;
  const fsGroup = fsGroupOf(pod);
  const medium = source.medium ?? '';
  if (medium === 'HugePages' || medium.startsWith('HugePages-')) {
    throw new VolumeError(`storage medium "${medium}" is not supported: this node offers no huge pages`);
  }
  if (medium !== '' && medium !== 'Memory') throw new VolumeError(`unknown storage medium "${medium}"`);
  if ((await fs.stat(dir)) === undefined) await makeFolder(fs, dir, fsGroup);
  if (medium !== 'Memory') return;
  const sizeBytes = memorySize(pod, source, options.nodeMemoryBytes);
  await mounter.ensureTmpfs(dir, { sizeBytes, ownership: tmpfsOwnership(fsGroup) });
}

/** Seen only when it is whole: from then on mode and owner are the containers' affair, also for a later agent. */
async function makeFolder(fs: FileSystem, dir: string, fsGroup: number | undefined): Promise<void> {
  const unfinished = `${dir}${UNFINISHED}`;
  await fs.mkdir(unfinished);
  if (fsGroup !== undefined) await fs.chown(unfinished, 0, fsGroup);
  await fs.chmod(unfinished, folderMode(MODE, fsGroup, 'write'));
  await fs.rename(unfinished, dir);
}

/** The kernel's own default for a tmpfs is 01777. */
function tmpfsOwnership(fsGroup: number | undefined): readonly string[] {
  if (fsGroup === undefined) return [];
  return [`mode=${folderMode(0o1777, fsGroup, 'write').toString(8)}`, `gid=${fsGroup}`];
}

/**
 * The smallest of its own limit, the total memory that all containers may use, and the node's memory (upstream:
 * SizeMemoryBackedVolumes). Bytes; `undefined`: none of them is known.
 */
export function memorySize(pod: Pod, source: EmptyDirVolumeSource, nodeMemoryBytes: number): number | undefined {
  const own = source.sizeLimit === undefined ? 0 : quantityValue(source.sizeLimit);
  const limit = pod.spec === undefined ? undefined : podLimits(pod.spec)['memory'];
  const sizes = [own, limit === undefined ? 0 : quantityValue(limit), nodeMemoryBytes].filter((size) => size > 0);
  return sizes.length === 0 ? undefined : Math.min(...sizes);
}

/** Names of the pod's emptyDirs among `names`; "*": all. */
export function emptyDirsNamed(pod: Pod, names: readonly string[]): readonly string[] {
  const own = (pod.spec?.volumes ?? []).filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name);
  return names.includes('*') ? own : own.filter((name) => names.includes(name));
}
