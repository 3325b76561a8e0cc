/**
 * Carries out, for the volumes of pods, the calls to drivers that `next-step.ts` chooses. The calls for one volume are strictly
 * serial. Its note is on the disk before each of them.
 */
import type { CsiDriver, StringMap, VolumeCapability, VolumeStats } from '../../csi/index.ts';
import { decodeText, errorMessage, FileError, type FileSystem, KeyedLock, type Logger } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import type { Drivers } from './drivers.ts';
import { type Call, type Goal, nextStep } from './next-step.ts';
import type { NoteStore } from './note-store.ts';
import { MAX_PODS_TOLD, MAX_STEPS } from './limits.ts';
import { parentOf } from './paths.ts';
import type { Publication, VolumeNote } from './volume-note.ts';

/** What is mounted on this machine. */
export interface MountTable {
  isMounted(path: string): Promise<boolean>;
  /** What is mounted at the path cannot be written to. */
  isReadOnly?(path: string): Promise<boolean>;
  /** Unmounts everything at or below the path. Rejects when something stays. */
  unmountAll(path: string): Promise<void>;
}

export interface CsiVolumesPorts {
  readonly fs: FileSystem;
  readonly logger: Logger;
  readonly mounts: MountTable;
}

type VolumeName = Pick<VolumeNote, 'driver' | 'handle'>;

export interface VolumeToPublish extends VolumeName {
  readonly publication: Omit<Publication, 'step'>;
  /** Absent: a driver that stages is not asked to. */
  readonly stagingPath?: string;
  readonly isBlock: boolean;
  readonly readOnly: boolean;
  readonly capability: VolumeCapability;
  readonly asked: AskedOfDriver;
}

/** What goes into the requests beside paths. */
export interface AskedOfDriver {
  readonly publishContext: StringMap;
  readonly stageContext: StringMap;
  readonly volumeContext: StringMap;
  readonly stageSecrets: StringMap;
  readonly publishSecrets: StringMap;
}

/** A call that failed, as upstream's event names it. */
export class CsiVolumeError extends Error {
  override readonly name = 'CsiVolumeError';
  readonly call: Call['kind'];
  /** Staging or target path. */
  readonly path: string;
  constructor({ kind, path }: Pick<Call, 'kind' | 'path'>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.call = kind;
    this.path = path;
  }
}

const VOL_DATA = 'vol_data.json';

export class CsiVolumes {
  readonly #ports: CsiVolumesPorts;
  readonly #drivers: Drivers;
  readonly #notes: NoteStore;
  readonly #locks = new KeyedLock();
  #boot: Promise<string> | undefined;

  constructor(ports: CsiVolumesPorts, drivers: Drivers, notes: NoteStore) {
    this.#ports = ports;
    this.#drivers = drivers;
    this.#notes = notes;
  }

  /** The volume is published at the target, and mounted there, since this boot: no driver needs to be asked. */
  async isPublished(volume: VolumeName, target: string): Promise<boolean> {
    const note = await this.#notes.get(volume);
    const known = note?.publications.find((each) => each.target === target);
    if (note === undefined || known?.step !== 'published' || note.boot !== (await this.#bootId())) return false;
    return await this.#ports.mounts.isMounted(target);
  }

  /**
   * Stages and publishes as far as it is not done. Idempotent. Rejects with `CsiVolumeError`, or with `NoDriverError`.
   * @param build asked only if the driver must be
   */
  async publish(volume: VolumeName, target: string, build: () => Promise<VolumeToPublish>): Promise<void> {
    await this.#locks.run(this.#notes.key(volume), async () => {
      if (await this.isPublished(volume, target)) return;
      const wish = await build();
      const { publication, stagingPath } = wish;
      const goal: Goal = { kind: 'published', publication, stagingPath };
      await this.#reach(volume, goal, target, wish);
    });
  }

