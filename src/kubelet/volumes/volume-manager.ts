/**
 * The volumes of all pods on this node. The wanted volumes are those of the pods that were `prepare`d. The existing ones are
 * read from the disk and the kernel's mount table, so that a restarted agent knows as much as the one before it. Nothing here
 * blocks: a volume that hangs is one pod's problem.
 */
import type { Pod } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import {
  type Clock,
  errorMessage,
  FileError,
  type FileSystem,
  type Logger,
  type MetricsRegistry,
  type Process,
  type Random,
} from '../../lib/index.ts';
import { CsiVolumeError } from '../csi/csi-volumes.ts';
import { DriverStats, type PodVolumeStats } from '../csi/driver-stats.ts';
import { podDir as csiPodDir } from '../csi/paths.ts';
import type { ConfigFollower } from '../env/config-source.ts';
import type { LocalVolumes } from '../local-volumes/local-volumes.ts';
import type {
  MarkDirty,
  PodUID,
  PodVolume,
  SubPathWish,
  VolumeTrouble,
  VolumeEvents,
  VolumeManager,
  VolumesFact,
  NodeResources,
} from '../types.ts';
import type { CsiSupport } from './csi-volume.ts';
import { createClaimEvents } from './health/claim-events.ts';
import { isServedKind, ServedVolumes, type ServedVolumesParts } from './health/served-volumes.ts';
import type { ImageVolumeOptions } from './image-volume.ts';
import { EVENT_REPEAT_MS } from './limits.ts';
import { Mounter, UnmountError } from './mounter.ts';
import { type Apart, Places } from './places.ts';
import type { Publications } from './publications.ts';
import { PodVolumes, type PodVolumesOptions } from './pod-volumes.ts';
import { pinSubPath } from './sub-path.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { createVolumeMetrics, type VolumeCount } from './volume-metrics.ts';
import { emptyDirsNamed } from './empty-dir.ts';
import { isPodUid, pluginAt, podDir, podsDir, subPathsDir, volumeDir, volumeNameOf } from './volume-paths.ts';
import type { VolumeSetupOptions } from './volume-kind.ts';
import { csiPlugin, kindAt, pluginName, setUpVolume } from './volume-kinds.ts';

export interface VolumeManagerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly fs: FileSystem;
  readonly process: Process;
  readonly client: KubeClient;
}

/** Where the volumes are. */
export interface VolumesNode {
  readonly nodeName: string;
  /** The value of resourceFieldRef for a container without a limit. */
  readonly nodeResources: () => NodeResources;
  /** `DIR/agent`. */
  readonly rootDir: string;
  /** A pod, as the runtime was last seen; absent: nothing is known of what runs. */
  readonly observation?: ServedVolumesParts['observation'];
}

export interface VolumeManagerParts extends ImageVolumeOptions {
  readonly config: ConfigFollower;
  readonly events: VolumeEvents;
  readonly markDirty: MarkDirty;
  readonly publications: Publications;
  /** Absent: this node makes no volumes. */
  readonly localVolumes?: LocalVolumes;
  /** Absent: this node runs no CSI drivers. */
  readonly csi?: CsiParts;
}

/** What the node has for CSI drivers. */
export type CsiParts = Pick<CsiSupport, 'kubeletDir' | 'drivers' | 'volumes' | 'inUse' | 'hash'>;

export function createVolumeManager(
  ports: VolumeManagerPorts,
  node: VolumesNode,
  parts: VolumeManagerParts,
): VolumeManager {
  return new Manager(ports, node, parts);
}

interface ToldTrouble {
  readonly message: string;
  /** Mono ms. */
  readonly at: number;
}

class Manager implements VolumeManager {
  readonly #ports: VolumeManagerPorts;
  readonly #rootDir: string;
  readonly #mounter: Mounter;
  readonly #options: PodVolumesOptions;
  readonly #tokens: ServiceAccountTokens;
  readonly #csi: CsiParts | undefined;
  readonly #driverStats: DriverStats | undefined;
  readonly #served: ServedVolumes;
  readonly #pods = new Map<PodUID, PodVolumes>();
  /** Separate from the places of set-ups: a tear-down that hangs must not keep new pods waiting. */
  readonly #tearDownPlaces: Places;
  /** Pods whose tear-down failed: when, and the last message. */
  readonly #troubles = new Map<PodUID, ToldTrouble>();

