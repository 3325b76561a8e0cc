/** Sets one volume up, whatever its kind. */
import type { Pod, Volume } from '../../api/index.ts';
import { type Clock, errorMessage, type FileSystem, type Random } from '../../lib/index.ts';
import { hasPayload, writePayload } from './atomic-writer.ts';
import { type ClaimOptions, setUpClaim } from './claimed-volume.ts';
import { setUpEmptyDir } from './empty-dir.ts';
import { setUpHostPath } from './host-path.ts';
import { type ImageVolumeOptions, setUpImage } from './image-volume.ts';
import { CONTENT_TMPFS_BYTES } from './limits.ts';
import type { Mounter } from './mounter.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import { type Payload, VolumeError } from './payload.ts';
import { payloadOf, type PayloadOptions } from './payload-source.ts';
import { volumeDir, type VolumePlugin } from './volume-paths.ts';

export interface VolumeSetupOptions extends ClaimOptions {
  readonly fs: FileSystem;
  readonly mounter: Mounter;
  readonly clock: Clock;
  readonly random: Random;
  /** `DIR/agent`. */
  readonly rootDir: string;
  /** Where the content of files that mendlet writes comes from. */
  readonly content: PayloadOptions;
  readonly image: ImageVolumeOptions;
}

/** `path`: on the host; empty: it is the image `image`. `problem`: it has what an earlier set-up wrote, and could not be brought up to date. */
export interface SetUpVolume {
  readonly path: string;
  readonly problem?: string;
  readonly image?: string;
}

/** Volumes whose files must not reach the disk, as upstream's. */
const IN_MEMORY = new Set<VolumePlugin>(['secret', 'projected', 'downward-api']);

/** Idempotent. Rejects with what upstream's FailedMount event quotes. */
export async function setUpVolume(options: VolumeSetupOptions, pod: Pod, volume: Volume): Promise<SetUpVolume> {
  if (volume.hostPath !== undefined) return { path: await setUpHostPath(options.fs, volume.hostPath) };
  if (volume.image !== undefined)
    return { path: '', image: await setUpImage(options.image, pod, volume.name, volume.image) };
  const plugin = pluginOf(volume);
  if (plugin === undefined) throw new VolumeError('no volume plugin matched');
  const dir = volumeDir(options.rootDir, pod.metadata?.uid ?? '', plugin, volume.name);
  if (volume.emptyDir !== undefined) {
    const { fs, mounter } = options;
    const nodeMemoryBytes = options.content.nodeResources().memoryBytes;
    await setUpEmptyDir({ fs, mounter, nodeMemoryBytes }, dir, pod, volume.emptyDir);
    return { path: dir };
  }
  if (volume.persistentVolumeClaim !== undefined) return setUpClaim(options, pod, volume.persistentVolumeClaim, dir);
  // Content first: without it there is nothing to mount, and nothing to clean up.
  let payload: Payload;
  try {
    payload = await payloadOf(options.content, pod, volume);
  } catch (error) {
    if (!(await isWritten(options, plugin, dir))) throw error;
    // An earlier agent wrote it: the pod runs on with what it has, whether the API server answers or not.
    return { path: dir, problem: errorMessage(error) };
  }
  await options.fs.mkdir(dir);
  if (IN_MEMORY.has(plugin)) await options.mounter.ensureTmpfs(dir, { sizeBytes: CONTENT_TMPFS_BYTES });
  const fsGroup = fsGroupOf(pod);
  if (fsGroup !== undefined) await options.fs.chown(dir, 0, fsGroup);
  await options.fs.chmod(dir, folderMode(0o777, fsGroup, 'read'));
  await writePayload({ ...options, fsGroup }, dir, payload);
  return { path: dir };
}

async function isWritten({ fs, mounter }: VolumeSetupOptions, plugin: VolumePlugin, dir: string): Promise<boolean> {
  if (IN_MEMORY.has(plugin) && !(await mounter.isMounted(dir))) return false;
  return hasPayload(fs, dir);
}

/** Whether the volume's files are ours to write, also while the pod runs; containers only read them. */
export function isContentVolume({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return [configMap, secret, downwardAPI, projected].some((source) => source !== undefined);
}

/** Upstream's name of the plugin, for metrics. */
export function pluginName(volume: Volume): string {
  if (volume.hostPath !== undefined) return 'kubernetes.io/host-path';
  if (volume.image !== undefined) return 'kubernetes.io/image';
  const plugin = pluginOf(volume);
  return plugin === undefined ? 'N/A' : `kubernetes.io/${plugin}`;
}

function pluginOf(volume: Volume): VolumePlugin | undefined {
  if (volume.emptyDir !== undefined) return 'empty-dir';
  if (volume.configMap !== undefined) return 'configmap';
  if (volume.secret !== undefined) return 'secret';
  if (volume.downwardAPI !== undefined) return 'downward-api';
  if (volume.persistentVolumeClaim !== undefined) return 'local-volume';
  return volume.projected === undefined ? undefined : 'projected';
}