  /** Publishes again what is published (upstream: requiresRepublish): a failure leaves it as it is. */
  async republish(wish: VolumeToPublish): Promise<void> {
    await this.#locks.run(this.#notes.key(wish), async () => {
      const note = await this.#notes.get(wish);
      if (note === undefined) return;
      await this.#drivers.call(wish.driver, ({ calls }) => publishCall(calls, note, wish));
    });
  }

  /** Unpublishes all volumes of the pod, and unstages those that no other pod has. Rejects with the first problem. */
  async tearDown(uid: PodUID): Promise<void> {
    let problem: unknown;
    for (const note of await this.#notes.list()) {
      for (const { pod, target } of note.publications) {
        if (pod !== uid) continue;
        try {
          await this.#withdraw(note, target);
        } catch (error) {
          problem ??= error;
        }
      }
    }
    if (problem !== undefined) throw problem;
  }

  /**
   * Unpublishes a volume of a pod, to be published anew, and unstages it if no other pod has it.
   * @param isDead whether what is mounted at a staging path does not work any more; then it is staged anew, too
   */
  async letGo(
    uid: PodUID,
    name: string,
    isDead: (stagingPath: string, publication: Publication) => Promise<boolean>,
  ): Promise<void> {
    for (const note of await this.#notes.list()) {
      for (const publication of note.publications) {
        if (publication.pod !== uid || publication.volume !== name) continue;
        if (note.staging?.isMount === true && (await isDead(note.staging.path, publication))) await this.#bury(note);
        await this.#withdraw(note, publication.target);
      }
    }
  }

  async #bury(volume: VolumeName): Promise<void> {
    await this.#locks.run(this.#notes.key(volume), async () => {
      const note = await this.#notes.get(volume);
      if (note?.staging?.step === 'staged')
        await this.#notes.put({ ...note, staging: { ...note.staging, isDead: true } });
    });
  }

  /** Of each target that was published: what is known of it. */
  async published(): Promise<ReadonlyMap<string, Publication>> {
    const all = (await this.#notes.list()).flatMap(({ publications }) => publications);
    return new Map(all.map((each) => [each.target, each]));
  }

  /** Removes the folders of a pod whose volumes are gone, as far as nothing is in them. */
  async removeFolders(podFolder: string): Promise<void> {
    for (const folder of [`${podFolder}/volumes/kubernetes.io~csi`, `${podFolder}/volumes`, podFolder]) {
      const info = await this.#ports.fs.stat(folder);
      if (info === undefined) continue;
      if (info.type !== 'directory' || (await this.#ports.fs.readdir(folder)).length > 0) return;
      await this.#ports.fs.remove(folder);
    }
  }

  /** The pods that have, or may have, a volume. */
  async pods(): Promise<readonly PodUID[]> {
    const notes = await this.#notes.list();
    return [...new Set(notes.flatMap(({ publications }) => publications.map(({ pod }) => pod)))];
  }

  /**
   * What drivers say of a pod's published volumes, by the volume's name there. Drivers that do not say are left out, and so is a volume
   * of which its driver cannot say anything now.
   */
  async stats(uid: PodUID): Promise<ReadonlyMap<string, VolumeStats>> {
    const found = new Map<string, VolumeStats>();
    const ask = async (note: VolumeNote, { target, volume }: Publication): Promise<void> => {
      const { calls, capabilities } = this.#drivers.get(note.driver);
      if (!capabilities.has('stats')) return;
      // Not in the line of calls: a driver that is busy with mounts may still answer.
      found.set(volume, await calls.stats(note.handle, target, note.staging?.path ?? ''));
    };
    const asked = (await this.#notes.list()).flatMap((note) =>
      note.publications
        .filter(({ pod, step }) => pod === uid && step === 'published' && this.#drivers.has(note.driver))
        .map((publication) => ask(note, publication)),
    );
    for (const result of await Promise.allSettled(asked)) {
      if (result.status === 'fulfilled') continue;
      const error = errorMessage(result.reason);
      this.#ports.logger.debug('a driver does not say how its volume is', { uid, error });
    }
    return found;
  }

  async #withdraw(volume: VolumeName, target: string): Promise<void> {
    await this.#locks.run(this.#notes.key(volume), () => this.#reach(volume, { kind: 'gone', target }, target));
  }

  /** @param wish absent: nothing is to be done but undone */
  async #reach(volume: VolumeName, goal: Goal, target: string, wish?: VolumeToPublish): Promise<void> {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const { mounts } = this.#ports;
      const note = await this.#notes.get(volume);
      const { staging } = note ?? {};
      const step = nextStep(note, volume, goal, {
        boot: await this.#bootId(),
        isMounted: await mounts.isMounted(target),
        isStagingMounted: staging?.isMount === true && (await mounts.isMounted(staging.path)),
      });
      if (step.kind === 'done') return;
      if (step.kind === 'forget') return await this.#notes.remove(volume);
      if (step.kind === 'blocked') {
        const pods = step.by.slice(0, MAX_PODS_TOLD).join(', ');
        throw new Error(
          `volume ${volume.handle} of CSI driver ${volume.driver} is staged anew when no pod has it any more: pods ${pods} do`,
        );
      }
      if (step.kind === 'drop') await this.#notes.put(step.after);
      else await this.#call(step, volume, wish);
    }
    throw new Error(
      `volume ${volume.handle} of CSI driver ${volume.driver} is still not there after ${MAX_STEPS} steps`,
    );
  }

  async #call(call: Call, volume: VolumeName, wish: VolumeToPublish | undefined): Promise<void> {
    try {
      // A driver that is not there is not called: nothing needs to be noted.
      this.#drivers.get(volume.driver);
      await this.#notes.put(call.before);
      await this.#drivers.call(volume.driver, ({ calls }) =>
        wish === undefined || call.kind === 'unpublish' || call.kind === 'unstage'
          ? this.#undo(call, volume, calls)
          : this.#do(call, calls, wish),
      );
    } catch (error) {
      throw new CsiVolumeError(call, errorMessage(error), { cause: error });
    }
    if (call.after === undefined) await this.#notes.remove(volume);
    else await this.#notes.put(await this.#seen(call, call.after));
  }

  /** The note says how the mount was that was made just now. */
  async #seen({ kind, path }: Call, note: VolumeNote): Promise<VolumeNote> {
    const { mounts } = this.#ports;
    const { staging } = note;
    if (kind === 'stage' && staging !== undefined)
      return { ...note, staging: { ...staging, isMount: await mounts.isMounted(path) } };
    if (kind !== 'publish') return note;
    const isReadOnly = await mounts.isReadOnly?.(path);
    const publications = note.publications.map((each) =>
      each.target === path && isReadOnly !== undefined ? { ...each, isReadOnly } : each,
    );
    return { ...note, publications };
  }

  async #do(call: Call, driver: CsiDriver, wish: VolumeToPublish): Promise<void> {
    const { fs, mounts } = this.#ports;
    const { handle, capability, asked, isBlock } = wish;
    if (call.kind === 'stage') {
      await fs.mkdir(call.path, { mode: 0o750 });
      await this.#writeVolData(wish, call.path, isBlock);
      const { publishContext, stageContext: volumeContext, stageSecrets: secrets } = asked;
      await driver.stage({ handle, stagingPath: call.path, capability, publishContext, volumeContext, secrets });
      return;
    }
    await fs.mkdir(parentOf(call.path), { mode: 0o750 });
    await this.#writeVolData(wish, call.path, isBlock);
    await publishCall(driver, call.before, wish);
    if (await mounts.isMounted(call.path)) return;
    throw new Error(
      `CSI driver ${wish.driver} says that it has published volume ${handle}, but nothing is mounted at ${call.path}`,
    );
  }

  /** Upstream's file beside a mount, for the tools and people that look for it there. The node itself goes by its notes. */
  async #writeVolData({ driver, handle, publication }: VolumeToPublish, path: string, isBlock: boolean): Promise<void> {
    if (isBlock) return;
    const data = {
      driverName: driver,
      volumeHandle: handle,
      ...(path === publication.target && { specVolID: publication.volume }),
    };
    await this.#ports.fs.writeFile(`${parentOf(path)}/${VOL_DATA}`, JSON.stringify(data), { atomic: true });
  }

  async #undo({ kind, path }: Call, { driver: name, handle }: VolumeName, driver: CsiDriver): Promise<void> {
    const { logger, mounts } = this.#ports;
    if (kind === 'unpublish') await driver.unpublish(handle, path);
    else await driver.unstage(handle, path);
    if (await mounts.isMounted(path)) {
      logger.warn('a CSI driver left a mount, which is unmounted now', { driver: name, handle, call: kind, path });
      await mounts.unmountAll(path);
    }
    await this.#removeEmpty(path);
    const folder = parentOf(path);
    // Folders of block devices are shared by pods.
    if (folder.includes('/volumeDevices/')) return;
    await this.#ports.fs.remove(`${folder}/${VOL_DATA}`);
    await this.#removeEmpty(folder);
  }

  /** Data may be in a folder that no mount covers: nothing but an empty one is removed. */
  async #removeEmpty(path: string): Promise<void> {
    const { fs } = this.#ports;
    const info = await fs.stat(path);
    if (info === undefined) return;
    const content = info.type === 'directory' ? (await fs.readdir(path)).length : info.size;
    if (content > 0) throw new FileError('ENOTEMPTY', path, `${path} is not mounted any more, but is not empty`);
    await fs.remove(path);
  }

  #bootId(): Promise<string> {
    this.#boot ??= this.#ports.fs
      .readFile('/proc/sys/kernel/random/boot_id', { maxBytes: 256 })
      .then((bytes) => decodeText(bytes).trim());
    return this.#boot;
  }
}

async function publishCall(driver: CsiDriver, note: VolumeNote, wish: VolumeToPublish): Promise<void> {
  const { handle, capability, readOnly, asked, publication } = wish;
  const { publishContext, volumeContext, publishSecrets: secrets } = asked;
  await driver.publish({
    handle,
    stagingPath: note.staging?.path ?? '',
    targetPath: publication.target,
    capability,
    readOnly,
    publishContext,
    volumeContext,
    secrets,
  });
}