  constructor(ports: VolumeManagerPorts, node: VolumesNode, parts: VolumeManagerParts) {
    const { clock, random, fs, client } = ports;
    const { nodeName, nodeResources, rootDir } = node;
    const { config, events, markDirty, images, imageVolumeProblem, publications, localVolumes, csi } = parts;
    this.#ports = ports;
    this.#rootDir = rootDir;
    this.#mounter = new Mounter(ports);
    this.#tokens = new ServiceAccountTokens({ ...ports, random: random.split('tokens') });
    this.#tearDownPlaces = new Places(clock);
    this.#csi = csi;
    this.#driverStats = csi && new DriverStats(ports, (uid) => csi.volumes.stats(uid));
    const claimEvent = createClaimEvents(client, events, ports.logger);
    this.#served = new ServedVolumes(
      { ...ports, mounter: this.#mounter, events, claimEvent, markDirty },
      {
        rootDir,
        csi,
        pods: this.#pods,
        observation: node.observation ?? (() => undefined),
        askDrivers: async (pod) => void (await this.driverStats(pod)),
        forgetStats: (uid) => this.#driverStats?.forget(uid),
      },
    );
    // Pods that wait for a driver need not wait for their next try, and a newer driver may do more with its volumes.
    csi?.drivers.onRegistered((driver) => {
      for (const { tasks } of this.#pods.values()) {
        for (const task of tasks) if (task.path === undefined || task.driver === driver) task.sync();
      }
    });
    csi?.drivers.onGone(() => this.#served.lookNow());
    const setUp: VolumeSetupOptions = {
      clock,
      random,
      fs,
      mounter: this.#mounter,
      rootDir,
      claims: {
        client,
        events,
        publications,
        ...(localVolumes && { localVolumes }),
        ...(csi && { csi: { ...csi, client, clock, nodeName, events, secrets: config, tokens: this.#tokens } }),
      },
      content: { config, tokens: this.#tokens, nodeName, nodeResources },
      image: { images, imageVolumeProblem },
    };
    this.#options = {
      setUp: (pod, volume, apart) =>
        this.#served.noticing(pod.metadata?.uid ?? '', volume, () => setUpVolume(withApart(setUp, apart), pod, volume)),
      clock,
      random,
      events,
      config,
      markDirty,
      places: new Places(clock),
      metrics: createVolumeMetrics(
        ports.metrics,
        () => this.#counts(),
        () => this.#served.all(),
      ),
    };
  }

  prepare(pod: Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const known = this.#pods.get(uid);
    if (known !== undefined) {
      known.update(pod);
      return;
    }
    const volumes = new PodVolumes(this.#options, pod);
    this.#pods.set(uid, volumes);
    volumes.start();
    if ((pod.spec?.volumes ?? []).some(isServedKind)) this.#served.wake();
  }

  fact(uid: PodUID): VolumesFact | undefined {
    return this.#pods.get(uid)?.fact;
  }

  retry(uid: PodUID): void {
    for (const task of this.#pods.get(uid)?.tasks ?? []) if (task.path === undefined) task.sync();
  }

  volumes(uid: PodUID): readonly PodVolume[] {
    return (this.#pods.get(uid)?.tasks ?? []).map(({ volume, path, problem }) => ({
      name: volume.name,
      plugin: pluginName(volume),
      ...(path !== undefined && path !== '' && { path }),
      ...(problem !== undefined && { problem }),
    }));
  }

  async driverStats(pod: Pod): Promise<PodVolumeStats> {
    const uid = pod.metadata?.uid ?? '';
    return (await this.#driverStats?.of(uid, (stats) => this.#served.heard(uid, stats))) ?? new Map();
  }

  troubles(uid: PodUID): readonly VolumeTrouble[] {
    return this.#served.troubles(uid);
  }

  async pinSubPath(uid: PodUID, wish: SubPathWish): Promise<string> {
    return await pinSubPath({ fs: this.#ports.fs, mounter: this.#mounter, rootDir: this.#rootDir }, uid, wish);
  }

  async refresh(pod: Pod, emptyDirs: readonly string[], renewed: readonly string[] = []): Promise<void> {
    const uid = pod.metadata?.uid ?? '';
    const rootDir = this.#rootDir;
    const emptied = emptyDirsNamed(pod, emptyDirs);
    for (const name of emptied) {
      const dir = volumeDir(rootDir, uid, 'empty-dir', name);
      await this.#tearDownPlaces.run(false, () => this.#empty(dir, subPathsDir(rootDir, uid, name)));
    }
    for (const name of renewed) await this.#tearDownPlaces.run(false, () => this.#served.letGo(uid, name));
    await this.#pods.get(uid)?.refresh(new Set([...emptied, ...renewed]));
    for (const name of renewed) this.#served.renewed(uid, name);
  }

  /** Mounts that a container made inside are removed first: files behind a mount are not the pod's. */
  async #empty(dir: string, subPaths: string): Promise<void> {
    await this.#mounter.unmountAll(subPaths);
    await this.#mounter.unmountAll(dir);
    await this.#ports.fs.remove(dir);
  }

  async tearDown(uid: PodUID, pod?: Pod): Promise<void> {
    const dir = podDir(this.#rootDir, uid);
    try {
      // It stays known until all is gone: a set-up that hangs must not be forgotten.
      await this.#pods.get(uid)?.stop();
      this.#tokens.forget(uid);
      // Calls to drivers wait in the lines of these.
      await this.#tearDownCsi(uid);
      await this.#tearDownPlaces.run(this.#troubles.has(uid), () => this.#remove(dir));
    } catch (error) {
      this.#tellTrouble(uid, pod, error);
      throw error;
    }
    this.#pods.delete(uid);
    this.#troubles.delete(uid);
    this.#driverStats?.forget(uid);
  }

  /** By the notes of volumes: the pod's object may be long gone. */
  async #tearDownCsi(uid: PodUID): Promise<void> {
    if (this.#csi === undefined) return;
    const { volumes, inUse, kubeletDir } = this.#csi;
    const { clock } = this.#ports;
    const { metrics } = this.#options;
    const begun = clock.now().mono;
    const ended = (driver: string, isDone: boolean): void => {
      const seconds = (clock.now().mono - begun) / 1000;
      metrics.operation(csiPlugin(driver), 'volume_unmount', isDone ? 'success' : 'fail-unknown', seconds);
    };
    try {
      await volumes.tearDown(uid, ended);
    } catch (error) {
      throw error instanceof CsiVolumeError ? new UnmountError(error.path, error.message) : error;
    }
    await inUse.release(uid);
    await volumes.removeFolders(csiPodDir(kubeletDir, uid));
  }

  /** Removes nothing while anything is mounted at or below it: behind a mount lies what is not the pod's. */
  async #remove(dir: string): Promise<void> {
    const { clock, fs } = this.#ports;
    const { metrics } = this.#options;
    const begun = clock.now().mono;
    const points = await this.#mounter.mountedUnder(dir);
    const plugins = new Set(
      points.flatMap((point) => pluginAt(point) ?? []).map((plugin) => `kubernetes.io/${plugin}`),
    );
    const done = (status: string): void => {
      const seconds = (clock.now().mono - begun) / 1000;
      for (const plugin of plugins) metrics.operation(plugin, 'volume_unmount', status, seconds);
    };
    try {
      await this.#tearDownKinds(points);
      await this.#mounter.unmountAll(dir);
      await fs.remove(dir);
      done('success');
    } catch (error) {
      done('fail-unknown');
      throw error;
    }
  }

  /** What only its own kind can undo. The mount table says what is there: the pod's object may be long gone. */
  async #tearDownKinds(points: readonly string[]): Promise<void> {
    for (const dir of points) await kindAt(dir)?.tearDown?.({ mounter: this.#mounter, dir });
  }

  #tellTrouble(uid: PodUID, pod: Pod | undefined, error: unknown): void {
    const { clock, logger } = this.#ports;
    const { events } = this.#options;
    const name = error instanceof UnmountError ? volumeNameOf(error.point) : undefined;
    const whose = name === undefined ? '' : ` for volume "${name}"`;
    const message = `UnmountVolume.TearDown failed${whose} : ${errorMessage(error)}`;
    const told = this.#troubles.get(uid);
    const now = clock.now().mono;
    if (told?.message === message && now - told.at < EVENT_REPEAT_MS) return;
    this.#troubles.set(uid, { message, at: now });
    logger.warn('the volumes of a pod cannot be removed yet', { uid, error: message });
    if (pod !== undefined) events.pod(pod, 'Warning', 'FailedUnMount', message);
  }

  async onDisk(): Promise<readonly PodUID[]> {
    const uids: PodUID[] = [];
    for (const name of await this.#podFolders()) {
      const info = isPodUid(name) ? await this.#ports.fs.stat(`${podsDir(this.#rootDir)}/${name}`) : undefined;
      if (info?.type === 'directory') uids.push(name);
    }
    const published = (await this.#csi?.volumes.pods()) ?? [];
    return [...new Set([...uids, ...published])];
  }

  async #podFolders(): Promise<readonly string[]> {
    try {
      return await this.#ports.fs.readdir(podsDir(this.#rootDir));
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  *#counts(): Iterable<VolumeCount> {
    for (const { tasks } of this.#pods.values()) {
      for (const { plugin, path } of tasks) yield { plugin, mounted: path !== undefined };
    }
  }
}

/** Calls to CSI drivers wait in the line of their driver: they take no place from volumes of others. */
function withApart(setUp: VolumeSetupOptions, apart: Apart): VolumeSetupOptions {
  const { csi } = setUp.claims;
  return csi === undefined ? setUp : { ...setUp, claims: { ...setUp.claims, csi: { ...csi, apart } } };
}
