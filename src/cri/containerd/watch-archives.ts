/** Imports archives that are put into a folder while mendlet runs. */
import { type Clock, errorMessage, FileError, type FileSystem, type Logger } from '../../lib/index.ts';

/** A file that has not changed for so long is whole: copies grow, and their time with them. */
export const SETTLE_MS = 1_000;
/** How often the folder is looked at without a notification: a watch may be refused, or miss a change. */
export const LOOK_EVERY_MS = 30_000;

export interface ArchiveWatchOptions {
  /** Looked for again when it is not there yet. */
  readonly folder: string;
  readonly fs: Pick<FileSystem, 'readdir' | 'stat' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Imports one archive; does nothing when it was imported before. */
  readonly importArchive: (file: string) => Promise<unknown>;
}

/** Ends when `signal` is aborted. An archive that cannot be imported is said once, and tried again when it has changed. */
export async function watchArchives(options: ArchiveWatchOptions, signal: AbortSignal): Promise<void> {
  const { folder, fs, clock, logger, importArchive } = options;
  /** By file: as it was when it was dealt with. */
  const done = new Map<string, string>();
  let seen = new Map<string, string>();
  while (!signal.aborted) {
    const changed = nextChange(options, signal);
    try {
      const now = await look(folder, fs);
      for (const [file, mark] of now) {
        if (signal.aborted || done.get(file) === mark || seen.get(file) !== mark) continue;
        done.set(file, mark);
        await importArchive(file).catch((error: unknown) =>
          logger.warn('an image archive cannot be imported', { file, error: errorMessage(error) }),
        );
      }
      for (const file of done.keys()) if (!now.has(file)) done.delete(file);
      const settling = [...now].some(([file, mark]) => done.get(file) !== mark);
      seen = now;
      if (settling) await clock.sleep(SETTLE_MS, signal).catch(() => {});
      else await changed.promise;
    } finally {
      changed.close();
    }
  }
}

/** Resolves at the next change of the folder, after `LOOK_EVERY_MS`, or when `signal` is aborted. */
function nextChange(
  { folder, fs, clock }: ArchiveWatchOptions,
  signal: AbortSignal,
): { readonly promise: Promise<void>; close(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(LOOK_EVERY_MS, () => resolve());
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  const watch = watchIfThere(fs, folder, resolve);
  const close = (): void => {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
    watch?.close();
  };
  return { promise, close };
}

function watchIfThere(
  fs: Pick<FileSystem, 'watch'>,
  folder: string,
  onChange: () => void,
): { close(): void } | undefined {
  try {
    return fs.watch(folder, onChange);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

async function look(folder: string, fs: Pick<FileSystem, 'readdir' | 'stat'>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let names: readonly string[] = [];
  try {
    names = await fs.readdir(folder);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
  for (const name of names.filter((each) => each.endsWith('.tar')).toSorted()) {
    const file = `${folder}/${name}`;
    const info = await fs.stat(file, { follow: true }).catch(() => undefined);
    if (info?.type === 'file') found.set(file, `${info.size}:${info.mtimeMs}`);
  }
  return found;
}
