/**
 * Bounds each container's log: too long, it is moved aside and the runtime told to open it anew; older ones are compressed
 * and the oldest removed. A runaway log costs at most a few times the limit.
 */
import {
  type Clock,
  errorMessage,
  FileError,
  type FileSystem,
  type Logger,
  type Process,
  Semaphore,
} from '../../lib/index.ts';
import type { RuntimeService } from '../../cri/index.ts';
import type { KubeletSettings } from '../settings.ts';
import { COMPRESS_TIMEOUT_MS, MAX_ROTATIONS_AT_ONCE, REOPEN_TIMEOUT_MS } from './limits.ts';
import { planRotation, rotatedName } from './plan-rotation.ts';

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

  constructor(options: LogRotationOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, settings, runningContainers } = this.#options;
    while (!signal.aborted) {
      for (const container of runningContainers()) void this.#look(container, signal);
      await clock.sleep(settings.monitorIntervalMs, signal).catch(() => {});
    }
  }

  async #look(container: LoggedContainer, signal: AbortSignal): Promise<void> {
    if (container.logPath === '' || this.#busy.has(container.id)) return;
    this.#busy.add(container.id);
    try {
      const { fs, settings } = this.#options;
      const info = await fs.stat(container.logPath);
      if (info === undefined) await this.#reopen(container);
      else if (info.size > settings.maxSizeBytes) {
        await this.#places.run(() => (signal.aborted ? Promise.resolve() : this.#rotate(container)));
      }
    } catch (error) {
      const { logger } = this.#options;
      logger.warn('a log could not be rotated', { path: container.logPath, error: errorMessage(error) });
    } finally {
      this.#busy.delete(container.id);
    }
  }

  async #rotate(container: LoggedContainer): Promise<void> {
    const { fs, clock, settings, logger } = this.#options;
    const slash = container.logPath.lastIndexOf('/');
    const folder = container.logPath.slice(0, slash);
    const name = container.logPath.slice(slash + 1);
    const siblings = await fs.readdir(folder);
    const plan = planRotation(siblings, name, settings.maxFiles);
    for (const file of plan.remove) await fs.remove(`${folder}/${file}`);
    // What the disk may be full of goes first; what costs time comes last.
    const aside = `${folder}/${rotatedName(siblings, name, clock.now().wall)}`;
    await fs.rename(container.logPath, aside);
    await this.#reopenOrUndo(container, aside);
    logger.debug('log rotated', { path: container.logPath });
    for (const file of plan.compress) await this.#compress(`${folder}/${file}`);
  }

  /** The runtime goes on writing to the file that was moved until it opens the new one. */
  async #reopenOrUndo(container: LoggedContainer, aside: string): Promise<void> {
    try {
      await this.#reopen(container);
    } catch (error) {
      const { fs } = this.#options;
      // Unless it did open it, and only the answer was lost.
      if ((await fs.stat(container.logPath)) === undefined) await fs.rename(aside, container.logPath);
      throw error;
    }
  }

  async #reopen({ id }: LoggedContainer): Promise<void> {
    await this.#options.runtime.reopenContainerLog(id, { timeoutMs: REOPEN_TIMEOUT_MS });
  }

  /** In a program of its own: it must not keep the agent's thread. Left plain when there is no gzip. */
  async #compress(path: string): Promise<void> {
    const { process, logger, fs } = this.#options;
    const result = await process.run('gzip', ['-f', path], { timeoutMs: COMPRESS_TIMEOUT_MS });
    if (result.code === 0) return;
    await fs.remove(`${path}.gz`).catch((error: unknown) => {
      if (!(error instanceof FileError)) throw error;
    });
    logger.warn('a rotated log could not be compressed', { path, error: result.stderr.slice(0, 500) });
  }
}
