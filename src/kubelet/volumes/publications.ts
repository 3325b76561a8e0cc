/**
 * Which pods of this node have which persistent volumes. Each volume of a pod that stands for one has a note in the pod's folder:
 * it is on the disk before a container can get the volume, and goes when nothing of the pod is left. So the notes alone tell who
 * has a volume, also after a restart of the agent.
 */
import { decodeText, FileError, type FileSystem, KeyedLock } from '../../lib/index.ts';
import { VolumeProblem } from '../local-volumes/volume-problem.ts';
import type { PodUID } from '../types.ts';
import { MAX_PUBLICATION_NOTE_BYTES } from './limits.ts';
import { VolumeError } from './payload.ts';
import { isPodUid, podsDir, volumesDirOf } from './volume-paths.ts';

/** What a claim in a pod stands for. */
export interface Publication {
  /** Name of the PersistentVolume; absent in notes of older agents. */
  readonly volume?: string;
  /** On the host. */
  readonly path: string;
  /** "namespace/name". */
  readonly claim?: string;
  /** False: its files do not belong to the pod's group yet. */
  readonly isSettled?: boolean;
}

export interface PublicationWish extends Required<Publication> {
  readonly podUid: PodUID;
  /** Of the pod's volume, for the note. */
  readonly dir: string;
  /** No other pod may have it at the same time. */
  readonly isExclusive: boolean;
}

export interface Published {
  /** Another pod of this node has it, too. Known only where it matters: the volume is exclusive, or not settled. */
  readonly isShared: boolean;
  /** Nothing is left to do to its files. */
  readonly isSettled: boolean;
  /** Notes that nothing is. */
  settle(): Promise<void>;
}

/** Upstream's words (pkg/volume/util/operationexecutor, GenerateMountVolumeFunc). */
const EXCLUSIVE = 'volume uses the ReadWriteOncePod access mode and is already in use by another pod';

const NOTE = 'volume.json';

export class Publications {
  readonly #fs: FileSystem;
  readonly #rootDir: string;
  readonly #locks = new KeyedLock();

  /** @param rootDir `DIR/agent` */
  constructor(fs: FileSystem, rootDir: string) {
    this.#fs = fs;
    this.#rootDir = rootDir;
  }

  /** From now on the pod has the volume. Rejects with `VolumeError` when another has it and must have it alone. */
  async publish(wish: PublicationWish): Promise<Published> {
    const { volume, path, claim, podUid, dir, isExclusive, isSettled } = wish;
    return await this.#locks.run(volume, async () => {
      const holders = isExclusive || !isSettled ? await this.#holders(volume, path) : [];
      const isShared = holders.some((uid) => uid !== podUid);
      if (isExclusive && isShared) throw new VolumeError(EXCLUSIVE);
      const before = await this.note(dir);
      const isKnown = before?.volume === volume && before.path === path;
      const note = { volume, path, claim };
      if (!isKnown) await this.#write(dir, isSettled ? note : { ...note, isSettled });
      return {
        isShared,
        isSettled: isSettled || (isKnown && before.isSettled !== false),
        settle: () => this.#write(dir, note),
      };
    });
  }

  async #write(dir: string, note: Publication): Promise<void> {
    await this.#fs.mkdir(dir);
    await this.#fs.writeFile(`${dir}/${NOTE}`, JSON.stringify(note), { atomic: true, sync: true });
  }

  /** Does the work while no pod can get the volume. Rejects with `VolumeProblem` when one has it. */
  async whileUnpublished<T>(volume: string, path: string, work: () => Promise<T>): Promise<T> {
    return await this.#locks.run(volume, async () => {
      const [uid] = await this.#holders(volume, path);
      if (uid === undefined) return await work();
      throw new VolumeProblem('VolumeInUse', `the pod with UID ${uid} still has volume ${volume} on this node`);
    });
  }

  /** `undefined`: there is none, or none that can be understood. */
  async note(dir: string): Promise<Publication | undefined> {
    const text = await this.#read(`${dir}/${NOTE}`);
    return text === undefined ? undefined : parseNote(text);
  }

  /** The claims of volumes that pods have, by the volumes' names. */
  async claims(): Promise<ReadonlyMap<string, string>> {
    const claims = new Map<string, string>();
    for (const { note } of await this.#all()) {
      if (note?.volume !== undefined && note.claim !== undefined) claims.set(note.volume, note.claim);
    }
    return claims;
  }

  /** The pods that have a volume. */
  async holders(volume: string): Promise<readonly PodUID[]> {
    return (await this.#all()).filter(({ note }) => note?.volume === volume).map(({ uid }) => uid);
  }

  async #holders(volume: string, path: string): Promise<readonly PodUID[]> {
    return (await this.#all()).filter(({ note }) => mayBe(note, volume, path)).map(({ uid }) => uid);
  }

  /** `note` is undefined for one that cannot be understood. */
  async #all(): Promise<readonly { readonly uid: PodUID; readonly note: Publication | undefined }[]> {
    const all: { readonly uid: PodUID; readonly note: Publication | undefined }[] = [];
    for (const uid of (await this.#names(podsDir(this.#rootDir))).filter(isPodUid)) {
      const dir = volumesDirOf(this.#rootDir, uid, 'local-volume');
      for (const name of await this.#names(dir)) {
        const text = await this.#read(`${dir}/${name}/${NOTE}`);
        if (text !== undefined) all.push({ uid, note: parseNote(text) });
      }
    }
    return all;
  }

  async #names(dir: string): Promise<readonly string[]> {
    try {
      return await this.#fs.readdir(dir);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async #read(path: string): Promise<string | undefined> {
    try {
      return decodeText(await this.#fs.readFile(path, { maxBytes: MAX_PUBLICATION_NOTE_BYTES }));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }
}

/** A note that cannot be understood may be of any volume: the pod keeps what it has. */
function mayBe(note: Publication | undefined, volume: string, path: string): boolean {
  return note === undefined || note.volume === volume || note.path === path;
}

export function parseNote(text: string): Publication | undefined {
  try {
    const note: unknown = JSON.parse(text);
    if (typeof note !== 'object' || note === null) return undefined;
    const { volume, path, claim, isSettled } = note as Partial<Record<keyof Publication, unknown>>;
    if (typeof path !== 'string') return undefined;
    return {
      path,
      ...(isSettled === false && { isSettled }),
      ...(typeof volume === 'string' && { volume }),
      ...(typeof claim === 'string' && { claim }),
    };
  } catch {
    return undefined;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof FileError && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
