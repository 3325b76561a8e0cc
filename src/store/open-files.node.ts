/** Are the files that SQLite has open still the ones that lie at their paths, and as long as it left them? */
import { statSync } from 'node:fs';

interface Seen {
  readonly dev: number;
  readonly ino: number;
  size: number;
}

export class OpenFiles {
  readonly #file: string;
  readonly #wal: string;
  readonly #seen = new Map<string, Seen>();

  /** @param path of the store, which SQLite has just opened */
  constructor(path: string) {
    this.#file = path;
    this.#wal = `${path}-wal`;
    this.look();
  }

  /**
   * After a commit, before it is reported: checks that the files are still in their places, and remembers their lengths. It
   * takes a few microseconds a file, little beside a commit.
   * @returns the problem; `undefined`: none
   */
  look(): string | undefined {
    return this.#lookAt(this.#file, true) ?? this.#lookAt(this.#wal, false);
  }

  /** Before a commit, which would hide it: was the log cut since it was left? */
  cut(): string | undefined {
    const seen = this.#seen.get(this.#wal);
    const size = seen && statSync(this.#wal, { throwIfNoEntry: false })?.size;
    return seen === undefined || size === undefined || size >= seen.size ? undefined : wasCut(this.#wal);
  }

  /** @param growsOnly SQLite itself never makes it shorter */
  #lookAt(path: string, growsOnly: boolean): string | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    const seen = this.#seen.get(path);
    if (seen === undefined) {
      if (stat !== undefined) this.#seen.set(path, { dev: stat.dev, ino: stat.ino, size: stat.size });
      return undefined;
    }
    if (stat === undefined) return `${path} was removed while the store was in use`;
    if (stat.dev !== seen.dev || stat.ino !== seen.ino) return `${path} was replaced while the store was in use`;
    if (growsOnly && stat.size < seen.size) return wasCut(path);
    seen.size = stat.size;
    return undefined;
  }
}

function wasCut(path: string): string {
  return `${path} was cut while the store was in use`;
}
