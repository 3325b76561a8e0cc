/** The kinds of PersistentVolumes that this node mounts, one row each. */
import {
  type CSIPersistentVolumeSource,
  isLocalVolume,
  nameOf,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeSpec,
  type Pod,
} from '../../api/index.ts';
import type { FileInfo, FileSystem } from '../../lib/index.ts';
import type { LocalVolumes } from '../local-volumes/local-volumes.ts';
import { VolumeProblem } from '../local-volumes/volume-problem.ts';
import type { PodEvents } from '../types.ts';
import { setUpHostPath } from './host-path.ts';
import { type CsiSupport, csiTarget, setUpCsi } from './csi-volume.ts';
import type { Mounter } from './mounter.ts';
import { setUpNfs } from './nfs.ts';
import { folderMode, fsGroupOf } from './ownership.ts';
import { type ToldProblem, VolumeError } from './payload.ts';
import type { Published } from './publications.ts';
import { noDrivers, unservedProblem } from './unserved-kinds.ts';
import { volumeDir } from './volume-paths.ts';

export interface PersistentOptions {
  readonly fs: FileSystem;
  readonly mounter: Mounter;
  readonly events: Pick<PodEvents, 'pod'>;
  /** `DIR/agent`. */
  readonly rootDir: string;
  /** Absent: this node makes no volumes. */
  readonly localVolumes?: Pick<LocalVolumes, 'use' | 'dir'>;
  /** Absent: this node runs no CSI drivers. */
  readonly csi?: CsiSupport;
}

export interface PersistentToSetUp {
  readonly pod: Pod;
  /** Name of the volume in the pod. */
  readonly volumeName: string;
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
  /** The pod's claim says so. */
  readonly readOnly: boolean;
  /** Notes that the pod has it, before anything is done to it. */
  readonly publish: (path: string) => Promise<Published>;
}

export interface PersistentSetUp {
  readonly path: string;
  /** It is there, and could not be brought up to date. */
  readonly problem?: string;
  readonly told?: ToldProblem;
  /** The CSI driver that serves it. */
  readonly driver?: string;
  /** Its driver wants to be asked again after this. */
  readonly republishAfterMs?: number;
}

export interface PersistentKind<N extends keyof PersistentVolumeSpec = keyof PersistentVolumeSpec> {
  /** The field of the PersistentVolume's spec. */
  readonly name: N;
  /** Whether block devices of the kind can be had. */
  readonly hasBlock?: boolean;
  /** The folder, or the block device, on this node. Rejects with `VolumeError`. */
  setUp(
    options: PersistentOptions,
    wanted: PersistentToSetUp,
    source: NonNullable<PersistentVolumeSpec[N]>,
  ): Promise<PersistentSetUp>;
}

function row<N extends keyof PersistentVolumeSpec>(kind: PersistentKind<N>): PersistentKind<N> {
  return kind;
}

const KINDS = [
  row({
    name: 'hostPath',
    setUp: async ({ fs }, { publish }, source) => {
      const path = await setUpHostPath(fs, source);
      await publish(path);
      return { path };
    },
  }),
  row({
    name: 'local',
    setUp: async (options, wanted, { path }) => {
      const { localVolumes } = options;
      if (localVolumes !== undefined && isLocalVolume(wanted.volume))
        await setUpOwn(options, wanted, path, localVolumes);
      else await setUpGiven(options, wanted, path);
      return { path };
    },
  }),
  row({
    name: 'nfs',
    setUp: async (options, { pod, volumeName, volume, publish }, source) => {
      const dir = volumeDir(options.rootDir, pod.metadata?.uid ?? '', 'nfs', volumeName);
      await publish(dir);
      await setUpNfs(options, { source, dir, mountOptions: volume.spec?.mountOptions });
      return { path: dir };
    },
  }),
  row({
    name: 'csi',
    hasBlock: true,
    setUp: (options, wanted, source) => {
      if (options.csi === undefined) throw noDrivers(source.driver);
      return setUpByDriver(options, options.csi, wanted, source);
    },
  }),
] as const;

