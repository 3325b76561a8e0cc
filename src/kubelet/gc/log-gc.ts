/**
 * Removes remains of logs once a minute (upstream: kuberuntime_gc.go evictPodLogsDirectories): log folders that this mendlet
 * made, of pods that no part knows any more, and links to logs that are gone. Folders of another kubelet are never touched.
 */
import { type Clock, errorMessage, FileError, type FileSystem, type Logger } from '../../lib/index.ts';
import { isMistake } from '../mistakes.ts';
import type { PodUID } from '../types.ts';
import { LOG_GC_PERIOD_MS, MAX_LOG_FOLDERS, MAX_OWNER_BYTES } from './limits.ts';
import { containerLogsDir, folderOfTarget, LOG_OWNER_FILE, uidOfLogFolder } from '../pods/log-names.ts';

export interface LogGcOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: FileSystem;
  readonly podLogsDir: string;
  readonly instanceId: string;
  /** `undefined`: the pods are not known yet. Else whether anything but logs is left of this pod, or is still to come. */
  readonly isKnown: () => ((uid: PodUID) => boolean) | undefined;
  /** Whether the runtime still has this container. */
  readonly hasContainer: (id: string) => boolean;
}

export class LogGc {
  readonly #options: LogGcOptions;
  /**
   * Folders without a pod in the last round: a folder that is just being made, or whose pod is just ending, gets one more
   * round.
   */
  #unknown = new Set<string>();

  constructor(options: LogGcOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(LOG_GC_PERIOD_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.collect();
      } catch (error) {
        if (isMistake(error)) throw error;
        logger.warn('old logs could not be removed', { error: errorMessage(error) });
      }
    }
  }

  /** One round. Rejects with file errors. */
  async collect(): Promise<void> {
    const isKnown = this.#options.isKnown();
    if (isKnown === undefined) return;
    await this.#folders(isKnown);
    await this.#links();
  }

  async #folders(isKnown: (uid: PodUID) => boolean): Promise<void> {
    const { fs, logger, podLogsDir } = this.#options;
    const unknown = new Set<string>();
    for (const name of await this.#names(podLogsDir)) {
      const uid = uidOfLogFolder(name);
      if (uid === undefined || isKnown(uid)) continue;
      const path = `${podLogsDir}/${name}`;
      if (!(await this.#isOurs(name))) continue;
      if (!this.#unknown.has(name)) unknown.add(name);
      // Meanwhile the pod may have come.
      else if (!isKnown(uid)) {
        logger.info('removing the logs of a pod that is gone', { path });
        await fs.remove(path);
      }
    }
    this.#unknown = unknown;
  }

  /** Broken links: the pod's folder is gone, or it is ours and the container is gone. */
  async #links(): Promise<void> {
    const { fs, podLogsDir, hasContainer } = this.#options;
    const dir = containerLogsDir(podLogsDir);
    for (const name of await this.#names(dir)) {
      if (!name.endsWith('.log')) continue;
      const path = `${dir}/${name}`;
      const target = await this.#target(path);
      const folder = target === undefined ? undefined : folderOfTarget(target, podLogsDir);
      if (target === undefined || folder === undefined) continue;
      if ((await fs.stat(target, { follow: true })) !== undefined) continue;
      const there = (await fs.stat(`${podLogsDir}/${folder}`)) !== undefined;
      // A log that is just being rotated is missing for a moment.
      const id = name.slice(name.lastIndexOf('-') + 1, -'.log'.length);
      if (there && (hasContainer(id) || !(await this.#isOurs(folder)))) continue;
      await fs.remove(path);
    }
  }

  async #isOurs(folder: string): Promise<boolean> {
    const { fs, instanceId, podLogsDir } = this.#options;
    try {
      const file = await fs.openFileBelow(podLogsDir, `${folder}/${LOG_OWNER_FILE}`);
      if (file === undefined) return false;
      try {
        return new TextDecoder().decode(await file.readAt(0, MAX_OWNER_BYTES)).trim() === instanceId;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  async #target(path: string): Promise<string | undefined> {
    try {
      return await this.#options.fs.readlink(path);
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  async #names(dir: string): Promise<readonly string[]> {
    try {
      return (await this.#options.fs.readdir(dir)).slice(0, MAX_LOG_FOLDERS);
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      throw error;
    }
  }
}
