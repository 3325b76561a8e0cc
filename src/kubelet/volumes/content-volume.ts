/** Volumes whose files mendlet writes: ConfigMap, Secret, downward API, projected. */
import type { Pod, Volume } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import { hasPayload, writePayload } from './atomic-writer.ts';
import { CONTENT_TMPFS_BYTES } from './limits.ts';
import { nestedMountPoints } from './nested-mount-points.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import type { Payload } from './payload.ts';
import { payloadOf } from './payload-source.ts';
import type { SetUpVolume, VolumeSetupOptions } from './volume-kind.ts';

export interface ContentWish {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly dir: string;
}

/** @param inMemory its files must not reach the disk, as upstream's */
export async function setUpContent(
  options: VolumeSetupOptions,
  { pod, volume, dir }: ContentWish,
  inMemory: boolean,
): Promise<SetUpVolume> {
  // Content first: without it there is nothing to mount, and nothing to clean up.
  let payload: Payload;
  try {
    payload = await payloadOf(options.content, pod, volume);
  } catch (error) {
    if (!(await isWritten(options, dir, inMemory))) throw error;
    // An earlier agent wrote it: the pod runs on with what it has, whether the API server answers or not.
    return { path: dir, problem: errorMessage(error) };
  }
  await options.fs.mkdir(dir);
  if (inMemory) await options.mounter.ensureTmpfs(dir, { sizeBytes: CONTENT_TMPFS_BYTES });
  const fsGroup = fsGroupOf(pod);
  if (fsGroup !== undefined) await options.fs.chown(dir, 0, fsGroup);
  await options.fs.chmod(dir, folderMode(0o777, fsGroup, 'read'));
  await writePayload({ ...options, fsGroup, mountPoints: nestedMountPoints(pod, volume.name) }, dir, payload);
  return { path: dir };
}

async function isWritten({ fs, mounter }: VolumeSetupOptions, dir: string, inMemory: boolean): Promise<boolean> {
  if (inMemory && !(await mounter.isMounted(dir))) return false;
  return hasPayload(fs, dir);
}
