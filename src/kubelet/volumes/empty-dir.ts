/** emptyDir: a folder of the pod, on disk or in memory. */
import { type EmptyDirVolumeSource, type Pod, quantityValue } from '../../api/index.ts';
import type { FileSystem } from '../../lib/index.ts';
import { ensureTmpfs, type MounterOptions } from './mounter.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import { VolumeError } from './payload.ts';

const MODE = 0o777;
/** No volume name has a `~`. */
const UNFINISHED = '~new';

/** Idempotent: what a container wrote there stays. */
export async function setUpEmptyDir(
  options: MounterOptions,
  dir: string,
  pod: Pod,
  source: EmptyDirVolumeSource,
): Promise<void> {
  const { fs } = options;
  const fsGroup = fsGroupOf(pod);
  const medium = source.medium ?? '';
  if (medium !== '' && medium !== 'Memory') throw new VolumeError(`unknown storage medium "${medium}"`);
  if ((await fs.stat(dir)) === undefined) await makeFolder(fs, dir, fsGroup);
  if (medium === 'Memory') await ensureTmpfs(options, dir, memorySize(pod, source), tmpfsOwnership(fsGroup));
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

/** The smaller of its own limit and what all containers together may use; `undefined`: neither is set. */
export function memorySize(pod: Pod, source: EmptyDirVolumeSource): number | undefined {
  const own = source.sizeLimit === undefined ? 0 : quantityValue(source.sizeLimit);
  const limits = (pod.spec?.containers ?? []).map(({ resources }) => resources?.limits?.['memory']);
  const bounded = limits.length > 0 && limits.every((limit) => limit !== undefined);
  const podLimit = bounded ? limits.reduce((sum, limit) => sum + quantityValue(limit ?? '0'), 0) : 0;
  const sizes = [own, podLimit].filter((size) => size > 0);
  return sizes.length === 0 ? undefined : Math.min(...sizes);
}
