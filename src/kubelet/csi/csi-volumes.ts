/**
 * Carries out, for the volumes of pods, the calls to drivers that `next-step.ts` chooses. The calls for one volume are strictly
 * serial. Its note is on the disk before each of them.
 */
import {
  type CsiDriver,
  CsiError,
  type NodeCapability,
  type StringMap,
  type VolumeCapability,
  type VolumeStats,
} from '../../csi/index.ts';
import { decodeText, errorMessage, KeyedLock } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import type { Drivers } from './drivers.ts';
import { type Call, type Goal, isTooSmall, nextStep, noteAfterFailure, type WantedSize } from './next-step.ts';
import { DamagedNoteError, type NoteStore } from './note-store.ts';
import { MAX_PODS_TOLD, MAX_STEPS } from './limits.ts';
import { parentOf } from './paths.ts';
import { type FoldersPorts, makeFolder, podsOf, removeFolder, removePodFolders } from './volume-folders.ts';
import type { NotedSize, Publication, VolumeNote } from './volume-note.ts';

type VolumeName = Pick<VolumeNote, 'driver' | 'handle'>;

export interface VolumeToPublish extends VolumeName {
  readonly publication: Omit<Publication, 'step'>;
  /** Absent: the driver needs no attachment. */
  readonly isAttached?: boolean;
  /** Absent: a driver that stages is not asked to. */
  readonly stagingPath?: string;
  readonly isBlock: boolean;
  readonly readOnly: boolean;
  readonly capability: VolumeCapability;
  readonly asked: AskedOfDriver;
  /** Absent: no size is asked for. */
  readonly expansion?: VolumeExpansion;
}

export interface VolumeExpansion {
  readonly size: WantedSize;
  readonly secrets: StringMap;
  /** Says in the cluster that the driver is about to be asked. The driver is not asked when it rejects. */
  readonly begin: () => Promise<void>;
}

/** What a driver answered to a wish for a size; `refusal`: it does not expand the volume while this node uses it. */
export interface Published {
  readonly isExpanded: boolean;
  readonly refusal?: string;
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

export interface CsiVolumesPorts extends FoldersPorts {
  /** Absent: the plan of `next-step.ts`. Tests give broken ones, which must be found. */
  readonly nextStep?: typeof nextStep;
}

const NOT_EXPANDED: Published = { isExpanded: false };

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

