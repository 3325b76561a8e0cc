/**
 * Static pods: a folder (or one file) of manifests as a source of desired pods. A change is noticed at once if the file
 * system reports it, and otherwise within `fileCheckFrequency`. If a file becomes invalid, the pod that ran from it goes on
 * running.
 */
import type { Pod } from '../../api/index.ts';
import {
  type Clock,
  decodeText,
  errorMessage,
  FileError,
  type FileSystem,
  formatTime,
  type Logger,
} from '../../lib/index.ts';
import type { PodEvents } from '../types.ts';
import type { DesiredPods, PodSource } from './desired-pods.ts';
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_FILES } from './limits.ts';
import { readStaticPod } from './static-pod.ts';

export interface FileSourceOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: FileSystem;
  readonly events: PodEvents;
  readonly nodeName: string;
  readonly desired: DesiredPods;
  /** Folder or file. It may come and go. */
  readonly path: string;
  readonly fileCheckFrequencyMs: number;
}

interface Entry {
  readonly text: string;
  /** The pod of the last content that made sense. */
  readonly pod: Pod | undefined;
}

export class FileSource {
  readonly #options: FileSourceOptions;
  readonly #seat: PodSource;
  /** By file path. */
  #entries = new Map<string, Entry>();
  #wake: (() => void) | undefined;
  #changed = false;

  constructor(options: FileSourceOptions) {
    this.#options = options;
    this.#seat = options.desired.addSource('file');
  }

  async run(signal: AbortSignal): Promise<void> {
    const { logger, path } = this.#options;
    let watch: { close(): void } | undefined;
    while (!signal.aborted) {
      this.#changed = false;
      // The watch begins before the read, so that no change falls between. It begins again each time, since the folder may be
      // another one by now.
      watch?.close();
      watch = this.#watch();
      try {
        await this.#look();
        this.#seat.markSynced();
      } catch (error) {
        logger.warn('the static pods cannot be read; those that run go on', { path, error: errorMessage(error) });
      }
      await this.#pause(signal);
    }
    watch?.close();
  }

  #watch(): { close(): void } | undefined {
    const { fs, path } = this.#options;
    try {
      return fs.watch(path, () => {
        this.#changed = true;
        this.#wake?.();
      });
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#options.clock.setTimer(this.#options.fileCheckFrequencyMs, end);
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
      if (signal.aborted || this.#changed) end();
    });
  }

  async #look(): Promise<void> {
    const found = new Map<string, Entry>();
    for (const file of await this.#files()) {
      const entry = await this.#read(file);
      if (entry !== undefined) found.set(file, entry);
    }
    const before = [...this.#entries.values()].flatMap(({ pod }) => pod ?? []);
    this.#entries = found;
    const now = this.#unique();
    const uids = new Set(now.map(({ metadata }) => metadata?.uid));
    // Removals come first, to make room for pods of the same name.
    for (const pod of before) if (!uids.has(pod.metadata?.uid)) this.#seat.remove(pod);
    const known = new Set(before.map(({ metadata }) => metadata?.uid));
    for (const pod of now) if (!known.has(pod.metadata?.uid)) this.#seat.put(pod);
  }

  /** If two files have a pod of the same name, the first counts. */
  #unique(): readonly Pod[] {
    const pods = new Map<string, Pod>();
    for (const [file, { pod }] of this.#entries) {
      if (pod === undefined) continue;
      const name = `${pod.metadata?.namespace}/${pod.metadata?.name}`;
      if (pods.has(name))
        this.#options.logger.warn('two files have a static pod of the same name', { file, pod: name });
      else pods.set(name, pod);
    }
    return [...pods.values()];
  }

  async #files(): Promise<readonly string[]> {
    const { fs, path, logger } = this.#options;
    const info = await fs.stat(path, { follow: true });
    if (info === undefined) return [];
    if (info.type !== 'directory') return [path];
    // Hidden files are an editor's business.
    const names = (await fs.readdir(path)).filter((name) => !name.startsWith('.')).toSorted();
    if (names.length > MAX_MANIFEST_FILES) {
      logger.warn('more static pods than are looked at', { path, files: names.length, most: MAX_MANIFEST_FILES });
    }
    return names.slice(0, MAX_MANIFEST_FILES).map((name) => `${path}/${name}`);
  }

  async #read(file: string): Promise<Entry | undefined> {
    const { fs, clock, nodeName } = this.#options;
    const known = this.#entries.get(file);
    let text: string;
    try {
      const info = await fs.stat(file, { follow: true });
      if (info === undefined || info.type !== 'file') return undefined;
      if (info.size > MAX_MANIFEST_BYTES)
        return this.#bad(file, known, `<${info.size} bytes>`, `${file}: larger than ${MAX_MANIFEST_BYTES} bytes`);
      text = decodeText(await fs.readFile(file, { maxBytes: MAX_MANIFEST_BYTES }));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return error.code === 'ENOENT' ? undefined : this.#bad(file, known, `<${error.code}>`, errorMessage(error));
    }
    if (known?.text === text) return known;
    const result = readStaticPod({ file, text, nodeName, seen: formatTime(clock.now().wall) });
    if ('problem' in result) return this.#bad(file, known, text, result.problem);
    return { text, pod: result.pod };
  }

  /** Reported once for each content; the pod that ran goes on. */
  #bad(file: string, known: Entry | undefined, text: string, problem: string): Entry {
    const { logger, events } = this.#options;
    if (known?.text !== text) {
      logger.error('a static pod cannot be read', { file, problem });
      const also = known?.pod === undefined ? '' : '; what ran from it goes on';
      events.node('Warning', 'FailedStaticPod', `${problem}${also}`);
    }
    return { text, pod: known?.pod };
  }
}
