/** The volumes of this node's pods that CSI drivers and NFS servers serve: what is wrong with them is told, and they are renewed. */
import type { Pod, Volume, VolumeTroubleReason } from '../../../api/index.ts';
import { errorMessage } from '../../../lib/index.ts';
import type { MarkDirty, PodEvents, PodObservation, PodUID, VolumeTrouble } from '../../types.ts';
import type { CsiVolumes } from '../../csi/csi-volumes.ts';
import type { PodVolumeStats } from '../../csi/driver-stats.ts';
import type { Mounter } from '../mounter.ts';
import type { PodVolumes } from '../pod-volumes.ts';
import { pluginAt, subPathsDir } from '../volume-paths.ts';
import { claimOf } from '../volume-kinds.ts';
import type { ClaimEvent } from './claim-events.ts';
import { VolumeHealth, type VolumeHealthPorts, type WatchedVolume } from './volume-health.ts';

export interface ServedVolumesPorts extends VolumeHealthPorts {
  readonly mounter: Pick<Mounter, 'unmountAll' | 'unmountRemote'>;
  readonly events: PodEvents;
  readonly claimEvent: ClaimEvent;
  readonly markDirty: MarkDirty;
}

export interface ServedVolumesParts {
  readonly rootDir: string;
  readonly csi?: { readonly volumes: Pick<CsiVolumes, 'letGo' | 'published'> } | undefined;
  readonly pods: ReadonlyMap<PodUID, PodVolumes>;
  readonly observation: (uid: PodUID) => PodObservation | undefined;
  readonly askDrivers: (pod: Pod) => Promise<void>;
  /** What drivers said of the pod's volumes is about earlier mounts. */
  readonly forgetStats: (uid: PodUID) => void;
}

/** Upstream has an event for conditions alone. */
const EVENTS: Readonly<Record<VolumeTroubleReason, string>> = {
  MountLost: 'VolumeMountLost',
  Stale: 'VolumeStale',
  Hangs: 'VolumeHangs',
  ReadOnly: 'VolumeReadOnly',
  Abnormal: 'VolumeConditionAbnormal',
};

/** Volumes of these kinds may stand for one that is served. */
export function isServedKind({ csi, nfs, persistentVolumeClaim, ephemeral }: Volume): boolean {
  return [csi, nfs, persistentVolumeClaim, ephemeral].some((each) => each !== undefined);
}

export class ServedVolumes {
  readonly #ports: ServedVolumesPorts;
  readonly #parts: ServedVolumesParts;
  readonly #health: VolumeHealth;
  /** Volumes that are being mounted anew while no container has them. */
  readonly #renewing = new Set<string>();