  /** The size that is noted for the volume; undefined: none. */
  async size(volume: VolumeName): Promise<NotedSize | undefined> {
    return (await this.#notes.get(volume))?.size;
  }

  /**
   * Stages, expands and publishes as far as it is not done. Idempotent. Rejects with `CsiVolumeError`, or with `NoDriverError`.
   * @param build asked only if the driver must be
   * @param size the one that `build` asks for; absent: none
   */
  async publish(
    volume: VolumeName,
    target: string,
    build: () => Promise<VolumeToPublish>,
    size?: WantedSize,
  ): Promise<Published> {
    return await this.#locks.run(this.#notes.key(volume), async () => {
      const isLargeEnough = size === undefined || !isTooSmall(await this.size(volume), size);
      if (isLargeEnough && (await this.isPublished(volume, target))) return NOT_EXPANDED;
      const wish = await build();
      const { publication, stagingPath, expansion } = wish;
      const goal: Goal = { kind: 'published', publication, stagingPath, ...(expansion && { size: expansion.size }) };
      return await this.#reach(volume, goal, target, wish);
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

  /**
   * Unpublishes all volumes of the pod, and unstages those that no other pod has; a driver that hangs holds up no other. Rejects
   * with the first problem.
   * @param ended called for each volume
   */
  async tearDown(uid: PodUID, ended: (driver: string, isDone: boolean) => void = () => {}): Promise<void> {
    const all = (await this.#notes.list()).flatMap((note) =>
      note.publications.flatMap(({ pod, target }) => (pod === uid ? [{ note, target }] : [])),
    );
    const results = await Promise.allSettled(
      all.map(async ({ note, target }) => {
        let isDone = false;
        try {
          await this.#withdraw(note, target);
          isDone = true;
        } finally {
          ended(note.driver, isDone);
        }
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
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
    if (await removePodFolders(this.#ports.fs, podFolder)) return;
    const [damaged] = await this.#notes.damaged();
    if (damaged !== undefined)
      throw new DamagedNoteError(`the note ${damaged} of a volume is damaged, and may be of this pod`);
  }

  /** The pods that have, or may have, a volume. */
  async pods(): Promise<readonly PodUID[]> {
    return podsOf(await this.#notes.list());
  }

  /** What drivers say of the published volumes of a pod, by the volumes' names there. Those that say nothing are left out. */
  async stats(uid: PodUID): Promise<ReadonlyMap<string, VolumeStats>> {
    const asked: Promise<readonly [string, VolumeStats] | undefined>[] = [];
    for (const note of await this.#notes.list()) {
      for (const publication of note.publications) {
        if (publication.pod === uid && publication.step === 'published') asked.push(this.#statsOf(note, publication));
      }
    }
    return new Map((await Promise.all(asked)).flatMap((found) => (found === undefined ? [] : [found])));
  }

  async #statsOf(
    { driver, handle, staging }: VolumeNote,
    { target, volume }: Publication,
  ): Promise<readonly [string, VolumeStats] | undefined> {
    if (!this.#can(driver, 'stats')) return undefined;
    try {
      return [volume, await this.#drivers.ask(driver, ({ calls }) => calls.stats(handle, target, staging?.path ?? ''))];
    } catch (error) {
      this.#ports.logger.debug('a driver does not say how a volume is', { driver, volume, error: errorMessage(error) });
      return undefined;
    }
  }

  #can(driver: string, capability: NodeCapability): boolean {
    return this.#drivers.has(driver) && this.#drivers.get(driver).capabilities.has(capability);
  }

  async #withdraw(volume: VolumeName, target: string): Promise<void> {
    await this.#locks.run(this.#notes.key(volume), () => this.#reach(volume, { kind: 'gone', target }, target));
  }

  /** @param wish absent: nothing is to be done but undone */
  async #reach(volume: VolumeName, goal: Goal, target: string, wish?: VolumeToPublish): Promise<Published> {
    let outcome = NOT_EXPANDED;
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const { mounts } = this.#ports;
      const note = await this.#notes.get(volume);
      const { staging } = note ?? {};
      const wanted = { ...volume, ...(wish?.isAttached === true && { isAttached: true }) };
      const step = (this.#ports.nextStep ?? nextStep)(note, wanted, goal, {
        boot: await this.#bootId(),
        isMounted: await mounts.isMounted(target),
        isStagingMounted: staging?.isMount === true && (await mounts.isMounted(staging.path)),
      });
      if (step.kind === 'done') return outcome;
      if (step.kind === 'forget') {
        await this.#notes.remove(volume);
        return outcome;
      }
      if (step.kind === 'blocked') {
        const pods = step.by.slice(0, MAX_PODS_TOLD).join(', ');
        throw new Error(
          `volume ${volume.handle} of CSI driver ${volume.driver} is staged anew when no pod has it any more: pods ${pods} do`,
        );
      }
      if (step.kind === 'drop') await this.#notes.put(step.after);
      else outcome = (await this.#call(step, volume, wish)) ?? outcome;
    }
    throw new Error(
      `volume ${volume.handle} of CSI driver ${volume.driver} is still not there after ${MAX_STEPS} steps`,
    );
  }

  /** @returns what became of an expansion */
  async #call(call: Call, volume: VolumeName, wish: VolumeToPublish | undefined): Promise<Published | undefined> {
    try {
      // A driver that is not there is not called: nothing needs to be noted.
      this.#drivers.get(volume.driver);
      await this.#notes.put(call.before);
      if (call.kind === 'expand') await wish?.expansion?.begin();
      await this.#drivers.call(volume.driver, ({ calls }) =>
        wish === undefined || call.kind === 'unpublish' || call.kind === 'unstage'
          ? this.#undo(call, volume, calls)
          : this.#do(call, calls, wish),
      );
    } catch (error) {
      const note = error instanceof CsiError ? noteAfterFailure(call, error.code) : undefined;
      if (note !== undefined) await this.#notes.put(note);
      if (call.kind !== 'expand' || !isRefusal(error))
        throw new CsiVolumeError(call, errorMessage(error), { cause: error });
      await this.#notes.put(call.refused);
      return { isExpanded: false, refusal: errorMessage(error) };
    }
    if (call.after === undefined) await this.#notes.remove(volume);
    else await this.#notes.put(await this.#seen(call, call.after));
    return call.kind === 'expand' ? { isExpanded: true } : undefined;
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
    const { handle, capability, asked, expansion } = wish;
    const { path } = call;
    if (call.kind === 'expand') {
      const { size, secrets = {} } = expansion ?? { size: { bytes: 0 } };
      const stagingPath = call.before.staging?.path ?? '';
      await driver.expand({ handle, volumePath: path, stagingPath, requiredBytes: size.bytes, capability, secrets });
      return;
    }
    await makeFolder(fs, path, call.kind === 'stage' ? path : parentOf(path), wish);
    if (call.kind === 'stage') {
      const { publishContext, stageContext: volumeContext, stageSecrets: secrets } = asked;
      await driver.stage({ handle, stagingPath: path, capability, publishContext, volumeContext, secrets });
      return;
    }
    await publishCall(driver, call.before, wish);
    if (await mounts.isMounted(path)) return;
    throw new Error(
      `CSI driver ${wish.driver} says that it has published volume ${handle}, but nothing is mounted at ${path}`,
    );
  }

  async #undo({ kind, path }: Call, volume: VolumeName, driver: CsiDriver): Promise<void> {
    if (kind === 'unpublish') await driver.unpublish(volume.handle, path);
    else await driver.unstage(volume.handle, path);
    await removeFolder(this.#ports, path, volume);
  }

  #bootId(): Promise<string> {
    this.#boot ??= this.#ports.fs
      .readFile('/proc/sys/kernel/random/boot_id', { maxBytes: 256 })
      .then((bytes) => decodeText(bytes).trim());
    return this.#boot;
  }
}

/** CSI: the volume cannot be expanded while it is in use. */
function isRefusal(error: unknown): boolean {
  return error instanceof CsiError && error.code === 'FailedPrecondition';
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
