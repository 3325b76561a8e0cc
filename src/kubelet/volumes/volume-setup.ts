/** Sets one volume up, whatever its kind. */
import type { Pod, Volume } from '../../api/index.ts';
import type { Clock, FileSystem, Process, Random } from '../../lib/index.ts';
import { writePayload } from './atomic-writer.ts';
import { setUpEmptyDir } from './empty-dir.ts';
import { setUpHostPath } from './host-path.ts';
import { ensureTmpfs } from './mounter.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import { VolumeError } from './payload.ts';
import { payloadOf, type PayloadOptions } from './payload-source.ts';
import { volumeDir, type VolumePlugin } from './volume-paths.ts';

export interface VolumeSetupOptions extends PayloadOptions {
  readonly fs: FileSystem;
  readonly process: Process;
  readonly clock: Clock;
  readonly random: Random;
  /** `DIR/agent`. */
  readonly rootDir: string;
}

/** Idempotent. Returns the host path; rejects with what upstream's FailedMount event quotes. */
export async function setUpVolume(options: VolumeSetupOptions, pod: Pod, volume: Volume): Promise<string> {
  if (volume.hostPath !== undefined) return setUpHostPath(options.fs, volume.hostPath);
  const plugin = pluginOf(volume);
  const dir = volumeDir(options.rootDir, pod.metadata?.uid ?? '', plugin, volume.name);
  if (volume.emptyDir !== undefined) {
    await setUpEmptyDir(options, dir, pod, volume.emptyDir);
    return dir;
  }
  // Content first: without it there is nothing to mount, and nothing to clean up.
  const payload = await payloadOf(options, pod, volume);
  if (payload === undefined) throw new VolumeError('no volume plugin matched');
  await options.fs.mkdir(dir);
  // What must not reach the disk lives in memory, as upstream's secret and projected volumes.
  if (plugin === 'secret' || plugin === 'projected') await ensureTmpfs(options, dir, undefined);
  const fsGroup = fsGroupOf(pod);
  if (fsGroup !== undefined) await options.fs.chown(dir, 0, fsGroup);
  await options.fs.chmod(dir, folderMode(0o777, fsGroup, 'read'));
  await writePayload({ ...options, fsGroup }, dir, payload);
  return dir;
}

/** Whether the volume's files are ours to write, also while the pod runs; containers only read them. */
export function isContentVolume({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return [configMap, secret, downwardAPI, projected].some((source) => source !== undefined);
}

function pluginOf(volume: Volume): VolumePlugin {
  if (volume.emptyDir !== undefined) return 'empty-dir';
  if (volume.configMap !== undefined) return 'configmap';
  if (volume.secret !== undefined) return 'secret';
  if (volume.downwardAPI !== undefined) return 'downward-api';
  if (volume.projected !== undefined) return 'projected';
  throw new VolumeError('no volume plugin matched');
}