  constructor(ports: ServedVolumesPorts, parts: ServedVolumesParts) {
    this.#ports = ports;
    this.#parts = parts;
    this.#health = new VolumeHealth(ports, {
      volumes: () => this.#watched(),
      askDrivers: async (uid) => {
        const pod = this.#parts.pods.get(uid)?.pod;
        if (pod !== undefined) await parts.askDrivers(pod);
      },
      oldestStart: (uid, volume) => this.#oldestStart(uid, volume),
      onChange: (of, trouble, before) => this.#tell(of, trouble, before),
      onIdle: (of) => void this.#renew(of),
    });
  }

  wake(): void {
    this.#health.wake();
  }

  lookNow(): void {
    this.#health.lookNow();
  }

  heard(uid: PodUID, stats: PodVolumeStats): void {
    this.#health.heard(uid, stats);
  }

  troubles(uid: PodUID): readonly VolumeTrouble[] {
    return this.#health.troubles(uid);
  }

  all(): Iterable<VolumeTrouble> {
    return this.#health.all();
  }

  /** Unmounts a volume of a pod, to be set up anew by its task. No container of the pod may run. */
  async letGo(uid: PodUID, name: string): Promise<void> {
    const { mounter } = this.#ports;
    const { rootDir, csi } = this.#parts;
    const task = this.#parts.pods.get(uid)?.tasks.find(({ volume }) => volume.name === name);
    const path = task?.path;
    task?.lose();
    await mounter.unmountAll(subPathsDir(rootDir, uid, name));
    if (path !== undefined && servedBy(path) === 'nfs') await mounter.unmountRemote(path);
    await csi?.volumes.letGo(uid, name, (staging, { isReadOnly = false }) => this.#health.isDead(staging, isReadOnly));
  }

  /** Sets a volume of a pod up, and notices a mount that had to be made anew under containers that have the volume. */
  async noticing<T extends { readonly path: string; readonly problem?: string | undefined }>(
    uid: PodUID,
    volume: Volume,
    setUp: () => Promise<T>,
  ): Promise<T> {
    if (!isServedKind(volume)) return await setUp();
    // A machine without the table is watched by nobody, and has its volumes.
    const before = await this.#health.mountTable().catch(() => undefined);
    const result = await setUp();
    const { path, problem } = result;
    if (before !== undefined && problem === undefined && servedBy(path) !== undefined)
      this.#health.setUp({ uid, volume: volume.name, path, isBlock: isDevice(path) }, before);
    return result;
  }

  renewed(uid: PodUID, name: string): void {
    this.#parts.forgetStats(uid);
    this.#health.renewed(uid, name);
  }

  async #watched(): Promise<readonly WatchedVolume[]> {
    const published = await this.#parts.csi?.volumes.published();
    const found: WatchedVolume[] = [];
    for (const [uid, volumes] of this.#parts.pods) {
      if (volumes.isStopped) continue;
      for (const { volume, path, driver } of volumes.tasks) {
        if (!isServedKind(volume)) continue;
        if (path !== undefined && servedBy(path) === undefined) continue;
        const wasReadOnly = path === undefined ? undefined : published?.get(path)?.isReadOnly;
        const server = path === undefined ? undefined : (driver ?? servedBy(path));
        found.push({ uid, volume: volume.name, path, isBlock: isDevice(path), wasReadOnly, server });
      }
    }
    return found;
  }

  #oldestStart(uid: PodUID, volume: string): number | undefined {
    const { spec } = this.#parts.pods.get(uid)?.pod ?? {};
    const users = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
      .filter(({ volumeMounts = [], volumeDevices = [] }) =>
        [...volumeMounts, ...volumeDevices].some(({ name }) => name === volume),
      )
      .map(({ name }) => name);
    const starts = (this.#parts.observation(uid)?.containers ?? [])
      .filter(({ state, name }) => state === 'running' && users.includes(name))
      .map(({ startedAt }) => startedAt);
    return starts.length === 0 ? undefined : Math.min(...starts);
  }

  #tell(of: WatchedVolume, trouble: VolumeTrouble | undefined, before: VolumeTrouble | undefined): void {
    const { events, claimEvent, markDirty, logger } = this.#ports;
    const { uid, volume: name } = of;
    const volumes = this.#parts.pods.get(uid);
    const task = volumes?.tasks.find(({ volume }) => volume.name === name);
    if (volumes === undefined || task === undefined) return;
    const { pod } = volumes;
    const type = trouble === undefined ? 'Normal' : 'Warning';
    const reason = trouble === undefined ? 'VolumeWorks' : EVENTS[trouble.reason];
    const what = trouble?.message ?? 'it works again';
    events.pod(pod, type, reason, `Volume ${name}: ${what}`);
    const claim = claimOf(pod, task.volume);
    if (claim !== undefined) {
      const { namespace = '', name: podName = '' } = pod.metadata ?? {};
      claimEvent({ namespace, name: claim }, type, reason, `Volume of pod ${podName}: ${what}`);
    }
    logger.info('a volume of a pod', { uid, volume: name, reason, message: what });
    markDirty(uid, 'volume');
    // Containers that start now would write to the folder below.
    if (trouble?.reason !== 'MountLost' || before?.reason === 'MountLost') return;
    task.lose();
    task.sync();
  }

  async #renew({ uid, volume: name }: WatchedVolume): Promise<void> {
    const key = `${uid}/${name}`;
    const task = this.#parts.pods.get(uid)?.tasks.find(({ volume }) => volume.name === name);
    if (this.#renewing.has(key) || task === undefined || task.path === undefined) return;
    this.#renewing.add(key);
    try {
      await this.letGo(uid, name);
      await task.again();
      this.renewed(uid, name);
    } catch (error) {
      this.#ports.logger.info('a volume that is dead cannot be mounted anew yet', {
        uid,
        name,
        error: errorMessage(error),
      });
      // Its own tries go on.
      task.sync();
    } finally {
      this.#renewing.delete(key);
    }
  }
}

function isDevice(path: string | undefined): boolean {
  return path?.includes('/volumeDevices/') === true;
}

/** Who serves what is mounted at such a path; `undefined`: this machine itself. */
function servedBy(path: string): 'csi' | 'nfs' | undefined {
  if (path.includes('/kubernetes.io~csi/') || path.includes('/kubernetes.io/csi/volumeDevices/')) return 'csi';
  return pluginAt(`${path}/`) === 'nfs' ? 'nfs' : undefined;
}
