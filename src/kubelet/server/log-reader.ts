/** Reads a container's log file: its end, or all of it, and then what comes, across rotations. */
import { type Clock, FileError, type FileInfo, type FileSystem } from '../../lib/index.ts';
import { FOLLOW_DRAIN_MS, FOLLOW_POLL_MS, LOG_CHUNK_BYTES, PUT_AWAY_POLL_MS, PUT_AWAY_WAIT_MS } from './limits.ts';
import { LogFormatter, type LogOptions } from '../pods/log-format.ts';

/** Logs are only ever read. */
export type LogFiles = Pick<FileSystem, 'readAt' | 'stat' | 'readdir' | 'watch'>;

export interface LogSource {
  readonly clock: Clock;
  readonly fs: LogFiles;
  /** The log file on the host. */
  readonly path: string;
  readonly isRunning: () => boolean;
  /** It has ended, and the runtime has not put it away yet: last lines may be on their way to the file. */
  readonly isEnding: () => boolean;
  /** The reader is gone. */
  readonly signal: AbortSignal;
}

/** What `kubectl logs` prints. Ends at the end of the file or, following, of the container. */
export async function* readLog(source: LogSource, options: LogOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const formatter = new LogFormatter(options);
  await untilPutAway(source);
  let offset = await startOffset(source, options.tailLines);
  let ended = false;
  while (!source.signal.aborted && !formatter.full) {
    const chunk = await readChunk(source, source.path, offset);
    if (chunk.length > 0) {
      offset += chunk.length;
      const out = formatter.add(chunk);
      if (out.length > 0) yield out;
      continue;
    }
    const info = await source.fs.stat(source.path, { follow: true });
    if (options.follow && info !== undefined && info.size < offset) {
      yield* rotatedRest(source, formatter, offset);
      formatter.reset();
      offset = 0;
      continue;
    }
    if (!options.follow || ended) break;
    // The runtime writes the last lines before it says that the container ended, but not before we asked.
    ended = !source.isRunning() && !source.isEnding();
    await waitForMore(source, ended ? FOLLOW_DRAIN_MS : FOLLOW_POLL_MS);
  }
  const rest = formatter.end();
  if (rest.length > 0) yield rest;
}

/** Who sees that a container has ended may rely on its whole log being there, though we tell of it sooner than the runtime. */
async function untilPutAway(source: LogSource): Promise<void> {
  const giveUpAt = source.clock.now().mono + PUT_AWAY_WAIT_MS;
  while (source.isEnding() && !source.signal.aborted && source.clock.now().mono < giveUpAt) {
    await waitForMore(source, PUT_AWAY_POLL_MS);
  }
}

/** What was written to the old file after our last look at it: it lies beside the new one under a longer name. */
async function* rotatedRest(
  source: LogSource,
  formatter: LogFormatter,
  from: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const path = await newestRotated(source);
  if (path === undefined) return;
  let offset = from;
  for (;;) {
    const chunk = await readChunk(source, path, offset);
    if (chunk.length === 0) return;
    offset += chunk.length;
    const out = formatter.add(chunk);
    if (out.length > 0) yield out;
  }
}

async function newestRotated({ fs, path }: LogSource): Promise<string | undefined> {
  const slash = path.lastIndexOf('/');
  const [dir, base] = [path.slice(0, slash), path.slice(slash + 1)];
  let newest: { readonly path: string; readonly info: FileInfo } | undefined;
  for (const name of await fs.readdir(dir)) {
    if (!name.startsWith(`${base}.`) || name.endsWith('.gz') || name.endsWith('.tmp')) continue;
    const info = await fs.stat(`${dir}/${name}`);
    if (info?.type !== 'file') continue;
    if (newest === undefined || info.mtimeMs > newest.info.mtimeMs) newest = { path: `${dir}/${name}`, info };
  }
  return newest?.path;
}

/** Empty at the end of the file, and while there is none (it is being rotated). */
async function readChunk({ fs }: LogSource, path: string, offset: number): Promise<Uint8Array> {
  try {
    return await fs.readAt(path, offset, LOG_CHUNK_BYTES);
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return new Uint8Array();
    throw error;
  }
}

/** Resolves at the next change of the file, after `timeoutMs`, or when the reader is gone. */
function waitForMore({ clock, fs, path, signal }: LogSource, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      watcher?.close();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(timeoutMs, end);
    signal.addEventListener('abort', end, { once: true });
    const watcher = watchOrPoll(fs, path, end);
    if (signal.aborted) end();
  });
}

/** A file that cannot be watched (it is gone, or too many are) is polled. */
function watchOrPoll(fs: LogFiles, path: string, onChange: () => void): { close(): void } | undefined {
  try {
    return fs.watch(path, onChange);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

const NEWLINE = 10;

/** Where the last `tailLines` lines begin; 0 without a tail. Reads backwards, block by block. */
async function startOffset(source: LogSource, tailLines: number | undefined): Promise<number> {
  if (tailLines === undefined) return 0;
  const size = (await source.fs.stat(source.path, { follow: true }))?.size ?? 0;
  if (tailLines === 0) return size;
  // A line ends with a newline: the one before the first wanted line is number tailLines + 1 from the end.
  let wanted = tailLines + 1;
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - LOG_CHUNK_BYTES);
    const block = await source.fs.readAt(source.path, begin, end - begin);
    if (end === size && block.at(-1) !== NEWLINE) wanted -= 1;
    for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      wanted -= 1;
      if (wanted === 0) return begin + at + 1;
    }
    end = begin;
  }
  return 0;
}
