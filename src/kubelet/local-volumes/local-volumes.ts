/**
 * The volumes that are folders of this node: VOLUMES/NAME with the volume itself (`data`) and its note (`note.json`). Folders are
 * made on request alone, never by a mount, so a folder that is not there was lost. Each step leaves the disk in a state from
 * which the next start goes on:
 *
 *     make     record "making" → fill .making~NAME → rename to NAME → record "ready"
 *     remove   rename NAME to .removing~NAME → record deleted → contents deleted
 *
 * Everything below `data` belongs to containers and is hostile: it is never read, and only `FileSystem.remove`, which follows no
 * link and enters no mount, goes there.
 */
import type { MadeVolume, MakeVolumeRequest, NodeVolume, NodeVolumeList } from '../../api/index.ts';
import { decodeText, errorMessage, FileError, type FileSystem, KeyedLock, type Logger } from '../../lib/index.ts';
import { spaceProblem } from './capacity.ts';
import { Ledger, type LedgerEntry } from './ledger.ts';
import { MAX_NOTE_BYTES } from './limits.ts';
import { volumeRecords, VOLUMES_MARKER, volumesFolderRecord, volumesHome } from './places.ts';
import { diskInTurn, type VolumeDisk } from './volume-disk.ts';
import { checkHandle, checkVolumeName, isCapacity, isHandle, isVolumeName } from './volume-request.ts';
import { VolumeProblem } from './volume-problem.ts';

export interface LocalVolumesConfig {
  /** The folder of the volumes. */
  readonly dir: string;
  /** The agent's own folder, `DIR/agent`. */
  readonly rootDir: string;
  /** Names this mendlet in the folder. */
  readonly instanceId: string;
  /** Differs between starts of the agent. */
  readonly lifeId: string;
}

export interface LocalVolumesPorts {
  readonly fs: FileSystem;
  readonly logger: Logger;
}

export interface LocalVolumesParts {
  /** Bytes that are kept free for the system, of a disk of this many bytes. */
  readonly keepsFree: (capacityBytes: number) => number;
  /** Mount points at or below a folder. */
  readonly mountedUnder: (path: string) => Promise<readonly string[]>;
  /** Does the work while no pod can get the volume. Rejects with `VolumeProblem` when a pod has it. */
  readonly whileUnpublished: <T>(name: string, path: string, work: () => Promise<T>) => Promise<T>;
}

/** Written again and again to see whether the disk works. */
const TRIAL = '.trial';
const NOTE = 'note.json';
const DATA = 'data';
/** No name of a volume has a `~` or begins with a dot. */
const MAKING = '.making~';
const REMOVING = '.removing~';
const PRIVATE = 0o700;
/** As upstream's emptyDir: any user of a container may write there. */
const DATA_MODE = 0o777;

/** What a look at the disk found. */
export interface DiskLook {
  /** Bytes that volumes may have together. */
  readonly capacityBytes: number;
  readonly names: readonly string[];
  readonly lost: readonly string[];
  /** Less is free than is kept for the system. */
  readonly isFull: boolean;
}

type Place = 'there' | 'absent' | 'no folder';

export class LocalVolumes {
  readonly #ports: LocalVolumesPorts;
  /** For all that lies on the disk of the volumes. */
  readonly #disk: VolumeDisk;
  readonly #config: LocalVolumesConfig;
  readonly #parts: LocalVolumesParts;
  readonly #ledger: Ledger;
  readonly #locks = new KeyedLock();
  #loading: Promise<void> | undefined;
  /** What an earlier life left in the folder has been looked after. */
  #tidied = false;
  /** How many times any volume was asked for or used, when this one was last. */
  readonly #changedAt = new Map<string, number>();
  #changes = 0;
  /** Removals that are not over, by name. */
  readonly #removing = new Map<string, Pick<LedgerEntry, 'handle' | 'capacityBytes'>>();

  constructor(ports: LocalVolumesPorts, config: LocalVolumesConfig, parts: LocalVolumesParts) {
    this.#ports = ports;
    this.#disk = diskInTurn(ports.fs);
    this.#config = config;
    this.#parts = parts;
    this.#ledger = new Ledger(ports.fs, ports.logger, volumeRecords(config.rootDir));
  }

  get dir(): string {
    return this.#config.dir;
  }

  /** The folder that pods get. */
  pathOf(name: string): string {
    return `${this.#config.dir}/${checkVolumeName(name)}/${DATA}`;
  }

