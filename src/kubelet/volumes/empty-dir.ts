/** emptyDir: a folder of the pod, on disk or in memory. */
import { type EmptyDirVolumeSource, type Pod, quantityValue } from '../../api/index.ts';
import { ensureTmpfs, type MounterOptions } from './mounter.ts';
import { VolumeError } from './payload.ts';

const MODE = 0o777;

/** Idempotent: what a container wrote there stays. */
export async function setUpEmptyDir(
  options: MounterOptions,
  dir: string,
  pod: Pod,
  source: EmptyDirVolumeSource,
): Promise<void> {
  const { fs } = options;
  const medium = source.medium ?? '';
  if (medium !== '' && medium !== 'Memory') throw new VolumeError(`unknown storage medium "${medium}"`);
  await fs.mkdir(dir);
  if (medium === 'Memory') await ensureTmpfs(options, dir, memorySize(pod, source));
  const info = await fs.stat(dir);
  if (info === undefined || (info.mode & 0o777) !== MODE) await fs.chmod(dir, MODE);
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
