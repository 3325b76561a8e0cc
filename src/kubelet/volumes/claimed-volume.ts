/** A claim in a pod: which PersistentVolume, and so which folder of this node, it stands for. Nothing is attached. */
import {
  controllerOf,
  isDeleting,
  isNotFound,
  nameOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  uidOf,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { errorMessage } from '../../lib/index.ts';
import { fsGroupOf } from './ownership.ts';
import { VolumeError } from './payload.ts';
import { type PersistentOptions, type PersistentSetUp, setUpPersistent, usedHere } from './persistent-kinds.ts';
import type { Publication, Publications, Published } from './publications.ts';
import { podsDir } from './volume-paths.ts';

export interface ClaimOptions extends PersistentOptions {
  readonly client: KubeClient;
  /** The notes of what claims stand for: a restarted agent needs no API server for a pod that runs. */
  readonly publications: Publications;
}

export interface ClaimSource {
  readonly claimName: string;
  /** Name of the volume in the pod. */
  readonly volumeName: string;
  /** The claim must be the pod's own: it was made for this volume. */
  readonly isOwned?: boolean;
  readonly readOnly?: boolean;
}

/**
 * The folder to mount. Rejects with `VolumeError` in upstream's words.
 * @param dir of our own, for the note
 */
export async function setUpClaim(
  options: ClaimOptions,
  pod: Pod,
  source: ClaimSource,
  dir: string,
): Promise<PersistentSetUp> {
  const known = await options.publications.note(dir);
  let bound: BoundClaim;
  try {
    bound = await volumeOf(options.client, pod, source, known);
  } catch (error) {
    if (error instanceof VolumeError || known === undefined) throw error;
    if (!(await isStillThere(options, known))) throw error;
    return { path: known.path, problem: errorMessage(error) };
  }
  const { volume, claim } = bound;
  const publish = (path: string): Promise<Published> =>
    options.publications.publish({
      volume: nameOf(volume),
      path,
      claim: `${pod.metadata?.namespace ?? ''}/${source.claimName}`,
      podUid: uidOf(pod),
      dir,
      isExclusive: isExclusive(volume),
      isSettled: fsGroupOf(pod) === undefined,
    });
  const { volumeName, readOnly = false } = source;
  return await setUpPersistent(options, { pod, volumeName, volume, claim, readOnly, publish });
}

/** Upstream enforces it where it is the only mode: with several, it is not known which one the pod means. */
function isExclusive({ spec }: PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length === 1 && modes[0] === 'ReadWriteOncePod';
}

interface BoundClaim {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
}

/** @param known what the pod has already */
async function volumeOf(
  client: KubeClient,
  pod: Pod,
  { claimName, isOwned = false }: ClaimSource,
  known: Publication | undefined,
): Promise<BoundClaim> {
  const namespace = pod.metadata?.namespace ?? '';
  const whose = `error processing PVC ${namespace}/${claimName}`;
  const claim = await fetched(`${whose}: failed to fetch PVC from API server`, () =>
    client.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, namespace, claimName),
  );
  // Upstream: component-helpers/storage/ephemeral, VolumeIsForPod.
  if (isOwned && controllerOf(claim)?.uid !== uidOf(pod)) {
    const whom = `${namespace}/${claimName} was not created for pod ${namespace}/${nameOf(pod)}`;
    throw new VolumeError(`${whose}: PVC ${whom} (pod is not owner)`);
  }
  const name = claim.spec?.volumeName ?? '';
  // Upstream refuses here a pod that has it, too: after a restart of the agent its containers would not be started any more.
  if (isDeleting(claim) && (name === '' || known?.volume !== name))
    throw new VolumeError(`${whose}: PVC is being deleted`);
  if (name === '' || !isBound(claim)) throw new VolumeError(`${whose}: PVC is not bound`);
  const volume = await fetched(`${whose}: failed to fetch PV ${name} from API server`, () =>
    client.get<PersistentVolume>(PERSISTENT_VOLUMES, undefined, name),
  );
  if (volume.spec?.claimRef?.uid !== uidOf(claim))
    throw new VolumeError(`${whose}: PV ${name} is not bound to this claim`);
  return { volume, claim };
}

/** The phase follows what binds: the scheduler binds pods of claims with the annotation, as upstream's does. */
function isBound({ metadata, status }: PersistentVolumeClaim): boolean {
  const phase = status?.phase ?? 'Pending';
  const isCompleted = metadata?.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
  return phase === 'Bound' || (phase === 'Pending' && isCompleted);
}

async function fetched<T>(what: string, get: () => Promise<T>): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new VolumeError(`${what}: ${errorMessage(error)}`);
  }
}

/** A folder that should be a mount, and is none, is not the volume: what a container writes there would be lost. */
async function isStillThere(options: ClaimOptions, { volume, path }: Publication): Promise<boolean> {
  const { localVolumes, mounter, rootDir, csi } = options;
  if (localVolumes !== undefined && volume !== undefined && path.startsWith(`${localVolumes.dir}/`))
    await usedHere(() => localVolumes.use(volume, path, async () => {}));
  const mountedIn = [podsDir(rootDir), ...(csi === undefined ? [] : [csi.kubeletDir])];
  return !mountedIn.some((dir) => path.startsWith(`${dir}/`)) || (await mounter.isMounted(path));
}
