/** Reads a container's log file: its end, or all of it, and then what comes, across rotations. */
import { type Clock, FileError, type FileSystem, type OpenFile } from '../../lib/index.ts';
import { belowRoot, logPlace } from '../pods/log-place.ts';
import {
  FOLLOW_DRAIN_MS,
  FOLLOW_POLL_MS,
  LOG_CHUNK_BYTES,
  PUT_AWAY_POLL_MS,
  PUT_AWAY_WAIT_MS,
  RECENT_END_MS,
} from './limits.ts';
import { LogFormatter, type LogOptions } from '../pods/log-format.ts';

/** Logs are only ever read. */
export type LogFiles = Pick<FileSystem, 'openFileBelow' | 'watch'>;

export interface LogSource {
  readonly clock: Clock;
  readonly fs: LogFiles;
  /** The log file on the host. */
  readonly path: string;
  readonly isRunning: () => boolean;
  /** It has ended, and the runtime has not put it away yet: last lines may be on their way to the file. */
  readonly isEnding: () => boolean;
  /** When it ended, wall ms; 0 while it runs. */
  readonly endedAt: () => number;
  /** The reader is gone. */
  readonly signal: AbortSignal;
}

/**
 * The output of `kubectl logs`. Ends at the end of the file or, following, of the container. Rejects with `FileError` if
 * anything but the container's own file (a link, a pipe) is in its place.
 */
export async function* readLog(source: LogSource, options: LogOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const formatter = new LogFormatter(options);
  await untilPutAway(source);
  // The runtime has read the last lines by now, but may not have written them yet. Following, that is waited for at the end.
  if (!options.follow && endedLately(source)) await waitForMore(source, undefined, FOLLOW_DRAIN_MS);
  let file = await openLog(source);
  try {
    let offset = file === undefined ? 0 : await startOffset(file, options.tailLines);
    let ended = false;
    while (!source.signal.aborted && !formatter.full) {
      const chunk = (await file?.readAt(offset, LOG_CHUNK_BYTES)) ?? NOTHING;
      if (chunk.length > 0) {
        offset += chunk.length;
        const out = formatter.add(chunk);
        if (out.length > 0) yield out;
        continue;
      }
      if (options.follow && (await isOver(source, file, offset))) {
        // The old one is read to its end: it may have got more since our last look, and gets no more now.
        if (file !== undefined) yield* rest(file, formatter, offset);
        await file?.close();
        file = await openLog(source);
        formatter.reset();
        offset = 0;
        continue;
      }
      if (!options.follow || ended) break;
      // The runtime reads the last lines before it says that the container ended, but not before we asked.
      ended = !source.isRunning() && !source.isEnding();
      await waitForMore(source, file, ended ? FOLLOW_DRAIN_MS : FOLLOW_POLL_MS);
    }
    const left = formatter.end();
    if (left.length > 0) yield left;
  } finally {
    await file?.close();
  }
}

const NOTHING = new Uint8Array();

function endedLately({ clock, endedAt }: LogSource): boolean {
  return Math.abs(clock.now().wall - endedAt()) < RECENT_END_MS;
}

/** `undefined`: there is none (yet, or while it is being rotated). */
function openLog({ fs, path }: LogSource): Promise<OpenFile | undefined> {
  const place = logPlace(path);
  return fs.openFileBelow(place.root, belowRoot(place));
}

/** Whether a new file has taken its place, or it was cut and rewritten. */
async function isOver(source: LogSource, file: OpenFile | undefined, offset: number): Promise<boolean> {
  if (file !== undefined && (await file.isInPlace())) return (await file.size()) < offset;
  const next = await openLog(source);
  await next?.close();
  return next !== undefined;
}

/** A client that sees the end of a container may rely on its whole log, though we report the end sooner than the runtime. */
async function untilPutAway(source: LogSource): Promise<void> {
  const giveUpAt = source.clock.now().mono + PUT_AWAY_WAIT_MS;
  while (source.isEnding() && !source.signal.aborted && source.clock.now().mono < giveUpAt) {
    await waitForMore(source, undefined, PUT_AWAY_POLL_MS);
  }
}

async function* rest(
  file: OpenFile,
  formatter: LogFormatter,
  from: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let offset = from; !formatter.full; ) {
    const chunk = await file.readAt(offset, LOG_CHUNK_BYTES);
    if (chunk.length === 0) return;
    offset += chunk.length;
    const out = formatter.add(chunk);
    if (out.length > 0) yield out;
  }
}

/** Resolves at the next change of the file, after `timeoutMs`, or when the reader is gone. */
function waitForMore(
  { clock, fs, signal }: Pick<LogSource, 'clock' | 'fs' | 'signal'>,
  file: OpenFile | undefined,
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      watcher?.close();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(timeoutMs, end);
    signal.addEventListener('abort', end, { once: true });
    const watcher = file === undefined ? undefined : watchOrPoll(fs, file.path, end);
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

/** The beginning of the last `tailLines` lines; 0 without a tail. Reads backwards, block by block. */
async function startOffset(file: OpenFile, tailLines: number | undefined): Promise<number> {
  if (tailLines === undefined) return 0;
  const size = await file.size();
  if (tailLines === 0) return size;
  // A line ends with a newline: the one before the first wanted line is number tailLines + 1 from the end.
  let wanted = tailLines + 1;
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - LOG_CHUNK_BYTES);
    const block = await file.readAt(begin, end - begin);
    if (end === size && block.at(-1) !== NEWLINE) wanted -= 1;
    for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      wanted -= 1;
      if (wanted === 0) return begin + at + 1;
    }
    end = begin;
  }
  return 0;
}