/** The folder to mount. Rejects with `VolumeError` in upstream's words. */
export async function setUpPersistent(options: PersistentOptions, wanted: PersistentToSetUp): Promise<PersistentSetUp> {
  const spec = wanted.volume.spec ?? {};
  const kind = KINDS.find(({ name }) => spec[name] !== undefined) as PersistentKind | undefined;
  if (kind === undefined) throw unservedProblem({ ...spec }) ?? new VolumeError('no volume plugin matched');
  if (spec.volumeMode === 'Block' && kind.hasBlock !== true)
    throw new VolumeError(`volumes of mode Block of this kind are not offered by this node`);
  return await kind.setUp(
    options,
    wanted,
    spec[kind.name] as NonNullable<PersistentVolumeSpec[keyof PersistentVolumeSpec]>,
  );
}

/** A folder that somebody else made: its content stays as it is. */
async function setUpGiven({ fs }: PersistentOptions, { pod, volume, publish }: PersistentToSetUp, path: string) {
  // A relative path would begin where the agent happened to be started.
  if (!path.startsWith('/'))
    throw new VolumeError(`path "${path}" of the local volume "${nameOf(volume)}" must be absolute`);
  const info = await fs.stat(path, { follow: true, isolated: true });
  if (info === undefined) throw new VolumeError(`path "${path}" does not exist`);
  if (info.type !== 'directory')
    throw new VolumeError(`path "${path}" of the local volume "${nameOf(volume)}" is not a directory`);
  await publish(path);
  const fsGroup = fsGroupOf(pod);
  if (fsGroup === undefined) return;
  await fs.chown(path, info.uid, fsGroup);
  await fs.chmod(path, folderMode(info.mode & 0o7777, fsGroup, 'write'));
}

/** A volume that a CSI driver serves. */
async function setUpByDriver(
  options: PersistentOptions,
  csi: CsiSupport,
  { pod, volumeName, volume, claim, readOnly, publish }: PersistentToSetUp,
  source: CSIPersistentVolumeSource,
): Promise<PersistentSetUp> {
  const wish = { pod, volumeName, volume, claim, readOnly };
  const published = await publish(csiTarget(csi, wish));
  const { group, ...done } = await setUpCsi(csi, wish, source);
  const { path } = done;
  if (group !== undefined && !published.isSettled) {
    const info = await options.fs.stat(path, { isolated: true });
    if (info === undefined) throw new VolumeError(`path "${path}" does not exist`);
    await giveToGroup(options, pod, { path, info, fsGroup: group, isShared: published.isShared });
    await published.settle();
  }
  return done;
}

/** A folder that this node made. */
async function setUpOwn(
  options: PersistentOptions,
  { pod, volume, publish }: PersistentToSetUp,
  path: string,
  localVolumes: Pick<LocalVolumes, 'use'>,
): Promise<void> {
  const published = await usedHere(() => localVolumes.use(nameOf(volume), path, () => publish(path)));
  const fsGroup = fsGroupOf(pod);
  if (fsGroup === undefined || published.isSettled) return;
  const info = await options.fs.stat(path, { isolated: true });
  if (info === undefined) throw new VolumeError(`path "${path}" does not exist`);
  await giveToGroup(options, pod, { path, info, fsGroup, isShared: published.isShared });
  await published.settle();
}

interface GroupWish {
  readonly path: string;
  readonly info: FileInfo;
  readonly fsGroup: number;
  /** Another pod has it already. */
  readonly isShared: boolean;
}

/** As upstream: the first pod's group counts, and all files get it unless the pod says OnRootMismatch. */
async function giveToGroup(
  { fs, events }: PersistentOptions,
  pod: Pod,
  { path, info, fsGroup, isShared }: GroupWish,
): Promise<void> {
  if (isShared) {
    if (info.gid === fsGroup) return;
    const message = `The requested fsGroup is ${fsGroup}, but the volume ${path} has GID ${info.gid}. The volume may not be shareable.`;
    events.pod(pod, 'Warning', 'AlreadyMountedVolume', message);
    return;
  }
  const policy = pod.spec?.securityContext?.fsGroupChangePolicy ?? 'Always';
  const mode = info.mode & 0o7777;
  const isDone = info.gid === fsGroup && folderMode(mode, fsGroup, 'write') === mode;
  if (policy === 'OnRootMismatch' && isDone) return;
  await fs.giveToGroup(path, fsGroup);
}

/** A volume that this node made and lost has an event of its own. */
export async function usedHere<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof VolumeProblem)) throw error;
    throw new VolumeError(error.message, error.reason === 'VolumeLost' ? { eventReason: error.reason } : {});
  }
}