  /** Idempotent. Rejects with `VolumeProblem` or `FileError`. */
  async make(name: string, { handle, capacityBytes }: MakeVolumeRequest): Promise<MadeVolume> {
    checkVolumeName(name);
    return await this.#locks.run(name, async () => {
      await this.#open();
      await this.#finishRemoval(name);
      const entry = this.#ledger.get(name);
      if (entry !== undefined && entry.handle !== handle) throw anothers(name);
      if (entry?.state === 'ready') {
        const problem = await this.#lossOf(name);
        if (problem !== undefined) throw lost(name, problem);
      } else if ((await this.#place(`${this.dir}/${name}`)) === 'absent') {
        await this.#makeFresh(name, { handle, capacityBytes, state: 'making', used: false });
      } else throw anothers(name);
      this.#changed(name);
      return { path: this.pathOf(name) };
    });
  }

  async #makeFresh(name: string, entry: LedgerEntry): Promise<void> {
    const fs = this.#disk;
    await this.#locks.run(CAPACITY, async () => {
      const others = [...this.#ledger.all()].filter(([other]) => other !== name).map(([, each]) => each.capacityBytes);
      const taken = [...others, ...[...this.#removing.values()].map((each) => each.capacityBytes)];
      const capacityBytes = await this.#capacityBytes();
      const problem = this.#ledger.isFull
        ? 'this node has as many volumes as it may have'
        : spaceProblem({ capacityBytes, taken, wanted: entry.capacityBytes });
      if (problem !== undefined) throw new VolumeProblem('NotEnoughSpace', problem);
      await this.#ledger.set(name, entry);
    });
    const unfinished = `${this.dir}/${MAKING}${name}`;
    try {
      await fs.remove(unfinished);
      await fs.mkdir(`${unfinished}/${DATA}`, { mode: PRIVATE });
      await fs.chmod(unfinished, PRIVATE);
      await fs.chmod(`${unfinished}/${DATA}`, DATA_MODE);
      const { handle, capacityBytes } = entry;
      await fs.writeFile(`${unfinished}/${NOTE}`, JSON.stringify({ name, handle, capacityBytes }), {
        mode: 0o600,
        sync: true,
      });
      await fs.rename(unfinished, `${this.dir}/${name}`, { sync: true });
    } catch (error) {
      await this.#undo(name, unfinished);
      throw error;
    }
    await this.#ledger.set(name, { ...entry, state: 'ready' });
  }

  /** As if it had not been begun. What cannot be undone now is undone at the next start. */
  async #undo(name: string, unfinished: string): Promise<void> {
    try {
      await this.#disk.remove(unfinished);
      if ((await this.#place(`${this.dir}/${name}`)) === 'absent') await this.#ledger.delete(name);
    } catch (error) {
      this.#ports.logger.warn('a volume that could not be made left something', { name, error: errorMessage(error) });
    }
  }

  /** From now on its earlier versions are over. */
  #changed(name: string): void {
    this.#changes += 1;
    this.#changedAt.set(name, this.#changes);
  }

  #versionOf(name: string): string {
    return `${this.#config.lifeId}.${this.#changedAt.get(name) ?? 0}`;
  }

  /**
   * Idempotent; a volume that is not there is no error. Rejects with `VolumeProblem` or `FileError`.
   * @param version as listed: the volume stays if it was asked for or used since
   */
  async remove(name: string, handle: string, version?: string): Promise<void> {
    checkVolumeName(name);
    checkHandle(handle);
    await this.#locks.run(name, async () => {
      await this.#open();
      await this.#finishRemoval(name);
      const entry = this.#ledger.get(name);
      const place = await this.#place(`${this.dir}/${name}`);
      if (entry === undefined && place === 'absent') return;
      if (entry?.handle !== handle) throw anothers(name);
      if (version !== undefined && version !== this.#versionOf(name)) {
        throw new VolumeProblem('Conflict', `volume ${name} was asked for or used since it had version ${version}`);
      }
      await this.#parts.whileUnpublished(name, this.pathOf(name), () => this.#setAside(name, entry, place));
      await this.#finishRemoval(name);
    });
  }

  async #setAside(name: string, entry: LedgerEntry, place: Place): Promise<void> {
    const fs = this.#disk;
    const from = `${this.dir}/${name}`;
    // A name that leads elsewhere is not ours to remove, and what was made under it is not there.
    if (place === 'no folder') throw new VolumeProblem('Conflict', `${from} is no folder, and not removed`);
    if (place === 'there') {
      await this.#refuseMounts(from);
      await fs.rename(from, `${this.dir}/${REMOVING}${name}`, { sync: true });
      this.#removing.set(name, entry);
    }
    await this.#ledger.delete(name);
    this.#changedAt.delete(name);
  }

  /** Behind a mount lies what is not the volume's. */
  async #refuseMounts(path: string): Promise<void> {
    const mounted = await this.#parts.mountedUnder(path);
    if (mounted[0] !== undefined) {
      throw new VolumeProblem('VolumeInUse', `${mounted[0]} is mounted there: unmount it, and the volume is removed`);
    }
  }

  async #finishRemoval(name: string): Promise<void> {
    const aside = `${this.dir}/${REMOVING}${name}`;
    if (!this.#removing.has(name) && (await this.#place(aside)) === 'absent') return;
    // The note goes last: it says what is left.
    await this.#disk.remove(`${aside}/${DATA}`);
    await this.#disk.remove(aside);
    this.#removing.delete(name);
  }

  async list(): Promise<NodeVolumeList> {
    await this.#open();
    const items: NodeVolume[] = [];
    for (const [name, { handle, capacityBytes, state, used }] of [...this.#ledger.all()].sort(byName)) {
      // Nobody was told of it yet.
      if (state === 'making') continue;
      const isLost = (await this.#lossOf(name)) !== undefined;
      const path = this.pathOf(name);
      const version = this.#versionOf(name);
      items.push({ name, handle, path, capacityBytes, state: isLost ? 'lost' : 'ready', wasUsed: used, version });
    }
    for (const [name, { handle, capacityBytes }] of [...this.#removing].sort(byName)) {
      items.push({ name, handle, path: this.pathOf(name), capacityBytes, state: 'removing' });
    }
    return { capacityBytes: await this.#capacityBytes(), items };
  }

  /**
   * Looks at the disk: writes to it, if there are volumes on it. Rejects with `VolumeProblem` or `FileError` when it does not
   * work; a full one works.
   */
  async look(): Promise<DiskLook> {
    await this.#open();
    const made = [...this.#ledger.all()].filter(([, { state }]) => state === 'ready').map(([name]) => name);
    const couldWrite = made.length === 0 || (await this.#tryWrite());
    const { bytes, freeBytes } = await this.#disk.statfs(this.dir);
    const keptFree = this.#parts.keepsFree(bytes);
    const lost: string[] = [];
    for (const name of made) if ((await this.#lossOf(name)) !== undefined) lost.push(name);
    return {
      capacityBytes: Math.max(0, Math.floor(bytes - keptFree)),
      names: made,
      lost,
      isFull: !couldWrite || freeBytes < keptFree,
    };
  }

  /** @returns false: the disk is full */
  async #tryWrite(): Promise<boolean> {
    try {
      await this.#ports.fs.writeFile(`${this.dir}/${TRIAL}`, 'a trial of the disk\n', { mode: 0o600, sync: true });
      return true;
    } catch (error) {
      if (error instanceof FileError && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return false;
      throw error;
    }
  }

  /** Of a volume that was made here. */
  capacityOf(name: string): number {
    return this.#ledger.get(name)?.capacityBytes ?? 0;
  }

  async #capacityBytes(): Promise<number> {
    const { bytes } = await this.#disk.statfs(this.dir);
    return Math.max(0, Math.floor(bytes - this.#parts.keepsFree(bytes)));
  }

  /**
   * Gives a pod the volume: does `publish`, while it cannot be removed. From now on it counts as used. Rejects with
   * `VolumeProblem` when it is lost.
   * @param path as the PersistentVolume has it
   */
  async use<T>(name: string, path: string, publish: () => Promise<T>): Promise<T> {
    checkVolumeName(name);
    return await this.#locks.run(name, async () => {
      await this.#open();
      const entry = this.#ledger.get(name);
      if (entry === undefined) throw lost(name, 'this node has no record of it');
      if (path !== this.pathOf(name)) throw lost(name, `this node has it at ${this.pathOf(name)}, not at ${path}`);
      const problem = await this.#lossOf(name);
      if (problem !== undefined) throw lost(name, problem);
      if (entry.state !== 'ready' || !entry.used)
        await this.#ledger.set(name, { ...entry, state: 'ready', used: true });
      this.#changed(name);
      return await publish();
    });
  }

  async #lossOf(name: string): Promise<string | undefined> {
    const path = this.pathOf(name);
    if ((await this.#place(`${this.dir}/${name}`)) === 'absent' || (await this.#place(path)) === 'absent') {
      return `its folder ${path} is not there any more`;
    }
    if ((await this.#place(`${this.dir}/${name}`)) === 'there' && (await this.#place(path)) === 'there')
      return undefined;
    return `its folder ${path} is not the one that was made: there is a link or a file in its place`;
  }

  async #place(path: string): Promise<Place> {
    const info = await this.#disk.stat(path);
    if (info === undefined) return 'absent';
    return info.type === 'directory' ? 'there' : 'no folder';
  }

  /** Rejects with `VolumeProblem` while the folder of the volumes is not there, or not ours. */
  async #open(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    await this.#loading;
    await this.#checkMarker();
    if (this.#tidied) return;
    await this.#locks.run(CAPACITY, async () => {
      if (this.#tidied) return;
      await this.#tidy();
      this.#tidied = true;
    });
  }

  async #load(): Promise<void> {
    const { fs } = this.#ports;
    const { dir, instanceId, rootDir } = this.#config;
    await fs.mkdir(volumesHome(rootDir), { mode: PRIVATE });
    const known = volumesFolderRecord(rootDir);
    if ((await fs.stat(known)) === undefined) {
      await fs.mkdir(dir, { mode: PRIVATE });
      await fs.chmod(dir, PRIVATE);
      const marker = `${dir}/${VOLUMES_MARKER}`;
      if ((await fs.stat(marker)) === undefined)
        await fs.writeFile(marker, `${instanceId}\n`, { mode: 0o600, atomic: true, sync: true });
      await fs.writeFile(known, JSON.stringify({ dir }), { mode: 0o600, atomic: true, sync: true });
    }
    await this.#ledger.load();
  }

  async #checkMarker(): Promise<void> {
    const { dir, instanceId } = this.#config;
    const owner = await this.#readIfThere(`${dir}/${VOLUMES_MARKER}`);
    if (owner === undefined) {
      throw new VolumeProblem(
        'VolumesFolderAway',
        `the folder of the volumes, ${dir}, is not the one in which they were made (it has no ${VOLUMES_MARKER}): is its disk mounted?`,
      );
    }
    if (owner.trim() !== instanceId)
      throw new VolumeProblem('VolumesFolderAway', `the folder of the volumes, ${dir}, belongs to another mendlet`);
  }

  /** What an earlier life left half-done is undone or done; folders without a record get one. */
  async #tidy(): Promise<void> {
    for (const file of await this.#disk.readdir(this.dir)) {
      if (file.startsWith(MAKING)) await this.#disk.remove(`${this.dir}/${file}`);
      else if (file.startsWith(REMOVING)) await this.#knowRemoval(file.slice(REMOVING.length));
      else if (isVolumeName(file) && this.#ledger.get(file) === undefined) await this.#adopt(file);
    }
    const unfinished = [...this.#ledger.all()].filter(([, { state }]) => state === 'making');
    for (const [name, entry] of unfinished) {
      if ((await this.#place(`${this.dir}/${name}`)) === 'there')
        await this.#ledger.set(name, { ...entry, state: 'ready' });
      else await this.#ledger.delete(name);
    }
  }

  async #knowRemoval(name: string): Promise<void> {
    if (!isVolumeName(name)) return;
    // It was renamed, and its record was not deleted yet.
    if (this.#ledger.get(name) !== undefined && (await this.#place(`${this.dir}/${name}`)) === 'absent')
      await this.#ledger.delete(name);
    const note = await this.#noteIn(`${this.dir}/${REMOVING}${name}`);
    if (note !== undefined) this.#removing.set(name, note);
    void this.#locks
      .run(name, () => this.#finishRemoval(name))
      .catch((error: unknown) =>
        this.#ports.logger.warn('a volume cannot be removed yet', { name, error: errorMessage(error) }),
      );
  }

  /** The agent's own folder was lost, and this one was not: nobody knows whether a pod had it. */
  async #adopt(name: string): Promise<void> {
    const note = await this.#noteIn(`${this.dir}/${name}`);
    if (note === undefined) {
      this.#ports.logger.warn('a folder among the volumes has no note of ours; it is left alone', { name });
      return;
    }
    await this.#ledger.set(name, { ...note, state: 'ready', used: true });
  }

  async #noteIn(folder: string): Promise<Pick<LedgerEntry, 'handle' | 'capacityBytes'> | undefined> {
    if ((await this.#place(folder)) !== 'there') return undefined;
    const text = await this.#readIfThere(`${folder}/${NOTE}`);
    try {
      const { handle, capacityBytes } = JSON.parse(text ?? '{}') as Partial<LedgerEntry>;
      return isHandle(handle) && isCapacity(capacityBytes) ? { handle, capacityBytes } : undefined;
    } catch {
      return undefined;
    }
  }

  async #readIfThere(path: string): Promise<string | undefined> {
    try {
      return decodeText(await this.#disk.readFile(path, { maxBytes: MAX_NOTE_BYTES }));
    } catch (error) {
      if (error instanceof FileError && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
      throw error;
    }
  }
}

/** The lock under which capacities are counted. No name of a volume is empty. */
const CAPACITY = '';

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function anothers(name: string): VolumeProblem {
  return new VolumeProblem('Conflict', `there is a volume ${name} already, made for another claim`);
}

function lost(name: string, why: string): VolumeProblem {
  return new VolumeProblem('VolumeLost', `volume ${name} is lost: ${why}`);
}
