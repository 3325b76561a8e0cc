/**
 * Which volumes this node tells the API server that it uses (`volumesInUse` of its status), so that nobody detaches them: those
 * that pods are about to mount, and those that a note says may still be staged. A volume is mounted only after that was told,
 * and not told any more only after it was unstaged.
 */
import { type DriverVolume, driverVolumeName, parseDriverVolumeName } from '../../api/index.ts';
import { errorMessage, type Logger } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import type { NoteStore } from './note-store.ts';

export class VolumesInUse {
  readonly #logger: Logger;
  readonly #notes: Pick<NoteStore, 'list' | 'isDamaged'>;
  readonly #changed: () => void;
  readonly #wanted = new Map<PodUID, Set<string>>();
  /** Those of the last list that was asked for, which may be on its way to the server. */
  #last: readonly string[] = [];
  #reported: ReadonlySet<string> = new Set();

  /** @param changed called when another list should be reported */
  constructor(logger: Logger, notes: Pick<NoteStore, 'list' | 'isDamaged'>, changed: () => void) {
    this.#logger = logger;
    this.#notes = notes;
    this.#changed = changed;
  }

  /** A pod is about to mount the volume. */
  want(uid: PodUID, volume: DriverVolume): void {
    const name = driverVolumeName(volume);
    const wanted = this.#wanted.get(uid) ?? new Set();
    this.#wanted.set(uid, wanted.add(name));
    if (!this.#reported.has(name)) this.#changed();
  }

  /** The pod's volumes are unmounted, and what no other pod has is unstaged. */
  async release(uid: PodUID): Promise<void> {
    this.#wanted.delete(uid);
    const names = await this.#names(this.#last);
    if (names.join('\n') !== this.#last.join('\n')) this.#changed();
  }

  /** The server has the volume on the list, and no list without it is on its way. */
  isReported(volume: DriverVolume): boolean {
    return this.#reported.has(driverVolumeName(volume));
  }

  /** The list to report. @param before as the server has it */
  async toReport(before: readonly string[]): Promise<readonly string[]> {
    const names = await this.#names(before);
    this.#last = names;
    this.#reported = new Set(names.filter((name) => this.#reported.has(name)));
    return names;
  }

  /** The server has this list now. */
  reported(names: readonly string[]): void {
    this.#reported = new Set(names);
  }

  async #names(before: readonly string[]): Promise<readonly string[]> {
    const wanted = [...this.#wanted.values()].flatMap((names) => [...names]);
    try {
      const kept: string[] = [];
      for (const name of before) if (await this.#isUnclear(name)) kept.push(name);
      const noted = (await this.#notes.list()).filter(({ isAttached }) => isAttached === true).map(driverVolumeName);
      return unique([...wanted, ...noted, ...kept]);
    } catch (error) {
      // What cannot be read may say that a volume is mounted.
      this.#logger.warn('notes of volumes cannot be read: this node says that it uses what it used', {
        error: errorMessage(error),
      });
      return unique([...wanted, ...before]);
    }
  }

  /** A note that cannot be understood may be that of a mounted volume. */
  async #isUnclear(name: string): Promise<boolean> {
    const volume = parseDriverVolumeName(name);
    return volume !== undefined && (await this.#notes.isDamaged(volume));
  }
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
