/** The disk usage of folders: walked in the background, few at once, and remembered for a minute. */
import { type Clock, errorMessage, type Logger, Semaphore, withDeadline } from '../../lib/index.ts';
import type { Meter } from '../ports.ts';
import type { DiskUsage } from '../figures.ts';
import {
  DISK_USAGE_MAX_AGE_MS,
  MAX_CONCURRENT_WALKS,
  MAX_WALK_ENTRIES,
  WALK_TIMEOUT_MS,
  WALKS_WAIT_MS,
} from './limits.ts';

export interface DiskUsageOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Pick<Meter, 'diskUsage'>;
}

interface Entry {
  /** Mono ms at which the walk ended. */
  at?: number;
  usage?: DiskUsage | undefined;
  walk?: Promise<void> | undefined;
  /** A walk was given up and still does not end: another one would get stuck too. */
  isStuck?: boolean;
}

export class DiskUsageCache {
  readonly #options: DiskUsageOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #places = new Semaphore(MAX_CONCURRENT_WALKS);

  constructor(options: DiskUsageOptions) {
    this.#options = options;
  }

  /**
   * By path; folders that are not known in time are left out. Folders that were not walked for a minute are walked, and
   * waited for at most some seconds; a longer walk continues, and until it ends the previous figure counts.
   */
  async usages(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, DiskUsage>> {
    for (const path of this.#entries.keys()) if (!paths.has(path)) this.#entries.delete(path);
    const walks = [...paths].map((path) => this.#walk(path)).filter((walk) => walk !== undefined);
    if (walks.length > 0) {
      await withDeadline({ clock: this.#options.clock, timeoutMs: WALKS_WAIT_MS }, () => Promise.all(walks));
    }
    const found = [...paths].map((path) => [path, this.#entries.get(path)?.usage] as const);
    return new Map(found.filter((pair): pair is readonly [string, DiskUsage] => pair[1] !== undefined));
  }

  /** The walk under way, or one that begins; `undefined`: the figure is new enough. */
  #walk(path: string): Promise<void> | undefined {
    const known = this.#entries.get(path);
    if (known?.walk !== undefined || known?.isStuck === true) return known.walk;
    const now = this.#options.clock.now().mono;
    if (known?.at !== undefined && now - known.at < DISK_USAGE_MAX_AGE_MS) return undefined;
    const entry = known ?? {};
    this.#entries.set(path, entry);
    entry.walk = this.#places
      .run(() => this.#measure(path, entry))
      .finally(() => {
        entry.at = this.#options.clock.now().mono;
        entry.walk = undefined;
      });
    return entry.walk;
  }

  async #measure(path: string, entry: Entry): Promise<void> {
    const { clock, logger, meter } = this.#options;
    try {
      const result = await withDeadline({ clock, timeoutMs: WALK_TIMEOUT_MS }, (signal) => {
        entry.isStuck = true;
        const walk = meter.diskUsage(path, { maxEntries: MAX_WALK_ENTRIES, signal });
        const free = (): void => {
          entry.isStuck = false;
        };
        walk.then(free, free);
        return walk;
      });
      entry.usage = result.kind === 'done' ? result.value : undefined;
      if (result.kind !== 'done') logger.warn('a folder takes too long to walk; it has no figures', { path });
    } catch (error) {
      entry.usage = undefined;
      logger.debug('a folder cannot be walked', { path, error: errorMessage(error) });
    }
  }
}
