/** The volumes of all pods on this node. */
import type { Pod } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import {
  type Clock,
  FileError,
  type FileSystem,
  type Logger,
  type Process,
  type Random,
  Semaphore,
} from '../../lib/index.ts';
import type { ConfigSource } from '../env/config-source.ts';
import type { NodeResources } from '../env/resource-field-ref.ts';
import type { MarkDirty, PodEvents, PodUID, VolumeManager, VolumesFact } from '../types.ts';
import { MAX_CONCURRENT_SETUPS } from './limits.ts';
import { unmountAll } from './mounter.ts';
import { PodVolumes, type PodVolumesOptions } from './pod-volumes.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { isPodUid, podDir, podsDir } from './volume-paths.ts';

export interface VolumeManagerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fs: FileSystem;
  readonly process: Process;
  readonly client: KubeClient;
  readonly config: ConfigSource;
  readonly events: PodEvents;
  readonly markDirty: MarkDirty;
  readonly nodeName: string;
  /** What resourceFieldRef says to a container without a limit. */
  readonly nodeResources: () => NodeResources;
  /** `DIR/agent`. */
  readonly rootDir: string;
}

export function createVolumeManager(options: VolumeManagerOptions): VolumeManager {
  return new Manager(options);
}

class Manager implements VolumeManager {
  readonly #options: PodVolumesOptions;
  readonly #tokens: ServiceAccountTokens;
  readonly #pods = new Map<PodUID, PodVolumes>();

  constructor(options: VolumeManagerOptions) {
    this.#tokens = new ServiceAccountTokens(options.clock, options.client);
    this.#options = { ...options, tokens: this.#tokens, places: new Semaphore(MAX_CONCURRENT_SETUPS) };
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
  }

  fact(uid: PodUID): VolumesFact | undefined {
    return this.#pods.get(uid)?.fact;
  }

  async tearDown(uid: PodUID): Promise<void> {
    const dir = podDir(this.#options.rootDir, uid);
    await this.#pods.get(uid)?.stop();
    this.#pods.delete(uid);
    this.#tokens.forget(uid);
    await unmountAll(this.#options, dir);
    await this.#options.fs.remove(dir);
  }

  async onDisk(): Promise<readonly PodUID[]> {
    const { fs, rootDir } = this.#options;
    const uids: PodUID[] = [];
    for (const name of await this.#podFolders()) {
      const info = isPodUid(name) ? await fs.stat(`${podsDir(rootDir)}/${name}`) : undefined;
      if (info?.type === 'directory') uids.push(name);
    }
    return uids;
  }

  async #podFolders(): Promise<readonly string[]> {
    try {
      return await this.#options.fs.readdir(podsDir(this.#options.rootDir));
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      throw error;
    }
  }
}
