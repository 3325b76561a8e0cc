/** Are the files that SQLite has open still the ones that lie at their paths, and as long as it left them? */
import { statSync } from 'node:fs';

interface Seen {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  size: number;
}

export class OpenFiles {
  readonly #paths: readonly string[];
  readonly #seen = new Map<string, Seen>();

  /** @param path of the store, which SQLite has just opened */
  constructor(path: string) {
    this.#paths = [path, `${path}-wal`];
    this.noteSizes();
  }

  /** After a write of ours: the files are as long as they are now. */
  noteSizes(): void {
    for (const path of this.#paths) {
      const stat = statSync(path, { throwIfNoEntry: false });
      const seen = this.#seen.get(path);
      if (stat === undefined) continue;
      if (seen === undefined) this.#seen.set(path, { path, dev: stat.dev, ino: stat.ino, size: stat.size });
      else seen.size = stat.size;
    }
  }

  /**
   * What happened to them; `undefined`: nothing. Three microseconds a file: cheap beside a commit.
   *
   * @param sizes they must be as long as they were left; SQLite itself cuts its log in a commit
   */
  problem(sizes: boolean): string | undefined {
    for (const { path, dev, ino, size } of this.#seen.values()) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return `${path} was removed while the store was in use`;
      if (stat.dev !== dev || stat.ino !== ino) return `${path} was replaced while the store was in use`;
      if (sizes && stat.size < size) return `${path} was cut while the store was in use`;
    }
    return undefined;
  }
}
