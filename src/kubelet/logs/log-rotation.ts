/**
 * Bounds each container's log. A log that is too long is moved aside, and the runtime is told to open it again; older ones
 * are compressed and the oldest removed. So a runaway log costs at most a few times the limit. A pod may have its log folder
 * mounted: everything is reached through the folder that was opened, no link is followed, and only regular files are
 * compressed.
 */
import { type Clock, errorMessage, type FileSystem, type Logger, type Process, Semaphore } from '../../lib/index.ts';
import type { RuntimeService } from '../../cri/index.ts';
import type { KubeletSettings } from '../settings.ts';
import { COMPRESS_TIMEOUT_MS, MAX_ROTATIONS_AT_ONCE, REOPEN_TIMEOUT_MS } from './limits.ts';
import { logPlace } from '../pods/log-place.ts';
import { COMPRESSED, planRotation, rotatedName } from './plan-rotation.ts';

/** A running container, and where its log lies. */
export interface LoggedContainer {
  readonly id: string;
  readonly logPath: string;
}

export interface LogRotationOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: FileSystem;
  readonly process: Process;
  readonly runtime: Pick<RuntimeService, 'reopenContainerLog'>;
  readonly settings: KubeletSettings['containerLogs'];
  readonly runningContainers: () => readonly LoggedContainer[];
}

export class LogRotation {
  readonly #options: LogRotationOptions;
  readonly #places = new Semaphore(MAX_ROTATIONS_AT_ONCE);
  /** Containers with a rotation under way: a slow one is not begun twice. */
  readonly #busy = new Set<string>();
  /** The last message about a container's log. */
  readonly #troubles = new Map<string, string>();

  constructor(options: LogRotationOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, settings, runningContainers } = this.#options;
    while (!signal.aborted) {
      const containers = runningContainers();
      const ids = new Set(containers.map(({ id }) => id));
      for (const id of this.#troubles.keys()) if (!ids.has(id)) this.#troubles.delete(id);
      for (const container of containers) void this.#look(container, signal);
      await clock.sleep(settings.monitorIntervalMs, signal).catch(() => {});
    }
  }

  async #look(container: LoggedContainer, signal: AbortSignal): Promise<void> {
    if (container.logPath === '' || this.#busy.has(container.id)) return;
    this.#busy.add(container.id);
    try {
      const { fs } = this.#options;
      const { root, folder, name } = logPlace(container.logPath);
      const opened = await fs.openBelow(root, folder, {});
      try {
        await this.#lookIn({ path: opened.path, name }, container, signal);
      } finally {
        await opened.close();
      }
      this.#troubles.delete(container.id);
    } catch (error) {
      this.#tell(container, errorMessage(error));
    } finally {
      this.#busy.delete(container.id);
    }
  }

  /** Once, not at each look. */
  #tell({ id, logPath }: LoggedContainer, error: string): void {
    if (this.#troubles.get(id) === error) return;
    this.#troubles.set(id, error);
    this.#options.logger.warn('a log could not be rotated', { path: logPath, error });
  }

  async #lookIn(folder: OpenFolder, container: LoggedContainer, signal: AbortSignal): Promise<void> {
    const { fs, settings } = this.#options;
    const info = await fs.stat(`${folder.path}/${folder.name}`);
    if (info === undefined) await this.#reopen(container);
    else if (info.type !== 'file') throw new Error(`it is no regular file any more, but a ${info.type}`);
    else if (info.size > settings.maxSizeBytes) {
      await this.#places.run(() => (signal.aborted ? Promise.resolve() : this.#rotate(folder, container)));
    }
  }

  async #rotate({ path: folder, name }: OpenFolder, container: LoggedContainer): Promise<void> {
    const { fs, clock, settings, logger } = this.#options;
    const siblings = await fs.readdir(folder);
    const plan = planRotation(siblings, name, settings.maxFiles);
    for (const file of plan.remove) await fs.remove(`${folder}/${file}`);
    // Files that may have filled the disk are removed first; work that takes time comes last.
    const aside = `${folder}/${rotatedName(siblings, name, clock.now().wall)}`;
    await fs.rename(`${folder}/${name}`, aside);
    await this.#reopenOrUndo(container, aside, `${folder}/${name}`);
    logger.debug('log rotated', { path: container.logPath });
    for (const file of plan.compress) await this.#compress(folder, file);
  }

  /** The runtime keeps writing to the moved file until it opens the new one. */
  async #reopenOrUndo(container: LoggedContainer, aside: string, log: string): Promise<void> {
    try {
      await this.#reopen(container);
    } catch (error) {
      const { fs } = this.#options;
      // Unless it did open it, and only the answer was lost.
      if ((await fs.stat(log)) === undefined) await fs.rename(aside, log);
      throw error;
    }
  }

  async #reopen({ id }: LoggedContainer): Promise<void> {
    await this.#options.runtime.reopenContainerLog(id, { timeoutMs: REOPEN_TIMEOUT_MS });
  }

  /**
   * In a separate program, so that it does not block the agent's thread. Left plain when there is no gzip. It gets both files
   * opened, and so cannot be misled (gzip itself follows a link that it is told to compress).
   */
  async #compress(folder: string, name: string): Promise<void> {
    const { fs, logger } = this.#options;
    const unfinished = `${name}${UNFINISHED}`;
    try {
      const source = await fs.openFileBelow(folder, name);
      if (source === undefined) return;
      try {
        await this.#write(source.path, folder, unfinished);
      } finally {
        await source.close();
      }
      await fs.rename(`${folder}/${unfinished}`, `${folder}/${name}${COMPRESSED}`);
      await fs.remove(`${folder}/${name}`);
    } catch (error) {
      await fs.remove(`${folder}/${unfinished}`).catch(() => {});
      logger.warn('a rotated log could not be compressed', { file: name, error: errorMessage(error).slice(0, 500) });
    }
  }

  /** A new file, never one that was there. */
  async #write(source: string, folder: string, name: string): Promise<void> {
    const { fs, process } = this.#options;
    await fs.remove(`${folder}/${name}`);
    await fs.writeFile(`${folder}/${name}`, '', { atomic: true, mode: MODE });
    const target = await fs.openFileBelow(folder, name);
    if (target === undefined) throw new Error('it was removed by somebody else');
    try {
      const result = await process.run('sh', ['-c', 'exec gzip -c <"$1" >"$2"', 'sh', source, target.path], {
        timeoutMs: COMPRESS_TIMEOUT_MS,
      });
      if (result.code !== 0) throw new Error(result.stderr);
    } finally {
      await target.close();
    }
  }
}

/** A container's log folder, open, and the log's name in it. */
interface OpenFolder {
  readonly path: string;
  readonly name: string;
}

/** The name by which planRotation recognises a left-over. */
const UNFINISHED = '.tmp';
/** As runtimes make logs. */
const MODE = 0o640;
