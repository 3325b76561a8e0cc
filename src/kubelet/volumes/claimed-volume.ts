/** A claim in a pod: which folder of this node it stands for. Volumes of hostPath and local are there; nothing is attached. */
import {
  isDeleting,
  isNotFound,
  nameOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimVolumeSource,
  type Pod,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { errorMessage, type FileSystem } from '../../lib/index.ts';
import { setUpHostPath } from './host-path.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import { VolumeError } from './payload.ts';

export interface ClaimOptions {
  readonly client: KubeClient;
  readonly fs: FileSystem;
}

/** The note of what the claim stood for, so that a restarted agent needs no API server for a pod that runs. */
const NOTE = 'volume.json';

/**
 * The folder to mount. Rejects with `VolumeError` in upstream's words.
 * @param dir of our own, for the note
 */
export async function setUpClaim(
  options: ClaimOptions,
  pod: Pod,
  source: PersistentVolumeClaimVolumeSource,
  dir: string,
): Promise<{ readonly path: string; readonly problem?: string }> {
  let volume: PersistentVolume;
  try {
    volume = await volumeOf(options.client, pod, source.claimName);
  } catch (error) {
    const known = error instanceof VolumeError ? undefined : await readNote(options.fs, dir);
    if (known === undefined) throw error;
    return { path: known, problem: errorMessage(error) };
  }
  const path = await folderOf(options, pod, volume);
  await options.fs.mkdir(dir);
  await options.fs.writeFile(`${dir}/${NOTE}`, JSON.stringify({ path }));
  return { path };
}

async function volumeOf(client: KubeClient, pod: Pod, claimName: string): Promise<PersistentVolume> {
  const namespace = pod.metadata?.namespace ?? '';
  const whose = `error processing PVC ${namespace}/${claimName}`;
  const claim = await fetched(`${whose}: failed to fetch PVC from API server`, () =>
    client.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, namespace, claimName),
  );
  if (isDeleting(claim)) throw new VolumeError(`${whose}: PVC is being deleted`);
  const name = claim.spec?.volumeName ?? '';
  if (claim.status?.phase !== 'Bound' || name === '') throw new VolumeError(`${whose}: PVC is not bound`);
  const volume = await fetched(`${whose}: failed to fetch PV ${name} from API server`, () =>
    client.get<PersistentVolume>(PERSISTENT_VOLUMES, undefined, name),
  );
  if (volume.spec?.claimRef?.uid !== uidOf(claim))
    throw new VolumeError(`${whose}: PV ${name} is not bound to this claim`);
  if (claim.spec?.volumeMode === 'Block')
    throw new VolumeError(`${whose}: volumes of mode Block are not offered by this node`);
  return volume;
}

async function fetched<T>(what: string, get: () => Promise<T>): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new VolumeError(`${what}: ${errorMessage(error)}`);
  }
}

async function folderOf({ fs }: ClaimOptions, pod: Pod, volume: PersistentVolume): Promise<string> {
  const { hostPath, local } = volume.spec ?? {};
  if (hostPath !== undefined) return setUpHostPath(fs, hostPath);
  if (local === undefined) throw new VolumeError('no volume plugin matched');
  const { path } = local;
  const info = await fs.stat(path, { follow: true, isolated: true });
  if (info === undefined) throw new VolumeError(`path "${path}" does not exist`);
  if (info.type !== 'directory')
    throw new VolumeError(`path "${path}" of the local volume "${nameOf(volume)}" is not a directory`);
  const fsGroup = fsGroupOf(pod);
  if (fsGroup !== undefined) {
    // Its owner and content stay as they are: the disk is somebody else's.
    await fs.chown(path, info.uid, fsGroup);
    await fs.chmod(path, folderMode(info.mode & 0o7777, fsGroup, 'write'));
  }
  return path;
}

async function readNote(fs: FileSystem, dir: string): Promise<string | undefined> {
  try {
    const note: unknown = JSON.parse(new TextDecoder().decode(await fs.readFile(`${dir}/${NOTE}`)));
    const path = typeof note === 'object' && note !== null ? (note as { path?: unknown }).path : undefined;
    return typeof path === 'string' ? path : undefined;
  } catch {
    // No note, or none that can be read: as if there had never been one.
    return undefined;
  }
}
